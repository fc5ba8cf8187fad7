// Small numbers that samples are computed with; without calls, which standard functions are on plain x86-64.
#ifndef PBF_PHOTO_NUMBER_H
#define PBF_PHOTO_NUMBER_H

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

// 0 up to `from`, 1 beyond `to`, smooth between them; from > to falls.
static inline float number_step(float from, float to, float x)
{
    x = number_clamped((x - from) / (to - from), 0, 1);
    return x * x * (3 - 2 * x);
}

#endif
