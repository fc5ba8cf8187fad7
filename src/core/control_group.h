// Limits that containers, systemd and batch systems set on this process: Linux control groups, versions 1
// and 2.
#ifndef PBF_CORE_CONTROL_GROUP_H
#define PBF_CORE_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_GROUP_PATH 4096 // bytes

// Reads what a group allows from the files in its folder; UINT64_MAX without a limit.
typedef uint64_t GroupMeasure(const char *folder);

// The tightest limit among the process's groups, from its own up to the root. controller: its name in version
// 1 ("memory", "cpu"). UINT64_MAX without a limit.
uint64_t control_groups_least(const char *controller, GroupMeasure *measure);

// Reads the number at the start of a file in a folder; false without one ("max" in version 2: no limit).
bool control_group_number(const char *folder, const char *name, uint64_t *out);

#endif
