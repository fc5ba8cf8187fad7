#include "surface/surface.h"

#include "core/parallel.h"

#include <stdlib.h>

// Limits of the particles tested and of their pairs with others.
#define SAMPLES_MAX 1024u
#define SAMPLES_MIN 256u
#define PAIRS 200000000u

#define NEIGHBORS 32u // of a particle inside the water
#define NEAREST 6u    // of any particle

// A particle is inside if the center of its neighbors is less than this part of their ball's radius away, and
// their covariance in no direction less than this part of a full ball's.
#define INSIDE_OFFSET 0.12f
#define INSIDE_EXTENT 0.75f

// Fewer particles inside are too few to judge by.
#define INSIDE_LEAST 12u

// The ball that just holds 32 neighbors, for lattices and for water in motion: measured, within 1 %.
#define BALL_FACTOR 1.007f

typedef struct Nearest {
    float distance2; // m^2
    uint32_t point;
} Nearest;

typedef struct Estimate {
    const SurfacePoints *points;
    uint32_t samples;
    float inside[SAMPLES_MAX]; // spacing by the ball of a particle inside; 0 for the others
    float around[SAMPLES_MAX]; // mean distance of the nearest few
} Estimate;

// Lists the nearest points by distance; the point itself comes first. Returns how many there are.
static uint32_t find_nearest(const Estimate *estimate, uint32_t i, Nearest nearest[NEIGHBORS + 1])
{
    const SurfacePoints *points = estimate->points;
    uint32_t held = 0;
    for (uint32_t j = 0; j < points->count; j++) {
        float x = points->x[j] - points->x[i], y = points->y[j] - points->y[i],
              z = points->z[j] - points->z[i];
        float d2 = x * x + y * y + z * z;
        if (held > NEIGHBORS && !(d2 < nearest[held - 1].distance2)) continue;
        uint32_t at = held <= NEIGHBORS ? held++ : held - 1;
        for (; at > 0 && nearest[at - 1].distance2 > d2; at--) nearest[at] = nearest[at - 1];
        nearest[at] = (Nearest){d2, j};
    }
    return held;
}

// Is a symmetric matrix (xx, xy, xz, yy, yz, zz) positive definite? Sylvester's criterion.
static bool is_positive(const float m[6])
{
    float minor = m[0] * m[3] - m[1] * m[1];
    float det = m[0] * (m[3] * m[5] - m[4] * m[4]) - m[1] * (m[1] * m[5] - m[4] * m[2]) +
                m[2] * (m[1] * m[4] - m[3] * m[2]);
    return m[0] > 0 && minor > 0 && det > 0;
}

// Do the neighbors fill a ball around the point?
static bool is_inside(const Estimate *estimate, const Nearest *nearest, uint32_t held)
{
    const SurfacePoints *points = estimate->points;
    uint32_t self = nearest[0].point;
    float each = 1.0f / (float)held, radius2 = nearest[held - 1].distance2;
    float least = INSIDE_EXTENT * radius2 / 5.0f; // a ball's covariance is r^2 / 5 in every direction
    float m[6] = {-least, 0, 0, -least, 0, -least};
    Vec3 center = vec3_make(0, 0, 0);
    for (uint32_t k = 1; k < held; k++) {
        uint32_t j = nearest[k].point;
        Vec3 d = vec3_make(points->x[j] - points->x[self], points->y[j] - points->y[self],
                           points->z[j] - points->z[self]);
        center = vec3_add(center, vec3_scale(d, each));
        m[0] += each * d.x * d.x, m[1] += each * d.x * d.y, m[2] += each * d.x * d.z;
        m[3] += each * d.y * d.y, m[4] += each * d.y * d.z, m[5] += each * d.z * d.z;
    }
    return vec3_dot(center, center) < INSIDE_OFFSET * INSIDE_OFFSET * radius2 && is_positive(m);
}

static void look_round(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Estimate *estimate = context;
    for (uint32_t k = begin; k < end; k++) {
        Nearest nearest[NEIGHBORS + 1];
        uint32_t i = (uint32_t)((uint64_t)k * estimate->points->count / estimate->samples);
        uint32_t held = find_nearest(estimate, i, nearest), few = held - 1 < NEAREST ? held - 1 : NEAREST;
        estimate->around[k] = estimate->inside[k] = 0;
        for (uint32_t n = 1; n <= few; n++) estimate->around[k] += sqrtf(nearest[n].distance2) / (float)few;
        if (held <= NEIGHBORS || !is_inside(estimate, nearest, held)) continue;
        // The ball holds n + 1/2 spacings^3: the particle on its border counts half.
        float volume = 4.18879f * powf(nearest[held - 1].distance2, 1.5f) / ((float)NEIGHBORS + 0.5f);
        estimate->inside[k] = cbrtf(volume) / BALL_FACTOR;
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

float surface_estimate_spacing(const SurfacePoints *points, bool *certain)
{
    Estimate estimate = {.points = points};
    *certain = false;
    if (points->count < 2) return 0;
    estimate.samples = PAIRS / points->count;
    if (estimate.samples > SAMPLES_MAX) estimate.samples = SAMPLES_MAX;
    if (estimate.samples < SAMPLES_MIN) estimate.samples = SAMPLES_MIN;
    if (estimate.samples > points->count) estimate.samples = points->count;
    parallel_for(estimate.samples, 4, look_round, &estimate);

    uint32_t inside = 0;
    for (uint32_t k = 0; k < estimate.samples; k++) {
        if (estimate.inside[k] > 0) estimate.inside[inside++] = estimate.inside[k];
    }
    *certain = inside >= INSIDE_LEAST;
    float *values = *certain ? estimate.inside : estimate.around;
    uint32_t count = *certain ? inside : estimate.samples;
    qsort(values, count, sizeof *values, compare_floats);
    // Just below the middle: some that pass for inside are near a surface.
    return values[*certain ? 2 * count / 5 : count / 4];
}
