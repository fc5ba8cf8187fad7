// Particles sorted into bins, which are the grid's blocks, and which of them lie deep inside the water, where
// the field is known without summing kernels.
#ifndef PBF_SURFACE_POINT_BINS_H
#define PBF_SURFACE_POINT_BINS_H

#include "surface/block_table.h"
#include "surface/surface.h"

#define BLOCK_NODES 8u // along an edge of a block

// A block's nodes are eight tiles of 4^3, x fastest among them.
#define BLOCK_TILES 8u
#define TILE_EDGE 4u
#define ALL_TILES 0xffu // as bits

#define KERNEL_MOVE_MAX 0.5f // spacings, of a kernel's center from its particle

// How particles take part; larger includes smaller.
enum {
    POINT_DEEP,    // so far inside that the surface does not depend on its shape
    POINT_NEAR,    // deep, but a neighbor of a particle at the surface
    POINT_SURFACE, // gets a kernel of its own shape
};

typedef struct PointBins {
    double cell, edge;  // m, of a grid cell and of a block
    int64_t low[3];     // block coordinates of key 0
    uint64_t blocks[3]; // along the axes; includes a border wider than anything reaches
    int64_t reach;      // blocks that a kernel may reach beyond its own, at least 1
    float *x, *y, *z;   // grid cells from the first node of the particle's block; sorted by bin and sub-cell
    uint32_t *source;   // place of each in the caller's arrays
    uint32_t count;
    uint64_t *key; // of each bin, ascending
    uint32_t bin_count;
    BlockTable table;    // key -> bin
    uint32_t sub_edge;   // sub-cells along an edge of a bin
    uint32_t sub_volume; // and in all of it
    uint32_t *begin;     // per sub-cell of every bin, x fastest, and one more: its first particle
    uint8_t *depth;      // POINT_... of each particle
    uint8_t *inside;     // per bin the tiles where the field may be taken for 1, as bits
} PointBins;

// Sorts the points. Errors: as surface_reconstruct. Free with point_bins_free, also after an error.
Result point_bins_make(const SurfaceDef *def, const SurfacePoints *points, PointBins *out);
void point_bins_free(PointBins *bins);

// Sub-cells side by side along x, and what to add to their particles' coordinates to count them from the
// block that was asked about.
typedef struct PointRow {
    uint32_t first, last; // sub-cells of all bins, `last` included
    float shift[3];
} PointRow;

#define POINT_ROWS_MAX 2048u

// The sub-cells that may have particles nearer than `radius` to a box, in a fixed order; returns how many
// rows. All in grid cells; the box counts from the block's first node. The radius is at most 4.5 spacings.
uint32_t point_bins_rows(const PointBins *bins, uint64_t key, const float low[3], const float high[3],
                         float radius, PointRow rows[POINT_ROWS_MAX]);

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

// Writes bins->depth and bins->inside: which particles lie deep inside, the water being well filled within
// about a kernel's radius around them. Errors: RESULT_NO_MEMORY.
Result point_depth_find(const SurfaceDef *def, PointBins *bins);

// Cells along an edge of a block by which point_depth_find judges: about two to a round kernel's radius.
uint32_t point_depth_cells(const SurfaceDef *def, double block_edge);

// Finds the connected bodies of water: particles that are near each other belong to one. Writes to body[] one
// number for all particles of a body: the first one's. link: how near, in grid cells. Sub-cells of deep
// particles only are left out and connect nothing. Error: RESULT_NO_MEMORY.
Result point_bodies_find(const PointBins *bins, float link, uint32_t *body);

#endif
