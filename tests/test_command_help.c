// What the program says of itself: help, the manual page, completion in bash.
#include "command_helpers.h"

#include "command/command.h"
#include "command/options_table.h"
#include "scene/scene_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// roff types a hyphen as \-.
static void as_roff(const char *text, char *out)
{
    for (; *text; text++) {
        if (*text == '-') *out++ = '\\';
        *out++ = *text;
    }
    *out = '\0';
}

static void the_manual_page_has_every_command_and_option(void **state)
{
    (void)state;
    ChildRun run = child_run("help --man");
    assert_int_equal(run.status, 0);
    for (uint32_t k = 0; command_at(k); k++) {
        char line[100];
        snprintf(line, sizeof line, ".B pbf %s\n", command_at(k)->name);
        if (!strstr(run.out, line)) fail_msg("%s is not in the manual page", command_at(k)->name);
    }
    for (uint32_t k = 0; option_row(k); k++) {
        for (const OptionUse *use = option_row(k)->uses; use->commands; use++) {
            char name[60], help[200], roff[400];
            as_roff(option_row(k)->name, name);
            as_roff(option_help(option_row(k), use, help, sizeof help), roff);
            if (!strstr(run.out, name)) fail_msg("%s is not in the manual page", name);
            if (!strstr(run.out, roff)) fail_msg("%s: \"%s\" is not in the manual page", name, roff);
        }
    }
    child_free(&run);
}

// All of what can be given, and what counts if nothing is.
static void help_tells_the_names_and_defaults_of_the_tables(void **state)
{
    (void)state;
    static const char *const lines[][3] = {
        {"render", "--camera", "auto, front, back, left, right, side, top, bottom"},
        {"render", "--samples", "(64)"},
        {"slice", "--cell", "(0.5)"},
        {"slice", "--contours", "(8)"},
        {"mesh", "--fps", "(24)"},
        {"foam", "--fps", "(24)"},
        {"render", "--fps", "simulated time\n"},
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        ChildRun run = child_run("help %s", lines[k][0]);
        char *at = strstr(run.out, lines[k][1]), *end = at ? strstr(at + 2, "  --") : NULL;
        assert_non_null(end);
        *end = '\0';
        char told[400] = "";
        for (size_t n = 0; *at && n + 1 < sizeof told; at++) {
            bool blank = *at == ' ' || (*at == '\n' && at[1] == ' ');
            if (!blank || (n > 0 && told[n - 1] != ' ')) told[n++] = blank ? ' ' : *at;
        }
        if (!strstr(told, lines[k][2])) fail_msg("pbf help %s: %s", lines[k][0], told);
        child_free(&run);
    }
}

static void assert_help_fits(const char *call)
{
    ChildRun run = child_run(call);
    assert_int_equal(run.status, 0);
    assert_true(strlen(run.out) > 100);
    for (const char *line = run.out; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
        // Examples are there to be copied.
        if (strcspn(line, "\n") > 79 && strncmp(line, "  pbf ", 6) != 0)
            fail_msg("pbf %s: too long: %.*s", call, (int)strcspn(line, "\n"), line);
    child_free(&run);
}

static void help_fits_a_terminal(void **state)
{
    (void)state;
    for (uint32_t k = 0; command_at(k); k++) {
        char call[40];
        snprintf(call, sizeof call, "help %s", command_at(k)->name);
        assert_help_fits(call);
    }
    assert_help_fits("help");
    assert_help_fits("help keys");
    assert_help_fits("help log");
}

static void the_manual_page_is_set_without_a_warning(void **state)
{
    (void)state;
    if (system("command -v groff >/dev/null") != 0) skip();
    assert_int_equal(system("test -z \"$(${PBF_BINARY:-build/release/pbf} help --man | groff -man -Tutf8 -ww "
                            "2>&1 >/dev/null)\""),
                     0);
}

// words: of a command line, whose last is completed. Returns what bash offers, in one line.
static const char *complete(const char *words)
{
    static char offered[4000];
    char command[1000];
    snprintf(command, sizeof command,
             "bash -c 'set -e; source <(${PBF_BINARY:-build/release/pbf} help --completion bash); "
             "COMP_WORDS=(pbf %s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pbf 2>&1 || true; echo \"${COMPREPLY[@]}\"'",
             words);
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    size_t length = fread(offered, 1, sizeof offered - 1, shell);
    offered[length] = '\0';
    offered[strcspn(offered, "\n")] = '\0';
    assert_int_equal(pclose(shell), 0);
    return offered;
}

static void bash_completes_commands_options_names_and_files(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"re", "render"},
        {"--v", "--version"},
        {"render --st", "--style"},
        {"render --style s", "surface screen_space"},
        {"render --style = sur", "surface"}, // bash cuts --style=sur at =
        {"frames --style =", "particles surface screen_space photo"},
        {"bench scenes/wave.yaml --neighbor oct", "octree"},
        {"compare scenes/wave.yaml --neighbor octree,kd", "octree,kd_tree"},
        {"render --export ply,mesh_o", "ply,mesh_obj"},
        {"foam --export m", ""}, // meshes are of runs
        {"foam --export diffuse_vtp,d", "diffuse_vtp,diffuse_ply diffuse_vtp,diffuse_vtp"},
        {"render scenes/wa", "scenes/waterfall.yaml scenes/wave.yaml"},
        {"mesh assets/to", ""}, // an OBJ file has no particles
        {"view --scene-dir sce", "scenes"},
        {"render --frames 1", ""},
        {"bench --st", "--steps --start"},
        {"check --out", ""},
        {"help comp", "compare"},
        {"check scenes/wate", "scenes/waterfall.yaml"},
        {"check dam", "dam_break"},
        {"scenes x", ""},
        {"help ke", "keys"},
        {"help --completion b", "bash"},
        {"render --set solver.it", "solver.iterations="},
        {"bench --set = solver.scorr.p", "solver.scorr.power="}, // --set=solver.scorr.p
        {"view --compare solver.max", "solver.max_substeps="},
        {"check --set water.0.box.m", "water.0.box.min= water.0.box.max="},
        {"mesh --set surface.ce", "surface.cell= surface.center_smoothing="},
        {"mesh --set so", ""},
        {"frames --set so", "solver.neighbor="},
        {"frames --set obstacles.0.c", "obstacles.0.color="},
        {"render --set output.style = s", "surface screen_space"},
        {"compare --compare solver.neighbor = octree,kd", "octree,kd_tree"},
        {"render --set output.legend =", "true false"},
        {"render --set solver.cfl =", ""},
    };
    if (system("command -v bash >/dev/null") != 0) skip();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *offered = complete(cases[k][0]);
        if (strcmp(offered, cases[k][1]) != 0)
            fail_msg("pbf %s: offered are \"%s\", not \"%s\"", cases[k][0], offered, cases[k][1]);
    }
}

