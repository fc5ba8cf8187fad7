// The keys of a group of strands in scenes: rows of a StrandDef.
#ifndef PBF_STRAND_STRAND_PARAMS_H
#define PBF_STRAND_STRAND_PARAMS_H

#include "core/param.h"

extern const ParamRow STRAND_ROWS[];

#endif
