#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

#define CELLS_MAX 4u    // along an edge of a block; BLOCKS_MAX in point_bins.c counts on it
#define WIDTH 0.85      // undeformed kernel radii that a sub-cell is wide at least
#define GAP 1.0         // spacings without water between two bodies that are seen wherever they lie
#define WEIGHT_STEPS 64 // of a particle's weight along an axis: sums of whole numbers need no order
#define SUM_MAX (UINT32_MAX / 2)

#define SIDE_MAX (CELLS_MAX + 2) // sub-cells along a block with a border of one

typedef struct Depth {
    const PointBins *bins;
    uint32_t cells, volume; // sub-cells along an edge and in a block
    uint32_t bordered;      // and in a block with its border
    uint64_t full;          // least sum of a well filled sub-cell
    uint32_t *sums;         // per bin of its sub-cells and a border of one, of the bin's own particles
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

// Shares a particle out among the eight sub-cells whose middles are around it: less the farther away, so that
// no sum depends on where a lattice lies between the sub-cells.
static void add_particle(const Depth *depth, const float at[3], uint32_t *sums)
{
    uint32_t low[3], weight[3][2], side = depth->cells + 2;
    for (int axis = 0; axis < 3; axis++) {
        float middle = at[axis] * (float)depth->cells / BLOCK_NODES + 0.5f; // 0 in the middle of the border
        low[axis] = (uint32_t)middle;
        weight[axis][1] = (uint32_t)lrintf((middle - (float)low[axis]) * WEIGHT_STEPS);
        weight[axis][0] = WEIGHT_STEPS - weight[axis][1];
    }
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        uint32_t *sum = &sums[low[0] + x + side * (low[1] + y + side * (low[2] + z))];
        if (*sum < SUM_MAX) *sum += weight[0][x] * weight[1][y] * weight[2][z];
    }
}

static void sum_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    const PointBins *bins = depth->bins;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint32_t *sums = depth->sums + (size_t)bin * depth->bordered;
        memset(sums, 0, depth->bordered * sizeof *sums);
        for (uint32_t i = bins->begin[bin * depth->volume]; i < bins->begin[(bin + 1) * depth->volume]; i++)
            add_particle(depth, (float[3]){bins->x[i], bins->y[i], bins->z[i]}, sums);
    }
}

// What the bins around give to a sub-cell of a bin.
static uint64_t sum_around(const Depth *depth, uint32_t bin, const uint32_t cell[3])
{
    uint32_t cells = depth->cells, side = cells + 2;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 27; k++) {
        // From the border of the bin there; what lies before it wraps to more than `side`.
        uint32_t x = cell[0] + 1 + cells - k % 3 * cells, y = cell[1] + 1 + cells - k / 3 % 3 * cells,
                 z = cell[2] + 1 + cells - k / 9 * cells, from = depth->around[bin][k];
        if (from == BLOCK_NONE || x >= side || y >= side || z >= side) continue;
        sum += depth->sums[(size_t)from * depth->bordered + x + side * (y + side * z)];
    }
    return sum;
}

static void find_full(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    uint32_t cells = depth->cells;
    for (uint32_t bin = begin; bin < end; bin++) {
        for (uint32_t c = 0; c < depth->volume; c++) {
            uint32_t cell[3] = {c % cells, c / cells % cells, c / cells / cells};
            depth->out[(size_t)bin * depth->volume + c] = sum_around(depth, bin, cell) >= depth->full;
        }
    }
}

// Of the marks of a sub-cell and the 26 around it: those that all have, and those that any has.
typedef struct Around {
    uint8_t all, any;
} Around;

// marks: of a bin, with its border.
static Around marks_around(const Depth *depth, const uint8_t *marks, uint32_t cell)
{
    uint32_t cells = depth->cells, side = cells + 2;
    const uint8_t *low = marks + cell % cells + side * (cell / cells % cells + side * (cell / cells / cells));
    Around around = {0xff, 0};
    for (uint32_t k = 0; k < 27; k++) {
        uint8_t mark = low[k % 3 + side * (k / 3 % 3 + side * (k / 9))];
        around.all &= mark;
        around.any |= mark;
    }
    return around;
}

// out = 1 where all 27 sub-cells of `in` are full, that is where particles are deep.
static void erode(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint8_t marks[SIDE_MAX * SIDE_MAX * SIDE_MAX], *out = depth->out + (size_t)bin * depth->volume;
        load_marks(depth, bin, marks);
        for (uint32_t c = 0; c < depth->volume; c++) out[c] = marks_around(depth, marks, c).all;
    }
}

// in: 0 deep. Deep sub-cells beside one that is not become POINT_NEAR.
static void widen(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint8_t marks[SIDE_MAX * SIDE_MAX * SIDE_MAX], *out = depth->out + (size_t)bin * depth->volume;
        const uint8_t *in = depth->in + (size_t)bin * depth->volume;
        load_marks(depth, bin, marks);
        for (uint32_t c = 0; c < depth->volume; c++)
            out[c] = in[c] ? in[c] : marks_around(depth, marks, c).any ? POINT_NEAR : POINT_DEEP;
    }
}

static void swap(Depth *depth)
{
    uint8_t *in = depth->out;
    depth->out = depth->in;
    depth->in = in;
}

static void find_depth(Depth *depth, uint32_t steps, size_t total)
{
    uint32_t n = depth->bins->bin_count, grain = 64;
    parallel_for(n, grain, find_around, depth);
    parallel_for(n, grain, sum_particles, depth);
    parallel_for(n, grain, find_full, depth);
    swap(depth);
    parallel_for(n, grain, erode, depth);
    for (size_t k = 0; k < total; k++) depth->out[k] = depth->out[k] ? POINT_DEEP : POINT_SURFACE;
    for (uint32_t k = 0; k < steps; k++) {
        swap(depth);
        parallel_for(n, grain, widen, depth);
    }
}

Result point_depth_find(const SurfaceDef *def, PointBins *bins, uint32_t steps)
{
    uint32_t cells = bins->sub_edge, side = cells + 2;
    Depth depth = {.bins = bins, .cells = cells, .volume = bins->sub_volume, .bordered = side * side * side};
    // A gap takes most of a sub-cell's sum if it lies in its middle, least if it lies between two.
    double width = bins->edge / cells / def->spacing, share = 1 - GAP / (2 * width);
    depth.full = (uint64_t)(share * pow(width * WEIGHT_STEPS, 3));
    size_t total = (size_t)bins->bin_count * depth.volume, sums = (size_t)bins->bin_count * depth.bordered;
    uint8_t *other = memory_allocate(total);
    depth.around = memory_allocate(bins->bin_count * sizeof *depth.around);
    depth.sums = memory_allocate(sums * sizeof *depth.sums);
    depth.in = other;
    depth.out = bins->depth;
    bool enough = other && depth.around && depth.sums;
    if (enough) {
        find_depth(&depth, steps, total);
        if (depth.out != bins->depth) memcpy(bins->depth, depth.out, total);
    }
    memory_free(other);
    memory_free(depth.around);
    memory_free(depth.sums);
    size_t bytes = total + bins->bin_count * sizeof *depth.around + sums * sizeof *depth.sums;
    return enough ? result_ok() : result_no_memory("the surface's depth", bytes);
}
