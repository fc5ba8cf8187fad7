// `--export usda,abc` from the outside: one file of a whole run says what the files of its frames say, with
// velocities that explain the motion, also after a run that went on.
#include "alembic_file_helpers.h"
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"
#include "mesh_file_helpers.h"
#include "solid_file_helpers.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FRAMES 20

// A block that falls and splashes on a moving box, and a ball that rests.
static const char SCENE[] =
    "spacing: 0.2\n"
    "tank: {corner: [0, 0, 0], size: [3, 2, 3]}\n"
    "water: [{box: {min: [0.2, 0.2, 1], max: [1.6, 1.6, 2.4]}}]\n"
    "obstacles:\n"
    "  - {name: ball, sphere: {radius: 0.3}, position: [2.5, 0.5, 0.3]}\n"
    "  - {name: box, box: {size: [0.5, 0.8, 0.4]}, position: [1, 1, 0.4], motion: {oscillation: "
    "{amplitude: [0.1, 0, 0], rotation: [0, 20, 90], period: 1}}}\n"
    "output: {fps: 50, size: [64, 36]}\n";

static int write_scene(void **state)
{
    return make_folder_with_scene(state, SCENE);
}

static const char *numbered(const char *sub, const char *stem, uint32_t frame, const char *suffix)
{
    char name[80];
    snprintf(name, sizeof name, "%s/%s_%04u.%s", sub, stem, frame, suffix);
    return test_path(folder, name);
}

// --- USD ---

typedef struct Samples {
    float *number[FRAMES]; // malloc
    uint32_t count[FRAMES];
} Samples;

static void free_samples(Samples *samples)
{
    for (int k = 0; k < FRAMES; k++) free(samples->number[k]);
}

// Parses the numbers of one line, which are in brackets of any kind.
static float *parse_numbers(const char *at, const char *end, uint32_t *count)
{
    float *out = malloc((size_t)(end - at) * sizeof *out + 1);
    *count = 0;
    while (at < end) {
        if (strchr("[]() ,\n", *at)) {
            at++;
            continue;
        }
        char *stop;
        out[(*count)++] = strtof(at, &stop);
        assert_true(stop > at);
        at = stop;
    }
    return out;
}

// The time samples of an attribute of a prim, one for each frame.
static Samples read_samples(const char *text, const char *prim, const char *attribute)
{
    char wanted[80];
    Samples samples = {0};
    snprintf(wanted, sizeof wanted, " \"%s\"\n    {\n", prim);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    snprintf(wanted, sizeof wanted, " %s.timeSamples = {\n", attribute);
    at = strstr(at, wanted);
    if (!at) fail_msg("%s has no samples of %s", prim, attribute);
    at += strlen(wanted);
    for (uint32_t k = 0; k < FRAMES; k++) {
        const char *colon = strchr(at, ':'), *end = strchr(at, '\n');
        assert_int_equal(strtoul(at, NULL, 10), k);
        samples.number[k] = parse_numbers(colon + 1, end, &samples.count[k]);
        at = end + 1;
    }
    assert_int_equal(strncmp(at, "        }\n", 10), 0);
    return samples;
}

static void assert_vectors(const Samples *samples, uint32_t frame, const Vec3 *wanted, uint32_t count)
{
    assert_int_equal(samples->count[frame], 3 * count);
    for (uint32_t k = 0; k < 3 * count; k++) {
        float value = ((const float *)wanted)[k];
        if (!(fabsf(samples->number[frame][k] - value) <= 1e-6f * (1 + fabsf(value))))
            fail_msg("frame %u, number %u: %g, not %g", frame, k, (double)samples->number[frame][k],
                     (double)value);
    }
}

