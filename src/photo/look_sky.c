#include "photo/look_sky.h"

#include "core/memory.h"
#include "photo/color.h"
#include "photo/ground_noise.h"
#include "photo/number.h"
#include "photo/radiance.h"

enum { WIDTH = 1024, HEIGHT = 512 };

typedef struct SkyPlan {
    LookSky kind;
    float strength;
    Vec3 sun;
} SkyPlan;

// --- day: Preetham, Shirley and Smits 1999, "A practical analytic model for daylight" ---

#define TURBIDITY 2.6f

// Perez's distribution for an angle from the zenith and one from the sun.
static float perez(const float c[5], float cos_zenith, float angle, float cos_angle)
{
    return (1 + c[0] * expf(c[1] / fmaxf(cos_zenith, 0.01f))) *
           (1 + c[2] * expf(c[3] * angle) + c[4] * cos_angle * cos_angle);
}

static const float T = TURBIDITY;
static const float Y_OF[5] = {0.1787f * TURBIDITY - 1.4630f, -0.3554f * TURBIDITY + 0.4275f,
                              -0.0227f * TURBIDITY + 5.3251f, 0.1206f * TURBIDITY - 2.5771f,
                              -0.0670f * TURBIDITY + 0.3703f};
static const float X_OF[5] = {-0.0193f * TURBIDITY - 0.2592f, -0.0665f * TURBIDITY + 0.0008f,
                              -0.0004f * TURBIDITY + 0.2125f, -0.0641f * TURBIDITY - 0.8989f,
                              -0.0033f * TURBIDITY + 0.0452f};
static const float SMALL_Y_OF[5] = {-0.0167f * TURBIDITY - 0.2608f, -0.0950f * TURBIDITY + 0.0092f,
                                    -0.0079f * TURBIDITY + 0.2102f, -0.0441f * TURBIDITY - 1.6537f,
                                    -0.0109f * TURBIDITY + 0.0529f};

static float zenith_chroma(const float m[12], float s)
{
    float cubic[3];
    for (int k = 0; k < 3; k++)
        cubic[k] = ((m[4 * k] * s + m[4 * k + 1]) * s + m[4 * k + 2]) * s + m[4 * k + 3];
    return (cubic[0] * T + cubic[1]) * T + cubic[2];
}

// CIE xyY to linear sRGB.
static Vec3 rgb_of(float x, float y, float luminance)
{
    float X = luminance * x / y, Z = luminance * (1 - x - y) / y;
    Vec3 rgb = vec3_make(3.2406f * X - 1.5372f * luminance - 0.4986f * Z,
                         -0.9689f * X + 1.8758f * luminance + 0.0415f * Z,
                         0.0557f * X - 0.2040f * luminance + 1.0570f * Z);
    return vec3_max(rgb, color_gray(0));
}

// Radiance in units of about the sky's mean at a high sun.
static Vec3 daylight(Vec3 direction, Vec3 sun)
{
    static const float x_zenith[12] = {0.00166f,  -0.00375f, 0.00209f, 0,         -0.02903f, 0.06377f,
                                       -0.03202f, 0.00394f,  0.11693f, -0.21196f, 0.06052f,  0.25886f};
    static const float y_zenith[12] = {0.00275f,  -0.00610f, 0.00317f, 0,         -0.04214f, 0.08970f,
                                       -0.04153f, 0.00516f,  0.15346f, -0.26756f, 0.06670f,  0.26688f};
    float sun_z = fmaxf(sun.z, 0.02f), sun_angle = acosf(sun_z);
    float cos_angle = fminf(fmaxf(vec3_dot(direction, sun), -1), 1), angle = acosf(cos_angle);
    float chi = (4.0f / 9 - T / 120) * (PHOTO_PI - 2 * sun_angle);
    float zenith = (4.0453f * T - 4.9710f) * tanf(chi) - 0.2155f * T + 2.4192f;
    float z = direction.z;
    float Y = zenith * perez(Y_OF, z, angle, cos_angle) / perez(Y_OF, 1, sun_angle, sun_z);
    float x = zenith_chroma(x_zenith, sun_angle) * perez(X_OF, z, angle, cos_angle) /
              perez(X_OF, 1, sun_angle, sun_z);
    float y = zenith_chroma(y_zenith, sun_angle) * perez(SMALL_Y_OF, z, angle, cos_angle) /
              perez(SMALL_Y_OF, 1, sun_angle, sun_z);
    return vec3_scale(rgb_of(x, y, fmaxf(Y, 0)), 0.12f);
}

