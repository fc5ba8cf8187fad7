// Files of a run's frames, written and read in this process: bodies, whitewater, stages that play, sequences,
// slices.
#include "alembic_file_helpers.h"
#include "case_helpers.h"
#include "diffuse/diffuse.h"
#include "export/file_sequence.h"
#include "export/frame_files.h"
#include "export/particle_file.h"
#include "export/slice_file.h"
#include "obstacle_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static FrameFiles files_of(const char *a, const char *b)
{
    return (FrameFiles){
        .folder = folder, .format = {file_format_named(a), b ? file_format_named(b) : 0}, .count = b ? 2 : 1};
}

static uint64_t inode_of(const char *name)
{
    struct stat status;
    assert_int_equal(stat(test_path(folder, name), &status), 0);
    return status.st_ino;
}

static void bodies_that_stand_share_their_files(void **state)
{
    (void)state;
    FrameFiles files = files_of("obstacles_ply", NULL);
    for (uint32_t frame = 0; frame < 4; frame++) {
        ObstacleDef body = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = frame < 2 ? 1 : 2});
        Obstacles *obstacles = obstacle_test_set(&body, 1);
        FrameView view = obstacle_test_frame(obstacles, frame);
        ASSERT_OK(frame_files_write(&files, frame, &view, NULL));
        obstacles_destroy(obstacles);
    }
    assert_int_equal(inode_of("obstacles_0000.ply"), inode_of("obstacles_0001.ply"));
    assert_int_not_equal(inode_of("obstacles_0001.ply"), inode_of("obstacles_0002.ply"));
    assert_int_equal(inode_of("obstacles_0002.ply"), inode_of("obstacles_0003.ply"));
}

// Reads a transform of scene.usda; moves the text behind it.
static void read_matrix(const char **text, double out[16])
{
    *text = strstr(*text, ": ( (");
    assert_non_null(*text);
    for (int k = 0; k < 16; k++) {
        char *end;
        *text += strcspn(*text, "-0123456789");
        out[k] = strtod(*text, &end);
        *text = end;
    }
}

static Vec3 placed(const double m[16], Vec3 p)
{
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = (double)p.x * m[i] + (double)p.y * m[4 + i] + (double)p.z * m[8 + i] + m[12 + i];
    return vec3_make((float)at[0], (float)at[1], (float)at[2]);
}

static Vec3 y_up(Vec3 v)
{
    return vec3_make(v.x, v.z, -v.y);
}

// A tetrahedron of water, whose files have y up.
static void check_stage_water(const AlembicFile *abc, const SurfaceMesh *mesh, uint32_t frame)
{
    static const struct {
        const char *name;
        size_t offset;
    } vectors[] = {{".geom/P", offsetof(SurfaceMesh, vertex)},
                   {".geom/.velocities", offsetof(SurfaceMesh, velocity)}};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        AlembicSample sample = alembic_sample(abc, "water", vectors[k].name, frame);
        const Vec3 *read = sample.data, *truth = *(Vec3 *const *)((const char *)mesh + vectors[k].offset);
        assert_int_equal(sample.bytes, mesh->vertex_count * sizeof(Vec3));
        for (uint32_t i = 0; i < mesh->vertex_count; i++) obstacle_assert_near(read[i], y_up(truth[i]), 0);
    }
}

// A lone body, which slides along x and swings about z, in the files of a whole run.
static void a_body_of_a_stage_is_placed_as_its_formula_says(void **state)
{
    (void)state;
    Vec3 point[] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, normal[4] = {{0, 0, 1}};
    Vec3 velocity[] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    uint32_t triangle[][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const SurfaceMesh mesh = {.vertex = point,
                              .normal = normal,
                              .velocity = velocity,
                              .vertex_count = 4,
                              .triangle = triangle,
                              .triangle_count = 4};
    const double times[] = {0, 0.25, 0.75};
    const Vec3 half = {1, 0.5f, 2};
    FrameFiles files = files_of("usda", "abc");
    ObstacleDef body = obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = half});
    strcpy(body.name, "box");
    body.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                              .amplitude = vec3_make(0.5f, 0, 0),
                              .rotation_amplitude = vec3_make(0, 0, 90),
                              .period = 2,
                              .stop = INFINITY};
    Obstacles *obstacles = obstacle_test_set(&body, 1);
    for (uint32_t k = 0; k < 3; k++) {
        FrameView view = obstacle_test_frame(obstacles, times[k]);
        ASSERT_OK(frame_files_write(&files, k, &view, &mesh));
    }
    obstacles_destroy(obstacles);
    ASSERT_OK(frame_files_write_series(&files, times, 3));

    AlembicFile abc = alembic_open(test_path(folder, "scene.abc"));
    char *text = test_read_file(test_path(folder, "scene.usda"), NULL);
    const char *at = strstr(text, "xformOp:transform.timeSamples");
    AlembicSample local = alembic_sample(&abc, "box/mesh", ".geom/P", 0);
    assert_int_equal(local.bytes, 8 * sizeof(Vec3));
    for (uint32_t k = 0; k < 3; k++) {
        double angle = PI / 2 * sin(PI * times[k]), usda[16];
        const double *pose = alembic_sample(&abc, "box", ".xform/.vals", k).data;
        read_matrix(&at, usda);
        for (int c = 0; c < 8; c++) {
            Vec3 p = ((const Vec3 *)local.data)[c];
            obstacle_assert_near(vec3_make(fabsf(p.x), fabsf(p.y), fabsf(p.z)), half, 1e-6);
            double x = (double)p.x * cos(angle) - (double)p.y * sin(angle) + 0.5 * sin(PI * times[k]);
            double y = (double)p.x * sin(angle) + (double)p.y * cos(angle);
            Vec3 truth = vec3_make((float)(10 + x), (float)(y - 20), 0.5f + p.z);
            obstacle_assert_near(placed(usda, p), truth, 1e-5);
            obstacle_assert_near(placed(pose, p), y_up(truth), 1e-5);
        }
        check_stage_water(&abc, &mesh, k);
    }
    free(text);
    free(abc.bytes);
}

