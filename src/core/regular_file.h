// Input files, opened without blocking: a named pipe without a writer, or an endless device, is not accepted.
#ifndef PBF_CORE_REGULAR_FILE_H
#define PBF_CORE_REGULAR_FILE_H

#include "core/result.h"

#include <stdio.h>
#include <sys/stat.h>

// Opens a regular file for reading; symbolic links are followed. label: what messages call it. Errors:
// RESULT_USAGE "LABEL: why"; RESULT_FAILED where the disk or the process is at fault.
Result regular_file_open(const char *path, const char *label, int *descriptor);

// As regular_file_open, but gives a stream; close it with fclose.
Result regular_file_open_stream(const char *path, const char *label, FILE **stream);

// What kind of file a file that is not regular is, from its st_mode: "a folder", "a named pipe", "a socket",
// "a device".
const char *file_kind_name(mode_t mode);

#endif
