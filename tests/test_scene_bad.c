// Scenes that are wrong: each is refused with one line that says where, what and what is allowed; quickly,
// without a leak.
#include "case_helpers.h"
#include "core/memory.h"
#include "scene/scene.h"
#include "scene/scene_file.h"
#include "scene/scene_yaml.h"
#include "scene_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BOX "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"
#define OBSTACLE BOX "obstacles:\n  - "

// --- files ---

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void assert_file_refused(const char *path, const char *ending)
{
    SceneDef scene;
    Result result = scene_read(path, NULL, 0, &scene);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, ending));
}

static void files_that_are_missing_or_no_files_are_refused(void **state)
{
    (void)state;
    assert_file_refused("/tmp/no/such/scene.yaml", "/tmp/no/such/scene.yaml: cannot be opened: No such file");
    assert_file_refused("", ": cannot be opened");
    assert_file_refused("/tmp", "/tmp: is a folder, not a file");
    assert_file_refused("/dev/zero", "/dev/zero: is a device, not a file");
    assert_file_refused("/dev/null", "/dev/null: is a device, not a file");
    char *path = memory_allocate(6001);
    memset(path, 'x', 6000);
    path[6000] = 0;
    assert_file_refused(path, "xxx: the path is too long");
    memory_free(path);
}

static void a_file_of_100_mb_is_refused_before_it_is_read(void **state)
{
    (void)state;
    const char *path = scene_write("scene.yaml", "", 0);
    assert_int_equal(truncate(path, 100000000), 0);
    double start = cpu_seconds();
    assert_file_refused(path, "scene.yaml: is too large for a scene: 100.0 MB (at most 1000000 bytes)");
    assert_true(cpu_seconds() - start < TEST_HANG_SECONDS);
}

static void text_without_content_is_refused(void **state)
{
    (void)state;
    static const char message[] = "scene.yaml: is empty (scenes/README.md shows what a scene is)";
    assert_scene_refused("", NULL, message);
    assert_scene_refused("\n# only a comment\n", NULL, message);
    assert_scene_refused(
        "just words\n", NULL,
        "scene.yaml:1:1: a scene is a mapping of keys and values (for example \"spacing: 0.1\")");
    assert_scene_refused("spacing: 0.1\n", NULL,
                         "scene.yaml:1:1: the scene holds no water (it needs water or emitters)");
}

static void bytes_that_are_not_text_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const bad[] = {"a: \x01",     "a: \x7f",         "a: \x80",
                                      "a: \xc0\xaf", "a: \xed\xa0\x80", "a: \xf5\x80\x80\x80"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char message[100];
        snprintf(message, sizeof message, "scene.yaml:1:4: byte 0x%02x is not text (a scene is UTF-8 text)",
                 (unsigned char)bad[k][3]);
        assert_scene_refused(bad[k], NULL, message);
    }
    assert_file_refused(scene_write("scene.yaml", "a: 1\nb: \0 2", 11),
                        "scene.yaml:2:4: byte 0x00 is not text");
}

