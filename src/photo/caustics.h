// Light of sun and lamps that water and glass have bent: photons are sent from there through them, and stay
// on the first opaque surface. On the floor they are counted on a grid, elsewhere in a photon map.
#ifndef PBF_PHOTO_CAUSTICS_H
#define PBF_PHOTO_CAUSTICS_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct PathScene;
typedef struct Caustics Caustics;

#define CAUSTICS_PHOTONS_LEAST 16384u

typedef struct CausticsDef {
    uint32_t photons; // sent
    double seconds;   // that sending them may take, about: no more are sent then than there is time for, but
                      // CAUSTICS_PHOTONS_LEAST; 0: no limit
    Box3 target;      // m, around all water and glass bodies
    Box3 floor;       // m, the part of the floor that is counted on; z does not count
    float grain;      // m, of the light's pattern
    bool bodies;      // are there other surfaces for it?
    const atomic_bool *stop; // ends it soon once it is true; NULL: nothing does
} CausticsDef;

// Sends photons from the scene's sun and lamps; scene->caustics is not looked at. The same for any number of
// threads, but for a limit of time. Errors: RESULT_NO_MEMORY, RESULT_STOPPED.
Result caustics_make(const struct PathScene *scene, const CausticsDef *def, Caustics **out);
void caustics_destroy(Caustics *caustics); // NULL is allowed

// Do photons that end at this place count? Not on the floor far from water and glass.
bool caustics_cover(const Caustics *caustics, Vec3 point, bool on_ground);

// Irradiance by bent light of sun and lamps.
Vec3 caustics_light(const Caustics *caustics, Vec3 point, Vec3 normal, bool on_ground);

// Flux that has arrived on the floor's grid and on bodies.
Vec3 caustics_flux(const Caustics *caustics);

#endif
