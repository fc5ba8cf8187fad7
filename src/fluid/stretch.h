// Kernels that are ellipsoids along the particles' velocities (Kim and Lee 2025, eqs. 8-14), of viscosity and
// vorticity. In units of h the half axis along the velocity is a, the other two are b = 1 / sqrt(a), so that
// the volume stays:
//   W_e(d) = W(|z|),  z^2 = a d^2 - (a - 1 / a^2) (d . u)^2,  u = v / |v|
//   a^2 - b^2 = k = (|v| T / (2 h))^2,  which is a^3 - k a - 1 = 0;  a <= L
// The paper's eq. 10 makes the area of an ellipse 1, not the volume, and its k is not without a unit. Its T
// is the length of a step: under a CFL of 0.4 a is at most 1.013, which nobody can see, and water would
// depend on the step. Here T is a time of its own, `velocity_kernels`, and L `velocity_kernels_limit`. A pair
// takes the mean of both particles' kernels, so that what one gives the other gets. The density's constraint
// keeps its balls, as do confinement and spins, which go by what this curl says.
#ifndef PBF_FLUID_STRETCH_H
#define PBF_FLUID_STRETCH_H

#include "fluid/fluid.h"
#include "fluid/particles.h"
#include "neighbor/neighbor.h"

typedef struct Stretch {
    NeighborSearch *search; // as far as the longest kernel reaches; NULL: all kernels are balls
    NeighborPairs pairs;    // of the step under way
    float reach;            // m
    float *memory;          // of the streams
    size_t stride;          // floats that each has room for
    float *swell;           // a - 1 of each particle
    Streams3 along;         // sqrt(a - 1 / a^2) u
} Stretch;

// Bytes of a particle's ellipsoid.
enum { STRETCH_BYTES = 4 * sizeof(float) * 9 / 8 };

// m: how far kernels reach, of balls or ellipsoids. h: radius of the balls.
float stretch_reach(const FluidDef *def, float h);

// Half axis a of the kernel of a particle with this speed (m/s), in units of h.
double stretch_axis(const FluidDef *def, double h, double speed);

// Makes the search that a definition asks for, or none. Errors: as of neighbor_search_create; nothing changed
// then.
Result stretch_set(Stretch *stretch, const FluidDef *def, float h);
void stretch_free(Stretch *stretch);

// Room for the ellipsoids of so many particles, and the pairs of those at `points`, if there are any; stats
// grow by what that costs. Errors: as of neighbor_search_pairs.
Result stretch_search(Stretch *stretch, PointView points, NeighborStats *stats);

// The ellipsoids of particles with these velocities.
void stretch_follow(Stretch *stretch, const FluidDef *def, float h, const float *vx, const float *vy,
                    const float *vz, uint32_t count);

#endif
