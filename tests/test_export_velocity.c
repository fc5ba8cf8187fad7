// Exported velocities beside the way that the particles of the files take, by their ids: what motion blur and
// programs that draw between frames rely on.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"
#include "mesh_file_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FPS 200    // files, so that steps are as long as frames
#define SLOW 8     // of these are a frame of a film with 25 a second
#define FRAMES 321 // 1.6 s

// Of the way, root mean square over all particles and times, what velocities leave unexplained.
typedef struct Row {
    const char *scene, *spacing;
    int from;       // frame from which on what lies between frames of a film is looked at
    double step;    // v at the end of a step times its length, from frame 0 on
    double shutter; // v of a frame of the film times the half frame about it
    double frames;  // half the sum of two frames' velocities times the time between
} Row;

// Water of wave and mixer starts with gaps at walls and paddles, into which it falls, and lands within a
// frame of a film: no velocity of two moments tells of what lies between. That nothing but acceleration
// within the frame is left then is seen from frame 0 on in all scenes: the velocities of all steps of a frame
// explain its way as those of single steps do, and to look ahead takes much less than v alone with a s^2 / 2.
static const Row rows[] = {
    {"dam_break", "0.4", 0, 0.01, 0.03, 0.05},
    {"wave", "0.25", 10 * SLOW, 0.01, 0.05, 0.05},
    {"mixer", "0.15", 20 * SLOW, 0.01, 0.05, 0.06},
    {"fountain", "0.1", 0, 0.01, 0.05, 0.05},
};

static TestParticles frames[FRAMES];
static uint32_t *slots[FRAMES]; // of each id; UINT32_MAX: not there
static uint32_t ids;

static void read_frames(void)
{
    ids = 0;
    for (int k = 0; k < FRAMES; k++) {
        char path[400];
        snprintf(path, sizeof path, "%s/run/particles_%04d.ply", folder, k);
        frames[k] = test_read_ply(path);
        assert_non_null(frames[k].particle);
        for (uint32_t i = 0; i < frames[k].count; i++)
            if (frames[k].particle[i].id >= ids) ids = frames[k].particle[i].id + 1;
    }
    for (int k = 0; k < FRAMES; k++) {
        slots[k] = malloc(ids * sizeof **slots);
        assert_non_null(slots[k]);
        memset(slots[k], 0xff, ids * sizeof **slots);
        for (uint32_t i = 0; i < frames[k].count; i++) slots[k][frames[k].particle[i].id] = i;
    }
}

static void free_frames(void)
{
    for (int k = 0; k < FRAMES; k++) {
        free(frames[k].particle);
        free(slots[k]);
    }
}

static const TestParticle *particle(int frame, uint32_t id)
{
    uint32_t slot = slots[frame][id];
    return slot == UINT32_MAX ? NULL : &frames[frame].particle[slot];
}

// The way from frame a to b; velocities are those of frames v and w.
typedef struct Sums {
    double way, rest;
} Sums;

static void compare(Sums *sums, int a, int b, int v, int w)
{
    double time = (double)(b - a) / FPS;
    for (uint32_t id = 0; id < ids; id++) {
        const TestParticle *from = particle(a, id), *to = particle(b, id), *p = particle(v, id),
                           *q = particle(w, id);
        for (int c = 0; from && to && p && q && c < 3; c++) {
            double way = (double)to->position[c] - (double)from->position[c];
            double told = 0.5 * ((double)p->velocity[c] + (double)q->velocity[c]) * time;
            sums->way += way * way;
            sums->rest += (way - told) * (way - told);
        }
    }
}

// The way of a frame of the film beside the velocities of all its steps.
static void compare_steps(Sums *sums, int a)
{
    for (uint32_t id = 0; id < ids; id++) {
        double told[3] = {0};
        const TestParticle *from = particle(a, id), *at = from, *to = particle(a + SLOW, id);
        for (int k = a + 1; k <= a + SLOW && at; k++) {
            at = particle(k, id);
            for (int c = 0; at && c < 3; c++) told[c] += (double)at->velocity[c] / FPS;
        }
        for (int c = 0; from && at && c < 3; c++) {
            double way = (double)to->position[c] - (double)from->position[c];
            sums->way += way * way;
            sums->rest += (way - told[c]) * (way - told[c]);
        }
    }
}

// The way of the half frame that follows beside that of an importer, x + v s, and with the acceleration of
// the step that comes next, x + v s + a s^2 / 2.
static void compare_ahead(Sums *first, Sums *second, int k)
{
    const double s = SLOW / 2.0 / FPS;
    for (uint32_t id = 0; id < ids; id++) {
        const TestParticle *from = particle(k, id), *next = particle(k + 1, id),
                           *to = particle(k + SLOW / 2, id);
        for (int c = 0; from && next && to && c < 3; c++) {
            double v = (double)from->velocity[c], a = ((double)next->velocity[c] - v) * FPS;
            double way = (double)to->position[c] - (double)from->position[c];
            double rest = way - v * s, last = rest - a * s * s / 2;
            first->way += way * way, first->rest += rest * rest;
            second->way += way * way, second->rest += last * last;
        }
    }
}

static double share(Sums sums)
{
    return sums.way > 0 ? sqrt(sums.rest / sums.way) : 0;
}

