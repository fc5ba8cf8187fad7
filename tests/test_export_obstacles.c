// Obstacles as files: their solids against formulas of volumes and distances, and all formats against each
// other.
#include "case_helpers.h"
#include "core/memory.h"
#include "export/export.h"
#include "mesh_file_helpers.h"
#include "obstacle/shape.h"
#include "obstacle/solid.h"
#include "obstacle_helpers.h"
#include "solid_file_helpers.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

// --- solids ---

// Area of a circle's inscribed polygon, and volume of a ball's stack of frusta between such polygons.
static double polygon_area(int corners, double radius)
{
    return 0.5 * corners * sin(2 * PI / corners) * radius * radius;
}

static double stack_volume(int quarter, double radius)
{
    double sum = 0;
    for (int row = -quarter; row < quarter; row++) {
        double lower = 0.5 * PI * row / quarter, upper = 0.5 * PI * (row + 1) / quarter;
        double a = polygon_area(4 * quarter, radius * cos(lower)),
               b = polygon_area(4 * quarter, radius * cos(upper));
        sum += radius * (sin(upper) - sin(lower)) / 3 * (a + b + sqrt(a * b));
    }
    return sum;
}

static double exact_volume(const Shape *shape)
{
    double r = shape->radius, h = shape->half_height;
    Vec3 half = shape->half_extent;
    switch (shape->kind) {
    case SHAPE_BOX:
        return 8.0 * half.x * half.y * half.z;
    case SHAPE_SPHERE:
        return 4 * PI / 3 * r * r * r;
    case SHAPE_CYLINDER:
        return PI * r * r * 2 * h;
    default:
        return PI * r * r * 2 * h + 4 * PI / 3 * r * r * r;
    }
}

static double inscribed_volume(const Shape *shape, int quarter)
{
    double r = shape->radius, h = shape->half_height;
    double mantle = 2 * h * polygon_area(4 * quarter, r);
    switch (shape->kind) {
    case SHAPE_BOX:
        return exact_volume(shape);
    case SHAPE_SPHERE:
        return stack_volume(quarter, r);
    case SHAPE_CYLINDER:
        return mantle;
    default:
        return mantle + stack_volume(quarter, r);
    }
}

// Points joined, as the judge of surfaces takes them.
static SurfaceMesh joined(const Solid *solid, Vec3 scale)
{
    SurfaceMesh mesh = {.vertex_count = solid->point_count, .triangle_count = solid->triangle_count};
    mesh.vertex = malloc(solid->point_count * sizeof(Vec3));
    mesh.normal = malloc(solid->point_count * sizeof(Vec3));
    mesh.triangle = malloc(solid->triangle_count * sizeof *mesh.triangle);
    for (uint32_t v = 0; v < solid->vertex_count; v++) {
        mesh.vertex[solid->points[v]] = vec3_mul(solid->vertices[v].position, scale);
        mesh.normal[solid->points[v]] = solid->vertices[v].normal;
    }
    for (uint32_t k = 0; k < 3 * solid->triangle_count; k++)
        mesh.triangle[k / 3][k % 3] = solid->points[solid->triangles[k / 3][k % 3]];
    return mesh;
}

static void check_closed(const SurfaceMesh *mesh)
{
    mesh_assert_sound(mesh);
    MeshVerdict verdict = mesh_judge(mesh);
    assert_int_equal(verdict.components, 1);
    assert_int_equal(verdict.hollow, 0);
    assert_int_equal(verdict.euler, 2);
}

// All corners are on the true surface, with its normal or one of them, and no triangle leaves the solid.
static void check_surface(const Solid *solid, const Shape *shape)
{
    bool round = shape->kind == SHAPE_SPHERE || shape->kind == SHAPE_CAPSULE;
    Vec3 scale = solid_scale(shape), gradient;
    for (uint32_t t = 0; t < solid->triangle_count; t++) {
        Vec3 p[3], middle = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            p[k] = vec3_mul(solid->vertices[solid->triangles[t][k]].position, scale);
            middle = vec3_add(middle, vec3_scale(p[k], 1.0f / 3));
            assert_true(fabsf(shape_distance(shape, p[k], &gradient)) < 1e-6f);
        }
        Vec3 face = vec3_normalize_or(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), (Vec3){0});
        for (int k = 0; k < 3; k++) {
            Vec3 normal = solid->vertices[solid->triangles[t][k]].normal;
            shape_distance(shape, vec3_scale(p[k], 1.01f), &gradient);
            assert_true(vec3_dot(normal, face) > 0.96f);
            if (round) assert_true(vec3_dot(normal, gradient) > 0.999f);
        }
        float depth = shape_distance(shape, middle, NULL);
        assert_true(depth < 1e-6f && depth > -0.06f * shape->radius - 1e-6f);
    }
}

