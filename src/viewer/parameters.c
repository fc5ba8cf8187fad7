#include "viewer/parameters.h"

#include "neighbor/neighbor.h"
#include "scene/scene_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ITERATIONS,
    VISCOSITY,
    VORTICITY,
    TENSION,
    GRAVITY,
    METHOD,
    SPACING,
    WARM_START,
    RELAXATION,
    SCORR,
    TIME_STEP,
    CFL,
    WAVE_CFL,
    SUBSTEPS,
    BOUNDARY,
    BROAD_PHASE,
    COUNT
};

static const Parameter parameters[COUNT] = {
    [ITERATIONS] = {"solver.iterations", "iterations", "%.0f", "constraint iterations a step",
                    PARAMETER_WHOLE, NULL, 1, 20, 1, .least = 1, .most = 64},
    [VISCOSITY] = {"fluid.viscosity", "viscosity", "%.1f 1/s",
                   "rate at which water takes on its neighbors' velocity (XSPH)", PARAMETER_NUMBER, NULL, 0,
                   50, 0.5f, .least = 0, .most = 1000},
    [VORTICITY] = {"fluid.vorticity", "vorticity", "%.3f m/s", "strength of vorticity confinement",
                   PARAMETER_NUMBER, NULL, 0, 0.2f, 0.005f, .least = 0, .most = 1000},
    [TENSION] = {"fluid.surface_tension", "surface tension", "%.1f N/m", "pulls drops together",
                 PARAMETER_NUMBER, NULL, 0, 50, 0.5f, .least = 0, .most = 1000},
    [GRAVITY] = {"fluid.gravity", "gravity", "%.2f m/s^2", "along z; negative is down", PARAMETER_NUMBER,
                 NULL, -25, 25, 0.5f, .least = -1000, .most = 1000},
    [METHOD] = {"solver.neighbor", "neighbor search", "%.0f",
                "the water is the same with each; times and memory differ", PARAMETER_CHOICE,
                .names = scene_method_names},
    [SPACING] =
        {"spacing", "spacing", "%.4g m",
         "distance of particles at rest; half of it means eight times the particles. Takes effect when "
         "the scene is restarted",
         PARAMETER_NUMBER, NULL, 0.02f, 1, 1.1f, .least = 1e-4f, .most = 1000, .logarithmic = true},
    [WARM_START] = {"solver.warm_start", "warm start", "%.2f",
                    "share of the last step's pressure that the iterations start from", PARAMETER_NUMBER,
                    NULL, 0, 0.9f, 0.05f, .least = 0, .most = 0.9f, .further = true},
    [RELAXATION] = {"solver.relaxation", "relaxation", "%.2f", "more is calmer and more compressible",
                    PARAMETER_NUMBER, NULL, 0, 10, 0.25f, .least = 0, .most = 1000, .further = true},
    [SCORR] = {"solver.scorr.strength", "clumping", "%.4f",
               "artificial pressure (s_corr, k) that keeps particles from clumping", PARAMETER_NUMBER, NULL,
               0, 0.02f, 0.0005f, .least = 0, .most = 10, .further = true},
    [TIME_STEP] = {"solver.time_step", "longest step", "%.4f s", "no step is longer", PARAMETER_NUMBER, NULL,
                   0.0005f, 0.02f, 1.1f, .least = 1e-6f, .most = 1, .logarithmic = true, .further = true},
    [CFL] = {"solver.cfl", "cfl", "%.2f",
             "part of the influence radius that no particle moves further than in a step", PARAMETER_NUMBER,
             NULL, 0.05f, 1, 0.05f, .least = 0.01f, .most = 2, .further = true},
    [WAVE_CFL] = {"solver.wave_cfl", "wave cfl", "%.2f",
                  "part of the influence radius that a wave on deep water moves in a step at most",
                  PARAMETER_NUMBER, NULL, 0.02f, 1, 0.02f, .least = 0.01f, .most = 10, .further = true},
    [SUBSTEPS] = {"solver.max_substeps", "sub-steps", "%.0f", "the most that one longest step is cut into",
                  PARAMETER_WHOLE, NULL, 1, 32, 1, .least = 1, .most = 1000, .further = true},
    [BOUNDARY] = {"solver.boundary", "boundary", "%.0f",
                  "density: walls count as fluid behind them; penalty: they only push", PARAMETER_CHOICE,
                  .names = scene_boundary_names, .further = true},
    [BROAD_PHASE] = {"solver.broad_phase", "broad phase", "%.0f",
                     "how obstacles near a particle are found; the water is the same with each",
                     PARAMETER_CHOICE, .names = scene_broad_phase_names, .further = true},
};

