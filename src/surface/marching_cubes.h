// Marching cubes: the triangles of a grid cell by which of its corners lie inside the surface.
#ifndef PBF_SURFACE_MARCHING_CUBES_H
#define PBF_SURFACE_MARCHING_CUBES_H

#include <stdint.h>

// Corner c lies at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge 4 a + k runs along axis a; k & 1 is its place
// on axis (a + 1) % 3 and k >> 1 that on axis (a + 2) % 3.
#define MARCHING_EDGES 12
#define MARCHING_TRIANGLES_MAX 5

// Per case (bit c: corner c is inside) the edges that its triangles' corners lie on, counter-clockwise as
// seen from outside of the surface.
typedef struct MarchingTable {
    uint8_t count[256]; // triangles
    uint8_t edge[256][MARCHING_TRIANGLES_MAX][3];
} MarchingTable;

// Derives the table. The outline on a face depends on that face's corners alone, so neighboring cells agree;
// where both diagonals are possible the inside corners are joined, which keeps thin sheets whole. No triangle
// has an inner side on a face of the cell: two cells could draw it both, and four triangles would share it.
void marching_table_make(MarchingTable *out);

#endif
