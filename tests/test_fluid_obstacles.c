// Fluid against walls and bodies: nothing leaks, nothing explodes.
#include "fluid_helpers.h"
#include "obstacle_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPACING 0.1f

// How deep the deepest particle sits inside a body or outside of the tank, in spacings.
static double deepest(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    double depth = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        double distance = obstacles_distance(view.obstacles, vec3_make(view.x[i], view.y[i], view.z[i]));
        depth = fmax(depth, -distance / view.spacing);
    }
    return depth;
}

static void a_jet_at_ten_metres_a_second_does_not_pass_a_plate_one_spacing_thick(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.gravity = vec3_make(0, 0, 0);
    ObstacleDef plate = {.name = "plate",
                         .shape = {.kind = SHAPE_BOX, .half_extent = {0.5f * SPACING, 3.0f, 3.0f}},
                         .position = {3.0f, 3.0f, 3.0f},
                         .rotation = {0, 20, 10}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), &plate, 1);
    fluid_fill_lattice(fluid, vec3_make(0.5f, 2.6f, 2.6f), 14, 8, 8, 0.1f, vec3_make(10, 0, 0));
    Mat3 rotation = mat3_from_euler_degrees(plate.rotation);
    for (double t = 0.02; t < (test_is_quick() ? 0.2 : 0.8); t += 0.02) {
        fluid_run(fluid, t);
        FrameView view = fluid_view(fluid);
        for (uint32_t i = 0; i < view.count; i++) {
            Vec3 local = mat3_apply_transposed(
                rotation, vec3_sub(vec3_make(view.x[i], view.y[i], view.z[i]), vec3_make(3, 3, 3)));
            // behind the plate and not around its edge
            if (fabsf(local.y) < 2.8f && fabsf(local.z) < 2.8f) assert_true(local.x < 0.5f * SPACING);
        }
    }
    fluid_destroy(fluid);
}

// A closed octahedron, written by the test.
static void octahedron(Shape *shape, float radius)
{
    char path[] = "/tmp/pbf_octahedron_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    float r = radius;
    fprintf(file, "v %g 0 0\nv -%g 0 0\nv 0 %g 0\nv 0 -%g 0\nv 0 0 %g\nv 0 0 -%g\n", r, r, r, r, r, r);
    fprintf(file, "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
    fclose(file);
    shape->kind = SHAPE_MESH;
    ASSERT_OK(obstacle_read_mesh(path, &shape->mesh));
    ASSERT_OK(distance_grid_build(&shape->mesh, 0.05f, 0.3f, 1000000, &shape->grid));
    unlink(path);
}

static ObstacleDef body_of_kind(int kind)
{
    ObstacleDef body = {.name = "body", .position = {2, 2, 2}, .rotation = {25, 10, 40}, .friction = 0.1f};
    body.shape.kind = (ShapeKind)kind;
    body.shape.half_extent = vec3_make(0.5f, 0.4f, 0.3f);
    body.shape.radius = 0.4f;
    body.shape.half_height = 0.4f;
    if (kind == SHAPE_MESH) octahedron(&body.shape, 0.7f);
    return body;
}

static void add_ball(Fluid *fluid, Vec3 centre, float radius, Vec3 velocity)
{
    Vec3 points[4096];
    uint32_t n = 0;
    int reach = (int)(radius / SPACING);
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) {
                Vec3 p = vec3_scale(vec3_make((float)i, (float)j, (float)k), SPACING);
                if (vec3_length(p) <= radius && n < 4096) points[n++] = vec3_add(centre, p);
            }
        }
    }
    ASSERT_OK(fluid_add(fluid, points, n, velocity));
}

static void a_ball_of_water_shot_at_every_kind_of_body_stays_outside(void **state)
{
    (void)state;
    for (int kind = SHAPE_BOX; kind <= SHAPE_MESH; kind++) {
        for (int direction = 0; direction < (test_is_quick() ? 1 : 3); direction++) {
            ObstacleDef body = body_of_kind(kind);
            FluidDef def = fluid_def_default();
            Fluid *fluid = fluid_for_test(&def, vec3_make(4, 4, 6), &body, 1);
            const Vec3 from[3] = {{0.8f, 2, 2}, {2, 2, 3.4f}, {3.0f, 3.0f, 2.9f}};
            add_ball(fluid, from[direction], 0.45f,
                     vec3_scale(vec3_sub(vec3_make(2, 2, 2), from[direction]), 8.0f));
            for (double t = 0.02; t < 0.8; t += 0.02) {
                fluid_run(fluid, t);
                if (deepest(fluid) > 0.25)
                    fail_msg("kind %d direction %d: %.2f spacings deep at %.2f s", kind, direction,
                             deepest(fluid), t);
            }
            fluid_destroy(fluid);
        }
    }
}

