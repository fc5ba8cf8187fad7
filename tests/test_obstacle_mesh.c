// Meshes from OBJ files and their distance grids, against the solids that they stand for.
#include "core/memory.h"
#include "core/parallel.h"
#include "obstacle_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static Result read_text(const char *text, size_t bytes, TriangleMesh *mesh)
{
    ObstacleFile file = obstacle_file_make("mesh.obj");
    obstacle_file_write(&file, text, bytes);
    Result result = obstacle_read_mesh(file.path, mesh);
    obstacle_file_remove(&file);
    return result;
}

// Reads what `write` prints.
static TriangleMesh make_mesh(void (*write)(FILE *file))
{
    ObstacleFile file = obstacle_file_make("mesh.obj");
    FILE *stream = fopen(file.path, "w");
    assert_non_null(stream);
    write(stream);
    assert_int_equal(fclose(stream), 0);
    TriangleMesh mesh;
    Result result = obstacle_read_mesh(file.path, &mesh);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    obstacle_file_remove(&file);
    return mesh;
}

static DistanceGrid make_grid(const TriangleMesh *mesh, float cell, float margin)
{
    DistanceGrid grid;
    Result result = distance_grid_build(mesh, cell, margin, 10000000, &grid);
    assert_true(result_is_ok(&result));
    return grid;
}

static Vec3 node_place(const DistanceGrid *grid, size_t node)
{
    size_t x = node % grid->nx, y = node / grid->nx % grid->ny, z = node / grid->nx / grid->ny;
    return vec3_add(grid->origin, vec3_scale(vec3_make((float)x, (float)y, (float)z), grid->cell));
}

static size_t node_count(const DistanceGrid *grid)
{
    return (size_t)grid->nx * grid->ny * grid->nz;
}

static void write_sphere(FILE *file)
{
    obstacle_write_sphere(file, 0.5f, 64, 128);
}
static void write_torus(FILE *file)
{
    obstacle_write_torus(file, 0.5f, 0.2f, 120, 60);
}
static void write_box(FILE *file)
{
    obstacle_write_box(file, vec3_make(-0.3f, -0.2f, -0.5f), vec3_make(0.3f, 0.2f, 0.5f), false);
}
static void write_box_inside_out(FILE *file)
{
    obstacle_write_box(file, vec3_make(-0.3f, -0.2f, -0.5f), vec3_make(0.3f, 0.2f, 0.5f), true);
}
static void write_overlapping_boxes(FILE *file)
{
    obstacle_write_box(file, vec3_make(-0.5f, -0.1f, -0.1f), vec3_make(0.5f, 0.1f, 0.1f), false);
    obstacle_write_box(file, vec3_make(-0.1f, -0.5f, -0.1f), vec3_make(0.1f, 0.5f, 0.1f), false);
}
static void write_hollow_box(FILE *file)
{
    obstacle_write_box(file, vec3_make(-0.5f, -0.5f, -0.5f), vec3_make(0.5f, 0.5f, 0.5f), false);
    obstacle_write_box(file, vec3_make(-0.3f, -0.3f, -0.3f), vec3_make(0.3f, 0.3f, 0.3f), true);
}

static float sphere_truth(Vec3 p)
{
    return vec3_length(p) - 0.5f;
}
static float torus_truth(Vec3 p)
{
    return hypotf(hypotf(p.x, p.y) - 0.5f, p.z) - 0.2f;
}

// Distance and samples of a mesh against a formula; the facets lie at most `facet` off the true surface.
static void check_against(const DistanceGrid *grid, float (*truth)(Vec3), float facet, float between)
{
    for (size_t k = 0; k < node_count(grid); k++) {
        float difference = grid->distance[k] - truth(node_place(grid, k));
        if (!(fabsf(difference) < facet))
            fail_msg("node %zu is off by %g of at most %g", k, difference, facet);
    }
    ShapeRandom random = {31};
    for (int k = 0; k < 20000; k++) {
        Vec3 p = shape_random_vector(&random, 1.2f), normal;
        float expected = truth(p), distance = distance_grid_sample(grid, p, &normal);
        assert_true(fabsf(vec3_length(normal) - 1) < 1e-5f);
        if (fabsf(expected) > 0.1f) continue;
        assert_true(fabsf(distance - expected) < between);
        Vec3 slope = vec3_make(
            truth(vec3_add(p, vec3_make(1e-3f, 0, 0))) - truth(vec3_sub(p, vec3_make(1e-3f, 0, 0))),
            truth(vec3_add(p, vec3_make(0, 1e-3f, 0))) - truth(vec3_sub(p, vec3_make(0, 1e-3f, 0))),
            truth(vec3_add(p, vec3_make(0, 0, 1e-3f))) - truth(vec3_sub(p, vec3_make(0, 0, 1e-3f))));
        assert_true(vec3_dot(normal, vec3_scale(slope, 500)) > 0.97f);
    }
}

