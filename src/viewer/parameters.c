#include "viewer/parameters.h"

#include "neighbor/neighbor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS, VISCOSITY, VORTICITY, TENSION, GRAVITY, METHOD, SPACING };

static const Parameter parameters[] = {
    [ITERATIONS] = {"iterations", "%.0f", "constraint iterations a step", PARAMETER_WHOLE, 1, 20, 1},
    [VISCOSITY] = {"viscosity", "%.1f 1/s", "rate at which water takes on its neighbors' velocity (XSPH)",
                   PARAMETER_NUMBER, 0, 50, 0.5f},
    [VORTICITY] = {"vorticity", "%.3f m/s", "strength of vorticity confinement", PARAMETER_NUMBER, 0, 0.2f,
                   0.005f},
    [TENSION] = {"surface tension", "%.1f N/m", "pulls drops together", PARAMETER_NUMBER, 0, 50, 0.5f},
    [GRAVITY] = {"gravity", "%.2f m/s^2", "along z; negative is down", PARAMETER_NUMBER, -25, 25, 0.5f},
    [METHOD] = {"neighbor search", "%.0f", "the water is the same with each; times and memory differ",
                PARAMETER_METHOD, 0, 0, 1},
    [SPACING] =
        {"spacing", "%.3f m",
         "distance of particles at rest; half of it means eight times the particles. Takes effect when the "
         "scene is restarted",
         PARAMETER_SPACING, 0.02f, 1, 1.1f},
};
#define PARAMETER_COUNT (sizeof parameters / sizeof *parameters)

const Parameter *parameter_at(uint32_t k)
{
    return k < PARAMETER_COUNT ? &parameters[k] : NULL;
}

static uint32_t method_count(void)
{
    uint32_t count = 0;
    while (neighbor_method_name(count)) count++;
    return count;
}

uint32_t parameter_of_methods(void)
{
    return METHOD;
}

uint32_t parameter_method(const char *name)
{
    for (uint32_t k = 0; neighbor_method_name(k); k++) {
        if (strcmp(neighbor_method_name(k), name) == 0) return k;
    }
    return 0;
}

float parameter_get(const FluidDef *def, uint32_t k)
{
    switch (k) {
    case ITERATIONS:
        return (float)def->iterations;
    case VISCOSITY:
        return def->viscosity;
    case VORTICITY:
        return def->vorticity;
    case TENSION:
        return def->surface_tension;
    case GRAVITY:
        return def->gravity.z;
    case METHOD:
        return (float)parameter_method(def->neighbor);
    default:
        return def->spacing;
    }
}

void parameter_set(FluidDef *def, uint32_t k, float value)
{
    switch (k) {
    case ITERATIONS:
        def->iterations = (uint32_t)lroundf(value);
        break;
    case VISCOSITY:
        def->viscosity = value;
        break;
    case VORTICITY:
        def->vorticity = value;
        break;
    case TENSION:
        def->surface_tension = value;
        break;
    case GRAVITY:
        def->gravity.z = value;
        break;
    case METHOD:
        snprintf(def->neighbor, sizeof def->neighbor, "%s", neighbor_method_name((uint32_t)lroundf(value)));
        break;
    default:
        def->spacing = value;
    }
}

float parameter_next(uint32_t k, float value, int direction)
{
    const Parameter *parameter = &parameters[k];
    if (parameter->kind == PARAMETER_METHOD) {
        int count = (int)method_count();
        return (float)(((int)value + direction + count) % count);
    }
    if (parameter->kind == PARAMETER_SPACING)
        value *= direction > 0 ? parameter->step : 1 / parameter->step;
    else
        value = (roundf(value / parameter->step) + (float)direction) * parameter->step;
    return fminf(fmaxf(value, parameter->lo), parameter->hi);
}

void parameter_text(uint32_t k, float value, char *out, size_t size)
{
    char number[64];
    const Parameter *parameter = &parameters[k];
    if (parameter->kind == PARAMETER_METHOD)
        snprintf(number, sizeof number, "%s", neighbor_method_name((uint32_t)lroundf(value)));
    else
        snprintf(number, sizeof number, parameter->format, (double)value);
    snprintf(out, size, "%s %s", parameter->label, number);
}
