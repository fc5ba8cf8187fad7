// Bodies of water: particles that are near each other belong to one, and so do those that such ones connect.
#ifndef PBF_SURFACE_POINT_BODIES_H
#define PBF_SURFACE_POINT_BODIES_H

#include "surface/point_bins.h"

// Writes to body[] the same number for all particles of a body: the first one's. link: how near, in grid
// cells. Deep particles are left out and connect nothing.
void point_bodies_find(const PointBins *bins, float link, uint32_t *body);

#endif