static void solids_are_closed_and_enclose_the_volume_of_their_shape(void **state)
{
    (void)state;
    static const int quarters[] = {1, 4, 7, 12, 24};
    ShapeRandom random = {0};
    for (int kind = 0; kind < ANALYTIC_SHAPES; kind++) {
        for (int q = 0; q < 5; q++) {
            Shape shape = shape_random(&random, (ShapeKind)kind);
            Solid solid;
            ASSERT_OK(solid_of_shape(&shape, quarters[q], &solid));
            assert_int_equal(solid.triangle_count, solid_triangles(&shape, quarters[q]));
            SurfaceMesh mesh = joined(&solid, solid_scale(&shape));
            check_closed(&mesh);
            double volume = mesh_judge(&mesh).volume, exact = exact_volume(&shape);
            assert_true(fabs(volume / inscribed_volume(&shape, quarters[q]) - 1) < 1e-5);
            // What is cut off falls as the square of the pieces.
            assert_true(volume < exact * (1 + 1e-5) &&
                        volume > exact * (1 - 1.1 / (quarters[q] * quarters[q])));
            if (quarters[q] >= 4) check_surface(&solid, &shape);
            test_mesh_free(&mesh);
            solid_free(&solid);
        }
    }
}

static void a_capsule_without_a_straight_part_is_a_ball(void **state)
{
    (void)state;
    const Shape capsule = {.kind = SHAPE_CAPSULE, .radius = 0.5f};
    Solid solid;
    ASSERT_OK(solid_of_shape(&capsule, 7, &solid));
    SurfaceMesh mesh = joined(&solid, vec3_make(1, 1, 1));
    check_closed(&mesh);
    assert_true(fabs(mesh_judge(&mesh).volume / stack_volume(7, 0.5) - 1) < 1e-5);
    test_mesh_free(&mesh);
    solid_free(&solid);
}

// A body whose surface comes from a file, of a cube or a ball.
static Shape read_mesh(bool cube)
{
    ObstacleFile file = obstacle_file_make("body.obj");
    FILE *out = fopen(file.path, "w");
    assert_non_null(out);
    if (cube)
        obstacle_write_box(out, vec3_make(-1, -1, -1), vec3_make(1, 1, 1), false);
    else
        obstacle_write_sphere(out, 1, 24, 48);
    assert_int_equal(fclose(out), 0);
    Shape shape = {.kind = SHAPE_MESH};
    ASSERT_OK(obstacle_read_mesh(file.path, &shape.mesh));
    obstacle_file_remove(&file);
    return shape;
}

static void meshes_keep_their_edges_and_are_smooth_elsewhere(void **state)
{
    (void)state;
    for (int cube = 0; cube < 2; cube++) {
        Shape shape = read_mesh(cube);
        Solid solid;
        ASSERT_OK(solid_of_shape(&shape, 24, &solid));
        assert_int_equal(solid.triangle_count, shape.mesh.triangle_count);
        assert_int_equal(solid.point_count, shape.mesh.vertex_count);
        // Each corner of the cube has the normals of three sides, each point of the ball one.
        assert_int_equal(solid.vertex_count, cube ? 24 : solid.point_count);
        SurfaceMesh mesh = joined(&solid, vec3_make(1, 1, 1));
        check_closed(&mesh);
        if (cube) assert_true(fabs(mesh_judge(&mesh).volume - 8) < 1e-5);
        for (uint32_t v = 0; v < solid.vertex_count; v++) {
            Vec3 p = solid.vertices[v].position, n = solid.vertices[v].normal;
            float most = fmaxf(fabsf(n.x), fmaxf(fabsf(n.y), fabsf(n.z)));
            assert_true(cube ? most > 0.99999f && vec3_dot(p, n) > 0.99999f : vec3_dot(p, n) > 0.99f);
        }
        test_mesh_free(&mesh);
        solid_free(&solid);
        mesh_free(&shape.mesh);
    }
}

// --- bodies in a frame ---

