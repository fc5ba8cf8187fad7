// The example scenes as they ship: contained, the same for any threads, method and instruction set, and
// sliding off walls. PBF_TEST_LEVEL=full runs the five large scenes at spacing 0.1 to their end (eleven
// minutes on two cores).
#include "fluid_helpers.h"

#include "core/parallel.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scene_names[] = {"dam_break", "falling_chunks", "plates",   "wave",
                                          "cylinders", "still_water",    "fountain", "mixer",
                                          "spheres",   "waterfall",      "honey",    "vortex"};
#define SCENES (sizeof scene_names / sizeof scene_names[0])
#define LARGE_SCENES 5

// Coarse enough for a few thousand particles.
static const char *coarse_spacing(size_t scene)
{
    static const char *const spacings[SCENES] = {"0.3125", "0.44", "0.3",    "0.3125", "0.3",   "0.2",
                                                 "0.08",   "0.12", "0.3125", "0.25",   "0.008", "0.25"};
    return spacings[scene];
}

static Fluid *build(const char *name, const char *spacing, const SceneOverride *more, uint32_t more_count,
                    SceneDef *scene)
{
    char path[256];
    snprintf(path, sizeof path, "scenes/%s.yaml", name);
    SceneOverride overrides[8] = {{"spacing", spacing}};
    for (uint32_t k = 0; k < more_count; k++) overrides[k + 1] = more[k];
    ASSERT_OK(scene_read(path, overrides, more_count + 1, scene));
    Fluid *fluid;
    ASSERT_OK(scene_build(scene, &fluid));
    return fluid;
}

static void check_contained(const Fluid *fluid, const char *name)
{
    FrameView view = fluid_view(fluid);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 p = {view.x[i], view.y[i], view.z[i]};
        double depth = -obstacles_distance(view.obstacles, p) / view.spacing;
        if (depth > 0.25)
            fail_msg("%s at %.3f s: particle %u at (%.3f, %.3f, %.3f) is %.2f spacings outside", name,
                     view.time, view.id[i], (double)p.x, (double)p.y, (double)p.z, depth);
    }
}

static void no_particle_leaves_a_tank_or_enters_an_obstacle_in_any_scene(void **state)
{
    (void)state;
    for (size_t s = 0; s < SCENES; s++) {
        bool full = test_is_full() && s < LARGE_SCENES;
        SceneDef scene;
        Fluid *fluid = build(scene_names[s], full ? "0.1" : coarse_spacing(s), NULL, 0, &scene);
        double end = test_is_sanitized() ? 0.1
                     : test_is_quick()   ? 0.3
                                         : fmin(scene.output.duration, test_is_full() ? 1e9 : 4.0),
               frame = 1.0 / scene.output.fps;
        uint64_t steps = 0;
        for (int k = 1; fluid_time(fluid) < end; k++) {
            steps = fluid_run(fluid, fmin(k * frame, end)).step;
            check_contained(fluid, scene_names[s]);
        }
        print_message("%s: %.2f s, %llu steps, %u particles contained\n", scene_names[s], fluid_time(fluid),
                      (unsigned long long)steps, fluid_view(fluid).count);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
}

// *before: the hash one step earlier; may be NULL.
static uint64_t hash_after(size_t scene_number, uint32_t threads, const char *method, uint32_t steps,
                           uint64_t *before)
{
    parallel_set_workers(threads);
    SceneDef scene;
    SceneOverride override = {"solver.neighbor", method};
    Fluid *fluid = build(scene_names[scene_number], coarse_spacing(scene_number), &override, 1, &scene);
    StepReport report = {0};
    while (report.step < steps) {
        if (before && report.step + 1 == steps) *before = fluid_state_hash(fluid);
        ASSERT_OK(fluid_step(fluid, 1000.0, &report));
    }
    uint64_t hash = fluid_state_hash(fluid);
    fluid_destroy(fluid);
    scene_free(&scene);
    parallel_set_workers(0);
    return hash;
}

// Whether a scene starts with little water and fills.
static bool scene_fills(size_t scene_number)
{
    SceneDef scene;
    Fluid *fluid = build(scene_names[scene_number], coarse_spacing(scene_number), NULL, 0, &scene);
    bool fills = fluid_view(fluid).count == 0;
    fluid_destroy(fluid);
    scene_free(&scene);
    return fills;
}

// With sanitizers a method and a team run in a closed tank, with waves, a nozzle and a body that moves.
#define SCENES_APART test_stride(3)

// tests/test_golden.c tries instruction sets, the next test threads.
static void states_do_not_depend_on_the_method(void **state)
{
    (void)state;
    uint32_t rounded = 0, tried = 0;
    for (size_t s = 0; s < SCENES; s += SCENES_APART, tried++) {
        uint32_t steps = test_is_quick() ? 4 : scene_fills(s) ? 60 : 20;
        uint64_t before, reference = hash_after(s, 2, "uniform_grid", steps, &before);
        assert_true(reference != 0 && reference != before); // the hash sees motion
        for (uint32_t k = 1; neighbor_method_name(k); k++) {
            const char *method = neighbor_method_name(k);
            if (strcmp(neighbor_method_itself(method), method) != 0) continue; // another name of one
            uint64_t hash = hash_after(s, 2, method, steps, NULL);
            if (!neighbor_method_is_clustered(method)) assert_true(hash == reference);
            rounded += hash != reference; // clusters sum in another order
        }
    }
    assert_true(rounded > tried / 2); // while a nozzle holds all there is, nothing is summed
}

// Seven and sixteen threads take long to agree on two cores: a few steps of every scene.
static void states_are_the_same_for_1_2_3_7_and_16_threads(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "cluster_grid"}; // lists, and pairs of clusters
    const uint32_t threads[] = {2, 3, 7, 16};
    for (size_t s = 0; s < SCENES; s += SCENES_APART) {
        uint32_t steps = test_is_quick() ? 2 : scene_fills(s) ? 80 : 12;
        for (int m = 0; m < (test_is_quick() ? 1 : 2); m++) {
            uint64_t reference = hash_after(s, 1, methods[m], steps, NULL);
            assert_true(reference != 0);
            for (size_t t = 0; t < 4; t += test_stride(3)) {
                if (hash_after(s, threads[t], methods[m], steps, NULL) != reference)
                    fail_msg("%s, %s: %u threads change the state", scene_names[s], methods[m], threads[t]);
            }
        }
    }
}

