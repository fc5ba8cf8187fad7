#include "scene/scatter.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A ball that finds no free place in this many tries has none, or none worth looking for.
#define TRIES_MAX 20000

// Limit of the cells and distances tested to place a cloud: a third of a second.
#define TESTS_MAX 20000000

// Most cells of the lookup grid along an axis.
#define CELLS_MAX 64
#define NO_BALL UINT32_MAX

// The densest packing of equal balls (Hales 2005); balls of several sizes may be denser, but not at random.
#define DENSEST 0.7405
#define BALL_VOLUME (4.0 / 3 * 3.14159265358979323846)

typedef struct Ball {
    Vec3 center;
    float radius;
} Ball;

// A radius of a distribution that falls as 1 / r^4: every doubling of the size holds the same volume of
// balls.
static float random_radius(uint64_t *state, const ScatterDef *scatter)
{
    double lo = scatter->radius[0], hi = scatter->radius[1], share = random_unit(state);
    double inverse = 1.0 / (lo * lo * lo), range = inverse - 1.0 / (hi * hi * hi);
    return fminf(fmaxf((float)(1.0 / cbrt(inverse - share * range)), scatter->radius[0]), scatter->radius[1]);
}

// Placed balls, in lists by the cell of their center.
typedef struct Cells {
    Vec3 lo;
    float edge[3];
    uint32_t count[3];
    uint32_t *first; // of each cell's balls, or NO_BALL
    uint32_t *next;  // of each ball's cell
} Cells;

static uint32_t cell_along(const Cells *cells, int axis, float from_lo)
{
    float cell = floorf(from_lo / cells->edge[axis]);
    return (uint32_t)fminf(fmaxf(cell, 0), (float)(cells->count[axis] - 1));
}

static uint32_t *cell_of(const Cells *cells, uint32_t x, uint32_t y, uint32_t z)
{
    return &cells->first[(z * cells->count[1] + y) * cells->count[0] + x];
}

static Result cells_make(const ScatterDef *scatter, Cells *out)
{
    *out = (Cells){.lo = scatter->lo};
    Vec3 way = vec3_sub(scatter->hi, scatter->lo);
    const float size[3] = {way.x, way.y, way.z};
    for (int axis = 0; axis < 3; axis++) { // two balls that touch lie in cells that touch
        float fit = floorf(size[axis] / (2 * scatter->radius[1] + scatter->gap));
        out->count[axis] = (uint32_t)fminf(fmaxf(fit, 1), CELLS_MAX);
        out->edge[axis] = size[axis] / (float)out->count[axis];
    }
    size_t bytes = sizeof(uint32_t) * out->count[0] * out->count[1] * out->count[2];
    out->first = memory_allocate(bytes);
    out->next = memory_allocate(scatter->count * sizeof *out->next);
    if (!out->first || !out->next)
        return result_no_memory("scattered balls", bytes + scatter->count * sizeof *out->next);
    memset(out->first, 0xff, bytes); // NO_BALL
    return result_ok();
}

static void cells_free(Cells *cells)
{
    memory_free(cells->first);
    memory_free(cells->next);
}

static void cells_add(Cells *cells, const Ball *balls, uint32_t k)
{
    Vec3 at = vec3_sub(balls[k].center, cells->lo);
    uint32_t *first =
        cell_of(cells, cell_along(cells, 0, at.x), cell_along(cells, 1, at.y), cell_along(cells, 2, at.z));
    cells->next[k] = *first;
    *first = k;
}

// Is no ball of the cells nearer to `ball` than the gap? Adds the cost to `tests`.
static bool is_free(const Cells *cells, const Ball *balls, Ball ball, const ScatterDef *scatter,
                    uint64_t *tests)
{
    float reach = 1.001f * (ball.radius + scatter->radius[1] + scatter->gap); // more than rounding takes
    Vec3 at = vec3_sub(ball.center, cells->lo);
    const float from_lo[3] = {at.x, at.y, at.z};
    uint32_t lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = cell_along(cells, axis, from_lo[axis] - reach);
        hi[axis] = cell_along(cells, axis, from_lo[axis] + reach);
    }
    for (uint32_t z = lo[2]; z <= hi[2]; z++)
        for (uint32_t y = lo[1]; y <= hi[1]; y++)
            for (uint32_t x = lo[0]; x <= hi[0]; x++, ++*tests)
                for (uint32_t k = *cell_of(cells, x, y, z); k != NO_BALL; k = cells->next[k], ++*tests) {
                    Vec3 way = vec3_sub(balls[k].center, ball.center);
                    float least = balls[k].radius + ball.radius + scatter->gap;
                    if (vec3_dot(way, way) < least * least) return false;
                }
    return true;
}

