#include "photo/film.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "photo/color.h"
#include "photo/number.h"

#include <string.h>

enum {
    TILE = 16,       // px
    ROUND_FIRST = 4, // samples; further rounds double them
    ROUND_MOST = 64,
    SURE = 16, // samples before a tile's noise is believed
};

Result film_open(uint32_t width, uint32_t height, uint32_t seed, Film *out)
{
    *out = (Film){.width = width, .height = height, .seed = seed};
    out->tiles_x = groups_of(width, TILE);
    out->tiles_y = groups_of(height, TILE);
    size_t tiles = (size_t)out->tiles_x * out->tiles_y, pixels = (size_t)width * height;
    out->pixel = memory_allocate_zeroed(pixels * sizeof *out->pixel);
    out->samples = memory_allocate_zeroed(tiles * sizeof *out->samples);
    out->noise = memory_allocate_zeroed(tiles * sizeof *out->noise);
    out->points = memory_allocate(sizeof *out->points);
    if (!out->pixel || !out->samples || !out->noise || !out->points) {
        film_free(out);
        return result_no_memory("the film", pixels * sizeof *out->pixel);
    }
    sampler_table_fill(out->points);
    return result_ok();
}

void film_free(Film *film)
{
    memory_free(film->pixel);
    memory_free(film->samples);
    memory_free(film->noise);
    memory_free(film->points);
    *film = (Film){0};
}

// --- one sample ---

// An offset from a pixel's center, px, with a density that falls linearly to zero at the radius.
static float tent(float u)
{
    const float radius = 0.75f;
    return radius * (u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 * (1 - u)));
}

static Ray camera_ray(const PhotoCamera *camera, const Film *film, uint32_t x, uint32_t y,
                      PathSampler *sampler)
{
    float u, v;
    sampler_pair(sampler, &u, &v);
    float right = (2 * ((float)x + 0.5f + tent(u)) / (float)film->width - 1) * camera->tan_x;
    float up = (1 - 2 * ((float)y + 0.5f + tent(v)) / (float)film->height) * camera->tan_y;
    Vec3 way =
        vec3_add(camera->forward, vec3_add(vec3_scale(camera->right, right), vec3_scale(camera->up, up)));
    Ray ray = {camera->eye, way, 0, INFINITY, sampler_one(sampler), 0};
    sampler_pair(sampler, &u, &v);
    if (camera->lens > 0) {
        float radius = camera->lens * sqrtf(u), turn = 2 * PHOTO_PI * v;
        Vec3 place = vec3_add(vec3_scale(camera->right, radius * cosf(turn)),
                              vec3_scale(camera->up, radius * sinf(turn)));
        ray.origin = vec3_add(camera->eye, place);
        ray.direction = vec3_sub(vec3_scale(way, camera->focus), place);
    }
    ray.direction = vec3_normalize_or(ray.direction, camera->forward);
    return ray;
}

typedef struct Round {
    Film *film;
    const PathScene *scene;
    const PhotoCamera *camera;
    const Exposure *exposure;
    uint32_t until; // samples that pixels have after it
} Round;

// Adds samples begin..end-1 one by one, so that rounds of any length give the same sums.
static void expose_pixel(const Round *round, uint32_t x, uint32_t y, uint32_t begin, uint32_t end)
{
    Film *film = round->film;
    FilmPixel *pixel = &film->pixel[(size_t)y * film->width + x];
    uint32_t seed = sampler_hash2(film->seed, y * film->width + x);
    for (uint32_t k = begin; k < end; k++) {
        PathSampler sampler = sampler_by_table(film->points, seed, k);
        Ray ray = camera_ray(round->camera, film, x, y, &sampler);
        PathFeatures features;
        Vec3 light = path_light(round->scene, &ray, film->in_water, &sampler, &features);
        float luminance = number_min(color_luminance(light) * round->exposure->scale, FILM_WHITE);
        pixel->light = vec3_add(pixel->light, light);
        pixel->square += luminance * luminance;
        pixel->albedo = vec3_add(pixel->albedo, features.albedo);
        pixel->normal = vec3_add(pixel->normal, features.normal);
    }
}

