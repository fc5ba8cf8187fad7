// Whitewater: potentials against sums in double precision, motion against mechanics, births against what is
// asked for; the same for any threads, and after a restored state.
#include "fluid_helpers.h"
#include "scene_helpers.h"

#include "core/hash.h"
#include "core/host.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "diffuse/diffuse.h"
#include "fluid/kernel.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPACING 0.1f

static int tear_down(void **state)
{
    (void)state;
    parallel_set_workers(0);
    return 0;
}

static FluidDef still_def(void)
{
    FluidDef def = fluid_def_default();
    def.spacing = SPACING;
    return def;
}

static DiffuseDef test_def(void)
{
    DiffuseDef def = diffuse_def_default();
    def.speed = 7.0f;
    def.max = 1000;
    return def;
}

static Diffuse *make_diffuse(const DiffuseDef *def)
{
    Diffuse *diffuse;
    ASSERT_OK(diffuse_create(def, &diffuse));
    return diffuse;
}

// A lattice of n^3 places from the corner on, as another program's water.
static void take_block(Fluid *fluid, uint32_t n, Vec3 corner, Vec3 velocity)
{
    Vec3 *x = memory_allocate(n * n * n * sizeof *x), *v = memory_allocate(n * n * n * sizeof *v);
    for (uint32_t k = 0; k < n * n * n; k++) {
        Vec3 place = vec3_make((float)(k % n), (float)(k / n % n), (float)(k / n / n));
        x[k] = vec3_add(corner, vec3_scale(vec3_add(place, vec3_make(0.5f, 0.5f, 0.5f)), SPACING));
        v[k] = velocity;
    }
    ASSERT_OK(fluid_take(fluid, x, v, n * n * n, 0.0));
    ASSERT_OK(fluid_measure_now(fluid));
    memory_free(x);
    memory_free(v);
}

// Steps over water as it is.
static void step(Diffuse *diffuse, const Fluid *fluid, double dt, uint64_t number)
{
    ASSERT_OK(diffuse_prepare(diffuse, fluid_view(fluid).count));
    diffuse_step(diffuse, &(DiffuseStep){fluid, dt, number});
}

