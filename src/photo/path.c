#include "photo/path.h"

#include "photo/color.h"
#include "photo/dielectric.h"
#include "photo/number.h"

typedef struct Path {
    Flight flight;
    Vec3 throughput, light;
    uint32_t solids, misted; // opaque surfaces, and puffs of mist, that have scattered it so far
    uint32_t scattered;      // both
    uint32_t bends;          // since the last of them, without panes
    bool drawn;              // light was drawn there, from sky and lamps, by `shares`
    LightShares shares;
    bool gathered; // photons have brought bent light there
    bool coated;   // a coat or metal has mirrored it since
    float density; // of the direction that it left in, per steradian
    bool veiled;   // a pane has mirrored it before all else: no lamps are seen, as through a polarizer
    bool featured; // `features` is set
    PathFeatures features;
    bool misty; // there is mist to meet by chance
    PathSampler *sampler;
} Path;

static void add_light(const PathScene *scene, Path *path, Vec3 light)
{
    Vec3 more = vec3_mul(path->throughput, light);
    float most = path->scattered > 0 ? scene->indirect_max : scene->direct_max, largest = color_largest(more);
    if (largest > most) more = vec3_scale(more, most / largest);
    path->light = vec3_add(path->light, more);
}

// Was light also drawn for the direction that the path has come along since its last opaque surface?
static bool was_drawn(const Path *path)
{
    return path->scattered > 0 && path->bends == 0 && path->drawn;
}

// Weight of light that the path itself has met, against that which was drawn with this density.
static float met_weight(const Path *path, float drawn_density)
{
    return path->density / (path->density + drawn_density);
}

static void meet_sky(const PathScene *scene, Path *path)
{
    Vec3 direction = path->flight.ray.direction, light;
    if (was_drawn(path)) {
        float density = lights_sky_light(&scene->lights, &path->shares, direction, &light);
        light = vec3_scale(light, met_weight(path, density));
    } else {
        light = sky_light(scene->lights.sky, direction);
    }
    if (path->scattered == 0) light = vec3_add(light, sun_radiance(&scene->lights.sun, direction));
    add_light(scene, path, light);
    if (!path->featured && path->scattered == 0)
        path->features.normal = vec3_add(path->features.normal, vec3_scale(direction, -0.3f));
}

static void meet_lamp(const PathScene *scene, Path *path, const Event *event)
{
    Vec3 light = event->light;
    if (path->gathered && path->bends > 0 && !path->coated) return; // that is what photons brought
    if (was_drawn(path)) {
        float density = lights_lamp_density(&scene->lights, &path->shares, event->lamp,
                                            path->flight.ray.direction, event->distance);
        light = vec3_scale(light, met_weight(path, density));
    }
    add_light(scene, path, light);
}

// A place that turns light: as a matte surface does, or in all directions alike.
typedef struct Scatterer {
    Vec3 point, normal;
    bool everywhere;
} Scatterer;

// Density of the directions that it turns light into, per steradian; of what it turns, that is the share that
// goes there.
static float way_density(const Scatterer *at, Vec3 way)
{
    return at->everywhere ? 1 / (4 * PHOTO_PI) : number_max(vec3_dot(at->normal, way), 0) / PHOTO_PI;
}

static Ray shadow_ray(const PathScene *scene, const Path *path, Vec3 point, Vec3 direction, float far)
{
    return (Ray){point,
                 direction,
                 scene->epsilon,
                 far,
                 path->flight.ray.time,
                 path->misty ? sampler_chance(path->sampler) : 0};
}

static Vec3 sunlight(const PathScene *scene, const Path *path, const Scatterer *at)
{
    const Sun *sun = &scene->lights.sun;
    if (!sun->shines) return color_gray(0);
    Ray ray = shadow_ray(scene, path, at->point, sun_draw(sun, path->sampler), INFINITY);
    float share = way_density(at, ray.direction);
    if (share <= 0 || ray_scene_blocked(scene->rays, &ray)) return color_gray(0);
    return vec3_scale(vec3_mul(sun->irradiance, panes_passed(&scene->panes, &ray)), share);
}

