// `pbf compare` from the outside: what it writes and says about two sides.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#define METHODS " --neighbor uniform_grid,aabb_grid"
// 1,000 particles in small pictures.
#define SMALL "compare scenes/dam_break.yaml --spacing 0.5 --size 160x90 --fps 20"
#define WIDTH 160
#define HEIGHT 90

static void assert_done(ChildRun run, const char *words)
{
    if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
    if (!strstr(run.out, words)) fail_msg("\"%s\" does not say \"%s\"", run.out, words);
    child_free(&run);
}

static const char *file(const char *sub, const char *name)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", sub, name);
    return test_path(folder, path);
}

// --- the table ---

#define COLUMNS_MAX 64
#define ROWS_MAX 400

typedef struct Table {
    char *text;
    char *name[COLUMNS_MAX];
    int columns, rows;
    double value[ROWS_MAX][COLUMNS_MAX]; // NaN where a field is empty
} Table;

static int split(char *line, char *fields[COLUMNS_MAX])
{
    int count = 0;
    for (char *field = line; field && count < COLUMNS_MAX; count++) {
        fields[count] = field;
        field = strchr(field, ',');
        if (field) *field++ = '\0';
    }
    return count;
}

// Every row has as many fields as the header, each a number or empty.
static Table *read_table(const char *path)
{
    Table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    table->text = test_read_file(path, NULL);
    if (!table->text) fail_msg("%s is missing", path);
    char *rest = NULL, *fields[COLUMNS_MAX];
    table->columns = split(strtok_r(table->text, "\n", &rest), table->name);
    for (char *line; (line = strtok_r(NULL, "\n", &rest)); table->rows++) {
        assert_true(table->rows < ROWS_MAX);
        assert_int_equal(split(line, fields), table->columns);
        for (int k = 0; k < table->columns; k++) {
            char *end;
            table->value[table->rows][k] = *fields[k] ? strtod(fields[k], &end) : NAN;
            if (*fields[k]) assert_int_equal(*end, '\0');
        }
    }
    return table;
}

static void free_table(Table *table)
{
    free(table->text);
    free(table);
}

static double value(const Table *table, int row, const char *format, char side)
{
    char name[64];
    snprintf(name, sizeof name, "%c_%s", side, format);
    for (int k = 0; k < table->columns; k++) {
        if (strcmp(table->name[k], side ? name : format) == 0) return table->value[row][k];
    }
    fail_msg("no column %s", side ? name : format);
    return NAN;
}

static double plain(const Table *table, int row, const char *name)
{
    return value(table, row, name, 0);
}

static void assert_side_adds_up(const Table *table, int row, char side)
{
    static const char *const rest[] = {"reorder_ms",    "contacts_ms", "density_ms",
                                       "correction_ms", "forces_ms",   "other_ms"};
    double total = value(table, row, "total_ms", side), phases = 0;
    double search = value(table, row, "construction_ms", side) + value(table, row, "search_ms", side);
    assert_true(fabs(search + value(table, row, "behavior_ms", side) - total) < 1e-5);
    for (int k = 0; k < 6; k++) phases += value(table, row, rest[k], side);
    // What lies between the phases' clocks is little; a crowded machine may put a pause there.
    assert_true(phases > 0 && phases + search <= total + 1e-5);
    assert_true(value(table, row, "candidates", side) >= value(table, row, "neighbors", side));
}

