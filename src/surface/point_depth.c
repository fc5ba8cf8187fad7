#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

#define CELLS_MAX 4u    // along an edge of a block; BLOCKS_MAX in point_bins.c counts on it
#define WIDTH 0.85      // undeformed kernel radii that a sub-cell is wide at least
#define FULL_SHARE 0.5  // of a lattice's particles that a well filled sub-cell holds at least
#define HALF_SHARE 0.25 // likewise for its halves

typedef struct Depth {
    const PointBins *bins;
    uint32_t cells, volume; // sub-cells along an edge and in a block
    uint32_t full;          // particles in a well filled sub-cell
    uint32_t half_full;     // and in every half of it: a gap between two bodies may take one
    uint32_t (*around)[27]; // bins around each bin, x fastest
    uint8_t *in, *out;      // per sub-cell of every bin
} Depth;

uint32_t point_depth_cells(const SurfaceDef *def, double block_edge)
{
    double cells = floor(block_edge / (WIDTH * (double)def->support * def->spacing) + 1e-6);
    return cells < 1 ? 1 : cells > CELLS_MAX ? CELLS_MAX : (uint32_t)cells;
}

static void find_around(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    const PointBins *bins = depth->bins;
    for (uint32_t bin = begin; bin < end; bin++) {
        for (int k = 0; k < 27; k++) {
            uint64_t key = bins->key[bin] + point_bins_offset(bins, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            depth->around[bin][k] = block_table_find(&bins->table, key);
        }
    }
}

// Marks of the bin's sub-cells with a border of one from the bins around; 0 where a bin is missing.
static void load_marks(const Depth *depth, uint32_t bin, uint8_t *to)
{
    int cells = (int)depth->cells, side = cells + 2;
    for (int z = 0; z < side; z++) {
        for (int y = 0; y < side; y++) {
            for (int x = 0; x < side; x++) {
                int bx = (x + cells - 1) / cells, by = (y + cells - 1) / cells, bz = (z + cells - 1) / cells;
                uint32_t from = depth->around[bin][bx + 3 * (by + 3 * bz)];
                int cx = x - 1 - (bx - 1) * cells, cy = y - 1 - (by - 1) * cells,
                    cz = z - 1 - (bz - 1) * cells;
                *to++ =
                    from == BLOCK_NONE
                        ? 0
                        : depth->in[(size_t)from * depth->volume + (size_t)(cx + cells * (cy + cells * cz))];
            }
        }
    }
}

// Particles of a sub-cell and of its six halves.
typedef struct Filling {
    uint32_t all, half[3][2];
} Filling;

static bool is_full(const Depth *depth, const Filling *filling)
{
    bool full = filling->all >= depth->full;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) full &= filling->half[axis][side] >= depth->half_full;
    }
    return full;
}

static void count_full(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    const PointBins *bins = depth->bins;
    const float *streams[3] = {bins->x, bins->y, bins->z};
    float halves = 2 * (float)depth->cells / BLOCK_NODES;
    for (size_t cell = (size_t)begin * depth->volume; cell < (size_t)end * depth->volume; cell++) {
        Filling filling = {.all = bins->begin[cell + 1] - bins->begin[cell]};
        for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
            for (int axis = 0; axis < 3; axis++)
                filling.half[axis][(uint32_t)(streams[axis][i] * halves) & 1u]++;
        }
        depth->out[cell] = is_full(depth, &filling);
    }
}

// out = 1 where all 27 sub-cells of `in` are full, that is where particles are deep.
static void erode(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    uint32_t cells = depth->cells, side = cells + 2;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint8_t marks[(CELLS_MAX + 2) * (CELLS_MAX + 2) * (CELLS_MAX + 2)];
        load_marks(depth, bin, marks);
        for (uint32_t c = 0; c < depth->volume; c++) {
            const uint8_t *low = marks + c % cells + side * (c / cells % cells + side * (c / cells / cells));
            uint8_t all = 1;
            for (uint32_t k = 0; k < 27; k++) all &= low[k % 3 + side * (k / 3 % 3 + side * (k / 9))];
            depth->out[(size_t)bin * depth->volume + c] = all;
        }
    }
}

// in: 0 deep. Deep sub-cells beside one that is not become POINT_NEAR.
static void widen(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    uint32_t cells = depth->cells, side = cells + 2;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint8_t marks[(CELLS_MAX + 2) * (CELLS_MAX + 2) * (CELLS_MAX + 2)];
        load_marks(depth, bin, marks);
        for (uint32_t c = 0; c < depth->volume; c++) {
            size_t at = (size_t)bin * depth->volume + c;
            const uint8_t *low = marks + c % cells + side * (c / cells % cells + side * (c / cells / cells));
            uint8_t any = 0;
            for (uint32_t k = 0; k < 27; k++) any |= low[k % 3 + side * (k / 3 % 3 + side * (k / 9))];
            depth->out[at] = depth->in[at] ? depth->in[at] : any ? POINT_NEAR : POINT_DEEP;
        }
    }
}

static void swap(Depth *depth)
{
    uint8_t *in = depth->out;
    depth->out = depth->in;
    depth->in = in;
}

Result point_depth_find(const SurfaceDef *def, PointBins *bins, uint32_t steps)
{
    Depth depth = {.bins = bins, .cells = bins->sub_edge, .volume = bins->sub_volume};
    double width = bins->edge / depth.cells / def->spacing;
    double full = FULL_SHARE * width * width * width;
    depth.full = full < 1 ? 1 : (uint32_t)full;
    double half_full = HALF_SHARE * width * width * width / 2;
    depth.half_full = half_full < 1 ? 1 : (uint32_t)half_full;
    size_t total = (size_t)bins->bin_count * depth.volume;
    uint8_t *other = memory_allocate(total);
    depth.around = memory_allocate(bins->bin_count * sizeof *depth.around);
    bool enough = other && depth.around;
    if (enough) {
        uint32_t n = bins->bin_count, grain = 64;
        depth.in = other;
        depth.out = bins->depth;
        parallel_for(n, grain, find_around, &depth);
        parallel_for(n, grain, count_full, &depth);
        swap(&depth);
        parallel_for(n, grain, erode, &depth);
        for (size_t k = 0; k < total; k++) depth.out[k] = depth.out[k] ? POINT_DEEP : POINT_SURFACE;
        for (uint32_t k = 0; k < steps; k++) {
            swap(&depth);
            parallel_for(n, grain, widen, &depth);
        }
        if (depth.out != bins->depth) memcpy(bins->depth, depth.out, total);
    }
    memory_free(other);
    memory_free(depth.around);
    return enough ? result_ok() : result_no_memory("the surface's depth", total + bins->bin_count * 108ull);
}