static void a_sphere_of_triangles_has_the_distances_of_a_sphere(void **state)
{
    (void)state;
    TriangleMesh mesh = make_mesh(write_sphere);
    DistanceGrid grid = make_grid(&mesh, 0.04f, 0.1f);
    check_against(&grid, sphere_truth, 0.5f * (1 - cosf(3.1416f / 128)) * 2 + 1e-5f, 3e-3f);
    distance_grid_free(&grid);
    mesh_free(&mesh);
}

static void a_torus_of_triangles_has_the_distances_of_a_torus_on_any_number_of_threads(void **state)
{
    (void)state;
    TriangleMesh mesh = make_mesh(write_torus);
    DistanceGrid grid = make_grid(&mesh, 0.03f, 0.1f);
    check_against(&grid, torus_truth,
                  0.7f * (1 - cosf(3.1416f / 120)) + 0.2f * (1 - cosf(3.1416f / 60)) + 1e-5f, 5e-3f);
    parallel_set_workers(1);
    DistanceGrid again = make_grid(&mesh, 0.03f, 0.1f);
    parallel_set_workers(0);
    assert_memory_equal(again.distance, grid.distance, node_count(&grid) * sizeof(float));
    distance_grid_free(&again);
    distance_grid_free(&grid);
    mesh_free(&mesh);
}

static void a_box_of_triangles_has_the_exact_distances_of_a_box_at_the_nodes_even_inside_out(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {0.3f, 0.2f, 0.5f}});
    Obstacles *box = obstacle_test_set(&def, 1);
    for (int turned = 0; turned < 2; turned++) {
        TriangleMesh mesh = make_mesh(turned ? write_box_inside_out : write_box);
        assert_int_equal(mesh.vertex_count, 8);
        assert_int_equal(mesh.triangle_count, 12);
        const float cells[] = {0.05f, 0.0371f, 0.3f}; // some lattices have nodes on faces and edges
        for (int k = 0; k < 3; k++) {
            DistanceGrid grid = make_grid(&mesh, cells[k], 0.1f);
            for (size_t n = 0; n < node_count(&grid); n++) {
                float expected = obstacle_distance(box, 0, node_place(&grid, n));
                assert_true(fabsf(grid.distance[n] - expected) < 1e-6f);
            }
            distance_grid_free(&grid);
        }
        mesh_free(&mesh);
    }
    obstacles_destroy(box);
}

static void overlapping_parts_are_one_solid_and_a_turned_part_inside_is_a_hollow(void **state)
{
    (void)state;
    TriangleMesh cross = make_mesh(write_overlapping_boxes), hollow = make_mesh(write_hollow_box);
    DistanceGrid cross_grid = make_grid(&cross, 0.05f, 0.1f), hollow_grid = make_grid(&hollow, 0.05f, 0.1f);
    assert_true(distance_grid_sample(&cross_grid, vec3_make(0, 0, 0), NULL) < -0.05f);
    assert_true(distance_grid_sample(&cross_grid, vec3_make(0.3f, 0.05f, 0), NULL) < 0);
    assert_true(distance_grid_sample(&cross_grid, vec3_make(0.3f, 0.3f, 0), NULL) > 0);
    assert_true(fabsf(distance_grid_sample(&hollow_grid, vec3_make(0, 0, 0.1f), NULL) - 0.2f) < 1e-3f);
    assert_true(fabsf(distance_grid_sample(&hollow_grid, vec3_make(0, 0, 0.4f), NULL) + 0.1f) < 1e-3f);
    distance_grid_free(&cross_grid);
    distance_grid_free(&hollow_grid);
    mesh_free(&cross);
    mesh_free(&hollow);
}