static void bodies_stand_and_move_as_their_formula_says(void **state)
{
    (void)state;
    ObstacleDef bodies[2] = {obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {1, 0.5f, 2}}),
                             obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {1, 0.5f, 2}})};
    bodies[0].position = vec3_make(1, 2, 3);
    bodies[0].motion = (MotionDef){
        .kind = MOTION_OSCILLATION, .amplitude = vec3_make(0.5f, 0, -0.25f), .period = 1.6, .stop = INFINITY};
    bodies[1].motion = (MotionDef){
        .kind = MOTION_OSCILLATION, .rotation_amplitude = vec3_make(0, 0, 90), .period = 2, .stop = INFINITY};
    Obstacles *obstacles = obstacle_test_set(bodies, 2);
    for (double time = 0.1; time < 3; time += 0.31) {
        FrameView view = obstacle_test_frame(obstacles, time);
        ObstacleMesh mesh;
        ASSERT_OK(obstacle_mesh_make(&view, &mesh));
        assert_int_equal(mesh.part_count, 2);
        assert_int_equal(mesh.point_count, 16);
        double swing = sin(2 * PI * time / 1.6), rate = 2 * PI / 1.6 * cos(2 * PI * time / 1.6);
        double angle = PI / 2 * sin(PI * time), spin = PI / 2 * PI * cos(PI * time);
        for (int k = 0; k < 8; k++) {
            double x = k & 1 ? 1 : -1, y = k & 2 ? 0.5 : -0.5, z = k & 4 ? 2 : -2;
            Vec3 slid =
                vec3_make((float)(11 + x + 0.5 * swing), (float)(-18 + y), (float)(3.5 + z - 0.25 * swing));
            obstacle_assert_near(mesh.point[k], slid, 3e-6);
            obstacle_assert_near(mesh.velocity[k], vec3_make((float)(0.5 * rate), 0, (float)(-0.25 * rate)),
                                 1e-5);
            double u = x * cos(angle) - y * sin(angle), v = x * sin(angle) + y * cos(angle);
            obstacle_assert_near(mesh.point[8 + k],
                                 vec3_make((float)(10 + u), (float)(v - 20), (float)(0.5 + z)), 3e-6);
            obstacle_assert_near(mesh.velocity[8 + k], vec3_make((float)(-spin * v), (float)(spin * u), 0),
                                 1e-5);
        }
        obstacle_mesh_free(&mesh);
    }
    obstacles_destroy(obstacles);
}

static void every_body_has_a_name_of_its_own_that_all_programs_take(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"car", "car"},
        {"ball", "ball__1"},
        {"ball", "ball_2"},
        {"ball_1", "ball_1"},
        {"two words", "two_words"},
        {"D\xc3\xbcse", "D__se"},
        {"7 wheels", "_7_wheels"},
        {"b0azAZ9/:@[`{", "b0azAZ9______"}, // all that lies beside digits and letters in ASCII
        {"_", "_"},
        {"a-b", "a_b_9"},
        {"a.b", "a_b_10"},
        {"a_b", "a_b_11"},
        {"water", "water_12"}, // what files of a whole run have besides
        {"particles", "particles_13"},
    };
    enum { COUNT = sizeof names / sizeof *names };
    ObstacleDef bodies[COUNT];
    for (int k = 0; k < COUNT; k++) {
        bodies[k] = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 1});
        strcpy(bodies[k].name, names[k][0]);
    }
    Obstacles *obstacles = obstacle_test_set(bodies, COUNT);
    FrameView view = obstacle_test_frame(obstacles, 0);
    ObstacleMesh mesh;
    ASSERT_OK(obstacle_mesh_make(&view, &mesh));
    for (int k = 0; k < COUNT; k++) {
        assert_string_equal(mesh.parts[k].label, names[k][1]);
        for (int j = 0; j < k; j++) assert_string_not_equal(mesh.parts[k].label, mesh.parts[j].label);
    }
    obstacle_mesh_free(&mesh);
    obstacles_destroy(obstacles);
}

// However many others there are before them.
static void the_last_two_of_one_name_are_told_apart(void **state)
{
    (void)state;
    ObstacleDef bodies[9];
    for (int count = 2; count <= 9; count++) {
        char expected[2][16];
        for (int k = 0; k < count; k++) {
            bodies[k] = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 1});
            snprintf(bodies[k].name, sizeof bodies[k].name, "%c", k < count - 2 ? 'a' + k : 'z');
        }
        for (int k = 0; k < 2; k++) snprintf(expected[k], sizeof expected[k], "z_%d", count - 2 + k);
        Obstacles *obstacles = obstacle_test_set(bodies, (uint32_t)count);
        FrameView view = obstacle_test_frame(obstacles, 0);
        ObstacleMesh mesh;
        ASSERT_OK(obstacle_mesh_make(&view, &mesh));
        for (int k = 0; k < 2; k++) assert_string_equal(mesh.parts[count - 2 + k].label, expected[k]);
        obstacle_mesh_free(&mesh);
        obstacles_destroy(obstacles);
    }
}

// --- files ---

