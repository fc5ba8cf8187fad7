// Help as a manual page and as shell completion, from the tables of commands, options and keys (pbf help
// --man, --completion).
#ifndef PBF_COMMAND_HELP_PAGES_H
#define PBF_COMMAND_HELP_PAGES_H

#include "core/result.h"

#include <stdio.h>

// Prints the manual page pbf(1), in roff for man(1).
void help_print_man(FILE *to);

// Prints a script for bash that completes commands, options, their values, scene keys and files.
// Error: RESULT_NO_MEMORY.
Result help_print_completion(FILE *to);

#endif