// --- tiles ---

typedef struct TileBox {
    uint32_t x0, y0, x1, y1;
} TileBox;

static TileBox tile_box(const Film *film, uint32_t tile)
{
    uint32_t x = tile % film->tiles_x * TILE, y = tile / film->tiles_x * TILE;
    return (TileBox){x, y, x + TILE < film->width ? x + TILE : film->width,
                     y + TILE < film->height ? y + TILE : film->height};
}

static float tile_noise(const Film *film, const TileBox *box, uint32_t samples, float scale)
{
    double sum = 0;
    for (uint32_t y = box->y0; y < box->y1; y++) {
        for (uint32_t x = box->x0; x < box->x1; x++) {
            const FilmPixel *pixel = &film->pixel[(size_t)y * film->width + x];
            double n = samples,
                   mean = (double)fminf(color_luminance(pixel->light) * scale / (float)samples, FILM_WHITE);
            double variance = fmax((double)pixel->square / n - mean * mean, 0) / (n - 1);
            sum += sqrt(variance) / (mean + 0.05);
        }
    }
    return (float)(sum / ((box->x1 - box->x0) * (box->y1 - box->y0)));
}

static bool tile_done(const Film *film, uint32_t tile, float noise)
{
    return film->samples[tile] >= SURE && film->noise[tile] < noise;
}

static void expose_tiles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Round *round = context;
    Film *film = round->film;
    (void)worker;
    if (is_stopped(round->exposure->stop)) return;
    for (uint32_t tile = begin; tile < end; tile++) {
        uint32_t had = film->samples[tile];
        if (had >= round->until || tile_done(film, tile, round->exposure->noise)) continue;
        TileBox box = tile_box(film, tile);
        for (uint32_t y = box.y0; y < box.y1; y++) {
            for (uint32_t x = box.x0; x < box.x1; x++) expose_pixel(round, x, y, had, round->until);
        }
        film->samples[tile] = round->until;
        film->noise[tile] = tile_noise(film, &box, round->until, round->exposure->scale);
    }
}

bool film_is_done(const Film *film, uint32_t samples, float noise)
{
    if (film->exposed >= samples) return true;
    for (uint32_t k = 0; k < film->tiles_x * film->tiles_y; k++)
        if (!tile_done(film, k, noise)) return false;
    return true;
}

// Samples of the next round, of all that a pixel may get.
static uint32_t next_round(const Film *film, uint32_t samples)
{
    uint32_t round = film->exposed < ROUND_FIRST ? ROUND_FIRST : film->exposed;
    if (round > ROUND_MOST) round = ROUND_MOST;
    return round < samples - film->exposed ? round : samples - film->exposed;
}

Result film_expose(Film *film, const PathScene *scene, const PhotoCamera *camera, const Exposure *exposure)
{
    double started = clock_seconds();
    film->scale = exposure->scale;
    Round round = {film, scene, camera, exposure, 0};
    while (!film_is_done(film, exposure->samples, exposure->noise)) {
        round.until = film->exposed + next_round(film, exposure->samples);
        parallel_for(film->tiles_x * film->tiles_y, 1, expose_tiles, &round);
        TRY(stop_check(exposure->stop)); // perhaps after the last tile
        film->exposed = round.until;
        if (exposure->tell)
            TRY(exposure->tell(round.until, exposure->samples, film_noise(film), exposure->context));
        if (exposure->seconds > 0 && clock_seconds() - started > exposure->seconds) break;
    }
    return result_ok();
}

float film_noise(const Film *film)
{
    double sum = 0;
    for (uint32_t k = 0; k < film->tiles_x * film->tiles_y; k++) {
        TileBox box = tile_box(film, k);
        sum += (double)film->noise[k] * ((box.x1 - box.x0) * (box.y1 - box.y0));
    }
    return (float)(sum / ((double)film->width * film->height));
}

uint32_t film_samples(const Film *film, uint32_t x, uint32_t y)
{
    return film->samples[y / TILE * film->tiles_x + x / TILE];
}