// --- whitewater ---

static void whitewater_is_written_where_it_is(void **state)
{
    (void)state;
    float stream[9][3];
    uint32_t kind[3] = {DIFFUSE_FOAM, DIFFUSE_SPRAY, DIFFUSE_BUBBLE}, id[3] = {7, 8, 9};
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < 3; i++) stream[k][i] = (float)(10 * k + i);
    DiffuseParticles white = {.count = 3};
    for (int k = 0; k < 9; k++) white.stream[k] = stream[k];
    white.kind = kind, white.id = id;
    FrameView view = {.origin = {10, -20, 0.5f}, .spacing = 0.1f, .diffuse = &white};
    FrameFiles files = files_of("diffuse_ply", "diffuse_vtp");
    ASSERT_OK(frame_files_write(&files, 4, &view, NULL));
    static const char *const names[] = {"diffuse_0004.ply", "diffuse_0004.vtp"};
    for (int n = 0; n < 2; n++) {
        ParticleFile file;
        ASSERT_OK(particle_file_read(test_path(folder, names[n]), &file));
        assert_int_equal(file.count, 3);
        for (int k = 0; k < 6; k++) {
            float origin = k == 0 ? 10 : k == 1 ? -20 : k == 2 ? 0.5f : 0;
            for (int i = 0; i < 3; i++) assert_true(file.stream[k][i] == stream[k][i] + origin);
        }
        particle_file_free(&file);
    }
}

// --- sequences ---

// Named by one kind of mark alone; of several digits where {} stands.
static void patterns_find_files_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint32_t numbers[3], count;
    } cases[] = {{"w_{}.csv", {2, 3, 10}, 3},
                 {"w_*.csv", {2, 3, 10}, 3},
                 {"w_?.csv", {2, 3}, 2},
                 {"w_[3-9].csv", {3}, 1},
                 {"w_3.csv", {3}, 1}};
    static const uint32_t numbers[] = {10, 2, 3};
    char path[2][300];
    for (int k = 0; k < 3; k++) {
        snprintf(path[0], sizeof path[0], "w_%u.csv", numbers[k]);
        test_write_file(path[0], "x,y,z\n1,2,3\n", 12);
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        FileSequence sequence = {0};
        snprintf(path[0], sizeof path[0], "%s/%s", folder, cases[c].pattern);
        ASSERT_OK(file_sequence_find((char *[]){path[0]}, 1, &sequence));
        assert_int_equal(sequence.count, cases[c].count);
        for (uint32_t k = 0; k < sequence.count; k++) {
            snprintf(path[1], sizeof path[1], "%s/w_%u.csv", folder, cases[c].numbers[k]);
            assert_string_equal(sequence.files[k].path, path[1]);
        }
        file_sequence_free(&sequence);
    }
}

// --- slices ---

// Drawings are as wide as a page, and of tall ones as high as one may be.
static void slices_are_drawn_on_a_page(void **state)
{
    (void)state;
    for (uint32_t rows = 3; rows < 4000; rows *= 10) {
        const Slice slice = {.columns = 11, .rows = rows, .cell = 0.1f};
        const SliceDrawing drawing = {.slice = &slice, .title = "slice"};
        int width, height;
        ASSERT_OK(export_slice_svg(test_path(folder, "slice.svg"), &drawing));
        char *text = test_read_file(test_path(folder, "slice.svg"), NULL);
        const char *at = strstr(text, " width=\"");
        assert_int_equal(sscanf(at, " width=\"%d\" height=\"%d\"", &width, &height), 2);
        double drawn = (960 - 2 * 24 - 110) / 10.0 * (rows - 1.0);
        assert_int_equal(width, 960);
        assert_true(fabs(height - (34 + fmin(drawn, 4000) + 44)) <= 0.5);
        free(text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bodies_that_stand_share_their_files),
        TEST(a_body_of_a_stage_is_placed_as_its_formula_says),
        TEST(whitewater_is_written_where_it_is),
        TEST(slices_are_drawn_on_a_page),
        TEST(patterns_find_files_in_the_order_of_their_numbers),
    };
    return cmocka_run_group_tests_name("files of frames", tests, NULL, NULL);
}