// Rows follow each other to the end of the run; both sides did the same work.
static void assert_equal_sides(const Table *table, double end, double particles)
{
    double time = 0, spared[2] = {0};
    assert_true(table->rows > 0);
    for (int row = 0; row < table->rows; row++) {
        assert_true(plain(table, row, "step") == row + 1);
        time += plain(table, row, "dt_s");
        assert_true(fabs(plain(table, row, "time_s") - time) < 1e-7);
        assert_true(plain(table, row, "identical") == 1 && plain(table, row, "differing") == 0);
        assert_true(isnan(plain(table, row, "farthest_particle")));
        for (int side = 0; side < 2; side++) {
            assert_side_adds_up(table, row, "ab"[side]);
            assert_true(value(table, row, "steps", "ab"[side]) == 1);
            spared[side] +=
                value(table, row, "construction_ms", "ab"[side]) + value(table, row, "search_ms", "ab"[side]);
        }
        double a = value(table, row, "construction_ms", 'a') + value(table, row, "search_ms", 'a'),
               b = value(table, row, "construction_ms", 'b') + value(table, row, "search_ms", 'b');
        assert_true(fabs(plain(table, row, "reduction_percent") - 100 * (1 - b / a)) < 0.02 * (1 + b / a));
        assert_true(value(table, row, "neighbors", 'a') == value(table, row, "neighbors", 'b'));
        assert_true(value(table, row, "candidates", 'a') >= value(table, row, "candidates", 'b'));
        assert_true(value(table, row, "particles", 'a') == value(table, row, "particles", 'b'));
    }
    assert_true(fabs(time - end) < 1e-7);
    if (particles > 0) assert_true(value(table, table->rows - 1, "particles", 'a') == particles);
}

// --- the pictures ---

static TestPicture read_picture(const char *path, uint32_t width, uint32_t height)
{
    TestPicture picture = test_read_png(path);
    if (!picture.rgb) fail_msg("%s is not a valid picture", path);
    assert_int_equal(picture.width, width);
    assert_int_equal(picture.height, height);
    return picture;
}

// How many pixels of the left picture are not the same in the right one; the line between them is left out.
static int differing_pixels(const TestPicture *picture, int *not_background)
{
    int differing = 0;
    uint32_t half = picture->width / 2, rows = picture->height * 2 / 3;
    *not_background = 0;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 2; x + 2 < half; x++) {
            const uint8_t *left = picture->rgb + 3 * ((size_t)y * picture->width + x);
            differing += memcmp(left, left + 3 * (size_t)half, 3) != 0;
            // Water is bluer than the light surroundings.
            *not_background += left[2] > left[0] + 40;
        }
    }
    return differing;
}

static void scene_gives_equal_sides(const char *scene, double particles)
{
    assert_done(child_run("compare scenes/%s.yaml --spacing 0.5 --size 160x90 --fps 10 --frames 5 --quiet "
                          "--out %s/%s" METHODS,
                          scene, folder, scene),
                "states: identical after every step");
    Table *table = read_table(file(scene, "compare.csv"));
    assert_equal_sides(table, 0.4, particles);
    free_table(table);
    TestPicture picture = read_picture(file(scene, "frame_0004.png"), WIDTH, HEIGHT);
    int water, differing = differing_pixels(&picture, &water);
    assert_int_equal(differing, 0);
    assert_true(water > 20);
    free(picture.rgb);
    free(read_picture(file(scene, "reduction.png"), 1280, 720).rgb);
    assert_int_equal(test_folder_entries(test_path(folder, scene)), 5 + 2);
}

static void five_scenes_are_the_same_with_boxes(void **state)
{
    (void)state;
    scene_gives_equal_sides("dam_break", 1000);
    scene_gives_equal_sides("cylinders", 0);
    if (test_is_quick()) return;
    scene_gives_equal_sides("falling_chunks", 0);
    scene_gives_equal_sides("plates", 0);
    scene_gives_equal_sides("wave", 0);
}

