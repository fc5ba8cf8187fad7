// What is measured of a fluid as a whole: one table that the columns of a log, their help and their
// documentation follow.
#ifndef PBF_MEASURE_QUANTITIES_H
#define PBF_MEASURE_QUANTITIES_H

#include "core/result.h"
#include "core/vec3.h"
#include "diffuse/diffuse.h"
#include "fluid/frame_view.h"

#include <stdint.h>

// Sums over all particles, each of which has the mass rest_density x spacing^3. Scene coordinates, SI units.
typedef struct FluidTotals {
    double time, step, dt, iterations, particles;
    double kinetic, potential, energy;                  // J
    double momentum[3], angular_momentum[3], center[3]; // kg m/s; kg m^2/s about the center of mass; m
    double volume, density_volume;                      // m^3
    double error_mean, error_max;
    double divergence; // 1/s
    double speed_max;  // m/s
    double diffuse[DIFFUSE_CLASS_COUNT];
    double enstrophy; // m^3/s^2
    double spread[3]; // m
} FluidTotals;

// A column.
typedef struct Quantity {
    const char *name, *unit; // "kinetic_energy", "J"; "" for a pure number
    size_t offset;           // of a double in FluidTotals
    const char *help;        // one sentence
} Quantity;

// Quantities in the order of columns. NULL past the end.
const Quantity *quantity_at(uint32_t k);

typedef struct QuantityWork QuantityWork; // what measuring keeps from one call to the next

// Makes it. Errors: RESULT_NO_MEMORY. Free with quantities_free; NULL is allowed.
Result quantities_create(QuantityWork **out);
void quantities_free(QuantityWork *work);

// Measures a finished step. gravity: m/s^2. Sums do not depend on the number of threads. Errors:
// RESULT_NO_MEMORY.
Result quantities_measure(QuantityWork *work, const FrameView *view, Vec3 gravity, FluidTotals *out);

#endif
