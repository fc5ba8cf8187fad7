// The command line: what a call that is wrong is told, and what help, check and bench print.
#include "case_helpers.h"
#include "command/number.h"
#include "command_helpers.h"
#include "core/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SCENE "scenes/dam_break.yaml"
#define COARSE SCENE " --spacing 0.5"

static bool is_one_error_line(const char *text)
{
    const char *newline = strchr(text, '\n');
    return strncmp(text, "pbf: ", 5) == 0 && newline && newline[1] == '\0';
}

// The run failed with this status and one line that says these words.
static void assert_refused(ChildRun run, const char *arguments, int status, const char *words)
{
    if (run.status != status)
        fail_msg("pbf %s: status %d, not %d: %s", arguments, run.status, status, run.err);
    if (!is_one_error_line(run.err)) fail_msg("pbf %s: not one line: %s", arguments, run.err);
    if (!strstr(run.err, words)) fail_msg("pbf %s: \"%s\" does not say \"%s\"", arguments, run.err, words);
    child_free(&run);
}

static void assert_all_refused(const char *const (*cases)[2], size_t count, int status)
{
    for (size_t k = 0; k < count; k += test_stride(3))
        assert_refused(child_run("%s", cases[k][0]), cases[k][0], status, cases[k][1]);
}
#define REFUSE_ALL(cases, status) assert_all_refused(cases, sizeof cases / sizeof *cases, status)

// --- calls that are wrong ---

static void a_call_without_a_command_gets_the_usage_and_status_2(void **state)
{
    (void)state;
    ChildRun run = child_run(" ");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "usage: pbf COMMAND"));
    assert_string_equal(run.out, "");
    child_free(&run);
}

static void mistyped_names_get_the_nearest_known_one(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"rendr " SCENE, "did you mean render"},
        {"becnh " SCENE, "did you mean bench"},
        {"xyzzy " SCENE, "unknown command (pbf help lists them)"},
        {"--hlp", "unknown command"},
        {"help chekc", "did you mean check"},
        {"render " SCENE " --otu x", "--otu: unknown option, did you mean --out"},
        {"render " SCENE " --colour-by speed", "did you mean --color-by"},
        {"check " SCENE " --spacng=1", "did you mean --spacing"},
        {"check " SCENE " -x", "-x: unknown option"},
        {"check " SCENE " --out x", "--out: this command does not take it"},
        {"render " SCENE " --out x --neighbor unifrm_grid",
         "did you mean uniform_grid? known: uniform_grid, "},
        {"render " SCENE " --out x --color-by sped", "did you mean speed"},
        {"render " SCENE " --out x --style particle", "did you mean particles"},
        {"render " SCENE " --out x --export plly",
         "did you mean ply? known: ply, vtk, vtp, bgeo, diffuse_ply, "},
        {"render " SCENE " --out x --camera font", "did you mean front"},
        {"render " SCENE " --out x --camera down", "top, bottom); or a place, EX,EY,EZ,TX,TY,TZ[,FOV]"},
        {"bench " SCENE " --neighbor all,octree", "\"all\" stands alone"},
        {"check dam_brake",
         "dam_brake: cannot be opened: No such file or directory (did you mean dam_break?"},
        {"check elsewhere/wave.yaml", "did you mean wave?"},
        {"check scenes/waves.yml", "(did you mean scenes/wave.yaml?)"},
        {"check ''", "pbf: \"\": an argument is empty (the name of a file, folder or scene)"},
        {"run '' --out x", "\"\": an argument is empty"},
        {"check xyzzy", "(pbf scenes lists those that are found by name)"},
    };
    REFUSE_ALL(cases, 2);
}

