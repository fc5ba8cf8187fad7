#include "export/file_writer.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "core/regular_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define TEMPORARY_ATTEMPTS 100 // stale files of a killed process that had our number
#define TEXT_BYTES 8192

// A temporary file that nobody has written to for so long, or locked, belongs to nobody.
#define ABANDONED_SECONDS 600

// In all about 5 s.
#define TAKEN_WAITS 100
#define TAKEN_WAIT_NS 40000000
#define TAKEN_PACE_NS 1000000
#define TAKEN_PACES 17

Result file_refused(const char *path, const char *what, int reason)
{
    return result_error(reason == ENAMETOOLONG ? RESULT_USAGE : RESULT_FAILED, "%.200s: %s: %s", path, what,
                        strerror(reason));
}

static Result write_error(const char *path, int reason)
{
    return file_refused(path, "cannot write", reason);
}

static Result target_resolve(const char *path, FileTarget *target)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (!*path || strlen(path) >= sizeof target->path)
        return write_error(path, *path ? ENAMETOOLONG : ENOENT);
    strcpy(target->path, path);
    strcpy(target->final, path);
    target->temporary[0] = '\0';
    target->standard = strcmp(path, "-") == 0;
    if (exists && !target->standard && !S_ISREG(status.st_mode))
        return result_error(RESULT_USAGE, "%s: is %s, not a file (- is standard output)", path,
                            file_kind_name(status.st_mode));

    struct stat link;
    bool linked = !target->standard && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    if (!linked || realpath(path, target->final)) return result_ok();
    if (errno != ENOENT) return write_error(path, errno);
    return result_error(RESULT_USAGE, "%s: is a link to nothing, not a file", path);
}

// --- temporary files, for a signal that ends the process ---

#define LISTED_MAX 16

static struct Listed {
    atomic_bool used, complete;
    char path[PATH_MAX + 32];
} listed[LISTED_MAX];

static void list_temporary(const char *path)
{
    for (int k = 0; k < LISTED_MAX; k++) {
        if (atomic_exchange(&listed[k].used, true)) continue;
        strcpy(listed[k].path, path);
        atomic_store(&listed[k].complete, true);
        return;
    }
}

static void unlist_temporary(const char *path)
{
    for (int k = 0; k < LISTED_MAX; k++) {
        if (!atomic_load(&listed[k].complete) || strcmp(listed[k].path, path) != 0) continue;
        atomic_store(&listed[k].complete, false);
        atomic_store(&listed[k].used, false);
        return;
    }
}

void file_targets_remove(void)
{
    for (int k = 0; k < LISTED_MAX; k++) {
        if (atomic_load(&listed[k].complete)) unlink(listed[k].path);
    }
}

// --- names ---

const char *file_path_split(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(folder, path, length);
    strcpy(folder + length, slash ? (length == 0 ? "/" : "") : ".");
    return slash ? slash + 1 : path;
}