// The first and the last that Unicode has of each length, and what lies just outside.
static void text_of_all_scripts_is_text(void **state)
{
    (void)state;
    static const char *const good[] = {"~",
                                       "\xc2\xa0",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf0\x9f\x8c\x8a",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\xc2\x9f",     "\xe0\x9f\xbf",     "\xed\xbf\xbf",
                                      "\xee\x80",     "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                                      "\xf0\x9f\x8c", "\xf0\x9f\x8c "};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_int_equal(scene_text_check(good[k], strlen(good[k])), strlen(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_int_equal(scene_text_check(bad[k], strlen(bad[k])), 0);
}

static void long_paths_leave_room_for_the_message(void **state)
{
    (void)state;
    char path[2000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    for (size_t k = 100; k < sizeof path; k += 100) path[k] = '/';
    memcpy(path + sizeof path - 10, "/end.yaml", 10);
    assert_file_refused(path, "xxx/end.yaml: cannot be opened: No such file");
}

// --- YAML ---

static void broken_yaml_is_reported_with_its_place(void **state)
{
    (void)state;
    assert_scene_refused("a: b: c\n", NULL,
                         "scene.yaml:1:5: not valid YAML: invalid nested block mapping on the same line");
    assert_scene_refused("a: \"x\n", NULL,
                         "scene.yaml:1:5: not valid YAML: double-quoted scalar without closing quote");
    assert_scene_refused("a: @x\n", NULL,
                         "scene.yaml:1:4: not valid YAML: plain scalar cannot start with '@'");
}

static void yaml_beyond_plain_data_is_refused(void **state)
{
    (void)state;
    assert_scene_refused("spacing: !!float 1\n", NULL,
                         "scene.yaml:1:18: tags are not understood (plain YAML values)");
    assert_scene_refused("spacing: 1\n---\nspacing: 2\n", NULL,
                         "scene.yaml:2:1: a second document starts (only one is read)");
    assert_scene_refused("[1, 2]: 3\n", NULL, "scene.yaml:1:1: a key must be plain text");
    assert_scene_refused(
        "<<: {spacing: 1}\n", NULL,
        "scene.yaml:1:1: <<: unknown key (known: name, description, tank, fluid, solver, spacing, water, "
        "obstacles, scatter, emitters, drains, strands, probes, whitewater, surface, camera, look, ...)");
    assert_scene_refused("name: \"a\\0b\"\n", NULL, "scene.yaml:1:8: control character 0x00 in a text");
    assert_scene_refused("name: \"a\\x9b31m\"\n", NULL, "scene.yaml:1:8: control character 0x9b in a text");
    assert_scene_refused("name: \"a\\x7f\"\n", NULL, "scene.yaml:1:8: control character 0x7f in a text");
}

static void aliases_without_an_anchor_or_of_themselves_are_refused(void **state)
{
    (void)state;
    assert_scene_refused("water: *nothing\n", NULL, "scene.yaml:1:9: alias *nothing has no anchor before it");
    assert_scene_refused("water: &w [*w]\n", NULL, "scene.yaml:1:13: alias *w contains itself");
    assert_scene_refused("&all\nwater: {a: {b: *all}}\n", NULL,
                         "scene.yaml:2:17: alias *all contains itself");
}

// Each line has ten aliases of the line before: 10^9 values if they were resolved.
static void an_alias_bomb_is_refused_quickly(void **state)
{
    (void)state;
    char text[2000] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int level = 1; level <= 9; level++) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [", level, level);
        for (int k = 0; k < 10; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s*a%d", k ? ", " : "", level - 1);
        snprintf(text + used, sizeof text - used, "]\n");
    }
    SceneDef scene;
    double start = cpu_seconds();
    Result result = scene_read_text(text, NULL, &scene);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "too much content (at most 500000 values, aliases resolved)"));
    assert_true(cpu_seconds() - start < TEST_HANG_SECONDS);
}

// A megabyte of one text, again and again.
static void assert_flood_refused(const char *unit, const char *ending)
{
    char *text = memory_allocate(YAML_MAX_BYTES);
    size_t length = strlen(unit), count = (YAML_MAX_BYTES - 1) / length;
    SceneDef scene;
    for (size_t k = 0; k < count; k++) memcpy(text + k * length, unit, length);
    const char *path = scene_write("scene.yaml", text, count * length);
    memory_free(text);
    double start = cpu_seconds();
    Result result = scene_read(path, NULL, 0, &scene);
    assert_int_equal(result.code, RESULT_USAGE);
    if (!strstr(result.text, ending)) fail_msg("%s", result.text);
    if (cpu_seconds() - start > TEST_HANG_SECONDS)
        fail_msg("\"%.20s\" takes %.1f s", unit, cpu_seconds() - start);
}