// A tank of 2 m filled to the top with water at rest.
static Fluid *full_tank(void)
{
    FluidDef def = still_def();
    Fluid *fluid = fluid_for_test(&def, vec3_make(2.0f, 2.0f, 2.0f), NULL, 0);
    fluid_measure_potentials(fluid, 0.0f);
    take_block(fluid, 20, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    return fluid;
}

// --- motion ---

static void spray_flies_along_a_parabola(void **state)
{
    (void)state;
    FluidDef settings = still_def();
    Fluid *fluid = fluid_for_test(&settings, vec3_make(0, 0, 0), NULL, 0);
    fluid_measure_potentials(fluid, 100.0f);
    take_block(fluid, 4, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    for (int coarse = 0; coarse < 2; coarse++) {
        DiffuseDef def = test_def();
        Diffuse *diffuse = make_diffuse(&def);
        DiffuseBirth birth = {{0.5f, 0.2f, 3.0f}, {2.0f, -1.0f, 4.0f}, 10.0f, 0.01f, DIFFUSE_SPRAY};
        assert_true(diffuse_add(diffuse, &birth));
        double dt = coarse ? 0.02 : 0.002;
        for (uint64_t k = 1; k * dt < 1.0 + dt / 2; k++) step(diffuse, fluid, dt, k);
        const DiffuseParticles *p = diffuse_particles(diffuse);
        assert_int_equal(p->count, 1);
        assert_int_equal(p->kind[0], DIFFUSE_SPRAY);
        ASSERT_WITHIN(p->x[0], 2.5, 1e-3);
        ASSERT_WITHIN(p->y[0], -0.8, 1e-3);
        ASSERT_WITHIN(p->z[0], 3.0 + 4.0 - 9.81 / 2, 1e-3);
        ASSERT_WITHIN(p->vz[0], 4.0 - 9.81, 1e-3);
        assert_true(p->age[0] == 0.0f); // foam alone ages
        diffuse_destroy(diffuse);
    }
    fluid_destroy(fluid);
}

static void bubbles_rise_at_their_terminal_speed(void **state)
{
    (void)state;
    Fluid *fluid = full_tank();
    for (int coarse = 0; coarse < 2; coarse++) {
        DiffuseDef def = test_def();
        Diffuse *diffuse = make_diffuse(&def);
        DiffuseBirth birth = {{1.0f, 1.0f, 0.3f}, {0, 0, 0}, 10.0f, 0.01f, DIFFUSE_BUBBLE};
        diffuse_add(diffuse, &birth);
        double dt = coarse ? 0.02 : 0.002;
        uint64_t k = 1;
        const DiffuseParticles *p = diffuse_particles(diffuse);
        while (k * dt < 1.0) step(diffuse, fluid, dt, k++);
        double low = (double)p->z[0];
        while (k * dt < 2.0) step(diffuse, fluid, dt, k++);
        assert_int_equal(p->kind[0], DIFFUSE_BUBBLE);
        ASSERT_WITHIN(p->vz[0], 0.49, 0.02 * 0.49);
        ASSERT_WITHIN((double)p->z[0] - low, 0.49, 0.02 * 0.49);
        diffuse_destroy(diffuse);
    }
    fluid_destroy(fluid);
}

static void foam_goes_with_the_water(void **state)
{
    (void)state;
    FluidDef settings = still_def();
    Fluid *fluid = fluid_for_test(&settings, vec3_make(0, 0, 0), NULL, 0);
    const Vec3 flow = {3.0f, -1.0f, 0.5f};
    const double dt = 0.006;
    fluid_measure_potentials(fluid, 100.0f);
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    DiffuseBirth birth = {{0.57f, 0.52f, 1.03f}, {0, 0, 0}, 10.0f, 0.01f, DIFFUSE_FOAM};
    diffuse_add(diffuse, &birth);
    for (uint64_t k = 1; k <= 100; k++) {
        take_block(fluid, 10, vec3_scale(flow, (float)(k * dt)), flow);
        step(diffuse, fluid, dt, k);
    }
    const DiffuseParticles *p = diffuse_particles(diffuse);
    assert_int_equal(p->kind[0], DIFFUSE_FOAM);
    ASSERT_WITHIN(p->x[0], 0.57 + 1.8, 1.8e-5);
    ASSERT_WITHIN(p->y[0], 0.52 - 0.6, 1.8e-5);
    ASSERT_WITHIN(p->z[0], 1.03 + 0.3, 1.8e-5);
    ASSERT_WITHIN(p->age[0], 0.6, 1e-4);
    diffuse_destroy(diffuse);
    fluid_destroy(fluid);
}

// Foam that has lived its life is gone, spray that has lived longer is not.
static void foam_ends(void **state)
{
    (void)state;
    Fluid *fluid = full_tank();
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    DiffuseBirth birth = {{1.0f, 1.0f, 2.0f}, {0, 0, 0}, 0.1f, 0.01f, DIFFUSE_FOAM};
    diffuse_add(diffuse, &birth);
    birth.position.z = 5.0f, birth.kind = DIFFUSE_SPRAY;
    diffuse_add(diffuse, &birth);
    for (uint64_t k = 1; k <= 9; k++) step(diffuse, fluid, 0.01, k);
    assert_int_equal(diffuse_particles(diffuse)->count, 2);
    for (uint64_t k = 10; k <= 12; k++) step(diffuse, fluid, 0.01, k);
    const DiffuseParticles *p = diffuse_particles(diffuse);
    assert_int_equal(p->count, 1);
    assert_int_equal(p->id[0], 1); // the later one, which closed up
    assert_int_equal(p->kind[0], DIFFUSE_SPRAY);
    diffuse_destroy(diffuse);
    fluid_destroy(fluid);
}

// Walls count as water where there is water: in the corner of a full tank it is a bubble, on a dry floor
// spray.
static void walls_count_as_what_is_beside_them(void **state)
{
    (void)state;
    Fluid *fluid = full_tank();
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    DiffuseBirth birth = {{0.02f, 0.02f, 0.02f}, {0, 0, 0}, 10.0f, 0.01f, DIFFUSE_FOAM};
    diffuse_add(diffuse, &birth);
    step(diffuse, fluid, 1e-4, 1);
    assert_int_equal(diffuse_particles(diffuse)->kind[0], DIFFUSE_BUBBLE);
    take_block(fluid, 4, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    birth.position = vec3_make(1.5f, 1.5f, 0.001f);
    diffuse_add(diffuse, &birth);
    step(diffuse, fluid, 1e-4, 2);
    assert_int_equal(diffuse_particles(diffuse)->kind[1], DIFFUSE_SPRAY);
    diffuse_destroy(diffuse);
    fluid_destroy(fluid);
}

// How high above the floor of a tank filled by half a bubble becomes foam, m, over one place.
static float foam_from(const Fluid *fluid, float x, float y)
{
    const float low = 0.8f, step_up = 0.01f;
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    for (int k = 0; k < 25; k++) {
        DiffuseBirth birth = {{x, y, low + step_up * (float)k}, {0, 0, 0}, 10.0f, 0.01f, DIFFUSE_FOAM};
        diffuse_add(diffuse, &birth);
    }
    step(diffuse, fluid, 1e-5, 1);
    float height = NAN;
    for (int k = 24; k > 0 && diffuse_particles(diffuse)->kind[k] != DIFFUSE_BUBBLE; k--)
        height = low + step_up * (float)k;
    diffuse_destroy(diffuse);
    return height;
}

// Water looks the same at a wall, in a corner and far from both.
static void walls_change_no_kind(void **state)
{
    (void)state;
    FluidDef def = still_def();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1.0f, 1.0f, 2.0f), NULL, 0);
    fluid_measure_potentials(fluid, 100.0f);
    take_block(fluid, 10, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    float middle = foam_from(fluid, 0.5f, 0.5f);
    const float places[][2] = {{0, 0.5f}, {1, 0.5f}, {0.5f, 0}, {0.5f, 1}, {0, 0}, {0.1f, 0.5f}};
    assert_true(middle > 0.85f && middle < 1.0f);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        ASSERT_WITHIN(foam_from(fluid, places[k][0], places[k][1]), middle, 0.3 * SPACING);
    }
    fluid_destroy(fluid);
}

// Twice as far as U can throw, and four influence radii, around water that is anywhere.
static void what_is_far_from_all_water_is_gone(void **state)
{
    (void)state;
    FluidDef settings = still_def();
    Fluid *fluid = fluid_for_test(&settings, vec3_make(0, 0, 0), NULL, 0);
    fluid_measure_potentials(fluid, 100.0f);
    const float lo[3] = {100.0f, -200.0f, 400.0f}, wide = 4 * SPACING;
    take_block(fluid, 4, vec3_make(lo[0], lo[1], lo[2]), vec3_make(0, 0, 0));
    DiffuseDef def = test_def();
    float far = 2.0f * def.speed * def.speed / 9.81f + 4.0f * fluid_view(fluid).radius;
    for (int side = 0; side < 6; side++) {
        Diffuse *diffuse = make_diffuse(&def);
        for (int gone = 0; gone < 2; gone++) {
            float at[3] = {lo[0], lo[1], lo[2]}, off = far + (gone ? SPACING : -SPACING);
            at[side / 2] += side % 2 ? wide + off : -off;
            DiffuseBirth birth = {{at[0], at[1], at[2]}, {0, 0, 0}, 10.0f, 0.01f, DIFFUSE_SPRAY};
            assert_true(diffuse_add(diffuse, &birth));
        }
        step(diffuse, fluid, 1e-4, 1);
        assert_int_equal(diffuse_particles(diffuse)->count, 1);
        assert_int_equal(diffuse_particles(diffuse)->id[0], 0);
        diffuse_destroy(diffuse);
    }
    fluid_destroy(fluid);
}

static void solids_hold_and_reflect(void **state)
{
    (void)state;
    FluidDef settings = still_def();
    ObstacleDef plate = {.name = "plate",
                         .shape = {.kind = SHAPE_BOX, .half_extent = {0.5f, 0.5f, 0.005f}},
                         .position = {1.0f, 1.0f, 1.0f}};
    Fluid *fluid = fluid_for_test(&settings, vec3_make(2.0f, 2.0f, 2.0f), &plate, 1);
    fluid_measure_potentials(fluid, 100.0f);
    take_block(fluid, 3, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    // 0.4 m a step, against a plate of 1 cm and against a wall.
    DiffuseBirth birth = {{1.0f, 1.0f, 1.1f}, {0, 0, -20.0f}, 1.0f, 0.01f, DIFFUSE_SPRAY};
    diffuse_add(diffuse, &birth);
    birth = (DiffuseBirth){{1.9f, 0.3f, 1.5f}, {20.0f, 0, 0}, 1.0f, 0.01f, DIFFUSE_SPRAY};
    diffuse_add(diffuse, &birth);
    step(diffuse, fluid, 0.02, 1);
    const DiffuseParticles *p = diffuse_particles(diffuse);
    ASSERT_WITHIN(p->z[0], 1.005, 1e-5);
    ASSERT_WITHIN(p->vz[0], 0.25 * (20.0 + 9.81 * 0.02), 1e-3);
    ASSERT_WITHIN(p->x[1], 2.0, 1e-6);
    ASSERT_WITHIN(p->vx[1], -5.0, 1e-3);
    // What falls through the open top's sides is gone before it falls for ever; what lies on the floor ages.
    for (uint64_t k = 2; k <= 400; k++) step(diffuse, fluid, 0.02, k);
    assert_int_equal(p->count, 0);
    diffuse_destroy(diffuse);
    fluid_destroy(fluid);
}

// Spray that a ball on the floor stops below the floor, which pushes it back into the ball, is out of both.
static void a_wall_pushes_nothing_into_a_body(void **state)
{
    (void)state;
    FluidDef settings = still_def();
    ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.3f}, .position = {1.0f, 1.0f, 0}};
    Fluid *fluid = fluid_for_test(&settings, vec3_make(2.0f, 2.0f, 2.0f), &ball, 1);
    fluid_measure_potentials(fluid, 100.0f);
    take_block(fluid, 3, vec3_make(0, 0, 0), vec3_make(0, 0, 0));
    DiffuseDef def = test_def();
    Diffuse *diffuse = make_diffuse(&def);
    for (int k = 0; k < 10; k++) {
        DiffuseBirth birth = {
            {1.32f, 1.0f, 0.005f}, {-0.5f * (float)(k + 1), 0, -3.0f}, 1.0f, 0.01f, DIFFUSE_SPRAY};
        diffuse_add(diffuse, &birth);
    }
    step(diffuse, fluid, 0.02, 1);
    const DiffuseParticles *p = diffuse_particles(diffuse);
    assert_int_equal(p->count, 10);
    for (uint32_t k = 0; k < p->count; k++) {
        assert_true(p->z[k] >= 0.0f);
        assert_true(hypot((double)p->x[k] - 1.0, (double)p->z[k]) > 0.3 - 1e-6);
    }
    diffuse_destroy(diffuse);
    fluid_destroy(fluid);
}

