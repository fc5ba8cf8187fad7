#include "render/range.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// Number of sampled values; more would not move a percentile visibly.
enum { MAX_SAMPLES = 1 << 15 };

// Time constants, s: a range grows at once with a splash and shrinks slowly behind it.
static const float GROW_TIME = 0.08f, SHRINK_TIME = 0.6f;

// The k-th smallest by Hoare's selection.
static float select_smallest(float *values, int count, int k)
{
    int lo = 0, hi = count - 1;
    while (lo < hi) {
        float pivot = values[lo + (hi - lo) / 2];
        int i = lo, j = hi;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i <= j) {
                float swap = values[i];
                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
    return values[k];
}

// Evenly spaced values, without those that are not finite.
static int take_samples(const float *values, uint32_t count, float samples[MAX_SAMPLES])
{
    uint32_t wanted = count < MAX_SAMPLES ? count : MAX_SAMPLES;
    int taken = 0;
    for (uint32_t k = 0; k < wanted; k++) {
        float value = values[(uint64_t)k * count / wanted];
        if (isfinite(value)) samples[taken++] = value;
    }
    return taken;
}

static float toward(float from, float to, float dt, bool growing)
{
    return from + (to - from) * (1 - expf(-dt / (growing ? GROW_TIME : SHRINK_TIME)));
}

// The values that few are above and below; as they were where there are none.
static Result find_percentiles(const float *values, uint32_t count, bool from_zero, float *lo, float *hi)
{
    float *samples = memory_allocate(MAX_SAMPLES * sizeof *samples); // too large for a small stack
    if (!samples) return result_no_memory("the colors' range", MAX_SAMPLES * sizeof *samples);
    int taken = take_samples(values, count, samples);
    if (taken > 0) *hi = select_smallest(samples, taken, (int)((float)(taken - 1) * 0.995f));
    if (taken > 0 && !from_zero) *lo = select_smallest(samples, taken, (int)((float)(taken - 1) * 0.005f));
    memory_free(samples);
    return result_ok();
}

Result field_range_follow(FieldRange *range, const FrameView *view, FieldKey field, const float *values)
{
    const ParticleAttribute *attribute = particle_attribute(field);
    float lo = 0, hi = 0;
    TRY(find_percentiles(values, view->count, attribute->from_zero, &lo, &hi));
    // As far below 0 as above: a free surface, where there is less water around, would hide all else.
    if (attribute->two_sided) {
        hi = fmaxf(hi, 0);
        lo = -hi;
    }
    // At least as wide as differences that matter: water at rest is one color, not noise.
    float missing = particle_least_span(attribute, view) - (hi - lo);
    if (missing > 0) {
        hi += attribute->from_zero ? missing : 0.5f * missing;
        lo -= attribute->from_zero ? 0 : 0.5f * missing;
    }
    if (!range->started || view->time < range->time) {
        *range = (FieldRange){true, view->time, lo, hi};
        return result_ok();
    }
    float dt = (float)(view->time - range->time);
    range->time = view->time;
    range->lo = toward(range->lo, lo, dt, lo < range->lo);
    range->hi = toward(range->hi, hi, dt, hi > range->hi);
    return result_ok();
}