static void values_that_are_no_good_are_told_what_is_allowed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"render " SCENE " --out x --frames 0", "--frames: 0 is out of range (1 to 1000000)"},
        {"render " SCENE " --out x --frames -1", "--frames: -1 is out of range (1 to 1000000)"},
        {"render " SCENE " --out x --frames 2.5",
         "--frames: must be a whole number, found \"2.5\" (1 to 1000000)"},
        {"render " SCENE " --out x --frames 1e7", "--frames: 1e7 is out of range (1 to 1000000)"},
        {"render " SCENE " --out x --frames nan", "--frames"},
        {"render " SCENE " --out x --frames ''", "--frames"},
        {"render " SCENE " --out x --frames 18446744073709551617", "--frames"},
        {"render " SCENE " --out x --size 0x0",
         "--size: \"0x0\" is not a picture size (WIDTHxHEIGHT, each 1 to 16384 pixels)"},
        {"render " SCENE " --out x --size 640", "--size"},
        {"render " SCENE " --out x --size 640x", "--size"},
        {"render " SCENE " --out x --size 640x360x2", "--size"},
        {"render " SCENE " --out x --size -640x360", "--size"},
        {"render " SCENE " --out x --size 99999x2", "--size"},
        {"check " SCENE " --spacing 0", "--spacing: 0 is out of range (1e-05 to 1000 m)"},
        {"check " SCENE " --spacing -0.1", "--spacing"},
        {"check " SCENE " --spacing nan", "--spacing: nan is not a finite number (1e-05 to 1000 m)"},
        {"check " SCENE " --spacing inf", "--spacing"},
        {"check " SCENE " --spacing 0.1m", "--spacing: must be a number, found \"0.1m\" (1e-05 to 1000 m)"},
        {"check " SCENE " --spacing 0x1p-3", "--spacing"},
        {"check " SCENE " --spacing=", "--spacing"},
        {"check " SCENE " --spacing 1e999", "--spacing"},
        {"check " SCENE " --fps 0", "--fps"},
        {"check " SCENE " --fps -25", "--fps"},
        {"check " SCENE " --threads 0", "--threads"},
        {"check " SCENE " --threads 100000", "--threads"},
        {"check " SCENE " --set solver.iterations",
         "--set: \"solver.iterations\" is not a setting (KEY=VALUE"},
        {"check " SCENE " --set =5", "--set"},
        {"check " SCENE " --set solver.iteratoins=5", "--set solver.iteratoins"},
        {"check " SCENE " --set solver.iterations=many", "--set solver.iterations"},
        {"bench " SCENE " --steps 0", "--steps"},
        {"bench " SCENE " --warmup -1", "--warmup"},
        {"bench " SCENE " --start nan", "--start"},
        {"bench " SCENE " --neighbor uniform_grid,,brute_force", "--neighbor: \"\" is not known"},
        {"bench " COARSE " --frames 1", "--frames: no step is left to count"},
        {"render " SCENE " --out x --neighbor uniform_grid,brute_force",
         "--neighbor: this command runs one method"},
        {"render " SCENE " --out x --camera 1,2,3", "--camera"},
        {"render " SCENE " --out x --camera 1,2,3,4,5,6,60,7", "--camera"},
        {"render " SCENE " --out x --camera 1,2,nan,4,5,6", "--camera"},
        {"render " SCENE " --out x --camera 1,2,3,4,5,6,180", "--camera"},
        {"render " SCENE " --out x --camera 1,2,3,1,2,3", "--camera"},
        {"render " SCENE " --out x --video x.avi", "--video"},
        {"render " SCENE " --out ''", "--out"},
    };
    REFUSE_ALL(cases, 2);
    assert_int_not_equal(access("x", F_OK), 0);
}

static void arguments_that_are_missing_or_too_many_are_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"render", "a scene is missing"},
        {"check", "a scene is missing"},
        {"bench --steps 5", "a scene is missing"},
        {"render " SCENE, "--out: a folder for the frames is missing"},
        {"render " SCENE " --video x.mp4 --export ply", "--export: needs --out"},
        {"render " SCENE " --out", "--out: a value is missing (DIR)"},
        {"render " SCENE " --out x --quiet=yes", "--quiet: takes no value"},
        {"check " SCENE " " SCENE, "one argument too many"},
        {"check -- --spacing", "--spacing"},
    };
    REFUSE_ALL(cases, 2);
}

static void options_that_would_have_no_effect_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"run " COARSE " --out x --log-every step", "--log-every: has no effect without --log FILE.csv"},
        {"run " COARSE " --log x.csv --keep-checkpoints 5",
         "--keep-checkpoints: has no effect without --out DIR"},
    };
    REFUSE_ALL(cases, 2);
    // A run that goes on has a log already.
    child_assert_done(child_run("run " COARSE " --quiet --frames 1 --checkpoint-every 1 --out %s/kept --log "
                                "%s/kept.csv",
                                folder, folder));
    child_assert_done(child_run("run --quiet --resume %s/kept --frames 2 --log-every step", folder));
}

static void a_scene_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"check no/such.yaml", "no/such.yaml"},
        {"check scenes", "scenes"},
        {"check /dev/null", "/dev/null"},
        {"render no/such.yaml --out /tmp/pbf-never-made", "no/such.yaml"},
    };
    REFUSE_ALL(cases, 2);
    assert_int_not_equal(access("/tmp/pbf-never-made", F_OK), 0);
}

static void an_error_of_the_scene_names_the_option_that_caused_it(void **state)
{
    (void)state;
    ChildRun run = child_run("check " SCENE " --spacing 900");
    assert_refused(run, "--spacing 900", 2, "");
    run = child_run("check " SCENE " --spacing 0.000001");
    assert_true(run.status == 0 || run.status == 2);
    if (run.status == 2) assert_true(is_one_error_line(run.err));
    child_free(&run);
}

static void control_characters_never_reach_the_terminal(void **state)
{
    (void)state;
    ChildRun run = child_run("render\033[31m\a");
    assert_refused(run, "render ESC", 2, "\"render?[31m?\"");
    // CSI as a character and as a byte; letters beyond ASCII stay.
    assert_refused(child_run("a\xc2\x9b"
                             "31m\x9b\xc3\xa9\xe9"),
                   "CSI", 2, "\"a??31m?\xc3\xa9\xe9\"");
}

