// Counts the particles that pass through rectangles.
#ifndef PBF_MEASURE_FLUX_H
#define PBF_MEASURE_FLUX_H

#include "core/mat3.h"
#include "core/result.h"
#include "fluid/frame_view.h"
#include "measure/probe.h"

// A rectangle that is counted at.
typedef struct FluxGate {
    Vec3 center;          // m, domain coordinates
    Mat3 rotation;        // of x to the width, y to the height, z to the normal
    float half_extent[2]; // m
    double *crossings;    // of particles along the normal, less those against it: added to
} FluxGate;

// The gate of a probe. origin: scene position of the domain's corner, m.
FluxGate flux_gate(const ProbeDef *probe, Vec3 origin, double *crossings);

// Where particles were at the last look, by id. All zero before the first use; free with flux_track_free.
typedef struct FluxTrack {
    Vec3 *at; // NAN: not known
    size_t count, capacity;
} FluxTrack;
void flux_track_free(FluxTrack *track);

// Counts who passed the gates on a straight way since the last look; particles that are new pass nothing.
// Errors: RESULT_NO_MEMORY.
Result flux_look(FluxTrack *track, const FrameView *view, const FluxGate *gates, uint32_t gate_count);

#endif