static void the_gradient_is_that_of_the_interpolated_distance(void **state)
{
    (void)state;
    TriangleMesh mesh = make_mesh(write_torus);
    DistanceGrid grid = make_grid(&mesh, 0.05f, 0.1f);
    ShapeRandom random = {32};
    for (int k = 0; k < 5000; k++) {
        Vec3 p = shape_random_vector(&random, 1), normal;
        float distance = distance_grid_sample(&grid, p, &normal), step = 1e-3f;
        // One-sided differences on either side: a cell's face may lie between.
        float ahead = distance_grid_sample(&grid, vec3_add(p, vec3_scale(normal, step)), NULL) - distance;
        float behind = distance - distance_grid_sample(&grid, vec3_sub(p, vec3_scale(normal, step)), NULL);
        assert_true(fmaxf(ahead, behind) > 0);
        assert_true(fmaxf(ahead, behind) < 1.5f * step);
    }
    distance_grid_free(&grid);
    mesh_free(&mesh);
}

static void a_mesh_body_knows_how_thick_it_is(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_MESH});
    def.shape.mesh = make_mesh(write_hollow_box);
    def.shape.grid = make_grid(&def.shape.mesh, 0.05f, 0.1f);
    ObstacleDef copy;
    Result result = obstacle_def_copy(&def, &copy);
    assert_true(result_is_ok(&result));
    obstacle_def_free(&def);
    Obstacles *obstacles = obstacle_test_set(&copy, 1);
    SurfacePoint at = obstacle_surface(obstacles, 0, vec3_make(0.1f, 0.12f, 0.55f));
    assert_true(fabsf(at.distance - 0.05f) < 1e-3f);
    assert_true(fabsf(at.thickness - 0.2f) < 0.01f);
    obstacles_destroy(obstacles);
}

static void the_cell_grows_until_the_grid_is_small_enough(void **state)
{
    (void)state;
    TriangleMesh mesh = make_mesh(write_box);
    DistanceGrid grid;
    Result result = distance_grid_build(&mesh, 1e-7f, 0.1f, 5000, &grid);
    assert_true(result_is_ok(&result));
    assert_true(node_count(&grid) <= 5000 && node_count(&grid) > 2500);
    Vec3 end = node_place(&grid, node_count(&grid) - 1);
    assert_true(grid.origin.x < -0.39f && grid.origin.z < -0.59f && end.x > 0.39f && end.z > 0.59f);
    distance_grid_free(&grid);
    mesh_free(&mesh);
}

static void scaling_by_a_mirror_keeps_the_outside_outside(void **state)
{
    (void)state;
    TriangleMesh mesh = make_mesh(write_torus);
    mesh_scale(&mesh, vec3_make(-2, 1, 1));
    assert_true(fabsf(mesh.bounds.lo.x + 1.4f) < 1e-3f && fabsf(mesh.bounds.hi.y - 0.7f) < 1e-3f);
    const uint32_t *corner = mesh.triangles;
    Vec3 a = mesh.vertices[corner[0]], b = mesh.vertices[corner[1]], c = mesh.vertices[corner[2]];
    // The first face is at the outer rim, where the normal leads away from the axis.
    assert_true(vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3_make(a.x, a.y, 0)) > 0);
    mesh_free(&mesh);
}

static void the_forms_of_an_obj_file_are_understood(void **state)
{
    (void)state;
    // Comments, CRLF, weights, colours, texture and normal indices, negative indices, a joined line, vertices
    // after the faces that use them, twins of vertices (0 and -0), a face without area, a vertex without
    // face.
    static const char text[] = "# a tetrahedron\r\nmtllib x.mtl\r\no thing\r\ng a b\r\nvt 0 0\r\nvn 0 0 1\r\n"
                               "v 0 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\t# red\r\nv 0 1 0\r\nv 7 7 7\r\n"
                               "f 1/1 3/1/1 \\\r\n 2//1\r\ns off\nusemtl m\n\tf 1 2 5\n"
                               "v 0 -0 1e0\nv -0 0. 0\nf -1 -2 -4\nf 6 2 1\nf +2 +3 +5";
    TriangleMesh mesh;
    Result result = read_text(text, sizeof text - 1, &mesh);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 4);
    assert_true(mesh.bounds.lo.x == 0 && mesh.bounds.hi.x == 1);
    mesh_free(&mesh);
}

