// Sixteen floats at once, the same arithmetic on every instruction set: AVX-512 registers, pairs of AVX2
// registers, or plain arrays that the compiler maps to what it has. Which one is decided by the flags of the
// file that includes this header, so only files named *_avx2.c and *_avx512.c see intrinsics. Nothing here
// fuses a multiplication with an addition and sums use one fixed tree: all three give the same bits.
#ifndef PBF_CORE_LANES_H
#define PBF_CORE_LANES_H

#include <stdint.h>

#define LANES 16

// One operation a line, so that the three versions can be read side by side.
// clang-format off

#if defined(__AVX512F__)

#include <immintrin.h>

typedef __m512 Lanes;
typedef __m512i LaneIndex;
typedef __mmask16 LaneMask;

static inline Lanes lanes_set(float a) { return _mm512_set1_ps(a); }
static inline Lanes lanes_add(Lanes a, Lanes b) { return _mm512_add_ps(a, b); }
static inline Lanes lanes_sub(Lanes a, Lanes b) { return _mm512_sub_ps(a, b); }
static inline Lanes lanes_mul(Lanes a, Lanes b) { return _mm512_mul_ps(a, b); }
static inline Lanes lanes_div(Lanes a, Lanes b) { return _mm512_div_ps(a, b); }
static inline Lanes lanes_max(Lanes a, Lanes b) { return _mm512_max_ps(a, b); }
static inline Lanes lanes_min(Lanes a, Lanes b) { return _mm512_min_ps(a, b); }
static inline Lanes lanes_sqrt(Lanes a) { return _mm512_sqrt_ps(a); }
// The first `count` lanes.
static inline LaneMask lanes_first(uint32_t count)
{
    return count >= LANES ? (LaneMask)0xffff : (LaneMask)((1u << count) - 1u);
}
static inline Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no) { return _mm512_mask_blend_ps(mask, no, yes); }
// Lanes outside the mask repeat `other`, so that what they gather is harmless.
static inline LaneIndex lanes_index_load(const uint32_t *at, LaneMask mask, uint32_t other)
{
    return _mm512_mask_loadu_epi32(_mm512_set1_epi32((int)other), mask, at);
}
static inline Lanes lanes_gather(const float *base, LaneIndex index) { return _mm512_i32gather_ps(index, base, 4); }
static inline float lanes_sum(Lanes a)
{
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

#elif defined(__AVX2__)

#include <immintrin.h>

typedef struct Lanes {
    __m256 lo, hi;
} Lanes;
typedef struct LaneIndex {
    __m256i lo, hi;
} LaneIndex;
typedef LaneIndex LaneMask; // all bits of a lane set or none

static inline Lanes lanes_set(float a) { return (Lanes){_mm256_set1_ps(a), _mm256_set1_ps(a)}; }
static inline Lanes lanes_add(Lanes a, Lanes b) { return (Lanes){_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
static inline Lanes lanes_sub(Lanes a, Lanes b) { return (Lanes){_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
static inline Lanes lanes_mul(Lanes a, Lanes b) { return (Lanes){_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)}; }
static inline Lanes lanes_div(Lanes a, Lanes b) { return (Lanes){_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)}; }
static inline Lanes lanes_max(Lanes a, Lanes b) { return (Lanes){_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
static inline Lanes lanes_min(Lanes a, Lanes b) { return (Lanes){_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
static inline Lanes lanes_sqrt(Lanes a) { return (Lanes){_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
static inline LaneMask lanes_first(uint32_t count)
{
    __m256i n = _mm256_set1_epi32((int)count);
    return (LaneMask){_mm256_cmpgt_epi32(n, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                      _mm256_cmpgt_epi32(n, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))};
}
static inline Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no)
{
    return (Lanes){_mm256_blendv_ps(no.lo, yes.lo, _mm256_castsi256_ps(mask.lo)),
                   _mm256_blendv_ps(no.hi, yes.hi, _mm256_castsi256_ps(mask.hi))};
}
static inline LaneIndex lanes_index_load(const uint32_t *at, LaneMask mask, uint32_t other)
{
    __m256i o = _mm256_set1_epi32((int)other);
    __m256i lo = _mm256_maskload_epi32((const int *)(const void *)at, mask.lo);
    __m256i hi = _mm256_maskload_epi32((const int *)(const void *)(at + 8), mask.hi);
    return (LaneIndex){_mm256_blendv_epi8(o, lo, mask.lo), _mm256_blendv_epi8(o, hi, mask.hi)};
}
static inline Lanes lanes_gather(const float *base, LaneIndex index)
{
    return (Lanes){_mm256_i32gather_ps(base, index.lo, 4), _mm256_i32gather_ps(base, index.hi, 4)};
}
static inline float lanes_sum(Lanes a)
{
    __m256 half = _mm256_add_ps(a.lo, a.hi);
    __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

#else

#include <math.h>

typedef struct Lanes {
    float lane[LANES];
} Lanes;
typedef struct LaneIndex {
    uint32_t lane[LANES];
} LaneIndex;
typedef LaneIndex LaneMask; // 0 or ~0 in each lane

#define LANES_MAP(expression)                                                                                 \
    Lanes out;                                                                                                \
    for (int k = 0; k < LANES; k++) out.lane[k] = (expression);                                               \
    return out

static inline Lanes lanes_set(float a) { LANES_MAP(a); }
static inline Lanes lanes_add(Lanes a, Lanes b) { LANES_MAP(a.lane[k] + b.lane[k]); }
static inline Lanes lanes_sub(Lanes a, Lanes b) { LANES_MAP(a.lane[k] - b.lane[k]); }
static inline Lanes lanes_mul(Lanes a, Lanes b) { LANES_MAP(a.lane[k] * b.lane[k]); }
static inline Lanes lanes_div(Lanes a, Lanes b) { LANES_MAP(a.lane[k] / b.lane[k]); }
static inline Lanes lanes_max(Lanes a, Lanes b) { LANES_MAP(a.lane[k] > b.lane[k] ? a.lane[k] : b.lane[k]); }
static inline Lanes lanes_min(Lanes a, Lanes b) { LANES_MAP(a.lane[k] < b.lane[k] ? a.lane[k] : b.lane[k]); }
static inline Lanes lanes_sqrt(Lanes a) { LANES_MAP(sqrtf(a.lane[k])); }
static inline LaneMask lanes_first(uint32_t count)
{
    LaneMask out;
    for (uint32_t k = 0; k < LANES; k++) out.lane[k] = k < count ? ~0u : 0u;
    return out;
}
static inline Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no) { LANES_MAP(mask.lane[k] ? yes.lane[k] : no.lane[k]); }
static inline LaneIndex lanes_index_load(const uint32_t *at, LaneMask mask, uint32_t other)
{
    LaneIndex out;
    for (int k = 0; k < LANES; k++) out.lane[k] = mask.lane[k] ? at[k] : other;
    return out;
}
static inline Lanes lanes_gather(const float *base, LaneIndex index) { LANES_MAP(base[index.lane[k]]); }
static inline float lanes_sum(Lanes a)
{
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) a.lane[k] += a.lane[k + width];
    return a.lane[0];
}

#undef LANES_MAP

#endif
// clang-format on

#endif
