// Scenes, options and files keep their decimal points where the process has a locale with commas, as inside
// of a host program that has called setlocale.
#include "case_helpers.h"
#include "command/command.h"
#include "command_helpers.h"
#include "core/c_locale.h"
#include "export/export.h"

#include <dirent.h>
#include <locale.h>
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

static const char SCENE[] = "spacing: 0.25\n"
                            "tank: {size: [1.5, 1.5, 2.25]}\n"
                            "water: [{box: {min: [0.25, 0.25, 0.5], max: [1.25, 1.25, 1.5]}}]\n"
                            "obstacles: [{mesh: {file: wedge.obj, cell: 0.25}, position: [0.5, 0.5, 0.25],\n"
                            "  motion: {oscillation: {amplitude: [0.125, 0, 0], period: 1.5}}}]\n"
                            "strands: [{rope: {from: [0.5, 0.75, 1], to: [1, 0.75, 1]}, segments: 4}]\n"
                            "output: {fps: 12.5, size: [32, 18]}\n";
static const char WEDGE[] = "v 0 0 0\nv 0.5 0 0\nv 0 0.5 0\nv 0 0 0.75\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char PARTICLES[] =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n0.5 0.25 1e-1\n0.75 0.25 0.1\n0.5 0.5 0.125\n";

static bool commas; // the locale could be made

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(test_path(folder, name), "w");
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    char command[400];
    if (make_folder(state) != 0) return -1;
    write_text("scene.yaml", SCENE);
    write_text("wedge.obj", WEDGE);
    write_text("in.ply", PARTICLES);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    setenv("LOCPATH", folder, 1);
    commas = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") &&
             strcmp(localeconv()->decimal_point, ",") == 0;
    setlocale(LC_ALL, "C");
    return 0;
}

// Runs a command of the program in this process. "@" stands for the test's folder.
static void run(const char *locale, const char *arguments)
{
    char text[1000] = "", *parts[40];
    int count = 0;
    for (const char *at = arguments; *at; at++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, *at == '@' ? "%s" : "%.1s", *at == '@' ? folder : at);
    }
    for (char *part = strtok(text, " "); part; part = strtok(NULL, " ")) parts[count++] = part;
    const Command *command;
    static Options options; // large, for the stack
    assert_non_null(setlocale(LC_ALL, locale));
    Result result = command_find(parts[0], &command);
    if (result_is_ok(&result)) result = options_parse(count - 1, parts + 1, command->bit, &options);
    if (result_is_ok(&result)) result = command->run(&options);
    setlocale(LC_ALL, "C");
    if (!result_is_ok(&result)) fail_msg("%s: %s", locale, result.text);
}

// Every file of one folder is in the other, byte for byte; returns their number.
static int compare_folders(const char *a, const char *b)
{
    int files = 0;
    DIR *entries = opendir(test_path(folder, a));
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[2][300];
        long bytes[2] = {0};
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "run.yaml") == 0)
            continue; // it names its folder
        snprintf(path[0], sizeof path[0], "%s/%s/%s", folder, a, entry->d_name);
        snprintf(path[1], sizeof path[1], "%s/%s/%s", folder, b, entry->d_name);
        char *text[2] = {test_read_file(path[0], &bytes[0]), test_read_file(path[1], &bytes[1])};
        if (!text[0] || !text[1] || bytes[0] != bytes[1] || memcmp(text[0], text[1], (size_t)bytes[0]) != 0)
            fail_msg("%s differs", entry->d_name);
        free(text[0]);
        free(text[1]);
        files++;
    }
    closedir(entries);
    return files;
}

static void numbers_have_a_point(void **state)
{
    (void)state;
    char text[40], *end;
    if (!commas) skip();
    setlocale(LC_ALL, "de_DE.UTF-8");
    c_snprintf(text, sizeof text, "%g %.2f", 0.5, 1e3);
    double number = c_strtod("0.75 m", &end);
    snprintf(text + 20, 20, "%g", 0.5); // the process's own locale is as it was
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.5 1000.00");
    assert_true(number == 0.75 && strcmp(end, " m") == 0);
    assert_string_equal(text + 20, "0,5");
}

static void a_run_writes_the_same_files(void **state)
{
    (void)state;
    char formats[400] = "", arguments[1000];
    if (!commas) skip();
    for (uint32_t k = 0; file_format(k); k++) {
        strcat(formats, k > 0 ? "," : "");
        strcat(formats, file_format(k)->name);
    }
    static const char *const locales[] = {"C", "de_DE.UTF-8"};
    for (int k = 0; k < 2; k++) {
        snprintf(
            arguments, sizeof arguments,
            "render @/scene.yaml --quiet --frames 2 --set solver.cfl=0.375 --set whitewater.enabled=true "
            "--neighbor uniform_grid --checkpoint-every 9 --out @/run%d --export %s",
            k, formats);
        run(locales[k], arguments);
    }
    assert_true(compare_folders("run0", "run1") > 2 * 13);
}

static void meshes_are_made_of_the_same_particles(void **state)
{
    (void)state;
    if (!commas) skip();
    mkdir(test_path(folder, "a"), 0700);
    mkdir(test_path(folder, "b"), 0700);
    run("C", "mesh @/in.ply --quiet --spacing 0.25 --set surface.cell=0.5 --out @/a/mesh.obj");
    run("de_DE.UTF-8", "mesh @/in.ply --quiet --spacing 0.25 --set surface.cell=0.5 --out @/b/mesh.obj");
    assert_int_equal(compare_folders("a", "b"), 1);
}

// Numbers of a table, those of measured times aside, and their places.
static void reports_keep_their_columns(void **state)
{
    (void)state;
    if (!commas) skip();
    run("de_DE.UTF-8",
        "bench @/scene.yaml --quiet --steps 2 --warmup 0 --neighbor uniform_grid --json @/b.json");
    char *json = test_read_file(test_path(folder, "b.json"), NULL);
    assert_non_null(json);
    for (const char *at = json; *at; at++) {
        if (at[0] == ',' && at[1] >= '0' && at[1] <= '9')
            fail_msg("a comma in \"%.40s\"", at > json ? at - 1 : at);
    }
    assert_non_null(strstr(json, "_ms\": 0."));
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_a_point),
        cmocka_unit_test(a_run_writes_the_same_files),
        cmocka_unit_test(meshes_are_made_of_the_same_particles),
        cmocka_unit_test(reports_keep_their_columns),
    };
    return cmocka_run_group_tests_name("locale", tests, set_up, remove_folder);
}
