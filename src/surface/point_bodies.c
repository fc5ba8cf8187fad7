#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"

#define GRAIN 32u // bins

// Union-find without locks: threads join bodies at the same time. A particle's parent is always one before
// it, and a root only ever gets a parent by compare-and-swap, so each body ends with its first particle as
// the root in any order.

enum {
    CELL_LEFT_OUT, // empty, or of deep particles only
    CELL_UNITED,   // its particles are of one body by themselves
    CELL_DIVIDED,
};

typedef struct Bodies {
    const PointBins *bins;
    float link;
    uint32_t *body; // per particle its parent
    uint8_t *cells; // per sub-cell, CELL_...
} Bodies;

static uint32_t parent_of(const uint32_t *body, uint32_t i)
{
    return __atomic_load_n(&body[i], __ATOMIC_RELAXED);
}

static uint32_t find_root(uint32_t *body, uint32_t i)
{
    for (;;) {
        uint32_t parent = parent_of(body, i);
        if (parent == i) return i;
        uint32_t next = parent_of(body, parent);
        if (next != parent) __atomic_store_n(&body[i], next, __ATOMIC_RELAXED);
        i = next;
    }
}

static uint32_t join(uint32_t *body, uint32_t a, uint32_t b)
{
    for (;;) {
        a = find_root(body, a);
        b = find_root(body, b);
        if (a == b) return a;
        uint32_t low = a < b ? a : b, high = a < b ? b : a, expected = high;
        if (__atomic_compare_exchange_n(&body[high], &expected, low, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return low;
    }
}

// Has the sub-cell particles that are not deep?
static bool has_shallow(const PointBins *bins, uint32_t cell)
{
    for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
        if (bins->depth[i] != POINT_DEEP) return true;
    }
    return false;
}

static bool all_belong_to(const Bodies *bodies, uint32_t cell, uint32_t root)
{
    for (uint32_t i = bodies->bins->begin[cell]; i < bodies->bins->begin[cell + 1]; i++) {
        if (find_root(bodies->body, i) != root) return false;
    }
    return true;
}

// Are the particles of two sub-cells of one body?
static bool are_joined(const Bodies *bodies, uint32_t cell, uint32_t other)
{
    uint32_t root = find_root(bodies->body, bodies->bins->begin[cell]);
    if (bodies->cells[cell] == CELL_UNITED && bodies->cells[other] == CELL_UNITED)
        return find_root(bodies->body, bodies->bins->begin[other]) == root;
    return all_belong_to(bodies, cell, root) && all_belong_to(bodies, other, root);
}

// Joins the particles of two sub-cells. shift: what to add to coordinates in `other` to count them as in
// `cell`. once: may it end with the first pair?
static void join_cells(const Bodies *bodies, uint32_t cell, uint32_t other, const float shift[3], bool once)
{
    const PointBins *bins = bodies->bins;
    float square = bodies->link * bodies->link;
    for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
        uint32_t root = find_root(bodies->body, i), end = other == cell ? i : bins->begin[other + 1];
        float x = bins->x[i] - shift[0], y = bins->y[i] - shift[1], z = bins->z[i] - shift[2];
        for (uint32_t j = bins->begin[other]; j < end; j++) {
            if (parent_of(bodies->body, j) == root) continue;
            float dx = bins->x[j] - x, dy = bins->y[j] - y, dz = bins->z[j] - z;
            if (dx * dx + dy * dy + dz * dz > square) continue;
            root = join(bodies->body, i, j);
            if (once) return;
        }
    }
}

// Joins the particles of each sub-cell with each other.
static void join_within(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Bodies *bodies = context;
    const float here[3] = {0, 0, 0};
    for (uint32_t cell = begin; cell < end; cell++) {
        bodies->cells[cell] = CELL_LEFT_OUT;
        if (!has_shallow(bodies->bins, cell)) continue;
        join_cells(bodies, cell, cell, here, false);
        bool united = all_belong_to(bodies, cell, find_root(bodies->body, bodies->bins->begin[cell]));
        bodies->cells[cell] = united ? CELL_UNITED : CELL_DIVIDED;
    }
}

// Joins the particles of a sub-cell with those in the sub-cells before it.
static void join_cell(const Bodies *bodies, uint32_t cell, const PointRow *rows, uint32_t row_count)
{
    for (uint32_t k = 0; k < row_count; k++) {
        for (uint32_t other = rows[k].first; other <= rows[k].last && other < cell; other++) {
            if (bodies->cells[other] == CELL_LEFT_OUT || are_joined(bodies, cell, other)) continue;
            bool once = bodies->cells[cell] == CELL_UNITED && bodies->cells[other] == CELL_UNITED;
            join_cells(bodies, cell, other, rows[k].shift, once);
        }
    }
}

static void join_bins(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Bodies *bodies = context;
    const PointBins *bins = bodies->bins;
    PointRow rows[POINT_ROWS_MAX];
    uint32_t n = bins->sub_edge;
    float width = (float)BLOCK_NODES / (float)n;
    for (uint32_t bin = begin; bin < end; bin++) {
        for (uint32_t c = 0; c < bins->sub_volume; c++) {
            uint32_t cell = bin * bins->sub_volume + c;
            if (bodies->cells[cell] == CELL_LEFT_OUT) continue;
            float low[3] = {(float)(c % n) * width, (float)(c / n % n) * width, (float)(c / n / n) * width};
            float high[3] = {low[0] + width, low[1] + width, low[2] + width};
            uint32_t count = point_bins_rows(bins, bins->key[bin], low, high, bodies->link, rows);
            join_cell(bodies, cell, rows, count);
        }
    }
}

static void flatten(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Bodies *bodies = context;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t root = find_root(bodies->body, i);
        __atomic_store_n(&bodies->body[i], root, __ATOMIC_RELAXED);
    }
}

Result point_bodies_find(const PointBins *bins, float link, uint32_t *body)
{
    uint32_t cells = bins->bin_count * bins->sub_volume;
    Bodies bodies = {bins, link, body, memory_allocate(cells)};
    if (!bodies.cells) return result_no_memory("the surface's bodies", cells);
    for (uint32_t i = 0; i < bins->count; i++) body[i] = i;
    parallel_for(cells, GRAIN * bins->sub_volume, join_within, &bodies);
    parallel_for(bins->bin_count, GRAIN, join_bins, &bodies);
    parallel_for(bins->count, 8192, flatten, &bodies);
    memory_free(bodies.cells);
    return result_ok();
}
