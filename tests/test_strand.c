// Strands against theory: lengths, pendulum, cantilever, contacts, momentum; and their scenes.
#include "case_helpers.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scene_helpers.h"
#include "strand/strand.h"
#include "strand/strand_lengths.h"
#include "strand/strand_tubes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(Result result)
{
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
}

static Strands *make(const StrandDef *defs, uint32_t count)
{
    Strands *strands;
    check(strands_create(defs, count, NULL, &strands));
    return strands;
}

static void step(Strands *strands, double dt, Vec3 gravity)
{
    check(strands_step(strands, &(StrandStep){.dt = dt, .gravity = gravity}));
}

// Largest share by which a segment, or a whole strand, is too long or too short.
static double worst_stretch(const Strands *strands, bool whole)
{
    StrandView view = strands_view(strands);
    double worst = 0.0;
    for (uint32_t k = 0; k < view.strand_count; k++) {
        const StrandDef *def = &view.defs[view.group[k]];
        double rest = def->layout == STRAND_ROPE ? (double)vec3_length(vec3_sub(def->to, def->from))
                                                 : (double)def->length[0];
        double sum = 0.0;
        for (uint32_t i = view.first[k]; i + 1 < view.first[k + 1]; i++) {
            double length = (double)vec3_length(vec3_sub(view.position[i + 1], view.position[i]));
            sum += length;
            if (!whole) worst = fmax(worst, fabs(length * def->segments / rest - 1.0));
        }
        if (whole) worst = fmax(worst, fabs(sum / rest - 1.0));
    }
    return worst;
}

// A strand of 1 m falls from the horizontal: its middle passes below the root after 0.486 s (a chain of 20
// segments in steps of 0.01 ms), and it keeps its length.
static void test_swing(void **state)
{
    (void)state;
    const double steps[] = {0.006, 0.0015};
    for (int k = 0; k < 2; k++) {
        StrandDef def = STRAND_DEF_DEFAULT;
        def.to = vec3_make(1, 0, 0);
        Strands *strands = make(&def, 1);
        double crossed = 0.0, before = 0.5, worst = 0.0;
        for (double t = steps[k]; t < 2.0; t += steps[k]) {
            step(strands, steps[k], vec3_make(0, 0, -9.81f));
            StrandView view = strands_view(strands);
            double middle = 0.0;
            for (uint32_t i = 1; i < view.particle_count; i++) middle += (double)view.position[i].x / 20;
            if (crossed == 0.0 && middle <= 0.0) crossed = t - steps[k] * middle / (middle - before);
            before = middle;
            worst = fmax(worst, worst_stretch(strands, false));
        }
        print_message("step %g ms: quarter swing %.4f s, stretch %.4f %%\n", 1e3 * steps[k], crossed,
                      100 * worst);
        assert_true(fabs(crossed / 0.486 - 1.0) < 0.02);
        assert_true(worst < 1e-3);
        strands_destroy(strands);
    }
}

// A rope between two places that are as far apart as it is long stays straight: nothing that keeps the
// lengths of its segments moves it along itself.
static void test_taut_rope(void **state)
{
    (void)state;
    const double steps[] = {0.002, 0.01};
    for (int k = 0; k < 2; k++) {
        StrandDef def = STRAND_DEF_DEFAULT;
        def.from = vec3_make(0.3f, 0.2f, 1.5f);
        def.to = vec3_make(1.7f, 0.2f, 1.5f);
        def.hold = HOLD_BOTH;
        def.segments = 256;
        Strands *strands = make(&def, 1);
        double stretch = 0.0, sag = 0.0;
        for (double t = 0.0; t < 0.5; t += steps[k]) {
            step(strands, steps[k], vec3_make(0, 0, -9.81f));
            StrandView view = strands_view(strands);
            stretch = fmax(stretch, worst_stretch(strands, true));
            for (uint32_t i = 0; i < view.particle_count; i++)
                sag = fmax(sag, 1.5 - (double)view.position[i].z);
        }
        print_message("step %g ms: a taut rope is longer by %.4f %%, sags by %.2g m\n", 1e3 * steps[k],
                      100 * stretch, sag);
        assert_true(stretch < 1e-3);
        assert_true(sag < 0.03);
        strands_destroy(strands);
    }
}

