#include "command/command.h"
#include "command/help_keys.h"
#include "command/help_log.h"
#include "command/help_pages.h"
#include "command/help_text.h"
#include "export/export.h"
#include "neighbor/neighbor.h"
#include "viewer/actions.h"

#include <ctype.h>
#include <string.h>

void help_print_overview(FILE *to)
{
    fputs("usage: pbf COMMAND ...\n\n", to);
    for (uint32_t k = 0; command_at(k); k++)
        fprintf(to, "  pbf %-9s  %s\n", command_at(k)->name, command_at(k)->summary);
    fputs("  pbf --version\n\n"
          "pbf help COMMAND lists the command's options, pbf help keys what a scene may\n"
          "say.\n"
          "To begin with:\n"
          "  pbf view dam_break\n"
          "  pbf render dam_break --out frames --video dam_break.mp4\n",
          to);
}

static void print_names(void)
{
    fputs("\nneighbor methods:\n", stdout);
    for (uint32_t k = 0; neighbor_method_name(k); k++)
        help_print_row(stdout, neighbor_method_name(k), neighbor_method_summary(k), HELP_COLUMN);
}

static void print_formats(void)
{
    fputs("\nfiles for --export, DIR/particles_0000.ply and so on:\n", stdout);
    for (uint32_t k = 0; file_format(k); k++)
        help_print_row(stdout, file_format(k)->name, file_format(k)->summary, HELP_COLUMN);
}

static void print_fields(void)
{
    char names[1000];
    size_t length = 0;
    for (int k = 0; k < FIELD_COUNT && length < sizeof names; k++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", k > 0 ? ", " : "",
                                   field_name((FieldKey)k));
    fputs("\nfields for --color-by:\n  ", stdout);
    help_print_text(stdout, names, 2, 2);
}

static void print_window_keys(void)
{
    fputs("\nkeys and mouse in the window:\n", stdout);
    for (uint32_t k = 0; action_at(k); k++) {
        const Action *line = action_at(k);
        if (!line->text) continue;
        char left[80];
        snprintf(left, sizeof left, "%-9s %s", line->group ? line->group : "", line->keys);
        help_print_row(stdout, left, line->text, 47);
    }
}

static void print_examples(const char *examples)
{
    fputs("\nexamples:\n", stdout);
    for (const char *line = examples; *line; line += strcspn(line, "\n") + 1)
        printf("  %.*s\n", (int)strcspn(line, "\n"), line);
}

void help_print_command(const Command *command)
{
    printf("usage: pbf %s%s%s\n\n%c%s.\n", command->name, *command->usage ? " " : "", command->usage,
           toupper((unsigned char)*command->summary), command->summary + 1);
    help_print_text(stdout, command->details, 0, 0);
    fputs("\noptions:\n", stdout);
    options_print_help(stdout, command->bit);
    print_examples(command->examples);
    if (command->bit & (COMMAND_RENDER | COMMAND_RUN | COMMAND_BENCH | COMMAND_COMPARE | COMMAND_VIEW))
        print_names();
    if (command->bit & (COMMAND_RENDER | COMMAND_RUN | COMMAND_FRAMES)) print_formats();
    if (command->bit & (COMMAND_RENDER | COMMAND_COMPARE | COMMAND_VIEW | COMMAND_FRAMES)) print_fields();
    if (command->bit == COMMAND_VIEW) print_window_keys();
}

Result command_help(const Options *options)
{
    if (options_given(options, "--completion")) return help_print_completion(stdout);
    if (options->man || !options->scene) {
        (options->man ? help_print_man : help_print_overview)(stdout);
        return result_ok();
    }
    const char *name = options->input_count > 1 ? options->inputs[1] : NULL;
    if (strcmp(options->scene, "keys") == 0)
        return options->markdown ? help_print_keys_markdown(stdout) : help_print_keys(stdout, name);
    if (strcmp(options->scene, "log") == 0 && !name) {
        (options->markdown ? help_print_log_markdown : help_print_log)(stdout);
        return result_ok();
    }
    if (name)
        return result_error(RESULT_USAGE, "\"%.100s\": one argument too many (after \"%.100s\")", name,
                            options->scene);
    const Command *command;
    TRY(command_find(options->scene, &command));
    help_print_command(command);
    return result_ok();
}
