// What water that ranks share costs in ghosts and bytes, counted on a stored state: which clusters each of so
// many ranks would need of the others in a step (src/mpi/README.md). No processes are started.
// usage: bench_scale STATE.pbf ITERATIONS [xFINER] [boxes] RANKS...
// x2, x3, ...: of the state with each particle split into 2^3, 3^3, ..., in the program's order again. boxes:
// in an order that the program does not have, through boxes of 16x16x32 spacings along a Morton curve. Prints
// a row for each number of ranks: particles, ranks, the most that one has of them; then mean and most over
// the ranks: ghosts (particles), ranks that are near, bytes that it sends in a step.
#include "benching.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "core/sort.h"
#include "export/block_file.h"
#include "fluid/share_run.h"
#include "neighbor/cluster_tree.h"
#include "neighbor/neighbor.h"
#include "neighbor/point_order.h"

#include <math.h>
#include <string.h>

typedef struct Water {
    float *x[3]; // padded
    uint32_t count, block;
    float spacing, radius; // m
    ClusterTree tree;
} Water;

static void *room(uint64_t count, size_t bytes)
{
    void *at = memory_allocate_zeroed(count * bytes);
    if (!at) stop_on_error(result_no_memory("the particles", count * bytes));
    return at;
}

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
    Water water = {.count = (uint32_t)x->count, .spacing = stored_number(&state, "spacing")};
    for (int a = 0; a < 3; a++) {
        water.x[a] = room(water.count + 16ull, sizeof(float));
        stop_on_error(blocks_copy(&state, names[a], BLOCK_FLOAT, x->count, water.x[a]));
    }
    blocks_free(&state);
    return water;
}

// Each particle becomes finer^3 ones.
static void split(Water *water, uint32_t finer)
{
    uint64_t parts = (uint64_t)finer * finer * finer, count = water->count * parts;
    if (count > INT32_MAX) stop_on_error(result_error(RESULT_USAGE, "x%u: too many particles", finer));
    water->spacing /= (float)finer;
    for (int a = 0; a < 3; a++) {
        float *to = room(count + 16, sizeof *to);
        for (uint64_t k = 0; k < count; k++) {
            uint64_t part = k % parts, place[3] = {part % finer, part / finer % finer, part / finer / finer};
            to[k] = water->x[a][k / parts] + ((float)place[a] - 0.5f * (float)(finer - 1)) * water->spacing;
        }
        memory_free(water->x[a]);
        water->x[a] = to;
    }
    water->count = (uint32_t)count;
}

// --- order ---

typedef struct Ordering {
    const Water *water;
    PointOrder order;
    PointKeys keys;
    uint64_t *key;
    bool boxes;
} Ordering;

static PointCell cell_of(const Ordering *o, uint32_t i)
{
    return point_order_cell(&o->order, o->water->x[0][i], o->water->x[1][i], o->water->x[2][i]);
}

// Every third bit.
static uint64_t apart(uint64_t bits)
{
    uint64_t out = 0;
    for (unsigned b = 0; b < 15; b++) out |= (bits >> b & 1) << 3 * b;
    return out;
}

// Boxes are as wide along a bar as across, and twice as high: of the height's bits the lowest is left out.
static uint64_t box_key(const Ordering *o, PointCell cell)
{
    const unsigned bits[] = {POINT_STRIP_BITS, POINT_STRIP_BITS, POINT_BAR_BITS};
    uint64_t box[3];
    for (int a = 0; a < 3; a++)
        box[a] = (uint64_t)(point_cell_part(cell.at[a], bits[a]) - point_cell_part(o->keys.lo[a], bits[a]));
    uint64_t key = apart(box[0]) | apart(box[1]) << 1 | apart(box[2] << 1) << 2;
    const unsigned column = POINT_STRIP_BITS + POINT_BAR_BITS;
    key = key << POINT_STRIP_BITS | point_cell_rest(cell.at[0], POINT_STRIP_BITS);
    return key << column | (point_key(&o->keys, cell) & ((1 << column) - 1));
}

static void write_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Ordering *o = context;
    for (uint32_t i = begin; i < end; i++) {
        PointCell cell = cell_of(o, i);
        o->key[i] = o->boxes ? box_key(o, cell) : point_key(&o->keys, cell);
    }
}

static void put_in_order(Water *water, bool boxes)
{
    NeighborSearch *search;
    SortBuffers sort = {0};
    const uint32_t *order;
    stop_on_error(neighbor_search_create("cluster_grid", water->radius, &search));
    Ordering o = {.water = water, .order = neighbor_search_order(search, water->spacing), .boxes = boxes};
    neighbor_search_destroy(search);
    stop_on_error(sort_buffers_reserve(&sort, water->count));
    PointCell lo = cell_of(&o, 0), hi = lo;
    for (uint32_t i = 0; i < water->count; i++) {
        PointCell cell = cell_of(&o, i);
        for (int a = 0; a < 3; a++) {
            if (cell.at[a] < lo.at[a]) lo.at[a] = cell.at[a];
            if (cell.at[a] > hi.at[a]) hi.at[a] = cell.at[a];
        }
    }
    o.keys = point_keys_between(&o.order, lo, hi), o.key = sort.keys[0];
    parallel_for(water->count, 4096, write_keys, &o);
    sort_order(&sort, water->count, &order);
    for (int a = 0; a < 3; a++) {
        float *to = room(water->count + 16ull, sizeof *to);
        for (uint32_t k = 0; k < water->count; k++) to[k] = water->x[a][order[k]];
        memory_free(water->x[a]);
        water->x[a] = to;
    }
    sort_buffers_free(&sort);
}

