// What shines on a scene: the sky, the sun and rectangular lamps.
#ifndef PBF_PHOTO_LIGHT_H
#define PBF_PHOTO_LIGHT_H

#include "photo/ray_scene.h"
#include "photo/sampler.h"
#include "photo/sky.h"

#include <stdbool.h>

// A rectangle that shines on one side, dimmer toward its edges.
typedef struct Lamp {
    Vec3 middle, normal; // m; toward its light
    Vec3 half_u, half_v; // m, from the middle to the edges
    Vec3 light;          // radiance in its middle
} Lamp;

typedef struct Sun {
    bool shines;
    Vec3 toward, side, up; // unit, at right angles
    float cosine;          // of the angle from its middle to its edge
    Vec3 irradiance;       // on a surface that faces it
} Sun;

enum { LAMPS_MAX = 4 };

typedef struct Lights {
    const Sky *sky;
    Sun sun;
    Lamp lamp[LAMPS_MAX];
    uint32_t lamp_count;
} Lights;

// toward: unit. radius: of the disc, radians.
Sun sun_make(Vec3 toward, float radius, Vec3 irradiance);
Vec3 sun_draw(const Sun *sun, PathSampler *sampler); // a direction to a point on its disc
Vec3 sun_radiance(const Sun *sun, Vec3 direction);   // 0 beside the disc

// How often sky and lamps are drawn for a place: by about what they bring there.
typedef struct LightShares {
    float sky, lamp[LAMPS_MAX];
} LightShares;

// normal: of a surface, that it looks along; 0: a place in the air, lit from all sides.
LightShares lights_shares(const Lights *lights, Vec3 point, Vec3 normal);

// Light from the sky or a lamp that is drawn for a point.
typedef struct LightDraw {
    Vec3 direction; // unit
    float distance; // m
    Vec3 light;     // radiance
    float density;  // of the draw, per steradian; 0: none
} LightDraw;
LightDraw lights_draw(const Lights *lights, const LightShares *shares, Vec3 point, PathSampler *sampler);

// Density with which lights_draw gives this direction to the sky, whose radiance becomes *light, or to the
// lamp at that distance.
float lights_sky_light(const Lights *lights, const LightShares *shares, Vec3 direction, Vec3 *light);
float lights_lamp_density(const Lights *lights, const LightShares *shares, uint32_t lamp, Vec3 direction,
                          float distance);

float lamp_area(const Lamp *lamp); // m^2

// The place and radiance of a lamp at u and v, each -1..1 from edge to edge.
Vec3 lamp_place(const Lamp *lamp, float u, float v, Vec3 *light);

// The nearest lamp whose bright side the ray meets; *distance: of that, below ray->far. UINT32_MAX for none.
uint32_t lights_hit(const Lights *lights, const Ray *ray, float *distance, Vec3 *light);

#endif
