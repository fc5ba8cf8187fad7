// What a run will need of memory, disk and files, and what it will not do as asked, known before it starts.
#ifndef PBF_COMMAND_RUN_NEEDS_H
#define PBF_COMMAND_RUN_NEEDS_H

#include "command/options.h"
#include "command/run_cost.h"

typedef struct RunNeeds {
    uint64_t initial;         // particles at the start
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

#define RUN_WARNING_BYTES 200

// Writes one line about the next thing, from number *k on, that a run will not do as the scene asks: thick
// strands, surface tension beyond its steps, no water, more of it than the tank holds, bodies at a periodic
// side. *k goes on behind it. Returns false where there is nothing further.
bool run_warning(const SceneDef *scene, const RunNeeds *needs, uint32_t *k, char text[RUN_WARNING_BYTES]);

// Prints the lines of --dry-run, on standard output.
void run_needs_print(const Options *options, const SceneDef *scene, const RunNeeds *needs,
                     const RunCost *cost, uint32_t first, uint32_t frames);

#endif
