// The members of SurfaceDef that scenes and command lines set: keys, units, ranges and meaning.
#ifndef PBF_SURFACE_SURFACE_PARAMS_H
#define PBF_SURFACE_SURFACE_PARAMS_H

#include "core/param.h"

// Of a SurfaceDef; keys as in scene files.
extern const ParamRow SURFACE_ROWS[];

#endif