static void check(const Row *row)
{
    Sums steps = {0}, shutter = {0}, between = {0}, first = {0}, early = {0}, within = {0}, ahead[2] = {0};
    child_assert_done(
        child_run("run scenes/%s.yaml --spacing %s --fps %d --frames %d --export ply --out %s/run "
                  "--overwrite",
                  row->scene, row->spacing, FPS, FRAMES, folder));
    read_frames();
    compare(&first, 0, 1, 1, 1);
    for (int k = 1; k < FRAMES; k++) compare(&steps, k - 1, k, k, k);
    for (int k = SLOW; k + SLOW < FRAMES; k += SLOW) compare(&shutter, k - SLOW / 4, k + SLOW / 4, k, k);
    for (int k = row->from + SLOW; k < FRAMES; k += SLOW) compare(&between, k - SLOW, k, k - SLOW, k);
    for (int k = 0; k + SLOW < FRAMES; k += SLOW) {
        if (k < row->from) compare(&early, k, k + SLOW, k, k + SLOW);
        compare_steps(&within, k);
        compare_ahead(&ahead[0], &ahead[1], k);
    }
    free_frames();
    print_message(
        "%s: before %.2f s %.4f, by the velocities of all steps %.4f; ahead %.4f, with acceleration "
        "%.4f\n",
        row->scene, (double)row->from / FPS, share(early), share(within), share(ahead[0]), share(ahead[1]));
    print_message("%s: first step %.4f, steps %.4f, shutter %.4f, frames %.4f\n", row->scene, share(first),
                  share(steps), share(shutter), share(between));
    assert_true(share(first) < row->step);
    assert_true(share(steps) < row->step);
    assert_true(share(shutter) < row->shutter);
    assert_true(steps.way > 0 && shutter.way > 0 && between.way > 0);
    assert_true(share(between) < row->frames);
    assert_true(within.way > 0 && share(within) < row->step);
    assert_true(ahead[0].way > 0 && share(ahead[1]) < 0.8 * share(ahead[0]));
}

static void velocities_explain_the_motion_of_steps_of_the_shutter_and_of_frames(void **state)
{
    (void)state;
    size_t count = test_is_quick() ? 1 : sizeof rows / sizeof *rows;
    for (size_t k = 0; k < count; k++) check(&rows[k]);
}

// Squared distance of a point from a triangle, by bisection of its edges: slow and plain.
static double triangle_distance(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    for (int halvings = 0; halvings < 12; halvings++) {
        Vec3 ab = vec3_scale(vec3_add(a, b), 0.5f), bc = vec3_scale(vec3_add(b, c), 0.5f),
             ca = vec3_scale(vec3_add(c, a), 0.5f);
        const Vec3 part[4][3] = {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {bc, ca, ab}};
        double least = INFINITY;
        int best = 0;
        for (int k = 0; k < 4; k++) {
            Vec3 middle = vec3_scale(vec3_add(vec3_add(part[k][0], part[k][1]), part[k][2]), 1 / 3.0f);
            double d = (double)vec3_length(vec3_sub(p, middle));
            if (d < least) least = d, best = k;
        }
        a = part[best][0], b = part[best][1], c = part[best][2];
    }
    double d = (double)vec3_length(vec3_sub(p, a));
    return d * d;
}

static double mesh_distance(const SurfaceMesh *mesh, Vec3 p)
{
    double least = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]],
             c = mesh->vertex[mesh->triangle[t][2]];
        double reach = (double)(vec3_length(vec3_sub(b, a)) + vec3_length(vec3_sub(c, a)));
        double near = (double)vec3_length(vec3_sub(p, a)) - reach;
        if (near > 0 && near * near >= least) continue;
        least = fmin(least, triangle_distance(p, a, b, c));
    }
    return least;
}

// A dam break at a spacing of 0.4 m, after 0.4 s: vertices that go on for half a frame of a film lie where
// the surface is then, within a few hundredths of a spacing, which is what the mesh of the same water varies
// by.
static void velocities_of_vertices_carry_the_surface_along(void **state)
{
    (void)state;
    const uint32_t from = 80, to = from + SLOW / 2;
    child_assert_done(child_run("run scenes/dam_break.yaml --spacing 0.4 --fps %d --frames %u "
                                "--export mesh_ply --out %s/run --overwrite",
                                FPS, to + 1, folder));
    char path[400];
    snprintf(path, sizeof path, "%s/run/mesh_%04u.ply", folder, from);
    SurfaceMesh mesh = test_read_mesh(path);
    snprintf(path, sizeof path, "%s/run/mesh_%04u.ply", folder, to);
    SurfaceMesh later = test_read_mesh(path);
    double still = 0, moved = 0, count = 0, s = (double)(to - from) / FPS;
    for (uint32_t k = 0; k < mesh.vertex_count; k += 7, count++) {
        Vec3 next = vec3_add(mesh.vertex[k], vec3_scale(mesh.velocity[k], (float)s));
        still += mesh_distance(&later, mesh.vertex[k]);
        moved += mesh_distance(&later, next);
    }
    test_mesh_free(&mesh);
    test_mesh_free(&later);
    still = sqrt(still / count), moved = sqrt(moved / count);
    print_message("vertices: %.4f m from the later surface, moved %.4f m\n", still, moved);
    assert_true(moved < 0.05 * 0.4 && moved < 0.4 * still);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(velocities_of_vertices_carry_the_surface_along, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(velocities_explain_the_motion_of_steps_of_the_shutter_and_of_frames,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("exported velocities", tests, NULL, NULL);
}
