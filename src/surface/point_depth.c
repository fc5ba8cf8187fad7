#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

#define WIDTH 0.85      // undeformed kernel radii within which particles fill a sub-cell
#define GAP 1.0         // spacings without water between two bodies that are seen wherever they lie
#define WEIGHT_STEPS 64 // of a particle's weight along an axis: sums of whole numbers need no order
#define SUM_MAX (UINT32_C(1) << 25)
#define GRAIN 64u // bins

#define CELLS_MAX 4u                 // along an edge of a block: those of a block are bits of a word
#define SIDE_MAX (CELLS_MAX + 2)     // sub-cells along a block with a border of one
#define ROW_SIDE_MAX (3 * CELLS_MAX) // and with the widest border

typedef struct Depth {
    PointBins *bins;
    uint32_t cells;         // along an edge of a block
    uint32_t bordered;      // in a block with a border of one
    uint32_t reach;         // sub-cells within which particles fill one
    uint32_t full;          // least sum of a well filled sub-cell
    uint32_t *sums;         // per bin of its sub-cells and a border of one, of the bin's own particles
    uint32_t (*around)[27]; // bins around each bin, x fastest
    uint64_t *hollow, *shallow, *seen, *spare; // a bit for each sub-cell of every bin
} Depth;

// One way of spreading marks.
typedef struct Spreading {
    const Depth *depth;
    const uint64_t *from;
    uint64_t *to;
    uint64_t missing; // marks of bins that are not there
    uint32_t steps;   // at most `cells`
} Spreading;

static uint64_t all_bits(const Depth *depth)
{
    return UINT64_MAX >> (64 - depth->cells * depth->cells * depth->cells);
}

// Bins are sorted, so that neighbors along x are neighbors in the list.
static void find_around(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    const PointBins *bins = depth->bins;
    for (uint32_t bin = begin; bin < end; bin++) {
        for (int line = 0; line < 9; line++) {
            uint64_t key = bins->key[bin] + point_bins_offset(bins, 0, line % 3 - 1, line / 3 - 1);
            uint32_t *to = depth->around[bin] + 3 * line, here = block_table_find(&bins->table, key);
            to[1] = here;
            if (here == BLOCK_NONE) {
                to[0] = block_table_find(&bins->table, key - 1);
                to[2] = block_table_find(&bins->table, key + 1);
                continue;
            }
            to[0] = here > 0 && bins->key[here - 1] == key - 1 ? here - 1 : BLOCK_NONE;
            to[2] = here + 1 < bins->bin_count && bins->key[here + 1] == key + 1 ? here + 1 : BLOCK_NONE;
        }
    }
}

// --- well filled sub-cells ---

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
        for (uint32_t i = bins->begin[bin * bins->sub_volume]; i < bins->begin[(bin + 1) * bins->sub_volume];
             i++)
            add_particle(depth, (float[3]){bins->x[i], bins->y[i], bins->z[i]}, sums);
    }
}

// Adds what the sums of a bin have in common with those of another, so many blocks away.
static inline void add_sums(uint32_t cells, const uint32_t *from, const int blocks[3], uint32_t *to)
{
    int side = (int)cells + 2, first[3], last[3], shift[3];
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = blocks[axis] * (int)cells;
        first[axis] = shift[axis] > 0 ? shift[axis] : 0;
        last[axis] = shift[axis] < 0 ? side + shift[axis] : side;
    }
    for (int z = first[2]; z < last[2]; z++) {
        for (int y = first[1]; y < last[1]; y++) {
            uint32_t *row = to + side * (y + side * z);
            const uint32_t *other = from + side * (y - shift[1] + side * (z - shift[2]));
            for (int x = first[0]; x < last[0]; x++) row[x] += other[x - shift[0]];
        }
    }
}

