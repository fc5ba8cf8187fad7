// A balanced k-d tree over points: median splits across the longer side down to buckets of a few points, with
// the exact box of the points below every node. O(n log n) to build, depth log2(n / bucket) whatever the
// points are, because equal coordinates are told apart by index.
#ifndef PBF_NEIGHBOR_REFERENCE_KD_POINTS_H
#define PBF_NEIGHBOR_REFERENCE_KD_POINTS_H

#include "neighbor/method.h"

#define KD_LEVELS_MAX 32u

typedef struct KdPoint {
    float at[3];
    uint32_t index;
} KdPoint;

// Nodes are numbered like a heap: 1 is the root, 2k and 2k+1 are the halves of k.
// Nodes are numbered like a heap: 1 is the root, 2k and 2k+1 are the halves of k. All zero before the first
// build; free with kd_points_free.
typedef struct KdPoints {
    uint32_t count, levels; // splits between the root and a bucket
    KdPoint *point;         // in the order of the buckets
    float *stream;          // the same as x, y, z
    uint32_t *index;
    PointBox *box; // of each node
    size_t point_capacity, stream_capacity, index_capacity, box_capacity;
} KdPoints;

// Builds the tree; at most `bucket` points lie in a bucket. Of the points, those and their box are read (at
// least one). Uses parallel_for. Error: RESULT_NO_MEMORY.
Result kd_points_build(KdPoints *tree, const PointSet *points, uint32_t bucket);
void kd_points_free(KdPoints *tree);
uint64_t kd_points_bytes_per_point(const KdPoints *tree); // bytes in arrays by points, of all of them
uint64_t kd_points_bytes(const KdPoints *tree);

// First point of node `number` (from 0) of a level; the end is the first of the next.
static inline uint32_t kd_first(const KdPoints *tree, uint32_t level, uint32_t number)
{
    return (uint32_t)(((uint64_t)tree->count * number) >> level);
}

static inline PointStreams kd_streams(const KdPoints *tree)
{
    size_t stride = tree->stream_capacity / 3;
    return (PointStreams){tree->stream, tree->stream + stride, tree->stream + 2 * stride, tree->index};
}

#endif