static void too_many_settings_are_refused(void **state)
{
    (void)state;
    char arguments[3000] = "check " SCENE;
    for (int k = 0; k < 65; k++) strcat(arguments, " --set solver.iterations=3");
    assert_refused(child_run("%s", arguments), "--set 65 times", 2, "--set: too many settings (at most 64)");
}

// --- help ---

static void every_command_explains_itself(void **state)
{
    (void)state;
    static const char *const calls[][2] = {
        {"--help", "pbf render"},
        {"help", "pbf bench"},
        {"help render", "--camera VIEW"},
        {"render --help", "--out DIR"},
        {"bench -h", "--json FILE"},
        {"check --help", "--spacing METERS"},
        {"help --help", "usage: pbf help"},
        {"help bench", "brute_force"},
        {"help bench", "--neighbor LIST"},
        {"help frames", "mesh_usda"},
        {"help frames", "density_error, density"},
        {"help mesh", "or a checkpoint"},
        {"render " SCENE " --help", "usage: pbf render"},
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        ChildRun run = child_run("%s", calls[k][0]);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        if (!strstr(run.out, calls[k][1])) fail_msg("pbf %s does not say %s", calls[k][0], calls[k][1]);
        child_free(&run);
    }
}

static void the_version_is_one_line_and_names_the_driver(void **state)
{
    (void)state;
    ChildRun run = child_run("--version");
    assert_int_equal(run.status, 0);
    assert_int_equal(strncmp(run.out, "pbf ", 4), 0);
    assert_non_null(strstr(run.out, "."));
    assert_non_null(strstr(run.out, ", pictures by "));
    assert_non_null(strstr(run.out, "OpenGL"));
    assert_ptr_equal(strchr(run.out, '\n'), run.out + strlen(run.out) - 1);
    child_free(&run);
}

// --- check ---

static void check_prints_the_particles_with_separators(void **state)
{
    (void)state;
    ChildRun run = child_run("check " SCENE " --spacing 0.05");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "particles         1,000,000\n"));
    assert_non_null(strstr(run.out, "11.5 x 8 x 6.25 m"));
    assert_non_null(strstr(run.out, "influence radius  0.125 m"));
    child_free(&run);
}

// What comes out of nozzles, how long steps are, and what cannot be as it was asked for.
static void check_tells_rates_and_steps_that_are_too_long(void **state)
{
    (void)state;
    const char *scene = test_path(folder, "fine.yaml");
    FILE *file = fopen(scene, "w");
    fputs("spacing: 0.05\ntank: {size: [4, 4, 4]}\n"
          "water: [{box: {min: [0, 0, 0], max: [1, 1, 2]}}]\n"
          "emitters:\n- rectangle: {width: 0.4, height: 0.3}\n  position: [2, 2, 2]\n  speed: 2\n  stop: 3\n"
          "- disc: {radius: 0.25}\n  position: [3, 3, 2]\n  speed: 1\n  volume: 0.2\n"
          "output: {duration: 1, fps: 10}\n",
          file);
    assert_int_equal(fclose(file), 0);
    // With solver.global_pressure, waves do not limit the step.
    ChildRun run = child_run("check %s --set solver.global_pressure=false", scene);
    assert_int_equal(run.status, 0);
    // 8 x 6 particles a layer, 40 layers a second; 0.4 x 0.3 x 2 m^3/s.
    assert_non_null(strstr(run.out, "2 m/s, 0.24 m^3/s, 1,920 particles a second, from 0 to 3 s\n"));
    assert_non_null(strstr(run.out, "1 m/s, 0.2 m^3/s, 1,600 particles a second, 0.2 m^3 in all\n"));
    // 0.12 sqrt(0.05 / 9.81) s: 12 steps a frame. A wave on 2 m moves 0.1 x 0.125 m at sqrt(9.81 x 2) m/s
    // in 2.82 ms: 36 steps a frame.
    assert_non_null(strstr(run.out, "120 at least, 8.57 ms at most each"));
    assert_non_null(strstr(run.out, "360, 2.82 ms each, if water stays as deep as at the start\n"));
    assert_null(strstr(run.out, "max_substeps"));
    child_free(&run);
    // As in a glass, all 100 times smaller: 0.1 sqrt(998 (5e-4)^3 / 5) = 0.0158 ms, where 0.625 are
    // allowed.
    run = child_run("check %s --set emitters=[] --set water.0.box.max=[0.01,0.01,0.02] --spacing 0.0005 "
                    "--set fluid.surface_tension=5 --set solver.global_pressure=false",
                    scene);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "waves ask for 0.28 ms, solver.max_substeps allows 0.62 ms"));
    assert_non_null(strstr(run.out,
                           "surface_tension asks for 0.016 ms, solver.max_substeps allows 0.62 ms: it acts "
                           "as 0.0032 N/m\n"));
    child_free(&run);
    run = child_run("run %s --set emitters=[] --set water.0.box.max=[0.01,0.01,0.02] --spacing 0.0005 "
                    "--dry-run --log /tmp/pbf-none.csv",
                    scene);
    assert_int_equal(run.status, 0);
    assert_non_null(
        strstr(run.err, "warning: fluid.surface_tension asks for 0.13 ms, solver.max_substeps allows"));
    child_free(&run);
}