static void megabytes_of_nesting_or_of_values_are_refused_quickly(void **state)
{
    (void)state;
    assert_flood_refused("[", "");
    assert_flood_refused("- ", "nested too deeply");
    assert_flood_refused("{a: ", "");
    assert_flood_refused("a: 1\n", "a: unknown key");
    assert_flood_refused("- 1\n", "a scene is a mapping");
    assert_flood_refused("spacing: 1\n", "spacing: is given twice");
    assert_flood_refused("a", "a scene is a mapping");
    assert_flood_refused("\"", "");
    assert_flood_refused("? ", "");
    assert_flood_refused("&a ", "");
    assert_flood_refused("- &a 1\n", "too many anchors");
    assert_flood_refused("# x\n", "is empty");
    assert_flood_refused("\n", "is empty");
    assert_flood_refused("|\n", "");
    assert_flood_refused("%a\n", "");
}

// --- keys and values ---

static void unknown_keys_are_refused_with_the_nearest_known_one(void **state)
{
    (void)state;
    assert_scene_refused("spacng: 1\n", NULL, "scene.yaml:1:1: spacng: unknown key (did you mean spacing?)");
    assert_scene_refused("fluid:\n  viscocity: 1\n", NULL,
                         "scene.yaml:2:3: fluid.viscocity: unknown key (did you mean viscosity?)");
    assert_scene_refused("fluid:\n  vorticity: 0.01\n", NULL,
                         "scene.yaml:2:3: fluid.vorticity: is called solver.vorticity_confinement now");
    assert_scene_refused(
        "fluid:\n  viscosity: 5\n", NULL,
        "scene.yaml:2:14: fluid.viscosity: 5 is out of range (0 to 1 m^2/s; a rate in 1/s is "
        "solver.xsph: 5)");
    assert_scene_refused("gravity: [0, 0, 0]\n", NULL,
                         "scene.yaml:1:1: gravity: unknown key here (did you mean fluid.gravity?)");
    assert_scene_refused(
        "camera: {zoom: 1}\n", NULL,
        "scene.yaml:1:10: camera.zoom: unknown key (known: eye, target, fov, aperture, focus, "
        "shutter)");
    assert_scene_refused("water:\n- box: {min: [0, 0, 0], max: [1, 1, 1]}\n  velcoity: [0, 0, 0]\n", NULL,
                         "scene.yaml:3:3: water.0.velcoity: unknown key (did you mean velocity?)");
}

static void keys_that_are_missing_double_or_at_odds_are_refused(void **state)
{
    (void)state;
    assert_scene_refused("tank: {corner: [0, 0, 0]}\n", NULL, "scene.yaml:1:7: tank: needs the key size");
    assert_scene_refused("spacing: 1\nspacing: 1\n", NULL, "scene.yaml:2:1: spacing: is given twice");
    assert_scene_refused("water:\n- velocity: [0, 0, 0]\n", NULL,
                         "scene.yaml:2:3: water.0: needs one of the keys box, sphere, mesh");
    assert_scene_refused(OBSTACLE "{sphere: {radius: 1}, box: {size: [1, 1, 1]}}\n", NULL,
                         "scene.yaml:4:27: obstacles.0.box: cannot be together with sphere (one of them)");
    assert_scene_refused(
        OBSTACLE "{sphere: {radius: 1}, position: [0, 0, 0], motion: {keyframes: [{time: 0, position: [0, 0, "
                 "0]}, {time: 1, position: [0, 0, 0]}]}}\n",
        NULL,
        "scene.yaml:4:27: obstacles.0.position: cannot be together with keyframes (they place the obstacle)");
    assert_scene_refused(
        BOX "camera: {eye: [1, 2, 3]}\n", NULL,
        "scene.yaml:3:9: camera: needs both eye and target (or neither: the scene is framed)");
}