const Parameter *parameter_at(uint32_t k)
{
    return k < COUNT ? &parameters[k] : NULL;
}

uint32_t parameter_of_methods(void)
{
    return METHOD;
}

uint32_t parameter_of_spacing(void)
{
    return SPACING;
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
    const float values[COUNT] = {
        [ITERATIONS] = (float)def->iterations,
        [VISCOSITY] = def->viscosity,
        [VORTICITY] = def->vorticity,
        [TENSION] = def->surface_tension,
        [GRAVITY] = def->gravity.z,
        [METHOD] = (float)parameter_method(def->neighbor),
        [SPACING] = def->spacing,
        [WARM_START] = def->warm_start,
        [RELAXATION] = def->relaxation,
        [SCORR] = def->scorr_strength,
        [TIME_STEP] = (float)def->time_step,
        [CFL] = (float)def->cfl,
        [WAVE_CFL] = (float)def->wave_cfl,
        [SUBSTEPS] = (float)def->max_substeps,
        [BOUNDARY] = (float)def->boundary,
        [BROAD_PHASE] = (float)def->broad_phase,
    };
    return values[k];
}

// A number that a person would write: 0.3f as a double is not 0.3.
static double written(float value)
{
    char text[32];
    double number = 0;
    snprintf(text, sizeof text, "%.6g", (double)value);
    sscanf(text, "%lf", &number);
    return number;
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
    case SPACING:
        def->spacing = value;
        break;
    case WARM_START:
        def->warm_start = value;
        break;
    case RELAXATION:
        def->relaxation = value;
        break;
    case SCORR:
        def->scorr_strength = value;
        break;
    case TIME_STEP:
        def->time_step = written(value);
        break;
    case CFL:
        def->cfl = written(value);
        break;
    case WAVE_CFL:
        def->wave_cfl = written(value);
        break;
    case SUBSTEPS:
        def->max_substeps = (uint32_t)lroundf(value);
        break;
    case BOUNDARY:
        def->boundary = (BoundaryKind)lroundf(value);
        break;
    default:
        def->broad_phase = (BroadPhaseKind)lroundf(value);
    }
}

static int name_count(const Parameter *parameter)
{
    uint32_t count = 0;
    while (parameter->names(count, NULL)) count++;
    return (int)count;
}

float parameter_next(uint32_t k, float value, int direction)
{
    const Parameter *parameter = &parameters[k];
    if (parameter->kind == PARAMETER_CHOICE) {
        int count = name_count(parameter);
        return (float)(((int)value + direction + count) % count);
    }
    if (parameter->logarithmic)
        value *= direction > 0 ? parameter->step : 1 / parameter->step;
    else
        value = (roundf(value / parameter->step) + (float)direction) * parameter->step;
    return fminf(fmaxf(value, parameter->least), parameter->most);
}

void parameter_setting(uint32_t k, const FluidDef *def, char *out, size_t size)
{
    const Parameter *parameter = &parameters[k];
    float value = parameter_get(def, k);
    if (parameter->kind == PARAMETER_CHOICE)
        snprintf(out, size, "%s = %s", parameter->key, parameter->names((uint32_t)lroundf(value), NULL));
    else if (k == GRAVITY)
        snprintf(out, size, "%s = [%.6g, %.6g, %.6g]", parameter->key, (double)def->gravity.x,
                 (double)def->gravity.y, (double)def->gravity.z);
    else
        snprintf(out, size, "%s = %.6g", parameter->key, (double)value);
}

void parameter_text(uint32_t k, float value, char *out, size_t size)
{
    char number[64];
    const Parameter *parameter = &parameters[k];
    if (parameter->kind == PARAMETER_CHOICE)
        snprintf(number, sizeof number, "%s", parameter->names((uint32_t)lroundf(value), NULL));
    else
        snprintf(number, sizeof number, parameter->format, (double)value);
    snprintf(out, size, "%s %s", parameter->label, number);
}
