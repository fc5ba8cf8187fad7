// Post-processing of a mesh: connected pieces, specks, smoothing, normals.
#ifndef PBF_SURFACE_MESH_PARTS_H
#define PBF_SURFACE_MESH_PARTS_H

#include "surface/surface.h"

// Connected pieces.
typedef struct MeshPieces {
    uint32_t *of; // per vertex its piece
    uint32_t count;
} MeshPieces;

typedef struct PieceSize {
    double volume; // m^3, negative for a bubble
    double area;   // m^2
    Vec3 corner;   // a vertex
} PieceSize;

// Errors here: RESULT_NO_MEMORY. Free with mesh_pieces_free.
Result mesh_find_pieces(const SurfaceMesh *mesh, MeshPieces *out);
void mesh_pieces_free(MeshPieces *pieces);

// Per piece; free *out with memory_free.
Result mesh_measure_pieces(const SurfaceMesh *mesh, const MeshPieces *pieces, PieceSize **out);

// Removes drops of less than `drop` m^3 and bubbles of less than `bubble` m^3.
Result mesh_drop_specks(SurfaceMesh *mesh, MeshPieces *pieces, double drop, double bubble);

// Smooths the surface: `steps` times every vertex moves to the mean of its neighbors and itself. That sinks
// convex places, so how far each vertex sank is evened out in the same way and given back along the normal:
// waves longer than a few edges keep their place. Where a vertex would move by much of a spacing it is not
// noise but shape, and stays. What a piece has lost of its volume is then shared by all its vertices. Makes
// the normals, from the triangles, weighted by area. missing: m^3 that are added to the mesh besides, evenly
// over its area; negative takes away.
Result mesh_smooth(SurfaceMesh *mesh, const MeshPieces *pieces, float spacing, uint32_t steps,
                   double missing);

// Flips normals that point into the triangles around their vertex: across features thinner than two cells the
// field's gradient misleads.
Result mesh_check_normals(SurfaceMesh *mesh);

#endif
