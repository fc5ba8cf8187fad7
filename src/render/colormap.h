// The color map of fields: deep blue through cyan to the white of foam, with lightness rising evenly
// (perceptually uniform).
#ifndef PBF_RENDER_COLORMAP_H
#define PBF_RENDER_COLORMAP_H

#include <stdint.h>

enum { COLORMAP_SIZE = 256 };

// The color at t (clamped to [0, 1]): sRGB components in [0, 1].
void colormap_srgb(float t, float rgb[3]);

// The whole map as COLORMAP_SIZE triples of sRGB bytes.
void colormap_table(uint8_t table[COLORMAP_SIZE * 3]);

// OKLab (Ottosson 2020) of an sRGB color with components in [0, 1]: lightness, green-red, blue-yellow.
void colormap_oklab_of_srgb(const float rgb[3], float lab[3]);

#endif
