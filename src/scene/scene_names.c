#include "scene/scene_names.h"

#include "fluid/fluid.h"
#include "neighbor/neighbor.h"
#include "render/render.h"

#include <stddef.h>

const char *scene_method_names(uint32_t k, const void *context)
{
    (void)context;
    return neighbor_method_name(k);
}

const char *scene_boundary_names(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[] = {[BOUNDARY_DENSITY] = "density", [BOUNDARY_PENALTY] = "penalty"};
    return k < sizeof names / sizeof names[0] ? names[k] : NULL;
}

const char *scene_broad_phase_names(uint32_t k, const void *context)
{
    (void)context;
    return broad_phase_name(k);
}

const char *scene_style_names(uint32_t k, const void *context)
{
    (void)context;
    return k < STYLE_COUNT ? render_style_name((RenderStyle)k) : NULL;
}

const char *scene_field_names(uint32_t k, const void *context)
{
    (void)context;
    return k < FIELD_COUNT ? field_name((FieldKey)k) : NULL;
}
