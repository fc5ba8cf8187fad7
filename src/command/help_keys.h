// Prints the keys of scene files, as text for terminals and as the tables of scenes/README.md.
#ifndef PBF_COMMAND_HELP_KEYS_H
#define PBF_COMMAND_HELP_KEYS_H

#include "command/options_table.h"

#include <stdio.h>

// Prints all keys, or those that begin with `name` ("solver", "solver.cfl"; NULL: all): type, what is
// allowed, default, meaning. Errors: RESULT_USAGE for a name that no key begins with, RESULT_NO_MEMORY.
Result help_print_keys(FILE *to, const char *name);

// Prints the keys that a use of --set or --compare takes, each with a blank behind it; items of lists as
// their first: "water.0.box.min". Error: RESULT_NO_MEMORY.
Result help_print_key_names(FILE *to, const OptionUse *use);

// Prints a section for each top-level key, in Markdown.
Result help_print_keys_markdown(FILE *to);

#endif
