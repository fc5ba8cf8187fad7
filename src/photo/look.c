#include "photo/look.h"

#include <math.h>
#include <stdint.h>

static const LookDef presets[LOOK_COUNT] = {
    [LOOK_STUDIO] = {.floor = LOOK_FLOOR_SLABS,
                     .floor_color = {0.42f, 0.40f, 0.37f},
                     .sky = LOOK_SKY_STUDIO,
                     .sky_strength = 0.3f,
                     .sun = {114, 53},
                     .sun_strength = 17,
                     .sun_size = 1.6f,
                     .lamps = 1,
                     .exposure = 0,
                     .water_color = {0.30f, 0.81f, 0.92f},
                     .water_haze = 0.02f,
                     .glass = 1},
    [LOOK_POOL] = {.floor = LOOK_FLOOR_TILES,
                   .floor_color = {0.30f, 0.52f, 0.62f},
                   .sky = LOOK_SKY_DAY,
                   .sky_strength = 1,
                   .sun = {129, 45},
                   .sun_strength = 15,
                   .sun_size = 1.2f,
                   .lamps = 0,
                   .exposure = -0.7f,
                   .water_color = {0.22f, 0.76f, 0.90f},
                   .water_haze = 0.05f,
                   .glass = 1},
    [LOOK_NIGHT] = {.floor = LOOK_FLOOR_SMOOTH,
                    .floor_color = {0.10f, 0.10f, 0.11f},
                    .sky = LOOK_SKY_NIGHT,
                    .sky_strength = 1,
                    .sun = {114, 38},
                    .sun_strength = 0.6f,
                    .sun_size = 2,
                    .lamps = 0.5f,
                    .exposure = 1,
                    .water_color = {0.20f, 0.70f, 0.90f},
                    .water_haze = 0.03f,
                    .glass = 1},
    [LOOK_PLAIN] = {.floor = LOOK_FLOOR_SMOOTH,
                    .floor_color = {0.72f, 0.72f, 0.72f},
                    .sky = LOOK_SKY_EVEN,
                    .sky_strength = 0.8f,
                    .sun = {150, 60},
                    .sun_strength = 2,
                    .sun_size = 6,
                    .lamps = 0,
                    .exposure = 0,
                    .water_color = {0.20f, 0.66f, 0.90f},
                    .water_haze = 0,
                    .glass = 0},
};

LookDef look_def_default(void)
{
    return (LookDef){.preset = LOOK_STUDIO,
                     .floor = -1,
                     .floor_color = {NAN, NAN, NAN},
                     .sky = -1,
                     .sky_strength = NAN,
                     .sun = {NAN, NAN},
                     .sun_strength = NAN,
                     .sun_size = NAN,
                     .lamps = NAN,
                     .exposure = NAN,
                     .water_color = {NAN, NAN, NAN},
                     .water_depth = 0,
                     .water_haze = NAN,
                     .glass = -1,
                     .caustics = 1};
}

static void fill(float *value, uint32_t count, const float *standard)
{
    for (uint32_t k = 0; k < count; k++) {
        if (isnan(value[k])) value[k] = standard[k];
    }
}

LookDef look_resolve(const LookDef *def)
{
    LookDef look = *def;
    const LookDef *preset = &presets[def->preset];
    if (look.floor < 0) look.floor = preset->floor;
    if (look.sky < 0) look.sky = preset->sky;
    if (look.glass < 0) look.glass = preset->glass;
    fill(look.floor_color, 3, preset->floor_color);
    fill(&look.sky_strength, 1, &preset->sky_strength);
    fill(look.sun, 2, preset->sun);
    fill(&look.sun_strength, 1, &preset->sun_strength);
    fill(&look.sun_size, 1, &preset->sun_size);
    fill(&look.lamps, 1, &preset->lamps);
    fill(&look.exposure, 1, &preset->exposure);
    fill(look.water_color, 3, preset->water_color);
    fill(&look.water_haze, 1, &preset->water_haze);
    return look;
}
