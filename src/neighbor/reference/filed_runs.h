// Points of one cell that follow each other in memory, filed as one: what the searches of this folder put
// into tables and trees instead of single points. Water that is kept sorted has about one run a cell.
#ifndef PBF_NEIGHBOR_REFERENCE_FILED_RUNS_H
#define PBF_NEIGHBOR_REFERENCE_FILED_RUNS_H

#include "neighbor/cell_runs.h"
#include "neighbor/reference/reference.h"

typedef struct FiledRuns {
    CellFrame frame;
    PointStreams points; // in the order of cells
    CellRuns runs;
} FiledRuns;

// Finds the runs of the points. All zero before the first call; free `runs`. Uses parallel_for.
Result filed_runs_build(FiledRuns *filed, const PointSet *points);
MethodBytes filed_runs_bytes(const FiledRuns *filed);

// Appends one box for each cell that holds runs.
Result filed_runs_boxes(const FiledRuns *filed, NeighborBoxes *boxes);

// The cell of a run.
static inline CellPlace filed_runs_cell(const FiledRuns *filed, uint32_t run)
{
    uint32_t place = filed->runs.first[run];
    return cell_at(&filed->frame, filed->points.x[place], filed->points.y[place], filed->points.z[place]);
}

// Fills writer->list with the candidates of a run, whose cell is `at`. Returns the position of the run's
// first point in the list. Called for runs in ascending order; walk is what the method keeps between calls.
typedef uint32_t RunPack(void *walk, uint32_t run, CellPlace at, RowWriter *writer);

// Writes rows begin..end-1.
void filed_runs_find(const FiledRuns *filed, uint32_t begin, uint32_t end, RowWriter *writer, RunPack *pack,
                     void *walk);

// Appends runs to writer->list, those that follow each other in memory in one piece.
typedef struct RunPacker {
    RowWriter *writer;
    const FiledRuns *filed;
    uint32_t begin, end; // places that are not appended yet
} RunPacker;

static inline void run_pack_finish(RunPacker *packer)
{
    if (packer->begin < packer->end)
        row_list_append(packer->writer, &packer->filed->points, packer->begin, packer->end);
}

// Adds a run. Returns the position in the list that its first point is going to have.
static inline uint32_t run_pack(RunPacker *packer, uint32_t run)
{
    uint32_t first = packer->filed->runs.first[run], end = packer->filed->runs.first[run + 1];
    if (first != packer->end) {
        run_pack_finish(packer);
        packer->begin = first;
    }
    packer->end = end;
    return packer->writer->list.count + first - packer->begin;
}

// For searches that go from cell to cell and keep what they found in the 27 around, in the order of keys: if
// `to` is the next along x, moves what is known of its neighbors to where it belongs. Returns the first place
// along x, 0 to 2, of which nothing is known.
static inline uint32_t cell_step(CellPlace from, CellPlace to, uint32_t around[27])
{
    if (to.x != from.x + 1 || to.y != from.y || to.z != from.z) return 0;
    for (int k = 0; k < 27; k += 3) {
        around[k] = around[k + 1];
        around[k + 1] = around[k + 2];
    }
    return 2;
}

#endif