static Obstacles *make_set(void)
{
    static const char *const names[] = {"box", "ball", "pillar", "pillar", "cube"};
    ObstacleDef bodies[5];
    ShapeRandom random = {0};
    for (int k = 0; k < 5; k++) {
        bodies[k] = obstacle_test_body(k < 4 ? shape_random(&random, (ShapeKind)k) : read_mesh(true));
        strcpy(bodies[k].name, names[k]);
        bodies[k].position = vec3_make(3.0f * (float)k, 0.1f, -7);
        bodies[k].rotation = shape_random_vector(&random, 180);
        bodies[k].color[k % 3] = 0.25f * (float)k;
        bodies[k].motion = (MotionDef){.kind = MOTION_OSCILLATION,
                                       .amplitude = shape_random_vector(&random, 1),
                                       .rotation_amplitude = shape_random_vector(&random, 90),
                                       .period = 1,
                                       .stop = INFINITY};
    }
    return obstacle_test_set(bodies, 5);
}

static void every_format_says_the_same(void **state)
{
    (void)state;
    // 0, 0.25, 0.5, 0.75 and 1 of the light, as a screen takes them.
    static const uint8_t shades[] = {0, 137, 188, 225, 255};
    static const char *const names[] = {"box", "ball", "pillar_2", "pillar_3", "cube"};
    Obstacles *obstacles = make_set();
    FrameView view = obstacle_test_frame(obstacles, 0.3);
    ObstacleMesh mesh;
    ASSERT_OK(obstacle_mesh_make(&view, &mesh));
    SolidFile first = {0};
    int formats = 0;
    for (uint32_t k = 0; file_format(k); k++) {
        const FileFormat *format = file_format(k);
        char name[40];
        if (format->kind != GEOMETRY_OBSTACLES) continue;
        snprintf(name, sizeof name, "%s.%s", format->stem, format->suffix);
        Geometry geometry = geometry_of_obstacles(&mesh);
        ASSERT_OK(format->write(test_path(folder, name), &geometry));
        SolidFile file = solid_file_read(test_path(folder, name));
        assert_int_equal(file.count, mesh.triangle_count);
        for (uint32_t body = 0; body < file.names; body++) assert_string_equal(file.name[body], names[body]);
        assert_true(file.names == 0 || file.names == 5);
        if (formats++ == 0) first = file;
        for (uint32_t t = 0; t < file.count; t++) {
            uint8_t color[3] = {0};
            assert_int_equal(file.body[t], first.body[t]);
            color[file.body[t] % 3] = shades[file.body[t]];
            if (file.coloured) assert_memory_equal(file.color[t], color, 3);
            for (int c = 0; c < 3; c++) {
                assert_memory_equal(&file.corner[t][c], &first.corner[t][c], 2 * sizeof(Vec3));
                if (file.moving)
                    assert_memory_equal(&file.corner[t][c].velocity, &first.corner[t][c].velocity,
                                        sizeof(Vec3));
            }
        }
        if (formats > 1) solid_file_free(&file);
    }
    assert_int_equal(formats, 5);
    for (int body = 0; body < 5; body++) {
        SurfaceMesh closed = solid_file_mesh(&first, body);
        check_closed(&closed);
        const Shape *shape = &obstacles_body(obstacles, (uint32_t)body)->shape;
        double volume = mesh_judge(&closed).volume, exact = body < 4 ? inscribed_volume(shape, 24) : 8;
        assert_true(fabs(volume / exact - 1) < 2e-5);
        test_mesh_free(&closed);
    }
    solid_file_free(&first);
    obstacle_mesh_free(&mesh);
    obstacles_destroy(obstacles);
}

static void short_memory_is_an_error_that_leaks_nothing(void **state)
{
    (void)state;
    Obstacles *obstacles = make_set();
    FrameView view = obstacle_test_frame(obstacles, 0.3);
    uint64_t bytes = memory_bytes_in_use();
    int failures = 0;
    for (uint64_t nth = 1;; nth++, failures++) {
        ObstacleMesh mesh;
        memory_fail_at(nth);
        Result result = obstacle_mesh_make(&view, &mesh);
        if (!memory_fail_at(0)) {
            ASSERT_OK(result);
            obstacle_mesh_free(&mesh);
            break;
        }
        assert_int_equal(result.code, RESULT_NO_MEMORY);
        assert_int_equal(memory_bytes_in_use(), bytes);
    }
    assert_true(failures > 10);
    assert_int_equal(memory_bytes_in_use(), bytes);
    obstacles_destroy(obstacles);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(solids_are_closed_and_enclose_the_volume_of_their_shape),
        TEST(a_capsule_without_a_straight_part_is_a_ball),
        TEST(meshes_keep_their_edges_and_are_smooth_elsewhere),
        TEST(bodies_stand_and_move_as_their_formula_says),
        TEST(the_last_two_of_one_name_are_told_apart),
        TEST(every_body_has_a_name_of_its_own_that_all_programs_take),
        TEST(every_format_says_the_same),
        TEST(short_memory_is_an_error_that_leaks_nothing),
    };
    return cmocka_run_group_tests_name("obstacle files", tests, NULL, NULL);
}