static void values_of_the_wrong_type_are_refused(void **state)
{
    (void)state;
    assert_scene_refused("spacing: wide\n", NULL,
                         "scene.yaml:1:10: spacing: must be a number, found \"wide\" (1e-05 to 1000 m)");
    assert_scene_refused("spacing: \"1\"\n", NULL,
                         "scene.yaml:1:11: spacing: must be a number, found text in quotes");
    assert_scene_refused("spacing: 0x10\n", NULL,
                         "scene.yaml:1:10: spacing: must be a number, found \"0x10\" (1e-05 to 1000 m)");
    assert_scene_refused("spacing: 1 m\n", NULL,
                         "scene.yaml:1:10: spacing: must be a number, found \"1 m\" (1e-05 to 1000 m)");
    assert_scene_refused("spacing: [1]\n", NULL, "scene.yaml:1:10: spacing: must be a number, found a list");
    assert_scene_refused(
        "solver: {iterations: 2.5}\n", NULL,
        "scene.yaml:1:22: solver.iterations: must be a whole number, found \"2.5\" (1 to 64)");
    assert_scene_refused("fluid: {gravity: -9.81}\n", NULL,
                         "scene.yaml:1:18: fluid.gravity: must be a list of 3 numbers, found \"-9.81\"");
    assert_scene_refused("fluid: {gravity: [0, 0]}\n", NULL,
                         "scene.yaml:1:18: fluid.gravity: must be a list of 3 numbers, found 2");
    assert_scene_refused(
        "fluid: {gravity: [0, 0, down]}\n", NULL,
        "scene.yaml:1:25: fluid.gravity.2: must be a number, found \"down\" (-1000 to 1000 m/s^2)");
    assert_scene_refused("water: {box: 1}\n", NULL, "scene.yaml:1:8: water: must be a list, found a mapping");
    assert_scene_refused("tank: [1, 2, 3]\n", NULL,
                         "scene.yaml:1:7: tank: must be a mapping of keys and values, found a list");
    assert_scene_refused("output: {legend: yes}\n", NULL,
                         "scene.yaml:1:18: output.legend: must be true or false, found \"yes\"");
    assert_scene_refused(
        "surface: {isovalue: wide}\n", NULL,
        "scene.yaml:1:21: surface.isovalue: must be auto or a number, found \"wide\" (0.1 to 0.9)");
    assert_scene_refused("name: [a]\n", NULL, "scene.yaml:1:7: name: must be text, found a list");
}

static void numbers_that_are_not_finite_or_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *value, *complaint;
    } bad[] = {
        {".nan", "is not a finite number"},  {".NaN", "is not a finite number"},
        {"-.inf", "is not a finite number"}, {"inf", "is not a finite number"},
        {"1e999", "is not a finite number"}, {"0", "is out of range"},
        {"-0.1", "is out of range"},         {"1e-60", "is out of range"},
        {"1001", "is out of range"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[50], message[120];
        snprintf(text, sizeof text, "spacing: %s\n", bad[k].value);
        snprintf(message, sizeof message, "scene.yaml:1:10: spacing: %s %s (1e-05 to 1000 m)", bad[k].value,
                 bad[k].complaint);
        assert_scene_refused(text, NULL, message);
    }
    assert_scene_refused("solver: {velocity_kernels: -1}\n", NULL,
                         "scene.yaml:1:28: solver.velocity_kernels: -1 is out of range (0 to 1 s)");
    assert_scene_refused("solver: {velocity_kernels_limit: 3}\n", NULL,
                         "scene.yaml:1:34: solver.velocity_kernels_limit: 3 is out of range (1 to 1.5)");
    assert_scene_refused("solver: {angular_momentum: many}\n", NULL,
                         "scene.yaml:1:28: solver.angular_momentum: must be a number, found \"many\" (0 to "
                         "1000 1/s)");
    assert_scene_refused("solver: {micropolar: 0.1, angular_momentum: 10}\nwater: [{box: {min: [0, 0, 0], "
                         "max: [1, 1, 1]}}]\n",
                         NULL,
                         "scene.yaml:1:45: solver.angular_momentum: a particle has one spin "
                         "(solver.micropolar: 0, or this one)");
    assert_scene_refused("solver: {iterations: 0}\n", NULL,
                         "scene.yaml:1:22: solver.iterations: 0 is out of range (1 to 64)");
    assert_scene_refused("solver: {time_step: 0}\n", NULL,
                         "scene.yaml:1:21: solver.time_step: 0 is out of range (1e-09 to 1 s)");
    assert_scene_refused("output: {size: [0, 0]}\n", NULL,
                         "scene.yaml:1:17: output.size.0: 0 is out of range (1 to 16384 pixels)");
    assert_scene_refused("tank: {size: [1, -1, 1]}\n", NULL,
                         "scene.yaml:1:18: tank.size.1: -1 is out of range (above 0, up to 100000 m)");
}

