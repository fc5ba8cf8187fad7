#include "neighbor/candidates.h"

#if defined(__AVX2__)

#include <immintrin.h>
#include <math.h>

// Row m moves the lanes whose bits are set in m to the front. Eight bytes a row, widened when used: 2 KB stay
// in the first-level cache where 8 KB would crowd it.
static const uint64_t front[256] = {
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

static void append(Candidates *list, const float *x, const float *y, const float *z, const uint32_t *index,
                   uint32_t begin, uint32_t end)
{
    const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t at = list->count;
    for (uint32_t k = begin; k < end; k += 8, at += 8) {
        // Masked, because the caller's streams may end inside the vector; the list may not.
        __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(end - k < 8 ? end - k : 8)), iota);
        _mm256_storeu_ps(list->x + at, _mm256_maskload_ps(x + k, mask));
        _mm256_storeu_ps(list->y + at, _mm256_maskload_ps(y + k, mask));
        _mm256_storeu_ps(list->z + at, _mm256_maskload_ps(z + k, mask));
        __m256i indices = index ? _mm256_maskload_epi32((const int *)(const void *)(index + k), mask)
                                : _mm256_add_epi32(_mm256_set1_epi32((int)k), iota);
        _mm256_storeu_si256((__m256i *)(void *)(list->index + at), indices);
    }
    list->count += end - begin;
}

// How far coordinates are from a range.
static inline __m256 range_gap(__m256 at, __m256 lo, __m256 hi)
{
    return _mm256_sub_ps(at, _mm256_min_ps(_mm256_max_ps(at, lo), hi));
}

// A box in vectors, and where points near it go.
typedef struct NearWriter {
    __m256 lo_x, hi_x, lo_y, hi_y, lo_z, hi_z, limit;
    float *x, *y, *z;
    uint32_t *index;
} NearWriter;

// `inside` has the bits of the lanes that hold points. Returns how many are near.
static inline uint32_t write_near(const NearWriter *to, uint32_t at, __m256 x, __m256 y, __m256 z,
                                  __m256i index, uint32_t inside)
{
    __m256 dx = range_gap(x, to->lo_x, to->hi_x), dy = range_gap(y, to->lo_y, to->hi_y);
    __m256 dz = range_gap(z, to->lo_z, to->hi_z);
    __m256 xx = _mm256_mul_ps(dx, dx), yy = _mm256_mul_ps(dy, dy), zz = _mm256_mul_ps(dz, dz);
    __m256 squared = _mm256_add_ps(_mm256_add_ps(xx, yy), zz);
    uint32_t near = inside & (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, to->limit, _CMP_LE_OQ));
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&front[near]));
    _mm256_storeu_ps(to->x + at, _mm256_permutevar8x32_ps(x, order));
    _mm256_storeu_ps(to->y + at, _mm256_permutevar8x32_ps(y, order));
    _mm256_storeu_ps(to->z + at, _mm256_permutevar8x32_ps(z, order));
    _mm256_storeu_si256((__m256i *)(void *)(to->index + at), _mm256_permutevar8x32_epi32(index, order));
    return (uint32_t)__builtin_popcount(near);
}

static void append_near(Candidates *list, const PointStreams *points, const PlaceRange *ranges,
                        uint32_t count, const PointBox *box, float radius_squared)
{
    const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const NearWriter to = {
        _mm256_set1_ps(box->lo[0]),
        _mm256_set1_ps(box->hi[0]),
        _mm256_set1_ps(box->lo[1]),
        _mm256_set1_ps(box->hi[1]),
        _mm256_set1_ps(box->lo[2]),
        _mm256_set1_ps(box->hi[2]),
        _mm256_set1_ps(radius_squared),
        list->x,
        list->y,
        list->z,
        list->index,
    };
    const float *x = points->x, *y = points->y, *z = points->z;
    const uint32_t *index = points->index;
    uint32_t at = list->count;
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k += 8) {
            uint32_t left = end - k < 8 ? end - k : 8;
            __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)left), iota);
            __m256i indices = index ? _mm256_maskload_epi32((const int *)(const void *)(index + k), mask)
                                    : _mm256_add_epi32(_mm256_set1_epi32((int)k), iota);
            at += write_near(&to, at, _mm256_maskload_ps(x + k, mask), _mm256_maskload_ps(y + k, mask),
                             _mm256_maskload_ps(z + k, mask), indices, (1u << left) - 1u);
        }
    }
    list->count = at;
}

