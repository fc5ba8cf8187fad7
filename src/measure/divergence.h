// How much the velocities of a fluid would compress or thin it out.
#ifndef PBF_MEASURE_DIVERGENCE_H
#define PBF_MEASURE_DIVERGENCE_H

#include "core/result.h"
#include "fluid/frame_view.h"

typedef struct Divergence Divergence; // a neighbor search of its own, and room

// Makes it. Errors: RESULT_NO_MEMORY. Free with divergence_free; NULL is allowed.
Result divergence_create(Divergence **out);
void divergence_free(Divergence *divergence);

// Root mean square of the velocities' divergence, 1/s, over the particles that have neighbors all round:
//   div_i = sum_j V_j (v_j - v_i) . grad_i W_ij,  V_j = spacing^3 rest_density / density_j
// (Monaghan 2005, "Smoothed Particle Hydrodynamics", eq. 2.14). 0 where there are none. Errors:
// RESULT_NO_MEMORY, RESULT_FAILED.
Result divergence_rms(Divergence *divergence, const FrameView *view, double *out);

#endif
