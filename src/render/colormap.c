#include "render/colormap.h"

#include "core/result.h"
#include "core/srgb.h"

#include <math.h>
#include <stdbool.h>

// Control points, evenly spaced in t, as OKLab chroma and hue (degrees). Lightness is not a control point: it
// rises linearly, so equal steps of the value look equally large, in grayscale and to color-blind readers
// too.
static const float CONTROL[][2] = {
    {0.150f, 265}, {0.172f, 261}, {0.165f, 253}, {0.145f, 240},
    {0.125f, 222}, {0.100f, 205}, {0.062f, 196}, {0.022f, 190},
};
enum { CONTROL_COUNT = sizeof CONTROL / sizeof CONTROL[0] };
static const float LIGHTNESS_LO = 0.39f, LIGHTNESS_HI = 0.955f;

// Björn Ottosson, "A perceptual color space for image processing", 2020.
void colormap_oklab_of_srgb(const float rgb[3], float lab[3])
{
    float r = linear_of_srgb(rgb[0]), g = linear_of_srgb(rgb[1]), b = linear_of_srgb(rgb[2]);
    float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    lab[0] = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
    lab[1] = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s;
    lab[2] = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s;
}

static void linear_of_oklab(const float lab[3], float rgb[3])
{
    float l = lab[0] + 0.3963377774f * lab[1] + 0.2158037573f * lab[2];
    float m = lab[0] - 0.1055613458f * lab[1] - 0.0638541728f * lab[2];
    float s = lab[0] - 0.0894841775f * lab[1] - 1.2914855480f * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s;
    rgb[1] = -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s;
    rgb[2] = -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s;
}

static bool in_gamut(const float rgb[3])
{
    for (int k = 0; k < 3; k++) {
        if (!(rgb[k] >= -1e-4f && rgb[k] <= 1.0001f)) return false;
    }
    return true;
}

// Catmull-Rom through one column of the control points.
static float spline(float t, int column)
{
    float x = t * (CONTROL_COUNT - 1);
    int k = (int)fminf(floorf(x), CONTROL_COUNT - 2);
    float u = x - (float)k;
    float b = CONTROL[k][column], c = CONTROL[k + 1][column];
    float a = k > 0 ? CONTROL[k - 1][column] : 2 * b - c;
    float d = k + 2 < CONTROL_COUNT ? CONTROL[k + 2][column] : 2 * c - b;
    return b + 0.5f * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
}

void colormap_srgb(float t, float rgb[3])
{
    t = fminf(fmaxf(t, 0), 1);
    float chroma = spline(t, 0), hue = spline(t, 1) * 3.14159265f / 180;
    float linear[3];
    // Outside the sRGB gamut chroma is reduced, never lightness.
    for (int k = 0; k < 40; k++) {
        const float lab[3] = {LIGHTNESS_LO + t * (LIGHTNESS_HI - LIGHTNESS_LO), chroma * cosf(hue),
                              chroma * sinf(hue)};
        linear_of_oklab(lab, linear);
        if (in_gamut(linear)) break;
        chroma *= 0.97f;
    }
    for (int k = 0; k < 3; k++) rgb[k] = srgb_of_linear(linear[k]);
}

// --- maps that are known by points ---

enum { STOPS_MAX = 11 };

typedef struct StopMap {
    const char *name;
    uint32_t count;           // of evenly spaced stops; 0: the program's own map
    uint32_t stop[STOPS_MAX]; // 0xRRGGBB
} StopMap;

static const StopMap maps[COLORMAP_COUNT] = {
    [COLORMAP_AUTO] = {.name = "auto"},
    [COLORMAP_WATER] = {.name = "water"},
    [COLORMAP_VIRIDIS] = {"viridis",
                          10,
                          {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58,
                           0xb5de2b, 0xfde725}},
    [COLORMAP_CIVIDIS] = {"cividis",
                          10,
                          {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369,
                           0xe1cc55, 0xfee838}},
    [COLORMAP_BALANCE] = {"balance",
                          11,
                          {0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582,
                           0xd6604d, 0xb2182b, 0x67001f}},
};

const char *colormap_name(ColorMap map)
{
    CHECK(map < COLORMAP_COUNT);
    return maps[map].name;
}

void colormap_color(ColorMap map, float t, float rgb[3])
{
    CHECK(map < COLORMAP_COUNT && map != COLORMAP_AUTO);
    const StopMap *stops = &maps[map];
    if (stops->count == 0) {
        colormap_srgb(t, rgb);
        return;
    }
    float x = fminf(fmaxf(t, 0), 1) * (float)(stops->count - 1);
    uint32_t k = (uint32_t)fminf(floorf(x), (float)(stops->count - 2));
    float u = x - (float)k;
    for (int c = 0; c < 3; c++) {
        int shift = 16 - 8 * c;
        float from = (float)(stops->stop[k] >> shift & 255), to = (float)(stops->stop[k + 1] >> shift & 255);
        rgb[c] = (from + u * (to - from)) / 255;
    }
}

void colormap_table(ColorMap map, uint8_t table[COLORMAP_SIZE * 3])
{
    for (int k = 0; k < COLORMAP_SIZE; k++) {
        float rgb[3];
        colormap_color(map, (float)k / (COLORMAP_SIZE - 1), rgb);
        for (int c = 0; c < 3; c++) table[3 * k + c] = (uint8_t)(255 * rgb[c] + 0.5f);
    }
}