// Many bodies at rest, and a car that drives.
static void states_do_not_depend_on_the_broad_phase_of_obstacles(void **state)
{
    (void)state;
    static const char *const names[] = {"spheres", "waterfall"};
    for (int s = 0; s < 2; s++) {
        uint64_t reference = 0;
        for (uint32_t kind = 0; broad_phase_name(kind); kind++) {
            SceneDef scene;
            SceneOverride override = {"solver.broad_phase", broad_phase_name(kind)};
            Fluid *fluid = build(names[s], "0.25", &override, 1, &scene);
            assert_int_equal(obstacles_broad_phase(fluid_view(fluid).obstacles), kind);
            fluid_run(fluid, test_is_quick() ? 0.05 : s ? 2.0 : 0.8);
            uint64_t hash = fluid_state_hash(fluid);
            if (kind == 0) reference = hash;
            assert_true(hash == reference && hash != 0);
            fluid_destroy(fluid);
            scene_free(&scene);
        }
    }
}

// Distance to each side wall, m.
static float wall_distance(const FrameView *view, Vec3 tank, uint32_t i, int wall)
{
    switch (wall) {
    case 0:
        return view->x[i];
    case 1:
        return tank.x - view->x[i];
    case 2:
        return view->y[i];
    default:
        return tank.y - view->y[i];
    }
}

// The film on the walls: particles within a spacing of a wall and more than a spacing above the water that
// stands beside them, 1.5 to 4 spacings from the wall. (Above the mean surface alone, a wave that runs up a
// wall would count.) speed: of each id along z, NAN where it is not of the film.
static void film_on_walls(const Fluid *fluid, Vec3 tank, float *speed)
{
    enum { BINS = 256 };
    static float waterline[4][BINS];
    for (int w = 0; w < 4; w++) {
        for (int b = 0; b < BINS; b++) waterline[w][b] = 0.0f;
    }
    FrameView view = fluid_view(fluid);
    float d = view.spacing, bin = 2.0f * d;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.neighbors[i] < 15) continue; // spray
        for (int w = 0; w < 4; w++) {
            float distance = wall_distance(&view, tank, i, w);
            float *top = &waterline[w][(int)((w < 2 ? view.y[i] : view.x[i]) / bin)];
            if (distance > 1.5f * d && distance < 4.0f * d) *top = fmaxf(*top, view.z[i]);
        }
    }
    for (uint32_t i = 0; i < view.count; i++) {
        bool above = false;
        for (int w = 0; w < 4; w++) {
            float top = waterline[w][(int)((w < 2 ? view.y[i] : view.x[i]) / bin)];
            above |= wall_distance(&view, tank, i, w) < d && view.z[i] > top + d;
        }
        speed[view.id[i]] = above ? view.vz[i] : NAN;
    }
}