// Makes sums those of particles within twice as far: along each axis half of those on either side are added,
// all times two to stay whole. Those of the border are used up.
static inline void widen_sums(uint32_t cells, uint32_t *sums)
{
    const uint32_t side = cells + 2, steps[3] = {1, side, side * side};
    for (int axis = 0; axis < 3; axis++) {
        uint32_t step = steps[axis];
        // In rising order each place still has its old value when the one before it has been replaced.
        for (uint32_t line = 0; line < side * side; line++) {
            uint32_t across = axis == 0   ? line * side
                              : axis == 1 ? line % side + line / side * side * side
                                          : line;
            uint32_t before = sums[across];
            for (uint32_t k = 1; k + 1 < side; k++) {
                uint32_t here = sums[across + k * step];
                sums[across + k * step] = before + 2 * here + sums[across + (k + 1) * step];
                before = here;
            }
        }
    }
}

// The sub-cells of a bin that are not well filled. cells: depth->cells.
static inline uint64_t hollow_cells(const Depth *depth, uint32_t bin, uint32_t cells)
{
    const uint32_t side = cells + 2, bordered = side * side * side;
    uint32_t sums[SIDE_MAX * SIDE_MAX * SIDE_MAX] = {0};
#pragma GCC unroll 27 // bounds of the loops in add_sums become numbers
    for (int k = 0; k < 27; k++) {
        uint32_t from = depth->around[bin][k];
        const int blocks[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (from != BLOCK_NONE) add_sums(cells, depth->sums + (size_t)from * bordered, blocks, sums);
    }
    for (uint32_t k = 0; k < bordered; k++) sums[k] = sums[k] < SUM_MAX ? sums[k] : SUM_MAX;
    if (depth->reach == 2) widen_sums(cells, sums);
    uint64_t hollow = 0;
    for (uint32_t c = 0; c < cells * cells * cells; c++) {
        uint32_t x = c % cells + 1, y = c / cells % cells + 1, z = c / cells / cells + 1;
        hollow |= (uint64_t)(sums[x + side * (y + side * z)] < depth->full) << c;
    }
    return hollow;
}

static void find_hollow(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Depth *depth = context;
    for (uint32_t bin = begin; bin < end; bin++) {
        // Of blocks with the usual number of sub-cells the compiler knows how long the loops are.
        depth->hollow[bin] = depth->cells == CELLS_MAX ? hollow_cells(depth, bin, CELLS_MAX)
                                                       : hollow_cells(depth, bin, depth->cells);
    }
}

// --- what lies near them ---

// The marks of a bin and of so many sub-cells around it: rows along x, by y and z.
static inline void load_rows(const Spreading *spreading, uint32_t bin, uint32_t cells, uint32_t *rows)
{
    const Depth *depth = spreading->depth;
    uint32_t side = cells + 2 * spreading->steps, skipped = cells - spreading->steps;
    uint32_t row_mask = (1u << cells) - 1;
    uint64_t marks[27];
    for (int k = 0; k < 27; k++) {
        uint32_t from = depth->around[bin][k];
        marks[k] = from == BLOCK_NONE ? spreading->missing : spreading->from[from];
    }
    for (uint32_t z = 0; z < side; z++) {
        for (uint32_t y = 0; y < side; y++) {
            uint32_t there_y = y + skipped, there_z = z + skipped,
                     place = cells * (there_y % cells + cells * (there_z % cells));
            const uint64_t *line = marks + 3 * (there_y / cells + 3 * (there_z / cells));
            uint32_t row = 0;
            for (uint32_t x = 0; x < 3; x++) row |= ((uint32_t)(line[x] >> place) & row_mask) << cells * x;
            rows[y + side * z] = row;
        }
    }
}

// The sub-cells of a bin that have a mark within so many steps. cells: depth->cells.
static inline uint64_t spread_marks(const Spreading *spreading, uint32_t bin, uint32_t cells)
{
    const uint32_t steps = spreading->steps, side = cells + 2 * steps;
    uint32_t rows[ROW_SIDE_MAX * ROW_SIDE_MAX], lines[CELLS_MAX * ROW_SIDE_MAX];
    load_rows(spreading, bin, cells, rows);
    for (uint32_t z = 0; z < side; z++) {
        for (uint32_t y = 0; y < cells; y++) {
            uint32_t any = 0;
            for (uint32_t k = 0; k <= 2 * steps; k++) any |= rows[y + k + side * z];
            lines[y + cells * z] = any;
        }
    }
    uint64_t marks = 0;
    for (uint32_t z = 0; z < cells; z++) {
        for (uint32_t y = 0; y < cells; y++) {
            uint32_t any = 0;
            for (uint32_t k = 0; k <= 2 * steps; k++) any |= lines[y + cells * (z + k)];
            for (uint32_t k = 0; k < steps; k++) any |= any << 1 | any >> 1;
            uint64_t row = any >> cells & ((1u << cells) - 1);
            marks |= row << cells * (y + cells * z);
        }
    }
    return marks;
}

static void spread_bins(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Spreading *spreading = context;
    const uint32_t cells = spreading->depth->cells;
    for (uint32_t bin = begin; bin < end; bin++) {
        spreading->to[bin] = cells == CELLS_MAX ? spread_marks(spreading, bin, CELLS_MAX) // as in find_hollow
                                                : spread_marks(spreading, bin, cells);
    }
}

// Marks in `to` the sub-cells that have a mark of `from` within so many steps. missing: are those without
// particles for a block around marked?
static void spread(const Depth *depth, const uint64_t *from, uint32_t steps, bool missing, uint64_t *to)
{
    uint32_t bins = depth->bins->bin_count;
    Spreading spreading = {.depth = depth, .from = from, .missing = missing ? all_bits(depth) : 0};
    uint64_t *target = to;
    do { // neighbors of neighbors are out of reach at once
        spreading.steps = steps < depth->cells ? steps : depth->cells;
        spreading.to = target;
        parallel_for(bins, GRAIN, spread_bins, &spreading);
        steps -= spreading.steps;
        spreading.from = target;
        target = target == to ? depth->spare : to;
    } while (steps > 0);
    if (spreading.from != to) memcpy(to, depth->spare, bins * sizeof *to);
}

// The sub-cell of a place in a block.
static uint32_t cell_of(const Depth *depth, const float at[3])
{
    uint32_t cell[3];
    for (int axis = 0; axis < 3; axis++) {
        uint32_t k = (uint32_t)(at[axis] * (float)depth->cells / BLOCK_NODES);
        cell[axis] = k < depth->cells ? k : depth->cells - 1; // where the place was rounded up
    }
    return cell[0] + depth->cells * (cell[1] + depth->cells * cell[2]);
}

static void mark_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Depth *depth = context;
    const PointBins *bins = depth->bins;
    for (uint32_t bin = begin; bin < end; bin++) {
        uint64_t shallow = depth->shallow[bin], seen = depth->seen[bin];
        for (uint32_t i = bins->begin[bin * bins->sub_volume]; i < bins->begin[(bin + 1) * bins->sub_volume];
             i++) {
            uint32_t cell = cell_of(depth, (float[3]){bins->x[i], bins->y[i], bins->z[i]});
            bins->depth[i] = shallow >> cell & 1 ? POINT_SURFACE : seen >> cell & 1 ? POINT_NEAR : POINT_DEEP;
        }
    }
}

