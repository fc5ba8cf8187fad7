#include "photo/look_light.h"

#include "photo/color.h"
#include "photo/look_sky.h"

// Radius of the ball around a tank of 10 m x 6 m x 10 m, which lamps and slabs were arranged for.
#define ARRANGED 7.7f

float look_exposure(float stops)
{
    return 0.85f * exp2f(stops);
}

Vec3 look_toward_sun(const LookDef *look)
{
    float around = look->sun[0] * (PHOTO_PI / 180), above = look->sun[1] * (PHOTO_PI / 180);
    return vec3_make(cosf(above) * cosf(around), cosf(above) * sinf(around), sinf(above));
}

// A soft box, in radii of the ball from its center.
typedef struct SoftBox {
    Vec3 place;
    float half_width, half_height, light;
} SoftBox;

// Behind on both sides, as a rim, and above.
static const SoftBox soft_boxes[] = {
    {{-1.56f, 0.65f, 0.39f}, 0.39f, 0.78f, 14},
    {{1.30f, 0.78f, 0.39f}, 0.39f, 0.65f, 10},
    {{0.05f, 0.02f, 1.56f}, 0.78f, 0.52f, 4},
};

static Lamp make_lamp(const SoftBox *box, Vec3 center, float radius, float strength)
{
    Vec3 normal = vec3_normalize_or(vec3_scale(box->place, -1), vec3_make(0, 0, -1));
    Vec3 up = fabsf(normal.z) > 0.95f ? vec3_make(0, 1, 0) : vec3_make(0, 0, 1);
    Vec3 side = vec3_normalize_or(vec3_cross(up, normal), vec3_make(1, 0, 0));
    return (Lamp){.middle = vec3_add(center, vec3_scale(box->place, radius)),
                  .normal = normal,
                  .half_u = vec3_scale(side, box->half_width * radius),
                  .half_v = vec3_scale(vec3_cross(normal, side), box->half_height * radius),
                  .light = color_gray(box->light * strength)};
}

Lights look_lights(const LookDef *look, Vec3 center, float radius)
{
    // Low suns are redder.
    float low = 1 - fminf(fmaxf(look->sun[1] / 60, 0), 1);
    Vec3 tint = vec3_make(1, 0.95f - 0.25f * low, 0.87f - 0.5f * low);
    bool up = look->sun[1] > 0;
    Lights lights = {0};
    lights.sun = sun_make(look_toward_sun(look), 0.5f * look->sun_size * (PHOTO_PI / 180),
                          vec3_scale(tint, up ? look->sun_strength : 0));
    if (!(look->lamps > 0)) return lights;
    for (size_t k = 0; k < sizeof soft_boxes / sizeof *soft_boxes; k++)
        lights.lamp[lights.lamp_count++] = make_lamp(&soft_boxes[k], center, radius, look->lamps);
    return lights;
}

Ground look_ground(const LookDef *look, float height, float radius)
{
    bool day = look->sky == LOOK_SKY_DAY; // has hills on its horizon
    return (Ground){.present = look->floor != LOOK_FLOOR_NONE,
                    .kind = look->floor == LOOK_FLOOR_SLABS   ? GROUND_SLABS
                            : look->floor == LOOK_FLOOR_TILES ? GROUND_TILES
                                                              : GROUND_SMOOTH,
                    .height = height,
                    .color = vec3_make(look->floor_color[0], look->floor_color[1], look->floor_color[2]),
                    .scale = 2.5f * radius / ARRANGED,
                    .gloss = 0.03f,
                    .haze = 1 / ((day ? 25 : 6) * radius),
                    .hazed = day ? 0.12f : 0.02f};
}

Result look_sky(const LookDef *look, Vec3 toward_sun, Sky *out)
{
    if (look->environment[0]) return look_sky_of_file(look, out);
    return look_sky_make((LookSky)look->sky, look->sky_strength, toward_sun, out);
}