static Vec3 day(Vec3 direction, Vec3 sun)
{
    Vec3 up = vec3_normalize_or(vec3_make(direction.x, direction.y, fmaxf(direction.z, 0.01f)), direction);
    Vec3 light = daylight(up, sun);
    light = vec3_scale(light, 3 / fmaxf(3, color_largest(light))); // the sun itself is a lamp of its own
    float toward = fmaxf(vec3_dot(direction, sun), 0);
    if (direction.z > 0.01f) {
        float x = direction.x / (direction.z + 0.12f), y = direction.y / (direction.z + 0.12f);
        float cover = number_step(0.50f, 0.72f, ground_noise(0.9f * x + 3, 0.9f * y, 77, 6));
        Vec3 cloud =
            vec3_add(color_gray(1.5f), vec3_scale(vec3_make(1, 0.9f, 0.75f), 0.8f * powf(toward, 6)));
        light = color_mix(light, cloud, 0.85f * cover * number_step(0.02f, 0.2f, direction.z));
    }
    float around = atan2f(direction.y, direction.x);
    float hills = 0.035f + 0.2f * ground_noise(around * 5, 1, 5, 6) * ground_noise(around * 1.2f, 4, 9, 2);
    float wood = 0.4f + 1.6f * ground_noise(around * 60, direction.z * 60, 21, 4);
    return color_mix(light, vec3_scale(vec3_make(0.05f, 0.075f, 0.035f), wood),
                     0.93f * number_step(hills, hills - 0.008f, direction.z));
}

// --- the others ---

// A gradient with a halo behind what is seen from the front.
static Vec3 studio(Vec3 direction)
{
    Vec3 behind = vec3_normalize_or(vec3_make(-0.5f, 0.85f, -0.02f), direction);
    float halo = powf(fmaxf(vec3_dot(direction, behind), 0), 8);
    float height = number_step(0.45f, 0.95f, 0.5f * direction.z + 0.5f);
    Vec3 dome = color_mix(vec3_make(0.52f, 0.54f, 0.57f), vec3_make(0.12f, 0.13f, 0.15f), height);
    return vec3_add(dome, vec3_scale(vec3_make(1.83f, 2.07f, 2.5f), halo));
}

static Vec3 night(Vec3 direction)
{
    float up = fmaxf(direction.z, 0);
    return color_mix(vec3_make(0.05f, 0.07f, 0.12f), vec3_make(0.008f, 0.012f, 0.03f),
                     number_step(0, 0.5f, up));
}

static Vec3 light_of(Vec3 direction, const void *context)
{
    const SkyPlan *plan = context;
    Vec3 light = plan->kind == LOOK_SKY_STUDIO  ? studio(direction)
                 : plan->kind == LOOK_SKY_DAY   ? day(direction, plan->sun)
                 : plan->kind == LOOK_SKY_NIGHT ? night(direction)
                                                : color_gray(1);
    return vec3_scale(light, plan->strength);
}

Result look_sky_make(LookSky kind, float strength, Vec3 toward_sun, Sky *out)
{
    uint32_t detail = kind == LOOK_SKY_DAY ? 1 : 8;
    return sky_make(WIDTH / detail, HEIGHT / detail, light_of, &(SkyPlan){kind, strength, toward_sun}, out);
}

Result look_sky_of_file(const LookDef *look, Sky *out)
{
    RadiancePicture picture;
    TRY(radiance_read(look->environment, &picture));
    Result result = sky_of_picture(picture.light, picture.width, picture.height, 0, look->sky_strength, out);
    memory_free(picture.light);
    return result;
}