static void unknown_names_are_refused_with_the_nearest_known_one(void **state)
{
    (void)state;
    assert_scene_refused(
        "solver: {boundary: pennalty}\n", NULL,
        "scene.yaml:1:20: solver.boundary: \"pennalty\" is not known (did you mean penalty? known: density, "
        "penalty)");
    assert_scene_refused(
        "tank: {size: [1, 1, 1], open: [up]}\n", NULL,
        "scene.yaml:1:32: tank.open.0: \"up\" is not known (known: left, right, front, back, bottom, top)");
    SceneDef scene;
    Result result = scene_read_text("solver: {neighbor: uniform_grd}\n", NULL, &scene);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text,
                           "scene.yaml:1:20: solver.neighbor: \"uniform_grd\" is not known (did you mean "
                           "uniform_grid? known: uniform_grid"));
}

static void overrides_that_are_wrong_are_reported_as_such(void **state)
{
    (void)state;
    assert_scene_refused(BOX, "solver.iteration=5",
                         "--set solver.iteration: unknown key (did you mean iterations?)");
    assert_scene_refused(BOX, "solver.iterations=0", "--set solver.iterations: 0 is out of range (1 to 64)");
    assert_scene_refused(BOX, "solver={iterations: 0}",
                         "--set solver: solver.iterations: 0 is out of range (1 to 64)");
    assert_scene_refused(
        BOX, "water.0.box={min: [0, 0, 0], max: [1, 1, x]}",
        "--set water.0.box: water.0.box.max.2: must be a number, found \"x\" (-100000 to 100000 m)");
    assert_scene_refused(BOX, "water.3.velocity=[0, 0, 0]",
                         "--set water.3.velocity: no item \"3\" in the list (0 to 0; 1 adds one)");
    assert_scene_refused(BOX, "water.x.velocity=[0, 0, 0]",
                         "--set water.x.velocity: no item \"x\" in the list (0 to 0; 1 adds one)");
    assert_scene_refused(BOX, "drains.1.position=[0, 0, 0]",
                         "--set drains.1.position: no item \"1\" in the empty list (0 adds one)");
    assert_scene_refused(BOX, "drains.0.position=[0, 0, 0]",
                         "--set drains.0.position: drains.0: needs one of the keys box, sphere");
    assert_scene_refused("spacing: 1\n", "spacing.x=1",
                         "--set spacing.x: there is nothing below a single value");
    assert_scene_refused(BOX, "spacing=", "--set spacing: has no value (KEY=VALUE)");
    assert_scene_refused(BOX, "=1", "--set : the key is incomplete (for example solver.iterations)");
    assert_scene_refused(BOX, "solver..cfl=1",
                         "--set solver..cfl: the key is incomplete (for example solver.iterations)");
    assert_scene_refused(BOX, "spacing=[1",
                         "--set spacing: not valid YAML: flow sequence without a closing bracket");
    assert_scene_refused(BOX, "spacing=\x01",
                         "--set spacing: is not text (UTF-8 without control characters)");
    const char *const flat[] = {"water.0.box.max=[0, 1, 1]", "water.0.box.max=[1, 0, 1]",
                                "water.0.box.max=[1, 1, 0]"};
    for (int k = 0; k < 3; k++)
        assert_scene_refused(BOX, flat[k],
                             "scene.yaml:2:10: water.0.box: min must be below max on every axis");
}

// --- what keys must fulfil together ---