// The same in water, through its surface, which is taken to be level where it bends the light. For opaque
// surfaces photons do this.
static Vec3 sunlight_in_water(const PathScene *scene, const Path *path, const Scatterer *at)
{
    const Sun *sun = &scene->lights.sun;
    if (!sun->shines) return color_gray(0);
    Vec3 toward = sun_draw(sun, path->sampler);
    if (toward.z <= 0) return color_gray(0);
    float eta = 1 / scene->water.index, cosine_below;
    float mirrored = dielectric_reflectance(toward.z, eta, &cosine_below);
    Vec3 down = dielectric_bent(vec3_scale(toward, -1), vec3_make(0, 0, 1), toward.z, eta, cosine_below);
    Flight flight = {shadow_ray(scene, path, at->point, vec3_scale(down, -1), INFINITY), true, 0};
    float share = way_density(at, flight.ray.direction);
    if (share <= 0) return color_gray(0);
    Event surface;
    flight_find(scene, &flight, false, &surface);
    if (surface.kind != EVENT_MESH || surface.material->matter != MATTER_WATER) return color_gray(0);
    Vec3 added, left = flight_fade(scene, &flight, surface.distance, &added);
    Ray above = shadow_ray(scene, path, surface.point, toward, INFINITY);
    if (ray_scene_blocked(scene->rays, &above)) return color_gray(0);
    Vec3 light = vec3_mul(vec3_mul(sun->irradiance, panes_passed(&scene->panes, &above)), left);
    return vec3_scale(light, share * (1 - mirrored) * toward.z / cosine_below); // the beam gets wider
}

static Vec3 drawn_light(const PathScene *scene, const Path *path, const Scatterer *at)
{
    LightDraw draw = lights_draw(&scene->lights, &path->shares, at->point, path->sampler);
    float own = way_density(at, draw.direction);
    if (draw.density <= 0 || own <= 0) return color_gray(0);
    Ray ray = shadow_ray(scene, path, at->point, draw.direction, draw.distance - scene->epsilon);
    if (ray_scene_blocked(scene->rays, &ray)) return color_gray(0);
    Vec3 light = vec3_mul(draw.light, panes_passed(&scene->panes, &ray));
    return vec3_scale(light, own / (draw.density + own)); // weight density / (density + own), over density
}

// Can light be drawn here, and how often from what?
static void prepare_draw(const PathScene *scene, Path *path, const Scatterer *at)
{
    path->drawn = !path->flight.in_water && path->flight.in_glass == 0;
    if (!path->drawn) return;
    path->shares = lights_shares(&scene->lights, at->point, at->everywhere ? color_gray(0) : at->normal);
}

// Light from sun, sky and lamps. Where it is seen by scattered light only, one draw does, for either.
static Vec3 direct_light(const PathScene *scene, const Path *path, const Scatterer *at)
{
    if (!scene->lights.sun.shines) return drawn_light(scene, path, at);
    if (path->scattered == 0) return vec3_add(sunlight(scene, path, at), drawn_light(scene, path, at));
    bool sun = sampler_one(path->sampler) < 0.5f;
    return vec3_scale(sun ? sunlight(scene, path, at) : drawn_light(scene, path, at), 2);
}

// A direction about the normal, with density cosine / pi.
static Vec3 cosine_direction(Vec3 normal, PathSampler *sampler)
{
    float u, v;
    sampler_pair(sampler, &u, &v);
    Vec3 a, b;
    vec3_axes_across(normal, &a, &b);
    float radius = sqrtf(u), around = 2 * PHOTO_PI * v;
    Vec3 aside = vec3_add(vec3_scale(a, radius * cosf(around)), vec3_scale(b, radius * sinf(around)));
    return vec3_normalize_or(vec3_add(vec3_scale(normal, sqrtf(number_max(1 - u, 0))), aside), normal);
}

static Vec3 any_direction(PathSampler *sampler)
{
    float u, v;
    sampler_pair(sampler, &u, &v);
    float z = 1 - 2 * u, radius = sqrtf(number_max(1 - z * z, 0)), around = 2 * PHOTO_PI * v;
    return vec3_make(radius * cosf(around), radius * sinf(around), z);
}

static void set_features(Path *path, const Surface *surface)
{
    if (path->featured) return;
    path->featured = true;
    path->features.albedo = surface->albedo;
    path->features.normal = vec3_add(path->features.normal, surface->normal);
}

static void leave(const PathScene *scene, Path *path, Vec3 point, Vec3 direction)
{
    path->flight.ray.origin = point;
    path->flight.ray.near = scene->epsilon;
    path->flight.ray.direction = direction;
}

