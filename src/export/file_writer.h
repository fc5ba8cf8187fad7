// One file on its way to the disk: bytes go to a temporary name beside the final one; committing flushes them
// to the disk and renames. A write error is remembered and reported once, at the commit.
#ifndef PBF_EXPORT_FILE_WRITER_H
#define PBF_EXPORT_FILE_WRITER_H

#include "core/result.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The folder that a path is in ("." and "/" where it names none), and what it is called there: a part of
// path, which is shorter than PATH_MAX.
const char *file_path_split(const char *path, char folder[PATH_MAX]);

// What the system refused to do with a path: RESULT_USAGE for one that is too long, which may be shortened in
// the message, else RESULT_FAILED. reason: as of errno.
Result file_refused(const char *path, const char *what, int reason);

// Where a file's bytes go until they are complete.
typedef struct FileTarget {
    char path[PATH_MAX];           // as the user wrote it, for messages
    char final[PATH_MAX];          // with symbolic links followed, so that the rename keeps the link
    char temporary[PATH_MAX + 32]; // in the same folder
    bool standard;                 // "-": standard output, written in place
} FileTarget;

// Works out the names ("-" is standard output) and creates the empty temporary file, unless it is standard
// output. *fd receives it, open for writing. Errors: RESULT_FAILED naming the path and the reason;
// RESULT_USAGE for a folder, a pipe, a device, a link to nothing or a name that is too long.
Result file_target_open(const char *path, FileTarget *target, int *fd);

// Gives the complete temporary file its final name, for good: the folder is flushed, too. On failure the
// temporary file is removed.
Result file_target_commit(const FileTarget *target);

// Removes the temporary file.
void file_target_discard(const FileTarget *target);

// Removes all temporary files that this process has made and not committed. May be called by a handler of
// signals that end the process.
void file_targets_remove(void);

// Locks the temporary file for as long as fd, or a copy of it, is open, also under its final name. False if
// another process holds such a lock on the final file or on a temporary one of its own, and still does after
// five seconds: one that was just killed holds it until the system has taken it down. Disks without locks do
// without.
bool file_target_take(const FileTarget *target, int fd);

// Is the entry of an open folder a temporary file that a killed process left? *length is then that of the
// final name, which it begins with.
bool file_target_is_stale(int folder, const char *entry, size_t *length);

// Removes temporary files of this path that killed processes left.
void file_target_remove_stale(const char *path);

// Gives the file `from`, which is complete, the name `path` as well: it takes no room again, and whichever of
// the two is replaced later leaves the other as it is. False, with nothing changed, where that cannot be
// done: a disk without such names, a file that is gone.
bool file_target_link(const char *from, const char *path);

// Proves that a file of that name can be made, by making a temporary one: permission bits do not tell (root,
// read-only disks). Leaves nothing behind, nor what processes left that were killed while they wrote it.
// Errors: as of file_target_open, RESULT_USAGE also where its folder is not there.
Result file_target_probe(const char *path);

// Proves likewise that files can be made in a folder, which errors name.
Result file_folder_probe(const char *folder);

typedef struct FileWriter {
    FileTarget target;
    int fd;
    int error; // errno of the first failed write, 0 if none
    uint8_t *buffer;
    size_t used;
    bool base64;        // bytes are encoded
    uint8_t waiting[3]; // for the rest of their group
    uint32_t waiting_count;
} FileWriter;

// Starts a file. Errors: those of file_target_open, RESULT_NO_MEMORY. End with file_writer_commit or
// file_writer_discard.
Result file_writer_open(const char *path, FileWriter *out);

// Adds bytes; after a failed write it does nothing. data may be NULL if bytes is 0.
void file_writer_write(FileWriter *writer, const void *data, size_t bytes);

// Replaces bytes that were written before, at an offset from the file's beginning.
void file_writer_rewrite(FileWriter *writer, uint64_t offset, const void *data, size_t bytes);

// Adds printf-style text of at most 8191 bytes; numbers are as in the C locale.
void file_writer_print(FileWriter *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Bytes that are written between the two calls stand in the file in base64 (RFC 4648), filled up with '='.
void file_writer_begin_base64(FileWriter *writer);
void file_writer_end_base64(FileWriter *writer);

// Adds text as a JSON string, in quotes.
void file_writer_print_json(FileWriter *writer, const char *text);

// Flushes, closes, renames. After an error nothing is left of the file, and an older file of that name is as
// it was.
Result file_writer_commit(FileWriter *writer);

// Closes and removes an unfinished file.
void file_writer_discard(FileWriter *writer);

#endif
