// SIMD: sixteen floats at once, the same arithmetic on every instruction set: AVX-512 registers, pairs of
// AVX2 registers, or the compiler's own vectors of four. The flags of the including file decide which, so
// only files named *_avx2.c and *_avx512.c see intrinsics. A file that defines LANES_SCALAR first gets one
// float at a time: the baseline that the vectors are measured against.
//
// Two variants. By default multiplications and additions are not fused, roots and quotients are correctly
// rounded, and sums use one fixed tree: every instruction set gives the same bits. A file that defines
// LANES_FAST first gets, where the processor has them, fused multiply-add and estimates of 1/sqrt(a) and 1/a
// refined by one Newton step (error below 3e-7): two to three times faster, and the last bits depend on the
// instruction set.
//
// The lanes also serve as four blocks of four: block a is lanes 4a to 4a+3.
#ifndef PBF_CORE_LANES_H
#define PBF_CORE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef LANES_SCALAR
#define LANES 1
#else
#define LANES 16
#endif

// For what is done with every pair, and for what has copies with constants in it: the compiler's vectors of
// four make it too long to be inline unasked, and calls of it take 0.6 of a step.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// The first `count` lanes, as lanes_bits of lanes_first.
static inline uint32_t lanes_first_bits(uint32_t count)
{
    return count < LANES ? (1u << count) - 1u : (1u << LANES) - 1u;
}

// One operation a line, so that the versions can be read side by side.
// clang-format off

#if defined(LANES_SCALAR)

#include <math.h>

typedef float Lanes;
typedef uint32_t LaneIndex;
typedef bool LaneMask;

static inline Lanes lanes_set(float a) { return a; }
static inline Lanes lanes_add(Lanes a, Lanes b) { return a + b; }
static inline Lanes lanes_sub(Lanes a, Lanes b) { return a - b; }
static inline Lanes lanes_mul(Lanes a, Lanes b) { return a * b; }
static inline Lanes lanes_div(Lanes a, Lanes b) { return a / b; }
static inline Lanes lanes_max(Lanes a, Lanes b) { return a > b ? a : b; }
static inline Lanes lanes_min(Lanes a, Lanes b) { return a < b ? a : b; }
static inline Lanes lanes_sqrt(Lanes a) { return sqrtf(a); }
static inline LaneMask lanes_first(uint32_t count) { return count > 0; }
static inline Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no) { return mask ? yes : no; }
static inline LaneIndex lanes_index_load(const uint32_t *at, LaneMask mask, uint32_t other) { return mask ? *at : other; }
static inline Lanes lanes_gather(const float *base, LaneIndex index) { return base[index]; }
static inline Lanes lanes_load(const float *at) { return *at; }
static inline void lanes_store(float *at, Lanes a) { *at = a; }
static inline LaneMask lanes_less_equal(Lanes a, Lanes b) { return a <= b; }
static inline bool lanes_any_less(Lanes a, Lanes b) { return a < b; }
static inline float lanes_sum(Lanes a) { return a; }

