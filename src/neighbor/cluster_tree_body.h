// The searches of cluster_tree.h. Included by cluster_tree_*.c, which differ in their compiler flags alone;
// CLUSTER_KERNEL names the table that each defines.

#include "core/lanes.h"
#include "neighbor/cluster_tree.h"

static inline Lanes squares(Lanes x, Lanes y, Lanes z)
{
    return lanes_add(lanes_add(lanes_mul(x, x), lanes_mul(y, y)), lanes_mul(z, z));
}

static inline Lanes gap(const float *lo, const float *hi, float box_lo, float box_hi)
{
    Lanes below = lanes_sub(lanes_set(box_lo), lanes_load(hi)),
          above = lanes_sub(lanes_load(lo), lanes_set(box_hi));
    return lanes_max(lanes_max(below, above), lanes_set(0.0f));
}

// Bits of the node's boxes that are near. Differences, squares and sums are rounded as in within(), and
// rounding keeps order: no point of a box is closer than its box is found to be.
static inline uint32_t near_boxes(const TreeNode *node, const PointBox *box, float radius_squared)
{
    Lanes x = gap(node->lo[0], node->hi[0], box->lo[0], box->hi[0]);
    Lanes y = gap(node->lo[1], node->hi[1], box->lo[1], box->hi[1]);
    Lanes z = gap(node->lo[2], node->hi[2], box->lo[2], box->hi[2]);
    return lanes_bits(lanes_less_equal(squares(x, y, z), lanes_set(radius_squared)));
}

static uint32_t near_nodes(const ClusterTree *tree, const PointBox *box, float radius_squared, uint32_t *out)
{
    uint32_t n = 0, top = tree->levels - 1;
    if (top == 0) {
        out[0] = 0;
        return 1;
    }
    // Depth first, in order; `left`: boxes not visited yet of each level's open node.
    uint32_t node[TREE_LEVELS] = {0}, left[TREE_LEVELS];
    uint32_t level = top;
    left[top] = near_boxes(&tree->level[top][0], box, radius_squared);
    while (level <= top) {
        if (left[level] == 0) {
            level++;
            continue;
        }
        uint32_t child = node[level] * TREE_FAN + (uint32_t)__builtin_ctz(left[level]);
        left[level] &= left[level] - 1;
        if (level == 1) {
            out[n++] = child;
        } else {
            level--;
            node[level] = child;
            left[level] = near_boxes(&tree->level[level][child], box, radius_squared);
        }
    }
    return n;
}

static uint32_t near_clusters(const ClusterTree *tree, const PointBox *box, float radius_squared,
                              const uint32_t *nodes, uint32_t count, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bits = near_boxes(&tree->level[0][nodes[k]], box, radius_squared);
        n += lanes_write_numbers(out + n, nodes[k] * TREE_FAN, bits);
    }
    return n;
}

// The four points of a cluster, each in a block of lanes, and the points found within their radius so far.
typedef struct Four {
    Lanes x, y, z, found;
} Four;

// Writes those of near->cluster[begin..end-1] that are partners; adds what they find to `shared` unless that
// is NULL.
ALWAYS_INLINE uint32_t test_clusters(const ClusterTree *tree, Four *four, Lanes radius_squared,
                                     const NearClusters *near, uint32_t begin, uint32_t end, float *shared,
                                     uint32_t *out)
{
    Lanes zero = lanes_set(0.0f), one = lanes_set(1.0f);
    uint32_t n = 0;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t cluster = near->cluster[k];
        size_t j = (size_t)cluster * NEIGHBOR_CLUSTER;
        LaneMask within = lanes_less_equal(squares(lanes_sub(four->x, lanes_repeat(tree->x + j)),
                                                   lanes_sub(four->y, lanes_repeat(tree->y + j)),
                                                   lanes_sub(four->z, lanes_repeat(tree->z + j))),
                                           radius_squared);
        Lanes hits = lanes_select(within, one, zero);
        four->found = lanes_add(four->found, hits);
        if (shared) {
            float *theirs = shared + (size_t)(cluster - near->block) * LANES;
            lanes_store(theirs, lanes_add(lanes_load(theirs), hits));
        }
        out[n] = cluster;
        n += lanes_bits(within) != 0;
    }
    return n;
}

static uint32_t partners(const ClusterTree *tree, uint32_t cluster, float radius_squared,
                         const NearClusters *near, float *shared, uint32_t *out, uint32_t *single,
                         uint32_t found[4])
{
    uint32_t i = cluster * NEIGHBOR_CLUSTER, n = 0;
    Four four = {lanes_spread(tree->x + i), lanes_spread(tree->y + i), lanes_spread(tree->z + i),
                 lanes_set(0.0f)};
    Lanes limit = lanes_set(radius_squared);
    const float *own = shared + (size_t)(cluster - near->block) * LANES;
    n += test_clusters(tree, &four, limit, near, near->own, near->own + 1, NULL, out + n);
    n += test_clusters(tree, &four, limit, near, 0, near->before, NULL, out + n);
    n += test_clusters(tree, &four, limit, near, near->after, near->count, NULL, out + n);
    *single = n;
    n += test_clusters(tree, &four, limit, near, near->own + 1, near->after, shared, out + n);
    float mine[4], theirs[4];
    lanes_sum_blocks(four.found, mine);
    lanes_sum_across(lanes_load(own), theirs);
    for (int k = 0; k < 4; k++) found[k] = (uint32_t)(mine[k] + theirs[k]) - 1;
    return n;
}

const ClusterKernel CLUSTER_KERNEL = {near_nodes, near_clusters, partners};
