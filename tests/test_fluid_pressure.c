// The pressure grid: Poisson's equation against a plain solution in double precision, displacements against
// analytic ones, laws of free water, and deep water at rest.
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/poisson.h"
#include "fluid/pressure_grid.h"
#include "fluid_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Poisson's equation ---

// A box of cells of which some are not part of it, with faces of random openness and air above.
static void random_equation(Poisson *poisson, const uint32_t n[3], bool air, uint64_t seed)
{
    ASSERT_OK(poisson_reserve(poisson, n));
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

static double diagonal(const PoissonLevel *level, size_t k)
{
    double sum = (double)level->air[k];
    for (int a = 0; a < 3; a++)
        sum += (double)level->face[a][k] + (double)level->face[a][k + level->stride[a]];
    return sum;
}

static double beside(const PoissonLevel *level, const double *x, size_t k)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        size_t s = level->stride[a];
        sum += (double)level->face[a][k] * x[k - s] + (double)level->face[a][k + s] * x[k + s];
    }
    return sum;
}

static void poisson_is_solved(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = {{1, 1, 1}, {7, 1, 4}, {9, 12, 10}, {17, 16, 31}, {2, 3, 40}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Poisson poisson = {0};
        random_equation(&poisson, sizes[s], true, 7 + s);
        PoissonLevel *level = &poisson.level[0];
        double *x = calloc(level->cells, sizeof *x);
        float *b = malloc(level->cells * sizeof *b);
        assert_true(x && b);
        memcpy(b, level->b, level->cells * sizeof *b);
        for (int sweep = 0; sweep < 20000; sweep++) {
            for (uint32_t row = 0; row < sizes[s][1] * sizes[s][2]; row++) {
                for (uint32_t i = 0; i < sizes[s][0]; i++) {
                    size_t k = poisson_row(level, row) + i;
                    double sum = diagonal(level, k);
                    if (sum > 0.0) x[k] += 1.6 * (((double)b[k] + beside(level, x, k)) / sum - x[k]);
                }
            }
        }
        // Two rounds leave little, ten next to nothing. Cells that no path leads to air have no solution.
        double errors[2];
        for (int k = 0; k < 2; k++) {
            double worst = 0.0, largest = 0.0;
            memcpy(level->b, b, level->cells * sizeof *b);
            poisson_solve(&poisson, 0.0, k ? 10 : 2);
            for (size_t c = 0; c < level->cells; c++) {
                double sum = level->inverse[c] > 0.0f ? diagonal(level, c) : 0.0;
                if (sum <= 0.0 || fabs(x[c]) > 1e3) continue;
                worst = fmax(worst, fabs(x[c] - (double)poisson.phi[c]));
                largest = fmax(largest, fabs(x[c]));
            }
            errors[k] = largest > 0.0 ? worst / largest : 0.0;
        }
        print_message("%u x %u x %u: error %.1e after 2 rounds, %.1e after 10\n", sizes[s][0], sizes[s][1],
                      sizes[s][2], errors[0], errors[1]);
        assert_true(errors[0] < 0.2 && errors[1] < 2e-4);
        free(x);
        free(b);
        poisson_free(&poisson);
    }
}

static void a_full_box_is_solved_without_its_mean(void **state)
{
    (void)state;
    const uint32_t n[3] = {12, 10, 8};
    Poisson poisson = {0};
    random_equation(&poisson, n, false, 3);
    poisson_solve(&poisson, 0.0, 3);
    for (size_t k = 0; k < poisson.level[0].cells; k++) assert_true(fabsf(poisson.phi[k]) < 100.0f);
    poisson_free(&poisson);
}

static void poisson_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t n[3] = {40, 37, 29}, workers[] = {1, 2, 3, 7};
    float *first = NULL;
    for (int k = 0; k < 4; k++) {
        parallel_set_workers(workers[k]);
        Poisson poisson = {0};
        random_equation(&poisson, n, true, 5);
        poisson_solve(&poisson, 0.0, 3);
        size_t bytes = poisson.level[0].cells * sizeof *first;
        if (!first) {
            first = malloc(bytes);
            assert_non_null(first);
            memcpy(first, poisson.phi, bytes);
        }
        assert_memory_equal(first, poisson.phi, bytes);
        poisson_free(&poisson);
    }
    free(first);
    parallel_set_workers(0);
}