// What is left on a wall falls freely, but for what still runs up or meets the water. Walls that only push
// hold it.
static void films_fall_down_walls_and_stick_with_the_penalty_boundary(void **state)
{
    (void)state;
    if (test_is_quick()) skip();
    const char *const boundary[2] = {"density", "penalty"};
    double fall[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        SceneDef scene;
        SceneOverride override = {"solver.boundary", boundary[k]};
        Fluid *fluid = build("dam_break", test_is_full() ? "0.125" : "0.25", &override, 1, &scene);
        uint32_t particles = fluid_view(fluid).count, films = 0;
        float *before = calloc(particles, sizeof *before), *after = calloc(particles, sizeof *after);
        assert_true(before && after);
        for (double t = 0.5 * scene.output.duration; t <= scene.output.duration; t += 0.125) {
            fluid_run(fluid, t);
            film_on_walls(fluid, scene.tank.size, before);
            double start = fluid_view(fluid).time;
            fluid_run(fluid, t + 0.05);
            film_on_walls(fluid, scene.tank.size, after);
            double time = fluid_view(fluid).time - start;
            for (uint32_t i = 0; i < particles; i++) {
                if (isnan(before[i]) || isnan(after[i])) continue;
                fall[k] += (double)(before[i] - after[i]) / (9.81 * time);
                films++;
            }
        }
        assert_true(films > 100);
        fall[k] /= films;
        free(before);
        free(after);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
    print_message("films on walls fall with %.2f g, with the penalty boundary %.2f g\n", fall[0], fall[1]);
    assert_true(fall[0] > 0.7 && fall[0] < 1.05 && fall[1] < 0.5);
}

static void sixty_random_variations_stay_finite_and_inside(void **state)
{
    (void)state;
    uint64_t seed = 20240229;
    int variations = test_is_quick() ? 4 : 60, steps = test_is_sanitized() ? 5 : test_is_quick() ? 20 : 300;
    for (int k = 0; k < variations; k++) {
        size_t s = (size_t)k % LARGE_SCENES;
        char text[7][64];
        snprintf(text[0], 64, "%.4f", atof(coarse_spacing(s)) * (1.1 + 0.6 * fluid_test_random(&seed)));
        snprintf(text[1], 64, "%.5f", 0.006 * (0.3 + 1.7 * fluid_test_random(&seed)));
        snprintf(text[2], 64, "%d", 1 + (int)(10.0 * fluid_test_random(&seed)));
        snprintf(text[3], 64, "[0, 0, %.3f]", -9.81 * 3.0 * fluid_test_random(&seed));
        snprintf(text[4], 64, "%.5f",
                 fluid_test_random(&seed) < 0.3 ? 0.0 : pow(10.0, -4.0 * fluid_test_random(&seed)));
        const char *const sizes[LARGE_SCENES] = {"[%.3f, 8, 6.25]", NULL, NULL, NULL, NULL};
        SceneOverride overrides[5] = {{"solver.time_step", text[1]},
                                      {"solver.iterations", text[2]},
                                      {"fluid.gravity", text[3]},
                                      {"fluid.viscosity", text[4]}};
        uint32_t count = 4;
        if (sizes[s]) {
            snprintf(text[5], 64, "[%.3f, 8, 6.25]", 5.2 + 10.0 * fluid_test_random(&seed));
            overrides[count++] = (SceneOverride){"tank.size", text[5]};
        }
        SceneDef scene;
        Fluid *fluid = build(scene_names[s], text[0], overrides, count, &scene);
        StepReport report = {0};
        while ((int)report.step < steps) {
            Result result = fluid_step(fluid, 1000.0, &report);
            if (!result_is_ok(&result))
                fail_msg(
                    "variation %d (%s, spacing %s, step %s, iterations %s, gravity %s, viscosity %s): %s", k,
                    scene_names[s], text[0], text[1], text[2], text[3], text[4], result.text);
        }
        check_contained(fluid, scene_names[s]);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_leaves_a_tank_or_enters_an_obstacle_in_any_scene),
        cmocka_unit_test(states_do_not_depend_on_the_method),
        cmocka_unit_test(states_are_the_same_for_1_2_3_7_and_16_threads),
        cmocka_unit_test(states_do_not_depend_on_the_broad_phase_of_obstacles),
        cmocka_unit_test(films_fall_down_walls_and_stick_with_the_penalty_boundary),
        cmocka_unit_test(sixty_random_variations_stay_finite_and_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
