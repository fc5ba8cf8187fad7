#include "photo/denoise.h"

#include "core/memory.h"
#include "photo/color.h"
#include "photo/denoise_means.h"
#include "photo/denoise_oidn.h"

const char *denoise_name(uint32_t kind)
{
    static const char *const names[DENOISE_KINDS] = {"off", "own", "oidn", "auto"};
    return kind < DENOISE_KINDS ? names[kind] : NULL;
}

// --- the film's means ---

static Result means_open(const Film *film, FilmMeans *out)
{
    size_t pixels = (size_t)film->width * film->height;
    out->albedo = memory_allocate(pixels * sizeof(Vec3));
    out->normal = memory_allocate(pixels * sizeof(Vec3));
    out->variance = memory_allocate(pixels * sizeof(float));
    if (out->albedo && out->normal && out->variance) return result_ok();
    return result_no_memory("the denoiser", pixels * (2 * sizeof(Vec3) + sizeof(float)));
}

static void means_free(FilmMeans *means)
{
    memory_free(means->albedo);
    memory_free(means->normal);
    memory_free(means->variance);
}

static void take_means(const Film *film, FilmMeans *means)
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

Result denoise(DenoiseKind kind, const Film *film, const atomic_bool *stop, Vec3 *light)
{
    FilmMeans means = {.light = light};
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
        result = denoise_oidn(film->width, film->height, means.albedo, means.normal, stop, light);
    else if (kind != DENOISE_OFF)
        result = denoise_means(&means, film->width, film->height, 1 / film->scale, stop);
    means_free(&means);
    return result;
}
