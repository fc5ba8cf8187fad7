#include "core/memory.h"

#include "core/control_group.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return used < limit ? limit - used : 0;
}

// Sum of the numbers that follow two names; a missing name counts 0.
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
    char stat[CONTROL_GROUP_PATH + 64];
    uint64_t limit, used;
    bool second = control_group_number(folder, "memory.max", &limit) &&
                  control_group_number(folder, "memory.current", &used);
    if (!second && !(control_group_number(folder, "memory.limit_in_bytes", &limit) &&
                     control_group_number(folder, "memory.usage_in_bytes", &used)))
        return UINT64_MAX;
    if (limit >= INT64_MAX / 2) return UINT64_MAX; // how version 1 writes "unlimited"
    snprintf(stat, sizeof stat, "%s/memory.stat", folder);
    uint64_t files = second ? sum_in_file(stat, "inactive_file", "active_file")
                            : sum_in_file(stat, "total_inactive_file", "total_active_file");
    return left_of(limit, left_of(used, files));
}

uint64_t memory_addresses_left(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    uint64_t pages;
    if (!control_group_number("/proc/self", "statm", &pages)) pages = 0;
    return left_of(limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t memory_available(void)
{
    uint64_t kilobytes = sum_in_file("/proc/meminfo", "MemAvailable:", "");
    uint64_t machine = kilobytes > 0 ? 1024 * kilobytes : UINT64_MAX;
    return least(machine,
                 least(control_groups_least("memory", memory_available_in_group), memory_addresses_left()));
}
