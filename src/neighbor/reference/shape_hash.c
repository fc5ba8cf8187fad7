// Shape queries with a hash table of cells (Teschner et al. 2003).
#include "core/memory.h"
#include "neighbor/reference/cell_table.h"
#include "neighbor/reference/shape_reference.h"

#include <math.h>
#include <string.h>

// Points further than 2^20 cells from 0 share the outermost cell.
#define CELL_MAX 1048575.0
#define RANGES 64u

typedef struct HashedCell {
    int32_t at[3];
    uint32_t begin, end; // of its points; begin counts them while the table is built. end 0: free slot
} HashedCell;

static inline int32_t cell_along(const ShapeHash *hash, float at)
{
    double cell = floor((double)at * hash->inverse);
    cell = cell > -CELL_MAX ? cell : -CELL_MAX;
    return (int32_t)(cell < CELL_MAX ? cell : CELL_MAX);
}

// The slot of a cell, or the free one where it would be.
static inline uint32_t find_slot(const ShapeHash *hash, const int32_t at[3])
{
    uint32_t slot = cell_hash((uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    slot = (slot ^ slot >> 15) & hash->mask;
    while (hash->cell[slot].end && memcmp(hash->cell[slot].at, at, sizeof hash->cell[slot].at) != 0)
        slot = (slot + 1) & hash->mask;
    return slot;
}

static Result reserve(ShapeHash *hash, size_t n)
{
    size_t slots = 16;
    while (slots < 2 * n) slots *= 2;
    hash->mask = (uint32_t)slots - 1;
    TRY(MEMORY_RESERVE(hash->cell, hash->cell_capacity, 0, slots, "hash table"));
    TRY(MEMORY_RESERVE(hash->cell_of, hash->of_capacity, 0, n, "hash table"));
    TRY(MEMORY_RESERVE(hash->x, hash->x_capacity, 0, n, "hash table"));
    TRY(MEMORY_RESERVE(hash->y, hash->y_capacity, 0, n, "hash table"));
    TRY(MEMORY_RESERVE(hash->z, hash->z_capacity, 0, n, "hash table"));
    return MEMORY_RESERVE(hash->index, hash->index_capacity, 0, n, "hash table");
}

static void file_points(ShapeHash *hash, PointView points)
{
    memset(hash->cell, 0, ((size_t)hash->mask + 1) * sizeof *hash->cell);
    hash->cells = 0;
    for (uint32_t k = 0; k < points.count; k++) {
        int32_t at[3] = {cell_along(hash, points.x[k]), cell_along(hash, points.y[k]), 0};
        if (!hash->flat) at[2] = cell_along(hash, points.z[k]);
        uint32_t slot = find_slot(hash, at);
        HashedCell *cell = &hash->cell[slot];
        if (cell->end == 0) {
            memcpy(cell->at, at, sizeof at);
            cell->end = 1;
            hash->cells++;
        }
        cell->begin++;
        hash->cell_of[k] = slot;
    }
}

Result shape_hash_build(ShapeHash *hash, PointView points, uint32_t dimensions, float edge)
{
    hash->inverse = 1.0 / (double)edge;
    hash->flat = dimensions == 2;
    hash->count = points.count;
    TRY(reserve(hash, points.count));
    file_points(hash, points);
    uint32_t sum = 0;
    for (uint32_t slot = 0; slot <= hash->mask; slot++) { // from counts to places, filled from the end
        HashedCell *cell = &hash->cell[slot];
        if (cell->end == 0) continue;
        sum += cell->begin;
        cell->begin = cell->end = sum;
    }
    for (uint32_t k = points.count; k-- > 0;) {
        uint32_t place = --hash->cell[hash->cell_of[k]].begin;
        hash->index[place] = k;
        hash->x[place] = points.x[k];
        hash->y[place] = points.y[k];
        if (!hash->flat) hash->z[place] = points.z[k];
    }
    return result_ok();
}

void shape_hash_free(ShapeHash *hash)
{
    memory_free(hash->cell);
    memory_free(hash->cell_of);
    memory_free(hash->x);
    memory_free(hash->y);
    memory_free(hash->z);
    memory_free(hash->index);
    *hash = (ShapeHash){0};
}

// Cells of the box around the ball; both ends included.
typedef struct CellRange {
    int32_t lo[3], hi[3];
} CellRange;

static CellRange box_of(const ShapeHash *hash, const ShapeQuery *query)
{
    const float at[3] = {query->at.x, query->at.y, query->at.z};
    float reach = query->reach * 1.001f;
    CellRange box = {{0}, {0}};
    for (int axis = 0; axis < (hash->flat ? 2 : 3); axis++) {
        box.lo[axis] = cell_along(hash, at[axis] - reach);
        box.hi[axis] = cell_along(hash, at[axis] + reach);
    }
    return box;
}

uint32_t shape_hash_find(const ShapeHash *hash, const ShapeQuery *query, uint32_t *out)
{
    const ShapeKernel *kernel = shape_kernel();
    const ShapePoints points = {{hash->x, hash->y, hash->z, hash->index}, hash->flat};
    CellRange box = box_of(hash, query);
    double visits = 1.0;
    for (int axis = 0; axis < 3; axis++) visits *= (double)box.hi[axis] - box.lo[axis] + 1.0;
    PlaceRange range[RANGES] = {{0, hash->count}};
    if (visits > hash->cells) return kernel->filter(query, &points, range, hash->count > 0, out);
    uint32_t ranges = 0, found = 0;
    int32_t at[3];
    for (at[2] = box.lo[2]; at[2] <= box.hi[2]; at[2]++) {
        for (at[1] = box.lo[1]; at[1] <= box.hi[1]; at[1]++) {
            for (at[0] = box.lo[0]; at[0] <= box.hi[0]; at[0]++) {
                const HashedCell *cell = &hash->cell[find_slot(hash, at)];
                range[ranges] = (PlaceRange){cell->begin, cell->end};
                ranges += cell->end > 0;
                if (ranges < RANGES) continue;
                found += kernel->filter(query, &points, range, ranges, out + found);
                ranges = 0;
            }
        }
    }
    return found + kernel->filter(query, &points, range, ranges, out + found);
}
