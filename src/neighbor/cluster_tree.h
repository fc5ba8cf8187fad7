// A bounding volume hierarchy without pointers: boxes around clusters of four points that follow each other,
// boxes around sixteen of these boxes, and so on, over points in an order that keeps neighbors together
// (point_order.h). Any order is correct; a good one makes small boxes. Unbounded domains cost nothing.
#ifndef PBF_NEIGHBOR_CLUSTER_TREE_H
#define PBF_NEIGHBOR_CLUSTER_TREE_H

#include "neighbor/method.h"

#define TREE_FAN 16u
#define TREE_LEVELS 8 // 4 * 16^8 points

// Sixteen boxes; empty ones are inside out.
typedef struct TreeNode {
    float lo[3][TREE_FAN], hi[3][TREE_FAN];
} TreeNode;

typedef struct ClusterTree {
    const float *x, *y, *z; // m; in the last cluster, slots after the last point are not looked at
    uint32_t count;         // points
    uint32_t clusters;
    uint32_t short_cluster, short_points; // the one cluster that may be short, and how many points it has
    // Level 0: node n holds the boxes of clusters 16 n to 16 n + 15. Above: of the nodes one level below. The
    // highest level is one node.
    TreeNode *level[TREE_LEVELS];
    uint32_t nodes[TREE_LEVELS];
    uint32_t levels;
    TreeNode *memory;
    size_t capacity;
} ClusterTree;

// The streams must stay valid as long as the tree is used. own: the first of the points, of which the last
// cluster may be short with others behind it (NeighborPart); `count` where they are all. Uses parallel_for.
// Errors: RESULT_NO_MEMORY.
Result cluster_tree_build(ClusterTree *tree, const float *x, const float *y, const float *z, uint32_t count,
                          uint32_t own);
void cluster_tree_free(ClusterTree *tree);

// Points of a cluster.
static inline uint32_t cluster_tree_points(const ClusterTree *tree, uint32_t cluster)
{
    return cluster == tree->short_cluster ? tree->short_points : NEIGHBOR_CLUSTER;
}

// The box around clusters begin..end-1.
PointBox cluster_tree_box(const ClusterTree *tree, uint32_t begin, uint32_t end);

// The clusters near one: cluster[0] .. cluster[before - 1] are of earlier blocks, cluster[own] is itself,
// from there to `after` are the later ones of its block, from `after` to `count` those of later blocks.
typedef struct NearClusters {
    const uint32_t *cluster;
    uint32_t before, own, after, count;
    uint32_t block; // the block's first cluster
} NearClusters;

// The searches, for one instruction set. "Near" is the distance of boxes, computed so that rounding cannot
// lose a point that is within the radius of another. All results ascend.
typedef struct ClusterKernel {
    // Writes the nodes of level 0 that are near a box to `out` (room for all of them); returns how many.
    uint32_t (*near_nodes)(const ClusterTree *tree, const PointBox *box, float radius_squared, uint32_t *out);
    // Writes the clusters of these nodes that are near a box to `out` (room for sixteen a node).
    uint32_t (*near_clusters)(const ClusterTree *tree, const PointBox *box, float radius_squared,
                              const uint32_t *nodes, uint32_t count, uint32_t *out);
    // Writes the row of `cluster` (NeighborClusters) to `out`, which has room for all that are near: those of
    // them that have a point within the radius of one of its own. Returns the row's length; *single is its
    // first part's. found: points within the radius of each of the four, not counting itself, of which
    // `shared` keeps what earlier rows of the block found: LANES sums a cluster of the block, zero before the
    // block's first row.
    uint32_t (*partners)(const ClusterTree *tree, uint32_t cluster, float radius_squared,
                         const NearClusters *near, float *shared, uint32_t *out, uint32_t *single,
                         uint32_t found[4]);
} ClusterKernel;

extern const ClusterKernel cluster_kernel_plain, cluster_kernel_avx2, cluster_kernel_avx512;

// The kernel for cpu_level().
const ClusterKernel *cluster_kernel(void);

#endif
