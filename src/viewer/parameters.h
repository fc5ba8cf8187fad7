// The settings of a running fluid that the panel and the keyboard change.
#ifndef PBF_VIEWER_PARAMETERS_H
#define PBF_VIEWER_PARAMETERS_H

#include "core/nearest.h"
#include "fluid/fluid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ParameterKind { PARAMETER_NUMBER, PARAMETER_WHOLE, PARAMETER_CHOICE } ParameterKind;

typedef struct Parameter {
    const char *key; // of scene files: "solver.iterations"
    const char *label;
    const char *format; // as in "%.1f 1/s"
    const char *tip;
    ParameterKind kind;
    NearestNames *names; // of a choice
    float lo, hi;        // of the slider
    float step;          // of the keyboard: added, or a factor where the slider is logarithmic
    float least, most;   // that can be typed, as scene files allow it
    bool logarithmic;
    bool further; // not among those that are shown at first
} Parameter;

#define PARAMETER_NONE UINT32_MAX // an enumerator would have to be an int

// In the order of the panel; NULL past the end.
const Parameter *parameter_at(uint32_t k);

// Which one is the neighbor method, and the value that stands for a method's name.
uint32_t parameter_of_methods(void);
uint32_t parameter_method(const char *name);

// Which one is the spacing: it takes effect when the scene is restarted.
uint32_t parameter_of_spacing(void);

// Its value: a number, or which of the names.
float parameter_get(const FluidDef *def, uint32_t k);
void parameter_set(FluidDef *def, uint32_t k, float value);

// The value one step of the keyboard further, direction -1 or 1, within what is allowed.
float parameter_next(uint32_t k, float value, int direction);

// As text for people: "iterations 4".
void parameter_text(uint32_t k, float value, char *out, size_t size);

// What it is in a definition, as scene files say it: "solver.iterations = 4".
void parameter_setting(uint32_t k, const FluidDef *def, char *out, size_t size);

#endif
