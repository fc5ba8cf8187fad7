#include "photo/tone.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/sampler.h"
#include "photo/stop.h"

// Contrast and color that AgX's flat base picture is given.
#define POWER 1.35f
#define SATURATION 1.25f

// --- bloom ---

// Radii of the glow's Gaussians in parts of the picture's height, and their weights.
static const float GLOW_RADIUS[2] = {0.0083f, 0.039f}, GLOW_WEIGHT[2] = {1, 0.6f};
#define GLOW_MOST 12.0f // times white, of a pixel that glows

typedef struct Glow {
    const Vec3 *from;
    Vec3 *to;
    uint32_t width, height;
    int reach;           // px
    const float *weight; // of pixels -reach to reach away
    const atomic_bool *stop;
} Glow;

// Averages along rows and writes columns.
static void glow_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Glow *glow = context;
    int reach = glow->reach, last = (int)glow->width - 1;
    const float *weight = glow->weight + reach;
    (void)worker;
    if (is_stopped(glow->stop)) return;
    for (uint32_t j = begin; j < end; j++) {
        const Vec3 *row = glow->from + (size_t)j * glow->width;
        Vec3 *column = glow->to + j;
        for (int i = 0; i <= last; i++) column[(size_t)i * glow->height] = color_gray(0);
        for (int i = 0; i <= last; i++) {
            if (color_largest(row[i]) <= 0) continue; // most pixels do not glow
            int from = i < reach ? -i : -reach, until = last - i < reach ? last - i : reach;
            for (int k = from; k <= until; k++) {
                Vec3 *to = &column[(size_t)(i + k) * glow->height];
                *to = vec3_add(*to, vec3_scale(row[i], weight[k]));
            }
        }
    }
}

// The weights of a Gaussian cut off at `reach`, 2 reach + 1 of them.
static void weigh(float sigma, int reach, float *weight)
{
    float total = 0;
    for (int k = -reach; k <= reach; k++) total += expf(-0.5f * (float)(k * k) / (sigma * sigma));
    for (int k = -reach; k <= reach; k++)
        weight[reach + k] = expf(-0.5f * (float)(k * k) / (sigma * sigma)) / total;
}

static int reach_of(float sigma)
{
    return (int)(2.6f * sigma);
}

static float sigma_of(int k, uint32_t height)
{
    return fmaxf(GLOW_RADIUS[k] * (float)height, 0.5f);
}

static Vec3 above_white(Vec3 light, float exposure)
{
    float largest = color_largest(light) * exposure;
    if (!(largest > 1)) return color_gray(0);
    return vec3_scale(light, fminf(largest - 1, GLOW_MOST) / largest);
}

static Result add_bloom(const Tone *tone, Vec3 *light, uint32_t width, uint32_t height,
                        const atomic_bool *stop)
{
    size_t pixels = (size_t)width * height, weights = 2 * (size_t)reach_of(sigma_of(1, height)) + 1;
    size_t bytes = 2 * pixels * sizeof(Vec3) + weights * sizeof(float);
    Vec3 *bright = memory_allocate(bytes), *other = bright + pixels;
    if (!bright) return result_no_memory("the picture's glow", bytes);
    float *weight = (float *)(other + pixels);
    Vec3 *sum = memory_allocate_zeroed(pixels * sizeof *sum);
    for (int k = 0; k < 2 && sum && !is_stopped(stop); k++) {
        float sigma = sigma_of(k, height);
        int reach = reach_of(sigma);
        weigh(sigma, reach, weight);
        for (size_t i = 0; i < pixels; i++) bright[i] = above_white(light[i], tone->exposure);
        parallel_for(height, 8, glow_rows, &(Glow){bright, other, width, height, reach, weight, stop});
        parallel_for(width, 8, glow_rows, &(Glow){other, bright, height, width, reach, weight, stop});
        for (size_t i = 0; i < pixels; i++)
            sum[i] = vec3_add(sum[i], vec3_scale(bright[i], tone->bloom * GLOW_WEIGHT[k]));
    }
    for (size_t i = 0; i < pixels && sum; i++) light[i] = vec3_add(light[i], sum[i]);
    memory_free(bright);
    memory_free(sum);
    return sum ? stop_check(stop) : result_no_memory("the picture's glow", pixels * sizeof *sum);
}

// --- AgX ---

static Vec3 through(const float m[9], Vec3 c)
{
    return vec3_make(m[0] * c.x + m[1] * c.y + m[2] * c.z, m[3] * c.x + m[4] * c.y + m[5] * c.z,
                     m[6] * c.x + m[7] * c.y + m[8] * c.z);
}

static const float INSET[9] = {0.842479f,  0.0784336f, 0.0792237f, 0.0423282f, 0.878469f,
                               0.0791661f, 0.0423757f, 0.0784336f, 0.879143f};
static const float OUTSET[9] = {1.196879f,   -0.0980209f, -0.0990297f, -0.0528969f, 1.151903f,
                                -0.0989612f, -0.0529716f, -0.0980435f, 1.151074f};

// The curve over 16.5 stops of light, as a polynomial; the result is what screens take.
static float curve(float light)
{
    float x = (log2f(fmaxf(light, 1e-8f)) + 12.47393f) / 16.5f;
    x = fminf(fmaxf(x, 0), 1);
    float x2 = x * x, x4 = x2 * x2;
    x = 15.5f * x4 * x2 - 40.14f * x4 * x + 31.96f * x4 - 6.868f * x2 * x + 0.4298f * x2 + 0.1191f * x -
        0.00232f;
    return powf(fmaxf(x, 0), POWER);
}

static Vec3 shown(Vec3 light)
{
    Vec3 inset = through(INSET, light);
    Vec3 flat = vec3_make(curve(inset.x), curve(inset.y), curve(inset.z));
    Vec3 gray = color_gray(color_luminance(flat));
    return through(OUTSET, vec3_add(gray, vec3_scale(vec3_sub(flat, gray), SATURATION)));
}

typedef struct Developing {
    const Tone *tone;
    const Vec3 *light;
    uint32_t width;
    const atomic_bool *stop;
    uint8_t *rgb;
} Developing;

// Rounded up or down by a hash of the place, so that smooth skies show no steps.
static uint8_t byte_of(float value, uint32_t place)
{
    float dither = sampler_unit(sampler_hash(place));
    return (uint8_t)(fminf(fmaxf(value, 0), 1) * 254.999f + dither);
}

static void develop_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Developing *developing = context;
    (void)worker;
    if (is_stopped(developing->stop)) return;
    for (uint32_t k = begin * developing->width; k < end * developing->width; k++) {
        Vec3 color = shown(vec3_scale(developing->light[k], developing->tone->exposure));
        developing->rgb[3 * k] = byte_of(color.x, 3 * k);
        developing->rgb[3 * k + 1] = byte_of(color.y, 3 * k + 1);
        developing->rgb[3 * k + 2] = byte_of(color.z, 3 * k + 2);
    }
}

Result tone_develop(const Tone *tone, Vec3 *light, uint32_t width, uint32_t height, const atomic_bool *stop,
                    uint8_t *rgb)
{
    if (tone->bloom > 0) TRY(add_bloom(tone, light, width, height, stop));
    parallel_for(height, 8, develop_rows, &(Developing){tone, light, width, stop, rgb});
    return stop_check(stop);
}