static void check_water(const char *text, const AlembicFile *abc)
{
    Samples points = read_samples(text, "water", "point3f[] points");
    Samples velocities = read_samples(text, "water", "vector3f[] velocities");
    Samples normals = read_samples(text, "water", "normal3f[] normals");
    Samples counts = read_samples(text, "water", "int[] faceVertexCounts");
    Samples indices = read_samples(text, "water", "int[] faceVertexIndices");
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        SurfaceMesh mesh = test_read_mesh(numbered("a", "mesh", frame, "ply"));
        assert_vectors(&points, frame, mesh.vertex, mesh.vertex_count);
        assert_vectors(&velocities, frame, mesh.velocity, mesh.vertex_count);
        assert_vectors(&normals, frame, mesh.normal, mesh.vertex_count);
        assert_int_equal(counts.count[frame], mesh.triangle_count);
        assert_int_equal(indices.count[frame], 3 * mesh.triangle_count);
        AlembicSample p = alembic_sample(abc, "water", ".geom/P", frame);
        AlembicSample v = alembic_sample(abc, "water", ".geom/.velocities", frame);
        AlembicSample faces = alembic_sample(abc, "water", ".geom/.faceIndices", frame);
        AlembicSample sizes = alembic_sample(abc, "water", ".geom/.faceCounts", frame);
        assert_int_equal(p.samples, FRAMES);
        assert_int_equal(p.bytes, 12ull * mesh.vertex_count);
        assert_int_equal(v.bytes, p.bytes);
        assert_int_equal(faces.bytes, 12ull * mesh.triangle_count);
        assert_int_equal(sizes.bytes, 4ull * mesh.triangle_count);
        const Vec3 *at = p.data, *speed = v.data;
        for (uint32_t k = 0; k < mesh.vertex_count; k++) { // y up
            assert_true(at[k].x == mesh.vertex[k].x && at[k].y == mesh.vertex[k].z &&
                        at[k].z == -mesh.vertex[k].y);
            assert_true(speed[k].y == mesh.velocity[k].z && speed[k].z == -mesh.velocity[k].y);
        }
        const uint32_t(*corner)[3] = (const uint32_t(*)[3])faces.data;
        for (uint32_t t = 0; t < mesh.triangle_count; t++) { // clockwise
            assert_true(counts.number[frame][t] == 3 && ((const uint32_t *)sizes.data)[t] == 3);
            const uint32_t *want = mesh.triangle[t], turned[3] = {want[0], want[2], want[1]};
            assert_memory_equal(corner[t], turned, sizeof turned);
            for (int c = 0; c < 3; c++)
                assert_true(indices.number[frame][3 * t + (uint32_t)c] == (float)want[c]);
        }
        test_mesh_free(&mesh);
    }
    free_samples(&points), free_samples(&velocities), free_samples(&normals);
    free_samples(&counts), free_samples(&indices);
}

// Positions at a frame from those before, by the mean of both velocities: what motion blur goes by.
static void check_particles(const char *text, const AlembicFile *abc)
{
    Samples points = read_samples(text, "particles", "point3f[] points");
    Samples velocities = read_samples(text, "particles", "vector3f[] velocities");
    Samples ids = read_samples(text, "particles", "int64[] ids");
    Vec3 at[1000], speed[1000];
    double rest = 0, motion = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        TestParticles file = test_read_ply(numbered("a", "particles", frame, "ply"));
        assert_int_equal(points.count[frame], 3 * file.count);
        AlembicSample p = alembic_sample(abc, "particles", ".geom/P", frame);
        AlembicSample numbers = alembic_sample(abc, "particles", ".geom/.pointIds", frame);
        assert_int_equal(p.bytes, 12ull * file.count);
        assert_int_equal(numbers.bytes, 8ull * file.count);
        for (uint32_t k = 0; k < file.count; k++) {
            const float *x = &points.number[frame][3 * k], *v = &velocities.number[frame][3 * k];
            uint32_t id = (uint32_t)ids.number[frame][k];
            assert_true(id < 1000 && id == file.particle[k].id && ((const uint64_t *)numbers.data)[k] == id);
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabsf(x[axis] - file.particle[k].position[axis]) < 1e-5f);
                assert_true(fabsf(v[axis] - file.particle[k].velocity[axis]) < 1e-5f);
            }
            Vec3 now = {x[0], x[1], x[2]}, moved = vec3_sub(now, at[id]);
            Vec3 mean = vec3_scale(vec3_add(speed[id], (Vec3){v[0], v[1], v[2]}), 0.5f / 50);
            Vec3 left = vec3_sub(moved, mean);
            if (frame > 0) rest += (double)vec3_dot(left, left), motion += (double)vec3_dot(moved, moved);
            at[id] = now, speed[id] = (Vec3){v[0], v[1], v[2]};
        }
        free(file.particle);
    }
    assert_true(motion > 1 && sqrt(rest / motion) < 0.05);
    free_samples(&points), free_samples(&velocities), free_samples(&ids);
}

