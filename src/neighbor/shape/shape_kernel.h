// The two loops that a shape query spends its time in, for one instruction set each: testing points, and
// cutting rows of cells to the shape.
#ifndef PBF_NEIGHBOR_SHAPE_KERNEL_H
#define PBF_NEIGHBOR_SHAPE_KERNEL_H

#include "neighbor/candidates.h"
#include "neighbor/shape/shape_query.h"

#define SHAPE_LANES 16u

// Streams come from memory_allocate. `flat`: z is 0 everywhere and not looked at.
typedef struct ShapePoints {
    PointStreams streams;
    bool flat;
} ShapePoints;

// Sixteen rows of cells along x, relative to the pivot.
typedef struct ShapeRows {
    float y[SHAPE_LANES], z[SHAPE_LANES]; // centers of the rows, m
    float half_y, half_z;                 // of a cell, m
} ShapeRows;

typedef struct ShapeKernel {
    // Writes the indices of the points of the ranges that are inside; returns how many. May overwrite
    // SHAPE_LANES entries more.
    uint32_t (*filter)(const ShapeQuery *query, const ShapePoints *points, const PlaceRange *ranges,
                       uint32_t count, uint32_t *out);
    // The same for a list of `count` places of the streams. The list may be `out`; it is padded by
    // SHAPE_LANES.
    uint32_t (*filter_listed)(const ShapeQuery *query, const ShapePoints *points, const uint32_t *list,
                              uint32_t count, uint32_t *out);
    // The part from[k] .. to[k] along x, relative to the pivot, of each row that can hold points of the
    // shape. Returns the bits of the rows that can hold any.
    uint32_t (*cut)(const ShapeQuery *query, const ShapeRows *rows, float from[SHAPE_LANES],
                    float to[SHAPE_LANES]);
} ShapeKernel;

extern const ShapeKernel shape_kernel_plain, shape_kernel_avx2, shape_kernel_avx512;

// The kernel for cpu_level().
const ShapeKernel *shape_kernel(void);

#endif
