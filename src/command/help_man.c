#include "command/command.h"
#include "command/help_pages.h"
#include "command/options_table.h"
#include "export/export.h"
#include "neighbor/neighbor.h"

#include <string.h>

// Prints text as roff takes it: hyphens as they are typed, no line that reads as a request.
static void print_text(FILE *to, const char *text)
{
    bool line_begins = true;
    for (const char *c = text; *c; c++) {
        if (line_begins && (*c == '.' || *c == '\'')) fputs("\\&", to);
        if (*c == '-')
            fputs("\\-", to);
        else if (*c == '\\')
            fputs("\\e", to);
        else
            fputc(*c, to);
        line_begins = *c == '\n';
    }
}

static void print_item(FILE *to, const char *name, const char *argument, const char *text)
{
    fputs(".TP\n\\fB", to);
    print_text(to, name);
    fputs("\\fR", to);
    if (argument) {
        fputs(" \\fI", to);
        print_text(to, argument);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    print_text(to, text);
    fputc('\n', to);
}

static void print_commands(FILE *to)
{
    fputs(".SH COMMANDS\n", to);
    for (uint32_t k = 0; command_at(k); k++) {
        char summary[200];
        snprintf(summary, sizeof summary, "%s.", command_at(k)->summary);
        print_item(to, command_at(k)->name, command_at(k)->usage, summary);
        print_text(to, command_at(k)->details);
    }
}

// "(render, frames)"
static void print_takers(FILE *to, unsigned commands)
{
    const char *between = "(";
    for (uint32_t k = 0; command_at(k); k++) {
        if (!(command_at(k)->bit & commands)) continue;
        fprintf(to, "%s%s", between, command_at(k)->name);
        between = ", ";
    }
    fputs(")\n", to);
}

static void print_options(FILE *to)
{
    fputs(".SH OPTIONS\nThe commands that take an option are in parentheses.\n", to);
    for (uint32_t k = 0; option_row(k); k++) {
        for (const OptionUse *use = option_row(k)->uses; use->commands; use++) {
            char help[200];
            print_item(to, option_row(k)->name, use->argument,
                       option_help(option_row(k), use, help, sizeof help));
            print_takers(to, use->commands);
        }
    }
}

static void print_names(FILE *to)
{
    fputs(".SH NEIGHBOR METHODS\n", to);
    for (uint32_t k = 0; neighbor_method_name(k); k++)
        print_item(to, neighbor_method_name(k), NULL, neighbor_method_summary(k));
    fputs(".SH FILE FORMATS\n", to);
    for (uint32_t k = 0; file_format(k); k++)
        print_item(to, file_format(k)->name, NULL, file_format(k)->summary);
    fputs(".SH FIELDS\n", to);
    for (int k = 0; k < FIELD_COUNT; k++) fprintf(to, "%s%s", k > 0 ? ",\n" : "", field_name((FieldKey)k));
    fputc('\n', to);
}

void help_print_man(FILE *to)
{
    fputs(".TH PBF 1 \"\" \"pbf " PBF_VERSION "\" \"User Commands\"\n"
          ".SH NAME\npbf \\- water by position based fluids: pictures, films, meshes, measurements\n"
          ".SH SYNOPSIS\n",
          to);
    for (uint32_t k = 0; command_at(k); k++) {
        fprintf(to, ".B pbf %s\n", command_at(k)->name);
        print_text(to, command_at(k)->usage);
        fputs("\n.br\n", to);
    }
    fputs(".B pbf \\-\\-version\n", to);
    fputs(".SH DESCRIPTION\n"
          "A scene file (YAML, SI units) becomes moving water, in a window or as frames without a display.\n",
          to);
    print_commands(to);
    print_options(to);
    print_names(to);
    fputs(".SH EXIT STATUS\n"
          "0: done; 1: it failed while running; 2: the call or the scene is wrong;\n"
          "128 and the signal's number: stopped by a signal. Errors are one line on standard error.\n"
          ".SH EXAMPLES\n.nf\n",
          to);
    for (uint32_t k = 0; command_at(k); k++) print_text(to, command_at(k)->examples);
    fputs(".fi\n", to);
}
