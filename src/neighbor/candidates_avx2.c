#include "neighbor/candidates.h"

#if defined(__AVX2__)

#include <immintrin.h>

#define CANDIDATE_KERNEL candidate_kernel_avx2
#define WIDTH 8u

typedef __m256 Floats;
typedef __m256i Numbers;
typedef __m256i Some;  // chosen lanes are negative
typedef __m256i Front; // which lane each one takes

// Row m moves the lanes whose bits are set in m to the front. Eight bytes a row, widened when used: 2 KB stay
// in the first-level cache where 8 KB would crowd it.
static const uint64_t fronts[256] = {
#define LANE(m, lane) (((m) >> (lane)) & 1)
#define BELOW(m, lane)                                                                                       \
    (LANE(m, 0) * (lane > 0) + LANE(m, 1) * (lane > 1) + LANE(m, 2) * (lane > 2) + LANE(m, 3) * (lane > 3) + \
     LANE(m, 4) * (lane > 4) + LANE(m, 5) * (lane > 5) + LANE(m, 6) * (lane > 6))
#define PLACE(m, lane) ((uint64_t)LANE(m, lane) * ((uint64_t)(lane) << (8 * BELOW(m, lane))))
#define ROW(m)                                                                                               \
    (PLACE(m, 0) | PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) |       \
     PLACE(m, 7))
#define ROWS4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS16(m) ROWS4(m), ROWS4((m) + 4), ROWS4((m) + 8), ROWS4((m) + 12)
#define ROWS64(m) ROWS16(m), ROWS16((m) + 16), ROWS16((m) + 32), ROWS16((m) + 48)
    ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192)};

// One operation a line, so that it can be read beside candidates_avx512.c.
// clang-format off
static inline Floats spread(float value) { return _mm256_set1_ps(value); }
static inline Numbers spread_number(uint32_t value) { return _mm256_set1_epi32((int)value); }
static inline Numbers iota(void) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
static inline Numbers count_from(uint32_t first) { return _mm256_add_epi32(spread_number(first), iota()); }
static inline Some first_lanes(uint32_t count) { return _mm256_cmpgt_epi32(spread_number(count), iota()); }
static inline Floats load(const float *at) { return _mm256_load_ps(at); }
static inline Floats load_some(const float *at, Some some) { return _mm256_maskload_ps(at, some); }
static inline Numbers load_numbers(const uint32_t *at) { return _mm256_loadu_si256((const __m256i *)(const void *)at); }
static inline Numbers load_some_numbers(const uint32_t *at, Some some) { return _mm256_maskload_epi32((const int *)(const void *)at, some); }
static inline void store(float *at, Floats value) { _mm256_storeu_ps(at, value); }
static inline void store_numbers(uint32_t *at, Numbers value) { _mm256_storeu_si256((__m256i *)(void *)at, value); }
static inline Floats subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
static inline Floats clamp(Floats a, Floats lo, Floats hi) { return _mm256_min_ps(_mm256_max_ps(a, lo), hi); }
static inline Front front_of(uint32_t bits) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&fronts[bits])); }
static inline Floats move_to_front(Floats a, Front front) { return _mm256_permutevar8x32_ps(a, front); }
static inline Numbers move_numbers_to_front(Numbers a, Front front) { return _mm256_permutevar8x32_epi32(a, front); }
// clang-format on

// within(), as bits.
static inline uint32_t within_bits(Floats dx, Floats dy, Floats dz, Floats limit)
{
    __m256 xx = _mm256_mul_ps(dx, dx), yy = _mm256_mul_ps(dy, dy), zz = _mm256_mul_ps(dz, dz);
    __m256 squared = _mm256_add_ps(_mm256_add_ps(xx, yy), zz);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, limit, _CMP_LE_OQ));
}

static inline uint32_t greater_bits(Numbers a, Numbers b)
{
    const __m256i top = _mm256_set1_epi32(INT32_MIN); // makes signed comparisons unsigned
    __m256i greater = _mm256_cmpgt_epi32(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(greater));
}

#include "neighbor/candidates_body.h"

#else
typedef int CandidatesAvx2Empty; // other processors
#endif
