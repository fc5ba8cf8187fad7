#include "render/render_params.h"

#include "render/render.h"

const char *render_style_names(uint32_t k, const void *context)
{
    (void)context;
    return k < STYLE_COUNT ? render_style_name((RenderStyle)k) : NULL;
}

const char *render_field_names(uint32_t k, const void *context)
{
    (void)context;
    return k < FIELD_COUNT ? field_name((FieldKey)k) : NULL;
}

const char *render_color_map_names(uint32_t k, const void *context)
{
    (void)context;
    return k < COLORMAP_COUNT ? colormap_name((ColorMap)k) : NULL;
}

#define AT(member) PARAM_AT(RenderDef, member)
#define FROM PARAM_FROM

const ParamRow RENDER_ROWS[] = {
    {"output.size", PARAM_COUNT, AT(width), FROM(1, 16384), .length = 2, .form = "[width, height]",
     .unit = "pixels", .help = "of pictures"},
    {"output.style", PARAM_CHOICE, AT(style), .names = render_style_names,
     .help = "how water is drawn: spheres in the colors of a field; water with its surface; water straight "
             "from the particles, faster and coarser; water with its surface, by paths of light, slower and "
             "finer"},
    {"output.color_by", PARAM_CHOICE, AT(color_by), .names = render_field_names, .help = "what colors mean"},
    {"output.color_map", PARAM_CHOICE, AT(color_map), .names = render_color_map_names,
     .help = "the colors; `auto` is `balance` for fields with a sign, `water` for all others"},
    {"output.range", PARAM_FLOAT, AT(range_lo), FROM(-1e30, 1e30), .length = 2, .form = "[low, high]",
     .word = "auto",
     .help = "values at the ends of the colors, in the unit of `color_by`; `auto` follows the frames"},
    {"output.legend", PARAM_FLAG, AT(legend),
     .help = "color bar and time in pictures of 216 x 324 pixels or more"},
    {.key = NULL},
};

#define POSITION PARAM_FROM(-1e5, 1e5), .length = 3, .unit = "m"

const ParamRow CAMERA_ROWS[] = {
    {"camera", PARAM_SECTION,
     .help = "Where pictures are taken from. Without `eye` and `target` the whole scene is framed: the tank "
             "or, without one, all water, bodies and nozzles."},
    {"camera.eye", PARAM_FLOAT, PARAM_AT(CameraDef, eye), POSITION, .default_text = "framed",
     .help = "where it stands; together with `target`"},
    {"camera.target", PARAM_FLOAT, PARAM_AT(CameraDef, target), POSITION, .default_text = "framed",
     .help = "what it looks at"},
    {"camera.fov", PARAM_FLOAT, PARAM_AT(CameraDef, fov), FROM(1, 170), .unit = "degrees",
     .help = "vertical angle of view"},
    {"camera.aperture", PARAM_FLOAT, PARAM_AT(CameraDef, aperture), FROM(0, 1e4), .unit = "m",
     .help = "`photo`: diameter of the lens; what is not at the distance of `focus` gets blurred. 0: all is "
             "sharp"},
    {"camera.focus", PARAM_FLOAT, PARAM_AT(CameraDef, focus), FROM(0, 1e6), .unit = "m", .word = "auto",
     .help = "`photo`: distance of what is sharp; `auto` is that of the target"},
    {"camera.shutter", PARAM_FLOAT, PARAM_AT(CameraDef, shutter), FROM(0, 1), .unit = "s",
     .help = "time that it is open, in which what moves gets blurred: everything in `photo`, whitewater in "
             "other pictures of water"},
    {.key = NULL},
};
