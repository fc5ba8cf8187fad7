// Which particles lie deep inside: all sub-cells round theirs, about one undeformed kernel wide, are well
// filled.
#ifndef PBF_SURFACE_POINT_DEPTH_H
#define PBF_SURFACE_POINT_DEPTH_H

#include "surface/point_bins.h"

// Sub-cells along an edge of a block.
uint32_t point_depth_cells(const SurfaceDef *def, double block_edge);

// Writes bins->depth. steps: how many sub-cells round the surface's particles are near. Errors:
// RESULT_NO_MEMORY.
Result point_depth_find(const SurfaceDef *def, PointBins *bins, uint32_t steps);

#endif
