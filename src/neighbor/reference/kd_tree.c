// A balanced k-d tree: median splits across the longer side down to buckets of a few points, with the exact
// box of the points below every node. One walk per bucket collects the buckets within the radius of its box.
// O(n log n) to build, depth log2(n / bucket) whatever the points are, because equal coordinates are told
// apart by index. Indifferent to how points are spread or ordered, and good for any radius, but building it
// takes longer than a whole search with cells.
#include "neighbor/reference/reference.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

// Points in a bucket at most. Fewer make more nodes and walks, more make more candidates.
#define BUCKET 32u
// Subtrees that are built in parallel.
#define SUBTREES_LOG2 7u
#define LEVELS_MAX 32u
#define COPY_BLOCK 16384u

typedef struct KdPoint {
    float at[3];
    uint32_t index;
} KdPoint;

// Nodes are numbered like a heap: 1 is the root, 2k and 2k+1 are the halves of k.
typedef struct KdTree {
    uint32_t count, levels; // splits between the root and a bucket
    KdPoint *point;         // in the order of the buckets
    float *stream;          // the same as x, y, z
    uint32_t *index;
    PointBox *box;
    size_t point_capacity, stream_capacity, index_capacity, box_capacity;
    PointSet points;
} KdTree;

// First point of node `number` (from 0) of a level; the end is the first of the next.
static uint32_t node_first(const KdTree *tree, uint32_t level, uint32_t number)
{
    return (uint32_t)(((uint64_t)tree->count * number) >> level);
}

static inline bool less(const KdPoint *a, const KdPoint *b, int axis)
{
    return (a->at[axis] < b->at[axis]) | ((a->at[axis] == b->at[axis]) & (a->index < b->index));
}

static inline void swap_points(KdPoint *a, KdPoint *b)
{
    KdPoint kept = *a;
    *a = *b;
    *b = kept;
}

// The middle of three random points goes to the front.
static void choose_pivot(KdPoint *points, uint32_t count, int axis, uint32_t *random)
{
    KdPoint *three[3];
    for (int k = 0; k < 3; k++) {
        *random = *random * 1664525u + 1013904223u;
        three[k] = &points[(uint64_t)*random * count >> 32];
    }
    KdPoint *low = three[0], *high = three[1], *middle = three[2];
    if (less(high, low, axis)) {
        low = three[1];
        high = three[0];
    }
    if (less(middle, low, axis))
        middle = low;
    else if (less(high, middle, axis))
        middle = high;
    swap_points(points, middle);
}

// Moves the `rank` smallest points to the front. Expected O(count): points are all different by index. The
// partition always swaps and lets the comparison move the border: without a branch to mispredict.
static void select_rank(KdPoint *points, uint32_t count, uint32_t rank, int axis)
{
    uint32_t begin = 0, end = count, random = count;
    while (end - begin > 1) {
        choose_pivot(points + begin, end - begin, axis, &random);
        KdPoint pivot = points[begin];
        uint32_t border = begin; // points begin+1 .. border are less than the pivot
        for (uint32_t k = begin + 1; k < end; k++) {
            KdPoint here = points[k];
            points[k] = points[border + 1];
            points[border + 1] = here;
            border += less(&here, &pivot, axis);
        }
        swap_points(&points[begin], &points[border]);
        if (border == rank) return;
        if (border < rank)
            begin = border + 1;
        else
            end = border;
    }
}

// Splits node `number` of a level; box is the part of space that is left to it.
static void split(KdTree *tree, uint32_t level, uint32_t number, const PointBox *box, PointBox halves[2])
{
    uint32_t first = node_first(tree, level, number), end = node_first(tree, level, number + 1);
    uint32_t middle = node_first(tree, level + 1, 2 * number + 1);
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (box->hi[k] - box->lo[k] > box->hi[axis] - box->lo[axis]) axis = k;
    }
    select_rank(tree->point + first, end - first, middle - first, axis);
    halves[0] = halves[1] = *box;
    halves[0].hi[axis] = halves[1].lo[axis] = tree->point[middle].at[axis];
}

// Points of a bucket by index, so that what a row finds in it ascends; and its exact box.
static void finish_bucket(KdTree *tree, uint32_t number)
{
    uint32_t first = node_first(tree, tree->levels, number), end = node_first(tree, tree->levels, number + 1);
    KdPoint *points = tree->point;
    PointBox *box = &tree->box[(1u << tree->levels) + number];
    memcpy(box->lo, points[first].at, sizeof box->lo);
    memcpy(box->hi, points[first].at, sizeof box->hi);
    for (uint32_t k = first; k < end; k++) {
        KdPoint here = points[k];
        uint32_t at = k;
        for (; at > first && points[at - 1].index > here.index; at--) points[at] = points[at - 1];
        points[at] = here;
        for (int axis = 0; axis < 3; axis++) {
            if (here.at[axis] < box->lo[axis]) box->lo[axis] = here.at[axis];
            if (here.at[axis] > box->hi[axis]) box->hi[axis] = here.at[axis];
        }
    }
}

static void join_boxes(KdTree *tree, uint32_t node)
{
    const PointBox *a = &tree->box[2 * node], *b = &tree->box[2 * node + 1];
    for (int axis = 0; axis < 3; axis++) {
        tree->box[node].lo[axis] = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis];
        tree->box[node].hi[axis] = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
    }
}

// Recursion: `levels` deep, 27 at most.
static void build_below(KdTree *tree, uint32_t level, uint32_t number, const PointBox *space)
{
    if (level == tree->levels) {
        finish_bucket(tree, number);
        return;
    }
    PointBox halves[2];
    split(tree, level, number, space, halves);
    build_below(tree, level + 1, 2 * number, &halves[0]);
    build_below(tree, level + 1, 2 * number + 1, &halves[1]);
    join_boxes(tree, (1u << level) + number);
}