// A rename is on the disk when the folder is. File systems that cannot flush a folder, and folders that may
// not be read, do without. Returns errno, 0 if nothing went wrong.
static int flush_folder(const char *path)
{
    char folder[PATH_MAX];
    file_path_split(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno == EACCES ? 0 : errno;
    int error = fsync(fd) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
    close(fd);
    return error;
}

// The process in the name FINAL.PROCESS-ATTEMPT.tmp of a temporary file, 0 for other names. *length: of
// FINAL.
static long process_of(const char *entry, size_t *length)
{
    const char *at = entry + strlen(entry);
    for (int dots = 0; at > entry && dots < 2; dots += *at == '.') at--;
    long process;
    int attempt, end = 0;
    *length = (size_t)(at - entry);
    if (sscanf(at, ".%ld-%d.tmp%n", &process, &attempt, &end) != 2) return 0;
    return end > 0 && at[end] == '\0' ? process : 0;
}

// Also of one that waits to be reaped, which nobody may ever do: containers often run without an init.
static bool is_gone(long process)
{
    if (kill((pid_t)process, 0) != 0) return errno == ESRCH;
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    if (file) fclose(file);
    return state == 'Z' || state == 'X';
}

static bool is_locked(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    return locked;
}

// Another process may have the number now: after a restart, or in a container, where numbers are always the
// same.
static bool is_abandoned(int folder, const char *entry)
{
    struct stat info;
    return fstatat(folder, entry, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           info.st_mtime < time(NULL) - ABANDONED_SECONDS && !is_locked(folder, entry);
}

bool file_target_is_stale(int folder, const char *entry, size_t *length)
{
    long process = process_of(entry, length);
    return process > 0 && (is_gone(process) || is_abandoned(folder, entry));
}

void file_target_remove_stale(const char *path)
{
    FileTarget target;
    Result result = target_resolve(path, &target);
    if (!result_is_ok(&result) || target.standard) return;
    char folder[PATH_MAX];
    const char *name = file_path_split(target.final, folder);
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t length;
        if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
            file_target_is_stale(dirfd(entries), entry->d_name, &length) && length == strlen(name))
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    closedir(entries);
}

// Locks the temporary file. Does another process hold such a lock?
static bool is_taken(const FileTarget *target, int fd)
{
    char folder[PATH_MAX], own[PATH_MAX];
    // Others lock it for a moment as they look.
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    const char *own_name = file_path_split(target->temporary, own),
               *name = file_path_split(target->final, folder);
    DIR *entries = opendir(folder);
    if (!entries) return false;
    bool taken = false;
    for (struct dirent *entry; !taken && (entry = readdir(entries));) {
        size_t length;
        taken = process_of(entry->d_name, &length) > 0 && length == strlen(name) &&
                strncmp(entry->d_name, name, length) == 0 && strcmp(entry->d_name, own_name) != 0 &&
                is_locked(dirfd(entries), entry->d_name);
    }
    taken = taken || is_locked(dirfd(entries), name); // last: the other one may just have got its name
    closedir(entries);
    return taken;
}

bool file_target_take(const FileTarget *target, int fd)
{
    if (target->standard) return true;
    // Two that begin at the same time, and see each other, let go at different paces: one finds the other
    // gone.
    long pace = TAKEN_WAIT_NS + TAKEN_PACE_NS * (getpid() % TAKEN_PACES);
    for (int wait = 0; wait < TAKEN_WAITS; wait++) {
        if (!is_taken(target, fd)) return true;
        flock(fd, LOCK_UN);
        nanosleep(&(struct timespec){.tv_nsec = pace}, NULL);
    }
    return false;
}

static void name_temporary(FileTarget *target, int attempt)
{
    snprintf(target->temporary, sizeof target->temporary, "%s.%ld-%d.tmp", target->final, (long)getpid(),
             attempt);
}

// Returns errno, 0 if nothing went wrong.
static int open_temporary(FileTarget *target, int *fd)
{
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        name_temporary(target, attempt);
        *fd = open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*fd >= 0) {
            list_temporary(target->temporary);
            return 0;
        }
        if (errno != EEXIST) break;
    }
    return errno;
}

Result file_target_open(const char *path, FileTarget *target, int *fd)
{
    TRY(target_resolve(path, target));
    int error = 0;
    if (!target->standard)
        error = open_temporary(target, fd);
    else if ((*fd = dup(STDOUT_FILENO)) < 0)
        error = errno;
    return error ? write_error(path, error) : result_ok();
}

Result file_target_commit(const FileTarget *target)
{
    if (target->standard) return result_ok();
    if (rename(target->temporary, target->final) == 0) {
        unlist_temporary(target->temporary);
        int error = flush_folder(target->final);
        return error ? write_error(target->path, error) : result_ok();
    }
    int reason = errno;
    file_target_discard(target);
    return write_error(target->path, reason);
}

void file_target_discard(const FileTarget *target)
{
    if (target->standard) return;
    unlink(target->temporary);
    unlist_temporary(target->temporary);
}

bool file_target_link(const char *from, const char *path)
{
    FileTarget target;
    Result result = target_resolve(path, &target);
    if (!result_is_ok(&result) || target.standard) return false;
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        name_temporary(&target, attempt);
        if (link(from, target.temporary) == 0) break;
        if (errno != EEXIST || attempt + 1 == TEMPORARY_ATTEMPTS) return false;
    }
    bool done = rename(target.temporary, target.final) == 0;
    unlink(target.temporary); // stays where both are the same file already
    return done;
}