// A clamped rod under its own weight sinks by q L^4 / (8 EI) at its end.
static void test_cantilever(void **state)
{
    (void)state;
    for (uint32_t segments = 20; segments <= 40; segments *= 2) {
        StrandDef def = STRAND_DEF_DEFAULT;
        float l = 0.5f / (float)(segments - 1);
        def.from = vec3_make(-l, 0, 0);
        def.to = vec3_make(0.5f, 0, 0);
        def.segments = segments;
        def.hold = HOLD_CLAMPED;
        def.damping = 10.0f;
        double load = 1000 * 3.14159265 * 0.002 * 0.002 * 9.81, sink = 0.02;
        def.stiffness = (float)(load * 0.0625 / (8 * sink));
        Strands *strands = make(&def, 1);
        for (int k = 0; k < 1500; k++) step(strands, 0.004, vec3_make(0, 0, -9.81f));
        StrandView view = strands_view(strands);
        double found = -(double)view.position[view.particle_count - 1].z;
        print_message("%u segments: the end sinks by %.5f m (theory %.5f)\n", segments, found, sink);
        assert_true(fabs(found / sink - 1.0) < 0.1 * 20 / segments);
        strands_destroy(strands);
    }
}

static Vec3 momentum(const Strands *strands, double *scale)
{
    StrandView view = strands_view(strands);
    double sum[3] = {0};
    *scale = 0.0;
    for (uint32_t k = 0; k < view.strand_count; k++) {
        double mass = (double)strands_mass(strands, k);
        for (uint32_t i = view.first[k]; i < view.first[k + 1]; i++) {
            Vec3 v = view.velocity[i];
            sum[0] += mass * (double)v.x, sum[1] += mass * (double)v.y, sum[2] += mass * (double)v.z;
            *scale += mass * (double)vec3_length(v);
        }
    }
    return vec3_make((float)sum[0], (float)sum[1], (float)sum[2]);
}

// Throws strands at each other, a pair in each place: one along x, one along y, turned at random, that meet
// at half to all of `speed` (m/s). Returns them with their velocities.
#define PAIRS 1000
static Vec3 random_vector(uint64_t *random, float size)
{
    float x = random_between(random, -size, size), y = random_between(random, -size, size);
    return vec3_make(x, y, random_between(random, -size, size));
}

static void add_velocity(Strands *strands, uint32_t strand, Vec3 velocity, Vec3 *kick)
{
    StrandView view = strands_view(strands);
    for (uint32_t i = view.first[strand]; i < view.first[strand + 1]; i++) kick[i] = velocity;
}

static Strands *throw_pairs(float speed, double dt)
{
    StrandDef *defs = calloc(2 * PAIRS, sizeof *defs);
    uint64_t random = 7;
    for (int k = 0; k < PAIRS; k++) {
        Vec3 place = vec3_make(0.25f * (float)(k % 32 - 16), 0.25f * (float)(k / 32 - 16), 0);
        for (int side = 0; side < 2; side++) {
            StrandDef def = STRAND_DEF_DEFAULT;
            Vec3 along = side ? vec3_make(0, 0.1f, 0) : vec3_make(0.1f, 0, 0);
            along = vec3_add(along, random_vector(&random, 0.03f));
            Vec3 middle = vec3_add(place, vec3_make(0, 0, side ? 0.05f : -0.05f));
            def.from = vec3_sub(middle, along);
            def.to = vec3_add(middle, along);
            def.hold = HOLD_NONE;
            def.segments = 10;
            defs[2 * k + side] = def;
        }
    }
    Strands *strands = make(defs, 2 * PAIRS);
    free(defs);
    Vec3 *kick = calloc(strands_view(strands).particle_count, sizeof *kick);
    for (uint32_t k = 0; k < 2 * PAIRS; k++) {
        Vec3 velocity = vec3_make(random_between(&random, -1, 1), random_between(&random, -1, 1),
                                  random_between(&random, 5, 10));
        add_velocity(strands, k, vec3_scale(velocity, (k % 2 ? -0.05f : 0.05f) * speed), kick);
    }
    check(strands_step(strands, &(StrandStep){.dt = dt, .kick = kick}));
    free(kick);
    return strands;
}

// Four corners of two edges on straight ways: the volume that they span is zero where the edges' lines meet.
typedef struct Crossing {
    Vec3 from[4], to[4];
} Crossing;

