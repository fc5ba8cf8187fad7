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

static float lamp_density(const Lamp *lamp, Vec3 direction, float distance)
{
    float area = 4 * vec3_length(lamp->half_u) * vec3_length(lamp->half_v);
    float facing = -vec3_dot(direction, lamp->normal);
    return facing > 0 ? distance * distance / (facing * area) : 0;
}

static LightDraw draw_lamp(const Lamp *lamp, Vec3 point, PathSampler *sampler)
{
    float u, v;
    sampler_pair(sampler, &u, &v);
    u = 2 * u - 1;
    v = 2 * v - 1;
    Vec3 place = vec3_add(lamp->middle, vec3_add(vec3_scale(lamp->half_u, u), vec3_scale(lamp->half_v, v)));
    Vec3 way = vec3_sub(place, point);
    float distance = vec3_length(way);
    LightDraw draw = {vec3_normalize_or(way, lamp->normal), distance, lamp_light(lamp, u, v), 0};
    draw.density = lamp_density(lamp, draw.direction, distance);
    return draw;
}

static float sky_share(const Lights *lights)
{
    return lights->lamp_count > 0 ? lights->sky_share : 1;
}

// Lamps are drawn from equally often.
static float lamp_share(const Lights *lights)
{
    return lights->lamp_count > 0 ? (1 - lights->sky_share) / (float)lights->lamp_count : 0;
}

LightDraw lights_draw(const Lights *lights, Vec3 point, PathSampler *sampler)
{
    float choice = lights->lamp_count > 0 ? sampler_one(sampler) : 0;
    LightDraw draw;
    if (lights->lamp_count > 0 && choice >= lights->sky_share) {
        uint32_t lamp = (uint32_t)((choice - lights->sky_share) / lamp_share(lights));
        if (lamp >= lights->lamp_count) lamp = lights->lamp_count - 1;
        draw = draw_lamp(&lights->lamp[lamp], point, sampler);
        draw.density *= lamp_share(lights);
    } else {
        float u, v;
        sampler_pair(sampler, &u, &v);
        draw.direction = sky_draw(lights->sky, u, v, &draw.light, &draw.density);
        draw.distance = INFINITY;
        draw.density *= sky_share(lights);
    }
    return draw;
}

float lights_sky_light(const Lights *lights, Vec3 direction, Vec3 *light)
{
    return sky_density(lights->sky, direction, light) * sky_share(lights);
}

float lights_lamp_density(const Lights *lights, uint32_t lamp, Vec3 direction, float distance)
{
    return lamp_density(&lights->lamp[lamp], direction, distance) * lamp_share(lights);
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
