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

// How far coordinates are from a range.
static inline __m512 range_gap(__m512 at, __m512 lo, __m512 hi)
{
    return _mm512_sub_ps(at, _mm512_min_ps(_mm512_max_ps(at, lo), hi));
}

static void append_near(Candidates *list, const float *x, const float *y, const float *z,
                        const uint32_t *index, uint32_t begin, uint32_t end, const PointBox *box,
                        float radius_squared)
{
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512 lo_x = _mm512_set1_ps(box->lo[0]), hi_x = _mm512_set1_ps(box->hi[0]);
    const __m512 lo_y = _mm512_set1_ps(box->lo[1]), hi_y = _mm512_set1_ps(box->hi[1]);
    const __m512 lo_z = _mm512_set1_ps(box->lo[2]), hi_z = _mm512_set1_ps(box->hi[2]);
    const __m512 limit = _mm512_set1_ps(radius_squared);
    uint32_t at = list->count;
    for (uint32_t k = begin; k < end; k += 16) {
        __mmask16 mask = end - k >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << (end - k)) - 1u);
        __m512 px = _mm512_maskz_loadu_ps(mask, x + k);
        __m512 py = _mm512_maskz_loadu_ps(mask, y + k);
        __m512 pz = _mm512_maskz_loadu_ps(mask, z + k);
        __m512 dx = range_gap(px, lo_x, hi_x), dy = range_gap(py, lo_y, hi_y), dz = range_gap(pz, lo_z, hi_z);
        __m512 xx = _mm512_mul_ps(dx, dx), yy = _mm512_mul_ps(dy, dy), zz = _mm512_mul_ps(dz, dz);
        __m512 squared = _mm512_add_ps(_mm512_add_ps(xx, yy), zz);
        __mmask16 near = _mm512_mask_cmp_ps_mask(mask, squared, limit, _CMP_LE_OQ);
        __m512i indices = index ? _mm512_maskz_loadu_epi32(mask, index + k)
                                : _mm512_add_epi32(_mm512_set1_epi32((int)k), iota);
        _mm512_storeu_ps(list->x + at, _mm512_maskz_compress_ps(near, px));
        _mm512_storeu_ps(list->y + at, _mm512_maskz_compress_ps(near, py));
        _mm512_storeu_ps(list->z + at, _mm512_maskz_compress_ps(near, pz));
        _mm512_storeu_si512(list->index + at, _mm512_maskz_compress_epi32(near, indices));
        at += (uint32_t)__builtin_popcount(near);
    }
    list->count = at;
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

const CandidateKernel candidate_kernel_avx512 = {append, append_near, close_list, filter};

#else
typedef int CandidatesAvx512Empty; // other processors
#endif
