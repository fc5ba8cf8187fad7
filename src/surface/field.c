#include "surface/field.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/field_sum.h"
#include "surface/near_points.h"

#include <string.h>

#define BLOCK_CELLS 512u
#define VOLUME_SAMPLES 5 // isovalues at which the enclosed volume is taken

// Inputs of a block's sum.
typedef struct BlockSum {
    FieldSum *run;
    SumBatch batch;
    float low[3], high[3]; // nodes of the tiles that are summed
    float tiles[BLOCK_TILES][TILE_NODES];
} BlockSum;

// center: from the block's first node.
static inline void add_kernel(BlockSum *sum, const Kernel *kernel, const float center[3])
{
    int touches = 1;
    for (int axis = 0; axis < 3; axis++) {
        touches &= (center[axis] + kernel->extent[axis] > sum->low[axis]) &
                   (center[axis] - kernel->extent[axis] < sum->high[axis]);
    }
    if (!touches) return;
    SumBatch *batch = &sum->batch;
    uint32_t k = batch->count++;
    for (int axis = 0; axis < 3; axis++) batch->center[axis][k] = center[axis];
    for (int axis = 0; axis < 3; axis++) batch->extent[axis][k] = kernel->extent[axis];
    for (int slot = 0; slot < 6; slot++) batch->m[slot][k] = kernel->m[slot];
    batch->root[k] = kernel->root;
    if (batch->count < SUM_KERNELS) return;
    sum->run(sum->tiles, batch);
    batch->count = 0;
}

static void add_points(BlockSum *sum, const NearQuery *query, const NearPoints *near, const Kernels *kernels)
{
    const PointBins *bins = query->bins;
    const float *const streams[3] = {bins->x, bins->y, bins->z};
    for (uint32_t k = 0; k < near->count; k++) {
        uint32_t i = near->index[k], shape = kernels->of ? kernels->of[i] : BLOCK_NONE;
        const float at[3] = {near->at[0][k], near->at[1][k], near->at[2][k]};
        if (shape == BLOCK_NONE) {
            add_kernel(sum, &kernels->round, at);
            continue;
        }
        const Kernel *kernel = &kernels->kernel[shape];
        float center[3];
        for (int axis = 0; axis < 3; axis++)
            center[axis] = kernel->center[axis] + rintf(at[axis] - streams[axis][i]);
        add_kernel(sum, kernel, center);
    }
}

// Writes the tiles' nodes in the block's order.
static void store_tiles(const BlockSum *sum, float *values)
{
    for (uint32_t line = 0; line < 64; line++) {
        uint32_t y = line & 7, z = line >> 3, tile = 2 * (y >> 2) + 4 * (z >> 2),
                 at = 4 * (y & 3) + 16 * (z & 3);
        memcpy(values + 8 * line, sum->tiles[tile] + at, 4 * sizeof(float));
        memcpy(values + 8 * line + 4, sum->tiles[tile + 1] + at, 4 * sizeof(float));
    }
}