// Share of light that a coat mirrors; base: of light along the normal (Schlick 1994).
static float coat_share(float base, float cosine)
{
    float rest = 1 - cosine;
    return base + (1 - base) * rest * rest * rest * rest * rest;
}

// Mirrors at a coat or metal; false: the light goes on below it.
static bool mirror_at(const PathScene *scene, Path *path, const Event *event, const Surface *surface,
                      bool *ended)
{
    Vec3 direction = path->flight.ray.direction;
    float cosine = number_max(-vec3_dot(surface->normal, direction), 0);
    float base = path->flight.in_water && surface->gloss < 1 ? 0 : surface->gloss;
    *ended = false;
    if (base <= 0) return false;
    float choice = sampler_one(path->sampler), u, v;
    if (choice >= coat_share(base, cosine)) return false;
    if (event->kind == EVENT_GROUND) {
        base = ground_gloss(&scene->ground, event->point, base);
        if (base <= 0 || choice >= coat_share(base, cosine)) return false;
    }
    sampler_pair(path->sampler, &u, &v);
    Vec3 jitter = vec3_make(u - 0.5f, v - 0.5f, sampler_one(path->sampler) - 0.5f);
    Vec3 facet = vec3_add(surface->normal, vec3_scale(jitter, surface->roughness));
    facet = vec3_normalize_or(facet, surface->normal);
    Vec3 way = vec3_sub(direction, vec3_scale(facet, 2 * vec3_dot(facet, direction)));
    *ended = vec3_dot(way, surface->normal) <= 0;
    if (base >= 1) path->throughput = vec3_mul(path->throughput, surface->albedo);
    set_features(path, surface);
    path->bends++;
    path->coated = true;
    leave(scene, path, event->point, way);
    return true;
}

// Ends paths that carry little, at random; those that go on carry more.
static bool survives(Path *path, float share)
{
    if (share >= 1) return true;
    if (sampler_one(path->sampler) >= share) return false;
    path->throughput = vec3_scale(path->throughput, 1 / share);
    return true;
}

// Sends a path on from where it was turned.
static void go_on(const PathScene *scene, Path *path, const Scatterer *at)
{
    Vec3 way = at->everywhere ? any_direction(path->sampler) : cosine_direction(at->normal, path->sampler);
    leave(scene, path, at->point, way);
    path->density = way_density(at, way);
    path->bends = 0;
    path->coated = false;
    path->scattered++;
}

// Scatters at an opaque surface; false ends the path.
static bool scatter(const PathScene *scene, Path *path, const Event *event, const Surface *surface)
{
    bool ended;
    if (mirror_at(scene, path, event, surface, &ended)) return !ended;
    if (surface->gloss >= 1) return false;
    set_features(path, surface);
    Scatterer at = {event->point, surface->normal, false};
    Vec3 light = color_gray(0);
    prepare_draw(scene, path, &at);
    if (path->drawn) light = direct_light(scene, path, &at);
    bool on_ground = event->kind == EVENT_GROUND;
    path->gathered = scene->caustics && caustics_cover(scene->caustics, event->point, on_ground);
    if (path->gathered) {
        Vec3 bent = caustics_light(scene->caustics, event->point, at.normal, on_ground);
        light = vec3_add(light, vec3_scale(bent, 1 / PHOTO_PI));
    }
    path->throughput = vec3_mul(path->throughput, surface->albedo);
    add_light(scene, path, light);
    if (++path->solids > scene->diffuse_max) return false;
    if (!survives(path, color_largest(path->throughput))) return false;
    go_on(scene, path, &at);
    return true;
}

// Turns a path at a puff of mist or foam; false ends it.
static bool meet_mist(const PathScene *scene, Path *path, const Event *event)
{
    Surface surface = event->material->surface;
    Vec3 outward = event->outward;
    bool outside = vec3_dot(outward, path->flight.ray.direction) < 0;
    Scatterer at = {event->point, outside ? outward : vec3_scale(outward, -1),
                    event->material->matter == MATTER_MIST};
    surface.normal = at.everywhere ? color_gray(0) : at.normal;
    set_features(path, &surface);
    prepare_draw(scene, path, &at);
    path->gathered = false;
    Vec3 light = path->drawn ? direct_light(scene, path, &at) : sunlight_in_water(scene, path, &at);
    path->throughput = vec3_mul(path->throughput, surface.albedo);
    add_light(scene, path, light);
    go_on(scene, path, &at);
    if (++path->misted < scene->mist_max) return true;
    add_light(scene, path, scene->lights.sky->mean);
    return false;
}