static void a_ball_of_water_shot_into_every_corner_stays_inside(void **state)
{
    (void)state;
    for (int corner = 0; corner < 8; corner++) {
        FluidDef def = fluid_def_default();
        TankDef tank = {.present = true, .size = {2, 2, 2}};
        Obstacles *obstacles;
        Fluid *fluid;
        ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, NULL, 0, NULL, 0, &fluid));
        Vec3 to = {corner & 1 ? 10.0f : -10.0f, corner & 2 ? 10.0f : -10.0f, corner & 4 ? 10.0f : -10.0f};
        add_ball(fluid, vec3_make(1, 1, 1), 0.4f, to);
        for (double t = 0.05; t < 0.5; t += 0.05) {
            fluid_run(fluid, t);
            assert_true(deepest(fluid) <= 0.25);
        }
        fluid_destroy(fluid);
    }
}

// Gates from wall to wall, of one piece and of two.
static void nothing_passes_a_gate_along_the_walls(void **state)
{
    (void)state;
    const ObstacleDef whole[] = {{.name = "gate",
                                  .shape = {.kind = SHAPE_BOX, .half_extent = {0.5f * SPACING, 0.5f, 0.5f}},
                                  .position = {1.0f, 0.5f, 0.5f}}},
                      halves[] = {{.name = "left",
                                   .shape = {.kind = SHAPE_BOX, .half_extent = {1.5f * SPACING, 0.25f, 0.5f}},
                                   .position = {1.0f, 0.25f, 0.5f}},
                                  {.name = "right",
                                   .shape = {.kind = SHAPE_BOX, .half_extent = {1.5f * SPACING, 0.25f, 0.5f}},
                                   .position = {1.0f, 0.75f, 0.5f}}};
    const float speeds[] = {8, 20, 100};
    for (int k = 0; k < 6; k++) {
        ObstacleDef bodies[2];
        uint32_t count = k < 3 ? 1 : 2;
        memcpy(bodies, k < 3 ? whole : halves, count * sizeof *bodies);
        FluidDef def = fluid_def_default();
        TankDef tank = {.present = true, .size = {2, 1, 1}};
        Obstacles *obstacles;
        Fluid *fluid;
        ASSERT_OK(obstacles_create(tank, 0.0f, bodies, count, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, NULL, 0, NULL, 0, &fluid));
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 7, 10, 10, 0.0f, vec3_make(speeds[k % 3], 0, 0));
        for (double t = 0.05; t < 0.5; t += 0.05) {
            fluid_run(fluid, t);
            FrameView view = fluid_view(fluid);
            for (uint32_t i = 0; i < view.count; i++) assert_true(view.x[i] < 1.0f);
        }
        fluid_destroy(fluid);
    }
}

static void a_plate_that_sweeps_through_water_pushes_it_along(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.gravity = vec3_make(0, 0, 0);
    Keyframe way[2] = {{.time = 0.0, .position = {0.2f, 0.5f, 0.5f}},
                       {.time = 0.5, .position = {2.2f, 0.5f, 0.5f}}};
    ObstacleDef plate = {.name = "piston",
                         .shape = {.kind = SHAPE_BOX, .half_extent = {0.05f, 0.5f, 0.5f}},
                         .motion = {.kind = MOTION_KEYFRAMES, .keyframe_count = 2}};
    TankDef tank = {.present = true, .size = {4, 1, 1}};
    ObstacleDef source = plate;
    source.motion.keyframes = way;
    ObstacleDef owned;
    ASSERT_OK(obstacle_def_copy(&source, &owned));
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, &owned, 1, &obstacles));
    ASSERT_OK(fluid_create(&def, obstacles, NULL, 0, NULL, 0, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0.5f, 0, 0), 8, 10, 10, 0.0f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.6);
    FluidSums sums = fluid_sums(fluid, 0.0);
    assert_true(sums.bounds.lo.x > 2.2f);
    assert_true(deepest(fluid) <= 0.25);
    fluid_destroy(fluid);
}

