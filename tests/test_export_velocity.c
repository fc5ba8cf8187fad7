// Exported velocities beside the way that the particles of the files take, by their ids: what motion blur and
// programs that draw between frames rely on.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"

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
// frame of a film: no velocity of two moments tells of what lies between.
static const Row rows[] = {
    {"dam_break", "0.4", 0, 0.01, 0.03, 0.05},
    {"wave", "0.25", 10 * SLOW, 0.01, 0.05, 0.05},
    {"mixer", "0.15", 20 * SLOW, 0.01, 0.05, 0.05},
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

static double share(Sums sums)
{
    return sums.way > 0 ? sqrt(sums.rest / sums.way) : 0;
}

static void check(const Row *row)
{
    Sums steps = {0}, shutter = {0}, between = {0}, first = {0};
    child_assert_done(
        child_run("run scenes/%s.yaml --spacing %s --fps %d --frames %d --export ply --out %s/run "
                  "--overwrite",
                  row->scene, row->spacing, FPS, FRAMES, folder));
    read_frames();
    compare(&first, 0, 1, 1, 1);
    for (int k = 1; k < FRAMES; k++) compare(&steps, k - 1, k, k, k);
    for (int k = SLOW; k + SLOW < FRAMES; k += SLOW)
        compare(&shutter, k - SLOW / 4, k + SLOW / 4, k, k);
    for (int k = row->from + SLOW; k < FRAMES; k += SLOW) compare(&between, k - SLOW, k, k - SLOW, k);
    free_frames();
    print_message("%s: first step %.4f, steps %.4f, shutter %.4f, frames %.4f\n", row->scene, share(first),
                  share(steps), share(shutter), share(between));
    assert_true(share(first) < row->step);
    assert_true(share(steps) < row->step);
    assert_true(share(shutter) < row->shutter);
    assert_true(steps.way > 0 && shutter.way > 0 && between.way > 0);
    assert_true(share(between) < row->frames);
}

static void velocities_explain_the_motion_of_steps_of_the_shutter_and_of_frames(void **state)
{
    (void)state;
    size_t count = test_is_quick() ? 1 : sizeof rows / sizeof *rows;
    for (size_t k = 0; k < count; k++) check(&rows[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(velocities_explain_the_motion_of_steps_of_the_shutter_and_of_frames,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("exported velocities", tests, NULL, NULL);
}
