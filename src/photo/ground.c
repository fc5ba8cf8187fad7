#include "photo/ground.h"

#include "photo/color.h"
#include "photo/ground_noise.h"
#include "photo/number.h"
#include "photo/sampler.h"

static float hash_of(int x, int y, unsigned seed)
{
    return sampler_unit(sampler_hash((uint32_t)x * NOISE_X ^ (uint32_t)y * NOISE_Y ^ seed * NOISE_SEED));
}

// Distance to the edge of a square of the unit grid, 0..0.5, and the square's number.
static float square_of(float x, float y, int *i, int *j)
{
    *i = number_floor(x);
    *j = number_floor(y);
    float u = x - (float)*i, v = y - (float)*j;
    u = u < 1 - u ? u : 1 - u;
    v = v < 1 - v ? v : 1 - v;
    return u < v ? u : v;
}

// Stone with worn patches and narrow joints.
static void make_slabs(const Ground *ground, float x, float y, bool fine, Surface *out)
{
    int i, j;
    float edge = square_of(x, y, &i, &j);
    if (!fine) {
        out->albedo = vec3_scale(ground->color, 1 + 0.25f * (hash_of(i, j, 31) - 0.5f));
        out->gloss = 0;
        return;
    }
    float worn =
        0.72f + 0.38f * ground_noise(1.8f * x, 1.8f * y, 41, 6) + 0.28f * ground_noise(22 * x, 22 * y, 45, 4);
    float light = (1 + 0.25f * (hash_of(i, j, 31) - 0.5f)) * worn;
    if (edge < 0.007f) light *= 0.28f;
    out->albedo = vec3_scale(ground->color, light);
    out->roughness = 0.14f;
}

// Glazed tiles, ten on a slab's edge, of slightly different colors and tilts.
static void make_tiles(const Ground *ground, float x, float y, Surface *out)
{
    int i, j;
    float edge = square_of(10 * x, 10 * y, &i, &j);
    float shade = hash_of(i, j, 5), kind = hash_of(i, j, 55);
    Vec3 tint = vec3_scale(ground->color, 0.8f + 0.4f * shade);
    if (kind > 0.93f) tint = color_mix(tint, color_gray(0.8f), 0.6f);
    if (kind < 0.07f) tint = vec3_scale(tint, 0.6f);
    bool joint = edge < 0.04f;
    out->albedo = joint ? color_gray(0.55f) : tint;
    out->gloss = joint ? 0 : 0.04f;
    out->roughness = 0.02f;
    if (joint) return;
    Vec3 tilt = vec3_make(hash_of(i, j, 11) - 0.5f, hash_of(i, j, 12) - 0.5f, 0);
    out->normal = vec3_normalize_or(vec3_add(out->normal, vec3_scale(tilt, 0.012f)), out->normal);
}

Surface ground_surface(const Ground *ground, Vec3 point, bool fine)
{
    Surface surface = {ground->color, vec3_make(0, 0, 1), ground->gloss, 0.1f};
    float x = point.x / ground->scale, y = point.y / ground->scale;
    if (ground->kind == GROUND_SLABS) make_slabs(ground, x, y, fine, &surface);
    if (ground->kind == GROUND_TILES) make_tiles(ground, x, y, &surface);
    float largest = color_largest(surface.albedo);
    if (largest > 0.95f) surface.albedo = vec3_scale(surface.albedo, 0.95f / largest);
    return surface;
}

float ground_gloss(const Ground *ground, Vec3 point, float most)
{
    if (ground->kind != GROUND_SLABS || most <= 0) return most;
    float x = 1.3f * point.x / ground->scale, y = 1.3f * point.y / ground->scale;
    return most * number_step(0.35f, 0.65f, ground_noise(x, y, 61, 4));
}
