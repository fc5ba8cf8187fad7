// Pairs of clusters (after the nbnxm pair lists of GROMACS: Pall and Hess 2013, "A flexible algorithm for
// calculating pair interactions on SIMD architectures"). Points are sorted into columns and by height inside;
// four that follow each other are a cluster; a tree of boxes finds which clusters come within the radius of
// which. A pass over pairs then takes four points against four others in one vector: it evaluates about three
// times the pairs within the radius, without an indirection for any of them, and a list entry stands for
// sixteen pairs.
// Rows of single points, when they are asked for, are filtered from the same clusters.
#include "neighbor/method.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "core/sort.h"
#include "neighbor/cluster_tree.h"
#include "neighbor/point_order.h"

#include <string.h>

#define GRAIN 512u
// Clusters that share one walk through the tree.
#define TEAM 4u
// Edge of a column in radii where only these are known: two spacings at the usual 2.5 spacings a radius,
// which gives the fewest partners.
#define COLUMN_SHARE 0.8

typedef struct ClusterGrid {
    ClusterTree tree;
    // for rows: the points in order
    SortBuffers sort;
    float *copy; // x, y, z after each other
    uint32_t *index;
    size_t copy_capacity, index_capacity;
    // for clusters of a part: those of the part, and with the ones before it
    bool partial;
    uint32_t own, lower;
} ClusterGrid;

typedef struct OrderJob {
    const PointSet *points;
    const PointOrder *order;
    PointKeys keys;
    uint64_t *key;
    const uint32_t *sorted;
    float *copy;
    uint32_t *index;
    size_t stride;
} OrderJob;

static void write_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const OrderJob *job = context;
    const PointSet *p = job->points;
    for (uint32_t i = begin; i < end; i++)
        job->key[i] = point_key(&job->keys, point_order_cell(job->order, p->x[i], p->y[i], p->z[i]));
}

static void copy_sorted(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const OrderJob *job = context;
    const PointSet *p = job->points;
    for (uint32_t to = begin; to < end; to++) {
        uint32_t i = job->sorted[to];
        job->copy[to] = p->x[i];
        job->copy[job->stride + to] = p->y[i];
        job->copy[2 * job->stride + to] = p->z[i];
        job->index[to] = i;
    }
}

static Result build(void *state, const PointSet *points)
{
    ClusterGrid *grid = state;
    uint32_t count = points->count;
    size_t stride = ((size_t)count + 15) / 16 * 16;
    TRY(sort_buffers_reserve(&grid->sort, count));
    TRY(MEMORY_RESERVE(grid->copy, grid->copy_capacity, 0, 3 * stride, "neighbor search"));
    TRY(MEMORY_RESERVE(grid->index, grid->index_capacity, 0, count, "neighbor search"));
    PointOrder order = {.columns = true, .inverse = 1.0 / (COLUMN_SHARE * (double)points->radius)};
    PointCell lo = point_order_cell(&order, points->lo[0], points->lo[1], points->lo[2]);
    PointCell hi = point_order_cell(&order, points->hi[0], points->hi[1], points->hi[2]);
    OrderJob job = {.points = points,
                    .order = &order,
                    .keys = point_keys_between(&order, lo, hi),
                    .key = grid->sort.keys[0],
                    .copy = grid->copy,
                    .index = grid->index,
                    .stride = stride};
    parallel_for(count, GRAIN, write_keys, &job);
    sort_order(&grid->sort, count, &job.sorted);
    parallel_for(count, GRAIN, copy_sorted, &job);
    return cluster_tree_build(&grid->tree, grid->copy, grid->copy + stride, grid->copy + 2 * stride, count,
                              count);
}

// A walk over clusters that follow each other, and where its results go.
typedef struct Walk {
    const ClusterGrid *grid;
    RowWriter *writer;
    uint32_t begin, end; // clusters
    bool block;          // clusters from `begin` to the one that is visited need not be found
    uint32_t *single, *neighbors;
    float *shared; // LANES sums a cluster
} Walk;

// Called for each cluster with those near it.
typedef void ClusterVisit(const Walk *walk, uint32_t cluster, uint32_t *near, uint32_t count);

