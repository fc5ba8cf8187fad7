// Help in other forms, made from the tables of commands and options (pbf help --man, --completion).
#ifndef PBF_COMMAND_HELP_PAGES_H
#define PBF_COMMAND_HELP_PAGES_H

#include <stdio.h>

// The manual page pbf(1), in roff for man(1).
void help_print_man(FILE *to);

// A script for bash that completes commands, options, their values and files.
void help_print_completion(FILE *to);

#endif
