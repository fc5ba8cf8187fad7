// The color maps of fields. The first is the program's own: deep blue through cyan to the white of foam, with
// lightness rising evenly (perceptually uniform).
#ifndef PBF_RENDER_COLORMAP_H
#define PBF_RENDER_COLORMAP_H

#include <stdint.h>

enum { COLORMAP_SIZE = 256 };

typedef enum ColorMap {
    COLORMAP_AUTO,    // water, or balance for fields with a sign
    COLORMAP_WATER,   // of colormap_srgb
    COLORMAP_VIRIDIS, // Smith and van der Walt, 2015
    COLORMAP_CIVIDIS, // Nunez et al. 2018: alike to readers with and without color blindness
    COLORMAP_BALANCE, // blue, white, red (ColorBrewer's RdBu): 0 is white
    COLORMAP_COUNT
} ColorMap;

const char *colormap_name(ColorMap map);

// The color of a map other than COLORMAP_AUTO at t (clamped to [0, 1]): sRGB components in [0, 1].
void colormap_color(ColorMap map, float t, float rgb[3]);

// The same of the program's own map.
void colormap_srgb(float t, float rgb[3]);

// The whole map as COLORMAP_SIZE triples of sRGB bytes.
void colormap_table(ColorMap map, uint8_t table[COLORMAP_SIZE * 3]);

// OKLab (Ottosson 2020) of an sRGB color with components in [0, 1]: lightness, green-red, blue-yellow.
void colormap_oklab_of_srgb(const float rgb[3], float lab[3]);

#endif