static void make_clusters(Water *water)
{
    water->block = neighbor_cluster_block(groups_of(water->count, NEIGHBOR_CLUSTER));
    for (int a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 16; k++) water->x[a][water->count + k] = NEIGHBOR_FAR;
    stop_on_error(
        cluster_tree_build(&water->tree, water->x[0], water->x[1], water->x[2], water->count, water->count));
}

// What ranks need of each other.
typedef struct Needs {
    uint32_t ranks;
    uint32_t *rank;                      // of each cluster
    uint64_t *ghosts, *clusters, *boxes; // clusters of others; own ones that others need; boxes sent
    uint32_t *near;
    PointBox *box; // of each rank
} Needs;

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

typedef struct Count {
    const Water *water;
    Needs *needs;
    uint32_t rank, *nodes, *near;
    uint8_t *marks;
} Count;

// What is near a box of the rank's, and who gets this box.
static void count_box(const Count *count, const PointBox *box)
{
    const ClusterTree *tree = &count->water->tree;
    const ClusterKernel *kernel = cluster_kernel();
    Needs *needs = count->needs;
    float radius = count->water->radius, square = radius * radius;
    for (uint32_t r = 0; r < needs->ranks; r++)
        needs->boxes[count->rank] += r != count->rank && share_near(box, &needs->box[r], radius);
    uint32_t nodes = kernel->near_nodes(tree, box, square, count->nodes);
    uint32_t found = kernel->near_clusters(tree, box, square, count->nodes, nodes, count->near);
    for (uint32_t k = 0; k < found; k++) {
        uint32_t cluster = count->near[k], owner = needs->rank[cluster];
        if (owner == count->rank || count->marks[cluster]) continue;
        count->marks[cluster] = 1;
        needs->ghosts[count->rank]++;
        needs->clusters[owner]++;
    }
}

// As share_ghosts.c does.
static void count_rank(const Count *count)
{
    const Water *water = count->water;
    Needs *needs = count->needs;
    uint32_t rank = count->rank;
    uint64_t first = first_cluster(water, rank, needs->ranks),
             last = first_cluster(water, rank + 1, needs->ranks);
    memset(count->marks, 0, water->tree.clusters);
    for (uint32_t r = 0; r < needs->ranks; r++)
        needs->near[rank] += r != rank && share_near(&needs->box[rank], &needs->box[r], water->radius);
    for (uint64_t c = first; c < last; c += SHARE_BORDER) {
        PointBox boxes[SHARE_BORDER];
        uint64_t end = c + SHARE_BORDER < last ? c + SHARE_BORDER : last;
        uint32_t number = share_border(&water->tree, (uint32_t)c, (uint32_t)end, water->radius, boxes);
        for (uint32_t k = 0; k < number; k++) count_box(count, &boxes[k]);
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
    for (uint32_t r = 0; r < ranks; r++)
        count_rank(&(Count){water, &needs, r, scratch, scratch + water->tree.nodes[0], marks});
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
        fprintf(stderr, "usage: bench_scale STATE.pbf ITERATIONS [xFINER] [boxes] RANKS...\n");
        return 2;
    }
    Water water = read_water(arguments[1]);
    int first = 3;
    uint32_t finer = arguments[first][0] == 'x' ? (uint32_t)atoi(arguments[first] + 1) : 1;
    if (finer < 1) stop_on_error(result_error(RESULT_USAGE, "%s: is not how much finer", arguments[first]));
    first += arguments[first][0] == 'x';
    bool boxes = first < count && strcmp(arguments[first], "boxes") == 0;
    first += boxes;
    if (finer > 1) split(&water, finer);
    water.radius = fluid_def_default().radius_factor * water.spacing;
    if (finer > 1 || boxes) put_in_order(&water, boxes);
    make_clusters(&water);
    printf("particles,ranks,own_most,ghosts_mean,ghosts_most,near_mean,near_most,bytes_mean,bytes_most\n");
    for (int k = first; k < count; k++) {
        int ranks = atoi(arguments[k]);
        if (ranks < 1)
            stop_on_error(result_error(RESULT_USAGE, "%s: is not a number of ranks", arguments[k]));
        count_ranks(&water, (uint32_t)ranks, number(count, arguments, 2, 3, 1000));
    }
    cluster_tree_free(&water.tree);
    for (int a = 0; a < 3; a++) memory_free(water.x[a]);
    return 0;
}
