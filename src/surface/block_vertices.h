// Vertices of marching cubes in a block: where the field crosses the isovalue on the edges between nodes.
#ifndef PBF_SURFACE_BLOCK_VERTICES_H
#define PBF_SURFACE_BLOCK_VERTICES_H

#include "surface/block_rows.h"

typedef struct VertexBlock {
    const float *around[BLOCKS_AROUND]; // values; those beside faces, or all if the mesh has normals
    const BlockRows *rows;
    float isovalue;
    SurfaceMesh *mesh;
} VertexBlock;

// Writes the block's vertices from number `first` on, line by line along x; in a line those on edges along x
// come first, then those along y, then those along z. With mesh->normal their normals too, from the field's
// gradient.
typedef void BlockVertices(const VertexBlock *block, const PointBins *bins, uint64_t key, uint32_t first);

extern BlockVertices block_vertices_plain, block_vertices_avx2, block_vertices_avx512;

// The variant for a level, with the same bits; scalar gets the plain one.
BlockVertices *block_vertices(CpuLevel level);

#endif