// --- displacements ---

#define TARGET 0.004f // of steps as long as DT
#define DT 0.1

typedef struct Water {
    uint32_t count;
    Streams3 at, move;
    float *density, *release, *lambda_sum;
} Water;

static float *stream(uint32_t count)
{
    float *out = memory_allocate_zeroed(count * sizeof *out);
    assert_non_null(out);
    return out;
}

static Water water_of(uint32_t count)
{
    return (Water){count,
                   {stream(count), stream(count), stream(count)},
                   {stream(count), stream(count), stream(count)},
                   stream(count),
                   stream(count),
                   stream(count)};
}

static void water_free(Water *water)
{
    float *streams[] = {water->at.x,   water->at.y,    water->at.z,    water->move.x,    water->move.y,
                        water->move.z, water->density, water->release, water->lambda_sum};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) memory_free(streams[k]);
}

// nx x ny x nz particles on a lattice.
static Water block(Vec3 corner, uint32_t nx, uint32_t ny, uint32_t nz, float spacing)
{
    Water water = water_of(nx * ny * nz);
    for (uint32_t i = 0; i < water.count; i++) {
        water.at.x[i] = corner.x + ((float)(i % nx) + 0.5f) * spacing;
        water.at.y[i] = corner.y + ((float)(i / nx % ny) + 0.5f) * spacing;
        water.at.z[i] = corner.z + ((float)(i / nx / ny) + 0.5f) * spacing;
    }
    return water;
}

static void project(PressureGrid *grid, const Obstacles *obstacles, Water *water, float spacing)
{
    ASSERT_OK(pressure_grid_cover(grid, obstacles, spacing, water->at, water->count));
    PressureJob job = {.density = water->density,
                       .release = water->release,
                       .held_after = 1.0f,
                       .move_max = 1.0f,
                       .spacing = spacing,
                       .dt = DT,
                       .count = water->count,
                       .at = water->at,
                       .move = water->move,
                       .lambda_sum = water->lambda_sum};
    pressure_grid_project(grid, &job);
}

// Water that is too dense by c everywhere has one way out: -phi'' = c, no flow through the floor, phi = 0 at
// the surface, wherever that is between the cells. So it moves by c z, and phi = c (depth^2 - z^2) / 2.
static void evenly_compressed_water_rises(void **state)
{
    (void)state;
    const float c = 0.01f;
    for (int k = 0; k < 2; k++) {
        float d = k ? 0.02f : 0.1f;
        for (uint32_t layers = 24; layers < 31; layers++) {
            Obstacles *obstacles;
            TankDef tank = {.present = true, .size = {12 * d, 9 * d, 60 * d}};
            ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
            Water water = block(vec3_make(0, 0, 0), 12, 9, layers, d);
            for (uint32_t i = 0; i < water.count; i++) water.density[i] = 1.0f + TARGET + c;
            PressureGrid grid = {0};
            float *z = stream(water.count), depth = (float)layers * d;
            memcpy(z, water.at.z, water.count * sizeof *z);
            project(&grid, obstacles, &water, d);
            for (uint32_t i = 0; i < water.count; i++) {
                float move = c * z[i], phi = 0.5f * c * (depth * depth - z[i] * z[i]);
                // The cell at the surface holds less than its share of what is compressed.
                float near = 0.03f * c * depth + 0.3f * c * 3.0f * d;
                if (fabsf(water.move.z[i] - move) > near || fabsf(water.move.x[i]) > near)
                    fail_msg("%u layers of %g m: at %g m moved by %g m, should be %g", layers, (double)d,
                             (double)z[i], (double)water.move.z[i], (double)move);
                if (fabsf(-water.lambda_sum[i] - phi) > 0.05f * 0.5f * c * depth * depth)
                    fail_msg("%u layers of %g m: at %g m phi is %g, should be %g", layers, (double)d,
                             (double)z[i], -(double)water.lambda_sum[i], (double)phi);
                assert_true(water.at.z[i] == z[i] + water.move.z[i]);
            }
            memory_free(z);
            water_free(&water);
            pressure_grid_free(&grid);
            obstacles_destroy(obstacles);
        }
    }
}

