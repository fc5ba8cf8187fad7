// Runs: points that are next to each other in memory and lie in one cell. Water that is kept sorted has about
// one run a cell, so a structure that files runs instead of points is built over fifteen times fewer things;
// points in random order make runs of one, and nothing is lost but the advantage.
#ifndef PBF_NEIGHBOR_CELL_RUNS_H
#define PBF_NEIGHBOR_CELL_RUNS_H

#include "neighbor/cell_frame.h"

typedef struct CellRuns {
    uint32_t count;
    uint64_t *key;   // of each run's cell
    uint32_t *first; // first point of each run, one entry more than runs
    size_t key_capacity, first_capacity, block_capacity;
    uint32_t *block; // scratch: runs that start in each block of points
} CellRuns;

// Finds the runs of `points` keys. All zero before the first call. Uses parallel_for.
Result cell_runs_build(CellRuns *runs, const CellKeys *keys, uint32_t points);
void cell_runs_free(CellRuns *runs);
uint64_t cell_runs_bytes(const CellRuns *runs);

// The run that point `place` is in.
uint32_t cell_runs_of(const CellRuns *runs, uint32_t place);

// Packs runs into writer->list, those that follow each other in memory in one piece.
typedef struct RunPacker {
    RowWriter *writer;
    const CellRuns *runs;
    const PointSet *points;
    uint32_t begin, end; // points that are not appended yet
} RunPacker;

// Adds a run. Returns the position in the list that its first point is going to have.
static inline uint32_t run_pack(RunPacker *packer, uint32_t run)
{
    uint32_t first = packer->runs->first[run], end = packer->runs->first[run + 1];
    const PointSet *points = packer->points;
    if (first != packer->end) {
        if (packer->begin < packer->end)
            row_list_append(packer->writer, points->x, points->y, points->z, NULL, packer->begin,
                            packer->end);
        packer->begin = first;
    }
    packer->end = end;
    return packer->writer->list.count + first - packer->begin;
}

static inline void run_pack_finish(RunPacker *packer)
{
    const PointSet *points = packer->points;
    if (packer->begin < packer->end)
        row_list_append(packer->writer, points->x, points->y, points->z, NULL, packer->begin, packer->end);
}

#endif
