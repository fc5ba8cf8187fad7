// The members of RenderDef that scenes and command lines set: keys, units, ranges and meaning.
#ifndef PBF_RENDER_RENDER_PARAMS_H
#define PBF_RENDER_RENDER_PARAMS_H

#include "core/param.h"

// Of a RenderDef; keys as in scene files. CAMERA_ROWS are of a CameraDef.
extern const ParamRow RENDER_ROWS[], CAMERA_ROWS[];

NearestNames render_style_names; // RenderStyle by number
NearestNames render_field_names; // FieldKey by number

#endif
