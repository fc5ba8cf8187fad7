// How much of the sun's light reaches each particle of whitewater through the others: what gives clouds of
// mist a bright and a dark side.
#ifndef PBF_RENDER_WHITEWATER_LIGHT_H
#define PBF_RENDER_WHITEWATER_LIGHT_H

#include "core/result.h"
#include "diffuse/diffuse.h"
#include "render/view.h"

typedef struct WhitewaterLight {
    float *cells; // area that particles cover of each cell's, from the sun on
    size_t capacity;
    float *share; // of the light, for each particle
    size_t share_capacity;
} WhitewaterLight;

void whitewater_light_free(WhitewaterLight *light); // a zeroed one is allowed

// Writes light->share. cell: m, no less. Errors: RESULT_NO_MEMORY.
Result whitewater_light_find(WhitewaterLight *light, const DiffuseParticles *particles, const View *sun,
                             float cell);

#endif
