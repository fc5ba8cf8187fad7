#include "command/help_log.h"

#include "command/help_text.h"
#include "measure/probe.h"
#include "measure/quantities.h"

#include <string.h>

// "NAME_fx, NAME_fy"
static void print_columns(FILE *to, const ProbeKindRow *kind, const char *quote)
{
    for (const ProbeColumn *column = kind->columns; column->suffix; column++)
        fprintf(to, "%s%sNAME_%s%s", column > kind->columns ? ", " : "", quote, column->suffix, quote);
}

static void print_units(FILE *to, const ProbeKindRow *kind)
{
    const char *last = "";
    for (const ProbeColumn *column = kind->columns; column->suffix; column++) {
        if (strcmp(column->unit, last) != 0) fprintf(to, "%s%s", *last ? ", " : "", column->unit);
        last = column->unit;
    }
}

void help_print_log(FILE *to)
{
    fputs("columns of pbf run SCENE --log FILE.csv:\n", to);
    for (uint32_t k = 0; quantity_at(k); k++) {
        char left[60];
        snprintf(left, sizeof left, "%-19s %s", quantity_at(k)->name, quantity_at(k)->unit);
        help_print_row(to, left, quantity_at(k)->help, 32);
    }
    fputs("\ncolumns of a probe in the scene (pbf help keys probes):\n", to);
    for (int k = 0; k < PROBE_KIND_COUNT; k++) {
        const ProbeKindRow *kind = probe_kind((ProbeKind)k);
        fprintf(to, "  %s: ", kind->key);
        print_columns(to, kind, "");
        fputs(" (", to);
        print_units(to, kind);
        fprintf(to, ")\n%*s", 6, "");
        help_print_text(to, kind->help, 6, 6);
    }
}

void help_print_log_markdown(FILE *to)
{
    fputs("| column | unit | meaning |\n|---|---|---|\n", to);
    for (uint32_t k = 0; quantity_at(k); k++)
        fprintf(to, "| `%s` | %s | %s |\n", quantity_at(k)->name, quantity_at(k)->unit, quantity_at(k)->help);
    for (int k = 0; k < PROBE_KIND_COUNT; k++) {
        const ProbeKindRow *kind = probe_kind((ProbeKind)k);
        fputs("| ", to);
        print_columns(to, kind, "`");
        fputs(" | ", to);
        print_units(to, kind);
        fprintf(to, " | %s |\n", kind->help);
    }
}