// Water makes room for strands up to the spacing.
static void check_and_runs_tell_of_strands_that_are_too_thick(void **state)
{
    (void)state;
    const char *words = "strands.0.radius: strands of 0.3 m are thicker than the spacing of 0.2 m: ";
    const char *scene = test_path(folder, "thick.yaml");
    FILE *file = fopen(scene, "w");
    fputs("spacing: 0.2\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
          "strands: [{rope: {from: [0.2, 0.5, 0.5], to: [0.8, 0.5, 0.5]}, radius: 0.15}]\n",
          file);
    assert_int_equal(fclose(file), 0);
    ChildRun run = child_run("check %s", scene);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, words));
    child_free(&run);
    run = child_run("check %s --set strands.0.radius=0.1", scene);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "thicker"));
    child_free(&run);
    run = child_run("run %s --dry-run --log thick.csv", scene);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, words));
    child_free(&run);
}

// No water, more than there is room for, and bodies that end where the tank repeats itself.
static void check_and_runs_tell_of_water_and_bodies_that_are_not_as_asked(void **state)
{
    (void)state;
    static const char half[] = "spacing: 0.1\ntank: {size: [1, 1, 1], periodic: [x]}\n"
                               "water: [{box: {min: [0, 0, 0], max: [1, 1, 0.5]}}]\noutput: {duration: 4}\n";
    static const struct {
        const char *more, *told; // told: NULL for nothing
    } cases[] = {
        {"", NULL},
        {"obstacles: [{box: {size: [3, 3, 3]}, position: [0.5, 0.5, 0.5]}]",
         "water: none is there at the start"},
        {"emitters: [{disc: {radius: 0.2}, position: [0.5, 0.5, 0.8], speed: 2}]",
         "do not fit into the closed tank, which holds 1,000"},
        {"emitters: [{disc: {radius: 0.2}, position: [0.5, 0.5, 0.8], speed: 2, volume: 0.5}]", NULL},
        {"emitters: [{disc: {radius: 0.2}, position: [0.5, 0.5, 0.8], speed: 2}]\n"
         "drains: [{box: {size: [1, 1, 0.2]}, position: [0.5, 0.5, 0.9]}]",
         NULL},
        {"obstacles: [{sphere: {radius: 0.1}, position: [0.5, 0.1, 0.3]},"
         "{sphere: {radius: 0.1}, position: [0.8, 0.5, 0.3]}]",
         "obstacles.1: ends at a periodic side"},
        {"obstacles: [{sphere: {radius: 0.25}, position: [0.5, 0.1, 0.3]}]", NULL},
        {"obstacles: [{box: {size: [2, 0.2, 0.2]}, position: [0.5, 0.5, 0.3]}]", NULL},
        {"obstacles: [{box: {size: [1, 1, 0.2]}, position: [0.5, 0.5, 0.1]}]", NULL},
        {"obstacles: [{box: {size: [3, 3, 0.2]}, position: [0.9, 0.5, -0.4]}]", NULL},
        {"obstacles: [{capsule: {radius: 0.2, height: 0.5}, position: [0.5, 0.5, 0.3], rotation: [0, 45, "
         "0]}]",
         NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(5)) {
        char text[1000];
        int length = snprintf(text, sizeof text, "%s%s\n", half, cases[k].more);
        const char *scene = test_write_file("asked.yaml", text, (size_t)length);
        ChildRun check = child_run("check %s", scene);
        ChildRun run = child_run("run %s --dry-run --log asked.csv", scene);
        assert_int_equal(check.status, 0);
        assert_int_equal(run.status, 0);
        if (cases[k].told && (!strstr(check.out, cases[k].told) || !strstr(run.err, cases[k].told)))
            fail_msg("%s: %s%s", cases[k].more, check.out, run.err);
        if (!cases[k].told && (strstr(run.err, "warning") || strstr(check.out, "periodic side")))
            fail_msg("%s: %s", cases[k].more, run.err);
        child_free(&check);
        child_free(&run);
    }
}

// Emptied from a word on, to the end of its line.
static void blank_line(char *report, const char *word)
{
    char *at = strstr(report, word);
    assert_non_null(at);
    while (*at != '\n') *at++ = '_';
}

// What the machine has free differs from one call to the next.
static void blank_available_memory(char *report)
{
    char *number = strstr(report, " MB of ");
    assert_non_null(number);
    for (number += strlen(" MB of "); *number && *number != ' '; number++) *number = '_';
}

// Seconds that a line of estimates says after a word.
static double seconds_after(const char *report, const char *word)
{
    const char *at = strstr(report, word);
    double number = at ? strtod(at + strlen(word), NULL) : 0;
    const char *unit = at ? strchr(at + strlen(word) + strspn(at + strlen(word), " "), ' ') : NULL;
    assert_non_null(unit);
    return number * (strncmp(unit, " h", 2) == 0 ? 3600 : strncmp(unit, " min", 4) == 0 ? 60 : 1);
}

// Bytes that a line of a report says behind a word.
static double bytes_after(const char *report, const char *word)
{
    const char *at = strstr(report, word);
    double number = at ? strtod(at + strlen(word), NULL) : 0;
    const char *unit = at ? strchr(at + strlen(word) + strspn(at + strlen(word), " "), ' ') : NULL;
    assert_non_null(unit);
    return number * (unit[1] == 'k' ? 1e3 : unit[1] == 'M' ? 1e6 : unit[1] == 'G' ? 1e9 : 1);
}

static void check_and_a_dry_run_count_the_memory_of_whitewater(void **state)
{
    (void)state;
    static const char *const calls[] = {"check " COARSE, "run " COARSE " --dry-run --out /tmp/pbf-none"};
    for (int k = 0; k < 2; k++) {
        ChildRun without = child_run("%s", calls[k]);
        ChildRun with = child_run("%s --set whitewater.max=2000000 --set whitewater.enabled=true", calls[k]);
        double more = bytes_after(with.out, "\nmemory ") - bytes_after(without.out, "\nmemory ");
        if (!(more > 4e7 && more < 2e8)) fail_msg("%g: %s%s", more, without.out, with.out);
        child_free(&with);
        child_free(&without);
    }
}

// Refused is what is certain to find no room; told is also what comes in and may stay.
static void check_and_a_dry_run_count_the_memory_of_water_that_may_drain(void **state)
{
    (void)state;
    static const char *const calls[] = {"check scenes/honey.yaml",
                                        "run scenes/honey.yaml --dry-run --log /tmp/pbf-none.csv"};
    for (size_t k = 0; k < 2; k += test_stride(2)) {
        ChildRun drains = child_run("%s", calls[k]), stays = child_run("%s --set drains=[]", calls[k]);
        double most = bytes_after(drains.out, "\nmemory ");
        assert_non_null(strstr(drains.out, " MB if nothing drains away, 0.0 MB at least, "));
        assert_null(strstr(stays.out, "nothing drains"));
        if (!(most > 5e6 && most == bytes_after(stays.out, "\nmemory ")))
            fail_msg("%g: %s%s", most, drains.out, stays.out);
        child_free(&stays);
        child_free(&drains);
    }
}

// Twice as fine water: eight times the particles, at least as many steps; four times the pixels.
static void estimates_of_time_and_disk_grow_with_the_work(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // the next tests ask for estimates, too
    ChildRun coarse = child_run("check " SCENE " --spacing 0.1 --threads 1");
    ChildRun fine = child_run("check " SCENE " --spacing 0.025 --threads 1");
    double ratio = seconds_after(fine.out, "cost, roughly") / seconds_after(coarse.out, "cost, roughly");
    if (!(ratio > 48 && ratio < 800)) fail_msg("%g: %s%s", ratio, coarse.out, fine.out);
    child_free(&fine);
    child_free(&coarse);
    coarse = child_run("check " SCENE " --size 640x360 --frames 101");
    fine = child_run("check " SCENE " --size 1280x720 --frames 101");
    assert_non_null(strstr(coarse.out, "disk, roughly     18.6 MB for frames of 640x360 pixels\n"));
    assert_non_null(strstr(fine.out, "disk, roughly     74.5 MB for frames of 1280x720 pixels\n"));
    child_free(&fine);
    child_free(&coarse);
    ChildRun run =
        child_run("render " SCENE " --out /tmp/pbf-none --size 1280x720 --frames 101 --export ply,mesh_ply "
                  "--dry-run --spacing 0.25");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "time, roughly "));
    // 8,000 particles of 60 bytes, and of 200 of the surface.
    assert_non_null(strstr(run.out, "disk, roughly      284.5 MB, 44.9 MB at least"));
    child_free(&run);
}