// Drops the nodes all of whose clusters are in begin..end-1.
static uint32_t drop_nodes(uint32_t *nodes, uint32_t count, uint32_t begin, uint32_t end)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t first = nodes[k] * TREE_FAN;
        nodes[kept] = nodes[k];
        kept += first < begin || first + TREE_FAN > end;
    }
    return kept;
}

// Visits clusters in teams that share one walk through the tree.
static void visit_clusters(const Walk *walk, uint32_t *scratch, ClusterVisit *visit)
{
    const ClusterTree *tree = &walk->grid->tree;
    const ClusterKernel *kernel = cluster_kernel();
    float radius_squared = walk->writer->radius_squared;
    uint32_t *nodes = scratch, *near = scratch + tree->nodes[0];
    for (uint32_t team = walk->begin; team < walk->end; team += TEAM) {
        uint32_t last = walk->end - team < TEAM ? walk->end : team + TEAM;
        PointBox box = cluster_tree_box(tree, team, last);
        uint32_t node_count = kernel->near_nodes(tree, &box, radius_squared, nodes);
        if (walk->block) node_count = drop_nodes(nodes, node_count, walk->begin, team);
        for (uint32_t cluster = team; cluster < last && !walk->writer->failed; cluster++) {
            box = cluster_tree_box(tree, cluster, cluster + 1);
            uint32_t count = kernel->near_clusters(tree, &box, radius_squared, nodes, node_count, near);
            visit(walk, cluster, near, count);
        }
    }
}

// Scratch of visit_clusters: room for all nodes and all clusters.
static uint64_t walk_scratch(const ClusterGrid *grid)
{
    return (uint64_t)grid->tree.nodes[0] * (1 + TREE_FAN);
}

static uint32_t points_end(const ClusterTree *tree, uint32_t cluster)
{
    return cluster * NEIGHBOR_CLUSTER + cluster_tree_points(tree, cluster);
}

static void write_rows(const Walk *walk, uint32_t cluster, uint32_t *near, uint32_t count)
{
    const ClusterTree *tree = &walk->grid->tree;
    const PointStreams points = {tree->x, tree->y, tree->z, walk->grid->index};
    uint32_t own = 0;
    row_list_start(walk->writer);
    for (uint32_t k = 0, run; k < count; k = run) {
        for (run = k + 1; run < count && near[run] == near[run - 1] + 1;) run++;
        if (near[k] <= cluster && cluster <= near[run - 1])
            own = walk->writer->list.count + (cluster - near[k]) * NEIGHBOR_CLUSTER;
        row_list_append(walk->writer, &points, near[k] * NEIGHBOR_CLUSTER, points_end(tree, near[run - 1]));
    }
    rows_filter(walk->writer, &points, cluster * NEIGHBOR_CLUSTER, points_end(tree, cluster), own);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    CHECK(begin % NEIGHBOR_CLUSTER == 0);
    uint32_t *scratch = row_scratch(writer, walk_scratch(state));
    if (!scratch) return;
    Walk walk = {.grid = state,
                 .writer = writer,
                 .begin = begin / NEIGHBOR_CLUSTER,
                 .end = groups_of(end, NEIGHBOR_CLUSTER)};
    visit_clusters(&walk, scratch, write_rows);
}

static Result build_clusters(void *state, const PointSet *points)
{
    ClusterGrid *grid = state;
    const NeighborPart *part = points->part;
    grid->partial = part != NULL;
    if (part) {
        grid->own = round_up(part->points, LANES) / NEIGHBOR_CLUSTER;
        grid->lower = grid->own + part->lower;
    }
    return cluster_tree_build(&grid->tree, points->x, points->y, points->z, points->count,
                              part ? part->points : points->count);
}

// Position of the first entry of an ascending list that is not below `cluster` (lower bound).
static uint32_t place_of(const uint32_t *list, uint32_t count, uint32_t cluster)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < count; k++) at += list[k] < cluster;
    return at;
}

static void reverse(uint32_t *list, uint32_t count)
{
    for (uint32_t k = 0; k < count / 2; k++) {
        uint32_t before = list[k];
        list[k] = list[count - 1 - k];
        list[count - 1 - k] = before;
    }
}

