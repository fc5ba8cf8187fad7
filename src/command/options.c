// Parses the words of a command line by the table of options_table.c.
#include "command/options.h"

#include "command/help_text.h"
#include "command/options_table.h"
#include "core/nearest.h"
#include "core/path.h"

#include <string.h>

// Names of the options that a command (the context) takes.
static const char *option_names(uint32_t k, const void *context)
{
    unsigned command = *(const unsigned *)context;
    for (uint32_t row = 0; option_row(row); row++) {
        if (option_use(option_row(row), command) && k-- == 0) return option_row(row)->name;
    }
    return NULL;
}

static Result unknown_option(const char *name, unsigned command)
{
    if (option_find(name))
        return result_error(RESULT_USAGE, "%s: this command does not take it (--help lists its options)",
                            name);
    const char *near = nearest_name(name, option_names, &command);
    return near ? result_error(RESULT_USAGE, "%.60s: unknown option, did you mean %s (--help lists them)",
                               name, near)
                : result_error(RESULT_USAGE, "%.60s: unknown option (--help lists them)", name);
}

static Result check_text(const OptionRow *row, const char *text)
{
    if (!*text) return result_error(RESULT_USAGE, "the path is empty (the name of a file or folder)");
    if (row->suffix && !path_has_ending(text, row->suffix))
        return result_error(RESULT_USAGE, "\"%.100s\" does not end in %s (%s)", text, row->suffix,
                            row->uses[0].argument);
    return result_ok();
}

static Result read_value(const OptionRow *row, const char *text, Options *out)
{
    void *member = (char *)out + row->value.offset;
    if (row->read) return row->read(&row->value, text, out);
    if (row->value.kind == PARAM_STRING) TRY(check_text(row, text));
    return param_parse(&row->value, row->value.kind == PARAM_FLAG ? "true" : text, member);
}

// Handles the option at arguments[*k] and moves *k past its value.
static Result parse_option(int count, char **arguments, int *k, unsigned command, Options *out)
{
    char name[64];
    char *argument = arguments[*k];
    size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), argument);
    const OptionRow *row = option_find(name);
    const OptionUse *use = row ? option_use(row, command) : NULL;
    if (!use) return unknown_option(name, command);

    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (!use->argument && value) return result_error(RESULT_USAGE, "%s: takes no value", row->name);
    if (use->argument && !value) {
        if (*k + 1 >= count)
            return result_error(RESULT_USAGE, "%s: a value is missing (%s)", row->name, use->argument);
        value = arguments[++*k];
    }
    Result result = read_value(row, value, out);
    if (!result_is_ok(&result)) return result_error(result.code, "%s: %s", row->name, result.text);
    if (row->scope == OPTION_OF_SCENE) return result_ok();
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
            if (!*argument)
                return result_error(RESULT_USAGE,
                                    "\"\": an argument is empty (the name of a file, folder or scene)");
            // Inputs move to the front, over arguments that were read already.
            if (out->input_count == 0) out->inputs = arguments, out->scene = argument;
            out->inputs[out->input_count++] = argument;
        }
    }
    return result_ok();
}

// No setting may be without effect, or show a state that never was.
static Result check_settings(const Options *options, unsigned command)
{
    for (uint32_t k = 0; k < options->setting_count; k++) {
        const OptionUse *use = option_use(option_find("--set"), command);
        const char *key = options->settings[k].key;
        if (!option_takes(use, key))
            return result_error(RESULT_USAGE, "--set %.60s: has no effect here (%s)", key, use->takes);
    }
    return result_ok();
}

static Result check_formats(const Options *options, unsigned command)
{
    for (uint32_t k = 0; k < options->format_count; k++) {
        const OptionUse *use = option_use(option_find("--export"), command);
        const char *name = option_format_name(options->formats[k]);
        if (!option_takes(use, name))
            return result_error(RESULT_USAGE, "--export: %s is not written here (%s)", name, use->takes);
    }
    return result_ok();
}

// Nor may an option, where the one that it is about is not given. A stored run may have given that.
static Result check_needs(const Options *options, unsigned command)
{
    for (uint32_t k = 0; k < options->given_count && !options->resume; k++) {
        const char *name = options->given[k].name, *needs = option_use(option_find(name), command)->needs;
        if (needs && !options_given(options, needs))
            return result_error(RESULT_USAGE, "%s: has no effect without %s %s", name, needs,
                                option_use(option_find(needs), command)->argument);
    }
    return result_ok();
}

Result options_parse(int count, char **arguments, unsigned command, Options *out)
{
    *out = options_default;
    TRY(options_parse_more(count, arguments, command, out));
    TRY(check_settings(out, command));
    TRY(check_formats(out, command));
    TRY(check_needs(out, command));
    if (command != COMMAND_FRAMES && command != COMMAND_MESH && command != COMMAND_FOAM &&
        out->input_count > (command == COMMAND_HELP ? 2 : 1))
        return result_error(RESULT_USAGE, "\"%.100s\": one argument too many (after \"%.100s\")",
                            out->inputs[out->input_count - 1], out->inputs[out->input_count - 2]);
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
    if (options->no_pictures && options->video)
        return result_error(RESULT_USAGE, "--video: needs pictures (without --no-pictures)");
    if (options->out) return result_ok();
    if (options->no_pictures && !options->log)
        return result_error(RESULT_USAGE,
                            "--out: a folder for the files is missing (or give --log FILE.csv)");
    if (!options->video && !options->no_pictures)
        return result_error(RESULT_USAGE,
                            "--out: a folder for the frames is missing (or give --video FILE.mp4)");
    if (options->format_count > 0)
        return result_error(RESULT_USAGE, "--export: needs --out, the folder that the files go to");
    if (options->checkpoint_every > 0)
        return result_error(RESULT_USAGE, "--checkpoint-every: needs --out, the folder that the files go to");
    return result_ok();
}

double options_sequence_fps(const Options *options)
{
    return options->fps > 0 ? options->fps : OPTIONS_SEQUENCE_FPS;
}

bool options_given(const Options *options, const char *name)
{
    return options_value(options, name) != NULL;
}

const char *options_value(const Options *options, const char *name)
{
    const char *value = NULL;
    CHECK(option_find(name));
    for (uint32_t k = 0; k < options->given_count; k++) {
        if (strcmp(options->given[k].name, name) == 0) value = options->given[k].value;
    }
    return value;
}

uint32_t options_overrides(const Options *options, SceneOverride out[OPTIONS_OVERRIDES_MAX])
{
    for (uint32_t k = 0; k < options->setting_count; k++)
        out[k] = (SceneOverride){options->settings[k].key, options->settings[k].value};
    return options->setting_count;
}

void options_print_help(FILE *to, unsigned command)
{
    for (uint32_t k = 0; option_row(k); k++) {
        const OptionRow *row = option_row(k);
        const OptionUse *use = option_use(row, command);
        if (!use) continue;
        char left[40], help[200];
        snprintf(left, sizeof left, "%s%s%s", row->name, use->argument ? " " : "",
                 use->argument ? use->argument : "");
        help_print_row(to, left, option_help(row, use, help, sizeof help), HELP_COLUMN);
    }
}