// A plate one spacing thick divides a tank: what is compressed on one side moves nothing on the other. The
// plate stands anywhere between the cells, and is found again after it moved.
static void a_thin_plate_parts_waters(void **state)
{
    (void)state;
    const float d = 0.1f;
    PressureGrid grid = {0};
    for (int k = 0; k < 5; k++) {
        float x = 1.2f + 0.07f * (float)k;
        ObstacleDef plate = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.5f * d, 2.0f, 2.0f}},
                             .position = {x, 0.45f, 0.9f}};
        Obstacles *obstacles;
        TankDef tank = {.present = true, .size = {2.7f, 0.9f, 3.0f}};
        ASSERT_OK(obstacles_create(tank, 0.0f, &plate, 1, &obstacles));
        Water water = block(vec3_make(0, 0, 0), 27, 9, 18, d);
        for (uint32_t i = 0; i < water.count; i++)
            water.density[i] = water.at.x[i] < x - 0.05f ? 1.01f + TARGET : 1.0f + TARGET;
        project(&grid, obstacles, &water, d);
        double moved[2] = {0, 0};
        int count[2] = {0, 0};
        for (uint32_t i = 0; i < water.count; i++) {
            float from = water.at.x[i] - water.move.x[i] - x;
            if (fabsf(from) < 0.4f) continue; // a cell beside it
            moved[from > 0] += (double)fabsf(water.move.z[i]);
            count[from > 0]++;
        }
        print_message("plate at %.2f m: %.4f m on one side, %.1e m on the other\n", (double)x,
                      moved[0] / count[0], moved[1] / count[1]);
        assert_true(moved[0] / count[0] > 0.007 && moved[1] / count[1] < 5e-4);
        water_free(&water);
        obstacles_destroy(obstacles);
    }
    pressure_grid_free(&grid);
}

// In free flight, unevenly compressed: neither momentum nor angular momentum.
static void free_water_keeps_its_momentum(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const float d = 0.05f;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
    Water water = block(vec3_make(7, -3, 2), 20, 14, 17, d);
    for (uint32_t i = 0; i < water.count; i++) {
        water.at.x[i] += (float)fluid_test_random(&seed) * d;
        water.density[i] = 0.97f + 0.1f * (float)fluid_test_random(&seed) + 0.02f * water.at.x[i];
    }
    PressureGrid grid = {0};
    Water before = block(vec3_make(0, 0, 0), 20, 14, 17, d);
    memcpy(before.at.x, water.at.x, water.count * sizeof *water.at.x);
    memcpy(before.at.y, water.at.y, water.count * sizeof *water.at.y);
    memcpy(before.at.z, water.at.z, water.count * sizeof *water.at.z);
    project(&grid, obstacles, &water, d);
    double p[3] = {0}, l[3] = {0}, size = 0.0;
    for (uint32_t i = 0; i < water.count; i++) {
        double x[3] = {(double)before.at.x[i] - 7.5, (double)before.at.y[i] + 2.6,
                       (double)before.at.z[i] - 2.4};
        double u[3] = {(double)water.move.x[i], (double)water.move.y[i], (double)water.move.z[i]};
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            p[a] += u[a];
            l[a] += x[b] * u[c] - x[c] * u[b];
            size += fabs(u[a]);
        }
    }
    print_message("moves of %.3g m in all: %.1e of it left over, %.1e m of it as turn\n", size,
                  (fabs(p[0]) + fabs(p[1]) + fabs(p[2])) / size,
                  (fabs(l[0]) + fabs(l[1]) + fabs(l[2])) / size);
    assert_true(size > 0.1);
    for (int a = 0; a < 3; a++) assert_true(fabs(p[a]) < 1e-5 * size && fabs(l[a]) < 1e-5 * size);
    water_free(&water);
    water_free(&before);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// The same particles in another order, on other numbers of threads, move by the same bits.
