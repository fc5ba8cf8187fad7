#include "scene/scatter.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A ball that finds no free place in so many tries has none, or none worth looking for.
#define TRIES_MAX 20000

// Distances that are measured at most to place the balls of a scene: half a second. Enough for 20,000 balls.
#define TESTS_MAX 400000000

// No balls of one size fill more of space (Hales 2005); of several sizes they may, but not at random.
#define DENSEST 0.7405
#define BALL_VOLUME (4.0 / 3 * 3.14159265358979323846)

// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit state, any seed is good.
static double random_unit(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

typedef struct Ball {
    Vec3 center;
    float radius;
} Ball;

// Radii whose number falls as 1 / r^4: every doubling of the size then holds the same volume of balls.
static float random_radius(uint64_t *state, const ScatterDef *scatter)
{
    double lo = scatter->radius[0], hi = scatter->radius[1], share = random_unit(state);
    double inverse = 1.0 / (lo * lo * lo), range = inverse - 1.0 / (hi * hi * hi);
    return fminf(fmaxf((float)(1.0 / cbrt(inverse - share * range)), scatter->radius[0]), scatter->radius[1]);
}

static float between(uint64_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)random_unit(state);
}

static bool is_free(const Ball *balls, uint32_t count, Ball ball, float gap)
{
    for (uint32_t k = 0; k < count; k++) {
        Vec3 way = vec3_sub(balls[k].center, ball.center);
        float least = balls[k].radius + ball.radius + gap;
        if (vec3_dot(way, way) < least * least) return false;
    }
    return true;
}

static int compare_radii(const void *a, const void *b)
{
    const Ball *first = a, *second = b;
    return (second->radius > first->radius) - (second->radius < first->radius);
}

// Fewer balls would fill the box already.
static bool overfill(const ScatterDef *scatter, const Ball *balls)
{
    Vec3 size = vec3_sub(scatter->hi, scatter->lo);
    double volume = 0, gap = (double)scatter->gap;
    for (uint32_t k = 0; k < scatter->count; k++)
        volume += BALL_VOLUME * pow((double)balls[k].radius + gap / 2, 3);
    // The gap is not kept to the box's faces.
    return volume > DENSEST * (size.x + gap) * (size.y + gap) * (size.z + gap);
}

// Large balls first: they would find no place between the small ones. False if a ball finds none.
static bool throw_balls(const ScatterDef *scatter, Ball *balls)
{
    uint64_t state = scatter->seed, tests = 0;
    for (uint32_t k = 0; k < scatter->count; k++) balls[k].radius = random_radius(&state, scatter);
    if (!scatter->overlap && overfill(scatter, balls)) return false;
    if (!scatter->overlap) qsort(balls, scatter->count, sizeof *balls, compare_radii);
    for (uint32_t k = 0; k < scatter->count; k++) {
        float r = balls[k].radius;
        bool placed = false;
        for (uint32_t tries = 0; tries < TRIES_MAX && tests < TESTS_MAX && !placed; tries++) {
            tests += scatter->overlap ? 0 : k;
            balls[k].center.x = between(&state, scatter->lo.x + r, scatter->hi.x - r);
            balls[k].center.y = between(&state, scatter->lo.y + r, scatter->hi.y - r);
            balls[k].center.z = between(&state, scatter->lo.z + r, scatter->hi.z - r);
            placed = scatter->overlap || is_free(balls, k, balls[k], scatter->gap);
        }
        if (!placed) return false;
    }
    return true;
}

static Result check(const SceneReading *reading, const YamlNode *node, const ScatterDef *scatter)
{
    Vec3 size = vec3_sub(scatter->hi, scatter->lo);
    if (!(size.x > 0 && size.y > 0 && size.z > 0))
        return schema_error(reading, node, "min must be below max on every axis");
    float least = fminf(size.x, fminf(size.y, size.z));
    if (2 * scatter->radius[1] >= least)
        return schema_error(reading, yaml_child(node, "radius"),
                            "the largest ball is %g m across (less than the box's shortest side, %g m)",
                            2 * (double)scatter->radius[1], (double)least);
    return result_ok();
}

static void add_bodies(const ScatterDef *scatter, const Ball *balls, ObstacleDef *out)
{
    for (uint32_t k = 0; k < scatter->count; k++) {
        out[k] = (ObstacleDef){.shape = {.kind = SHAPE_SPHERE, .radius = balls[k].radius},
                               .position = balls[k].center,
                               .friction = scatter->friction};
        snprintf(out[k].name, sizeof out[k].name, "%.50s %u", scatter->name, k);
        memcpy(out[k].color, scatter->color, sizeof scatter->color);
    }
}

static Result scatter_one(const SceneReading *reading, const YamlNode *node, const ScatterDef *scatter,
                          ObstacleDef *out)
{
    TRY(check(reading, node, scatter));
    Ball *balls = memory_allocate(scatter->count * sizeof *balls);
    if (!balls) return result_no_memory("scattered balls", scatter->count * sizeof *balls);
    Result result = result_ok();
    if (throw_balls(scatter, balls))
        add_bodies(scatter, balls, out);
    else
        result = schema_error(
            reading, node, "%u balls find no room (fewer or smaller ones, a smaller gap, or overlap: true)",
            scatter->count);
    memory_free(balls);
    return result;
}

Result scatter_obstacles(const SceneReading *reading, const YamlNode *root, SceneDef *scene)
{
    uint64_t count = scene->obstacle_count;
    for (uint32_t k = 0; k < scene->scatter_count; k++) count += scene->scatter[k].count;
    if (scene->scatter_count == 0) return result_ok();
    if (count > SCENE_OBSTACLES_MAX)
        return schema_error(reading, yaml_child(root, "scatter"), "makes %llu obstacles in all (at most %d)",
                            (unsigned long long)count, SCENE_OBSTACLES_MAX);
    ObstacleDef *bodies = memory_allocate_zeroed(count * sizeof *bodies);
    if (!bodies) return result_no_memory("the obstacles", count * sizeof *bodies);
    if (scene->obstacle_count > 0) memcpy(bodies, scene->obstacles, scene->obstacle_count * sizeof *bodies);
    memory_free(scene->obstacles);
    scene->obstacles = bodies;
    const YamlNode *list = yaml_child(root, "scatter");
    for (uint32_t k = 0; k < scene->scatter_count; k++) {
        TRY(scatter_one(reading, yaml_item(list, k), &scene->scatter[k], bodies + scene->obstacle_count));
        scene->obstacle_count += scene->scatter[k].count;
    }
    return result_ok();
}
