// The water at a place, interpolated from the particles around it.
#ifndef PBF_MEASURE_SAMPLE_H
#define PBF_MEASURE_SAMPLE_H

#include "core/result.h"
#include "fluid/frame_view.h"

typedef struct SampleRoom SampleRoom; // what sampling keeps from one call to the next

// Makes it. Errors: RESULT_NO_MEMORY. Free with sample_free; NULL is allowed.
Result sample_create(SampleRoom **out);
void sample_free(SampleRoom *room);

// Height (m, scene coordinates) of the free surface above (x, y): the highest place where the particles'
// volumes, weighed with the kernel, sum up to 1/2, as they do at the surface of a half-space of water.
// Lone drops do not reach that. The tank's closed walls and floor mirror the water. NAN without water.
// Errors: RESULT_NO_MEMORY.
Result sample_level(SampleRoom *room, const FrameView *view, float x, float y, double *out);

// `count` (at most 3) of the particles' numbers at a point (scene coordinates): their mean over the influence
// radius, weighed with the kernel (Shepard 1968). away: m; particles nearer than that to a wall or body count
// only where there are no others. False outside of the water.
bool sample_point(const FrameView *view, Vec3 point, float away, const float *const values[], uint32_t count,
                  double *out);

#endif
