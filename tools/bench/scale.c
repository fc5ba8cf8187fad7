// What water that ranks share costs in ghosts and bytes, counted on a stored state: which clusters each of so
// many ranks would need of the others in a step (src/mpi/README.md). No processes are started.
// usage: bench_scale STATE.pbf ITERATIONS RANKS...
// Prints a row for each number of ranks: particles, ranks, the most that one has of them; then mean and most
// over the ranks: ghosts (particles), ranks that are near, bytes that it sends in a step.
#include "benching.h"
#include "core/memory.h"
#include "core/round.h"
#include "export/block_file.h"
#include "fluid/share_run.h"
#include "neighbor/cluster_tree.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <string.h>

typedef struct Water {
    float *x[3]; // padded
    uint32_t count, block;
    float radius; // m
    ClusterTree tree;
} Water;

static float stored_number(const StateBlocks *state, const char *name)
{
    float value;
    stop_on_error(blocks_copy(state, name, BLOCK_FLOAT, 1, &value));
    return value;
}

// In the order of the last step.
static Water read_water(const char *path)
{
    static const char *const names[] = {"x", "y", "z"};
    StateBlocks state;
    stop_on_error(block_file_read(path, &state));
    const StateBlock *x = blocks_find(&state, "x", BLOCK_FLOAT);
    if (!x || x->count == 0) stop_on_error(result_error(RESULT_USAGE, "%s: has no particles", path));
    Water water = {.count = (uint32_t)x->count,
                   .radius = fluid_def_default().radius_factor * stored_number(&state, "spacing")};
    water.block = neighbor_cluster_block(groups_of(water.count, NEIGHBOR_CLUSTER));
    for (int a = 0; a < 3; a++) {
        water.x[a] = memory_allocate((water.count + 16ull) * sizeof(float));
        if (!water.x[a]) stop_on_error(result_no_memory("the state", x->count * sizeof(float)));
        stop_on_error(blocks_copy(&state, names[a], BLOCK_FLOAT, x->count, water.x[a]));
        for (uint32_t k = 0; k < 16; k++) water.x[a][water.count + k] = NEIGHBOR_FAR;
    }
    blocks_free(&state);
    stop_on_error(
        cluster_tree_build(&water.tree, water.x[0], water.x[1], water.x[2], water.count, water.count));
    return water;
}

// What ranks need of each other.
typedef struct Needs {
    uint32_t ranks;
    uint32_t *rank;                      // of each cluster
    uint64_t *ghosts, *clusters, *boxes; // clusters of others; own ones that others need; boxes sent
    uint32_t *near;
    PointBox *box; // of each rank
} Needs;

static void *room(uint64_t count, size_t bytes)
{
    void *at = memory_allocate_zeroed(count * bytes);
    if (!at) stop_on_error(result_no_memory("the ranks", count * bytes));
    return at;
}

static uint64_t first_cluster(const Water *water, uint32_t rank, uint32_t ranks)
{
    return groups_of(share_cut(water->count, water->block, rank, ranks), NEIGHBOR_CLUSTER);
}

static Needs start(const Water *water, uint32_t ranks)
{
    Needs needs = {.ranks = ranks,
                   .rank = room(water->tree.clusters, sizeof(uint32_t)),
                   .ghosts = room(ranks, sizeof(uint64_t)),
                   .clusters = room(ranks, sizeof(uint64_t)),
                   .boxes = room(ranks, sizeof(uint64_t)),
                   .near = room(ranks, sizeof(uint32_t)),
                   .box = room(ranks, sizeof(PointBox))};
    for (uint32_t r = 0; r < ranks; r++) {
        uint64_t first = first_cluster(water, r, ranks), last = first_cluster(water, r + 1, ranks);
        needs.box[r] = cluster_tree_box(&water->tree, (uint32_t)first, (uint32_t)last);
        for (uint64_t c = first; c < last; c++) needs.rank[c] = r;
    }
    return needs;
}