static void corners_at(const Crossing *crossing, double t, double out[4][3])
{
    for (int k = 0; k < 4; k++) {
        const float a[3] = {crossing->from[k].x, crossing->from[k].y, crossing->from[k].z};
        const float b[3] = {crossing->to[k].x, crossing->to[k].y, crossing->to[k].z};
        for (int axis = 0; axis < 3; axis++) out[k][axis] = (1 - t) * (double)a[axis] + t * (double)b[axis];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// inside: do the edges, not only their lines, meet there?
static double volume_at(const Crossing *crossing, double t, bool *inside)
{
    double p[4][3], u[3], v[3], r[3], n[3], s[3];
    corners_at(crossing, t, p);
    for (int k = 0; k < 3; k++) u[k] = p[1][k] - p[0][k], v[k] = p[3][k] - p[2][k], r[k] = p[2][k] - p[0][k];
    cross(u, v, n);
    cross(r, v, s);
    double first = dot(s, n) / dot(n, n);
    cross(r, u, s);
    double second = dot(s, n) / dot(n, n);
    if (inside) *inside = first >= 0 && first <= 1 && second >= 0 && second <= 1;
    return dot(r, n);
}

#define SAMPLES 16
static bool edges_pass(const Crossing *crossing)
{
    Box3 box[2];
    for (int side = 0; side < 2; side++) {
        box[side] = (Box3){crossing->from[2 * side], crossing->from[2 * side]};
        for (int k = 2 * side; k < 2 * side + 2; k++) {
            box[side] = box3_join(box[side], (Box3){crossing->from[k], crossing->from[k]});
            box[side] = box3_join(box[side], (Box3){crossing->to[k], crossing->to[k]});
        }
    }
    if (!box3_touches(box[0], box[1])) return false;
    double before = volume_at(crossing, 0, NULL);
    for (int k = 1; k <= SAMPLES; k++) {
        double lo = (k - 1.0) / SAMPLES, hi = (double)k / SAMPLES, now = volume_at(crossing, hi, NULL);
        bool inside = false;
        if ((before < 0) != (now < 0)) {
            for (int n = 0; n < 40; n++) {
                double middle = 0.5 * (lo + hi), value = volume_at(crossing, middle, &inside);
                *((value < 0) == (before < 0) ? &lo : &hi) = middle;
            }
        }
        if (inside) return true;
        before = now;
    }
    return false;
}

// Has one of the edges of a pair of strands passed through one of the other in the last step?
static bool strands_pass(StrandView view, const Vec3 *before, uint32_t a, uint32_t b)
{
    for (uint32_t i = view.first[a]; i + 1 < view.first[a + 1]; i++) {
        for (uint32_t j = view.first[b]; j + 1 < view.first[b + 1]; j++) {
            const Vec3 *now = view.position;
            Crossing crossing = {{before[i], before[i + 1], before[j], before[j + 1]},
                                 {now[i], now[i + 1], now[j], now[j + 1]}};
            if (edges_pass(&crossing)) return true;
        }
    }
    return false;
}

static uint32_t count_passes(StrandView view, const Vec3 *before)
{
    uint32_t passed = 0;
    for (uint32_t k = 0; k < view.strand_count / 2; k++)
        passed += strands_pass(view, before, 2 * k, 2 * k + 1);
    return passed;
}

// As long as it takes the slower ones to meet and to part, or to wind around each other.
static void check_thrown_pairs(float speed, double dt)
{
    Strands *strands = throw_pairs(speed, dt);
    double scale, later, worst = 0.0;
    Vec3 before = momentum(strands, &scale);
    uint32_t passed = 0;
    StrandView view = strands_view(strands);
    Vec3 *old = malloc(view.particle_count * sizeof *old);
    for (int k = 0; k < 1 + (int)(0.48 / ((double)speed * dt)); k++) {
        memcpy(old, view.position, view.particle_count * sizeof *old);
        step(strands, dt, vec3_make(0, 0, 0));
        passed += count_passes(view, old);
        worst = fmax(worst, worst_stretch(strands, true));
    }
    Vec3 drift = vec3_sub(momentum(strands, &later), before);
    free(old);
    print_message("%g m/s, step %g ms: %u of %u pairs passed, stretch %.4f %%, momentum %.2g\n",
                  (double)speed, 1e3 * dt, passed, PAIRS, 100 * worst, (double)vec3_length(drift) / scale);
    assert_int_equal(passed, 0);
    assert_true(worst < 1e-3);
    assert_true((double)vec3_length(drift) < 1e-5 * scale);
    assert_true(later <= scale);
    strands_destroy(strands);
}

static void test_thrown_pairs(void **state)
{
    (void)state;
    check_thrown_pairs(20, 0.006);
    if (!test_is_quick()) check_thrown_pairs(4, 0.006);
    check_thrown_pairs(2, 0.016);
    if (!test_is_full()) return;
    const float speeds[] = {10, 4, 2, 1, 0.5f};
    for (int k = 0; k < 5; k++) {
        check_thrown_pairs(speeds[k], 0.006);
        check_thrown_pairs(speeds[k], 0.002);
        if (k > 0) check_thrown_pairs(speeds[k], 0.016);
    }
}

static uint64_t hash_of_step(void)
{
    Strands *strands = throw_pairs(20, 0.006);
    step(strands, 0.006, vec3_make(0, 0, -9.81f));
    uint64_t hash = strands_hash(strands, 0);
    strands_destroy(strands);
    return hash;
}

// The same bits for every number of threads and every instruction set.
static void test_threads(void **state)
{
    (void)state;
    const uint32_t workers[] = {2, 7};
    parallel_set_workers(1);
    uint64_t hash = hash_of_step();
    for (int n = 0; n < 2; n++) {
        parallel_set_workers(workers[n]);
        assert_int_equal(hash_of_step(), hash);
    }
    parallel_set_workers(0);
    for (CpuLevel level = CPU_PLAIN; level < cpu_best_level(CPU_AVX512); level++) {
        cpu_set_level(level);
        assert_int_equal(hash_of_step(), hash);
    }
    cpu_set_level(CPU_AVX512);
}

// Newton steps alone bring a bent strand of 12 particles to its length: what is wrong by 1 % is by less than
// 5e-6 after three of them. Otherwise the steps of taut strands would, which write tensions.
static void test_newton_steps(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    Vec3 x[COUNT], way[COUNT];
    uint64_t random = 11;
    for (int i = 0; i < COUNT; i++) {
        x[i] = i == 0 ? vec3_make(0, 0, 0)
                      : vec3_add(x[i - 1], vec3_make(0.08f, i % 2 ? 0.06f : 0.0f, i % 2 ? 0.0f : -0.06f));
        way[i] = i == 0 ? vec3_make(0, 0, 0) : random_vector(&random, 0.001f);
    }
    StrandBunch bunch = {.line[0] = {x, way, COUNT, 1, 0, 0.1}, .count = 1};
    StrandLengths *scratch = memory_allocate_zeroed(sizeof *scratch);
    scratch->tension[0][0] = -7;
    assert_int_equal(strand_lengths_plain(&bunch, 3, 5e-6, scratch), 0);
    assert_true(scratch->tension[0][0] == -7);
    for (int i = 1; i < COUNT; i++) {
        Vec3 segment = vec3_sub(vec3_add(x[i], way[i]), vec3_add(x[i - 1], way[i - 1]));
        assert_float_equal(vec3_length(segment), 0.1, 2e-6);
    }
    assert_true(vec3_length(way[0]) == 0.0f);
    memory_free(scratch);
}

// What particles are thrown to in a step, however far, does not move the center of a strand that nothing
// holds.
static void test_violent_kicks(void **state)
{
    (void)state;
    StrandDef defs[8];
    for (int k = 0; k < 8; k++) {
        defs[k] = (StrandDef)STRAND_DEF_DEFAULT;
        defs[k].from = vec3_make((float)k, 0, 0);
        defs[k].to = vec3_make((float)k, 1, 0);
        defs[k].hold = HOLD_NONE;
        defs[k].self_contact = false;
    }
    Strands *strands = make(defs, 8);
    Vec3 kick[8 * 21];
    double scale, after;
    uint64_t random = 3;
    for (int i = 0; i < 8 * 21; i++) kick[i] = random_vector(&random, 2000);
    float sum[3] = {0};
    for (int i = 0; i < 8 * 21; i++) sum[0] += kick[i].x, sum[1] += kick[i].y, sum[2] += kick[i].z;
    Vec3 given = vec3_scale(vec3_make(sum[0], sum[1], sum[2]), strands_mass(strands, 0));
    check(strands_step(strands, &(StrandStep){.dt = 0.006, .kick = kick}));
    Vec3 drift = vec3_sub(momentum(strands, &scale), given);
    after = worst_stretch(strands, true);
    print_message("thrown apart: stretch %.2g, momentum off by %.2g of %.2g\n", after,
                  (double)vec3_length(drift), (double)vec3_length(given));
    assert_true(after < 1e-3);
    assert_true((double)vec3_length(drift) < 1e-4 * (double)vec3_length(given));
    strands_destroy(strands);
}

// A rope that lies on walls of the tank, in each of its corners, and in a corner between two bodies, keeps
// its radius from both.
static void test_corners(void **state)
{
    (void)state;
    const float r = 0.02f, size = 0.4f;
    ObstacleDef bodies[2] = {
        {.name = "a", .shape = {.kind = SHAPE_BOX, .half_extent = {0.05f, 1, 1}}, .position = {-0.05f, 0, 0}},
        {.name = "b",
         .shape = {.kind = SHAPE_BOX, .half_extent = {1, 1, 0.05f}},
         .position = {0, 0, -0.05f}}};
    for (int c = 0; c < 9; c++) {
        bool tank = c < 8;
        Vec3 away = vec3_make(c & 1 ? -1 : 1, !tank ? 0 : c & 2 ? -1 : 1, c & 4 ? -1 : 1);
        TankDef walls = {.present = tank, .size = {size, size, size}};
        Obstacles *obstacles;
        check(obstacles_create(walls, 0.0f, bodies, tank ? 0 : 2, &obstacles));
        StrandDef def = STRAND_DEF_DEFAULT;
        Vec3 middle = tank ? vec3_make(0.2f, 0.2f, 0.2f) : vec3_make(0.1f, 0, 0.1f);
        def.from = vec3_add(middle, vec3_make(0, 0.05f, 0));
        def.to = vec3_add(middle, vec3_make(0, -0.05f, 0));
        def.segments = 4, def.hold = HOLD_NONE, def.radius = r, def.damping = 5, def.friction = 0;
        Strands *strands = make(&def, 1);
        float nearest = INFINITY;
        for (int k = 0; k < 120; k++) {
            check(strands_step(strands,
                               &(StrandStep){0.006, vec3_scale(away, -9.81f), obstacles, NULL, false}));
            StrandView view = strands_view(strands);
            nearest = INFINITY;
            for (uint32_t i = 0; i < view.particle_count; i++)
                nearest = fminf(nearest, obstacles_distance(obstacles, view.position[i]));
            if (nearest < 0.5f * r) fail_msg("corner %d: %g m from what it falls on", c, (double)nearest);
        }
        assert_float_equal(nearest, r, 0.1f * r);
        strands_destroy(strands);
        obstacles_destroy(obstacles);
    }
}

// Rings of a tube stand across it, as far from its middle line as it is thick, whatever way it goes.
static void test_tubes(void **state)
{
    (void)state;
    for (int axis = 0; axis < 4; axis++) {
        StrandDef def = STRAND_DEF_DEFAULT;
        Vec3 along = vec3_make(axis == 0 || axis == 3, axis == 1 || axis == 3, axis == 2);
        def.to = along;
        Strands *strands = make(&def, 1);
        StrandView view = strands_view(strands);
        StrandTubes tubes = {0};
        check(strand_tubes_make(&view, 5, &tubes));
        for (uint32_t v = 0; v < 5 * view.particle_count; v++) {
            TubeVertex vertex = tubes.vertices[v];
            Vec3 out = vec3_sub(vertex.position, view.position[v / 5]);
            assert_float_equal(vec3_dot(vertex.normal, along), 0, 1e-5);
            assert_float_equal(vec3_length(vertex.normal), 1, 1e-5);
            assert_float_equal(vec3_length(vec3_sub(out, vec3_scale(vertex.normal, def.radius))), 0, 1e-6);
        }
        strand_tubes_free(&tubes);
        strands_destroy(strands);
    }
}

// --- in water ---

// A rope in a block of water; %s: further keys.
#define BLOCK                                                                                                \
    "spacing: 0.05\nwater: [{box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}, velocity: [1, 0, 0]}]\n"           \
    "fluid: {gravity: [0, 0, 0], surface_tension: 0}\n"                                                      \
    "strands:\n  - {rope: {from: [0.1, 0.25, 0.25], to: [0.4, 0.25, 0.3]}, hold: none, radius: 0.01}\n"      \
    "  - {rope: {from: [0.25, 0.1, 0.2], to: [0.25, 0.4, 0.2]}, hold: none, radius: 0.01}\n"

static Fluid *build(const char *text, const StateBlocks *state)
{
    SceneDef scene = scene_from_text(text, NULL);
    Fluid *fluid;
    check(state ? scene_restore(&scene, state, &fluid) : scene_build(&scene, &fluid));
    scene_free(&scene);
    return fluid;
}

static void run_to(Fluid *fluid, double until)
{
    while (fluid_time(fluid) < until) check(fluid_step(fluid, until, NULL));
}

static double momentum_of_all(const Fluid *fluid, double *scale)
{
    FrameView view = fluid_view(fluid);
    double mass = 998 * pow(view.spacing, 3), ropes, sum = (double)momentum(view.strands, &ropes).x;
    *scale = ropes;
    for (uint32_t i = 0; i < view.count; i++) {
        sum += mass * (double)view.vx[i];
        *scale += mass * fabs((double)view.vx[i]);
    }
    return sum;
}

// Flowing water takes ropes along, and loses what they gain.
static void test_momentum_with_water(void **state)
{
    (void)state;
    Fluid *fluid = build(BLOCK, NULL);
    double scale, ropes, before = momentum_of_all(fluid, &scale);
    run_to(fluid, 0.3);
    double drift = fabs(momentum_of_all(fluid, &scale) - before) / scale;
    double gained = (double)momentum(fluid_view(fluid).strands, &ropes).x;
    print_message("ropes gained %.3f Ns; momentum of all drifts by %.2g\n", gained, drift);
    assert_true(gained > 0.1);
    assert_true(drift < 1e-5);
    fluid_destroy(fluid);
}

// Drag brings a thin rope to the speed of the water around it within its drag_time, wherever that is and
// however fine the water is.
static void test_drag(void **state)
{
    (void)state;
    const Vec3 places[] = {{0.5f, 0.5f, 0.5f}, {5, 3, 2}};
    for (int k = 0; k < 2; k++) {
        Vec3 at = places[k];
        char text[600];
        snprintf(text, sizeof text,
                 "spacing: 0.02\ntank: {size: [6, 4, 3]}\n"
                 "water: [{box: {min: [%g, %g, %g], max: [%g, %g, %g]}, velocity: [1, 0, 0]}]\n"
                 "fluid: {gravity: [0, 0, 0], surface_tension: 0}\n"
                 "strands: [{rope: {from: [%g, %g, %g], to: [%g, %g, %g]}, hold: none, segments: 8}]\n",
                 (double)at.x, (double)at.y, (double)at.z, (double)at.x + 0.24, (double)at.y + 0.16,
                 (double)at.z + 0.16, (double)at.x + 0.07, (double)at.y + 0.08, (double)at.z + 0.08,
                 (double)at.x + 0.14, (double)at.y + 0.08, (double)at.z + 0.08);
        Fluid *fluid = build(text, NULL);
        run_to(fluid, 0.05);
        StrandView view = strands_view(fluid_view(fluid).strands);
        double speed = 0.0;
        for (uint32_t i = 0; i < view.particle_count; i++)
            speed += (double)view.velocity[i].x / view.particle_count;
        print_message("a rope in flowing water: %.3f of its speed (theory %.3f)\n", speed, 1 - exp(-1));
        assert_true(fabs(speed - (1 - exp(-1))) < 0.05);
        fluid_destroy(fluid);
    }
}

// What is lighter than water rises at (rho0 / rho - 1) g drag_time, less what the water that it takes along
// sinks beside it.
static void test_rise(void **state)
{
    (void)state;
    Fluid *fluid = build(
        "spacing: 0.05\ntank: {size: [0.6, 0.6, 1]}\nwater: [{box: {min: [0, 0, 0], max: [0.6, 0.6, 0.8]}}]\n"
        "strands: [{rope: {from: [0.1, 0.3, 0.2], to: [0.5, 0.3, 0.2]}, hold: none, density: 800}]\n",
        NULL);
    run_to(fluid, 0.5);
    StrandView view = strands_view(fluid_view(fluid).strands);
    double from = (double)view.position[10].z, theory = (998.0 / 800 - 1) * 9.81 * 0.05;
    run_to(fluid, 1.5);
    double speed = (double)view.position[10].z - from;
    print_message("rises at %.4f m/s (theory %.4f)\n", speed, theory);
    assert_true(speed > 0.85 * theory && speed < 1.05 * theory);
    fluid_destroy(fluid);
}

// J, of the water, and the fastest of it (m/s).
static double water_energy(const Fluid *fluid, double *fastest)
{
    FrameView view = fluid_view(fluid);
    double sum = 0.0;
    *fastest = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        double x = (double)view.vx[i], y = (double)view.vy[i], z = (double)view.vz[i];
        sum += x * x + y * y + z * z;
        *fastest = fmax(*fastest, sqrt(x * x + y * y + z * z));
    }
    return 0.5 * 998 * pow(view.spacing, 3) * sum;
}

// Still water stays still around strands that weigh what it does: it gets less than a hundredth of the energy
// of a fall by one spacing, whatever the steps are.
static void test_still_water(void **state)
{
    (void)state;
    const struct {
        double spacing, step, radius;
    } cases[] = {
        {0.1, 0.02, 0.02},  {0.1, 0.02, 0.05},  {0.1, 0.004, 0.02},
        {0.1, 0.004, 0.05}, {0.05, 0.02, 0.02}, {0.05, 0.02, 0.025},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_is_sanitized() ? 6
                                                              : test_is_quick()   ? 3
                                                                                  : 1) {
        char text[400];
        snprintf(
            text, sizeof text,
            "spacing: %g\nsolver: {time_step: %g}\ntank: {size: [1, 1, 1]}\n"
            "water: [{box: {min: [0, 0, 0], max: [1, 1, 0.6]}}]\n"
            "strands: [{meadow: {min: [0.15, 0.15, 0], max: [0.85, 0.85, 0]}, count: 10, length: [0.4, 0.4], "
            "radius: %g}]\n",
            cases[k].spacing, cases[k].step, cases[k].radius);
        Fluid *fluid = build(text, NULL);
        double fall = 998 * 0.6 * 9.81 * cases[k].spacing, fastest;
        run_to(fluid, 1.0);
        double energy = water_energy(fluid, &fastest);
        print_message("spacing %g m, steps of %g ms, radius %g m: %.2g of a fall by a spacing\n",
                      cases[k].spacing, 1e3 * cases[k].step, cases[k].radius, energy / fall);
        assert_true(energy < 0.01 * fall);
        fluid_destroy(fluid);
    }
}

// Water is not thrown faster than what falls into it, however heavy that is.
static void test_heavy_rope(void **state)
{
    (void)state;
    Fluid *fluid =
        build("spacing: 0.1\ntank: {size: [1, 1, 2]}\n"
              "water: [{box: {min: [0, 0, 0], max: [1, 1, 0.6]}}]\n"
              "strands: [{rope: {from: [0.2, 0.5, 1], to: [0.8, 0.5, 1]}, hold: none, radius: 0.05, "
              "density: 1000000}]\n",
              NULL);
    double most = 0.0, fastest;
    for (int k = 1; k <= (test_is_sanitized() ? 20 : 40); k++) {
        run_to(fluid, 0.025 * k);
        water_energy(fluid, &fastest);
        most = fmax(most, fastest);
    }
    print_message("water around a heavy rope: %.2g m/s at most\n", most);
    assert_true(most < 2 * sqrt(2 * 9.81 * 1.0));
    fluid_destroy(fluid);
}

// A stored state goes on as the fluid did, and threads change nothing.
static void test_resume(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int n = 0; n < 2; n++) {
        parallel_set_workers(n == 0 ? 1 : 3);
        Fluid *fluid = build(BLOCK, NULL), *other = NULL;
        run_to(fluid, 0.05);
        static StateBlocks blocks;
        blocks = (StateBlocks){0};
        fluid_store(fluid, &blocks);
        other = build(BLOCK, &blocks);
        run_to(fluid, 0.1);
        run_to(other, 0.1);
        hash[n] = fluid_state_hash(fluid);
        assert_int_equal(hash[n], fluid_state_hash(other));
        fluid_destroy(fluid);
        fluid_destroy(other);
    }
    parallel_set_workers(0);
    assert_int_equal(hash[0], hash[1]);
}

