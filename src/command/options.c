// From the words of a command line to options, by the table of options_table.c.
#include "command/options.h"

#include "command/options_table.h"
#include "core/nearest.h"

#include <string.h>

// Names of the options that a command (the context) takes.
static const char *option_names(uint32_t k, const void *context)
{
    unsigned command = *(const unsigned *)context;
    for (uint32_t row = 0; option_row(row); row++) {
        if ((option_row(row)->commands & command) && k-- == 0) return option_row(row)->name;
    }
    return NULL;
}

static Result unknown_option(const char *name, unsigned command)
{
    for (uint32_t row = 0; option_row(row); row++) {
        if (strcmp(name, option_row(row)->name) == 0)
            return result_error(RESULT_USAGE, "%s: this command does not take it (--help lists what it does)",
                                name);
    }
    const char *near = nearest_name(name, option_names, &command);
    return near ? result_error(RESULT_USAGE, "%.60s: unknown option, did you mean %s (--help lists them)",
                               name, near)
                : result_error(RESULT_USAGE, "%.60s: unknown option (--help lists them)", name);
}

static const OptionRow *find_row(const char *name, unsigned command)
{
    if (strcmp(name, "-h") == 0) name = "--help";
    if (strcmp(name, "-q") == 0) name = "--quiet";
    for (uint32_t k = 0; option_row(k); k++) {
        const OptionRow *row = option_row(k);
        if ((row->commands & command) && strcmp(name, row->name) == 0) return row;
    }
    return NULL;
}

// Handles the option at arguments[*k] and moves *k past its value.
static Result parse_option(int count, char **arguments, int *k, unsigned command, Options *out)
{
    char name[64];
    char *argument = arguments[*k];
    size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argument);
    const OptionRow *row = find_row(name, command);
    if (!row) return unknown_option(name, command);

    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (!row->argument && value) return result_error(RESULT_USAGE, "%s: takes no value", row->name);
    if (row->argument && !value) {
        if (*k + 1 >= count)
            return result_error(RESULT_USAGE, "%s: a value is missing (%s)", row->name, row->argument);
        value = arguments[++*k];
    }
    TRY(row->parse(row->name, value, out));
    if (option_cuts_text(row)) return result_ok();
    if (out->given_count == OPTIONS_GIVEN_MAX)
        return result_error(RESULT_USAGE, "%s: too many options (at most %d)", row->name, OPTIONS_GIVEN_MAX);
    out->given[out->given_count++] = (OptionGiven){row->name, value ? value : ""};
    return result_ok();
}

Result options_parse_more(int count, char **arguments, unsigned command, Options *out)
{
    bool options_ended = false;
    for (int k = 0; k < count; k++) {
        char *argument = arguments[k];
        if (!options_ended && strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && argument[0] == '-' && argument[1] != '\0') {
            TRY(parse_option(count, arguments, &k, command, out));
        } else {
            // Inputs move to the front of the arguments that were read already.
            if (out->input_count == 0) out->inputs = arguments, out->scene = argument;
            out->inputs[out->input_count++] = argument;
        }
    }
    return result_ok();
}

Result options_parse(int count, char **arguments, unsigned command, Options *out)
{
    *out = (Options){0};
    TRY(options_parse_more(count, arguments, command, out));
    if (command != COMMAND_FRAMES && out->input_count > 1)
        return result_error(RESULT_USAGE, "\"%.100s\": one argument too many (after \"%.100s\")",
                            out->inputs[1], out->scene);
    if ((command == COMMAND_COMPARE || command == COMMAND_VIEW) &&
        (out->all_methods || out->method_count > 2))
        return result_error(RESULT_USAGE, "--neighbor: a comparison has two sides (--neighbor A,B)");
    if (command != COMMAND_BENCH && command != COMMAND_COMPARE && command != COMMAND_VIEW &&
        (out->all_methods || out->method_count > 1))
        return result_error(RESULT_USAGE, "--neighbor: this command runs one method (bench takes a list)");
    return result_ok();
}

Result options_check_output(const Options *options)
{
    if (options->out) return result_ok();
    if (!options->video)
        return result_error(RESULT_USAGE,
                            "--out: a folder for the frames is missing (or give --video FILE.mp4)");
    if (options->format_count > 0)
        return result_error(RESULT_USAGE, "--export: needs --out, the folder that the files go to");
    if (options->checkpoint_every > 0)
        return result_error(RESULT_USAGE, "--checkpoint-every: needs --out, the folder that the files go to");
    return result_ok();
}

void options_print_help(FILE *to, unsigned command)
{
    for (uint32_t k = 0; option_row(k); k++) {
        const OptionRow *row = option_row(k);
        if (!(row->commands & command)) continue;
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        fprintf(to, "  %-22s %s\n", left, row->help);
    }
}
