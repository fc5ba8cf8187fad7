#include "surface/surface.h"

#include "core/parallel.h"

#define SAMPLES 256u
#define NEIGHBORS 32u

// Sampled particles and what each says about the spacing.
typedef struct Estimate {
    const SurfacePoints *points;
    uint32_t samples, neighbors;
    float spacing[SAMPLES];
} Estimate;

// A ball that just holds the k nearest neighbors and the particle itself holds k + 1/2 spacings^3: the
// particle on its border counts half.
static void look_round(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Estimate *estimate = context;
    const SurfacePoints *points = estimate->points;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = (uint32_t)((uint64_t)k * points->count / estimate->samples);
        float nearest[NEIGHBORS + 1]; // squared distances, ascending; the particle itself comes first
        uint32_t held = 0, capacity = estimate->neighbors + 1;
        for (uint32_t j = 0; j < points->count; j++) {
            float x = points->x[j] - points->x[i], y = points->y[j] - points->y[i],
                  z = points->z[j] - points->z[i];
            float d2 = x * x + y * y + z * z;
            if (held == capacity && !(d2 < nearest[held - 1])) continue;
            uint32_t at = held < capacity ? held++ : held - 1;
            for (; at > 0 && nearest[at - 1] > d2; at--) nearest[at] = nearest[at - 1];
            nearest[at] = d2;
        }
        float volume = 4.18879f * powf(nearest[held - 1], 1.5f) / ((float)estimate->neighbors + 0.5f);
        estimate->spacing[k] = cbrtf(volume);
    }
}

float surface_estimate_spacing(const SurfacePoints *points)
{
    if (points->count < 2) return 0;
    Estimate estimate = {.points = points};
    estimate.samples = points->count < SAMPLES ? points->count : SAMPLES;
    estimate.neighbors = points->count - 1 < NEIGHBORS ? points->count - 1 : NEIGHBORS;
    parallel_for(estimate.samples, 4, look_round, &estimate);
    for (uint32_t k = 1; k < estimate.samples; k++) { // by insertion: they are few
        float value = estimate.spacing[k];
        uint32_t at = k;
        for (; at > 0 && estimate.spacing[at - 1] > value; at--)
            estimate.spacing[at] = estimate.spacing[at - 1];
        estimate.spacing[at] = value;
    }
    return estimate.spacing[estimate.samples / 4];
}