static void sheets_carry_captions_and_charts_a_mean(void **state)
{
    (void)state;
    assert_done(child_run("compare scenes/dam_break.yaml --spacing 0.5 --size 1280x720 --fps 20 --frames 2 "
                          "--out %s/a" METHODS,
                          folder),
                "states: identical");
    TestPicture sheet = read_picture(file("a", "frame_0001.png"), 1280, 720);
    int dark[3] = {0}, green = 0; // left, middle and right of the strip
    for (uint32_t y = 480; y < 720; y++) {
        for (uint32_t x = 0; x < 1280; x++) {
            const uint8_t *p = sheet.rgb + 3 * ((size_t)y * 1280 + x);
            dark[x < 512 ? 0 : x < 768 ? 1 : 2] += p[0] + p[1] + p[2] < 300;
            green += p[1] > p[0] + 60 && p[1] > p[2] + 30;
        }
    }
    for (int k = 0; k < 3; k++) assert_true(dark[k] > 300);
    assert_true(green > 100); // "identical"
    free(sheet.rgb);

    // The mean is a horizontal line in red from axis to axis.
    TestPicture chart = read_picture(file("a", "reduction.png"), 1280, 720);
    int lines = 0;
    for (uint32_t y = 0; y < 720; y++) {
        int red = 0;
        for (uint32_t x = 0; x < 1280; x++) {
            const uint8_t *p = chart.rgb + 3 * ((size_t)y * 1280 + x);
            red += p[0] > p[1] + 60 && p[0] > p[2] + 60;
        }
        lines += red > 1000;
    }
    assert_true(lines >= 1 && lines <= 4);
    free(chart.rgb);
}

static void a_film_needs_no_folder_and_quiet_runs_still_report(void **state)
{
    (void)state;
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    ChildRun run = child_run(SMALL METHODS " --frames 3 --quiet --video %s/a.mp4", folder);
    assert_string_equal(run.err, "");
    assert_done(run, "states: identical");
    assert_int_equal(access(test_path(folder, "a.mp4"), F_OK), 0);
    assert_int_equal(test_folder_entries(folder), 1);
}

// --- sides that differ ---

#define STEPS 6

// The particle of two files that is furthest apart, and how far.
static double farthest(const TestParticles *a, const TestParticles *b, uint32_t *id, int *differing)
{
    double farthest = -1;
    assert_int_equal(a->count, b->count);
    *differing = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const TestParticle *left = &a->particle[i], *right = b->particle;
        while (right->id != left->id) right++;
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double d = (double)left->position[k] - (double)right->position[k];
            sum += d * d;
        }
        *differing += memcmp(left->position, right->position, sizeof left->position) != 0 ||
                      memcmp(left->velocity, right->velocity, sizeof left->velocity) != 0;
        if (sqrt(sum) > farthest || (sqrt(sum) == farthest && left->id < *id)) {
            farthest = sqrt(sum);
            *id = left->id;
        }
    }
    return farthest;
}

// Frames so close that each is one step: files of two lone runs then hold the states after every step.
#define STEPWISE "scenes/dam_break.yaml --spacing 0.5 --fps 250 --frames 7 --quiet"

static void a_setting_that_matters_is_reported_with_step_and_particle(void **state)
{
    (void)state;
    ChildRun run =
        child_run("compare " STEPWISE " --size 64x48 --compare solver.xsph=0,40 --out %s/c", folder);
    char words[100], *said = strdup(run.out);
    assert_done(run,
                "\nwhole step: measuring solver.xsph = 0 beside solver.xsph = 40 (6 of 10 pairs of steps)\n");
    for (int side = 0; side < 2; side++) {
        ChildRun lone = child_run("run " STEPWISE " --set solver.xsph=%d --export ply --out %s/%c",
                                  side == 0 ? 0 : 40, folder, "ab"[side]);
        assert_int_equal(lone.status, 0);
        child_free(&lone);
    }
    Table *table = read_table(file("c", "compare.csv"));
    assert_int_equal(table->rows, STEPS);
    int first = 0;
    for (int step = 1; step <= STEPS; step++) {
        char name[40];
        snprintf(name, sizeof name, "particles_%04d.ply", step);
        TestParticles a = test_read_ply(file("a", name)), b = test_read_ply(file("b", name));
        assert_true(a.particle && b.particle);
        uint32_t id = 0;
        int differing;
        double distance = farthest(&a, &b, &id, &differing);
        assert_true(plain(table, step - 1, "identical") == (differing == 0));
        assert_true(plain(table, step - 1, "differing") == differing);
        assert_true(fabs(plain(table, step - 1, "distance_m") - distance) < 1e-6 + 1e-5 * distance);
        if (distance > 1e-5) assert_true(plain(table, step - 1, "farthest_particle") == id);
        if (differing > 0 && first == 0) {
            first = step;
            snprintf(words, sizeof words, "states: differ from step %d (%.6f s) on: %d particles", step,
                     step / 250.0, differing);
        }
        free(a.particle);
        free(b.particle);
    }
    assert_true(first > 0);
    if (!strstr(said, words)) fail_msg("\"%s\" does not say \"%s\"", said, words);
    free(said);
    free_table(table);
}

