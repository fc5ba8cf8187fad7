// What scene files, command lines and panels call the choices that they share. Names by number, NULL past the
// end; the context is not used.
#ifndef PBF_SCENE_SCENE_NAMES_H
#define PBF_SCENE_SCENE_NAMES_H

#include "core/nearest.h"

const char *scene_method_names(uint32_t k, const void *context);      // of the neighbor search
const char *scene_boundary_names(uint32_t k, const void *context);    // BoundaryKind
const char *scene_broad_phase_names(uint32_t k, const void *context); // of the obstacles: BroadPhaseKind
const char *scene_style_names(uint32_t k, const void *context);       // of pictures: RenderStyle
const char *scene_field_names(uint32_t k, const void *context);       // of colours: FieldKey

#endif
