#include "neighbor/cluster_tree.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <math.h>

#define NODE_GRAIN 64u

const ClusterKernel *cluster_kernel(void)
{
    return CPU_VERSION(&cluster_kernel, cpu_level());
}

typedef struct LevelJob {
    ClusterTree *tree;
    uint32_t level;
} LevelJob;

static void box_points(const float *stream, uint32_t begin, uint32_t end, float *lo, float *hi)
{
    float low = stream[begin], high = low;
    for (uint32_t i = begin + 1; i < end; i++) {
        low = stream[i] < low ? stream[i] : low;
        high = stream[i] > high ? stream[i] : high;
    }
    *lo = low;
    *hi = high;
}

// The same of TREE_FAN whole clusters that follow each other, free of branches.
static void box_whole(const float *restrict stream, float *restrict lo, float *restrict hi)
{
    for (uint32_t k = 0; k < TREE_FAN; k++) {
        const float *of = stream + k * NEIGHBOR_CLUSTER;
        float low = of[0], high = of[0];
        for (uint32_t i = 1; i < NEIGHBOR_CLUSTER; i++) {
            low = of[i] < low ? of[i] : low;
            high = of[i] > high ? of[i] : high;
        }
        lo[k] = low;
        hi[k] = high;
    }
}

static bool all_whole(const ClusterTree *tree, uint32_t n)
{
    return (uint64_t)(n + 1) * TREE_FAN <= tree->clusters &&
           (tree->short_points == NEIGHBOR_CLUSTER || tree->short_cluster / TREE_FAN != n);
}

static void box_clusters(const ClusterTree *tree, uint32_t n, TreeNode *node)
{
    const float *streams[3] = {tree->x, tree->y, tree->z};
    if (all_whole(tree, n)) {
        for (int axis = 0; axis < 3; axis++)
            box_whole(streams[axis] + (size_t)n * TREE_FAN * NEIGHBOR_CLUSTER, node->lo[axis],
                      node->hi[axis]);
        return;
    }
    for (uint32_t k = 0; k < TREE_FAN; k++) {
        uint64_t cluster = (uint64_t)n * TREE_FAN + k;
        for (int axis = 0; axis < 3; axis++) {
            node->lo[axis][k] = INFINITY;
            node->hi[axis][k] = -INFINITY;
            if (cluster >= tree->clusters) continue;
            uint32_t begin = (uint32_t)cluster * NEIGHBOR_CLUSTER;
            uint32_t end = begin + cluster_tree_points(tree, (uint32_t)cluster);
            box_points(streams[axis], begin, end, &node->lo[axis][k], &node->hi[axis][k]);
        }
    }
}

static void box_nodes(const ClusterTree *tree, uint32_t level, uint32_t n, TreeNode *node)
{
    for (uint32_t k = 0; k < TREE_FAN; k++) {
        uint64_t below = (uint64_t)n * TREE_FAN + k;
        for (int axis = 0; axis < 3; axis++) {
            float lo = INFINITY, hi = -INFINITY;
            if (below < tree->nodes[level - 1]) {
                const TreeNode *child = &tree->level[level - 1][below];
                for (uint32_t c = 0; c < TREE_FAN; c++) {
                    lo = child->lo[axis][c] < lo ? child->lo[axis][c] : lo;
                    hi = child->hi[axis][c] > hi ? child->hi[axis][c] : hi;
                }
            }
            node->lo[axis][k] = lo;
            node->hi[axis][k] = hi;
        }
    }
}

static void box_level(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const LevelJob *job = context;
    for (uint32_t n = begin; n < end; n++) {
        if (job->level == 0)
            box_clusters(job->tree, n, &job->tree->level[0][n]);
        else
            box_nodes(job->tree, job->level, n, &job->tree->level[job->level][n]);
    }
}

Result cluster_tree_build(ClusterTree *tree, const float *x, const float *y, const float *z, uint32_t count,
                          uint32_t own)
{
    CHECK(count > 0);
    tree->x = x;
    tree->y = y;
    tree->z = z;
    tree->count = count;
    tree->clusters = groups_of(count, NEIGHBOR_CLUSTER);
    uint32_t last = own % NEIGHBOR_CLUSTER ? own : count;
    tree->short_cluster = (last - 1) / NEIGHBOR_CLUSTER;
    tree->short_points = last - tree->short_cluster * NEIGHBOR_CLUSTER;
    tree->levels = 0;
    size_t all = 0;
    for (uint32_t boxes = tree->clusters; tree->levels == 0 || boxes > 1; tree->levels++) {
        boxes = groups_of(boxes, TREE_FAN);
        tree->nodes[tree->levels] = boxes;
        all += boxes;
    }
    TRY(MEMORY_RESERVE(tree->memory, tree->capacity, 0, all, "neighbor search"));
    TreeNode *next = tree->memory;
    for (uint32_t level = 0; level < tree->levels; level++) {
        tree->level[level] = next;
        next += tree->nodes[level];
        LevelJob job = {tree, level};
        parallel_for(tree->nodes[level], NODE_GRAIN, box_level, &job);
    }
    return result_ok();
}

void cluster_tree_free(ClusterTree *tree)
{
    memory_free(tree->memory);
    *tree = (ClusterTree){0};
}

PointBox cluster_tree_box(const ClusterTree *tree, uint32_t begin, uint32_t end)
{
    PointBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t c = begin; c < end; c++) {
        const TreeNode *node = &tree->level[0][c / TREE_FAN];
        for (int axis = 0; axis < 3; axis++) {
            float lo = node->lo[axis][c % TREE_FAN], hi = node->hi[axis][c % TREE_FAN];
            box.lo[axis] = lo < box.lo[axis] ? lo : box.lo[axis];
            box.hi[axis] = hi > box.hi[axis] ? hi : box.hi[axis];
        }
    }
    return box;
}