// A step that runs out of memory, wherever it does, can be made again with the same outcome.
static void test_memory(void **state)
{
    (void)state;
    uint64_t expected = 0, n = 0;
    parallel_set_workers(1);
    for (bool reached = true; reached; n++) {
        Fluid *fluid = build(BLOCK, NULL);
        memory_fail_at(n); // 0: none
        Result result = fluid_step(fluid, 0.004, NULL);
        reached = memory_fail_at(0) || n == 0;
        if (result.code == RESULT_NO_MEMORY)
            check(fluid_step(fluid, 0.004, NULL));
        else
            check(result);
        if (n == 0) expected = fluid_state_hash(fluid);
        assert_int_equal(fluid_state_hash(fluid), expected);
        fluid_destroy(fluid);
    }
    print_message("%u allocations in the first step\n", (unsigned)n - 2);
    assert_true(n > 20);
    parallel_set_workers(0);
}

// Nothing that a body holds leaves it, and nothing passes into it.
static void test_head(void **state)
{
    (void)state;
    Fluid *fluid = build(
        "spacing: 0.05\nwater: [{box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}]\n"
        "obstacles: [{name: head, sphere: {radius: 0.1}, position: [1, 0, 1], motion: {oscillation: "
        "{amplitude: [0.1, 0, 0], period: 0.5}}}]\n"
        "strands: [{cap: {angle: 200}, obstacle: head, count: 100, length: [0.1, 0.1], hold: clamped}]\n",
        NULL);
    double root = 0.0, inside = 0.0;
    for (int k = 1; k <= (test_is_sanitized() ? 10 : 40); k++) {
        run_to(fluid, 0.02 * k);
        FrameView view = fluid_view(fluid);
        StrandView strands = strands_view(view.strands);
        for (uint32_t n = 0; n < strands.particle_count; n++) {
            double distance = (double)obstacle_distance(view.obstacles, 0, strands.position[n]);
            if (n % 21 == 0) root = fmax(root, fabs(distance));
            if (n % 21 > 1) inside = fmax(inside, -distance);
        }
    }
    print_message("roots leave the body by %.2g m, hair enters it by %.2g m\n", root, inside);
    assert_true(root < 1e-4);
    assert_true(inside < 0.002);
    fluid_destroy(fluid);
}