static void options_in_both_spellings_and_settings_mean_the_same(void **state)
{
    (void)state;
    ChildRun a = child_run("check " SCENE " --spacing 0.25 --fps 50 --frames 11");
    ChildRun b = child_run("check --frames=11 --fps=50 --spacing=0.25 " SCENE);
    ChildRun c = child_run("check --set spacing=0.25 --fps 50 --frames 11 " SCENE);
    assert_int_equal(a.status, 0);
    blank_available_memory(a.out);
    blank_line(a.out, "cost, roughly");
    blank_available_memory(b.out);
    blank_line(b.out, "cost, roughly");
    blank_available_memory(c.out);
    blank_line(c.out, "cost, roughly");
    assert_string_equal(a.out, b.out);
    assert_string_equal(a.out, c.out);
    assert_non_null(strstr(a.out, "0.2 s, 11 frames at 50 a second"));
    child_free(&a);
    child_free(&b);
    child_free(&c);
}

static void the_frame_count_follows_from_the_duration(void **state)
{
    (void)state;
    ChildRun run = child_run("check " COARSE " --set output.duration=2 --fps 10");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "2 s, 21 frames at 10 a second"));
    child_free(&run);
}

static void output_that_cannot_be_printed_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    child_setup.out_path = "/dev/full";
    assert_refused(child_run("check " SCENE), "check >/dev/full", 1, "standard output");
}