static void water_outside_of_closed_walls_is_refused(void **state)
{
    (void)state;
    assert_scene_refused(BOX "tank: {size: [0.5, 2, 2]}\n", NULL,
                         "scene.yaml:2:5: water.0: the water passes the tank's right wall (the tank is [0, "
                         "0, 0] to [0.5, 2, 2])");
    assert_scene_refused(BOX "tank: {corner: [-1, -1, 0.5], size: [3, 3, 3]}\n", NULL,
                         "scene.yaml:2:5: water.0: the water passes the tank's bottom wall (the tank is [-1, "
                         "-1, 0.5] to [2, 2, "
                         "3.5])");
    SceneDef scene = scene_from_text(BOX "tank: {size: [0.5, 2, 2], open: [right]}\n", NULL);
    scene_free(&scene);
}

static void water_that_overlaps_is_refused_and_water_that_touches_is_not(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        bool overlaps;
    } cases[] = {
        {"box: {min: [0.95, 0, 0], max: [2, 1, 1]}", true},
        {"box: {min: [1, 0, 0], max: [2, 1, 1]}", false},
        {"box: {min: [0.2, 0.2, 0.2], max: [0.4, 0.4, 0.4]}", true},
        {"sphere: {center: [2, 0.5, 0.5], radius: 1}", false},
        {"sphere: {center: [1.9, 0.5, 0.5], radius: 1}", true},
        {"sphere: {center: [1.8, 1.8, 0.5], radius: 1}", false}, // its box overlaps, the ball does not
        {"sphere: {center: [1.8, 0.5, 1.8], radius: 1}", false},
        {"sphere: {center: [0.5, 1.8, 1.8], radius: 1}", false},
        {"sphere: {center: [0.5, 0.5, 1.9], radius: 1}", true},
        {"mesh: {file: cube.obj, position: [0.5, 0.5, 0.5]}", true},
        {"mesh: {file: cube.obj, position: [1, 0, 0]}", false},
        {"mesh: {file: cube.obj, rotation: [0, 0, 45], position: [1.8, 0.8, 0]}", false},
    };
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[300];
        snprintf(text, sizeof text, "%s  - %s\n", BOX, cases[k].second);
        if (cases[k].overlaps) {
            assert_scene_refused(text, NULL, "scene.yaml:3:5: water.1: overlaps water.0 (volumes may touch)");
        } else {
            SceneDef scene = scene_from_text(text, NULL);
            scene_free(&scene);
        }
    }
}

static void volumes_without_a_particle_are_refused(void **state)
{
    (void)state;
    assert_scene_refused(BOX, "spacing=1.2", "scene.yaml:2:5: water.0: holds no particle (spacing 1.2 m)");
    assert_scene_refused("water: [{sphere: {center: [0, 0, 0], radius: 0.05}}]\n", NULL,
                         "scene.yaml:1:9: water.0: holds no particle (spacing 0.1 m)");
    assert_scene_refused(BOX "tank: {size: [1, 1, 0.01], open: [top]}\n", NULL,
                         "scene.yaml:3:14: tank.size: the tank is narrower than a particle (spacing 0.1 m)");
    assert_scene_refused(
        "emitters: [{disc: {radius: 0.01}, position: [0, 0, 0], speed: 1}]\n", NULL,
        "scene.yaml:1:12: emitters.0: the nozzle is too small for a particle (spacing 0.1 m)");
}