static void a_body_immersed_at_the_start_pushes_water_away_without_a_burst(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    ObstacleDef body = {
        .name = "ball", .shape = {.kind = SHAPE_SPHERE, .radius = 0.35f}, .position = {0.8f, 0.8f, 0.6f}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(1.6f, 1.6f, 8), &body, 1);
    // the water does not know of the body: particles start inside
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 16, 16, 12, 0.0f, vec3_make(0, 0, 0));
    double fastest = 0.0;
    while (fluid_time(fluid) < 1.5) {
        StepReport report;
        ASSERT_OK(fluid_step(fluid, 1.5, &report));
        fastest = fmax(fastest, report.speed_max);
    }
    print_message("fastest %.2f m/s, deepest %.3f spacings at the end\n", fastest, deepest(fluid));
    assert_true(fastest < sqrt(2.0 * 9.81 * 1.2) * 1.5); // what the water's own height could give, and a half
    assert_true(deepest(fluid) <= 0.25);
    fluid_destroy(fluid);
}

// As high as the water without it, and as calm: tables under the tank, blocks and tiles beside it.
static void what_stands_behind_the_walls_does_nothing_to_water(void **state)
{
    (void)state;
    static const struct {
        float spacing, gap; // m
        Vec3 half, at;      // m; at: of the face toward the wall
        int axis;
    } cases[] = {{0.05f, 0.0f, {1, 1, 0.2f}, {0.3f, 0.15f, 0}, 2},
                 {0.05f, 0.005f, {1, 1, 0.2f}, {0.3f, 0.15f, 0}, 2},
                 {0.025f, 0.0f, {1, 1, 0.2f}, {0.3f, 0.15f, 0}, 2},
                 {0.05f, 0.0f, {0.2f, 1, 0.3f}, {0, 0.15f, 0.2f}, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        FluidDef def = fluid_def_default();
        float d = def.spacing = cases[k].spacing;
        ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = cases[k].half},
                            .position = cases[k].at};
        float *across = cases[k].axis ? &body.position.z : &body.position.x;
        *across -= cases[k].gap + (cases[k].axis ? cases[k].half.z : cases[k].half.x);
        Fluid *fluid = fluid_for_test(&def, vec3_make(0.6f, 0.3f, 1.0f), &body, 1);
        uint32_t n = (uint32_t)lroundf(0.3f / d);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 2 * n, n, 2 * n, 1e-3f, vec3_make(0, 0, 0));
        StepReport report = fluid_run(fluid, 0.3);
        FluidSums sums = fluid_sums(fluid, 9.81);
        double stirred = sums.rms_speed / sqrt(9.81 * 0.6);
        print_message("d %g m, gap %g m: %.2f %% of sqrt(g depth), %.3f m high, density error %.5f\n",
                      (double)d, (double)cases[k].gap, 100.0 * stirred, 2.0 * sums.centre[2],
                      report.density_error_mean);
        ASSERT_WITHIN(2.0 * sums.centre[2], 0.6, 0.008);
        assert_true(stirred < 0.01 && report.density_error_mean < 0.001);
        fluid_destroy(fluid);
    }
}

// Water above a floor of boxes of one height and this thickness (m), the third of which ends at half of the
// tank. hash: of where it is; carried, high: get the share of its weight that bodies carry, and how high its
// middle is at the end, m.
static uint64_t above_boxes(uint32_t boxes, const float thick[3], double *carried, double *high)
{
    FluidDef def = fluid_def_default();
    float d = def.spacing = 0.05f;
    ObstacleDef body[3];
    for (uint32_t b = 0; b < boxes; b++)
        body[b] = (ObstacleDef){.shape = {.kind = SHAPE_BOX, .half_extent = {0.9f, 0.9f, 0.5f * thick[b]}},
                                .position = {b == 2 ? 1.2f : 0.3f, 0.3f, 0.23f - 0.5f * thick[b]}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(12 * d, 6 * d, 1.0f), body, boxes);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0.23f), 12, 6, 8, 1e-3f, vec3_make(0, 0, 0));
    fluid_measure_loads(fluid, true);
    FluidSums start = fluid_sums(fluid, 9.81);
    double impulse = 0.0, mass = (double)def.rest_density * pow((double)d, 3.0), until = 0.5;
    while (fluid_time(fluid) < until) {
        ASSERT_OK(fluid_step(fluid, until, NULL));
        for (uint32_t b = 0; b < boxes; b++) impulse -= fluid_load(fluid, b).impulse[2];
    }
    FluidSums end = fluid_sums(fluid, 9.81);
    double gained = mass * (end.momentum[2] - start.momentum[2]);
    *carried = (impulse - gained) / (mass * fluid_view(fluid).count * 9.81 * until);
    *high = end.centre[2];
    FrameView view = fluid_view(fluid);
    uint64_t hash = fluid_hash_view(&view);
    fluid_destroy(fluid);
    return hash;
}