// *error: errno, 0 if nothing went wrong.
static Result probe(const char *path, int *error)
{
    FileTarget target;
    int fd;
    *error = 0;
    file_target_remove_stale(path);
    TRY(target_resolve(path, &target));
    if (target.standard) return result_ok();
    *error = open_temporary(&target, &fd);
    if (*error) return result_ok();
    close(fd);
    file_target_discard(&target);
    return result_ok();
}

Result file_target_probe(const char *path)
{
    int error;
    TRY(probe(path, &error));
    if (error == ENOENT || error == ENOTDIR)
        return result_error(RESULT_USAGE, "%s: cannot write: its folder is missing", path);
    return error ? write_error(path, error) : result_ok();
}

Result file_folder_probe(const char *folder)
{
    char path[PATH_MAX + 16];
    int error;
    snprintf(path, sizeof path, "%s/probe", folder);
    TRY(probe(path, &error));
    return error ? write_error(folder, error) : result_ok();
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

static void encode_group(const uint8_t in[3], uint8_t out[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out[0] = (uint8_t)digits[in[0] >> 2];
    out[1] = (uint8_t)digits[(in[0] << 4 | in[1] >> 4) & 63];
    out[2] = (uint8_t)digits[(in[1] << 2 | in[2] >> 6) & 63];
    out[3] = (uint8_t)digits[in[2] & 63];
}

static uint8_t *room_for_group(FileWriter *writer)
{
    if (writer->used + 4 > BUFFER_BYTES) flush_buffer(writer);
    writer->used += 4;
    return writer->buffer + writer->used - 4;
}

static void write_encoded(FileWriter *writer, const uint8_t *data, size_t bytes)
{
    for (; bytes > 0 && writer->waiting_count > 0 && writer->waiting_count < 3; bytes--)
        writer->waiting[writer->waiting_count++] = *data++;
    if (writer->waiting_count == 3) {
        encode_group(writer->waiting, room_for_group(writer));
        writer->waiting_count = 0;
    }
    for (; bytes >= 3; data += 3, bytes -= 3) encode_group(data, room_for_group(writer));
    for (; bytes > 0; bytes--) writer->waiting[writer->waiting_count++] = *data++;
}

void file_writer_begin_base64(FileWriter *writer)
{
    writer->base64 = true;
}

void file_writer_end_base64(FileWriter *writer)
{
    uint32_t count = writer->waiting_count;
    writer->base64 = false;
    writer->waiting_count = 0;
    if (count == 0) return;
    memset(writer->waiting + count, 0, 3 - count);
    uint8_t *group = room_for_group(writer);
    encode_group(writer->waiting, group);
    memset(group + count + 1, '=', 3 - count);
}

void file_writer_write(FileWriter *writer, const void *data, size_t bytes)
{
    if (bytes == 0) return; // data may be NULL then, which memcpy does not take
    if (writer->base64) {
        write_encoded(writer, data, bytes);
        return;
    }
    if (writer->used + bytes > BUFFER_BYTES) flush_buffer(writer);
    if (bytes > BUFFER_BYTES) {
        write_through(writer, data, bytes);
        return;
    }
    memcpy(writer->buffer + writer->used, data, bytes);
    writer->used += bytes;
}

void file_writer_rewrite(FileWriter *writer, uint64_t offset, const void *data, size_t bytes)
{
    flush_buffer(writer);
    if (writer->error) return;
    ssize_t written = pwrite(writer->fd, data, bytes, (off_t)offset);
    if (written != (ssize_t)bytes) writer->error = written < 0 ? errno : EIO;
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

// Standard output may be a pipe, which cannot be synchronized, which is not an error.
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

void file_writer_print_json(FileWriter *writer, const char *text)
{
    file_writer_write(writer, "\"", 1);
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20)
            file_writer_print(writer, "\\u%04x", (unsigned)*text);
        else
            file_writer_print(writer, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    }
    file_writer_write(writer, "\"", 1);
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