static void sides_may_hold_different_numbers_of_particles(void **state)
{
    (void)state;
    assert_done(child_run("compare scenes/dam_break.yaml --compare spacing=0.5,1.0 --size 160x90 --fps 20 "
                          "--frames 2 --out %s/a",
                          folder),
                "875 only in the first and 0 only in the second");
    TestPicture picture = read_picture(file("a", "frame_0000.png"), WIDTH, HEIGHT);
    int water;
    assert_true(differing_pixels(&picture, &water) > 100);
    free(picture.rgb);
}

static void clusters_and_lists_differ_by_rounding_and_the_summary_says_so(void **state)
{
    (void)state;
    ChildRun run = child_run(SMALL " --neighbor cluster_grid,octree --frames 2 --out %s/a", folder);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "by rounding"));
    child_free(&run);
    run = child_run(SMALL " --compare solver.iterations=3,4 --frames 2 --out %s/a", folder);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "by rounding"));
    child_free(&run);
}

// Means of noisy steps are in the table; what is said of them are medians with their count.
static void the_summary_begins_with_what_the_setting_changes(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // other tests make such comparisons
    static const char *const compared[] = {METHODS, " --compare solver.iterations=1,20"};
    for (int k = 0; k < 2; k++) {
        ChildRun run = child_run(SMALL "%s --frames 4 --out %s/a", compared[k], folder);
        assert_int_equal(run.status, 0);
        const char *search = strstr(run.out, "\nconstruction + search: "),
                   *step = strstr(run.out, "\nwhole step: ");
        assert_non_null(search);
        assert_non_null(step);
        assert_true(k == 0 ? search < step : step < search);
        const char *end = strstr(run.out, "\nstates:");
        for (const char *line = k == 0 ? search : step; line < end; line = strchr(line + 1, '\n')) {
            const char *pairs = strstr(line, " pairs of steps)\n");
            assert_true(pairs && pairs < strchr(line + 1, '\n'));
        }
        child_free(&run);
    }
}

static void cells_of_both_methods_are_shown(void **state)
{
    (void)state;
    assert_done(child_run(SMALL METHODS " --frames 1 --show-cells --out %s/a", folder), "states: identical");
    TestPicture picture = read_picture(file("a", "frame_0000.png"), WIDTH, HEIGHT);
    int water;
    assert_true(differing_pixels(&picture, &water) > 30); // same water, other boxes
    free(picture.rgb);
}

static void a_comparison_replaces_an_older_one_and_nothing_else(void **state)
{
    (void)state;
    assert_done(child_run(SMALL METHODS " --frames 3 --out %s/a", folder), "states: identical");
    assert_done(child_run(SMALL METHODS " --frames 1 --size 64x48 --out %s/a", folder), "states: identical");
    free(read_picture(file("a", "frame_0000.png"), 64, 48).rgb);
    assert_int_not_equal(access(file("a", "frame_0001.png"), F_OK), 0);
    assert_int_not_equal(access(file("a", "reduction.png"), F_OK), 0); // no step, nothing to chart
    ChildRun run =
        child_run("render scenes/dam_break.yaml --spacing 0.5 --size 64x48 --frames 1 --out %s/b", folder);
    assert_int_equal(run.status, 0);
    child_free(&run);
    child_assert_failed(child_run(SMALL METHODS " --frames 1 --out %s/b", folder), 2,
                        "holds frames that no comparison made");
}