static void more_than_can_be_numbered_is_refused_before_it_is_sampled(void **state)
{
    (void)state;
    assert_scene_refused(
        BOX, "spacing=0.0001",
        "scene.yaml:2:5: water.0: holds 1e+12 particles at a spacing of 0.0001 m (at most 2147483647)");
    assert_scene_refused("water:\n  - box: {min: [0, 0, 0], max: [9, 1, 1]}\n", "spacing=1e-5",
                         "scene.yaml:2:5: water.0: the water is 9e+05 spacings long (at most 100000)");
    assert_scene_refused(BOX "output: {duration: 1000000, fps: 1000}\n", NULL,
                         "scene.yaml:3:9: output: duration times fps are 1e+09 frames (fewer than 1000000)");
    // Each alone is few enough.
    assert_scene_refused(
        "spacing: 0.1\nwater:\n- sphere: {center: [0, 0, 0], radius: 49}\n"
        "- sphere: {center: [100, 0, 0], radius: 49}\n- sphere: {center: [200, 0, 0], radius: 49}\n"
        "- sphere: {center: [300, 0, 0], radius: 49}\n- sphere: {center: [400, 0, 0], radius: 49}\n",
        NULL, "scene.yaml:3:1: water: holds 2.46e+09 particles at a spacing of 0.1 m (at most 2147483647)");
}

// Every step goes over the places of a layer.
static void a_nozzle_with_millions_of_places_is_refused(void **state)
{
    (void)state;
    assert_scene_refused("spacing: 0.1\nemitters:\n- {disc: {radius: 401}, position: [0, 0, 0], speed: 1}\n",
                         NULL, "scene.yaml:3:3: emitters.0: a layer holds 6.43e+07 particles (at most 1e7)");
}

static void nozzles_outside_of_the_tank_are_refused(void **state)
{
    (void)state;
    static const char tank[] = "tank: {size: [4, 4, 4]}\n";
    char text[200];
    snprintf(text, sizeof text, "%semitters: [{disc: {radius: 1}, position: [0.5, 2, 3], speed: 1}]\n", tank);
    assert_scene_refused(text, NULL,
                         "scene.yaml:2:12: emitters.0: the nozzle passes the tank's left wall (the tank is "
                         "[0, 0, 0] to [4, 4, "
                         "4])");
    SceneDef scene = scene_from_text(text, "emitters.0.rotation=[0, 90, 0]"); // now it stands upright
    scene_free(&scene);
    static const struct {
        const char *place, *face;
    } sides[] = {{"[3.5, 2, 3]", "right"}, {"[2, 0.5, 3]", "front"}, {"[2, 3.5, 3]", "back"}};
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        char setting[80], message[200];
        snprintf(setting, sizeof setting, "emitters.0.position=%s", sides[k].place);
        snprintf(message, sizeof message,
                 "scene.yaml:2:12: emitters.0: the nozzle passes the tank's %s wall (the tank is [0, 0, 0] "
                 "to [4, 4, 4])",
                 sides[k].face);
        assert_scene_refused(text, setting, message);
    }
}

static void motions_that_go_back_in_time_are_refused(void **state)
{
    (void)state;
    assert_scene_refused(
        OBSTACLE "{sphere: {radius: 1}, motion: {oscillation: {period: 1, start: 2, stop: 1}}}\n", NULL,
        "scene.yaml:4:49: obstacles.0.motion.oscillation: stop must be later than start");
    assert_scene_refused(
        OBSTACLE "{sphere: {radius: 1}, motion: {keyframes: [{time: 1, position: [0, 0, 0]}, {time: 1, "
                 "position: [0, 0, 0]}]}}\n",
        NULL,
        "scene.yaml:4:80: obstacles.0.motion.keyframes.1: time must be later than that of the keyframe "
        "before");
    assert_scene_refused(OBSTACLE
                         "{sphere: {radius: 1}, motion: {keyframes: [{time: 1, position: [0, 0, 0]}]}}\n",
                         NULL, "scene.yaml:4:47: obstacles.0.motion.keyframes: needs at least two keyframes");
}

// --- meshes ---

static void assert_mesh_refused(const char *obj, const char *part)
{
    SceneDef scene;
    uint64_t before = memory_bytes_in_use();
    if (obj) scene_write("mesh.obj", obj, strlen(obj));
    Result result = scene_read_text(OBSTACLE "mesh: {file: mesh.obj}\n", NULL, &scene);
    assert_int_equal(result.code, RESULT_USAGE);
    if (!strstr(result.text, "scene.yaml:4:18: obstacles.0.mesh.file: ") || !strstr(result.text, part))
        fail_msg("%s does not say %s", result.text, part);
    assert_int_equal(memory_bytes_in_use(), before);
}