// --- bench ---

static double json_number(const char *json, const char *key)
{
    char pattern[80];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(json, pattern);
    if (!at) fail_msg("%s is missing in %s", key, json);
    return at ? strtod(at + strlen(pattern), NULL) : 0;
}

static void bench_writes_the_json_of_the_contract(void **state)
{
    (void)state;
    ChildRun run = child_run(
        "bench " COARSE " --steps 4 --warmup 1 --threads 2 --neighbor all --json %s/b.json", folder);
    if (run.status != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.out, "the same for all methods"));
    char *json = test_read_file(test_path(folder, "b.json"), NULL);
    assert_non_null(json);
    assert_int_equal(json_number(json, "version"), 1);
    assert_non_null(strstr(json, "\"scene\": \"dam_break\""));
    assert_int_equal(json_number(json, "particles"), 1000);
    assert_int_equal(json_number(json, "threads"), 2);
    assert_int_equal(json_number(json, "steps"), 4);
    assert_non_null(strstr(json, "\"simd\": \""));
    const char *grid = strstr(json, "{\"name\": \"uniform_grid\""),
               *brute = strstr(json, "{\"name\": \"brute_force\"");
    assert_non_null(grid);
    assert_non_null(brute);
    // Brute force tests every pair; both find the same neighbors and end in the same state.
    assert_int_equal(json_number(brute, "candidates"), 1000 * 999);
    assert_int_equal(json_number(grid, "neighbors"), json_number(brute, "neighbors"));
    assert_true(json_number(grid, "neighbors") < json_number(grid, "candidates"));
    const char *hash = strstr(grid, "\"state_hash\": \""), *other = strstr(brute, "\"state_hash\": \"");
    assert_memory_equal(hash, other, strlen("\"state_hash\": \"") + 17);
    double parts = json_number(grid, "construction_ms") + json_number(grid, "search_ms") +
                   json_number(grid, "behavior_ms");
    assert_true(parts > 0 && json_number(grid, "total_ms") > 0);
    assert_true(json_number(json, "peak_rss_bytes") > 1e6);
    free(json);
    child_free(&run);
}

static void bench_state_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    char first[32] = "";
    for (int threads = 1; threads <= 3; threads += 2) {
        ChildRun run = child_run("bench " COARSE " --steps 8 --quiet --json - --threads %d", threads);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        assert_int_equal(run.out[0], '{');
        const char *hash = strstr(run.out, "\"state_hash\": \"");
        assert_non_null(hash);
        if (threads == 1) snprintf(first, sizeof first, "%.31s", hash);
        assert_memory_equal(first, hash, 31);
        child_free(&run);
    }
}

static void bench_counts_steps_after_the_start_and_within_the_frames(void **state)
{
    (void)state;
    ChildRun run =
        child_run("bench " COARSE " --start 0.1 --steps 1000 --warmup 0 --fps 20 --frames 4 --json -");
    if (run.status != 0) fail_msg("%s", run.err);
    // One frame of 0.05 s is left of 0.15 s.
    double steps = json_number(run.out, "steps");
    assert_true(steps >= 1 && steps < 200);
    child_free(&run);
}

// Where water flows in, candidates and neighbors are means over steps with ever more particles.
static void bench_divides_by_the_particles_that_there_were(void **state)
{
    (void)state;
    static const char CALL[] = "bench %s --neighbor brute_force --quiet --json - --warmup %d --steps %d";
    const char *scene = test_path(folder, "jet.yaml");
    FILE *file = fopen(scene, "w");
    fputs("emitters: [{rectangle: {width: 0.4, height: 0.4}, position: [0, 0, 0], speed: 20}]\n", file);
    assert_int_equal(fclose(file), 0);
    double particles = 0, candidates = 0, last = 0;
    for (int step = 0; step < 6; step++) {
        ChildRun run = child_run(CALL, scene, step, 1);
        last = json_number(run.out, "particles");
        assert_float_equal(json_number(run.out, "candidates"), last * (last - 1), 1e-6); // brute force
        particles += last / 6;
        candidates += last * (last - 1) / 6;
        child_free(&run);
    }
    assert_true(last > 1.2 * particles);
    ChildRun run = child_run(CALL, scene, 0, 6);
    assert_float_equal(json_number(run.out, "particles"), last, 1e-6);
    assert_float_equal(json_number(run.out, "mean_particles"), particles, 1e-6);
    assert_float_equal(json_number(run.out, "candidates"), candidates, 0.51);
    child_free(&run);
    char each[40];
    snprintf(each, sizeof each, " %.1f ", candidates / particles);
    run = child_run("bench %s --neighbor brute_force --warmup 0 --steps 6", scene);
    if (!strstr(run.out, each)) fail_msg("no%sin %s", each, run.out);
    child_free(&run);
}

