// The parts of a path, as texts: nothing is looked up.
#ifndef PBF_CORE_PATH_H
#define PBF_CORE_PATH_H

#include <stdbool.h>

// What a file is called in its folder: what stands behind the last slash.
const char *path_name(const char *path);

// Where a path's last part says {} for the number of a file; NULL if it does not. Folders may have any names.
const char *path_number(const char *path);

// Length of a name without its suffix; a dot that it begins with begins none.
int path_stem(const char *name);

// Is the ending (".ply") there, with something before it?
bool path_has_ending(const char *path, const char *ending);

#endif