static void a_folder_that_another_run_writes_into_is_left_alone(void **state)
{
    (void)state;
    int other = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(other >= 0);
    assert_int_equal(flock(other, LOCK_EX), 0);
    child_assert_failed(child_run(SMALL METHODS " --frames 1 --out %s", folder), 1,
                        "another run writes into it (wait for it, or another folder)");
    assert_int_equal(test_folder_entries(folder), 0);
    close(other);
    assert_done(child_run(SMALL METHODS " --frames 1 --out %s", folder), "states: identical");
}

static void settings_hold_for_both_sides(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // other tests make such comparisons
    assert_done(child_run(SMALL " --frames 1 --out %s/a" METHODS " --compare solver.iterations=2,2 "
                                "--set water.0.box.max=[1,1,1]",
                          folder),
                "uniform_grid, solver.iterations = 2");
}

// --- when the call or the world is wrong ---

// Frame 6 of 20 a second is at 0.3 s, as is frame 75 of 250; frame 8 of 25 is the first one after it.
static void a_comparison_may_go_on_at_another_rate(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // the next test goes on, too
    ChildRun run = child_run("run scenes/wave.yaml --spacing 0.5 --fps 20 --frames 7 --checkpoint-every 6 "
                             "--export ply --out %s/run",
                             folder);
    assert_int_equal(run.status, 0);
    child_free(&run);
    assert_done(child_run("compare --resume %s/run --fps 250 --frames 77 --size 160x90" METHODS
                          " --out %s/fine",
                          folder, folder),
                "identical after every step");
    Table *fine = read_table(file("fine", "compare.csv"));
    assert_true(fine->rows > 0 && plain(fine, fine->rows - 1, "time_s") == 76 / 250.0);
    free_table(fine);
    assert_int_not_equal(access(file("fine", "frame_0074.png"), F_OK), 0);
    assert_int_equal(access(file("fine", "frame_0075.png"), F_OK), 0);
    assert_int_equal(access(file("fine", "frame_0076.png"), F_OK), 0);
    assert_done(child_run("compare --resume %s/run --fps 25 --frames 9 --size 160x90" METHODS
                          " --out %s/other",
                          folder, folder),
                "identical after every step");
    assert_int_not_equal(access(file("other", "frame_0007.png"), F_OK), 0);
    assert_int_equal(access(file("other", "frame_0008.png"), F_OK), 0);
}

