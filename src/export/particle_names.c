#include "export/particle_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 48

// SPlisHSPlasH and Partio: velocity; DualSPHysics: Vel; Houdini: v; OpenFOAM: U.
static const char *const velocities[] = {"velocity", "velocities", "vel", "v", "u", NULL};
static const char *const positions[] = {"",      "p",      "pos",   "position",    "positions",
                                        "point", "points", "coord", "coordinates", NULL};

static bool is_listed(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) names++;
    return *names;
}

// Copies a name in lower case, without quotes around it and a unit in brackets behind it.
static void simplify(const char *name, size_t length, char out[NAME_BYTES])
{
    size_t used = 0;
    for (size_t k = 0; k < length && used + 1 < NAME_BYTES && name[k] != '[' && name[k] != '('; k++) {
        if (name[k] != '"' && name[k] != '\'') out[used++] = (char)tolower((unsigned char)name[k]);
    }
    while (used > 0 && isspace((unsigned char)out[used - 1])) used--;
    out[used] = '\0';
    size_t blanks = strspn(out, " \t");
    memmove(out, out + blanks, used - blanks + 1);
}

bool particle_name_is_velocity(const char *name, size_t length)
{
    char simple[NAME_BYTES];
    simplify(name, length, simple);
    return is_listed(velocities, simple);
}

int particle_name_column(const char *name, size_t length)
{
    static const char axes[] = "xyz012";
    char simple[NAME_BYTES];
    simplify(name, length, simple);
    size_t used = strlen(simple);
    const char *axis = used > 0 ? strchr(axes, simple[used - 1]) : NULL;
    if (!axis) return -1;
    size_t base = used - 1;
    while (base > 0 && strchr(".:_ ", simple[base - 1])) base--;
    if (isdigit((unsigned char)*axis) && (base == used - 1 || base == 0)) return -1; // "v1", "0"
    simple[base] = '\0';
    int number = (int)((axis - axes) % 3);
    if (is_listed(positions, simple)) return number;
    return is_listed(velocities, simple) ? 3 + number : -1;
}
