// What a picture is asked for by: styles, and what holds where nothing is said.
#include "render/render.h"

static const char *const STYLE_NAMES[STYLE_COUNT] = {"particles", "surface", "screen_space", "photo"};

const char *render_style_name(RenderStyle style)
{
    return STYLE_NAMES[style];
}

bool render_style_needs_mesh(RenderStyle style)
{
    return style == STYLE_SURFACE || style == STYLE_PHOTO;
}

bool render_needs_velocities(const RenderDef *def)
{
    return def->style == STYLE_PHOTO && def->camera.shutter > 0;
}

RenderDef render_def_default(void)
{
    return (RenderDef){
        .width = 1280,
        .height = 720,
        .style = STYLE_PARTICLES,
        .color_by = FIELD_SPEED,
        .auto_range = true,
        .legend = true,
        .camera = {.automatic = true, .fov = 30},
        .photo = photo_def_default(),
        .look = look_def_default(),
    };
}

ColorMap render_color_map(const RenderDef *def)
{
    if (def->color_map != COLORMAP_AUTO) return def->color_map;
    return particle_attribute(def->color_by)->two_sided ? COLORMAP_BALANCE : COLORMAP_WATER;
}