// What one rank needs: clusters near a box around sixteen of its own. It sends these boxes to the ranks whose
// box is near them.
static void count_rank(const Water *water, Needs *needs, uint32_t rank, uint32_t *scratch, uint8_t *marks)
{
    const ClusterTree *tree = &water->tree;
    const ClusterKernel *kernel = cluster_kernel();
    uint32_t *nodes = scratch, *near = scratch + tree->nodes[0];
    uint64_t first = first_cluster(water, rank, needs->ranks),
             last = first_cluster(water, rank + 1, needs->ranks);
    memset(marks, 0, tree->clusters);
    for (uint32_t r = 0; r < needs->ranks; r++)
        needs->near[rank] += r != rank && share_near(&needs->box[rank], &needs->box[r], water->radius);
    for (uint64_t c = first; c < last; c += TREE_FAN) {
        uint64_t end = c + TREE_FAN < last ? c + TREE_FAN : last;
        PointBox box = cluster_tree_box(tree, (uint32_t)c, (uint32_t)end);
        for (uint32_t r = 0; r < needs->ranks; r++)
            needs->boxes[rank] += r != rank && share_near(&box, &needs->box[r], water->radius);
        float square = water->radius * water->radius;
        uint32_t node_count = kernel->near_nodes(tree, &box, square, nodes);
        uint32_t count = kernel->near_clusters(tree, &box, square, nodes, node_count, near);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t owner = needs->rank[near[k]];
            if (owner == rank || marks[near[k]]) continue;
            marks[near[k]] = 1;
            needs->ghosts[rank]++;
            needs->clusters[owner]++;
        }
    }
}

typedef struct Spread {
    double mean, most;
} Spread;

static void add(Spread *spread, double value, uint32_t ranks)
{
    spread->mean += value / ranks;
    spread->most = fmax(spread->most, value);
}

static void count_ranks(const Water *water, uint32_t ranks, uint32_t iterations)
{
    Needs needs = start(water, ranks);
    uint32_t *scratch = room(water->tree.nodes[0], (1 + TREE_FAN) * sizeof *scratch);
    uint8_t *marks = room(water->tree.clusters, 1);
    Spread own = {0}, ghosts = {0}, near = {0}, bytes = {0};
    for (uint32_t r = 0; r < ranks; r++) count_rank(water, &needs, r, scratch, marks);
    for (uint32_t r = 0; r < ranks; r++) {
        add(&own,
            (double)(share_cut(water->count, water->block, r + 1, ranks) -
                     share_cut(water->count, water->block, r, ranks)),
            ranks);
        add(&ghosts, (double)needs.ghosts[r] * NEIGHBOR_CLUSTER, ranks);
        add(&near, needs.near[r], ranks);
        add(&bytes, (double)needs.clusters[r] * 16.0 * (17 + 4 * iterations) + 24.0 * (double)needs.boxes[r],
            ranks);
    }
    printf("%u,%u,%.0f,%.0f,%.0f,%.1f,%.0f,%.0f,%.0f\n", water->count, ranks, own.most, ghosts.mean,
           ghosts.most, near.mean, near.most, bytes.mean, bytes.most);
    void *all[] = {needs.rank, needs.ghosts, needs.clusters, needs.boxes,
                   needs.near, needs.box,    scratch,        marks};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) memory_free(all[k]);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: bench_scale STATE.pbf ITERATIONS RANKS...\n");
        return 2;
    }
    Water water = read_water(arguments[1]);
    printf("particles,ranks,own_most,ghosts_mean,ghosts_most,near_mean,near_most,bytes_mean,bytes_most\n");
    for (int k = 3; k < count; k++) {
        int ranks = atoi(arguments[k]);
        if (ranks < 1)
            stop_on_error(result_error(RESULT_USAGE, "%s: is not a number of ranks", arguments[k]));
        count_ranks(&water, (uint32_t)ranks, number(count, arguments, 2, 3, 1000));
    }
    cluster_tree_free(&water.tree);
    for (int a = 0; a < 3; a++) memory_free(water.x[a]);
    return 0;
}
