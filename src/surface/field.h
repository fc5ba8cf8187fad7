// The scalar field: the sum of all kernels on a sparse grid whose blocks exist only near the surface.
// Elsewhere it is constant: 0 outside, 1 deep inside.
#ifndef PBF_SURFACE_FIELD_H
#define PBF_SURFACE_FIELD_H

#include "surface/kernels.h"

#define BLOCK_VALUES 512u
#define CELL_NODES 9u // along an edge: the nodes of a block's cells

// Blocks whose cells the surface may cross. The first `stored` have values of their own; the others are
// constant, but have a neighbor with values on their upper side.
typedef struct Field {
    const PointBins *bins;
    uint64_t *key;
    uint8_t *tiles; // bits of those that are summed; the others are 0, or 1 inside
    uint32_t count, stored;
    float *values;     // BLOCK_VALUES a stored block, x fastest
    float (*range)[2]; // lowest and highest value of a stored block
    float *constant;   // of the others
    uint32_t deep;     // blocks that are not listed and inside
    BlockTable table;  // key -> block or FIELD_DEEP; what is not there is outside
} Field;

#define FIELD_DEEP (UINT32_MAX - 1) // in the table: inside, not crossed by the surface

// The block this many blocks away: listed, FIELD_DEEP, or BLOCK_NONE outside.
static inline uint32_t field_neighbor(const Field *field, uint32_t block, int64_t dx, int64_t dy, int64_t dz)
{
    if (dx == 0 && dy == 0 && dz == 0) return block;
    return block_table_find(&field->table, field->key[block] + point_bins_offset(field->bins, dx, dy, dz));
}

// The constant value of the field in a block without values.
static inline float field_constant(const Field *field, uint32_t block)
{
    if (block >= field->count) return block == FIELD_DEEP ? 1 : 0;
    return field->constant[block - field->stored];
}

// Chooses the blocks and sums. Errors: RESULT_USAGE if memory does not suffice (both numbers),
// RESULT_NO_MEMORY. Free with field_free, also after an error.
Result field_make(const SurfaceDef *def, const PointBins *bins, const Kernels *kernels, Field *out);
void field_free(Field *field);
void field_free_values(Field *field); // the list of blocks and their ranges stay

// The first part of field_make: which blocks there are.
Result field_blocks_choose(const SurfaceDef *def, const Kernels *kernels, Field *field);

// Writes the range of a stored block from its values, for callers that fill these without field_make.
void field_find_range(const Field *field, uint32_t block);

// The isovalue at which the field encloses `volume` m^3, kept between low and high.
Result field_isovalue(const Field *field, double volume, float low, float high, float *out);

#endif
