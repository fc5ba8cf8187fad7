// Table of the members of RenderDef that scenes and command lines set: keys, units, ranges and meaning.
#ifndef PBF_RENDER_RENDER_PARAMS_H
#define PBF_RENDER_RENDER_PARAMS_H

#include "core/param.h"

// Rows of RenderDef and of CameraDef; keys as in scene files.
extern const ParamRow RENDER_ROWS[], CAMERA_ROWS[];

NearestNames render_style_names;     // RenderStyle by number
NearestNames render_field_names;     // FieldKey by number
NearestNames render_color_map_names; // ColorMap by number

#endif
