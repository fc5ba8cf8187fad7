// Small fluids for tests, and sums over them.
#ifndef PBF_TESTS_FLUID_HELPERS_H
#define PBF_TESTS_FLUID_HELPERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "case_helpers.h"
#include "fluid/fluid.h"
#include "fluid/poisson.h"

// Stops the test unless a number is within an absolute tolerance of another; NaN never is.
#define ASSERT_WITHIN(found, expected, tolerance)                                                            \
    do {                                                                                                     \
        double found_ = (found), expected_ = (expected), tolerance_ = (tolerance);                           \
        if (!(fabs(found_ - expected_) <= tolerance_))                                                       \
            fail_msg("%s: %.9g is not %.9g +- %.3g", #found, found_, expected_, tolerance_);                 \
    } while (0)

// A tank without friction whose top is open; size.x == 0 means no tank.
Fluid *fluid_for_test(const FluidDef *def, Vec3 tank_size, ObstacleDef *bodies, uint32_t body_count);

// Fills nx x ny x nz lattice places from the corner on. jitter in spacings.
void fluid_fill_lattice(Fluid *fluid, Vec3 corner, uint32_t nx, uint32_t ny, uint32_t nz, float jitter,
                        Vec3 velocity);

// Adds what lies between two radii around 0, in spacings, turning about z by `rate` rad/s.
void fluid_add_turning_ball(Fluid *fluid, float inner, float outer, float spacing, float rate);

// Two blocks without a tank that collide, spin and stick together: everything the particles do to each other
// is at work.
Fluid *fluid_collision(const FluidDef *def);

// Water poured on a block of it, nz layers high, in a tank with a drain, a paddle on its path (body 0) and a
// ball for commands to shift (body 1). dense: the block has too many particles in one place.
Fluid *fluid_poured(const FluidDef *def, uint32_t nz, bool dense);

// Steps until `time`; the last report.
StepReport fluid_run(Fluid *fluid, double time);

typedef struct FluidSums {
    double momentum[3];         // of unit masses
    double angular_momentum[3]; // about the centre of mass
    double kinetic, potential;  // of unit masses; potential against -gravity z
    double centre[3];
    double rms_speed;
    Box3 bounds;
} FluidSums;
FluidSums fluid_sums(const Fluid *fluid, double gravity);

// Of particles with their positions and velocities, whatever their order.
uint64_t fluid_hash_view(const FrameView *view);

// A random number in [0, 1) from a state that the test seeds.
double fluid_test_random(uint64_t *state);

// A box of cells of which some are not part of it, with faces of random openness and air above.
void fluid_random_equation(Poisson *poisson, const uint32_t n[3], bool air, uint64_t seed);

#endif
