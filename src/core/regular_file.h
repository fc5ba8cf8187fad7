// Input files, opened without waiting: a named pipe that nobody writes to, or a device without an end, is not
// a file.
#ifndef PBF_CORE_REGULAR_FILE_H
#define PBF_CORE_REGULAR_FILE_H

#include "core/result.h"

#include <stdio.h>
#include <sys/stat.h>

// Opens a regular file for reading; symbolic links are followed. label: what messages call it. Errors:
// RESULT_USAGE "LABEL: why".
Result regular_file_open(const char *path, const char *label, int *descriptor);

// The same as a stream, to be closed with fclose.
Result regular_file_open_stream(const char *path, const char *label, FILE **stream);

// Words for a file that is not a regular one, from its st_mode: "a folder", "a named pipe", "a socket",
// "a device".
const char *file_kind_name(mode_t mode);

#endif
