// The settings of a running fluid that the panel and the keyboard change: the rows of FLUID_ROWS that have a
// slider, by number.
#ifndef PBF_VIEWER_PARAMETERS_H
#define PBF_VIEWER_PARAMETERS_H

#include "core/param.h"
#include "fluid/fluid.h"

#include <stddef.h>
#include <stdint.h>

#define PARAMETER_NONE UINT32_MAX // an enumerator would have to be an int

// In the order of the panel; NULL past the end. A row with names is a choice.
const ParamRow *parameter_at(uint32_t k);

// The neighbor method's number, and the value that stands for a method's name.
uint32_t parameter_of_methods(void);
uint32_t parameter_method(const char *name);

// The spacing's number: it takes effect when the scene is restarted.
uint32_t parameter_of_spacing(void);

// Its value: a number (of a vector, the component that the slider shows), or which of the names.
float parameter_get(const FluidDef *def, uint32_t k);
void parameter_set(FluidDef *def, uint32_t k, float value);

// The smallest value that can be typed.
float parameter_least(const ParamRow *row);

// The value one step of the keyboard further, direction -1 or 1, within what is allowed.
float parameter_next(uint32_t k, float value, int direction);

// Readable text: "iterations 4". The format that it and sliders print numbers by: "%.1f 1/s".
void parameter_text(uint32_t k, float value, char *out, size_t size);
void parameter_format(const ParamRow *row, char *out, size_t size);

// Its value as scene files write it: "solver.iterations = 4".
void parameter_setting(uint32_t k, const FluidDef *def, char *out, size_t size);

#endif
