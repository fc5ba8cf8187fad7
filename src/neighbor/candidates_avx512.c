#include "neighbor/candidates.h"

#if defined(__AVX512F__)

#include <immintrin.h>

#define CANDIDATE_KERNEL candidate_kernel_avx512
#define WIDTH 16u

typedef __m512 Floats;
typedef __m512i Numbers;
typedef __mmask16 Some;
typedef __mmask16 Front; // the lanes that move

// One operation a line, so that it can be read beside candidates_avx2.c. Lanes are moved in a register and
// stored whole: compressing stores are many times slower on some processors.
// clang-format off
static inline Floats spread(float value) { return _mm512_set1_ps(value); }
static inline Numbers spread_number(uint32_t value) { return _mm512_set1_epi32((int)value); }
static inline Numbers iota(void) { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
static inline Numbers count_from(uint32_t first) { return _mm512_add_epi32(spread_number(first), iota()); }
static inline Some first_lanes(uint32_t count) { return (__mmask16)((1u << count) - 1u); }
static inline Floats load(const float *at) { return _mm512_load_ps(at); }
static inline Floats load_some(const float *at, Some some) { return _mm512_maskz_loadu_ps(some, at); }
static inline Numbers load_numbers(const uint32_t *at) { return _mm512_loadu_si512(at); }
static inline Numbers load_some_numbers(const uint32_t *at, Some some) { return _mm512_maskz_loadu_epi32(some, at); }
static inline void store(float *at, Floats value) { _mm512_storeu_ps(at, value); }
static inline void store_numbers(uint32_t *at, Numbers value) { _mm512_storeu_si512(at, value); }
static inline Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
static inline Floats clamp(Floats a, Floats lo, Floats hi) { return _mm512_min_ps(_mm512_max_ps(a, lo), hi); }
static inline Front front_of(uint32_t bits) { return (__mmask16)bits; }
static inline Floats move_to_front(Floats a, Front front) { return _mm512_maskz_compress_ps(front, a); }
static inline Numbers move_numbers_to_front(Numbers a, Front front) { return _mm512_maskz_compress_epi32(front, a); }
static inline uint32_t greater_bits(Numbers a, Numbers b) { return _mm512_cmpgt_epu32_mask(a, b); }
// clang-format on

// within(), as bits.
static inline uint32_t within_bits(Floats dx, Floats dy, Floats dz, Floats limit)
{
    __m512 xx = _mm512_mul_ps(dx, dx), yy = _mm512_mul_ps(dy, dy), zz = _mm512_mul_ps(dz, dz);
    return _mm512_cmp_ps_mask(_mm512_add_ps(_mm512_add_ps(xx, yy), zz), limit, _CMP_LE_OQ);
}

#include "neighbor/candidates_body.h"

#else
typedef int CandidatesAvx512Empty; // other processors
#endif
