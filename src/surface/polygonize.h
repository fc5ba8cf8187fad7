// Marching cubes over all blocks: triangles where the field crosses the isovalue.
#ifndef PBF_SURFACE_POLYGONIZE_H
#define PBF_SURFACE_POLYGONIZE_H

#include "surface/field.h"

// Fills vertices, triangles and, unless the mesh is going to be smoothed, which makes its own normals,
// normals from the field's gradient. With velocities in `points`, every vertex gets the mean velocity of the
// particles within the support's radius. Frees the field's values on the way. Errors: RESULT_NO_MEMORY. The
// caller frees the mesh, also after an error.
Result polygonize(const SurfaceDef *def, Field *field, float isovalue, const SurfacePoints *points,
                  SurfaceMesh *out);

#endif
