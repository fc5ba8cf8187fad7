#include "core/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

const char *file_kind_name(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

// Another path would do, in contrast to a disk that fails or too many open files.
static bool is_callers_fault(int reason)
{
    return reason != EIO && reason != ENOMEM && reason != EMFILE && reason != ENFILE;
}

Result regular_file_open(const char *path, const char *label, int *descriptor)
{
    struct stat status;
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*descriptor < 0)
        return result_error(is_callers_fault(errno) ? RESULT_USAGE : RESULT_FAILED,
                            "%s: cannot be opened: %s", label, strerror(errno));
    if (fstat(*descriptor, &status) == 0 && S_ISREG(status.st_mode)) return result_ok();
    close(*descriptor);
    *descriptor = -1;
    return result_error(RESULT_USAGE, "%s: is %s, not a file", label, file_kind_name(status.st_mode));
}

Result regular_file_open_stream(const char *path, const char *label, FILE **stream)
{
    int descriptor;
    *stream = NULL;
    TRY(regular_file_open(path, label, &descriptor));
    if ((*stream = fdopen(descriptor, "rb"))) return result_ok();
    close(descriptor);
    return result_no_memory(label, BUFSIZ);
}