// A body's own points, and where its transforms put them: on the corners of the file of that frame.
static void check_body(const char *text, const AlembicFile *abc)
{
    Samples poses = read_samples(text, "box", "matrix4d xformOp:transform");
    char *body = strstr(text, "\"box\"\n"), *line = strstr(body, "point3f[] points = ");
    uint32_t count;
    float *local = parse_numbers(line + 19, strchr(line, '\n'), &count);
    assert_int_equal(count, 24);
    for (uint32_t frame = 0; frame < FRAMES; frame += 19) {
        SolidFile solids = solid_file_read(numbered("a", "obstacles", frame, "ply"));
        assert_int_equal(poses.count[frame], 16);
        const float *m = poses.number[frame];
        AlembicSample values = alembic_sample(abc, "box", ".xform/.vals", frame);
        assert_int_equal(values.bytes, 128);
        const double *a = values.data;
        for (uint32_t k = 0; k < 8; k++) {
            const float *p = &local[3 * k];
            float world[3], nearest = INFINITY;
            for (int i = 0; i < 3; i++)
                world[i] = p[0] * m[i] + p[1] * m[4 + i] + p[2] * m[8 + i] + m[12 + i];
            for (uint32_t c = 0; c < 3 * solids.count; c++) {
                if (solids.body[c / 3] != 1) continue;
                Vec3 d = vec3_sub(solids.corner[c / 3][c % 3].position, (Vec3){world[0], world[1], world[2]});
                nearest = fminf(nearest, vec3_length(d));
            }
            assert_true(nearest < 1e-5f);
            for (int i = 0; i < 3; i++) { // y up
                double turned = p[0] * a[i] + p[1] * a[4 + i] + p[2] * a[8 + i] + a[12 + i];
                assert_true(fabs(turned - (i == 0 ? world[0] : i == 1 ? world[2] : -world[1])) < 1e-5);
            }
        }
        solid_file_free(&solids);
    }
    const Samples *moving = &poses;
    assert_true(memcmp(moving->number[0], moving->number[19], 64) != 0);
    assert_non_null(strstr(strstr(text, "\"ball\"\n"), "matrix4d xformOp:transform = ( (1, 0, 0, 0), "));
    assert_int_equal(alembic_sample(abc, "box/mesh", ".geom/P", 0).bytes, 96);
    free(local);
    free_samples(&poses);
}

static void one_file_says_what_the_files_of_the_frames_say(void **state)
{
    (void)state;
    child_assert_done(child_run("run %s/scene.yaml --frames 20 --out %s/a --export "
                                "usda,abc,ply,mesh_ply,obstacles_ply",
                                folder, folder));
    char *text = test_read_file(test_path(folder, "a/scene.usda"), NULL);
    AlembicFile abc = alembic_open(test_path(folder, "a/scene.abc"));
    assert_non_null(strstr(text, "    upAxis = \"Z\"\n    startTimeCode = 0\n    endTimeCode = 19\n"
                                 "    timeCodesPerSecond = 50\n"));
    assert_true(fabs(alembic_time(&abc, 19) - 19.0 / 50) < 1e-12);
    check_water(text, &abc);
    check_particles(text, &abc);
    check_body(text, &abc);
    free(text);
    free(abc.bytes);
}

