// The definition of "within the radius" (the cutoff). The vector kernels do the same operations in this
// order.
#ifndef PBF_NEIGHBOR_WITHIN_H
#define PBF_NEIGHBOR_WITHIN_H

#include <stdbool.h>

// dx, dy, dz: differences of float coordinates, m. Each product is rounded before it is added.
static inline bool within(float dx, float dy, float dz, float radius_squared)
{
    float xx = dx * dx, yy = dy * dy, zz = dz * dz;
    return xx + yy + zz <= radius_squared;
}

#endif
