// How far each particle of one view is from the same one of another.
#ifndef PBF_VIEWER_APART_H
#define PBF_VIEWER_APART_H

#include "fluid/frame_view.h"

#include "core/result.h"

#include <stddef.h>

// Memory that is kept from call to call; zero-initialize, free with apart_free.
typedef struct Apart {
    float *distance; // m, by the place in the first view; INFINITY where the other one lacks the particle
    uint32_t *place; // by id, in the second view
    size_t distance_capacity, place_capacity;
    float rms; // m, of all that both have
} Apart;

// Errors: RESULT_NO_MEMORY.
Result apart_measure(Apart *apart, const FrameView *a, const FrameView *b);
void apart_free(Apart *apart);

#endif
