#include "neighbor/candidates.h"

#if defined(__AVX512F__)

#include <immintrin.h>
#include <math.h>

static void append(Candidates *list, const float *x, const float *y, const float *z, const uint32_t *index,
                   uint32_t begin, uint32_t end)
{
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t at = list->count;
    for (uint32_t k = begin; k < end; k += 16, at += 16) {
        // Masked, because the caller's streams may end inside the vector; the list may not.
        __mmask16 mask = end - k >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << (end - k)) - 1u);
        _mm512_storeu_ps(list->x + at, _mm512_maskz_loadu_ps(mask, x + k));
        _mm512_storeu_ps(list->y + at, _mm512_maskz_loadu_ps(mask, y + k));
        _mm512_storeu_ps(list->z + at, _mm512_maskz_loadu_ps(mask, z + k));
        __m512i indices = index ? _mm512_maskz_loadu_epi32(mask, index + k)
                                : _mm512_add_epi32(_mm512_set1_epi32((int)k), iota);
        _mm512_storeu_si512(list->index + at, indices);
    }
    list->count += end - begin;
}

static void close_list(Candidates *list)
{
    const __m512 far_away = _mm512_set1_ps(INFINITY);
    uint32_t *index = list->index, count = list->count;
    _mm512_storeu_ps(list->x + count, far_away);
    _mm512_storeu_ps(list->y + count, far_away);
    _mm512_storeu_ps(list->z + count, far_away);
    _mm512_storeu_si512(index + count, _mm512_set1_epi32(-1));
    __mmask16 descents = 0;
    for (uint32_t k = 0; k < count; k += 16)
        descents |= _mm512_cmpgt_epu32_mask(_mm512_load_si512(index + k), _mm512_loadu_si512(index + k + 1));
    list->ascending = descents == 0;
}

// The point that is looked at.
typedef struct Center {
    __m512 x, y, z, radius_squared;
} Center;

// `allowed` switches the point itself off.
static inline uint32_t *filter_vector(const float *x, const float *y, const float *z, const uint32_t *index,
                                      const Center *center, __mmask16 allowed, uint32_t *out)
{
    __m512 dx = _mm512_sub_ps(_mm512_load_ps(x), center->x);
    __m512 dy = _mm512_sub_ps(_mm512_load_ps(y), center->y);
    __m512 dz = _mm512_sub_ps(_mm512_load_ps(z), center->z);
    __m512 xx = _mm512_mul_ps(dx, dx), yy = _mm512_mul_ps(dy, dy), zz = _mm512_mul_ps(dz, dz);
    __m512 squared = _mm512_add_ps(_mm512_add_ps(xx, yy), zz);
    __mmask16 hit = _mm512_mask_cmp_ps_mask(allowed, squared, center->radius_squared, _CMP_LE_OQ);
    // Compress in a register, then store it whole: compressing stores are many times slower on some
    // processors.
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(hit, _mm512_load_si512(index)));
    return out + __builtin_popcount(hit);
}

static uint32_t filter(const Candidates *list, float px, float py, float pz, uint32_t skip,
                       float radius_squared, uint32_t *out)
{
    const Center center = {_mm512_set1_ps(px), _mm512_set1_ps(py), _mm512_set1_ps(pz),
                           _mm512_set1_ps(radius_squared)};
    const float *x = list->x, *y = list->y, *z = list->z;
    const uint32_t *index = list->index, count = list->count, own = skip & ~15u;
    uint32_t *at = out, k = 0;
    for (; k < own; k += 16)
        at = filter_vector(x + k, y + k, z + k, index + k, &center, (__mmask16)0xffff, at);
    at = filter_vector(x + k, y + k, z + k, index + k, &center, (__mmask16) ~(1u << (skip & 15u)), at);
    for (k += 16; k < count; k += 16)
        at = filter_vector(x + k, y + k, z + k, index + k, &center, (__mmask16)0xffff, at);
    return (uint32_t)(at - out);
}

static uint32_t filter_groups(const Candidates *list, const uint32_t *groups, uint32_t mask, float px,
                              float py, float pz, uint32_t skip, float radius_squared, uint32_t *out)
{
    const Center center = {_mm512_set1_ps(px), _mm512_set1_ps(py), _mm512_set1_ps(pz),
                           _mm512_set1_ps(radius_squared)};
    const float *x = list->x, *y = list->y, *z = list->z;
    const uint32_t *index = list->index, vectors = (list->count + 15) / 16, own = skip / 16;
    const __m512i wanted = _mm512_set1_epi32((int)mask);
    uint32_t *at = out;
    for (uint32_t first = 0; first < vectors; first += 32) {
        // Two masks at once: the loop below ends once, and once is guessed wrong.
        uint32_t low = _mm512_test_epi32_mask(_mm512_loadu_si512(groups + first), wanted), high = 0;
        if (first + 16 < vectors)
            high = _mm512_test_epi32_mask(_mm512_loadu_si512(groups + first + 16), wanted);
        for (uint32_t bits = low | high << 16; bits; bits &= bits - 1) {
            uint32_t vector = first + (uint32_t)__builtin_ctz(bits), k = 16 * vector;
            __mmask16 allowed = (__mmask16) ~((uint32_t)(vector == own) << (skip & 15u));
            at = filter_vector(x + k, y + k, z + k, index + k, &center, allowed, at);
        }
    }
    return (uint32_t)(at - out);
}

static inline __m512 box_gap(const float *lo, const float *hi, __m512 center)
{
    __m512 below = _mm512_sub_ps(_mm512_load_ps(lo), center),
           above = _mm512_sub_ps(center, _mm512_load_ps(hi));
    return _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
}

static uint32_t boxes_within(const CandidateBoxes *boxes, float x, float y, float z, float radius_squared)
{
    __m512 xs = _mm512_set1_ps(x), ys = _mm512_set1_ps(y), zs = _mm512_set1_ps(z);
    uint32_t mask = 0;
    for (uint32_t k = 0; k < CANDIDATES_BOXES; k += 16) {
        __m512 dx = box_gap(boxes->lo[0] + k, boxes->hi[0] + k, xs);
        __m512 dy = box_gap(boxes->lo[1] + k, boxes->hi[1] + k, ys);
        __m512 dz = box_gap(boxes->lo[2] + k, boxes->hi[2] + k, zs);
        __m512 xx = _mm512_mul_ps(dx, dx), yy = _mm512_mul_ps(dy, dy), zz = _mm512_mul_ps(dz, dz);
        __m512 squared = _mm512_add_ps(_mm512_add_ps(xx, yy), zz);
        mask |= (uint32_t)_mm512_cmp_ps_mask(squared, _mm512_set1_ps(radius_squared), _CMP_LE_OQ) << k;
    }
    return mask;
}

const CandidateKernel candidate_kernel_avx512 = {append, close_list, filter, filter_groups, 16, boxes_within};

#else
typedef int CandidatesAvx512Empty; // other processors
#endif
