// Velocities of the mesh's vertices: those of the particles near them.
#ifndef PBF_SURFACE_VERTEX_VELOCITY_H
#define PBF_SURFACE_VERTEX_VELOCITY_H

#include "surface/point_bins.h"

typedef struct VelocitySource {
    const PointBins *bins;
    const SurfacePoints *points; // with velocities
    float radius;                // grid cells, of the particles that a vertex follows
} VelocitySource;

// Writes the velocities of the vertices `first` to `last` - 1, which lie in the block of that key or on its
// border: means over the particles within the radius, weighted by (1 - (d / radius)^2)^2.
void vertex_velocities(const VelocitySource *source, uint64_t key, uint32_t first, uint32_t last,
                       SurfaceMesh *mesh);

#endif