static void bash_completes_every_key_of_scenes(void **state)
{
    (void)state;
    ChildRun run = child_run("help --completion bash");
    assert_int_equal(run.status, 0);
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        char first[120], later[120];
        bool has_value = at.row->kind != PARAM_SECTION && at.row->kind != PARAM_LIST;
        snprintf(first, sizeof first, "_pbf_keys '%s ", at.row->key);
        snprintf(later, sizeof later, " %s ", at.row->key);
        if (has_value && !strstr(run.out, first) && !strstr(run.out, later))
            fail_msg("%s is not completed", at.row->key);
    }
    child_free(&run);
}

static void help_lists_choices_and_defaults(void **state)
{
    (void)state;
    ChildRun run = child_run("help bench");
    assert_non_null(strstr(run.out, "steps that count (20)\n"));
    assert_non_null(strstr(run.out, "steps before them (3)\n"));
    child_free(&run);
    run = child_run("help render");
    assert_non_null(strstr(run.out, "how water is drawn: particles, surface, screen_space,\n"));
    assert_non_null(strstr(run.out, "of these, keep the last K (2)\n"));
    child_free(&run);
    run = child_run("help --completion xyzzy");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "pbf: --completion: \"xyzzy\" is not known (known: bash)\n");
    child_free(&run);
}

static void every_command_has_an_example_that_it_would_take(void **state)
{
    (void)state;
    for (uint32_t k = 0; command_at(k); k++) {
        const Command *command = command_at(k);
        char line[300], begin[40];
        ChildRun run = child_run("help %s", command->name);
        const char *examples = strstr(run.out, "\nexamples:\n  pbf ");
        if (!examples) fail_msg("pbf help %s has no example", command->name);
        child_free(&run);
        snprintf(begin, sizeof begin, "pbf %s", command->name);
        for (const char *at = command->examples; *at; at += strcspn(at, "\n") + 1) {
            char *words[40], *word;
            int count = 0;
            Options options;
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            assert_memory_equal(line, begin, strlen(begin));
            for (word = strtok(line + strlen(begin), " "); word; word = strtok(NULL, " "))
                words[count++] = word;
            Result result = options_parse(count, words, command->bit, &options);
            if (!result_is_ok(&result)) fail_msg("%s: %s", command->name, result.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_has_every_command_and_option),
        cmocka_unit_test(help_tells_the_names_and_defaults_of_the_tables),
        cmocka_unit_test(help_fits_a_terminal),
        cmocka_unit_test(the_manual_page_is_set_without_a_warning),
        cmocka_unit_test(bash_completes_commands_options_names_and_files),
        cmocka_unit_test(bash_completes_every_key_of_scenes),
        cmocka_unit_test(help_lists_choices_and_defaults),
        cmocka_unit_test(every_command_has_an_example_that_it_would_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