// Are a sub-cell and the nodes of a tile on an axis apart? side: of the tile, 0 or 1.
static bool tile_is_apart(const Depth *depth, uint32_t cell, uint32_t side)
{
    uint32_t first = TILE_EDGE * side, last = first + TILE_EDGE - 1;
    return cell < first * depth->cells / BLOCK_NODES || cell > last * depth->cells / BLOCK_NODES;
}

// Tiles are inside that lie in none of the sub-cells with a mark.
static void mark_tiles(const Depth *depth, const uint64_t *marks)
{
    uint32_t cells = depth->cells;
    uint64_t of_tile[BLOCK_TILES] = {0};
    for (uint32_t tile = 0; tile < BLOCK_TILES; tile++) {
        for (uint32_t c = 0; c < cells * cells * cells; c++) {
            bool apart = tile_is_apart(depth, c % cells, tile & 1) ||
                         tile_is_apart(depth, c / cells % cells, tile >> 1 & 1) ||
                         tile_is_apart(depth, c / cells / cells, tile >> 2);
            if (!apart) of_tile[tile] |= UINT64_C(1) << c;
        }
    }
    for (uint32_t bin = 0; bin < depth->bins->bin_count; bin++) {
        depth->bins->inside[bin] = 0;
        for (uint32_t tile = 0; tile < BLOCK_TILES; tile++) {
            if (!(marks[bin] & of_tile[tile])) depth->bins->inside[bin] |= (uint8_t)(1u << tile);
        }
    }
}