static void close_list(Candidates *list)
{
    const __m256 far_away = _mm256_set1_ps(INFINITY);
    for (uint32_t k = list->count; k < list->count + CANDIDATES_LANES; k += 8) {
        _mm256_storeu_ps(list->x + k, far_away);
        _mm256_storeu_ps(list->y + k, far_away);
        _mm256_storeu_ps(list->z + k, far_away);
        _mm256_storeu_si256((__m256i *)(void *)(list->index + k), _mm256_set1_epi32(-1));
    }
}

static bool ascends(const Candidates *list)
{
    const __m256i top = _mm256_set1_epi32(INT32_MIN); // makes signed comparisons unsigned
    const uint32_t *index = list->index, count = list->count;
    __m256i descents = _mm256_setzero_si256();
    for (uint32_t k = 0; k < count; k += 8) {
        __m256i here = _mm256_load_si256((const __m256i *)(const void *)(index + k));
        __m256i next = _mm256_loadu_si256((const __m256i *)(const void *)(index + k + 1));
        descents = _mm256_or_si256(
            descents, _mm256_cmpgt_epi32(_mm256_xor_si256(here, top), _mm256_xor_si256(next, top)));
    }
    return _mm256_testz_si256(descents, descents) != 0;
}

// The point that is looked at.
typedef struct Center {
    __m256 x, y, z, radius_squared;
} Center;

// `allowed` switches the point itself off.
static inline uint32_t *filter_vector(const float *x, const float *y, const float *z, const uint32_t *index,
                                      const Center *center, uint32_t allowed, uint32_t *out)
{
    __m256 dx = _mm256_sub_ps(_mm256_load_ps(x), center->x);
    __m256 dy = _mm256_sub_ps(_mm256_load_ps(y), center->y);
    __m256 dz = _mm256_sub_ps(_mm256_load_ps(z), center->z);
    __m256 xx = _mm256_mul_ps(dx, dx), yy = _mm256_mul_ps(dy, dy), zz = _mm256_mul_ps(dz, dz);
    __m256 squared = _mm256_add_ps(_mm256_add_ps(xx, yy), zz);
    uint32_t hit =
        allowed & (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, center->radius_squared, _CMP_LE_OQ));
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&front[hit]));
    __m256i indices = _mm256_load_si256((const __m256i *)(const void *)index);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(indices, order));
    return out + __builtin_popcount(hit);
}

static uint32_t filter(const Candidates *list, float px, float py, float pz, uint32_t skip,
                       float radius_squared, uint32_t *out)
{
    const Center center = {_mm256_set1_ps(px), _mm256_set1_ps(py), _mm256_set1_ps(pz),
                           _mm256_set1_ps(radius_squared)};
    const float *x = list->x, *y = list->y, *z = list->z;
    const uint32_t *index = list->index, count = list->count, own = skip & ~7u;
    uint32_t *at = out, k = 0;
    for (; k < own; k += 8) at = filter_vector(x + k, y + k, z + k, index + k, &center, 0xff, at);
    at = filter_vector(x + k, y + k, z + k, index + k, &center, ~(1u << (skip & 7u)), at);
    for (k += 8; k < count; k += 8) at = filter_vector(x + k, y + k, z + k, index + k, &center, 0xff, at);
    return (uint32_t)(at - out);
}

const CandidateKernel candidate_kernel_avx2 = {append, append_near, close_list, ascends, filter};

#else
typedef int CandidatesAvx2Empty; // other processors
#endif
