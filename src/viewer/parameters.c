#include "viewer/parameters.h"

#include "fluid/fluid_params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ParamRow *parameter_at(uint32_t k)
{
    for (const ParamRow *row = FLUID_ROWS; row->key; row++) {
        if (row->slider && k-- == 0) return row;
    }
    return NULL;
}

static uint32_t number_of(const char *key)
{
    uint32_t k = 0;
    while (strcmp(parameter_at(k)->key, key) != 0) k++;
    return k;
}

uint32_t parameter_of_methods(void)
{
    return number_of("solver.neighbor");
}

uint32_t parameter_of_spacing(void)
{
    return number_of("spacing");
}

uint32_t parameter_method(const char *name)
{
    for (uint32_t k = 0; fluid_method_names(k, NULL); k++) {
        if (strcmp(fluid_method_names(k, NULL), name) == 0) return k;
    }
    return 0;
}

float parameter_get(const FluidDef *def, uint32_t k)
{
    const ParamRow *row = parameter_at(k);
    const char *member = (const char *)def + row->offset;
    if (row->kind == PARAM_TEXT) return (float)parameter_method(member);
    return (float)param_get(row, member, row->slider->component);
}

// The double that a person would write: 0.3f as a double is not 0.3.
static double written(float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", (double)value);
    return strtod(text, NULL);
}

void parameter_set(FluidDef *def, uint32_t k, float value)
{
    const ParamRow *row = parameter_at(k);
    char *member = (char *)def + row->offset;
    if (row->kind == PARAM_TEXT)
        snprintf(member, row->size, "%s", row->names((uint32_t)lroundf(value), NULL));
    else if (row->kind == PARAM_DOUBLE)
        param_set(row, member, 0, written(value));
    else
        param_set(row, member, row->slider->component,
                  row->kind == PARAM_FLOAT ? (double)value : round((double)value));
}

float parameter_least(const ParamRow *row)
{
    return row->above_lo ? row->slider->least : (float)row->lo;
}

static int name_count(const ParamRow *row)
{
    uint32_t count = 0;
    while (row->names(count, NULL)) count++;
    return (int)count;
}

float parameter_next(uint32_t k, float value, int direction)
{
    const ParamRow *row = parameter_at(k);
    const ParamSlider *slider = row->slider;
    if (row->names) {
        int count = name_count(row);
        return (float)(((int)value + direction + count) % count);
    }
    if (slider->logarithmic)
        value *= direction > 0 ? slider->step : 1 / slider->step;
    else
        value = (roundf(value / slider->step) + (float)direction) * slider->step;
    return fminf(fmaxf(value, parameter_least(row)), (float)row->hi);
}

void parameter_setting(uint32_t k, const FluidDef *def, char *out, size_t size)
{
    const ParamRow *row = parameter_at(k);
    char value[80];
    param_value(row, (const char *)def + row->offset, value, sizeof value);
    snprintf(out, size, "%s = %s", row->key, value);
}

void parameter_format(const ParamRow *row, char *out, size_t size)
{
    snprintf(out, size, "%%.%u%c%s%s", row->slider->decimals, row->slider->logarithmic ? 'g' : 'f',
             row->unit ? " " : "", row->unit ? row->unit : "");
}

void parameter_text(uint32_t k, float value, char *out, size_t size)
{
    const ParamRow *row = parameter_at(k);
    char number[64];
    if (row->names)
        snprintf(number, sizeof number, "%s", row->names((uint32_t)lroundf(value), NULL));
    else
        snprintf(number, sizeof number, row->slider->logarithmic ? "%.*g%s%s" : "%.*f%s%s",
                 (int)row->slider->decimals, (double)value, row->unit ? " " : "", row->unit ? row->unit : "");
    snprintf(out, size, "%s %s", row->label, number);
}
