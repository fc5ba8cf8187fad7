#include "neighbor/reference/kd_points.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

// Subtrees that are built in parallel.
#define SUBTREES_LOG2 7u
#define COPY_BLOCK 16384u

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
static void split(KdPoints *tree, uint32_t level, uint32_t number, const PointBox *box, PointBox halves[2])
{
    uint32_t first = kd_first(tree, level, number), end = kd_first(tree, level, number + 1);
    uint32_t middle = kd_first(tree, level + 1, 2 * number + 1);
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (box->hi[k] - box->lo[k] > box->hi[axis] - box->lo[axis]) axis = k;
    }
    select_rank(tree->point + first, end - first, middle - first, axis);
    halves[0] = halves[1] = *box;
    halves[0].hi[axis] = halves[1].lo[axis] = tree->point[middle].at[axis];
}

// Points of a bucket by index, so that what a row finds in it ascends; and its exact box.
static void finish_bucket(KdPoints *tree, uint32_t number)
{
    uint32_t first = kd_first(tree, tree->levels, number), end = kd_first(tree, tree->levels, number + 1);
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

static void join_boxes(KdPoints *tree, uint32_t node)
{
    const PointBox *a = &tree->box[2 * node], *b = &tree->box[2 * node + 1];
    for (int axis = 0; axis < 3; axis++) {
        tree->box[node].lo[axis] = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis];
        tree->box[node].hi[axis] = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
    }
}

// Recursion: `levels` deep, 27 at most.
static void build_below(KdPoints *tree, uint32_t level, uint32_t number, const PointBox *space)
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
    KdPoints *tree;
    const PointSet *points;
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
    const BuildJob *job = context;
    const PointSet *points = job->points;
    for (uint32_t i = begin; i < end; i++)
        job->tree->point[i] = (KdPoint){{points->x[i], points->y[i], points->z[i]}, i};
}

static void store_points(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    KdPoints *tree = context;
    size_t stride = tree->stream_capacity / 3;
    for (uint32_t k = begin; k < end; k++) {
        for (size_t axis = 0; axis < 3; axis++) tree->stream[axis * stride + k] = tree->point[k].at[axis];
        tree->index[k] = tree->point[k].index;
    }
}

static Result reserve(KdPoints *tree)
{
    size_t count = tree->count, nodes = (size_t)2 << tree->levels;
    TRY(MEMORY_RESERVE(tree->point, tree->point_capacity, 0, count, "k-d tree"));
    TRY(MEMORY_RESERVE(tree->stream, tree->stream_capacity, 0, 3 * count, "k-d tree"));
    TRY(MEMORY_RESERVE(tree->index, tree->index_capacity, 0, count, "k-d tree"));
    return MEMORY_RESERVE(tree->box, tree->box_capacity, 0, nodes, "k-d tree");
}

Result kd_points_build(KdPoints *tree, const PointSet *points, uint32_t bucket)
{
    tree->count = points->count;
    for (tree->levels = 0; tree->count >> tree->levels >= bucket;) tree->levels++;
    TRY(reserve(tree));
    BuildJob job = {.tree = tree, .points = points};
    parallel_for(tree->count, COPY_BLOCK, load_points, &job);
    memcpy(job.space[0][0].lo, points->lo, sizeof points->lo);
    memcpy(job.space[0][0].hi, points->hi, sizeof points->hi);
    uint32_t top = tree->levels < SUBTREES_LOG2 ? tree->levels : SUBTREES_LOG2;
    for (; job.level < top; job.level++) parallel_for(1u << job.level, 1, split_nodes, &job);
    parallel_for(1u << top, 1, build_subtrees, &job);
    for (uint32_t node = (1u << top) - 1; node > 0; node--) join_boxes(tree, node);
    parallel_for(tree->count, COPY_BLOCK, store_points, tree);
    return result_ok();
}

void kd_points_free(KdPoints *tree)
{
    memory_free(tree->point);
    memory_free(tree->stream);
    memory_free(tree->index);
    memory_free(tree->box);
    *tree = (KdPoints){0};
}

uint64_t kd_points_bytes_per_point(const KdPoints *tree)
{
    return (uint64_t)tree->count * (sizeof(KdPoint) + 3 * sizeof(float) + sizeof(uint32_t));
}

uint64_t kd_points_bytes(const KdPoints *tree)
{
    return kd_points_bytes_per_point(tree) + ((UINT64_C(2) << tree->levels) * sizeof(PointBox));
}
