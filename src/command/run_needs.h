// Memory, disk and files that a run will need, known before it starts.
#ifndef PBF_COMMAND_RUN_NEEDS_H
#define PBF_COMMAND_RUN_NEEDS_H

#include "command/options.h"
#include "command/run_cost.h"

typedef struct RunNeeds {
    uint64_t particles;       // at the end, if none is removed
    uint64_t memory;          // bytes at the peak, at least
    uint64_t memory_most;     // likewise, if none is removed
    uint64_t memory_free;     // bytes available
    uint64_t disk, disk_free; // bytes of all files, at least; 0 and 0 without a folder
    uint64_t disk_expected;   // bytes of all files, within a factor of two
} RunNeeds;

// Estimates the needs of frames first .. frames - 1. Errors: those of scene_count; RESULT_USAGE if
// photographs need a picture of the sky that is not one.
Result run_needs(const Options *options, const SceneDef *scene, uint32_t first, uint32_t frames,
                 RunNeeds *out);

// Compares needs and machine. Errors, with both numbers: RESULT_FAILED if the disk cannot hold what the run
// will surely write, RESULT_NO_MEMORY likewise for memory.
Result run_needs_check(const Options *options, const RunNeeds *needs);

// Prints "12.3 MB if nothing drains away, 0.8 MB at least", or one number where both are the same.
void run_memory_print(uint64_t most, uint64_t certain);

// Writes one line about strands that are thicker than the spacing. Returns whether there are any.
bool run_strands_too_thick(const SceneDef *scene, char *text, size_t size);

// Writes one line about surface tension that asks for shorter steps than there may be. Returns whether it
// does.
bool run_tension_too_weak(const SceneDef *scene, char *text, size_t size);

// Prints the lines of --dry-run, on standard output.
void run_needs_print(const Options *options, const SceneDef *scene, const RunNeeds *needs,
                     const RunCost *cost, uint32_t first, uint32_t frames);

#endif