// Hair of segments that a turning body's corners pass by several of in a step keeps its length.
static void test_turning_body(void **state)
{
    (void)state;
    const char *const steps[] = {"0.002", "0.01"};
    for (int k = test_is_quick() ? 2 : 0; k < 4; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "spacing: 0.1\nwater: [{box: {min: [3, 0, 0], max: [3.2, 0.2, 0.2]}}]\n"
            "solver: {time_step: %s}\n"
            "obstacles: [{name: b, box: {size: [0.4, 0.4, 0.4]}, position: [1, 1, 1.2], rotation: [10, 20, "
            "30], motion: {oscillation: {amplitude: [0.3, 0, 0.3], rotation: [0, 90, 180], period: 1}}}]\n"
            "strands: [{cap: {angle: 360}, obstacle: b, count: 100, length: [0.1, 0.1], self_contact: "
            "%s}]\n",
            steps[k / 2], k % 2 ? "true" : "false");
        Fluid *fluid = build(text, NULL);
        double worst = 0.0, end = test_is_sanitized() ? 0.1 : 1.0;
        while (fluid_time(fluid) < end) {
            check(fluid_step(fluid, end, NULL));
            worst = fmax(worst, worst_stretch(fluid_view(fluid).strands, true));
        }
        print_message("hair on a turning body, steps of %s s%s: longer by %.4f %%\n", steps[k / 2],
                      k % 2 ? "" : " without contacts", 100 * worst);
        assert_true(worst < 1e-3);
        fluid_destroy(fluid);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
#define WATER "water: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
    const struct {
        const char *strand, *message;
    } cases[] = {
        {"{count: 3}", "scene.yaml:2:11: strands.0: needs one of the keys rope, meadow, cap"},
        {"{rope: {from: [0, 0, 0], to: [0, 0, 0]}}",
         "scene.yaml:2:18: strands.0.rope: from must not be where to is"},
        {"{rope: {from: [0, 0, 0], to: [0, 0, 1]}, count: 2}",
         "scene.yaml:2:59: strands.0.count: is 1 of a rope"},
        {"{rope: {from: [0, 0, 0], to: [0, 0, 1]}, obstacle: x}",
         "scene.yaml:2:62: strands.0.obstacle: \"x\" is not the name of an obstacle"},
        {"{cap: {angle: 90}}", "scene.yaml:2:11: strands.0: needs the key obstacle with a cap"},
        {"{meadow: {min: [1, 0, 0], max: [0, 0, 0]}}",
         "scene.yaml:2:20: strands.0.meadow: min must not be above max on any axis"},
        {"{meadow: {min: [0, 0, 0], max: [0, 0, 0]}, length: [2, 1]}",
         "scene.yaml:2:62: strands.0.length: the shortest comes first"},
        {"{meadow: {min: [0, 0, 0], max: [0, 0, 0]}, segments: 1}",
         "scene.yaml:2:64: strands.0.segments: 1 is out of range (2 to 256)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        snprintf(text, sizeof text, WATER "strands: [%s]\n", cases[k].strand);
        assert_scene_refused(text, NULL, cases[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_steps),
        cmocka_unit_test(test_swing),
        cmocka_unit_test(test_taut_rope),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_thrown_pairs),
        cmocka_unit_test(test_violent_kicks),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_tubes),
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_momentum_with_water),
        cmocka_unit_test(test_rise),
        cmocka_unit_test(test_still_water),
        cmocka_unit_test(test_heavy_rope),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_turning_body),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, scene_folder_make, scene_folder_remove);
}
