#include "core/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_BYTES 4096

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return used < limit ? limit - used : 0;
}

// The number in a file; false without one ("max" in version 2: no limit).
static bool read_number(const char *folder, const char *name, uint64_t *out)
{
    char path[PATH_BYTES + 64];
    unsigned long long number;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool found = fscanf(file, "%llu", &number) == 1;
    fclose(file);
    *out = number;
    return found;
}

// The sum of the numbers behind two names, 0 for those that are not there.
static uint64_t sum_in_file(const char *path, const char *first, const char *second)
{
    char line[256], name[64];
    unsigned long long number;
    uint64_t sum = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s %llu", name, &number) != 2) continue;
        if (strcmp(name, first) == 0 || strcmp(name, second) == 0) sum += number;
    }
    fclose(file);
    return sum;
}

uint64_t memory_available_in_group(const char *folder)
{
    char stat[PATH_BYTES + 64];
    uint64_t limit, used;
    bool second = read_number(folder, "memory.max", &limit) && read_number(folder, "memory.current", &used);
    if (!second && !(read_number(folder, "memory.limit_in_bytes", &limit) &&
                     read_number(folder, "memory.usage_in_bytes", &used)))
        return UINT64_MAX;
    if (limit >= INT64_MAX / 2) return UINT64_MAX; // version 1 says so
    snprintf(stat, sizeof stat, "%s/memory.stat", folder);
    uint64_t files = second ? sum_in_file(stat, "inactive_file", "active_file")
                            : sum_in_file(stat, "total_inactive_file", "total_active_file");
    return left_of(limit, left_of(used, files));
}

// A group has no more than those that it is in. In a container the path may be that outside of it: then only
// the last of them, where the groups are mounted, is there.
static uint64_t available_up_from(const char *mount, const char *group)
{
    char folder[PATH_BYTES];
    uint64_t available = UINT64_MAX;
    size_t length = strlen(mount);
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        available = least(available, memory_available_in_group(folder));
        char *slash = strrchr(folder + length, '/');
        if (!slash) return available;
        *slash = '\0';
    }
}

// Lines are "number:controllers:/path"; version 2 has no controllers.
static uint64_t available_in_groups(void)
{
    char line[PATH_BYTES];
    uint64_t available = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    if (!file) return available;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        if (controllers[1] == '\0') available = least(available, available_up_from("/sys/fs/cgroup", path));
        if (strcmp(controllers + 1, "memory") == 0)
            available = least(available, available_up_from("/sys/fs/cgroup/memory", path));
    }
    fclose(file);
    return available;
}

static uint64_t available_addresses(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    uint64_t pages;
    if (!read_number("/proc/self", "statm", &pages)) pages = 0;
    return left_of(limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t memory_available(void)
{
    uint64_t kilobytes = sum_in_file("/proc/meminfo", "MemAvailable:", "");
    uint64_t machine = kilobytes > 0 ? 1024 * kilobytes : UINT64_MAX;
    return least(machine, least(available_in_groups(), available_addresses()));
}
