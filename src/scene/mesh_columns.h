// Points of a lattice inside a closed mesh: vertical lines through the lattice are intersected with all
// triangles once, and a point is inside where the winding number of the surfaces below it is not 0.
#ifndef PBF_SCENE_MESH_COLUMNS_H
#define PBF_SCENE_MESH_COLUMNS_H

#include "core/result.h"
#include "obstacle/mesh.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct MeshCrossing {
    double z; // m
    int turn; // +1 into the mesh going up, -1 out of it
} MeshCrossing;

typedef struct MeshColumns {
    uint32_t nx, ny;
    uint64_t *begin;         // nx * ny + 1 offsets, x fastest
    MeshCrossing *crossings; // ascending z in every column
} MeshColumns;

// Columns stand at (x0 + i * spacing, y0 + j * spacing). Errors: RESULT_NO_MEMORY. Free with
// mesh_columns_free.
Result mesh_columns_build(const TriangleMesh *mesh, double x0, double y0, double spacing, uint32_t nx,
                          uint32_t ny, MeshColumns *out);
void mesh_columns_free(MeshColumns *columns);

// Is the point of column (i, j) at height z inside?
bool mesh_columns_inside(const MeshColumns *columns, uint32_t i, uint32_t j, double z);

// Counts the points of column (i, j) at heights z0 + (k + 0.5) * spacing, k from `begin` to end - 1, that
// mesh_columns_inside finds inside, from crossing to crossing.
uint64_t mesh_columns_count(const MeshColumns *columns, uint32_t i, uint32_t j, double z0, double spacing,
                            uint32_t begin, uint32_t end);

#endif