// --- potentials ---

typedef struct Truth {
    double air, crest, weight;
    bool doubtful; // rounding decides
} Truth;

// Outward normals in units of 1 / h, 0 inside.
static void true_normal(const FrameView *v, uint32_t i, double mass, double n[3], bool *doubtful)
{
    double h = v->radius, length;
    memset(n, 0, 3 * sizeof *n);
    for (uint32_t j = 0; j < v->count; j++) {
        double d[3] = {(double)v->x[i] - v->x[j], (double)v->y[i] - v->y[j], (double)v->z[i] - v->z[j]};
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (j == i || r >= h) continue;
        for (int a = 0; a < 3; a++) n[a] -= h * mass / v->density[j] * kernel_gradient(r, h) * d[a] / r;
    }
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *doubtful |= fabs(length - 0.2) < 1e-3;
    for (int a = 0; a < 3; a++) n[a] = length > 0.2 ? n[a] / length : 0.0;
}

static Truth true_potentials(const FrameView *v, uint32_t i, const double (*normal)[3])
{
    Truth truth = {0};
    double s = (double)v->radius, bent = 0.0, closing = 0.0;
    double vi[3] = {v->vx[i], v->vy[i], v->vz[i]},
           speed = sqrt(vi[0] * vi[0] + vi[1] * vi[1] + vi[2] * vi[2]);
    for (uint32_t j = 0; j < v->count; j++) {
        double d[3] = {(double)v->x[i] - v->x[j], (double)v->y[i] - v->y[j], (double)v->z[i] - v->z[j]};
        double u[3] = {vi[0] - v->vx[j], vi[1] - v->vy[j], vi[2] - v->vz[j]};
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), w = 1.0 - r / s;
        if (j == i || w <= 0.0) continue;
        double relative = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), along = 0, cosine = 0, above = 0;
        for (int a = 0; a < 3; a++) {
            along += u[a] * d[a] / r;
            cosine += normal[i][a] * normal[j][a];
            above -= d[a] * normal[i][a];
        }
        truth.weight += w;
        closing += (relative - along) * w;
        if (above < 0.0) bent += (1.0 - cosine) * w;
        truth.doubtful |= fabs(above) < 1e-5 * s;
    }
    double ahead = vi[0] * normal[i][0] + vi[1] * normal[i][1] + vi[2] * normal[i][2];
    bool surface = normal[i][0] != 0.0 || normal[i][1] != 0.0 || normal[i][2] != 0.0;
    truth.air = truth.weight > 0.0 ? closing / truth.weight : 0.0;
    truth.crest = surface && ahead >= 0.6 * speed ? bent / truth.weight : 0.0;
    truth.doubtful |= fabs(ahead - 0.6 * speed) < 1e-4 * speed;
    return truth;
}