// From frame 6 of a run on: the same states at the same times as in a comparison from the beginning.
static void a_comparison_may_begin_with_a_stored_state(void **state)
{
    (void)state;
    ChildRun run =
        child_run("render scenes/wave.yaml --spacing 0.5 --fps 20 --frames 7 --size 160x90 --neighbor octree "
                  "--checkpoint-every 6 --export ply --video %s/run.mp4 --out %s/run",
                  folder, folder);
    assert_int_equal(run.status, 0);
    child_free(&run);
    long bytes[2];
    char *film = test_read_file(test_path(folder, "run.mp4"), &bytes[0]);
    assert_done(child_run("compare --resume %s/run --frames 9" METHODS " --out %s/late", folder, folder),
                "identical after every step");
    assert_done(child_run("compare scenes/wave.yaml --spacing 0.5 --fps 20 --frames 9 --size 160x90" METHODS
                          " --out %s/whole",
                          folder),
                "identical after every step");
    Table *late = read_table(file("late", "compare.csv")), *whole = read_table(file("whole", "compare.csv"));
    int before = whole->rows - late->rows;
    assert_true(before > 5 && late->rows > 1);
    for (int row = 0; row < late->rows; row++) {
        assert_true(plain(late, row, "time_s") == plain(whole, before + row, "time_s"));
        assert_true(value(late, row, "candidates", 'a') == value(whole, before + row, "candidates", 'a'));
        assert_true(value(late, row, "neighbors", 'b') == value(whole, before + row, "neighbors", 'b'));
    }
    assert_true(plain(whole, before - 1, "time_s") < 0.301 && plain(late, 0, "time_s") > 0.301);
    free_table(late);
    free_table(whole);
    assert_int_not_equal(access(file("late", "frame_0005.png"), F_OK), 0);
    assert_int_equal(access(file("late", "frame_0006.png"), F_OK), 0);
    assert_int_equal(access(file("late", "frame_0008.png"), F_OK), 0);
    char *after = test_read_file(test_path(folder, "run.mp4"), &bytes[1]); // the run's own film is left alone
    assert_int_equal(bytes[0], bytes[1]);
    // The files that the run made beside its pictures are no matter of the comparison's.
    assert_done(
        child_run("compare --resume %s/run --frames 8" METHODS " --video %s/late.mp4", folder, folder),
        "identical after every step");
    assert_memory_equal(film, after, (size_t)bytes[0]);
    free(film);
    free(after);
    child_assert_failed(
        child_run("compare --resume %s/run --frames 6" METHODS " --out %s/late", folder, folder), 2,
        "--frames: ");
    child_assert_failed(child_run("compare --resume %s/run" METHODS " --out %s/run", folder, folder), 2,
                        "holds frames that no comparison made");
    child_assert_failed(
        child_run("compare scenes/wave.yaml --resume %s/run" METHODS " --out %s/late", folder, folder), 2,
        "a checkpoint has its own scene");
}

static void wrong_calls_are_told_what_is_allowed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {SMALL " --out x",
         "--neighbor: a comparison needs two methods (--neighbor A,B, or --compare KEY=A,B"},
        {SMALL " --out x --neighbor octree", "--neighbor: a comparison needs two methods"},
        {SMALL " --out x --neighbor octree,kd_tree,octree", "--neighbor: a comparison has two sides"},
        {SMALL " --out x --neighbor all", "--neighbor: a comparison has two sides"},
        {SMALL " --out x --neighbor octree,octre", "did you mean octree"},
        {SMALL METHODS, "--out: a folder for the frames is missing"},
        {SMALL " --out x --compare solver.iterations",
         "--compare: \"solver.iterations\" is not a key with two"},
        {SMALL " --out x --compare solver.iterations=3", "is not a key with two values"},
        {SMALL " --out x --compare solver.iterations=3,", "is not a key with two values"},
        {SMALL " --out x --compare solver.iterations=,3", "is not a key with two values"},
        {SMALL " --out x --compare solver.iterations=3,4,5", "is not a key with two values"},
        {SMALL " --out x --compare =3,4", "is not a key with two values"},
        {SMALL " --out x --compare solver.iterations=3,99", "--compare: "},
        {SMALL " --out x --compare solver.iteration=3,4", "did you mean"},
        {SMALL " --out x --export ply" METHODS, "--export: this command does not take it"},
        {SMALL " --out x --size 1x1" METHODS, "--size: 1x1 has no room for two pictures"},
        {"compare --out x" METHODS, "a scene is missing"},
        {"render scenes/dam_break.yaml --out x --compare solver.iterations=3,4",
         "--compare: this command does not take it"},
        {"render scenes/dam_break.yaml --out x" METHODS, "--neighbor: this command runs one method"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        ChildRun run = child_run("%s", cases[k][0]);
        if (run.status != 2) fail_msg("pbf %s: status %d: %s", cases[k][0], run.status, run.err);
        child_assert_failed(run, 2, cases[k][1]);
    }
}