// Brings an ascending list into the order of all parts, clusters of lower ones first. Returns how many these
// are.
static uint32_t lower_first(const ClusterGrid *grid, uint32_t *list, uint32_t count)
{
    if (!grid->partial) return 0;
    uint32_t own = place_of(list, count, grid->own), lower = place_of(list, count, grid->lower) - own;
    if (lower == 0) return 0;
    reverse(list, own);
    reverse(list + own, lower);
    reverse(list, own + lower);
    return lower;
}

static void write_partners(const Walk *walk, uint32_t cluster, uint32_t *near, uint32_t count)
{
    const ClusterTree *tree = &walk->grid->tree;
    RowWriter *writer = walk->writer;
    uint32_t *out = row_open(writer, count), found[NEIGHBOR_CLUSTER];
    if (!out) return;
    uint32_t lower = lower_first(walk->grid, near, count);
    NearClusters list = {.cluster = near,
                         .before = lower + place_of(near, count, walk->begin),
                         .own = lower + place_of(near, count, cluster),
                         .after = lower + place_of(near, count, walk->end),
                         .count = count,
                         .block = walk->begin};
    uint32_t partners = cluster_kernel()->partners(tree, cluster, writer->radius_squared, &list, walk->shared,
                                                   out, &walk->single[cluster], found);
    uint32_t begin = cluster * NEIGHBOR_CLUSTER, own = points_end(tree, cluster) - begin;
    // Tested for this cluster's points, and for those of later ones of the block at once.
    uint64_t singles = list.before + 1 + count - list.after, both = list.after - list.own - 1;
    uint64_t tested = (singles + 2 * both) * NEIGHBOR_CLUSTER;
    uint64_t empty = NEIGHBOR_CLUSTER - tree->short_points; // slots of the last cluster of all
    if (near[count - 1] == tree->short_cluster) tested -= both && list.after == count ? 2 * empty : empty;
    row_close(writer, cluster, partners, (tested - 1) * own);
    writer->sums.shared += partners - walk->single[cluster];
    // Rows hold clusters, but the sum counts points.
    writer->sums.neighbors -= partners;
    for (uint32_t k = 0; k < own; k++) {
        walk->neighbors[begin + k] = found[k];
        writer->sums.neighbors += found[k];
    }
}

static void find_clusters(const void *state, uint32_t begin, uint32_t end, RowWriter *writer,
                          uint32_t *single, uint32_t *neighbors)
{
    uint64_t sums = (uint64_t)(end - begin) * LANES;
    uint32_t *scratch = row_scratch(writer, sums + walk_scratch(state));
    if (!scratch) return;
    memset(scratch, 0, sums * sizeof *scratch);
    Walk walk = {state, writer, begin, end, true, single, neighbors, (float *)(void *)scratch};
    visit_clusters(&walk, scratch + sums, write_partners);
}

static void release(void *state)
{
    ClusterGrid *grid = state;
    cluster_tree_free(&grid->tree);
    sort_buffers_free(&grid->sort);
    memory_free(grid->copy);
    memory_free(grid->index);
}

static MethodBytes bytes(const void *state)
{
    const ClusterGrid *grid = state;
    uint64_t sort = sort_buffers_bytes(&grid->sort);
    uint64_t copies = grid->copy_capacity * sizeof(float) + grid->index_capacity * sizeof(uint32_t);
    return (MethodBytes){.total = grid->tree.capacity * sizeof(TreeNode) + sort + copies,
                         .per_point = sort + copies};
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const ClusterTree *tree = &((const ClusterGrid *)state)->tree;
    for (uint32_t cluster = 0; cluster < tree->clusters; cluster++) {
        PointBox box = cluster_tree_box(tree, cluster, cluster + 1);
        uint32_t points = points_end(tree, cluster) - cluster * NEIGHBOR_CLUSTER;
        TRY(neighbor_box_add(boxes, box.lo, box.hi, points, 0));
    }
    return result_ok();
}

const NeighborMethod neighbor_cluster_grid = {
    .name = "cluster_grid",
    .summary = "pairs of clusters of four instead of lists; the default, fastest steps, agrees to rounding",
    .state_bytes = sizeof(ClusterGrid),
    .build = build,
    .find = find,
    .build_clusters = build_clusters,
    .find_clusters = find_clusters,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