static void find_depth(const SurfaceDef *def, Depth *depth)
{
    uint32_t n = depth->bins->bin_count;
    double width = depth->bins->edge / depth->cells, radius = (double)def->covariance_radius * def->spacing;
    parallel_for(n, GRAIN, find_around, depth);
    parallel_for(n, GRAIN, sum_particles, depth);
    parallel_for(n, GRAIN, find_hollow, depth);
    spread(depth, depth->hollow, depth->reach, true, depth->shallow);
    // Round kernels need no neighbors, but the grid still wants to know where the surface is.
    spread(depth, depth->shallow, def->anisotropic ? (uint32_t)ceil(radius / width) : 0, false, depth->seen);
    parallel_for(n, GRAIN, mark_particles, depth);
    // Vertices and normals look two nodes further in than the surface is.
    double margin = ceil(2 * depth->bins->cell / width - (depth->reach - 0.25));
    spread(depth, depth->shallow, margin > 0 ? (uint32_t)margin : 0, true, depth->hollow);
    mark_tiles(depth, depth->hollow);
}

// What a gap right between two sub-cells leaves of the sum of either. reach: where weights end; apart: of the
// sub-cells' middles; both in spacings.
static double share_beside_gap(double reach, double apart)
{
    double near = GAP / 2 - apart / 2,
           far = GAP / 2 + apart / 2; // the gap's ends, one on each side if near > 0
    double beyond = far < reach ? pow(1 - far / reach, 2) / 2 : 0;
    double before = fabs(near) < reach ? pow(1 - fabs(near) / reach, 2) / 2 : 0;
    return near > 0 ? before + beyond : 1 - before + beyond;
}

uint32_t point_depth_cells(const SurfaceDef *def, double block_edge)
{
    double cells = floor(block_edge / (0.5 * WIDTH * (double)def->support * def->spacing) + 1e-6);
    return cells < 1 ? 1 : cells > CELLS_MAX ? CELLS_MAX : (uint32_t)cells;
}

Result point_depth_find(const SurfaceDef *def, PointBins *bins)
{
    uint32_t cells = point_depth_cells(def, bins->edge), side = cells + 2, n = bins->bin_count;
    Depth depth = {.bins = bins, .cells = cells, .bordered = side * side * side};
    double width = bins->edge / cells / def->spacing, wanted = WIDTH * (double)def->support;
    depth.reach = width < 0.99 * wanted ? 2 : 1;
    double reach = depth.reach * width;
    depth.full = (uint32_t)(share_beside_gap(reach, width) * pow(reach * WEIGHT_STEPS * depth.reach, 3));
    size_t sums = (size_t)n * depth.bordered, bytes = sums * 4 + n * (4 * 8 + sizeof *depth.around);
    depth.around = memory_allocate(n * sizeof *depth.around);
    depth.sums = memory_allocate(sums * sizeof *depth.sums);
    uint64_t *marks = memory_allocate(4 * (size_t)n * sizeof *marks);
    bool enough = depth.around && depth.sums && marks;
    if (enough) {
        depth.hollow = marks, depth.shallow = marks + n;
        depth.seen = marks + 2 * (size_t)n, depth.spare = marks + 3 * (size_t)n;
        find_depth(def, &depth);
    }
    memory_free(depth.around);
    memory_free(depth.sums);
    memory_free(marks);
    return enough ? result_ok() : result_no_memory("the surface's depth", bytes);
}
