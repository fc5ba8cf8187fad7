// Limits that containers, systemd and batch systems set on this process: Linux control groups, versions 1
// and 2.
#ifndef PBF_CORE_CONTROL_GROUP_H
#define PBF_CORE_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_GROUP_PATH 4096 // bytes

// Measures what a group allows, by the files in its folder; UINT64_MAX without a limit.
typedef uint64_t GroupMeasure(const char *folder);

// The least that the groups of this process allow, from its own up to the root. controller: "memory", "cpu",
// as version 1 calls it. UINT64_MAX without a limit.
uint64_t control_groups_least(const char *controller, GroupMeasure *measure);

// The number that a file in a folder begins with; false without one ("max" in version 2: no limit).
bool control_group_number(const char *folder, const char *name, uint64_t *out);

#endif
