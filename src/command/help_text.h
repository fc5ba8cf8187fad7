// Help as lines that fit a terminal.
#ifndef PBF_COMMAND_HELP_TEXT_H
#define PBF_COMMAND_HELP_TEXT_H

#include <stdio.h>

// Columns of a line, unless a word is longer.
#define HELP_WIDTH 79
// Where the text of options, methods and formats begins.
#define HELP_COLUMN 25

// Prints words, wherever lines end in the text, and ends the last line. column: how much of the first line
// is taken; indent: blanks before all others.
void help_print_text(FILE *to, const char *text, int column, int indent);

// Prints a row of a list: what it is about, then text from a column on, in a line below where the first
// part is too long.
void help_print_row(FILE *to, const char *left, const char *text, int column);

#endif