static void boxes_that_overlap_are_as_solid_as_one_and_carry_all_the_water(void **state)
{
    (void)state;
    static const float thick[][3] = {{0.2f, 0.2f, 0.2f}, {0.07f, 0.07f, 0.07f}, {0.13f, 0.13f, 0.13f}};
    for (size_t k = 0; k < sizeof thick / sizeof *thick; k += test_stride(3)) {
        double carried[3], high[3];
        uint64_t hash[3];
        for (uint32_t n = 0; n < 3; n++) {
            hash[n] = above_boxes(n + 1, thick[k], &carried[n], &high[n]);
            print_message("%u floors %g m thick: %.4f of the weight, middle at %.4f m\n", n + 1,
                          (double)thick[k][0], carried[n], high[n]);
            ASSERT_WITHIN(carried[n], 1.0, 0.001);
            ASSERT_WITHIN(high[n], high[0], 0.004);
        }
        assert_true(hash[1] == hash[0]);
    }
}

// Whichever comes first in the scene.
static void a_thin_box_in_the_face_of_a_thick_one_adds_nothing(void **state)
{
    (void)state;
    double carried, high;
    uint64_t alone = above_boxes(1, (const float[3]){0.2f}, &carried, &high);
    assert_true(above_boxes(2, (const float[3]){0.2f, 0.05f}, &carried, &high) == alone);
    assert_true(above_boxes(2, (const float[3]){0.05f, 0.2f}, &carried, &high) == alone);
}

// Water around a leaning box on the floor of a tank, with a ball that swings far above it, or hangs there.
static uint64_t beside_a_ball(float spacing, double step, bool swings)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.time_step = step;
    ObstacleDef bodies[] = {
        {.name = "box",
         .shape = {.kind = SHAPE_BOX, .half_extent = {0.2f, 0.3f, 0.15f}},
         .position = {0.6f, 0.6f, 0.3f},
         .rotation = {15, 20, 30}},
        {.name = "ball", .shape = {.kind = SHAPE_SPHERE, .radius = 0.1f}, .position = {0.6f, 0.6f, 2.2f}}};
    if (swings)
        bodies[1].motion = (MotionDef){
            .kind = MOTION_OSCILLATION, .amplitude = vec3_make(0.3f, 0, 0), .period = 0.8, .stop = INFINITY};
    Fluid *fluid = fluid_for_test(&def, vec3_make(1.2f, 1.2f, 3.0f), bodies, 2);
    uint32_t across = (uint32_t)lroundf(1.2f / spacing), up = (uint32_t)lroundf(0.9f / spacing);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), across, across, up, 0.0f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.2);
    FrameView view = fluid_view(fluid);
    uint64_t hash = fluid_hash_view(&view);
    fluid_destroy(fluid);
    return hash;
}

// What walls at rest do for water around them does not depend on what moves elsewhere.
static void a_body_that_moves_elsewhere_changes_no_bit_of_the_water(void **state)
{
    (void)state;
    assert_int_equal(beside_a_ball(0.1f, 0.02, true), beside_a_ball(0.1f, 0.02, false));
    assert_int_equal(beside_a_ball(0.075f, 0.005, true), beside_a_ball(0.075f, 0.005, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_at_ten_metres_a_second_does_not_pass_a_plate_one_spacing_thick),
        cmocka_unit_test(a_ball_of_water_shot_at_every_kind_of_body_stays_outside),
        cmocka_unit_test(a_ball_of_water_shot_into_every_corner_stays_inside),
        cmocka_unit_test(nothing_passes_a_gate_along_the_walls),
        cmocka_unit_test(a_plate_that_sweeps_through_water_pushes_it_along),
        cmocka_unit_test(what_stands_behind_the_walls_does_nothing_to_water),
        cmocka_unit_test(boxes_that_overlap_are_as_solid_as_one_and_carry_all_the_water),
        cmocka_unit_test(a_thin_box_in_the_face_of_a_thick_one_adds_nothing),
        cmocka_unit_test(a_body_that_moves_elsewhere_changes_no_bit_of_the_water),
        cmocka_unit_test(a_body_immersed_at_the_start_pushes_water_away_without_a_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
