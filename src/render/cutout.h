// Pictures without their background.
#ifndef PBF_RENDER_CUTOUT_H
#define PBF_RENDER_CUTOUT_H

#include <stdint.h>

// Makes rgba (width * height * 4 bytes, top row first, colors not multiplied by alpha) of a picture and of
// the share of each pixel that is covered, 0..255. What the background gave to pixels at edges is taken out,
// as far as bare ones near them tell it.
void cutout_make(const uint8_t *rgb, const uint8_t *cover, uint32_t width, uint32_t height, uint8_t *rgba);

#endif
