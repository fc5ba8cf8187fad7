// Tables of the members of PhotoDef and LookDef that scenes and command lines set: keys, units, ranges and
// meaning.
#ifndef PBF_PHOTO_PHOTO_PARAMS_H
#define PBF_PHOTO_PHOTO_PARAMS_H

#include "core/param.h"

// Keys as in scene files.
extern const ParamRow PHOTO_ROWS[], LOOK_ROWS[];

#endif
