#include "core/path.h"

#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_number(const char *path)
{
    return strstr(path_name(path), "{}");
}

int path_stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

bool path_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}