// Far away the floor fades into the sky above the horizon.
static void fade_ground(const PathScene *scene, Path *path, const Event *event)
{
    float haze = scene->ground.haze * event->distance;
    if (haze <= 0 || path->scattered > 0 || path->flight.in_water) return;
    float left = expf(-haze * haze);
    Vec3 direction = path->flight.ray.direction;
    Vec3 flat = vec3_normalize_or(vec3_make(direction.x, direction.y, scene->ground.hazed), direction);
    add_light(scene, path, vec3_scale(sky_light(scene->lights.sky, flat), 1 - left));
    path->throughput = vec3_scale(path->throughput, left);
}

static bool meet_ground(const PathScene *scene, Path *path, const Event *event)
{
    Surface surface = ground_surface(&scene->ground, event->point, path->scattered == 0);
    fade_ground(scene, path, event);
    if (vec3_dot(surface.normal, path->flight.ray.direction) > -1e-3f) surface.normal = vec3_make(0, 0, 1);
    return scatter(scene, path, event, &surface);
}

static bool meet_solid(const PathScene *scene, Path *path, const Event *event)
{
    Surface surface = event->material->surface;
    Vec3 direction = path->flight.ray.direction;
    bool outside = vec3_dot(event->outward, direction) < 0;
    surface.normal = outside ? event->normal : vec3_scale(event->normal, -1);
    if (vec3_dot(surface.normal, direction) > -1e-3f)
        surface.normal = outside ? event->outward : vec3_scale(event->outward, -1);
    return scatter(scene, path, event, &surface);
}

static bool meet_boundary(const PathScene *scene, Path *path, const Event *event)
{
    bool pane = event->kind == EVENT_PANE;
    Vec3 toward = vec3_dot(event->normal, path->flight.ray.direction) < 0 ? event->normal
                                                                          : vec3_scale(event->normal, -1);
    Passage passage = flight_cross(scene, event, path->sampler, &path->flight);
    if (passage == PASSED_STRAIGHT || passage == PASSED_PANE) return true;
    if (path->scattered == 0 && path->bends == 0) path->features.normal = vec3_scale(toward, 0.5f);
    path->veiled |= pane && path->scattered == 0;
    path->bends++;
    return path->bends < 5 || survives(path, color_largest(path->throughput));
}

// Lamps are not in the picture: they are seen when something has mirrored or bent the path, and no pane was
// the first to do so.
static bool sees_lamps(const Path *path)
{
    return path->scattered > 0 || (path->bends > 0 && !path->veiled);
}

// Goes on to the next event; false ends the path.
static bool follow(const PathScene *scene, Path *path)
{
    if (path->misty) path->flight.ray.chance = sampler_chance(path->sampler);
    Event event;
    flight_find(scene, &path->flight, sees_lamps(path), &event);
    Vec3 added, left = flight_fade(scene, &path->flight, event.distance, &added);
    if (color_largest(added) > 0) add_light(scene, path, vec3_mul(added, scene->lights.sky->mean));
    path->throughput = vec3_mul(path->throughput, left);
    switch (event.kind) {
    case EVENT_NONE:
        meet_sky(scene, path);
        return false;
    case EVENT_LAMP:
        meet_lamp(scene, path, &event);
        return false;
    case EVENT_GROUND:
        return meet_ground(scene, path, &event);
    case EVENT_MESH:
        if (event_is_mist(&event)) return meet_mist(scene, path, &event);
        if (event.material->matter == MATTER_OPAQUE) return meet_solid(scene, path, &event);
        return meet_boundary(scene, path, &event);
    case EVENT_PANE:
        break;
    }
    return meet_boundary(scene, path, &event);
}

Vec3 path_light(const PathScene *scene, const Ray *ray, bool in_water, PathSampler *sampler,
                PathFeatures *features)
{
    Path path = {.flight = {*ray, in_water, 0},
                 .throughput = {1, 1, 1},
                 .features.albedo = {1, 1, 1},
                 .misty = ray_scene_has_puffs(scene->rays),
                 .sampler = sampler};
    bool goes_on = true;
    for (uint32_t k = 0; goes_on && k < scene->events_max; k++) goes_on = follow(scene, &path);
    *features = path.features;
    // A ray that grazes everything may lose its length.
    return isfinite(path.light.x + path.light.y + path.light.z) ? path.light : color_gray(0);
}