static void moves_depend_neither_on_order_nor_on_threads(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const float d = 0.1f;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = {4, 3, 3}}, 0.0f, NULL, 0, &obstacles));
    Water one = block(vec3_make(0, 0, 0), 30, 24, 20, d), other = block(vec3_make(0, 0, 0), 30, 24, 20, d);
    for (uint32_t i = 0; i < one.count; i++) {
        one.at.z[i] += 0.3f * d * (float)fluid_test_random(&seed);
        one.density[i] = 0.97f + 0.05f * (float)fluid_test_random(&seed);
    }
    uint32_t step = 7919; // prime to the count
    for (uint32_t i = 0; i < one.count; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * step % one.count);
        other.at.x[i] = one.at.x[k], other.at.y[i] = one.at.y[k], other.at.z[i] = one.at.z[k];
        other.density[i] = one.density[k];
    }
    PressureGrid grids[2] = {0};
    parallel_set_workers(1);
    project(&grids[0], obstacles, &one, d);
    parallel_set_workers(3);
    project(&grids[1], obstacles, &other, d);
    parallel_set_workers(0);
    for (uint32_t i = 0; i < one.count; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * step % one.count);
        assert_true(other.at.x[i] == one.at.x[k] && other.at.z[i] == one.at.z[k] &&
                    other.lambda_sum[i] == one.lambda_sum[k]);
    }
    water_free(&one);
    water_free(&other);
    for (int k = 0; k < 2; k++) pressure_grid_free(&grids[k]);
    obstacles_destroy(obstacles);
}

// --- water at rest ---

// A column 120 layers deep rests in steps that know nothing of its depth: no error anywhere, no speed, and
// energy that never rises above the start.
static void deep_water_rests_in_long_steps(void **state)
{
    (void)state;
    for (int k = 0; k < (test_is_quick() ? 1 : 4); k++) {
        FluidDef def = fluid_def_default();
        def.spacing = k & 1 ? 0.05f : 0.1f;
        def.surface_tension = 0.0f;
        def.time_step = k & 2 ? 0.003 : 0.012;
        float d = def.spacing;
        uint32_t layers = 120;
        Fluid *fluid = fluid_for_test(&def, vec3_make(6 * d, 6 * d, 200 * d), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 6, layers, 0, vec3_make(0, 0, 0));
        FluidSums sums = fluid_sums(fluid, 9.81);
        double start = sums.kinetic + sums.potential, most = 0.0, unit = sqrt((double)d / 0.1);
        StepReport report = {0};
        for (int n = 1; n <= 20; n++) {
            report = fluid_run(fluid, 0.15 * n * unit);
            sums = fluid_sums(fluid, 9.81);
            most = fmax(most, (sums.kinetic + sums.potential) / start);
        }
        double wave = sqrt(9.81 * layers * (double)d);
        print_message(
            "%g m, %.1f ms: rms %.2f %% of sqrt(g H), density error %.2f and %.1f %%, energy %.5f\n",
            (double)d, 1e3 * report.dt, 100 * sums.rms_speed / wave, 100 * report.density_error_mean,
            100 * report.density_error_max, most);
        assert_true(report.dt > 0.7 * fmin(def.time_step, 0.1 * sqrt((double)d / 9.81)));
        // In short steps the start is a little denser than they leave it, and bounces.
        assert_true(sums.rms_speed < 0.005 * wave && most < (k & 2 ? 1.01 : 1.001));
        assert_true(report.density_error_mean < 0.004 && report.density_error_max < 0.04);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_is_solved),
        cmocka_unit_test(a_full_box_is_solved_without_its_mean),
        cmocka_unit_test(poisson_has_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(evenly_compressed_water_rises),
        cmocka_unit_test(a_thin_plate_parts_waters),
        cmocka_unit_test(free_water_keeps_its_momentum),
        cmocka_unit_test(moves_depend_neither_on_order_nor_on_threads),
        cmocka_unit_test(deep_water_rests_in_long_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
