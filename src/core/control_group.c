#include "core/control_group.h"

#include <stdio.h>
#include <string.h>

bool control_group_number(const char *folder, const char *name, uint64_t *out)
{
    char path[CONTROL_GROUP_PATH + 64];
    unsigned long long number;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool found = fscanf(file, "%llu", &number) == 1;
    fclose(file);
    *out = number;
    return found;
}

// The groups around a group limit it too. In a container the path may be the one seen from outside: then only
// the last folder, where the groups are mounted, exists.
static uint64_t least_up_from(const char *mount, const char *group, GroupMeasure *measure)
{
    char folder[CONTROL_GROUP_PATH];
    uint64_t least = UINT64_MAX;
    size_t length = strlen(mount);
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        uint64_t here = measure(folder);
        if (here < least) least = here;
        char *slash = strrchr(folder + length, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

// Is the controller in a list like "cpu,cpuacct"?
static bool is_listed(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (const char *at = list; (at = strstr(at, controller)); at += length) {
        bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}

// Lines are "number:controllers:/path"; version 2 has no controllers.
uint64_t control_groups_least(const char *controller, GroupMeasure *measure)
{
    char line[CONTROL_GROUP_PATH], mount[64];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return least;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        controllers++;
        if (*controllers && !is_listed(controllers, controller)) continue;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup%s%s", *controllers ? "/" : "",
                 *controllers ? controller : "");
        uint64_t here = least_up_from(mount, path, measure);
        if (here < least) least = here;
    }
    fclose(file);
    return least;
}
