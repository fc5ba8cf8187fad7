// Photons that ended on surfaces, and the light that they bring to a place (Jensen 1996, "Global illumination
// using photon maps").
#ifndef PBF_PHOTO_PHOTON_MAP_H
#define PBF_PHOTO_PHOTON_MAP_H

#include "core/result.h"
#include "core/vec3.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Photon {
    Vec3 point;  // m
    Vec3 normal; // of the surface, unit
    Vec3 flux;
} Photon;

// Zero-initialize, add photons, then sort once. Free with photon_map_free.
typedef struct PhotonMap {
    Photon *photon;
    size_t count, capacity;
    float radius;    // m, of the disc that light is averaged over
    uint32_t *start; // of each bucket of cells, in `photon`; bucket_mask + 2
    uint32_t bucket_mask;
} PhotonMap;

// Appends. Error: RESULT_NO_MEMORY.
Result photon_map_add(PhotonMap *map, const Photon *photons, uint32_t count);

// Makes the map ready for queries. The order of photons decides the order of sums. Error: RESULT_NO_MEMORY.
Result photon_map_sort(PhotonMap *map, float radius);
void photon_map_free(PhotonMap *map);

// Irradiance at a place of a surface with that normal.
Vec3 photon_map_light(const PhotonMap *map, Vec3 point, Vec3 normal);

#endif