// A cloud of particles in all directions, with gaps, most of them too slow, and the fluid's measure of it.
static void check_potentials(const char *method)
{
    enum { N = 2400 };
    Vec3 x[N], v[N];
    double normal[N][3];
    bool doubtful[N] = {0};
    uint64_t random = 7;
    for (uint32_t k = 0; k < N; k++) {
        x[k] = vec3_make((float)fluid_test_random(&random), (float)fluid_test_random(&random),
                         (float)(2.4 * fluid_test_random(&random)));
        v[k] = vec3_make((float)fluid_test_random(&random) * 4 - 2, (float)fluid_test_random(&random) * 4 - 2,
                         (float)fluid_test_random(&random) * 4 - 2);
        if (fluid_test_random(&random) < 0.6) v[k] = vec3_scale(v[k], 0.2f);
    }
    FluidDef def = still_def();
    snprintf(def.neighbor, sizeof def.neighbor, "%s", method);
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_measure_potentials(fluid, 1.0f);
    ASSERT_OK(fluid_take(fluid, x, v, N, 0.0));
    ASSERT_OK(fluid_measure_now(fluid));
    FrameView view = fluid_view(fluid);
    double s = def.spacing, full = M_PI / 3.0 * pow(def.radius_factor, 3.0) - 1.0;
    double mass = rest_lattice(s, view.radius).mass_factor * view.rest_density * s * s * s;
    uint32_t crests = 0, checked = 0;
    for (uint32_t i = 0; i < N; i++) true_normal(&view, i, mass, normal[i], &doubtful[i]);
    for (uint32_t i = 0; i < N; i++) {
        Truth truth = true_potentials(&view, i, (const double(*)[3])normal);
        float speed = vec3_length(vec3_make(view.vx[i], view.vy[i], view.vz[i]));
        if (speed <= 1.0f || truth.weight <= 0.2 * full) {
            assert_true(view.trapped_air[i] == 0.0f && view.wave_crest[i] == 0.0f);
            continue;
        }
        checked++;
        ASSERT_WITHIN(view.trapped_air[i], truth.air, 1e-4);
        if (truth.doubtful || doubtful[i]) continue;
        ASSERT_WITHIN(view.wave_crest[i], truth.crest, 2e-2); // a neighbor at the edge of inside
        crests += truth.crest > 0.25;
    }
    assert_true(checked > N / 5 && checked < N / 2 && crests > 20);
    fluid_destroy(fluid);
}

