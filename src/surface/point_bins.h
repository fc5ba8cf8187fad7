// The particles, sorted into bins that are the grid's blocks, and which of them lie deep inside the water,
// where the field is known without looking.
#ifndef PBF_SURFACE_POINT_BINS_H
#define PBF_SURFACE_POINT_BINS_H

#include "surface/block_table.h"
#include "surface/surface.h"

#define BLOCK_NODES 8u // along an edge of a block

// How particles take part; larger includes smaller.
enum {
    POINT_DEEP,    // so far inside that the surface does not depend on its shape
    POINT_NEAR,    // deep, but a neighbor of a particle at the surface
    POINT_SURFACE, // gets a kernel of its own shape
};

typedef struct PointBins {
    double cell, edge;  // m, of a grid cell and of a block
    int64_t low[3];     // block coordinates of key 0
    uint64_t blocks[3]; // along the axes; includes a border as wide as kernels reach
    int64_t reach;      // blocks that a kernel may reach beyond its own, at least 1
    float *x, *y, *z;   // m, sorted by bin
    uint32_t *source;   // place of each in the caller's arrays
    uint8_t *depth;     // POINT_...
    uint32_t count;
    uint64_t *key;   // of each bin, ascending
    uint32_t *begin; // bin_count + 1
    uint32_t bin_count;
    BlockTable table; // key -> bin
} PointBins;

// Sorts. Errors as surface_reconstruct's. Free with point_bins_free, also after an error.
Result point_bins_make(const SurfaceDef *def, const SurfacePoints *points, PointBins *out);
void point_bins_free(PointBins *bins);

// Block coordinates, counted from `low`, of a key.
static inline void point_bins_place(const PointBins *bins, uint64_t key, int64_t place[3])
{
    place[0] = (int64_t)(key % bins->blocks[0]);
    place[1] = (int64_t)(key / bins->blocks[0] % bins->blocks[1]);
    place[2] = (int64_t)(key / bins->blocks[0] / bins->blocks[1]);
}

// What to add to a key to go that many blocks along the axes.
static inline uint64_t point_bins_offset(const PointBins *bins, int64_t dx, int64_t dy, int64_t dz)
{
    return (uint64_t)(dx + (int64_t)bins->blocks[0] * (dy + (int64_t)bins->blocks[1] * dz));
}

// The corner of a block's first node, m.
static inline double point_bins_corner(const PointBins *bins, int64_t place, int axis)
{
    return (double)(bins->low[axis] + place) * bins->edge;
}

#endif
