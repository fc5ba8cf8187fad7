// Strands as tubes, for pictures.
#ifndef PBF_STRAND_STRAND_TUBES_H
#define PBF_STRAND_STRAND_TUBES_H

#include "strand/strand.h"

#include <stddef.h>

typedef struct TubeVertex {
    Vec3 position, normal; // m; unit
} TubeVertex;

// Closed tubes, strand by strand: 2 x sides triangles for each particle, counter-clockwise from outside. All
// zero before the first; keeps its memory; free with strand_tubes_free.
typedef struct StrandTubes {
    TubeVertex *vertices;
    uint32_t (*triangles)[3];
    uint32_t vertex_count, triangle_count;
    size_t vertices_capacity, triangles_capacity;
} StrandTubes;

// Tubes with so many sides, at least 3. Errors: RESULT_NO_MEMORY; RESULT_FAILED for 2^32 vertices and more.
Result strand_tubes_make(const StrandView *view, uint32_t sides, StrandTubes *tubes);
void strand_tubes_free(StrandTubes *tubes);

// Sides that look round for so many particles, which are small where they are many.
uint32_t strand_tube_sides(uint32_t particles);

#endif