static void potentials_are_the_sums(void **state)
{
    (void)state;
    check_potentials("cluster_grid");
    check_potentials("uniform_grid");
}

// --- births ---

static SceneDef scene_with(const char *path, const char *spacing, const char *max)
{
    SceneDef scene;
    SceneOverride overrides[] = {
        {"spacing", spacing}, {"whitewater.max", max}, {"solver.neighbor", "cluster_grid"}};
    ASSERT_OK(scene_read(path, overrides, 3, &scene));
    return scene;
}

static Fluid *run_scene(const SceneDef *scene, double time)
{
    Fluid *fluid;
    ASSERT_OK(scene_build(scene, &fluid));
    fluid_run(fluid, time);
    return fluid;
}

static uint64_t hash_of(const Fluid *fluid)
{
    const DiffuseParticles *p = fluid_view(fluid).diffuse;
    uint64_t hash = hash_bytes(HASH_START, &p->totals, sizeof p->totals);
    for (int k = 0; k < DIFFUSE_STREAM_COUNT; k++) hash = hash_bytes(hash, p->stream[k], 4ul * p->count);
    return hash;
}

static void still_water_has_none(void **state)
{
    (void)state;
    SceneDef scene = scene_with("scenes/still_water.yaml", "0.2", "1000");
    Fluid *fluid = run_scene(&scene, 1.0);
    assert_true(fluid_view(fluid).diffuse->totals.expected == 0.0);
    assert_int_equal(fluid_view(fluid).diffuse->count, 0);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void births_are_what_is_asked_for(void **state)
{
    (void)state;
    SceneDef scene = scene_with("scenes/dam_break.yaml", "0.3", "2000000");
    ASSERT_WITHIN(scene_whitewater_speed(&scene), 7.0, 0.05); // sqrt(g 5 m)
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        parallel_set_workers((const uint32_t[]){1, 2, 7}[run]);
        Fluid *fluid = run_scene(&scene, 1.2);
        const DiffuseParticles *p = fluid_view(fluid).diffuse;
        assert_true(p->totals.born > 20000);
        ASSERT_WITHIN((double)p->totals.born / p->totals.expected, 1.0, 0.01);
        assert_int_equal(p->count, p->of_class[0] + p->of_class[1] + p->of_class[2]);
        for (int kind = 0; kind < DIFFUSE_CLASS_COUNT; kind++) assert_true(p->of_class[kind] > 0);
        hash[run] = hash_of(fluid);
        fluid_destroy(fluid);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    scene_free(&scene);
}

// Meters that the worst one is behind a wall, or inside a body.
static float depth_behind_surfaces(const FrameView *view)
{
    const DiffuseParticles *p = view->diffuse;
    Vec3 size = obstacles_tank(view->obstacles).size;
    float worst = 0.0f;
    for (uint32_t k = 0; k < p->count; k++) {
        Vec3 at = {p->x[k], p->y[k], p->z[k]};
        worst = fmaxf(worst, fmaxf(fmaxf(-at.x, at.x - size.x), fmaxf(-at.y, at.y - size.y)));
        worst = fmaxf(worst, -at.z);
        for (uint32_t body = 0; body < obstacles_count(view->obstacles); body++)
            worst = fmaxf(worst, -obstacle_distance(view->obstacles, body, at));
    }
    return worst;
}

static void none_is_born_behind_walls_or_inside_bodies(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("spacing: 0.1\ntank: {size: [3, 1, 3]}\n"
                                     "water: [{box: {min: [0, 0, 0], max: [1, 1, 2]}}]\n"
                                     "obstacles: [{sphere: {radius: 0.3}, position: [1.8, 0.5, 0]}]\n"
                                     "whitewater: {}\n",
                                     NULL);
    Fluid *fluid = run_scene(&scene, 0.4);
    for (double time = 0.4; time < 1.2; time += 0.02) {
        fluid_run(fluid, time);
        FrameView view = fluid_view(fluid);
        float worst = depth_behind_surfaces(&view);
        if (worst > 1e-4f) fail_msg("%g m behind a surface at %g s", (double)worst, time);
    }
    assert_true(fluid_view(fluid).diffuse->totals.born > 5000);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// The water does not feel it, and a restored state goes on with the same bits; where room is short, it is
// filled and not passed.
static void states_go_on(void **state)
{
    (void)state;
    SceneDef scene = scene_with("scenes/dam_break.yaml", "0.4", "3000");
    Fluid *fluid = run_scene(&scene, 0.7), *restored;
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    assert_true(fluid_view(fluid).diffuse->count > 100);
    ASSERT_OK(scene_restore(&scene, &blocks, &restored));
    assert_true(hash_of(fluid) == hash_of(restored));
    fluid_run(fluid, 1.2);
    fluid_run(restored, 1.2);
    assert_true(hash_of(fluid) == hash_of(restored));
    assert_int_equal(fluid_view(fluid).diffuse->count, 3000);
    scene.whitewater.enabled = false;
    Fluid *dry = run_scene(&scene, 0.7);
    fluid_run(dry, 1.2);
    assert_null(fluid_view(dry).diffuse);
    assert_null(fluid_view(dry).trapped_air);
    assert_true(fluid_state_hash(dry) == fluid_state_hash(fluid));
    fluid_destroy(dry);
    fluid_destroy(restored);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// A step that memory was short for has not happened, and can be made again.
static void short_memory_changes_nothing(void **state)
{
    (void)state;
    SceneDef scene = scene_with("scenes/dam_break.yaml", "0.5", "3000");
    Fluid *fluid = run_scene(&scene, 0.6), *other = run_scene(&scene, 0.6);
    uint64_t before = hash_of(fluid);
    fluid_run(other, 0.605);
    bool failed = true;
    for (uint64_t nth = 1; failed; nth++) {
        memory_fail_at(nth);
        Result result = fluid_step(fluid, 0.605, NULL);
        failed = memory_fail_at(0);
        assert_true(result_is_ok(&result) == !failed);
        if (failed) assert_true(hash_of(fluid) == before);
    }
    assert_true(hash_of(fluid) == hash_of(other));
    fluid_destroy(other);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void two_million_fit_in_200_megabytes(void **state)
{
    (void)state;
    DiffuseDef def = diffuse_def_default();
    assert_int_equal(def.max, 2000000);
    assert_true(diffuse_memory_estimate(&def, 1000000, 5.0) - diffuse_memory_estimate(&def, 1000000, 0.0) <=
                200000000);
    uint64_t before = memory_bytes_in_use();
    def.speed = 1.0f;
    Diffuse *diffuse = make_diffuse(&def);
    assert_true(memory_bytes_in_use() - before <= 200000000);
    diffuse_destroy(diffuse);
    assert_int_equal(memory_bytes_in_use(), before);
}

// Memory of the system, as it gives it: allocators that look for errors fill theirs.
typedef struct Arena {
    unsigned char *at;
    size_t used;
} Arena;

enum { ARENA_BYTES = 1 << 30 };

static void *take_of_arena(size_t bytes, size_t alignment, void *user)
{
    Arena *arena = user;
    size_t begin = (arena->used + alignment - 1) / alignment * alignment;
    if (bytes > ARENA_BYTES - begin) return NULL;
    arena->used = begin + bytes;
    return arena->at + begin;
}

static void leave_in_arena(void *block, void *user)
{
    (void)block, (void)user;
}

static uint64_t touched_bytes(const Arena *arena)
{
    static unsigned char resident[ARENA_BYTES / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = ARENA_BYTES / page, count = 0;
    assert_int_equal(mincore(arena->at, ARENA_BYTES, resident), 0);
    for (size_t k = 0; k < pages; k++) count += resident[k] & 1;
    return (uint64_t)count * page;
}

static void room_that_is_not_used_takes_no_memory(void **state)
{
    (void)state;
    DiffuseDef def = diffuse_def_default();
    Arena arena = {.at = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)};
    Host host = {
        .level = CPU_LEVEL_COUNT, .allocate = take_of_arena, .release = leave_in_arena, .user = &arena};
    if (arena.at == MAP_FAILED) skip(); // ulimit -v
    def.speed = 1.0f;
    def.max = 20000000;
    Host *before = host_enter(&host);
    Diffuse *diffuse = make_diffuse(&def);
    host_enter(before);
    assert_true(arena.used > 880000000);
    assert_true(touched_bytes(&arena) < 50000000);
    diffuse_destroy(diffuse);
    munmap(arena.at, ARENA_BYTES);
}

static void the_estimate_counts_what_can_be_born_up_to_the_most_that_there_may_be(void **state)
{
    (void)state;
    DiffuseDef def = diffuse_def_default();
    uint64_t few = diffuse_memory_estimate(&def, 100, 1.0);
    def.max = 20000000;
    assert_true(diffuse_memory_estimate(&def, 100, 1.0) == few);
    assert_true(few > 100 * 1000 * 4 && few < 10000000);
    assert_true(diffuse_memory_estimate(&def, 1000000, 100.0) > 20000000ull * 44);
    def.max = 1000;
    assert_true(diffuse_memory_estimate(&def, 100, 1.0) < few / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spray_flies_along_a_parabola),
        cmocka_unit_test(bubbles_rise_at_their_terminal_speed),
        cmocka_unit_test(foam_goes_with_the_water),
        cmocka_unit_test(foam_ends),
        cmocka_unit_test(walls_count_as_what_is_beside_them),
        cmocka_unit_test(walls_change_no_kind),
        cmocka_unit_test(what_is_far_from_all_water_is_gone),
        cmocka_unit_test(solids_hold_and_reflect),
        cmocka_unit_test(a_wall_pushes_nothing_into_a_body),
        cmocka_unit_test(potentials_are_the_sums),
        cmocka_unit_test(still_water_has_none),
        cmocka_unit_test_teardown(births_are_what_is_asked_for, tear_down),
        cmocka_unit_test(none_is_born_behind_walls_or_inside_bodies),
        cmocka_unit_test(states_go_on),
        cmocka_unit_test(short_memory_changes_nothing),
        cmocka_unit_test(two_million_fit_in_200_megabytes),
        cmocka_unit_test(room_that_is_not_used_takes_no_memory),
        cmocka_unit_test(the_estimate_counts_what_can_be_born_up_to_the_most_that_there_may_be),
    };
    return cmocka_run_group_tests(tests, scene_folder_make, scene_folder_remove);
}
