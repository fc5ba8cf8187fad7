// Water at the start: sampling of volumes on a lattice.
#ifndef PBF_SCENE_WATER_H
#define PBF_SCENE_WATER_H

#include "scene/scene.h"

// Tolerance for rounding and sloppily typed numbers, in spacings: wherever extents are compared with walls,
// other volumes and whole numbers of particles. Extents are floats, so 100,000 spacings
// are known to 0.006 of one.
#define WATER_TOLERANCE 0.01

// Box around a volume, scene coordinates.
Box3 water_bounds(const WaterDef *water);

// Number of places of the volume's lattice, before its shape and obstacles take some away; a double, as it
// may be huge.
double water_places(const WaterDef *water, float spacing);

// Samples a volume: particle centers at (k + 0.5) spacings from its lower corner (a sphere: from its center)
// that are inside the shape and at least half a spacing away from all bodies. A box holds as many layers
// as fit. bodies: in domain coordinates, at time 0; NULL for none. origin: scene position of the domain's
// corner. out: domain coordinates, ordered by z, y, x where no body is near; NULL only counts. Errors:
// RESULT_NO_MEMORY.
Result water_sample(const WaterDef *water, float spacing, Vec3 origin, const Obstacles *bodies, Vec3 *out,
                    uint64_t *count);

// Do two volumes share space? Touching is not overlapping. Meshes are compared on a lattice of the spacing.
// Errors: RESULT_NO_MEMORY.
Result water_overlap(const WaterDef *a, const WaterDef *b, float spacing, bool *out);

#endif
