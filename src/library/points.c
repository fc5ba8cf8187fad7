// Vectors of the caller as streams of floats.
#include "core/parallel.h"
#include "library/handles.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PAD 16u // floats: whole vectors are read at the end
#define GRAIN 16384u
#define CHUNK 1024u // points whose components are copied one after the other

typedef struct Copy {
    const pbf_points *from;
    float *to[3];              // NULL: the numbers are checked where they are
    atomic_uint_least64_t bad; // the first point that is not finite
} Copy;

// Copies numbers; returns whether all are finite as floats.
static inline bool copy_floats(const char *from, size_t stride, uint32_t count, float *to)
{
    bool finite = true;
    for (uint32_t k = 0; k < count; k++, from += stride) {
        memcpy(&to[k], from, sizeof to[k]);
        finite &= fabsf(to[k]) <= FLT_MAX;
    }
    return finite;
}

static bool copy_doubles(const char *from, size_t stride, uint32_t count, float *to)
{
    bool finite = true;
    for (uint32_t k = 0; k < count; k++, from += stride) {
        double value;
        memcpy(&value, from, sizeof value);
        to[k] = (float)value;
        finite &= fabsf(to[k]) <= FLT_MAX;
    }
    return finite;
}

static bool copy_numbers(const char *from, size_t stride, pbf_type type, uint32_t count, float *to)
{
    if (type == PBF_DOUBLE) return copy_doubles(from, stride, count, to);
    // Constant strides, of arrays side by side and of points one after the other, make faster loops.
    if (stride == sizeof(float)) return copy_floats(from, sizeof(float), count, to);
    if (stride == 3 * sizeof(float)) return copy_floats(from, 3 * sizeof(float), count, to);
    return copy_floats(from, stride, count, to);
}

static void note_bad(Copy *copy, uint64_t bad)
{
    uint64_t before = atomic_load(&copy->bad);
    while (bad < before && !atomic_compare_exchange_weak(&copy->bad, &before, bad)) {
    }
}

static void copy_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    Copy *copy = context;
    const void *const from[3] = {copy->from->x, copy->from->y, copy->from->z};
    float few[CHUNK];
    (void)worker;
    for (uint32_t k = begin; k < end; k += CHUNK) {
        uint32_t count = end - k < CHUNK ? end - k : CHUNK;
        for (int axis = 0; axis < 3; axis++) {
            float *to = copy->to[axis] ? copy->to[axis] + k : few;
            const char *at = (const char *)from[axis] + (size_t)k * copy->from->stride;
            if (copy_numbers(at, copy->from->stride, copy->from->type, count, to)) continue;
            uint32_t bad = 0;
            while (fabsf(to[bad]) <= FLT_MAX) bad++;
            note_bad(copy, k + (uint64_t)bad);
        }
    }
}

static Result check(const pbf_points *points, const char *what)
{
    size_t bytes = points->type == PBF_FLOAT ? sizeof(float) : sizeof(double);
    if (points->type != PBF_FLOAT && points->type != PBF_DOUBLE)
        return result_error(RESULT_USAGE, "%s: their type is %d (PBF_FLOAT or PBF_DOUBLE)", what,
                            (int)points->type);
    if (points->count > INT32_MAX)
        return result_error(RESULT_USAGE, "%s: %u are too many (at most %d)", what, points->count, INT32_MAX);
    if (points->count > 0 && (!points->x || !points->y || !points->z))
        return result_error(RESULT_USAGE, "%s: x, y or z is NULL", what);
    if (points->count > 1 && points->stride < bytes)
        return result_error(RESULT_USAGE, "%s: a stride of %zu bytes (at least %zu)", what, points->stride,
                            bytes);
    if (points->count > 1 && points->stride > PTRDIFF_MAX / points->count)
        return result_error(RESULT_USAGE, "%s: a stride of %zu bytes is too large", what, points->stride);
    return result_ok();
}

static double number_at(const void *base, const pbf_points *points, uint64_t k)
{
    const char *at = (const char *)base + k * points->stride;
    float single;
    double twice;
    if (points->type == PBF_FLOAT) memcpy(&single, at, sizeof single);
    if (points->type == PBF_DOUBLE) memcpy(&twice, at, sizeof twice);
    return points->type == PBF_FLOAT ? (double)single : twice;
}

static Result copy_all(const pbf_points *points, const char *what, float *const to[3])
{
    Copy copy = {.from = points, .to = {to[0], to[1], to[2]}};
    atomic_init(&copy.bad, UINT64_MAX);
    parallel_for(points->count, GRAIN, copy_block, &copy);
    uint64_t bad = atomic_load(&copy.bad);
    if (bad == UINT64_MAX) return result_ok();
    return result_error(RESULT_USAGE, "%s: number %llu is [%g, %g, %g] (finite as floats)", what,
                        (unsigned long long)bad, number_at(points->x, points, bad),
                        number_at(points->y, points, bad), number_at(points->z, points, bad));
}

Result points_copy(const pbf_points *points, const char *what, PointStreams *out)
{
    if (!points) return missing(what);
    TRY(check(points, what));
    float **streams[3] = {&out->x, &out->y, &out->z};
    for (int axis = 0; axis < 3; axis++)
        TRY(memory_reserve((void **)streams[axis], &out->capacity[axis], 0, (size_t)points->count + PAD,
                           sizeof(float), what));
    out->count = points->count;
    return copy_all(points, what, (float *const[3]){out->x, out->y, out->z});
}

// Are they arrays of floats already?
static bool are_streams(const pbf_points *points)
{
    uintptr_t places = (uintptr_t)points->x | (uintptr_t)points->y | (uintptr_t)points->z;
    return points->type == PBF_FLOAT && points->stride == sizeof(float) && places % sizeof(float) == 0;
}

Result points_view(const pbf_points *points, const char *what, PointStreams *store, const float *out[3])
{
    if (!points) return missing(what);
    TRY(check(points, what));
    if (are_streams(points)) {
        out[0] = points->x, out[1] = points->y, out[2] = points->z;
        return copy_all(points, what, (float *const[3]){NULL, NULL, NULL});
    }
    TRY(points_copy(points, what, store));
    out[0] = store->x, out[1] = store->y, out[2] = store->z;
    return result_ok();
}

void points_free(PointStreams *streams)
{
    memory_free(streams->x);
    memory_free(streams->y);
    memory_free(streams->z);
    *streams = (PointStreams){0};
}
