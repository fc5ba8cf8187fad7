// What those that write files share.
#ifndef PBF_LIBRARY_FILES_H
#define PBF_LIBRARY_FILES_H

#include "core/result.h"
#include "export/geometry.h"

// The axis that points up, "y" or "z"; NULL: the format's. Error: RESULT_USAGE.
Result files_find_axis(const char *up, UpAxis *out);

// Checks that it is the name of a file. Error: RESULT_USAGE.
Result files_check_path(const char *path);

#endif
