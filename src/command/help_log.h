// Prints the columns of logs, as text for terminals and as the tables of README.md.
#ifndef PBF_COMMAND_HELP_LOG_H
#define PBF_COMMAND_HELP_LOG_H

#include <stdio.h>

void help_print_log(FILE *to);
void help_print_log_markdown(FILE *to);

#endif
