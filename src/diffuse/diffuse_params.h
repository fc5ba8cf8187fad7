// The members of DiffuseDef that scenes and command lines set: keys, units, ranges and meaning.
#ifndef PBF_DIFFUSE_DIFFUSE_PARAMS_H
#define PBF_DIFFUSE_DIFFUSE_PARAMS_H

#include "core/param.h"

// Of a DiffuseDef; keys as in scene files.
extern const ParamRow DIFFUSE_ROWS[];

#endif
