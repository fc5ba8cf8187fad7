#include "photo/photo_params.h"

#include "photo/denoise.h"

#define FROM PARAM_FROM
#define ABOVE PARAM_ABOVE

static const char *name_of(uint32_t k, const char *const *names, uint32_t count)
{
    return k < count ? names[k] : NULL;
}

static const char *preset_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"studio", "pool", "night", "plain"};
    (void)context;
    return name_of(k, names, LOOK_COUNT);
}

static const char *floor_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"none", "smooth", "slabs", "tiles"};
    (void)context;
    return name_of(k, names, 4);
}

static const char *sky_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"studio", "day", "night", "even"};
    (void)context;
    return name_of(k, names, 4);
}

static const char *glass_names(uint32_t k, const void *context)
{
    static const char *const names[] = {"hidden", "glass"};
    (void)context;
    return name_of(k, names, 2);
}

static const char *denoise_names(uint32_t k, const void *context)
{
    (void)context;
    return denoise_name(k);
}

#define DEF(member) PARAM_AT(PhotoDef, member)

const ParamRow PHOTO_ROWS[] = {
    {"output.samples", PARAM_COUNT, DEF(samples), FROM(1, 1000000),
     .help = "`photo`: paths of light for each pixel, at most"},
    {"output.noise", PARAM_FLOAT, DEF(noise), FROM(0, 1),
     .help = "`photo`: parts of the picture with less noise, as a share of their light, take no further "
             "samples; 0: all take all"},
    {"output.time_limit", PARAM_DOUBLE, DEF(time_limit), FROM(0, 1e6), .unit = "s", .default_text = "none",
     .help =
         "`photo`: a picture is done after this time, with the samples that it has and the photons that a "
         "third of it is enough for"},
    {"output.denoise", PARAM_CHOICE, DEF(denoise), .names = denoise_names,
     .help = "`photo`: what takes the noise out that is left: Open Image Denoise, the program's own filter, "
             "or, with `auto`, the first if it is installed"},
    {.key = NULL},
};

#define LOOK(member) PARAM_AT(LookDef, member)
#define OF_PRESET .default_text = "of the preset"
#define COLOR FROM(0, 1), .length = 3, .form = "[red, green, blue]", .srgb = true, OF_PRESET

const ParamRow LOOK_ROWS[] = {
    {"look", PARAM_SECTION, .help = "How pictures of the style `photo` are lit and furnished."},
    {"look.preset", PARAM_CHOICE, LOOK(preset), .names = preset_names,
     .help = "what all other keys default to: stone slabs before a backdrop with soft boxes; tiles under a "
             "sunny sky; lamps in the dark; white light from everywhere"},
    {"look.floor", PARAM_CHOICE, LOOK(floor), .names = floor_names, OF_PRESET,
     .help = "what everything stands on"},
    {"look.floor_color", PARAM_FLOAT, LOOK(floor_color), COLOR, .help = "as screens show it (sRGB)"},
    {"look.sky", PARAM_CHOICE, LOOK(sky), .names = sky_names, OF_PRESET,
     .help = "light from far away; a day has thin clouds and hills"},
    {"look.sky_strength", PARAM_FLOAT, LOOK(sky_strength), FROM(0, 1000), OF_PRESET, .help = "factor"},
    {"look.environment", PARAM_TEXT, LOOK(environment), .size = sizeof((LookDef *)0)->environment,
     .default_text = "none",
     .help = "a picture of all directions in the place of the sky: Radiance (.hdr), twice as wide as high, "
             "relative to the scene's folder"},
    {"look.sun", PARAM_FLOAT, LOOK(sun), FROM(-360, 360), .length = 2, .form = "[around, above]",
     .unit = "degrees", OF_PRESET,
     .help = "where the sun is: counter-clockwise from x as seen from above, and above the horizon"},
    {"look.sun_strength", PARAM_FLOAT, LOOK(sun_strength), FROM(0, 10000), OF_PRESET,
     .help = "its light on a surface that faces it, where the light of a white sky is pi; 0: none"},
    {"look.sun_size", PARAM_FLOAT, LOOK(sun_size), FROM(0.1, 90), .unit = "degrees", OF_PRESET,
     .help = "its diameter; smaller makes sharper shadows"},
    {"look.lamps", PARAM_FLOAT, LOOK(lamps), FROM(0, 1000), OF_PRESET,
     .help = "strength of three soft boxes around the scene, which are seen in reflections only; 0: none"},
    {"look.exposure", PARAM_FLOAT, LOOK(exposure), FROM(-20, 20), .unit = "stops", OF_PRESET,
     .help = "one more doubles all light"},
    {"look.water_color", PARAM_FLOAT, LOOK(water_color), COLOR,
     .help = "what white light becomes on its way through `water_depth` (sRGB)"},
    {"look.water_depth", PARAM_FLOAT, LOOK(water_depth), FROM(0, 1e6), .unit = "m", .word = "auto",
     .help = "a smaller one makes darker water; `auto` follows the size of the scene"},
    {"look.water_haze", PARAM_FLOAT, LOOK(water_haze), FROM(0, 0.99), OF_PRESET,
     .help = "share of light that `water_depth` scatters: milky water"},
    {"look.tank", PARAM_CHOICE, LOOK(glass), .names = glass_names, OF_PRESET,
     .help = "how walls of the tank are drawn"},
    {"look.caustics", PARAM_FLOAT, LOOK(caustics), FROM(0, 1000),
     .help = "factor of the number of photons that bring bent sunlight; 0: none"},
    {.key = NULL},
};
