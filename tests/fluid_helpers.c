#include "fluid_helpers.h"

#include "core/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Fluid *fluid_for_test(const FluidDef *def, Vec3 tank_size, ObstacleDef *bodies, uint32_t body_count)
{
    TankDef tank = {.present = tank_size.x > 0.0f, .size = tank_size};
    tank.open[TANK_Z_HI] = true;
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, bodies, body_count, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, NULL, 0, NULL, 0, &fluid));
    return fluid;
}

uint64_t fluid_hash_view(const FrameView *view)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < view->count; k++) {
        const float state[6] = {view->x[k], view->y[k], view->z[k], view->vx[k], view->vy[k], view->vz[k]};
        sum += hash_bytes(hash_bytes(HASH_START, &view->id[k], sizeof *view->id), state, sizeof state);
    }
    return sum;
}

double fluid_test_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

void fluid_fill_lattice(Fluid *fluid, Vec3 corner, uint32_t nx, uint32_t ny, uint32_t nz, float jitter,
                        Vec3 velocity)
{
    float d = fluid_view(fluid).spacing;
    Vec3 *points = malloc((size_t)nx * ny * nz * sizeof *points);
    assert_non_null(points);
    uint64_t seed = 88172645463325252u;
    uint32_t n = 0;
    for (uint32_t k = 0; k < nz; k++) {
        for (uint32_t j = 0; j < ny; j++) {
            for (uint32_t i = 0; i < nx; i++) {
                Vec3 place = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
                place.x += jitter * (float)(2.0 * fluid_test_random(&seed) - 1.0);
                place.y += jitter * (float)(2.0 * fluid_test_random(&seed) - 1.0);
                place.z += jitter * (float)(2.0 * fluid_test_random(&seed) - 1.0);
                points[n++] = vec3_add(corner, vec3_scale(place, d));
            }
        }
    }
    ASSERT_OK(fluid_add(fluid, points, n, velocity));
    free(points);
}

void fluid_add_turning_ball(Fluid *fluid, float inner, float outer, float spacing, float rate)
{
    int n = (int)ceilf(outer);
    for (int z = -n; z <= n; z++) {
        for (int y = -n; y <= n; y++) {
            for (int x = -n; x <= n; x++) {
                float square = (float)(x * x + y * y + z * z);
                if (square > outer * outer || square < inner * inner) continue;
                Vec3 at = vec3_scale(vec3_make((float)x, (float)y, (float)z), spacing);
                ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make(-rate * at.y, rate * at.x, 0)));
            }
        }
    }
}

Fluid *fluid_collision(const FluidDef *def)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 8, 0.2f, vec3_make(2, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0.9f, 0.3f, 0.1f), 8, 8, 8, 0.2f, vec3_make(-2, 0, 0.5f));
    return fluid;
}

Fluid *fluid_poured(const FluidDef *def, uint32_t nz, bool dense)
{
    ObstacleDef bodies[2] = {
        {.name = "paddle", .shape = {.kind = SHAPE_BOX, .half_extent = {0.1f, 0.3f, 0.3f}}},
        {.name = "ball", .shape = {.kind = SHAPE_SPHERE, .radius = 0.15f}}};
    bodies[0].position = vec3_make(0.2f, 0.5f, 0.4f);
    bodies[0].motion.kind = MOTION_OSCILLATION;
    bodies[0].motion.amplitude = vec3_make(0.3f, 0, 0);
    bodies[0].motion.period = 0.5;
    bodies[0].motion.stop = INFINITY;
    bodies[1].position = vec3_make(0.8f, 0.5f, 0.9f);
    EmitterDef emitter = {.position = {0.5f, 0.5f, 1.8f},
                          .rotation = {180, 0, 0},
                          .width = 0.4f,
                          .height = 0.4f,
                          .speed = 4.0f,
                          .stop = INFINITY,
                          .volume = INFINITY};
    DrainDef drain = {.position = {0.9f, 0.9f, 0.1f}, .half_extent = {0.1f, 0.1f, 0.1f}, .stop = INFINITY};
    TankDef tank = {.present = true, .size = {1, 1, 2}};
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.1f, bodies, 2, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, &emitter, 1, &drain, 1, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0.4f, 0, 0), 6, 10, nz, 0.0f, vec3_make(0, 0, 0));
    if (dense) fluid_fill_lattice(fluid, vec3_make(0.45f, 0.1f, 0.02f), 4, 4, 4, 0.0f, vec3_make(0, 0, 0));
    return fluid;
}

StepReport fluid_run(Fluid *fluid, double time)
{
    StepReport report = {0};
    while (fluid_time(fluid) < time) ASSERT_OK(fluid_step(fluid, time, &report));
    return report;
}

FluidSums fluid_sums(const Fluid *fluid, double gravity)
{
    FrameView view = fluid_view(fluid);
    FluidSums sums = {.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    double n = view.count;
    for (uint32_t i = 0; i < view.count; i++) {
        double p[3] = {view.x[i], view.y[i], view.z[i]}, v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        for (int a = 0; a < 3; a++) {
            sums.centre[a] += p[a] / n;
            sums.momentum[a] += v[a];
            sums.kinetic += 0.5 * v[a] * v[a];
        }
        sums.potential += gravity * p[2];
        Vec3 at = {view.x[i], view.y[i], view.z[i]};
        sums.bounds.lo = vec3_min(sums.bounds.lo, at);
        sums.bounds.hi = vec3_max(sums.bounds.hi, at);
    }
    for (uint32_t i = 0; i < view.count; i++) {
        double p[3] = {view.x[i] - sums.centre[0], view.y[i] - sums.centre[1], view.z[i] - sums.centre[2]};
        double v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            sums.angular_momentum[a] += p[b] * v[c] - p[c] * v[b];
        }
    }
    sums.rms_speed = sqrt(2.0 * sums.kinetic / n);
    return sums;
}

void fluid_random_equation(Poisson *poisson, const uint32_t n[3], bool air, uint64_t seed)
{
    ASSERT_OK(poisson_reserve(poisson, n, NULL));
    PoissonLevel *level = &poisson->level[0];
    bool *inside = calloc(level->cells, sizeof *inside);
    assert_non_null(inside);
    for (uint32_t row = 0; row < n[1] * n[2]; row++)
        for (uint32_t x = 0; x < n[0]; x++)
            inside[poisson_row(level, row) + x] = fluid_test_random(&seed) > 0.1;
    for (uint32_t row = 0; row < n[1] * n[2]; row++) {
        for (uint32_t x = 0; x < n[0]; x++) {
            size_t k = poisson_row(level, row) + x;
            for (int a = 0; a < 3; a++) {
                bool both = inside[k] && inside[k - level->stride[a]];
                level->face[a][k] = both ? 0.5f + (float)fluid_test_random(&seed) : 0.0f;
            }
            bool top = row / n[1] == n[2] - 1;
            level->air[k] = air && top && inside[k] ? 1.5f : 0.0f;
            level->b[k] = inside[k] ? (float)fluid_test_random(&seed) - 0.3f : 0.0f;
        }
    }
    free(inside);
}
