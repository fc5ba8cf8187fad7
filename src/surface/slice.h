// A plane through particles: the part of space that water fills, and a field, on a regular grid of nodes in
// the plane. Every particle near it spreads its volume over a round kernel; where the sum passes 1/2 is the
// water's border.
#ifndef PBF_SURFACE_SLICE_H
#define PBF_SURFACE_SLICE_H

#include "surface/surface.h"

typedef enum SliceField {
    SLICE_DENSITY,   // the sum itself: 1 inside, at rest
    SLICE_SPEED,     // m/s
    SLICE_VX,        // m/s
    SLICE_VY,        // m/s
    SLICE_VZ,        // m/s
    SLICE_THROUGH,   // m/s, along the plane's normal
    SLICE_VORTICITY, // 1/s, its part along the plane's normal
    SLICE_FIELDS,
} SliceField;

// "speed"; NULL past the last one. Takes no context.
const char *slice_field_name(uint32_t k, const void *context);
const char *slice_field_unit(SliceField field); // "m/s"

typedef struct SliceDef {
    Vec3 point, normal; // m; any length but 0
    float spacing;      // m, of the particles at rest
    float cell;         // spacings, edge of a grid cell
    float support;      // spacings, radius of the kernel
    SliceField field;   // all but SLICE_DENSITY need velocities
    // Degrees, 0 to 180; 0: off. As Kim and Lee 2025 track isolines: a particle reaches only the nodes within
    // half this angle of its velocity or of the opposite direction. Weights are divided by the share of the
    // ball that is left. For comparison: it loses what moves along the surface. Needs velocities.
    float sector;
} SliceDef;

SliceDef slice_def_default(float spacing); // the plane z = 0, density

typedef struct Slice {
    Vec3 origin, across, up, normal; // of node (0, 0), m; unit vectors, across x up = normal
    float cell;                      // m
    uint32_t columns, rows;
    float *fraction;    // of each node, row by row; 0 at the grid's border
    float *value;       // of the field, 0 where no particle reaches
    float least, most;  // of the field in water
    uint32_t particles; // within reach of the plane
} Slice;

// A plane that no particle is near gives an empty slice. Seen against the normal, `up` is z, or y in a
// horizontal plane. The same for any number of threads. Errors: RESULT_USAGE for a parameter out of range or
// a grid of more than ISOLINE_NODES_MAX nodes, RESULT_NO_MEMORY. Free with slice_free.
Result slice_make(const SliceDef *def, const SurfacePoints *points, Slice *out);
void slice_free(Slice *slice);

// A field of the slice between nodes.
float slice_sample(const Slice *slice, const float *field, float column, float row);

// The place of (column, row) in space, m.
Vec3 slice_place(const Slice *slice, float column, float row);

#endif