static void bench_starts_from_a_checkpoint(void **state)
{
    (void)state;
    ChildRun run = child_run(
        "run " COARSE " --neighbor uniform_grid --fps 20 --frames 3 --checkpoint-every 1 --out %s/c", folder);
    if (run.status != 0) fail_msg("%s", run.err);
    child_free(&run);
    // The same steps as from the beginning: the second frame's, of methods that the run did not use.
    const char *calls[] = {"bench " COARSE " --fps 20 --start 0.05",
                           "bench --resume %s/c/checkpoint_0001.pbf"};
    char hash[2][32] = {{0}};
    for (int k = 0; k < 2; k++) {
        char call[1024];
        snprintf(call, sizeof call, calls[k], folder);
        run = child_run("%s --warmup 0 --steps 3 --neighbor octree,aabb_grid --quiet --json -", call);
        if (run.status != 0) fail_msg("%s", run.err);
        const char *found = strstr(run.out, "state_hash");
        assert_non_null(found);
        snprintf(hash[k], sizeof hash[k], "%.31s", found);
        assert_non_null(strstr(run.out, "aabb_grid"));
        child_free(&run);
    }
    assert_string_equal(hash[0], hash[1]);
    run = child_run("bench --resume %s/none.pbf", folder);
    assert_refused(run, "bench --resume none.pbf", 2, "none.pbf");
}

static void an_instruction_set_that_is_not_known_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"foo", "AVX2"};
    for (size_t k = 0; k < 2; k++) {
        child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = names[k]};
        ChildRun run = child_run("check " SCENE);
        child_setup = (ChildSetup){0};
        char words[80];
        snprintf(words, sizeof words,
                 "PBF_SIMD: \"%s\" is not an instruction set (scalar, plain, avx2, avx512)", names[k]);
        assert_refused(run, "check", 2, words);
    }
    child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = ""};
    child_assert_done(child_run("check " SCENE));
    child_setup = (ChildSetup){0};
}

static void a_report_that_cannot_be_written_is_refused_at_once(void **state)
{
    (void)state;
    ChildRun run = child_run("bench " SCENE " --steps 1000000 --json %s/no/b.json", folder);
    assert_refused(run, "bench --json no/b.json", 2, "no/b.json: cannot write: its folder is missing");
}

static void bench_writes_no_file_twice_and_not_over_its_scene(void **state)
{
    (void)state;
    const char text[] = "water: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n";
    const char *scene = test_write_file("b.dat", text, strlen(text));
    static const struct {
        const char *json, *plot, *words;
    } cases[] = {{"b.dat", "a.png", "--json: "},
                 {"a.json", "b.png", "b.dat is one of the files that are read"},
                 {"a.png", "./a.png", "a.png is a file that --json writes"},
                 {"a.dat", "a.png", "a.dat is a file that --json writes"},
                 {"was.json", "link.png", "link.png is a file that --json writes"}};
    test_write_file("was.json", "", 0);
    assert_int_equal(symlink("was.json", test_path(folder, "link.png")), 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_refused(child_run("bench %s --steps 1000000 --json %s/%s --plot %s/%s", scene, folder,
                                 cases[k].json, folder, cases[k].plot),
                       cases[k].plot, 2, cases[k].words);
    char *left = test_read_file(scene, NULL);
    assert_string_equal(left, text);
    free(left);
}

// 255 bytes are the most that a name may have.
static void a_name_that_is_too_long_for_a_folder_or_file_is_a_wrong_call(void **state)
{
    (void)state;
    char name[300] = {0};
    memset(name, 'x', sizeof name - 1);
    ChildRun run = child_run("run " SCENE " --out %s/%s --export ply", folder, name);
    assert_refused(run, "run --out xxx", 2, "cannot make the folder: File name too long");
    // Folders on the way there are gone again, if they were not there before.
    mkdir(test_path(folder, "was"), 0777);
    run = child_run("run " SCENE " --out %s/was/new/./%s/deep --export ply", folder, name);
    assert_refused(run, "run --out was/new/./xxx/deep", 2, "cannot make the folder: File name too long");
    assert_int_equal(test_folder_entries(test_path(folder, "was")), 0);
    run = child_run("bench " SCENE " --steps 1000000 --json %s/%s", folder, name);
    assert_refused(run, "bench --json xxx", 2, "cannot write: File name too long");
}

static void bench_draws_charts_and_keeps_their_numbers(void **state)
{
    (void)state;
    ChildRun run = child_run(
        "bench " COARSE " --steps 2 --warmup 0 --neighbor uniform_grid,octree --plot %s/b.png", folder);
    if (run.status != 0) fail_msg("%s", run.err);
    child_free(&run);
    char *data = test_read_file(test_path(folder, "b.dat"), NULL);
    assert_non_null(data);
    double numbers[7];
    for (int k = 0; k < 2; k++) {
        const char *row = strstr(data, k ? "\noctree " : "\nuniform_grid ");
        assert_non_null(row);
        assert_int_equal(sscanf(row, "%*s %lf %lf %lf %lf %lf %lf %lf", &numbers[0], &numbers[1], &numbers[2],
                                &numbers[3], &numbers[4], &numbers[5], &numbers[6]),
                         7);
        assert_true(numbers[1] > 0 && numbers[3] > numbers[4] && numbers[4] > 10 && numbers[6] > 0);
    }
    free(data);
    long bytes = 0;
    char *picture = test_read_file(test_path(folder, "b.png"), &bytes);
    assert_non_null(picture);
    assert_true(bytes > 5000 && memcmp(picture, "\x89PNG\r\n", 6) == 0);
    free(picture);
    run = child_run("bench " COARSE " --plot %s/b.jpg", folder);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "does not end in .png (FILE.png)"));
    child_free(&run);
}

