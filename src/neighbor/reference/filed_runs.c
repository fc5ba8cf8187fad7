#include "neighbor/reference/filed_runs.h"

#include "core/sort.h"

Result filed_runs_build(FiledRuns *filed, const PointSet *points)
{
    filed->frame = cell_frame(points);
    filed->points = (PointStreams){points->x, points->y, points->z, NULL};
    CellKeys keys = {&filed->frame, points, points->keys};
    return cell_runs_build(&filed->runs, &keys, points->count, false);
}

MethodBytes filed_runs_bytes(const FiledRuns *filed)
{
    uint64_t bytes = cell_runs_bytes(&filed->runs);
    return (MethodBytes){.total = bytes, .per_point = bytes};
}

static CellPlace cell_of_key(const CellFrame *frame, uint64_t key)
{
    uint64_t row = key / frame->size[0];
    return (CellPlace){(uint32_t)(key % frame->size[0]), (uint32_t)(row % frame->size[1]),
                       (uint32_t)(row / frame->size[1])};
}

static Result add_boxes(const FiledRuns *filed, SortBuffers *sort, NeighborBoxes *boxes)
{
    const CellRuns *runs = &filed->runs;
    const uint32_t *order;
    TRY(sort_buffers_reserve(sort, runs->count));
    for (uint32_t run = 0; run < runs->count; run++)
        sort->keys[0][run] = cell_key(&filed->frame, filed_runs_cell(filed, run));
    sort_order(sort, runs->count, &order);
    const uint64_t *keys = sort->keys[0];
    for (uint32_t k = 0, end; k < runs->count; k = end) {
        uint32_t points = 0;
        for (end = k; end < runs->count && keys[end] == keys[k]; end++)
            points += runs->first[order[end] + 1] - runs->first[order[end]];
        TRY(cell_box_add(boxes, &filed->frame, cell_of_key(&filed->frame, keys[k]), 0, points, 0));
    }
    return result_ok();
}

Result filed_runs_boxes(const FiledRuns *filed, NeighborBoxes *boxes)
{
    SortBuffers sort = {0};
    Result result = add_boxes(filed, &sort, boxes);
    sort_buffers_free(&sort);
    return result;
}

// The run that point `place` is in.
static uint32_t run_of(const CellRuns *runs, uint32_t place)
{
    uint32_t low = 0, high = runs->count; // first[low] <= place < first[high]
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (runs->first[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void filed_runs_find(const FiledRuns *filed, uint32_t begin, uint32_t end, RowWriter *writer, RunPack *pack,
                     void *walk)
{
    for (uint32_t run = run_of(&filed->runs, begin); begin < end && !writer->failed; run++) {
        uint32_t first = filed->runs.first[run], last = filed->runs.first[run + 1];
        if (last > end) last = end;
        uint32_t own = pack(walk, run, filed_runs_cell(filed, run), writer);
        rows_filter(writer, &filed->points, begin, last, own + begin - first);
        begin = last;
    }
}