#elif defined(__AVX512F__)

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
// Four columns of sixteen rows, `stride` floats apart: lane k of out[c] is base[stride row[k] + c].
static inline void lanes_gather_four(const float *base, size_t stride, const uint32_t *row, Lanes out[4])
{
    Lanes quad[4]; // rows k, k + 4, k + 8 and k + 12
    for (int k = 0; k < 4; k++)
    {
        quad[k] = _mm512_castps128_ps512(_mm_loadu_ps(base + stride * row[k]));
        quad[k] = _mm512_mask_broadcast_f32x4(quad[k], 0x00f0, _mm_loadu_ps(base + stride * row[k + 4]));
        quad[k] = _mm512_mask_broadcast_f32x4(quad[k], 0x0f00, _mm_loadu_ps(base + stride * row[k + 8]));
        quad[k] = _mm512_mask_broadcast_f32x4(quad[k], 0xf000, _mm_loadu_ps(base + stride * row[k + 12]));
    }
    Lanes low[2] = {_mm512_unpacklo_ps(quad[0], quad[1]), _mm512_unpacklo_ps(quad[2], quad[3])};
    Lanes high[2] = {_mm512_unpackhi_ps(quad[0], quad[1]), _mm512_unpackhi_ps(quad[2], quad[3])};
    out[0] = _mm512_shuffle_ps(low[0], low[1], 0x44);
    out[1] = _mm512_shuffle_ps(low[0], low[1], 0xee);
    out[2] = _mm512_shuffle_ps(high[0], high[1], 0x44);
    out[3] = _mm512_shuffle_ps(high[0], high[1], 0xee);
}
// Which of sixteen numbers are from..from + count - 1? As bits.
static inline uint32_t lanes_numbers_within(const uint32_t *at, uint32_t from, uint32_t count)
{
    __m512i past = _mm512_sub_epi32(_mm512_loadu_si512(at), _mm512_set1_epi32((int)from));
    return _mm512_cmplt_epu32_mask(past, _mm512_set1_epi32((int)count));
}
static inline Lanes lanes_load(const float *at) { return _mm512_loadu_ps(at); }
static inline void lanes_store(float *at, Lanes a) { _mm512_storeu_ps(at, a); }
static inline LaneMask lanes_less_equal(Lanes a, Lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
// In any lane?
static inline bool lanes_any_less(Lanes a, Lanes b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) != 0; }
static inline uint32_t lanes_bits(LaneMask mask) { return mask; }
// Writes first + k for every bit k that is set, ascending; returns how many. May write sixteen.
static inline uint32_t lanes_write_numbers(uint32_t *out, uint32_t first, uint32_t bits)
{
    __m512i all = _mm512_add_epi32(_mm512_set1_epi32((int)first), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)bits, all));
    return (uint32_t)__builtin_popcount(bits);
}
// Writes from[k] for every bit k that is set, in this order; returns how many. Reads sixteen, may write sixteen
// over what it read.
static inline uint32_t lanes_write_chosen(uint32_t *out, const uint32_t *from, uint32_t bits)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(from)));
    return (uint32_t)__builtin_popcount(bits);
}
// The chosen lanes, together. May write sixteen.
static inline void lanes_store_chosen(float *out, Lanes a, uint32_t bits)
{
    _mm512_storeu_ps(out, _mm512_maskz_compress_ps((__mmask16)bits, a));
}
// Four floats, each filling a block; or all four in every block.
static inline Lanes lanes_spread(const float *four)
{
    const __m512i block = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(block, _mm512_castps128_ps512(_mm_loadu_ps(four)));
}
static inline Lanes lanes_repeat(const float *four) { return _mm512_broadcast_f32x4(_mm_loadu_ps(four)); }
// The sum of each block.
static inline void lanes_sum_blocks(Lanes a, float *four)
{
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    a = _mm512_add_ps(a, _mm512_permute_ps(a, 0x4e));
    a = _mm512_add_ps(a, _mm512_permute_ps(a, 0xb1));
    _mm_storeu_ps(four, _mm512_castps512_ps128(_mm512_permutexvar_ps(first, a)));
}
// Sums across the blocks: of the first lanes of all blocks, of the second ones, ...
static inline void lanes_sum_across(Lanes a, float *four)
{
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    _mm_storeu_ps(four, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}
#ifdef LANES_FAST
static inline Lanes lanes_mul_add(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
static inline Lanes lanes_sub_mul(Lanes c, Lanes a, Lanes b) { return _mm512_fnmadd_ps(a, b, c); }
static inline Lanes lanes_estimate_rsqrt(Lanes a) { return _mm512_rsqrt14_ps(a); }
static inline Lanes lanes_estimate_reciprocal(Lanes a) { return _mm512_rcp14_ps(a); }
#endif
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
static inline __m256 lanes_two_rows(const float *base, size_t stride, uint32_t lo, uint32_t hi)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(base + stride * lo)), _mm_loadu_ps(base + stride * hi), 1);
}
// Of rows k..k+3 and k+4..k+7.
static inline void lanes_gather_eight(const float *base, size_t stride, const uint32_t *row, __m256 out[4])
{
    __m256 quad[4];
    for (int k = 0; k < 4; k++) quad[k] = lanes_two_rows(base, stride, row[k], row[k + 4]);
    __m256 low[2] = {_mm256_unpacklo_ps(quad[0], quad[1]), _mm256_unpacklo_ps(quad[2], quad[3])};
    __m256 high[2] = {_mm256_unpackhi_ps(quad[0], quad[1]), _mm256_unpackhi_ps(quad[2], quad[3])};
    out[0] = _mm256_shuffle_ps(low[0], low[1], 0x44);
    out[1] = _mm256_shuffle_ps(low[0], low[1], 0xee);
    out[2] = _mm256_shuffle_ps(high[0], high[1], 0x44);
    out[3] = _mm256_shuffle_ps(high[0], high[1], 0xee);
}
static inline void lanes_gather_four(const float *base, size_t stride, const uint32_t *row, Lanes out[4])
{
    __m256 lo[4], hi[4];
    lanes_gather_eight(base, stride, row, lo);
    lanes_gather_eight(base, stride, row + 8, hi);
    for (int c = 0; c < 4; c++) out[c] = (Lanes){lo[c], hi[c]};
}
static inline Lanes lanes_load(const float *at) { return (Lanes){_mm256_loadu_ps(at), _mm256_loadu_ps(at + 8)}; }
static inline void lanes_store(float *at, Lanes a)
{
    _mm256_storeu_ps(at, a.lo);
    _mm256_storeu_ps(at + 8, a.hi);
}
static inline LaneMask lanes_less_equal(Lanes a, Lanes b)
{
    return (LaneMask){_mm256_castps_si256(_mm256_cmp_ps(a.lo, b.lo, _CMP_LE_OQ)),
                      _mm256_castps_si256(_mm256_cmp_ps(a.hi, b.hi, _CMP_LE_OQ))};
}
static inline bool lanes_any_less(Lanes a, Lanes b)
{
    return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ))) != 0;
}
static inline uint32_t lanes_bits(LaneMask mask)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask.lo)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask.hi)) << 8;
}
static inline Lanes lanes_spread(const float *four)
{
    __m256 both = _mm256_broadcast_ps((const __m128 *)(const void *)four);
    return (Lanes){_mm256_permutevar_ps(both, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)),
                   _mm256_permutevar_ps(both, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3))};
}
static inline Lanes lanes_repeat(const float *four)
{
    __m256 both = _mm256_broadcast_ps((const __m128 *)(const void *)four);
    return (Lanes){both, both};
}
static inline void lanes_sum_blocks(Lanes a, float *four)
{
    __m256 lo = _mm256_add_ps(a.lo, _mm256_permute_ps(a.lo, 0x4e)), hi = _mm256_add_ps(a.hi, _mm256_permute_ps(a.hi, 0x4e));
    lo = _mm256_add_ps(lo, _mm256_permute_ps(lo, 0xb1)), hi = _mm256_add_ps(hi, _mm256_permute_ps(hi, 0xb1));
    four[0] = _mm256_cvtss_f32(lo), four[1] = _mm_cvtss_f32(_mm256_extractf128_ps(lo, 1));
    four[2] = _mm256_cvtss_f32(hi), four[3] = _mm_cvtss_f32(_mm256_extractf128_ps(hi, 1));
}
static inline void lanes_sum_across(Lanes a, float *four)
{
    __m256 half = _mm256_add_ps(a.lo, a.hi);
    _mm_storeu_ps(four, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}
#ifdef LANES_FAST
static inline Lanes lanes_mul_add(Lanes a, Lanes b, Lanes c) { return (Lanes){_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)}; }
static inline Lanes lanes_sub_mul(Lanes c, Lanes a, Lanes b) { return (Lanes){_mm256_fnmadd_ps(a.lo, b.lo, c.lo), _mm256_fnmadd_ps(a.hi, b.hi, c.hi)}; }
static inline Lanes lanes_estimate_rsqrt(Lanes a) { return (Lanes){_mm256_rsqrt_ps(a.lo), _mm256_rsqrt_ps(a.hi)}; }
static inline Lanes lanes_estimate_reciprocal(Lanes a) { return (Lanes){_mm256_rcp_ps(a.lo), _mm256_rcp_ps(a.hi)}; }
#endif
static inline float lanes_sum(Lanes a)
{
    __m256 half = _mm256_add_ps(a.lo, a.hi);
    __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}

