// SIMD: sixteen 3-vectors at once, in the variant of core/lanes.h that the including file chooses.
#ifndef PBF_CORE_LANES3_H
#define PBF_CORE_LANES3_H

#include "core/lanes.h"

typedef struct Lanes3 {
    Lanes x, y, z;
} Lanes3;

static inline Lanes3 lanes3_zero(void)
{
    Lanes zero = lanes_set(0.0f);
    return (Lanes3){zero, zero, zero};
}

static inline Lanes3 lanes3_load(const float *x, const float *y, const float *z)
{
    return (Lanes3){lanes_load(x), lanes_load(y), lanes_load(z)};
}

static inline void lanes3_store(float *x, float *y, float *z, Lanes3 a)
{
    lanes_store(x, a.x);
    lanes_store(y, a.y);
    lanes_store(z, a.z);
}

static inline Lanes3 lanes3_add(Lanes3 a, Lanes3 b)
{
    return (Lanes3){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)};
}

static inline Lanes3 lanes3_sub(Lanes3 a, Lanes3 b)
{
    return (Lanes3){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y), lanes_sub(a.z, b.z)};
}

static inline Lanes3 lanes3_scale(Lanes3 a, Lanes s)
{
    return (Lanes3){lanes_mul(a.x, s), lanes_mul(a.y, s), lanes_mul(a.z, s)};
}

// sum + s a
static inline Lanes3 lanes3_add_scaled(Lanes3 sum, Lanes s, Lanes3 a)
{
    return (Lanes3){lanes_mul_add(s, a.x, sum.x), lanes_mul_add(s, a.y, sum.y), lanes_mul_add(s, a.z, sum.z)};
}

static inline Lanes lanes3_dot(Lanes3 a, Lanes3 b)
{
    return lanes_mul_add(a.z, b.z, lanes_mul_add(a.y, b.y, lanes_mul(a.x, b.x)));
}

static inline Lanes3 lanes3_cross(Lanes3 a, Lanes3 b)
{
    return (Lanes3){lanes_sub_mul(lanes_mul(a.y, b.z), a.z, b.y),
                    lanes_sub_mul(lanes_mul(a.z, b.x), a.x, b.z),
                    lanes_sub_mul(lanes_mul(a.x, b.y), a.y, b.x)};
}

#endif