typedef struct BadMesh {
    const char *text;
    const char *complaint; // part of the message; after the path
} BadMesh;

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static void bad_meshes_are_refused_with_the_line_that_is_wrong(void **state)
{
    (void)state;
    static const BadMesh bad[] = {
        {"", "mesh.obj: the file holds no face"},
        {"hello\n\xff\xfe binary", "mesh.obj: the file holds no face"},
        {TETRAHEDRON, "mesh.obj: the file holds no face"},
        {"v 0 0\n", "mesh.obj:1: a vertex has 2 coordinates"},
        {"v\n", "mesh.obj:1: a vertex has 0 coordinates"},
        {"v 0 0 x\n", "mesh.obj:1: a vertex has something that is not a number"},
        {"v 0 0 1x\n", "mesh.obj:1: "},
        {"v 0 0 nan\n", "mesh.obj:1: a coordinate is not finite"},
        {"\n\nv 0 -inf 0\n", "mesh.obj:3: a coordinate is not finite"},
        {"v 1e39 0 0\n", "mesh.obj:1: a coordinate is not finite or too large"},
        {TETRAHEDRON "f 1 2\n", "mesh.obj:5: a face has 2 vertices"},
        {TETRAHEDRON "f\n", "mesh.obj:5: a face has 0 vertices"},
        {TETRAHEDRON "f \n", "mesh.obj:5: a face has 0 vertices"},
        {TETRAHEDRON "f 1 2 q\n", "mesh.obj:5: a face has something that is not a vertex"},
        {TETRAHEDRON "f 1 2 3/\n", "mesh.obj:5: "},
        {"v 0x1p-2 0 0\n", "mesh.obj:1: a vertex has something that is not a number"},
        {TETRAHEDRON "f 1 2 3/1/1/1\n", "mesh.obj:5: "},
        {TETRAHEDRON "f 1 2 3.5\n", "mesh.obj:5: "},
        {TETRAHEDRON "f 1 2 0\n", "mesh.obj:5: a face uses vertex 0"},
        {TETRAHEDRON "f 1 2 -5\n", "mesh.obj:5: a face uses vertex -5 of 4"},
        {TETRAHEDRON "f 1 2 3\nf 1 2 5\n", "mesh.obj:6: a face uses vertex 5 of 4"},
        {TETRAHEDRON "f 1 2 99999999999999999999999\n",
         "mesh.obj:5: a face uses vertex 99999999999999999999999 of 4"},
        {TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\n", "mesh.obj:5: the mesh is not closed at this face"},
        {TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 4 3\n",
         "mesh.obj:5: the mesh is not closed at this face"},
        {TETRAHEDRON "f 1 2 3\nf 3 2 1\n", "mesh.obj: the mesh encloses no volume"},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 3 2 1\n", "mesh.obj: the mesh encloses no volume"},
    };
    uint64_t before = memory_bytes_in_use();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        TriangleMesh mesh;
        Result result = read_text(bad[k].text, strlen(bad[k].text), &mesh);
        assert_int_equal(result.code, RESULT_USAGE);
        assert_null(mesh.vertices);
        if (!strstr(result.text, bad[k].complaint)) fail_msg("%zu: %s", k, result.text);
    }
    assert_int_equal(memory_bytes_in_use(), before);
}

static void a_byte_order_mark_is_not_part_of_the_first_vertex(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf" TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    TriangleMesh mesh;
    Result result = read_text(text, strlen(text), &mesh);
    if (result.code != RESULT_OK) fail_msg("%s", result.text);
    assert_int_equal(mesh.vertex_count, 4);
    mesh_free(&mesh);
}