static void expect_same(const char *a, const char *b)
{
    long sizes[2];
    char *texts[2] = {test_read_file(test_path(folder, a), &sizes[0]),
                      test_read_file(test_path(folder, b), &sizes[1])};
    assert_true(texts[0] && texts[1] && sizes[0] == sizes[1] &&
                memcmp(texts[0], texts[1], (size_t)sizes[0]) == 0);
    free(texts[0]);
    free(texts[1]);
}

static void a_run_that_goes_on_makes_the_same_file(void **state)
{
    (void)state;
    child_assert_done(child_run("run %s/scene.yaml --frames 6 --out %s/a --export usda,abc", folder, folder));
    child_assert_done(child_run(
        "run %s/scene.yaml --frames 3 --out %s/b --export usda,abc --checkpoint-every 1", folder, folder));
    // One frame is lost, the next one is damaged.
    unlink(numbered("b", "scene", 1, "part"));
    child_assert_done(child_run("run --resume %s/b --frames 6", folder));
    expect_same("a/scene.usda", "b/scene.usda");
    expect_same("a/scene.abc", "b/scene.abc");
    expect_same("a/scene_0001.part", "b/scene_0001.part");
}

// Frames 5 to 8 at twice the rate: the stage of files a frame and the one of the run show them at one time.
static void a_run_that_goes_on_elsewhere_keeps_its_time(void **state)
{
    (void)state;
    child_assert_done(
        child_run("run %s/scene.yaml --frames 3 --out %s/a --checkpoint-every 1", folder, folder));
    child_assert_done(child_run("run --resume %s/a --out %s/b --fps 100 --frames 9 --export usda,mesh_usda",
                                folder, folder));
    static const char *const names[] = {"b/scene.usda", "b/mesh.usda"};
    for (int k = 0; k < 2; k++) {
        char *text = test_read_file(test_path(folder, names[k]), NULL);
        assert_non_null(strstr(text, "    startTimeCode = 5\n    endTimeCode = 8\n"));
        assert_non_null(strstr(text, "    timeCodesPerSecond = 100\n"));
        if (k == 1)
            assert_non_null(strstr(text, "mesh_0008.usda@\n    )\n    {\n        token "
                                         "visibility.timeSamples = {5: \"invisible\", 8: \"inh"));
        free(text);
    }
}

static void a_damaged_frame_is_named_and_leaves_the_old_file(void **state)
{
    (void)state;
    child_assert_done(
        child_run("run %s/scene.yaml --frames 2 --out %s/a --export abc --quiet", folder, folder));
    assert_int_equal(truncate(numbered("a", "scene", 1, "part"), 300), 0);
    long size, now;
    char *before = test_read_file(test_path(folder, "a/scene.abc"), &size);
    const char *const files[] = {"scene_0000.part", "scene_0001.part"};
    Result result =
        export_stage_abc(test_path(folder, "a/scene.abc"), (FileSeries){files, (double[]){0, 0.02}, 2, UP_Y});
    assert_int_equal(result.code, RESULT_FAILED);
    assert_non_null(strstr(result.text, "scene_0001.part"));
    char *after = test_read_file(test_path(folder, "a/scene.abc"), &now);
    assert_true(now == size && memcmp(before, after, (size_t)size) == 0);
    free(before);
    free(after);
}

// Cut, and whole at both ends.
static void a_damaged_frame_is_made_again(void **state)
{
    (void)state;
    child_assert_done(child_run("run %s/scene.yaml --frames 6 --out %s/a --export usda,abc", folder, folder));
    child_assert_done(child_run(
        "run %s/scene.yaml --frames 5 --out %s/b --export usda,abc --checkpoint-every 2", folder, folder));
    assert_int_equal(truncate(numbered("b", "scene", 3, "part"), 300), 0);
    child_assert_done(child_run("run --resume %s/b --frames 6", folder));
    long size;
    char *bytes = test_read_file(numbered("b", "scene", 2, "part"), &size);
    bytes[size / 2] ^= 1;
    test_write_file("b/scene_0002.part", bytes, (size_t)size);
    free(bytes);
    ChildRun run = child_run("run --resume %s/b", folder);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "scene_0002.part is missing or damaged: frames from "));
    child_free(&run);
    expect_same("a/scene.usda", "b/scene.usda");
    expect_same("a/scene.abc", "b/scene.abc");
}

