// Small numbers that samples are computed with; without calls, which standard functions are on plain x86-64.
#ifndef PBF_PHOTO_NUMBER_H
#define PBF_PHOTO_NUMBER_H

#include <math.h>
#include <stdint.h>

static inline float number_min(float a, float b)
{
    return a < b ? a : b;
}
static inline float number_max(float a, float b)
{
    return a > b ? a : b;
}
static inline float number_clamped(float x, float lo, float hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

// The greatest whole number that is not above x, of numbers beyond 2^31 the last one before: eyes see far.
static inline int number_floor(float x)
{
    x = number_clamped(x, -0x1.fffffep30f, 0x1.fffffep30f);
    int whole = (int)x;
    return whole - ((float)whole > x);
}

// atan2f, by a polynomial, within 2e-5.
static inline float number_turn(float y, float x)
{
    float across = fabsf(x), up = fabsf(y), larger = number_max(across, up);
    float a = larger > 0 ? number_min(across, up) / larger : 0, s = a * a;
    float turn = -0.01172120f;
    turn = turn * s + 0.05265332f;
    turn = turn * s - 0.11643287f;
    turn = turn * s + 0.19354346f;
    turn = turn * s - 0.33262347f;
    turn = (turn * s + 0.99997726f) * a;
    if (up > across) turn = 1.57079633f - turn;
    if (x < 0) turn = 3.14159265f - turn;
    return y < 0 ? -turn : turn;
}

// acosf of -1..1, within 1e-6 (Abramowitz and Stegun 4.4.46).
static inline float number_arccos(float x)
{
    float a = fabsf(x), sum = -0.0012624911f;
    sum = sum * a + 0.0066700901f;
    sum = sum * a - 0.0170881256f;
    sum = sum * a + 0.0308918810f;
    sum = sum * a - 0.0501743046f;
    sum = sum * a + 0.0889789874f;
    sum = sum * a - 0.2145988016f;
    sum = (sum * a + 1.5707963050f) * sqrtf(1 - a);
    return x < 0 ? 3.14159265f - sum : sum;
}

// Four numbers side by side; every compiler that builds pbf has such vectors.
typedef float Real4 __attribute__((vector_size(16)));
typedef int32_t Whole4 __attribute__((vector_size(16)));

static inline Real4 number_chosen4(Whole4 first, Real4 a, Real4 b)
{
    return (Real4)(((Whole4)a & first) | ((Whole4)b & ~first));
}

// expf of each, of what is not above 0, as a power of 2 and a series: within 5e-7 of it down to -1, 1e-5 down
// to -87.
static inline Real4 number_exp4(Real4 x)
{
    const Real4 least = {-87, -87, -87, -87};
    Real4 power = number_chosen4(x > least, x, least) * 1.44269504f;
    Whole4 whole = __builtin_convertvector(power - 0.5f, Whole4);
    Real4 rest = (power - __builtin_convertvector(whole, Real4)) * 0.69314718f, sum = rest * (1.0f / 5040);
    sum = (sum + 1.0f / 720) * rest + 1.0f / 120;
    sum = (sum * rest + 1.0f / 24) * rest + 1.0f / 6;
    sum = ((sum * rest + 0.5f) * rest + 1) * rest + 1;
    return sum * (Real4)((whole + 127) << 23);
}

// 0 up to `from`, 1 beyond `to`, smooth between them; from > to falls.
static inline float number_step(float from, float to, float x)
{
    x = number_clamped((x - from) / (to - from), 0, 1);
    return x * x * (3 - 2 * x);
}

#endif
