// Runs (run-length encoding by cell): points that are next to each other in memory and lie in one cell. Water
// that is kept sorted has about one run a cell, so a structure over runs instead of points has fifteen times
// fewer entries; points in random order make runs of one, which only loses the advantage.
#ifndef PBF_NEIGHBOR_CELL_RUNS_H
#define PBF_NEIGHBOR_CELL_RUNS_H

#include "neighbor/cell_frame.h"

typedef struct CellRuns {
    uint32_t count;
    uint64_t *key; // of each run's cell, if asked for
    bool keyed;
    uint32_t *first; // first point of each run, one entry more than runs
    size_t key_capacity, first_capacity, block_capacity;
    uint32_t *block; // scratch: runs that start in each block of points
} CellRuns;

// Finds the runs of `points` keys; keyed asks for runs->key. All zero before the first call. Uses
// parallel_for.
Result cell_runs_build(CellRuns *runs, const CellKeys *keys, uint32_t points, bool keyed);
void cell_runs_free(CellRuns *runs);
uint64_t cell_runs_bytes(const CellRuns *runs);

#endif