typedef struct BuildJob {
    KdTree *tree;
    uint32_t level;
    PointBox space[2][1u << SUBTREES_LOG2]; // of the nodes of this level and of the next
} BuildJob;

static void split_nodes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    BuildJob *job = context;
    uint32_t level = job->level;
    for (uint32_t k = begin; k < end; k++)
        split(job->tree, level, k, &job->space[level % 2][k], &job->space[(level + 1) % 2][2 * k]);
}

static void build_subtrees(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    BuildJob *job = context;
    for (uint32_t k = begin; k < end; k++)
        build_below(job->tree, job->level, k, &job->space[job->level % 2][k]);
}

static void load_points(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    KdTree *tree = context;
    for (uint32_t i = begin; i < end; i++)
        tree->point[i] = (KdPoint){{tree->points.x[i], tree->points.y[i], tree->points.z[i]}, i};
}

static void store_points(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    KdTree *tree = context;
    size_t stride = tree->stream_capacity / 3;
    for (uint32_t k = begin; k < end; k++) {
        for (size_t axis = 0; axis < 3; axis++) tree->stream[axis * stride + k] = tree->point[k].at[axis];
        tree->index[k] = tree->point[k].index;
    }
}

static Result reserve(KdTree *tree)
{
    size_t count = tree->count, nodes = (size_t)2 << tree->levels;
    TRY(MEMORY_RESERVE(tree->point, tree->point_capacity, 0, count, "k-d tree"));
    TRY(MEMORY_RESERVE(tree->stream, tree->stream_capacity, 0, 3 * count, "k-d tree"));
    TRY(MEMORY_RESERVE(tree->index, tree->index_capacity, 0, count, "k-d tree"));
    return MEMORY_RESERVE(tree->box, tree->box_capacity, 0, nodes, "k-d tree");
}

static Result build(void *state, const PointSet *points)
{
    KdTree *tree = state;
    tree->points = *points;
    tree->count = points->count;
    for (tree->levels = 0; tree->count >> tree->levels >= BUCKET;) tree->levels++;
    TRY(reserve(tree));
    parallel_for(tree->count, COPY_BLOCK, load_points, tree);
    BuildJob job = {.tree = tree};
    memcpy(job.space[0][0].lo, points->lo, sizeof points->lo);
    memcpy(job.space[0][0].hi, points->hi, sizeof points->hi);
    uint32_t top = tree->levels < SUBTREES_LOG2 ? tree->levels : SUBTREES_LOG2;
    for (; job.level < top; job.level++) parallel_for(1u << job.level, 1, split_nodes, &job);
    parallel_for(1u << top, 1, build_subtrees, &job);
    for (uint32_t node = (1u << top) - 1; node > 0; node--) join_boxes(tree, node);
    parallel_for(tree->count, COPY_BLOCK, store_points, tree);
    return result_ok();
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

static PointStreams streams(const KdTree *tree)
{
    size_t stride = tree->stream_capacity / 3;
    return (PointStreams){tree->stream, tree->stream + stride, tree->stream + 2 * stride, tree->index};
}

// Packs the candidates of bucket `number`. Returns the position of its own first point in the list.
static uint32_t pack(const KdTree *tree, uint32_t number, RowWriter *writer)
{
    uint32_t stack[2 * LEVELS_MAX], depth = 0, leaves = 1u << tree->levels, own = 0;
    uint32_t begin = 0, end = 0; // buckets that follow each other are appended in one piece
    const PointStreams points = streams(tree);
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
        uint32_t first = node_first(tree, tree->levels, node - leaves);
        if (first != end) {
            if (begin < end) row_list_append(writer, &points, begin, end);
            begin = first;
        }
        end = node_first(tree, tree->levels, node - leaves + 1);
        if (node - leaves == number) own = writer->list.count + first - begin;
    }
    row_list_append(writer, &points, begin, end);
    return own;
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const KdTree *tree = state;
    const PointStreams points = streams(tree);
    uint32_t number = (uint32_t)(((uint64_t)begin << tree->levels) / tree->count); // or one before
    while (node_first(tree, tree->levels, number + 1) <= begin) number++;
    for (; begin < end && !writer->failed; number++) {
        uint32_t first = node_first(tree, tree->levels, number),
                 last = node_first(tree, tree->levels, number + 1);
        if (last > end) last = end;
        uint32_t own = pack(tree, number, writer);
        rows_filter(writer, &points, begin, last, own + begin - first);
        begin = last;
    }
}

static void release(void *state)
{
    KdTree *tree = state;
    memory_free(tree->point);
    memory_free(tree->stream);
    memory_free(tree->index);
    memory_free(tree->box);
}

static MethodBytes bytes(const void *state)
{
    const KdTree *tree = state;
    uint64_t points = (uint64_t)tree->count * (sizeof(KdPoint) + 3 * sizeof(float) + sizeof(uint32_t));
    return (MethodBytes){.total = points + ((UINT64_C(2) << tree->levels) * sizeof(PointBox)),
                         .per_point = points};
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const KdTree *tree = state;
    uint32_t leaves = 1u << tree->levels;
    for (uint32_t number = 0; number < leaves; number++) {
        const PointBox *box = &tree->box[leaves + number];
        uint32_t first = node_first(tree, tree->levels, number),
                 end = node_first(tree, tree->levels, number + 1);
        TRY(neighbor_box_add(boxes, box->lo, box->hi, end - first, 0));
    }
    return result_ok();
}

const NeighborMethod neighbor_kd_tree = {
    .name = "kd_tree",
    .summary = "a balanced k-d tree; indifferent to how points are spread, slow to build",
    .state_bytes = sizeof(KdTree),
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