static int compare_radii(const void *a, const void *b)
{
    const Ball *first = a, *second = b;
    return (second->radius > first->radius) - (second->radius < first->radius);
}

// Is the volume of the balls, each with half the gap around it, more than fits into the box?
static bool overfill(const ScatterDef *scatter, const Ball *balls)
{
    Vec3 size = vec3_sub(scatter->hi, scatter->lo);
    double volume = 0, gap = (double)scatter->gap;
    for (uint32_t k = 0; k < scatter->count; k++)
        volume += BALL_VOLUME * pow((double)balls[k].radius + gap / 2, 3);
    // The gap is not kept to the box's faces.
    return volume > DENSEST * (size.x + gap) * (size.y + gap) * (size.z + gap);
}

static Vec3 random_center(uint64_t *state, const ScatterDef *scatter, float r)
{
    Vec3 at;
    at.x = random_between(state, scatter->lo.x + r, scatter->hi.x - r);
    at.y = random_between(state, scatter->lo.y + r, scatter->hi.y - r);
    at.z = random_between(state, scatter->lo.z + r, scatter->hi.z - r);
    return at;
}

// Large balls first: they would find no place between the small ones. False if a ball finds none.
static bool place_apart(const ScatterDef *scatter, Cells *cells, uint64_t *state, Ball *balls)
{
    if (overfill(scatter, balls)) return false;
    qsort(balls, scatter->count, sizeof *balls, compare_radii);
    uint64_t tests = 0;
    for (uint32_t k = 0; k < scatter->count; k++) {
        bool placed = false;
        for (uint32_t tries = 0; tries < TRIES_MAX && tests < TESTS_MAX && !placed; tries++) {
            balls[k].center = random_center(state, scatter, balls[k].radius);
            placed = is_free(cells, balls, balls[k], scatter, &tests);
        }
        if (!placed) return false;
        cells_add(cells, balls, k);
    }
    return true;
}

// `placed` is false if a ball finds no place.
static Result throw_balls(const ScatterDef *scatter, Ball *balls, bool *placed)
{
    uint64_t state = scatter->seed;
    for (uint32_t k = 0; k < scatter->count; k++) balls[k].radius = random_radius(&state, scatter);
    *placed = true;
    if (scatter->overlap) {
        for (uint32_t k = 0; k < scatter->count; k++)
            balls[k].center = random_center(&state, scatter, balls[k].radius);
        return result_ok();
    }
    Cells cells;
    Result result = cells_make(scatter, &cells);
    if (result_is_ok(&result)) *placed = place_apart(scatter, &cells, &state, balls);
    cells_free(&cells);
    return result;
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
                               .friction = scatter->friction,
                               .contact_angle = scatter->contact_angle};
        snprintf(out[k].name, sizeof out[k].name, "%.50s %u", scatter->name, k);
        memcpy(out[k].color, scatter->color, sizeof scatter->color);
        out[k].material = scatter->material;
    }
}

static Result scatter_one(const SceneReading *reading, const YamlNode *node, const ScatterDef *scatter,
                          ObstacleDef *out)
{
    TRY(check(reading, node, scatter));
    Ball *balls = memory_allocate(scatter->count * sizeof *balls);
    if (!balls) return result_no_memory("scattered balls", scatter->count * sizeof *balls);
    bool placed;
    Result result = throw_balls(scatter, balls, &placed);
    if (result_is_ok(&result) && placed) add_bodies(scatter, balls, out);
    if (result_is_ok(&result) && !placed)
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
