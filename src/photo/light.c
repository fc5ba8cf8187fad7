#include "photo/light.h"

#include "photo/color.h"
#include "photo/number.h"

// A lamp's edge is this much darker than its middle, as a soft box's is.
#define LAMP_FALL 0.75f

Sun sun_make(Vec3 toward, float radius, Vec3 irradiance)
{
    Vec3 other = fabsf(toward.z) > 0.9f ? vec3_make(1, 0, 0) : vec3_make(0, 0, 1);
    Vec3 side = vec3_normalize_or(vec3_cross(toward, other), vec3_make(1, 0, 0));
    return (Sun){.shines = color_largest(irradiance) > 0,
                 .toward = toward,
                 .side = side,
                 .up = vec3_cross(side, toward),
                 .cosine = cosf(radius),
                 .irradiance = irradiance};
}

Vec3 sun_draw(const Sun *sun, PathSampler *sampler)
{
    float u, v;
    sampler_pair(sampler, &u, &v);
    float cosine = 1 - u * (1 - sun->cosine), sine = sqrtf(number_max(1 - cosine * cosine, 0));
    float turn = 2 * PHOTO_PI * v;
    Vec3 aside = vec3_add(vec3_scale(sun->side, sine * cosf(turn)), vec3_scale(sun->up, sine * sinf(turn)));
    return vec3_add(vec3_scale(sun->toward, cosine), aside);
}

Vec3 sun_radiance(const Sun *sun, Vec3 direction)
{
    if (!sun->shines || vec3_dot(direction, sun->toward) < sun->cosine) return color_gray(0);
    return vec3_scale(sun->irradiance, 1 / (2 * PHOTO_PI * (1 - sun->cosine)));
}

// Radiance at a place on the lamp, each coordinate -1..1.
static Vec3 lamp_light(const Lamp *lamp, float u, float v)
{
    float edge = number_step(0.3f, 1, number_max(fabsf(u), fabsf(v)));
    return vec3_scale(lamp->light, 1 - LAMP_FALL * edge);
}

float lamp_area(const Lamp *lamp)
{
    return 4 * sqrtf(vec3_dot(lamp->half_u, lamp->half_u) * vec3_dot(lamp->half_v, lamp->half_v));
}

static float lamp_density(const Lamp *lamp, Vec3 direction, float distance)
{
    float area = lamp_area(lamp);
    float facing = -vec3_dot(direction, lamp->normal);
    return facing > 0 ? distance * distance / (facing * area) : 0;
}

Vec3 lamp_place(const Lamp *lamp, float u, float v, Vec3 *light)
{
    *light = lamp_light(lamp, u, v);
    return vec3_add(lamp->middle, vec3_add(vec3_scale(lamp->half_u, u), vec3_scale(lamp->half_v, v)));
}

static LightDraw draw_lamp(const Lamp *lamp, Vec3 point, PathSampler *sampler)
{
    LightDraw draw;
    float u, v;
    sampler_pair(sampler, &u, &v);
    Vec3 way = vec3_sub(lamp_place(lamp, 2 * u - 1, 2 * v - 1, &draw.light), point);
    draw.distance = vec3_length(way);
    draw.direction = vec3_normalize_or(way, lamp->normal);
    draw.density = lamp_density(lamp, draw.direction, draw.distance);
    return draw;
}

// About the irradiance by a lamp, were nothing in between. Of one that is partly below the horizon of the
// place, or close to it, the middle tells too little: nothing is drawn less than LEAST as often as all.
#define LEAST 0.08f

static float lamp_brings(const Lamp *lamp, Vec3 point, Vec3 normal, bool flat)
{
    Vec3 way = vec3_sub(lamp->middle, point);
    float square = vec3_dot(way, way), over = 1 / sqrtf(square + 1e-12f);
    float area = lamp_area(lamp);
    float facing = number_max(-vec3_dot(way, lamp->normal) * over, 0);
    float upright = flat ? number_max(vec3_dot(way, normal) * over, 0) : 0.25f;
    return color_luminance(lamp->light) * area * facing * upright / (square + area);
}

LightShares lights_shares(const Lights *lights, Vec3 point, Vec3 normal)
{
    LightShares shares = {.sky = 1};
    uint32_t count = lights->lamp_count;
    if (count == 0) return shares;
    bool flat = vec3_dot(normal, normal) > 0.5f;
    float sky = color_luminance(lights->sky->mean) * (flat ? PHOTO_PI : 1), sum = sky;
    for (uint32_t k = 0; k < count; k++)
        sum += shares.lamp[k] = lamp_brings(&lights->lamp[k], point, normal, flat);
    float scale = sum > 0 ? (1 - (float)(count + 1) * LEAST) / sum : 0;
    for (uint32_t k = 0; k < count; k++) {
        shares.lamp[k] = LEAST + scale * shares.lamp[k];
        shares.sky -= shares.lamp[k];
    }
    return shares;
}

LightDraw lights_draw(const Lights *lights, const LightShares *shares, Vec3 point, PathSampler *sampler)
{
    float choice = lights->lamp_count > 0 ? sampler_one(sampler) : 1;
    for (uint32_t k = 0; k < lights->lamp_count; k++) {
        choice -= shares->lamp[k];
        if (choice >= 0) continue;
        LightDraw draw = draw_lamp(&lights->lamp[k], point, sampler);
        draw.density *= shares->lamp[k];
        return draw;
    }
    LightDraw draw = {.distance = INFINITY};
    float u, v;
    sampler_pair(sampler, &u, &v);
    draw.direction = sky_draw(lights->sky, u, v, &draw.light, &draw.density);
    draw.density *= shares->sky;
    return draw;
}

float lights_sky_light(const Lights *lights, const LightShares *shares, Vec3 direction, Vec3 *light)
{
    return sky_density(lights->sky, direction, light) * shares->sky;
}

float lights_lamp_density(const Lights *lights, const LightShares *shares, uint32_t lamp, Vec3 direction,
                          float distance)
{
    return lamp_density(&lights->lamp[lamp], direction, distance) * shares->lamp[lamp];
}

uint32_t lights_hit(const Lights *lights, const Ray *ray, float *distance, Vec3 *light)
{
    uint32_t nearest = UINT32_MAX;
    *distance = ray->far;
    for (uint32_t k = 0; k < lights->lamp_count; k++) {
        const Lamp *lamp = &lights->lamp[k];
        float facing = vec3_dot(ray->direction, lamp->normal);
        if (facing >= 0) continue;
        float t = vec3_dot(vec3_sub(lamp->middle, ray->origin), lamp->normal) / facing;
        if (!(t > ray->near && t < *distance)) continue;
        Vec3 place = vec3_sub(vec3_add(ray->origin, vec3_scale(ray->direction, t)), lamp->middle);
        float u = vec3_dot(place, lamp->half_u) / vec3_dot(lamp->half_u, lamp->half_u);
        float v = vec3_dot(place, lamp->half_v) / vec3_dot(lamp->half_v, lamp->half_v);
        if (fabsf(u) > 1 || fabsf(v) > 1) continue;
        nearest = k;
        *distance = t;
        *light = lamp_light(lamp, u, v);
    }
    return nearest;
}
