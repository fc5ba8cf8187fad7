#include "photo/flight.h"

#include "photo/color.h"
#include "photo/dielectric.h"

static const Material *material_of(const PathScene *scene, const RayHit *hit)
{
    const PathMesh *mesh = &scene->meshes[hit->mesh];
    return &mesh->material[mesh->part ? mesh->part[hit->triangle] : 0];
}

static bool find_mesh(const PathScene *scene, const Ray *ray, Event *event)
{
    RayHit hit;
    if (!ray_scene_hit(scene->rays, ray, &hit)) return false;
    event->kind = EVENT_MESH;
    event->distance = hit.distance;
    event->outward = hit.outward;
    event->normal = vec3_dot(hit.normal, hit.outward) > 0 ? hit.normal : hit.outward;
    event->material = material_of(scene, &hit);
    return true;
}

void flight_find(const PathScene *scene, const Flight *flight, bool lamps, Event *event)
{
    Ray ray = flight->ray;
    PaneHit pane;
    event->kind = EVENT_NONE;
    // What is quickly found shortens the search among the triangles.
    bool behind_pane = panes_hit(&scene->panes, &ray, &pane);
    if (behind_pane) event->kind = EVENT_PANE, ray.far = pane.distance;
    float down = -ray.direction.z, above = ray.origin.z - scene->ground.height;
    if (scene->ground.present && down > 0 && above > 0 && above < ray.far * down)
        event->kind = EVENT_GROUND, ray.far = above / down;
    if (lamps) {
        float distance;
        event->lamp = lights_hit(&scene->lights, &ray, &distance, &event->light);
        if (event->lamp != UINT32_MAX) event->kind = EVENT_LAMP, ray.far = distance;
    }
    event->behind = PANE_UNSURE;
    if (event->kind == EVENT_PANE && pane.leaving && flight->in_glass == 1 && scene->pane_water) {
        Vec3 point = vec3_add(ray.origin, vec3_scale(ray.direction, pane.distance));
        event->behind = pane_water_behind(scene->pane_water, &pane, point);
    }
    if (event->behind != PANE_UNSURE || !find_mesh(scene, &ray, event)) {
        event->distance = ray.far;
        if (event->kind == EVENT_PANE) event->outward = event->normal = pane.outward;
    }
    event->point = vec3_add(ray.origin, vec3_scale(ray.direction, event->distance));
}

static const Medium *medium_of(const PathScene *scene, const Flight *flight)
{
    return flight->in_glass > 0 ? &scene->glass : flight->in_water ? &scene->water : NULL;
}

Vec3 flight_fade(const PathScene *scene, const Flight *flight, float length, Vec3 *added)
{
    const Medium *medium = medium_of(scene, flight);
    *added = color_gray(0);
    if (!medium || isinf(length)) return color_gray(1);
    Vec3 sum = vec3_add(medium->absorption, color_gray(medium->scatter));
    Vec3 left = color_after(sum, length);
    if (medium->scatter <= 0) return left;
    Vec3 turned = vec3_sub(color_gray(1), left);
    *added = vec3_scale(vec3_make(turned.x / sum.x, turned.y / sum.y, turned.z / sum.z), medium->scatter);
    return left;
}

// Where the flight is behind a boundary.
static Flight behind(const Flight *flight, const Event *event, bool entering)
{
    Flight far = *flight;
    if (event->kind == EVENT_MESH && event->material->matter == MATTER_WATER)
        far.in_water = entering;
    else
        far.in_glass = entering ? flight->in_glass + 1 : flight->in_glass > 0 ? flight->in_glass - 1 : 0;
    return far;
}

static float index_at(const PathScene *scene, const Flight *flight)
{
    const Medium *medium = medium_of(scene, flight);
    return medium ? medium->index : 1;
}

bool event_is_mist(const Event *event)
{
    return event->kind == EVENT_MESH && event->material->matter >= MATTER_MIST;
}

// Mirrors or bends at a boundary between media; directions stay on their side of the triangle.
static Passage bend(const Event *event, bool entering, float eta, const Flight *far, PathSampler *sampler,
                    Flight *flight)
{
    Vec3 direction = flight->ray.direction;
    Vec3 outward = entering ? event->outward : vec3_scale(event->outward, -1);
    Vec3 normal = entering ? event->normal : vec3_scale(event->normal, -1);
    if (vec3_dot(normal, direction) > -1e-3f) normal = outward;
    float cosine_far, cosine = -vec3_dot(normal, direction);
    float mirrored = dielectric_reflectance(cosine, eta, &cosine_far);
    if (sampler_one(sampler) < mirrored) {
        Vec3 way = dielectric_reflected(direction, normal, cosine);
        if (vec3_dot(way, outward) <= 0)
            way = dielectric_reflected(direction, outward, -vec3_dot(outward, direction));
        flight->ray.direction = way;
        return MIRRORED;
    }
    Vec3 way = dielectric_bent(direction, normal, cosine, eta, cosine_far);
    *flight = *far;
    flight->ray.direction = vec3_dot(way, outward) < 0 ? way : direction;
    return event->kind == EVENT_PANE ? PASSED_PANE : BENT;
}

Passage flight_cross(const PathScene *scene, const Event *event, PathSampler *sampler, Flight *flight)
{
    bool entering = vec3_dot(event->outward, flight->ray.direction) < 0;
    // The triangle knows the side, whatever happened before.
    if (event->kind == EVENT_MESH && event->material->matter == MATTER_WATER) flight->in_water = !entering;
    if (event->kind != EVENT_MESH || event->material->matter == MATTER_GLASS)
        flight->in_glass = entering ? flight->in_glass : flight->in_glass > 0 ? flight->in_glass : 1;
    if (event->behind != PANE_UNSURE) flight->in_water = event->behind == PANE_WET;
    Flight far = behind(flight, event, entering);
    far.ray.origin = flight->ray.origin = event->point;
    far.ray.near = flight->ray.near = scene->epsilon;
    float eta = index_at(scene, flight) / index_at(scene, &far);
    if (eta == 1) {
        *flight = far;
        return PASSED_STRAIGHT;
    }
    return bend(event, entering, eta, &far, sampler, flight);
}

bool scene_in_water(const PathScene *scene, Vec3 point)
{
    static const Vec3 ways[3] = {{0.1f, 0.2f, 0.97f}, {0.6f, -0.5f, 0.62f}, {-0.7f, 0.1f, 0.7f}};
    int inside = 0;
    for (int k = 0; k < 3; k++) {
        Ray ray = {point, vec3_normalize_or(ways[k], ways[k]), 0, INFINITY, 0.5f, 0};
        RayHit hit;
        for (int tries = 0; tries < 16 && ray_scene_hit(scene->rays, &ray, &hit); tries++) {
            if (material_of(scene, &hit)->matter == MATTER_WATER) {
                inside += vec3_dot(hit.outward, ray.direction) > 0;
                break;
            }
            ray.near = hit.distance + scene->epsilon;
        }
    }
    return inside >= 2;
}
