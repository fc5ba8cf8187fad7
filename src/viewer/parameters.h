// The settings of a running fluid that the panel and the keyboard change.
#ifndef PBF_VIEWER_PARAMETERS_H
#define PBF_VIEWER_PARAMETERS_H

#include "fluid/fluid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ParameterKind {
    PARAMETER_NUMBER,
    PARAMETER_WHOLE,
    PARAMETER_METHOD,
    PARAMETER_SPACING
} ParameterKind;

typedef struct Parameter {
    const char *label;
    const char *format; // as in "%.1f 1/s"
    const char *tip;
    ParameterKind kind;
    float lo, hi, step; // of a number; spacing: m, step is a factor
} Parameter;

#define PARAMETER_NONE UINT32_MAX // no parameter

// In the order of the panel; NULL past the end.
const Parameter *parameter_at(uint32_t k);

// Which one is the neighbor method, and the value that stands for a method's name.
uint32_t parameter_of_methods(void);
uint32_t parameter_method(const char *name);

// Its value: a number, or which of neighbor_method_name.
float parameter_get(const FluidDef *def, uint32_t k);
void parameter_set(FluidDef *def, uint32_t k, float value);

// The value one step of the keyboard further, direction -1 or 1, within the range.
float parameter_next(uint32_t k, float value, int direction);

// As text for people: "iterations 4".
void parameter_text(uint32_t k, float value, char *out, size_t size);

#endif