static void a_missing_mesh_and_a_folder_are_refused(void **state)
{
    (void)state;
    TriangleMesh mesh;
    Result result = obstacle_read_mesh("/tmp/there/is/no/such.obj", &mesh);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "/tmp/there/is/no/such.obj: cannot be opened: No such file"));
    result = obstacle_read_mesh("/tmp", &mesh);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_string_equal(result.text, "/tmp: is a folder, not a file");
}

// A scene names its meshes: none may make the program wait, or read without end.
static void pipes_and_devices_are_no_meshes(void **state)
{
    (void)state;
    TriangleMesh mesh;
    char path[64];
    snprintf(path, sizeof path, "/tmp/pbf-test-pipe-%ld", (long)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(obstacle_read_mesh(path, &mesh).code, RESULT_USAGE);
    unlink(path);
    assert_int_equal(obstacle_read_mesh("/dev/zero", &mesh).code, RESULT_USAGE);
}

// Valid text with random bytes changed, cut and repeated: refused or read, never a crash.
static void damaged_meshes_do_no_harm(void **state)
{
    (void)state;
    static const char text[] =
        TETRAHEDRON "f 1/2/3 3//2 2\nf 1 2 4\nf -4 4 3\nf 2 3 4\n# end\nv 1e5 -2.5 \\\n3\n";
    static const char alphabet[] = "0123456789-+./ef v#\\\n\r\t\x00\xffxni";
    uint64_t before = memory_bytes_in_use();
    ShapeRandom random = {33};
    ObstacleFile file = obstacle_file_make("mesh.obj");
    for (int round = 0; round < 400; round++) {
        char damaged[sizeof text];
        memcpy(damaged, text, sizeof text);
        int changes = (int)shape_random_between(&random, 1, 6);
        for (int k = 0; k < changes; k++)
            damaged[(size_t)shape_random_between(&random, 0, sizeof text - 1)] =
                alphabet[(size_t)shape_random_between(&random, 0, sizeof alphabet - 1)];
        obstacle_file_write(&file, damaged, (size_t)shape_random_between(&random, 0, sizeof text));
        TriangleMesh mesh;
        Result result = obstacle_read_mesh(file.path, &mesh);
        assert_true(result_is_ok(&result) || result.code == RESULT_USAGE);
        assert_true(result_is_ok(&result) == (mesh.triangle_count > 0));
        mesh_free(&mesh);
    }
    obstacle_file_remove(&file);
    assert_int_equal(memory_bytes_in_use(), before);
}

static void the_torus_that_comes_with_the_program_is_closed(void **state)
{
    (void)state;
    TriangleMesh mesh;
    Result result = obstacle_read_mesh("assets/torus.obj", &mesh);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_true(fabsf(mesh.bounds.hi.x - 0.7f) < 1e-5f);
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_of_triangles_has_the_distances_of_a_sphere),
        cmocka_unit_test(a_torus_of_triangles_has_the_distances_of_a_torus_on_any_number_of_threads),
        cmocka_unit_test(a_box_of_triangles_has_the_exact_distances_of_a_box_at_the_nodes_even_inside_out),
        cmocka_unit_test(overlapping_parts_are_one_solid_and_a_turned_part_inside_is_a_hollow),
        cmocka_unit_test(the_gradient_is_that_of_the_interpolated_distance),
        cmocka_unit_test(a_mesh_body_knows_how_thick_it_is),
        cmocka_unit_test(the_cell_grows_until_the_grid_is_small_enough),
        cmocka_unit_test(scaling_by_a_mirror_keeps_the_outside_outside),
        cmocka_unit_test(the_forms_of_an_obj_file_are_understood),
        cmocka_unit_test(bad_meshes_are_refused_with_the_line_that_is_wrong),
        cmocka_unit_test(a_byte_order_mark_is_not_part_of_the_first_vertex),
        cmocka_unit_test(a_missing_mesh_and_a_folder_are_refused),
        cmocka_unit_test(pipes_and_devices_are_no_meshes),
        cmocka_unit_test(damaged_meshes_do_no_harm),
        cmocka_unit_test(the_torus_that_comes_with_the_program_is_closed),
    };
    return cmocka_run_group_tests_name("obstacle: meshes", tests, NULL, NULL);
}
