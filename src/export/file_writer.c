#include "export/file_writer.h"

#include "core/c_locale.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define TEMPORARY_ATTEMPTS 100 // stale files of a killed process that had our number
#define TEXT_BYTES 8192

static Result write_error(const char *path, int reason)
{
    return result_error(RESULT_FAILED, "%s: cannot write: %s", path, strerror(reason));
}

static Result target_resolve(const char *path, FileTarget *target)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (!*path || strlen(path) >= sizeof target->path)
        return write_error(path, *path ? ENAMETOOLONG : ENOENT);
    if (exists && S_ISDIR(status.st_mode)) return write_error(path, EISDIR);
    strcpy(target->path, path);
    strcpy(target->final, path);
    target->temporary[0] = '\0';
    target->direct = strcmp(path, "-") == 0 || (exists && !S_ISREG(status.st_mode));

    struct stat link;
    if (exists && !target->direct && lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) {
        if (!realpath(path, target->final)) return write_error(path, errno);
    }
    return result_ok();
}

static void name_temporary(FileTarget *target, int attempt)
{
    snprintf(target->temporary, sizeof target->temporary, "%s.%ld-%d.tmp", target->final, (long)getpid(),
             attempt);
}

Result file_target_open(const char *path, FileTarget *target, int *fd)
{
    TRY(target_resolve(path, target));
    if (target->direct) {
        bool standard = strcmp(path, "-") == 0;
        *fd = standard ? dup(STDOUT_FILENO) : open(target->final, O_WRONLY | O_CLOEXEC);
        return *fd >= 0 ? result_ok() : write_error(path, errno);
    }
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        name_temporary(target, attempt);
        *fd = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*fd >= 0) return result_ok();
        if (errno != EEXIST) break;
    }
    return write_error(path, errno);
}

Result file_target_commit(const FileTarget *target)
{
    if (target->direct || rename(target->temporary, target->final) == 0) return result_ok();
    int reason = errno;
    file_target_discard(target);
    return write_error(target->path, reason);
}

void file_target_discard(const FileTarget *target)
{
    if (!target->direct) unlink(target->temporary);
}

bool file_target_link(const char *from, const char *path)
{
    FileTarget target;
    Result result = target_resolve(path, &target);
    if (!result_is_ok(&result) || target.direct) return false;
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        name_temporary(&target, attempt);
        if (link(from, target.temporary) == 0) break;
        if (errno != EEXIST || attempt + 1 == TEMPORARY_ATTEMPTS) return false;
    }
    bool done = rename(target.temporary, target.final) == 0;
    unlink(target.temporary); // stays where both are the same file already
    return done;
}

Result file_target_probe(const char *path)
{
    FileTarget target;
    int fd;
    TRY(file_target_open(path, &target, &fd));
    close(fd);
    file_target_discard(&target);
    return result_ok();
}

Result file_writer_open(const char *path, FileWriter *out)
{
    *out = (FileWriter){.fd = -1, .buffer = memory_allocate(BUFFER_BYTES)};
    if (!out->buffer) return result_no_memory("a file's buffer", BUFFER_BYTES);
    Result result = file_target_open(path, &out->target, &out->fd);
    if (!result_is_ok(&result)) memory_free(out->buffer);
    return result;
}

static void write_through(FileWriter *writer, const uint8_t *data, size_t bytes)
{
    while (bytes > 0 && !writer->error) {
        ssize_t written = write(writer->fd, data, bytes);
        if (written > 0) {
            data += written;
            bytes -= (size_t)written;
        } else if (written < 0 && errno != EINTR) {
            writer->error = errno;
        }
    }
}

static void flush_buffer(FileWriter *writer)
{
    write_through(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void file_writer_write(FileWriter *writer, const void *data, size_t bytes)
{
    if (bytes == 0) return; // data may be NULL then, which memcpy does not take
    if (writer->used + bytes > BUFFER_BYTES) flush_buffer(writer);
    if (bytes > BUFFER_BYTES) {
        write_through(writer, data, bytes);
        return;
    }
    memcpy(writer->buffer + writer->used, data, bytes);
    writer->used += bytes;
}

void file_writer_print(FileWriter *writer, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = c_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(length >= 0 && (size_t)length < sizeof text);
    file_writer_write(writer, text, (size_t)length);
}

// Devices and pipes cannot be synchronized, which is not an error.
static int close_flushed(FileWriter *writer)
{
    int error = writer->error;
    if (!error && fsync(writer->fd) != 0 && errno != EINVAL && errno != EROFS) error = errno;
    if (close(writer->fd) != 0 && !error) error = errno;
    writer->fd = -1;
    memory_free(writer->buffer);
    writer->buffer = NULL;
    return error;
}

Result file_writer_commit(FileWriter *writer)
{
    flush_buffer(writer);
    int error = close_flushed(writer);
    if (!error) return file_target_commit(&writer->target);
    file_target_discard(&writer->target);
    return write_error(writer->target.path, error);
}

void file_writer_discard(FileWriter *writer)
{
    close(writer->fd);
    memory_free(writer->buffer);
    file_target_discard(&writer->target);
}
