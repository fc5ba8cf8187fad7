#include "photo/denoise.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/denoise_oidn.h"

#include <stdlib.h>
#include <string.h>

const char *denoise_name(uint32_t kind)
{
    static const char *const names[DENOISE_KINDS] = {"off", "own", "oidn", "auto"};
    return kind < DENOISE_KINDS ? names[kind] : NULL;
}

// --- the film's means ---

typedef struct Means {
    Vec3 *light, *albedo, *normal; // width * height
    float *variance;               // of the mean's luminance
} Means;

static Result means_open(const Film *film, Means *out)
{
    size_t pixels = (size_t)film->width * film->height;
    out->albedo = memory_allocate(pixels * sizeof(Vec3));
    out->normal = memory_allocate(pixels * sizeof(Vec3));
    out->variance = memory_allocate(pixels * sizeof(float));
    if (out->albedo && out->normal && out->variance) return result_ok();
    return result_no_memory("the denoiser", pixels * (2 * sizeof(Vec3) + sizeof(float)));
}

static void means_free(Means *means)
{
    memory_free(means->albedo);
    memory_free(means->normal);
    memory_free(means->variance);
}

static void take_means(const Film *film, Means *means)
{
    for (uint32_t y = 0; y < film->height; y++) {
        for (uint32_t x = 0; x < film->width; x++) {
            size_t k = (size_t)y * film->width + x;
            const FilmPixel *pixel = &film->pixel[k];
            uint32_t samples = film_samples(film, x, y);
            float n = samples > 0 ? (float)samples : 1;
            means->light[k] = vec3_scale(pixel->light, 1 / n);
            if (!means->albedo) continue;
            means->albedo[k] = vec3_scale(pixel->albedo, 1 / n);
            means->normal[k] = vec3_scale(pixel->normal, 1 / n);
            float mean = fminf(color_luminance(means->light[k]) * film->scale, FILM_WHITE);
            float variance = fmaxf(pixel->square / n - mean * mean, 0) / fmaxf(n - 1, 1);
            means->variance[k] = variance / (film->scale * film->scale);
        }
    }
}

// --- the filter ---

enum { PASSES = 4 };

// Differences that halve a neighbor's weight, about.
#define LUMINANCE_ERRORS 2.0f // standard errors
#define ALBEDO_DIFFERENCE 0.06f
#define NORMAL_DIFFERENCE 0.12f

typedef struct Pass {
    const Means *guide;
    uint32_t width, height;
    int step; // px between neighbors
    const Vec3 *from;
    Vec3 *to;
    const float *from_variance;
    float *to_variance;
} Pass;

// Mean variance of the 3 x 3 pixels around, weighted as a Gaussian: one pixel's own is too uncertain.
static float steady_variance(const Pass *pass, int x, int y)
{
    float sum = 0, weights = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            if (x + i < 0 || y + j < 0 || x + i >= (int)pass->width || y + j >= (int)pass->height) continue;
            float weight = (i ? 1.0f : 2.0f) * (j ? 1.0f : 2.0f);
            sum += weight * pass->from_variance[(size_t)(y + j) * pass->width + (size_t)(x + i)];
            weights += weight;
        }
    }
    return sum / weights;
}

static float square_of(Vec3 a, Vec3 b)
{
    Vec3 way = vec3_sub(a, b);
    return vec3_dot(way, way);
}

static void filter_pixel(const Pass *pass, int x, int y)
{
    static const float spline[3] = {0.375f, 0.25f, 0.0625f};
    size_t own = (size_t)y * pass->width + (size_t)x;
    const Means *guide = pass->guide;
    float luminance = color_luminance(pass->from[own]), weights = 0, variance = 0;
    float spread = LUMINANCE_ERRORS * sqrtf(steady_variance(pass, x, y)) + 1e-4f + 0.004f * luminance;
    Vec3 sum = color_gray(0);
    for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++) {
            int X = x + i * pass->step, Y = y + j * pass->step;
            if (X < 0 || Y < 0 || X >= (int)pass->width || Y >= (int)pass->height) continue;
            size_t k = (size_t)Y * pass->width + (size_t)X;
            float apart = fabsf(luminance - color_luminance(pass->from[k])) / spread;
            apart +=
                square_of(guide->albedo[own], guide->albedo[k]) / (ALBEDO_DIFFERENCE * ALBEDO_DIFFERENCE);
            apart +=
                square_of(guide->normal[own], guide->normal[k]) / (NORMAL_DIFFERENCE * NORMAL_DIFFERENCE);
            float weight = spline[abs(i)] * spline[abs(j)] * expf(-apart);
            sum = vec3_add(sum, vec3_scale(pass->from[k], weight));
            variance += weight * weight * pass->from_variance[k];
            weights += weight;
        }
    }
    pass->to[own] = vec3_scale(sum, 1 / weights);
    pass->to_variance[own] = variance / (weights * weights);
}

static void filter_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Pass *pass = context;
    (void)worker;
    for (uint32_t y = begin; y < end; y++) {
        for (uint32_t x = 0; x < pass->width; x++) filter_pixel(pass, (int)x, (int)y);
    }
}

static Result filter(const Film *film, Means *means)
{
    size_t pixels = (size_t)film->width * film->height;
    Vec3 *light = memory_allocate(pixels * sizeof *light);
    float *variance = memory_allocate(pixels * sizeof *variance);
    Pass pass = {.guide = means, .width = film->width, .height = film->height};
    bool room = light && variance;
    for (int k = 0; k < PASSES && room; k++) { // an even number: the last one writes to means->light
        bool back = k % 2;
        pass.step = 1 << k;
        pass.from = back ? light : means->light;
        pass.to = back ? means->light : light;
        pass.from_variance = back ? variance : means->variance;
        pass.to_variance = back ? means->variance : variance;
        parallel_for(film->height, 4, filter_rows, &pass);
    }
    memory_free(light);
    memory_free(variance);
    return room ? result_ok() : result_no_memory("the denoiser", pixels * (sizeof(Vec3) + sizeof(float)));
}

Result denoise(DenoiseKind kind, const Film *film, Vec3 *light)
{
    Means means = {.light = light};
    if (kind != DENOISE_OFF) {
        Result room = means_open(film, &means);
        if (!result_is_ok(&room)) {
            means_free(&means);
            return room;
        }
    }
    take_means(film, &means);
    Result result = result_ok();
    bool library = kind == DENOISE_OIDN || (kind == DENOISE_AUTO && denoise_oidn_found());
    if (library)
        result = denoise_oidn(film->width, film->height, means.albedo, means.normal, light);
    else if (kind != DENOISE_OFF)
        result = filter(film, &means);
    means_free(&means);
    return result;
}
