#include "surface/field.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

// Memory of a block in all: its values, its vertices' places, and about 50 vertices and 100 triangles.
#define BLOCK_COST 9000ull

#define CHUNK 4096u // bins whose marks are held at a time

typedef struct Marking {
    const PointBins *bins;
    const Kernels *kernels;
    uint32_t first;  // bin
    uint32_t around; // blocks that a bin's kernels may reach
    uint8_t *marks;  // `around` a bin: tiles that its kernels at the surface reach
} Marking;

// Tiles with a node in the kernel's box.
static void mark_kernel(const PointBins *bins, const Kernel *kernel, const float center[3], uint8_t *marks)
{
    int reach = (int)bins->reach, side = 2 * reach + 1, low[3], high[3]; // tiles
    for (int axis = 0; axis < 3; axis++) {
        float begin = center[axis] - kernel->extent[axis], end = center[axis] + kernel->extent[axis];
        low[axis] = 2 * reach + (int)ceilf((begin - (TILE_EDGE - 1)) / TILE_EDGE);
        high[axis] = 2 * reach + (int)floorf(end / TILE_EDGE);
        low[axis] = low[axis] < 0 ? 0 : low[axis];
        high[axis] = high[axis] >= 2 * side ? 2 * side - 1 : high[axis];
    }
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            uint8_t *row = marks + side * (y / 2 + side * (z / 2));
            int first = 2 * (y % 2) + 4 * (z % 2);
            for (int x = low[0]; x <= high[0]; x++) row[x / 2] |= (uint8_t)(1 << (first + x % 2));
        }
    }
}

static void mark_bins(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Marking *marking = context;
    const PointBins *bins = marking->bins;
    const Kernels *kernels = marking->kernels;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t bin = marking->first + k, last = bins->begin[(bin + 1) * bins->sub_volume];
        uint8_t *marks = marking->marks + (size_t)k * marking->around;
        memset(marks, 0, marking->around);
        for (uint32_t i = bins->begin[bin * bins->sub_volume]; i < last; i++) {
            if (bins->depth[i] != POINT_SURFACE) continue;
            const float own[3] = {bins->x[i], bins->y[i], bins->z[i]};
            const Kernel *kernel = kernels->of ? &kernels->kernel[kernels->of[i]] : &kernels->round;
            mark_kernel(bins, kernel, kernels->of ? kernel->center : own, marks);
        }
    }
}

// Lists a block, none of whose tiles are summed yet. capacity: of field->key.
static Result add_block(Field *field, size_t *capacity, uint64_t key, uint32_t *value)
{
    size_t tiles = *capacity, needed = field->count + (size_t)1;
    TRY(MEMORY_RESERVE(field->tiles, tiles, field->count, needed, "the surface's blocks"));
    TRY(MEMORY_RESERVE(field->key, *capacity, field->count, needed, "the surface's blocks"));
    field->tiles[field->count] = 0;
    field->key[field->count] = key;
    *value = field->count++;
    return result_ok();
}

// Which tiles of a block are inside.
static uint8_t tiles_inside(const PointBins *bins, uint64_t key)
{
    uint32_t bin = block_table_find(&bins->table, key);
    return bin == BLOCK_NONE ? 0 : bins->inside[bin];
}

// Lists the blocks that kernels at the surface reach, or that have particles, but for those that are inside.
static Result add_marked(Field *field, size_t *capacity, const Marking *marking, uint32_t bins)
{
    int64_t reach = field->bins->reach, side = 2 * reach + 1, own = marking->around / 2;
    for (uint32_t k = 0; k < bins; k++) {
        const uint8_t *marks = marking->marks + (size_t)k * marking->around;
        for (int64_t m = 0; m < (int64_t)marking->around; m++) {
            if (marks[m] == 0 && m != own) continue;
            int64_t x = m % side - reach, y = m / side % side - reach, z = m / side / side - reach;
            uint64_t key = field->bins->key[marking->first + k] + point_bins_offset(field->bins, x, y, z);
            uint32_t *value;
            TRY(block_table_insert(&field->table, key, FIELD_DEEP, &value));
            if (*value == FIELD_DEEP && tiles_inside(field->bins, key) != ALL_TILES)
                TRY(add_block(field, capacity, key, value));
            if (*value != FIELD_DEEP) field->tiles[*value] |= marks[m];
        }
    }
    return result_ok();
}