// Names that programs which draw charts take for commands or data.
static void names_of_charts_are_names_and_nothing_else(void **state)
{
    (void)state;
    static const char *const names[] = {"|touch\tpwned\t#.png", "<touch\tpwned\t#.png", "$data.png",
                                        "`touch\tpwned`.png"};
    char call[600];
    for (size_t k = 0; k < 4; k += test_stride(3)) {
        snprintf(call, sizeof call, "bench " COARSE " --steps 1 --warmup 0 --quiet --plot %s/%s", folder,
                 names[k]);
        ChildRun run = child_run("%s", call);
        if (run.status != 0) fail_msg("%s: %s", names[k], run.err);
        child_free(&run);
        long bytes = 0;
        char *picture = test_read_file(test_path(folder, names[k]), &bytes);
        assert_non_null(picture);
        assert_true(bytes > 5000);
        free(picture);
        assert_int_equal(access("pwned", F_OK), -1);
        assert_int_equal(access(test_path(folder, "pwned"), F_OK), -1);
    }
}

// --- the parts ---

static const char *fruit(uint32_t k, const void *context)
{
    static const char *const names[] = {"apple", "pear", "banana", "blackcurrant"};
    (void)context;
    return k < 4 ? names[k] : NULL;
}

static void the_nearest_name_is_the_one_with_the_fewest_slips(void **state)
{
    (void)state;
    assert_string_equal(nearest_name("aple", fruit, NULL), "apple");
    assert_string_equal(nearest_name("paer", fruit, NULL), "pear");
    assert_string_equal(nearest_name("bananas", fruit, NULL), "banana");
    assert_string_equal(nearest_name("black", fruit, NULL), "blackcurrant");
    assert_null(nearest_name("zzzzzz", fruit, NULL));
    char text[200];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(nearest_name(text, fruit, NULL));
}

static void numbers_are_grouped_by_thousands(void **state)
{
    (void)state;
    char text[27];
    assert_string_equal(number_grouped(0, text), "0");
    assert_string_equal(number_grouped(999, text), "999");
    assert_string_equal(number_grouped(1000, text), "1,000");
    assert_string_equal(number_grouped(1277760, text), "1,277,760");
    assert_string_equal(number_grouped(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_without_a_command_gets_the_usage_and_status_2),
        TEST(mistyped_names_get_the_nearest_known_one),
        TEST(values_that_are_no_good_are_told_what_is_allowed),
        TEST(arguments_that_are_missing_or_too_many_are_named),
        TEST(options_that_would_have_no_effect_are_refused),
        TEST(a_scene_that_cannot_be_read_is_named),
        TEST(an_error_of_the_scene_names_the_option_that_caused_it),
        TEST(control_characters_never_reach_the_terminal),
        TEST(too_many_settings_are_refused),
        TEST(every_command_explains_itself),
        TEST(the_version_is_one_line_and_names_the_driver),
        TEST(check_prints_the_particles_with_separators),
        TEST(estimates_of_time_and_disk_grow_with_the_work),
        TEST(check_and_a_dry_run_count_the_memory_of_whitewater),
        TEST(check_and_a_dry_run_count_the_memory_of_water_that_may_drain),
        TEST(check_tells_rates_and_steps_that_are_too_long),
        TEST(check_and_runs_tell_of_strands_that_are_too_thick),
        TEST(check_and_runs_tell_of_water_and_bodies_that_are_not_as_asked),
        TEST(options_in_both_spellings_and_settings_mean_the_same),
        TEST(the_frame_count_follows_from_the_duration),
        TEST(output_that_cannot_be_printed_is_an_error),
        TEST(bench_writes_the_json_of_the_contract),
        TEST(bench_draws_charts_and_keeps_their_numbers),
        TEST(names_of_charts_are_names_and_nothing_else),
        TEST(bench_state_does_not_depend_on_the_threads),
        TEST(bench_counts_steps_after_the_start_and_within_the_frames),
        TEST(bench_divides_by_the_particles_that_there_were),
        TEST(bench_starts_from_a_checkpoint),
        TEST(an_instruction_set_that_is_not_known_is_refused),
        TEST(a_report_that_cannot_be_written_is_refused_at_once),
        TEST(bench_writes_no_file_twice_and_not_over_its_scene),
        TEST(a_name_that_is_too_long_for_a_folder_or_file_is_a_wrong_call),
        TEST(the_nearest_name_is_the_one_with_the_fewest_slips),
        TEST(numbers_are_grouped_by_thousands),
    };
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