static void a_disk_that_fills_up_leaves_whole_files_only(void **state)
{
    (void)state;
    child_setup.file_bytes_max = 20000; // small sheets fit, the chart does not
    ChildRun run = child_run(SMALL METHODS " --frames 2 --out %s/a", folder);
    child_assert_failed(run, 1, "reduction.png: cannot write: File too large");
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 3);
    free_table(read_table(file("a", "compare.csv")));

    child_setup.file_bytes_max = 4000;
    child_assert_failed(child_run(SMALL METHODS " --frames 20 --size 2x2 --out %s/b", folder), 1,
                        "compare.csv: cannot write: File too large");
    assert_int_not_equal(access(file("b", "compare.csv"), F_OK), 0);
    child_assert_failed(child_run(SMALL METHODS " --frames 1000000 --out /proc/nowhere"), 1, "/proc/nowhere");
}

static void an_interrupted_run_ends_with_whole_files(void **state)
{
    (void)state;
    char arguments[400];
    snprintf(arguments, sizeof arguments, SMALL METHODS " --frames 100000 --out %s/a", folder);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(file("a", "frame_0002.png"), 60));
    kill(child, SIGINT);
    ChildRun run = child_finish(child);
    assert_non_null(strstr(run.out, "states: identical"));
    child_assert_failed(run, 130, "interrupted by SIGINT (");
    int frames = 0;
    for (char name[40];; frames++) {
        snprintf(name, sizeof name, "frame_%04d.png", frames);
        if (access(file("a", name), F_OK) != 0) break;
        free(read_picture(file("a", name), WIDTH, HEIGHT).rgb);
    }
    assert_true(frames >= 3);
    assert_int_equal(test_folder_entries(test_path(folder, "a")), frames + 2);
    Table *table = read_table(file("a", "compare.csv"));
    assert_true(plain(table, table->rows - 1, "time_s") > (frames - 1) / 20.0 - 1e-6);
    free_table(table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

// How bright the left half is on average, below the sky.
static double left_green(const char *sub)
{
    TestPicture picture = read_picture(file(sub, "frame_0002.png"), WIDTH, HEIGHT);
    double sum = 0;
    for (uint32_t y = HEIGHT / 3; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH / 2; x++) sum += picture.rgb[3 * (y * WIDTH + x) + 1];
    }
    free(picture.rgb);
    return sum / (WIDTH / 2 * (HEIGHT - HEIGHT / 3));
}

static void the_same_colours_mean_the_same_on_both_halves(void **state)
{
    (void)state;
    // The left side is the same; its water is slow beside one that falls twenty times as fast.
    static const char common[] = SMALL " --frames 3 --set output.range=auto --compare ";
    assert_done(child_run("%s solver.xsph=5,6 --out %s", common, test_path(folder, "alike")), "differ");
    assert_done(
        child_run("%s fluid.gravity=[0,0,-9.81],[0,0,-200] --out %s", common, test_path(folder, "unlike")),
        "differ");
    assert_true(left_green("unlike") < left_green("alike") - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_colours_mean_the_same_on_both_halves),
        TEST(five_scenes_are_the_same_with_boxes),
        TEST(sheets_carry_captions_and_charts_a_mean),
        TEST(a_film_needs_no_folder_and_quiet_runs_still_report),
        TEST(a_setting_that_matters_is_reported_with_step_and_particle),
        TEST(sides_may_hold_different_numbers_of_particles),
        TEST(clusters_and_lists_differ_by_rounding_and_the_summary_says_so),
        TEST(the_summary_begins_with_what_the_setting_changes),
        TEST(cells_of_both_methods_are_shown),
        TEST(a_comparison_replaces_an_older_one_and_nothing_else),
        TEST(a_folder_that_another_run_writes_into_is_left_alone),
        TEST(settings_hold_for_both_sides),
        TEST(a_comparison_may_go_on_at_another_rate),
        TEST(a_comparison_may_begin_with_a_stored_state),
        TEST(wrong_calls_are_told_what_is_allowed),
        TEST(a_disk_that_fills_up_leaves_whole_files_only),
        TEST(an_interrupted_run_ends_with_whole_files),
    };
    return cmocka_run_group_tests_name("compare command", tests, NULL, NULL);
}
