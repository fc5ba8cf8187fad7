// The body of GROUND_NOISE for LANES octaves side by side; every compiler that builds pbf has such vectors.
#include "photo/number.h"

#include <stdint.h>
#include <string.h>

typedef uint32_t Whole __attribute__((vector_size(4 * LANES)));
typedef int32_t Signed __attribute__((vector_size(4 * LANES)));
typedef float Real __attribute__((vector_size(4 * LANES)));

// Beyond this neighboring floats are as far apart as features.
#define NOISE_FAR 1e7f

// How much finer each octave is than the first: powers of 2.03.
static const float finer[8] = {1, 2.03f, 4.1209f, 8.365427f, 16.981817f, 34.473088f, 69.980369f, 142.06015f};

static inline Real corner_values(Whole h)
{
    h ^= h >> 16; // sampler_hash
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return __builtin_convertvector((Signed)(h >> 8), Real) * 0x1p-24f;
}

static inline Signed floors(Real x)
{
    Signed whole = __builtin_convertvector(x, Signed);
    return whole + (Signed)(__builtin_convertvector(whole, Real) > x);
}

// LANES octaves from the first one on.
static inline Real octave_values(float x, float y, unsigned seed, const float *scale)
{
    Real scales;
    Whole seeds;
    for (unsigned k = 0; k < LANES; k++) scales[k] = scale[k], seeds[k] = (seed + k) * NOISE_SEED;
    Real at_x = x * scales, at_y = y * scales;
    Signed i = floors(at_x), j = floors(at_y);
    Real u = at_x - __builtin_convertvector(i, Real), v = at_y - __builtin_convertvector(j, Real);
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    Whole left = (Whole)i * NOISE_X, right = left + NOISE_X;
    Whole below = (Whole)j * NOISE_Y, above = (below + NOISE_Y) ^ seeds;
    below ^= seeds;
    Real lower = corner_values(left ^ below) * (1 - u) + corner_values(right ^ below) * u;
    Real upper = corner_values(left ^ above) * (1 - u) + corner_values(right ^ above) * u;
    return lower * (1 - v) + upper * v;
}

// Shares of octaves from the first one on; those beyond the last have none.
static inline Real octave_shares(int first, int octaves)
{
    static const float halves[8] = {0x1p-1f, 0x1p-2f, 0x1p-3f, 0x1p-4f, 0x1p-5f, 0x1p-6f, 0x1p-7f, 0x1p-8f};
    Signed number;
    Real share;
    for (int k = 0; k < LANES; k++) number[k] = first + k, share[k] = halves[first + k];
    return (Real)((Signed)share & (Signed)(number < octaves));
}

// Sums four and four octaves, whatever LANES is, in this order.
float GROUND_NOISE(float x, float y, unsigned seed, int octaves)
{
    Real4 sum = {0, 0, 0, 0}, part[LANES / 4];
    x = number_clamped(x, -NOISE_FAR, NOISE_FAR);
    y = number_clamped(y, -NOISE_FAR, NOISE_FAR);
    for (int first = 0; first < octaves; first += LANES) {
        Real values =
            octave_shares(first, octaves) * octave_values(x, y, seed + (unsigned)first, finer + first);
        memcpy(part, &values, sizeof values);
        for (int k = 0; k < LANES / 4; k++) sum += part[k];
    }
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}