#else

#include <math.h>
#include <string.h>

// Four vectors of four, which every compiler maps to SSE2 or NEON.
typedef float LanesPart __attribute__((vector_size(16)));
typedef int32_t MaskPart __attribute__((vector_size(16))); // 0 or ~0 in each lane
typedef struct Lanes {
    LanesPart a, b, c, d;
} Lanes;
typedef struct LaneMask {
    MaskPart a, b, c, d;
} LaneMask;
typedef struct LaneIndex {
    uint32_t lane[LANES];
} LaneIndex;

static inline LanesPart part_set(float a) { return (LanesPart){a, a, a, a}; }
static inline LanesPart part_load(const float *at)
{
    LanesPart out;
    memcpy(&out, at, sizeof out);
    return out;
}
static inline LanesPart part_select(MaskPart mask, LanesPart yes, LanesPart no)
{
    return (LanesPart)(((MaskPart)yes & mask) | ((MaskPart)no & ~mask));
}
static inline LanesPart part_sqrt(LanesPart a) { return (LanesPart){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])}; }
static inline float part_sum(LanesPart a) { return (a[0] + a[2]) + (a[1] + a[3]); }
static inline MaskPart part_first(int32_t count)
{
    return (MaskPart){0, 1, 2, 3} < (MaskPart){count, count, count, count};
}
static inline uint32_t part_bits(MaskPart mask)
{
#if defined(__SSE__)
    return (uint32_t)__builtin_ia32_movmskps((LanesPart)mask);
#endif
    return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

static inline Lanes lanes_set(float a)
{
    LanesPart part = part_set(a);
    return (Lanes){part, part, part, part};
}
static inline Lanes lanes_add(Lanes x, Lanes y) { return (Lanes){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
static inline Lanes lanes_sub(Lanes x, Lanes y) { return (Lanes){x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
static inline Lanes lanes_mul(Lanes x, Lanes y) { return (Lanes){x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d}; }
static inline Lanes lanes_div(Lanes x, Lanes y) { return (Lanes){x.a / y.a, x.b / y.b, x.c / y.c, x.d / y.d}; }
static inline Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no)
{
    return (Lanes){part_select(mask.a, yes.a, no.a), part_select(mask.b, yes.b, no.b), part_select(mask.c, yes.c, no.c),
                   part_select(mask.d, yes.d, no.d)};
}
static inline Lanes lanes_max(Lanes x, Lanes y) { return lanes_select((LaneMask){x.a > y.a, x.b > y.b, x.c > y.c, x.d > y.d}, x, y); }
static inline Lanes lanes_min(Lanes x, Lanes y) { return lanes_select((LaneMask){x.a < y.a, x.b < y.b, x.c < y.c, x.d < y.d}, x, y); }
static inline Lanes lanes_sqrt(Lanes x) { return (Lanes){part_sqrt(x.a), part_sqrt(x.b), part_sqrt(x.c), part_sqrt(x.d)}; }
static inline LaneMask lanes_first(uint32_t count)
{
    int32_t n = count < LANES ? (int32_t)count : LANES;
    return (LaneMask){part_first(n), part_first(n - 4), part_first(n - 8), part_first(n - 12)};
}
static inline bool lanes_any_less(Lanes x, Lanes y) { return part_bits((x.a < y.a) | (x.b < y.b) | (x.c < y.c) | (x.d < y.d)) != 0; }
static inline LaneMask lanes_less_equal(Lanes x, Lanes y) { return (LaneMask){x.a <= y.a, x.b <= y.b, x.c <= y.c, x.d <= y.d}; }
static inline uint32_t lanes_bits(LaneMask mask)
{
    return part_bits(mask.a) | part_bits(mask.b) << 4 | part_bits(mask.c) << 8 | part_bits(mask.d) << 12;
}
static inline LaneIndex lanes_index_load(const uint32_t *at, LaneMask mask, uint32_t other)
{
    LaneIndex out;
    uint32_t bits = lanes_bits(mask);
    for (uint32_t k = 0; k < LANES; k++) out.lane[k] = bits >> k & 1u ? at[k] : other;
    return out;
}
static inline LanesPart part_gather(const float *base, const uint32_t *index)
{
    return (LanesPart){base[index[0]], base[index[1]], base[index[2]], base[index[3]]};
}
ALWAYS_INLINE Lanes lanes_gather(const float *base, LaneIndex index)
{
    return (Lanes){part_gather(base, index.lane), part_gather(base, index.lane + 4), part_gather(base, index.lane + 8),
                   part_gather(base, index.lane + 12)};
}
static inline Lanes lanes_load(const float *at) { return (Lanes){part_load(at), part_load(at + 4), part_load(at + 8), part_load(at + 12)}; }
static inline void lanes_gather_four(const float *base, size_t stride, const uint32_t *row, Lanes out[4])
{
    for (int c = 0; c < 4; c++)
    {
        float column[LANES];
        for (int k = 0; k < LANES; k++) column[k] = base[stride * row[k] + (size_t)c];
        out[c] = lanes_load(column);
    }
}
static inline void lanes_store(float *at, Lanes x)
{
    memcpy(at, &x.a, sizeof x.a);
    memcpy(at + 4, &x.b, sizeof x.b);
    memcpy(at + 8, &x.c, sizeof x.c);
    memcpy(at + 12, &x.d, sizeof x.d);
}
static inline Lanes lanes_spread(const float *four) { return (Lanes){part_set(four[0]), part_set(four[1]), part_set(four[2]), part_set(four[3])}; }
static inline Lanes lanes_repeat(const float *four)
{
    LanesPart part = part_load(four);
    return (Lanes){part, part, part, part};
}
static inline void lanes_sum_blocks(Lanes x, float *four)
{
    four[0] = part_sum(x.a);
    four[1] = part_sum(x.b);
    four[2] = part_sum(x.c);
    four[3] = part_sum(x.d);
}
static inline void lanes_sum_across(Lanes x, float *four)
{
    LanesPart sum = (x.a + x.c) + (x.b + x.d);
    memcpy(four, &sum, sizeof sum);
}
static inline float lanes_sum(Lanes x) { return part_sum((x.a + x.c) + (x.b + x.d)); }

#endif
// clang-format on

#if !defined(LANES_SCALAR) && !defined(__AVX512F__)

static inline uint32_t lanes_write_numbers(uint32_t *out, uint32_t first, uint32_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) out[n++] = first + (uint32_t)__builtin_ctz(bits);
    return n;
}

static inline uint32_t lanes_write_chosen(uint32_t *out, const uint32_t *from, uint32_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) out[n++] = from[__builtin_ctz(bits)];
    return n;
}

static inline void lanes_store_chosen(float *out, Lanes a, uint32_t bits)
{
    float all[LANES];
    lanes_store(all, a);
    for (; bits; bits &= bits - 1) *out++ = all[__builtin_ctz(bits)];
}

static inline uint32_t lanes_numbers_within(const uint32_t *at, uint32_t from, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < LANES; k++) bits |= (uint32_t)(at[k] - from < count) << k;
    return bits;
}

#endif

#if defined(LANES_FAST) && defined(__AVX2__)

// y (3 - a y^2)
static inline Lanes lanes_twice_rsqrt(Lanes a)
{
    Lanes y = lanes_estimate_rsqrt(a);
    return lanes_mul(y, lanes_sub_mul(lanes_set(3.0f), lanes_mul(a, y), y));
}

// y (2 - a y)
static inline Lanes lanes_reciprocal(Lanes a)
{
    Lanes y = lanes_estimate_reciprocal(a);
    return lanes_mul(y, lanes_sub_mul(lanes_set(2.0f), a, y));
}

#else

// a b + c
static inline Lanes lanes_mul_add(Lanes a, Lanes b, Lanes c)
{
    return lanes_add(lanes_mul(a, b), c);
}

// c - a b
static inline Lanes lanes_sub_mul(Lanes c, Lanes a, Lanes b)
{
    return lanes_sub(c, lanes_mul(a, b));
}

// 2 / sqrt(a), a > 0 and normal
static inline Lanes lanes_twice_rsqrt(Lanes a)
{
    return lanes_div(lanes_set(2.0f), lanes_sqrt(a));
}

// 1 / a
static inline Lanes lanes_reciprocal(Lanes a)
{
    return lanes_div(lanes_set(1.0f), a);
}

#endif

#endif
