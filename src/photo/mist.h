// Whitewater for rays: spray is puffs of mist, foam discs that lie on the water, bubbles puffs in it.
#ifndef PBF_PHOTO_MIST_H
#define PBF_PHOTO_MIST_H

#include "diffuse/diffuse.h"
#include "photo/ray_scene.h"
#include "surface/surface.h"

typedef struct Mist {
    RayPuff *puff; // in the order of classes
    Vec3 *velocity, *normal;
    uint32_t first[DIFFUSE_CLASS_COUNT + 1]; // of each class
} Mist;

// Brings foam to the nearest part of the water's surface; what is further than a spacing (m) from it, and all
// without water (NULL), is spray. Error: RESULT_NO_MEMORY. Free with mist_free.
Result mist_make(const DiffuseParticles *from, const SurfaceMesh *water, float spacing, Mist *out);
void mist_free(Mist *mist); // zeroed is allowed

// Those of a class, valid as long as the mist. spacing: m, of the water; size: m, across the scene.
RayMesh mist_mesh(const Mist *mist, DiffuseClass kind, float spacing, float size);

#endif