static Result add_all_marked(Field *field, size_t *capacity, const Kernels *kernels)
{
    const PointBins *bins = field->bins;
    uint32_t side = (uint32_t)(2 * bins->reach + 1);
    Marking marking = {.bins = bins, .kernels = kernels, .around = side * side * side};
    uint32_t chunk = bins->bin_count < CHUNK ? bins->bin_count : CHUNK;
    marking.marks = memory_allocate((size_t)chunk * marking.around);
    if (!marking.marks) return result_no_memory("the surface's blocks", (size_t)chunk * marking.around);
    Result result = result_ok();
    while (marking.first < bins->bin_count && result_is_ok(&result)) {
        uint32_t left = bins->bin_count - marking.first, count = left < chunk ? left : chunk;
        parallel_for(count, 32, mark_bins, &marking);
        result = add_marked(field, capacity, &marking, count);
        marking.first += count;
    }
    memory_free(marking.marks);
    return result;
}

// A deep block beside an empty one could have the surface on its far side: it gets values.
static Result add_exposed(Field *field, size_t *capacity)
{
    BlockTable *table = &field->table;
    for (uint32_t slot = 0; slot < table->slots; slot++) {
        if (table->values[slot] != FIELD_DEEP) continue;
        bool exposed = false;
        for (int k = 0; k < 27 && !exposed; k++) {
            uint64_t step = point_bins_offset(field->bins, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            exposed = block_table_find(table, table->keys[slot] + step) == BLOCK_NONE;
        }
        if (!exposed) continue;
        TRY(add_block(field, capacity, table->keys[slot], &table->values[slot]));
        field->tiles[field->count - 1] = ALL_TILES;
    }
    return result_ok();
}

// The surface may cross cells of a block without values only if nodes of these cells belong to one with
// values.
static Result add_rim(Field *field, size_t *capacity)
{
    size_t constants = 0; // that there is room for
    for (uint32_t block = 0; block < field->stored; block++) {
        for (int k = 1; k < 8; k++) {
            uint64_t step = point_bins_offset(field->bins, -(k & 1), -(k >> 1 & 1), -(k >> 2));
            uint64_t key = field->key[block] + step;
            uint32_t *value, there = block_table_find(&field->table, key), rim = field->count - field->stored;
            if (there != FIELD_DEEP && there != BLOCK_NONE) continue;
            TRY(MEMORY_RESERVE(field->constant, constants, rim, rim + (size_t)1, "the surface's blocks"));
            field->constant[rim] = there == FIELD_DEEP;
            TRY(block_table_insert(&field->table, key, FIELD_DEEP, &value));
            TRY(add_block(field, capacity, key, value));
        }
    }
    return result_ok();
}

static Result check_memory(const SurfaceDef *def, const Field *field)
{
    uint64_t limit = def->memory_limit ? def->memory_limit : memory_available();
    uint64_t needed = field->stored * BLOCK_COST;
    if (needed <= limit) return result_ok();
    return result_error(
        RESULT_USAGE,
        "surface: the grid and mesh need %.0f MB, %.0f MB are available (use a larger cell than "
        "%g spacings)",
        (double)needed / 1e6, (double)limit / 1e6, (double)def->cell);
}

Result field_blocks_choose(const SurfaceDef *def, const Kernels *kernels, Field *field)
{
    size_t capacity = 0;
    TRY(add_all_marked(field, &capacity, kernels));
    for (uint32_t block = 0; block < field->count; block++)
        field->tiles[block] &= (uint8_t)~tiles_inside(field->bins, field->key[block]);
    TRY(add_exposed(field, &capacity));
    field->stored = field->count;
    TRY(check_memory(def, field));
    TRY(add_rim(field, &capacity));
    for (uint32_t slot = 0; slot < field->table.slots; slot++)
        field->deep += field->table.values[slot] == FIELD_DEEP;
    return result_ok();
}