static void meshes_that_are_missing_open_or_malformed_are_refused_with_the_place_in_the_scene(void **state)
{
    (void)state;
    assert_mesh_refused(NULL, "mesh.obj: ");
    assert_mesh_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "mesh.obj");
    assert_mesh_refused("v 0 0\n", "mesh.obj:1");
    assert_mesh_refused("", "mesh.obj");
}

// --- anything ---

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

// Whatever the bytes are, there is an outcome: a scene, or one line.
static void scenes_with_random_damage_never_crash_or_leak(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[",  "]",    "{",  "}",   ": ", "- ", "\n",    "&a ",
                                         "*a", "!!x ", "\"", "|\n", "#",  "-",  "1e300", "0"};
    char source[4000], text[8000];
    FILE *file = fopen("scenes/mixer.yaml", "rb");
    assert_non_null(file);
    size_t length = fread(source, 1, sizeof source, file);
    fclose(file);
    for (int run = 0; run < 600; run++) {
        size_t used = length;
        memcpy(text, source, length);
        for (uint32_t k = random_below(5) + 1; k > 0; k--) {
            size_t at = random_below((uint32_t)used);
            const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];
            size_t more = strlen(piece);
            if (random_below(3) == 0) {
                text[at] = (char)random_below(256);
                continue;
            }
            memmove(text + at + more, text + at, used - at);
            memcpy(text + at, piece, more);
            used += more;
        }
        SceneDef scene;
        uint64_t before = memory_bytes_in_use();
        Result result = scene_read(scene_write("scene.yaml", text, used), NULL, 0, &scene);
        if (result_is_ok(&result))
            scene_free(&scene);
        else
            assert_true(result.text[0] && !strchr(result.text, '\n'));
        assert_int_equal(memory_bytes_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_missing_or_no_files_are_refused),
        cmocka_unit_test(a_file_of_100_mb_is_refused_before_it_is_read),
        cmocka_unit_test(text_without_content_is_refused),
        cmocka_unit_test(bytes_that_are_not_text_are_refused_with_their_place),
        cmocka_unit_test(text_of_all_scripts_is_text),
        cmocka_unit_test(long_paths_leave_room_for_the_message),
        cmocka_unit_test(broken_yaml_is_reported_with_its_place),
        cmocka_unit_test(yaml_beyond_plain_data_is_refused),
        cmocka_unit_test(aliases_without_an_anchor_or_of_themselves_are_refused),
        cmocka_unit_test(an_alias_bomb_is_refused_quickly),
        cmocka_unit_test(megabytes_of_nesting_or_of_values_are_refused_quickly),
        cmocka_unit_test(unknown_keys_are_refused_with_the_nearest_known_one),
        cmocka_unit_test(keys_that_are_missing_double_or_at_odds_are_refused),
        cmocka_unit_test(values_of_the_wrong_type_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_or_out_of_range_are_refused),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest_known_one),
        cmocka_unit_test(overrides_that_are_wrong_are_reported_as_such),
        cmocka_unit_test(water_outside_of_closed_walls_is_refused),
        cmocka_unit_test(water_that_overlaps_is_refused_and_water_that_touches_is_not),
        cmocka_unit_test(volumes_without_a_particle_are_refused),
        cmocka_unit_test(more_than_can_be_numbered_is_refused_before_it_is_sampled),
        cmocka_unit_test(a_nozzle_with_millions_of_places_is_refused),
        cmocka_unit_test(nozzles_outside_of_the_tank_are_refused),
        cmocka_unit_test(motions_that_go_back_in_time_are_refused),
        cmocka_unit_test(meshes_that_are_missing_open_or_malformed_are_refused_with_the_place_in_the_scene),
        cmocka_unit_test(scenes_with_random_damage_never_crash_or_leak),
    };
    return cmocka_run_group_tests_name("scene_bad", tests, scene_folder_make, scene_folder_remove);
}