void field_find_range(const Field *field, uint32_t block)
{
    enum { WIDTH = 16 }; // the compiler turns the loops over it into SIMD
    const float *values = field->values + (size_t)block * BLOCK_VALUES;
    float low[WIDTH], high[WIDTH], *range = field->range[block];
    for (uint32_t k = 0; k < WIDTH; k++) low[k] = high[k] = values[k];
    for (uint32_t at = WIDTH; at < BLOCK_VALUES; at += WIDTH) {
        for (uint32_t k = 0; k < WIDTH; k++) {
            float value = values[at + k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    range[0] = low[0], range[1] = high[0];
    for (uint32_t k = 1; k < WIDTH; k++) {
        range[0] = low[k] < range[0] ? low[k] : range[0];
        range[1] = high[k] > range[1] ? high[k] : range[1];
    }
}

typedef struct Summing {
    const Field *field;
    const Kernels *kernels;
    NearPointsNext *next;
    float reach; // grid cells, of a kernel from its particle
} Summing;

// Starts a block: tiles that are not summed are 1 or 0, and the box of the others bounds what matters.
static void start_block(const Field *field, uint32_t block, BlockSum *sum)
{
    uint32_t bin = block_table_find(&field->bins->table, field->key[block]);
    uint32_t inside = bin == BLOCK_NONE ? 0 : field->bins->inside[bin];
    sum->batch.tiles = field->tiles[block];
    for (int axis = 0; axis < 3; axis++) sum->low[axis] = BLOCK_NODES, sum->high[axis] = 0;
    for (uint32_t tile = 0; tile < BLOCK_TILES; tile++) {
        bool summed = sum->batch.tiles >> tile & 1;
        float value = !summed && inside >> tile & 1 ? 1 : 0;
        for (uint32_t node = 0; node < TILE_NODES; node++) sum->tiles[tile][node] = value;
        if (!summed) continue;
        for (int axis = 0; axis < 3; axis++) {
            float first = (float)(TILE_EDGE * (tile >> axis & 1)), last = first + TILE_EDGE - 1;
            sum->low[axis] = first < sum->low[axis] ? first : sum->low[axis];
            sum->high[axis] = last > sum->high[axis] ? last : sum->high[axis];
        }
    }
}

static void sum_kernels(const Summing *summing, uint64_t key, BlockSum *sum)
{
    const PointBins *bins = summing->field->bins;
    NearQuery query;
    NearPoints near;
    near_query_start(&query, bins, key, sum->low, sum->high, summing->reach);
    while (summing->next(&query, &near)) add_points(sum, &query, &near, summing->kernels);
    sum->run(sum->tiles, &sum->batch);
    sum->batch.count = 0;
}

static void sum_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Summing *summing = context;
    const Field *field = summing->field;
    BlockSum sum = {.run = field_sum(cpu_level()), .batch = {.radius = summing->kernels->radius}};
    for (uint32_t block = begin; block < end; block++) {
        start_block(field, block, &sum);
        if (sum.batch.tiles) sum_kernels(summing, field->key[block], &sum);
        store_tiles(&sum, field->values + (size_t)block * BLOCK_VALUES);
        field_find_range(field, block);
    }
}

Result field_make(const SurfaceDef *def, const PointBins *bins, const Kernels *kernels, Field *out)
{
    *out = (Field){.bins = bins};
    TRY(field_blocks_choose(def, kernels, out));
    size_t bytes = (size_t)out->stored * BLOCK_VALUES * sizeof(float);
    out->values = memory_allocate(bytes);
    out->range = memory_allocate(out->stored * sizeof *out->range);
    if (!out->values || !out->range) return result_no_memory("the surface's grid", bytes);
    Summing summing = {out, kernels, near_points(cpu_level()),
                       kernels->radius + (kernels->of ? KERNEL_MOVE_MAX / def->cell : 0)};
    parallel_for(out->stored, 16, sum_blocks, &summing);
    return result_ok();
}

void field_free_values(Field *field)
{
    memory_free(field->values);
    field->values = NULL;
}

void field_free(Field *field)
{
    memory_free(field->key);
    memory_free(field->tiles);
    memory_free(field->values);
    memory_free(field->range);
    memory_free(field->constant);
    block_table_free(&field->table);
    *field = (Field){0};
}

// The nodes of a block's cells, x fastest: its own, and those of its neighbors on the upper sides.
static void field_load(const Field *field, uint32_t block, float *to)
{
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t upper[3] = {k & 1, k >> 1 & 1, k >> 2}, size[3];
        uint32_t from = field_neighbor(field, block, upper[0], upper[1], upper[2]);
        bool stored = from < field->stored;
        float constant = stored ? 0 : field_constant(field, from);
        const float *values = stored ? field->values + (size_t)from * BLOCK_VALUES : NULL;
        for (int axis = 0; axis < 3; axis++) size[axis] = upper[axis] ? 1 : BLOCK_NODES;
        for (uint32_t z = 0; z < size[2]; z++) {
            for (uint32_t y = 0; y < size[1]; y++) {
                float *row =
                    to + BLOCK_NODES * upper[0] +
                    CELL_NODES * (y + BLOCK_NODES * upper[1] + CELL_NODES * (z + BLOCK_NODES * upper[2]));
                for (uint32_t x = 0; x < size[0]; x++)
                    row[x] = values ? values[x + 8 * (y + 8 * z)] : constant;
            }
        }
    }
}

typedef struct Volumes {
    const Field *field;
    float isovalue[VOLUME_SAMPLES];
    float (*cells)[VOLUME_SAMPLES]; // per block, cells inside
} Volumes;

// The part of each cell of a line inside, from the field's mean and slope in it: exact for a plane that
// crosses the cells at all distances alike. at: the line's first node among CELL_NODES^3. cells: sums.
static void add_line(const Volumes *volumes, const float *at, float cells[VOLUME_SAMPLES][BLOCK_NODES])
{
    const float *line[4] = {at, at + CELL_NODES, at + CELL_NODES * CELL_NODES,
                            at + CELL_NODES * (CELL_NODES + 1)};
    float mean[BLOCK_NODES], inverse[BLOCK_NODES];
    for (uint32_t x = 0; x < BLOCK_NODES; x++) {
        float a = line[0][x], b = line[0][x + 1], c = line[1][x], d = line[1][x + 1];
        float e = line[2][x], f = line[2][x + 1], g = line[3][x], h = line[3][x + 1];
        float low = (a + b) + (c + d), high = (e + f) + (g + h);
        float slope_x = ((b - a) + (d - c)) + ((f - e) + (h - g));
        float slope_y = ((c - a) + (d - b)) + ((g - e) + (h - f)), slope_z = high - low;
        mean[x] = 0.125f * (low + high);
        inverse[x] = 1 / (0.25f * (fabsf(slope_x) + fabsf(slope_y) + fabsf(slope_z)) + 1e-6f);
    }
    for (int k = 0; k < VOLUME_SAMPLES; k++) {
        for (uint32_t x = 0; x < BLOCK_NODES; x++) {
            float part = 0.5f + (mean[x] - volumes->isovalue[k]) * inverse[x];
            part = part < 0 ? 0 : part;
            cells[k][x] += part > 1 ? 1 : part;
        }
    }
}

// The range of values of a block and of those that its cells' nodes lie in.
static void find_range(const Field *field, uint32_t block, float range[2])
{
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int k = 0; k < 8; k++) {
        uint32_t other = field_neighbor(field, block, k & 1, k >> 1 & 1, k >> 2);
        bool stored = other < field->stored;
        float low = stored ? field->range[other][0] : field_constant(field, other);
        float high = stored ? field->range[other][1] : low;
        range[0] = low < range[0] ? low : range[0];
        range[1] = high > range[1] ? high : range[1];
    }
}

