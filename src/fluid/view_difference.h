// How far two states of a fluid are apart, particle by particle.
#ifndef PBF_FLUID_VIEW_DIFFERENCE_H
#define PBF_FLUID_VIEW_DIFFERENCE_H

#include "core/result.h"
#include "core/sort.h"
#include "fluid/frame_view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ViewDifference {
    bool identical;      // the same particles, and every bit of their positions and velocities
    uint32_t differing;  // particles of both whose position or velocity differs
    uint32_t only[2];    // particles that only the first or only the second holds
    uint32_t particle;   // id of the one whose positions are furthest apart; of equals the lowest. If all
                         // positions agree, of the one whose velocities do. UINT32_MAX if none differs
    double distance;     // m, between its positions (domain coordinates)
    double velocity;     // m/s, length of the difference of its velocities
    double distance_rms; // m, root mean square over the particles that both hold
} ViewDifference;

// Memory that comparisons keep; zero-initialise, free with difference_buffers_free.
typedef struct DifferenceBuffers {
    SortBuffers sort[2];
} DifferenceBuffers;
void difference_buffers_free(DifferenceBuffers *buffers);

// Compares two views; does not depend on the order in which their particles lie in memory, and is cheap
// while they are identical. Errors: RESULT_NO_MEMORY.
Result view_difference(const FrameView *a, const FrameView *b, DifferenceBuffers *buffers,
                       ViewDifference *out);

#endif
