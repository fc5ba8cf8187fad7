// The members of FluidDef that scenes, panels and command lines set: the one place that says their keys,
// units, ranges and meaning. A new parameter is a member of FluidDef, a row here and its use.
#ifndef PBF_FLUID_FLUID_PARAMS_H
#define PBF_FLUID_FLUID_PARAMS_H

#include "core/param.h"

// Of a FluidDef; keys as in scene files.
extern const ParamRow FLUID_ROWS[];

// What is wrong where solver.angular_momentum and solver.micropolar are both on.
#define FLUID_ONE_SPIN "a particle has one spin (solver.micropolar: 0, or this one)"

// The neighbor methods by number.
NearestNames fluid_method_names;

#endif
