#include "command/help_text.h"

#include <string.h>

void help_print_text(FILE *to, const char *text, int column, int indent)
{
    static const char blanks[] = " \n";
    int start = column;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        int length = (int)strcspn(text, blanks);
        if (column > start && column + 1 + length > HELP_WIDTH) {
            fprintf(to, "\n%*s", indent, "");
            column = start = indent;
        }
        fprintf(to, "%s%.*s", column > start ? " " : "", length, text);
        column += length + (column > start);
        text += length;
    }
    fputc('\n', to);
}

void help_print_row(FILE *to, const char *left, const char *text, int column)
{
    int used = fprintf(to, "  %s", left);
    if (used >= column) {
        fputc('\n', to);
        used = 0;
    }
    fprintf(to, "%*s", column - used, "");
    help_print_text(to, text, column, column);
}
