#include "surface/field.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/field_sum.h"

#include <string.h>

#define BLOCK_CELLS 512u
#define VOLUME_SAMPLES 5 // isovalues at which the enclosed volume is taken

static void sum_block(const Field *field, const Kernels *kernels, uint32_t block)
{
    const PointBins *bins = field->bins;
    float *values = field->values + (size_t)block * BLOCK_VALUES;
    memset(values, 0, BLOCK_VALUES * sizeof *values);
    FieldSum *sum = field_sum(cpu_level());
    int64_t place[3], reach = bins->reach;
    point_bins_place(bins, field->key[block], place);
    double corner[3];
    float far = (float)(bins->edge - bins->cell);
    for (int axis = 0; axis < 3; axis++) corner[axis] = point_bins_corner(bins, place[axis], axis);
    Kernel batch[64];
    uint32_t count = 0;
    for (int64_t dz = -reach; dz <= reach; dz++) {
        for (int64_t dy = -reach; dy <= reach; dy++) {
            for (int64_t dx = -reach; dx <= reach; dx++) {
                uint64_t key = field->key[block] + point_bins_offset(bins, dx, dy, dz);
                uint32_t bin = block_table_find(&bins->table, key);
                if (bin == BLOCK_NONE) continue;
                for (uint32_t i = bins->begin[bin]; i < bins->begin[bin + 1]; i++) {
                    uint32_t shape = kernels->of ? kernels->of[i] : BLOCK_NONE;
                    const Kernel *kernel = shape == BLOCK_NONE ? &kernels->round : &kernels->kernel[shape];
                    const float *at = kernel->centre, own[3] = {bins->x[i], bins->y[i], bins->z[i]};
                    if (shape == BLOCK_NONE) at = own;
                    float c[3];
                    int touches = 1;
                    for (int axis = 0; axis < 3; axis++) {
                        c[axis] = (float)(at[axis] - corner[axis]);
                        touches &= c[axis] + kernel->extent[axis] > 0 && c[axis] - kernel->extent[axis] < far;
                    }
                    if (!touches) continue;
                    batch[count] = *kernel;
                    memcpy(batch[count++].centre, c, sizeof c);
                    if (count == sizeof batch / sizeof *batch) {
                        sum(values, batch, count, (float)bins->cell);
                        count = 0;
                    }
                }
            }
        }
    }
    sum(values, batch, count, (float)bins->cell);
}

typedef struct Summing {
    const Field *field;
    const Kernels *kernels;
} Summing;

static void sum_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Summing *summing = context;
    for (uint32_t block = begin; block < end; block++) sum_block(summing->field, summing->kernels, block);
}

Result field_make(const SurfaceDef *def, const PointBins *bins, const Kernels *kernels, Field *out)
{
    *out = (Field){.bins = bins};
    TRY(field_blocks_choose(def, kernels, out));
    size_t bytes = (size_t)out->stored * BLOCK_VALUES * sizeof(float);
    out->values = memory_allocate(bytes);
    if (!out->values) return result_no_memory("the surface's grid", bytes);
    Summing summing = {out, kernels};
    parallel_for(out->stored, 8, sum_blocks, &summing);
    return result_ok();
}

void field_free(Field *field)
{
    memory_free(field->key);
    memory_free(field->values);
    memory_free(field->constant);
    block_table_free(&field->table);
    *field = (Field){0};
}

void field_load(const Field *field, uint32_t block, int first, uint32_t side, float *to)
{
    int last = first + (int)side - 1;
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int step[3] = {dx, dy, dz}, low[3], high[3], empty = 0;
                for (int axis = 0; axis < 3; axis++) {
                    int begin = 8 * step[axis], end = begin + 7;
                    low[axis] = begin > first ? begin : first;
                    high[axis] = end < last ? end : last;
                    empty |= low[axis] > high[axis];
                }
                if (empty) continue;
                uint32_t from = block;
                if (dx || dy || dz) {
                    uint64_t key = field->key[block] + point_bins_offset(field->bins, dx, dy, dz);
                    from = block_table_find(&field->table, key);
                }
                bool stored = from < field->stored;
                float constant = stored || from == BLOCK_NONE ? 0 : 1;
                if (!stored && from < field->count) constant = field->constant[from - field->stored];
                const float *values = stored ? field->values + (size_t)from * BLOCK_VALUES : NULL;
                for (int z = low[2]; z <= high[2]; z++) {
                    for (int y = low[1]; y <= high[1]; y++) {
                        float *row = to + (int)side * ((y - first) + (int)side * (z - first));
                        const float *line = values ? values + 8 * ((y & 7) + 8 * (z & 7)) : NULL;
                        for (int x = low[0]; x <= high[0]; x++)
                            row[x - first] = line ? line[x & 7] : constant;
                    }
                }
            }
        }
    }
}

typedef struct Volumes {
    const Field *field;
    float isovalue[VOLUME_SAMPLES];
    float (*cells)[VOLUME_SAMPLES]; // per block, cells inside
} Volumes;

// The part of a cell inside, from the field's mean and slope in it: exact for a plane that crosses the cells
// at all distances alike.
static void add_cell(const Volumes *volumes, const float *at, float *cells)
{
    const uint32_t nx = 1, ny = CELL_NODES, nz = CELL_NODES * CELL_NODES;
    float sum[2][2][2];
    for (uint32_t c = 0; c < 8; c++) {
        sum[c >> 2][c >> 1 & 1][c & 1] = at[(c & 1) * nx + (c >> 1 & 1) * ny + (c >> 2) * nz];
    }
    float mean = 0, slope[3] = {0, 0, 0};
    for (uint32_t c = 0; c < 8; c++) {
        float value = 0.125f * sum[c >> 2][c >> 1 & 1][c & 1];
        mean += value;
        for (uint32_t axis = 0; axis < 3; axis++) slope[axis] += c >> axis & 1 ? 2 * value : -2 * value;
    }
    float width = fabsf(slope[0]) + fabsf(slope[1]) + fabsf(slope[2]) + 1e-6f;
    for (int k = 0; k < VOLUME_SAMPLES; k++) {
        float part = 0.5f + (mean - volumes->isovalue[k]) / width;
        cells[k] += part < 0 ? 0 : part > 1 ? 1 : part;
    }
}

static void measure_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Volumes *volumes = context;
    for (uint32_t block = begin; block < end; block++) {
        float values[CELL_NODES * CELL_NODES * CELL_NODES], low = INFINITY, high = -INFINITY;
        field_load(volumes->field, block, 0, CELL_NODES, values);
        for (uint32_t k = 0; k < CELL_NODES * CELL_NODES * CELL_NODES; k++) {
            low = values[k] < low ? values[k] : low;
            high = values[k] > high ? values[k] : high;
        }
        float *cells = volumes->cells[block];
        bool mixed = low < volumes->isovalue[VOLUME_SAMPLES - 1] && high > volumes->isovalue[0];
        for (int k = 0; k < VOLUME_SAMPLES; k++)
            cells[k] = !mixed && high > volumes->isovalue[0] ? BLOCK_CELLS : 0;
        for (uint32_t c = 0; mixed && c < BLOCK_CELLS; c++) {
            add_cell(volumes, values + (c & 7) + CELL_NODES * ((c >> 3 & 7) + CELL_NODES * (c >> 6)), cells);
        }
    }
}

Result field_isovalue(const Field *field, double volume, float low, float high, float *out)
{
    size_t bytes = field->count * VOLUME_SAMPLES * sizeof(float);
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
