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

// A box in vectors, and where points near it go.
typedef struct NearWriter {
    __m512 lo_x, hi_x, lo_y, hi_y, lo_z, hi_z, limit;
    float *x, *y, *z;
    uint32_t *index;
} NearWriter;

// `inside` names the lanes that hold points. Returns how many are near.
static inline uint32_t write_near(const NearWriter *to, uint32_t at, __m512 x, __m512 y, __m512 z,
                                  __m512i index, __mmask16 inside)
{
    __m512 dx = range_gap(x, to->lo_x, to->hi_x), dy = range_gap(y, to->lo_y, to->hi_y);
    __m512 dz = range_gap(z, to->lo_z, to->hi_z);
    __m512 xx = _mm512_mul_ps(dx, dx), yy = _mm512_mul_ps(dy, dy), zz = _mm512_mul_ps(dz, dz);
    __m512 squared = _mm512_add_ps(_mm512_add_ps(xx, yy), zz);
    __mmask16 near = _mm512_mask_cmp_ps_mask(inside, squared, to->limit, _CMP_LE_OQ);
    _mm512_storeu_ps(to->x + at, _mm512_maskz_compress_ps(near, x));
    _mm512_storeu_ps(to->y + at, _mm512_maskz_compress_ps(near, y));
    _mm512_storeu_ps(to->z + at, _mm512_maskz_compress_ps(near, z));
    _mm512_storeu_si512(to->index + at, _mm512_maskz_compress_epi32(near, index));
    return (uint32_t)__builtin_popcount(near);
}

static void append_near(Candidates *list, const PointStreams *points, const PlaceRange *ranges,
                        uint32_t count, const PointBox *box, float radius_squared)
{
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const NearWriter to = {
        _mm512_set1_ps(box->lo[0]),
        _mm512_set1_ps(box->hi[0]),
        _mm512_set1_ps(box->lo[1]),
        _mm512_set1_ps(box->hi[1]),
        _mm512_set1_ps(box->lo[2]),
        _mm512_set1_ps(box->hi[2]),
        _mm512_set1_ps(radius_squared),
        list->x,
        list->y,
        list->z,
        list->index,
    };
    const float *x = points->x, *y = points->y, *z = points->z;
    const uint32_t *index = points->index;
    uint32_t at = list->count;
    for (uint32_t range = 0; range < count; range++) {
        uint32_t k = ranges[range].begin, end = ranges[range].end;
        for (; k + 16 <= end; k += 16) {
            __m512i indices =
                index ? _mm512_loadu_si512(index + k) : _mm512_add_epi32(_mm512_set1_epi32((int)k), iota);
            at += write_near(&to, at, _mm512_loadu_ps(x + k), _mm512_loadu_ps(y + k), _mm512_loadu_ps(z + k),
                             indices, (__mmask16)0xffff);
        }
        __mmask16 rest = (__mmask16)((1u << (end - k)) - 1u);
        if (rest == 0) continue;
        __m512i indices = index ? _mm512_maskz_loadu_epi32(rest, index + k)
                                : _mm512_add_epi32(_mm512_set1_epi32((int)k), iota);
        at += write_near(&to, at, _mm512_maskz_loadu_ps(rest, x + k), _mm512_maskz_loadu_ps(rest, y + k),
                         _mm512_maskz_loadu_ps(rest, z + k), indices, rest);
    }
    list->count = at;
}

static void close_list(Candidates *list)
{
    const __m512 far_away = _mm512_set1_ps(INFINITY);
    uint32_t count = list->count;
    _mm512_storeu_ps(list->x + count, far_away);
    _mm512_storeu_ps(list->y + count, far_away);
    _mm512_storeu_ps(list->z + count, far_away);
    _mm512_storeu_si512(list->index + count, _mm512_set1_epi32(-1));
}

static bool ascends(const Candidates *list)
{
    const uint32_t *index = list->index, count = list->count;
    __mmask16 descents = 0;
    for (uint32_t k = 0; k < count; k += 16)
        descents |= _mm512_cmpgt_epu32_mask(_mm512_load_si512(index + k), _mm512_loadu_si512(index + k + 1));
    return descents == 0;
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

const CandidateKernel candidate_kernel_avx512 = {append, append_near, close_list, ascends, filter};

#else
typedef int CandidatesAvx512Empty; // other processors
#endif
