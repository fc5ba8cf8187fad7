// A search with a balanced k-d tree. One walk per bucket collects the buckets within the radius of its box.
// Indifferent to how points are spread or ordered, and good for any radius, but building it takes longer than
// a whole search with cells.
#include "neighbor/reference/kd_points.h"
#include "neighbor/reference/reference.h"

// Points in a bucket at most. Fewer make more nodes and walks, more make more candidates.
#define BUCKET 32u

static Result build(void *state, const PointSet *points)
{
    return kd_points_build(state, points, BUCKET);
}

// Whether points of two boxes can be within the radius; never wrong about points that are, because every
// operation is monotonic.
static inline bool boxes_meet(const PointBox *a, const PointBox *b, float radius_squared)
{
    float gap[3];
    for (int axis = 0; axis < 3; axis++) {
        float below = a->lo[axis] - b->hi[axis], above = b->lo[axis] - a->hi[axis];
        float apart = below > above ? below : above;
        gap[axis] = apart > 0.0f ? apart : 0.0f;
    }
    return within(gap[0], gap[1], gap[2], radius_squared);
}

// Packs the candidates of bucket `number`. Returns the position of its own first point in the list.
static uint32_t pack(const KdPoints *tree, uint32_t number, RowWriter *writer)
{
    uint32_t stack[2 * KD_LEVELS_MAX], depth = 0, leaves = 1u << tree->levels, own = 0;
    uint32_t begin = 0, end = 0; // buckets that follow each other are appended in one piece
    const PointStreams points = kd_streams(tree);
    const PointBox *bucket = &tree->box[leaves + number];
    row_list_start(writer);
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (!boxes_meet(bucket, &tree->box[node], writer->radius_squared)) continue;
        if (node < leaves) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t first = kd_first(tree, tree->levels, node - leaves);
        if (first != end) {
            row_list_append(writer, &points, begin, end); // nothing at first
            begin = first;
        }
        end = kd_first(tree, tree->levels, node - leaves + 1);
        if (node - leaves == number) own = writer->list.count + first - begin;
    }
    row_list_append(writer, &points, begin, end);
    return own;
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const KdPoints *tree = state;
    const PointStreams points = kd_streams(tree);
    uint32_t number = (uint32_t)(((uint64_t)begin << tree->levels) / tree->count); // or one before
    while (kd_first(tree, tree->levels, number + 1) <= begin) number++;
    for (; begin < end && !writer->failed; number++) {
        uint32_t first = kd_first(tree, tree->levels, number),
                 last = kd_first(tree, tree->levels, number + 1);
        if (last > end) last = end;
        uint32_t own = pack(tree, number, writer);
        rows_filter(writer, &points, begin, last, own + begin - first);
        begin = last;
    }
}

static void release(void *state)
{
    kd_points_free(state);
}

static MethodBytes bytes(const void *state)
{
    const KdPoints *tree = state;
    return (MethodBytes){.total = kd_points_bytes(tree), .per_point = kd_points_bytes_per_point(tree)};
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const KdPoints *tree = state;
    uint32_t leaves = 1u << tree->levels;
    for (uint32_t number = 0; number < leaves; number++) {
        const PointBox *box = &tree->box[leaves + number];
        uint32_t first = kd_first(tree, tree->levels, number), end = kd_first(tree, tree->levels, number + 1);
        TRY(neighbor_box_add(boxes, box->lo, box->hi, end - first, 0));
    }
    return result_ok();
}

const NeighborMethod neighbor_kd_tree = {
    .name = "kd_tree",
    .summary = "a balanced k-d tree; indifferent to how points are spread, slow to build",
    .state_bytes = sizeof(KdPoints),
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