static void y_can_point_up(void **state)
{
    (void)state;
    child_assert_done(
        child_run("run %s/scene.yaml --frames 1 --out %s/z --export mesh_obj,mesh_ply,usda,abc --up z",
                  folder, folder));
    child_assert_done(
        child_run("run %s/scene.yaml --frames 1 --out %s/y --export mesh_obj,mesh_ply,usda,abc --up y",
                  folder, folder));
    static const char *const suffixes[] = {"obj", "ply"};
    for (int f = 0; f < 2; f++) {
        SurfaceMesh z = test_read_mesh(numbered("z", "mesh", 0, suffixes[f])),
                    y = test_read_mesh(numbered("y", "mesh", 0, suffixes[f]));
        assert_int_equal(z.vertex_count, y.vertex_count);
        for (uint32_t k = 0; k < z.vertex_count; k++) {
            assert_true(y.vertex[k].x == z.vertex[k].x && y.vertex[k].y == z.vertex[k].z &&
                        y.vertex[k].z == -z.vertex[k].y);
            assert_true(y.normal[k].y == z.normal[k].z && y.normal[k].z == -z.normal[k].y);
        }
        test_mesh_free(&z);
        test_mesh_free(&y);
    }
    char *text = test_read_file(test_path(folder, "y/scene.usda"), NULL);
    assert_non_null(strstr(text, "upAxis = \"Y\""));
    free(text);
    SurfaceMesh z = test_read_mesh(numbered("z", "mesh", 0, "ply"));
    AlembicFile abc = alembic_open(test_path(folder, "z/scene.abc"));
    assert_memory_equal(alembic_sample(&abc, "water", ".geom/P", 0).data, z.vertex, 12 * z.vertex_count);
    test_mesh_free(&z);
    free(abc.bytes);
}

// Kernels reach through walls; the surface ends there, and loses next to nothing.
static void water_ends_at_walls(void **state)
{
    (void)state;
    static const char *const more[] = {"--set surface.clip=false", "", "--set surface.clip=false --clip"};
    double volume[3];
    for (int k = 0; k < 3; k++) {
        child_assert_done(child_run("run scenes/dam_break.yaml --spacing 0.25 --frames 2 --out %s/%d "
                                    "--export mesh_ply %s",
                                    folder, k, more[k]));
        SurfaceMesh mesh = test_read_mesh(numbered((const char *[]){"0", "1", "2"}[k], "mesh", 1, "ply"));
        float lowest = 0;
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            lowest = fminf(lowest, fminf(mesh.vertex[v].x, fminf(mesh.vertex[v].y, mesh.vertex[v].z)));
            if (k && mesh.vertex[v].z == 0 && mesh.vertex[v].x > 0.5f && mesh.vertex[v].y > 0.5f)
                assert_true(mesh.normal[v].z <= -0.57f);
        }
        assert_true(k ? lowest == 0 : lowest < -0.02f);
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_int_equal(verdict.open_edges, 0);
        volume[k] = verdict.volume;
        test_mesh_free(&mesh);
    }
    assert_true(volume[1] < volume[0] && volume[1] > 0.9 * volume[0]);
    assert_true(volume[2] == volume[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, write_scene, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_file_says_what_the_files_of_the_frames_say),
        TEST(a_run_that_goes_on_makes_the_same_file),
        TEST(a_run_that_goes_on_elsewhere_keeps_its_time),
        TEST(a_damaged_frame_is_named_and_leaves_the_old_file),
        TEST(a_damaged_frame_is_made_again),
        TEST(y_can_point_up),
        TEST(water_ends_at_walls),
    };
    return cmocka_run_group_tests_name("files that play", tests, NULL, NULL);
}