static void measure_block(const Volumes *volumes, uint32_t block, float total[VOLUME_SAMPLES])
{
    float values[CELL_NODES * CELL_NODES * CELL_NODES], cells[VOLUME_SAMPLES][BLOCK_NODES] = {{0}};
    field_load(volumes->field, block, values);
    for (uint32_t z = 0; z < BLOCK_NODES; z++) {
        for (uint32_t y = 0; y < BLOCK_NODES; y++)
            add_line(volumes, values + CELL_NODES * (y + CELL_NODES * z), cells);
    }
    for (int k = 0; k < VOLUME_SAMPLES; k++) {
        total[k] = 0;
        for (uint32_t x = 0; x < BLOCK_NODES; x++) total[k] += cells[k][x];
    }
}

static void measure_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Volumes *volumes = context;
    for (uint32_t block = begin; block < end; block++) {
        float range[2], lowest = volumes->isovalue[0], highest = volumes->isovalue[VOLUME_SAMPLES - 1];
        find_range(volumes->field, block, range);
        if (range[0] < highest && range[1] > lowest) {
            measure_block(volumes, block, volumes->cells[block]);
            continue;
        }
        for (int k = 0; k < VOLUME_SAMPLES; k++)
            volumes->cells[block][k] = range[1] > lowest ? BLOCK_CELLS : 0;
    }
}

Result field_isovalue(const Field *field, double volume, float low, float high, float *out)
{
    size_t bytes = sizeof(float[VOLUME_SAMPLES]) * field->count;
    Volumes volumes = {.field = field, .cells = memory_allocate(bytes)};
    if (!volumes.cells) return result_no_memory("the surface's volume", bytes);
    for (int k = 0; k < VOLUME_SAMPLES; k++) {
        volumes.isovalue[k] = low + (high - low) * (float)k / (VOLUME_SAMPLES - 1);
    }
    parallel_for(field->count, 16, measure_blocks, &volumes);
    double cell = field->bins->cell * field->bins->cell * field->bins->cell, before = 0;
    *out = high;
    for (int k = 0; k < VOLUME_SAMPLES; k++) { // from large to small volumes
        double here = (double)field->deep * BLOCK_CELLS;
        for (uint32_t block = 0; block < field->count; block++) here += volumes.cells[block][k];
        here *= cell;
        if (here <= volume) {
            double part = k == 0 ? 0 : (before - volume) / (before - here);
            float from = volumes.isovalue[k == 0 ? 0 : k - 1];
            *out = from + (float)part * (volumes.isovalue[k] - from);
            break;
        }
        before = here;
    }
    memory_free(volumes.cells);
    return result_ok();
}
