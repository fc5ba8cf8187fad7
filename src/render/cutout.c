#include "render/cutout.h"

#include <math.h>
#include <stdbool.h>

// The mean color of bare pixels around one; false if there are none.
static bool background_near(const uint8_t *rgb, const uint8_t *cover, uint32_t width, uint32_t height,
                            uint32_t x, uint32_t y, float mean[3])
{
    enum { REACH = 2 };
    uint32_t count = 0, x0 = x > REACH ? x - REACH : 0, y0 = y > REACH ? y - REACH : 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (uint32_t v = y0; v <= y + REACH && v < height; v++) {
        for (uint32_t u = x0; u <= x + REACH && u < width; u++) {
            uint64_t at = (uint64_t)v * width + u;
            if (cover[at] > 0) continue;
            for (int c = 0; c < 3; c++) mean[c] += rgb[3 * at + (uint64_t)c];
            count++;
        }
    }
    for (int c = 0; c < 3 && count > 0; c++) mean[c] /= (float)count;
    return count > 0;
}

void cutout_make(const uint8_t *rgb, const uint8_t *cover, uint32_t width, uint32_t height, uint8_t *rgba)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint64_t at = (uint64_t)y * width + x;
            float behind[3], share = (float)cover[at] / 255;
            bool edge =
                cover[at] > 0 && cover[at] < 255 && background_near(rgb, cover, width, height, x, y, behind);
            for (uint64_t c = 0; c < 3; c++) {
                float seen = rgb[3 * at + c];
                if (edge) seen = (seen - (1 - share) * behind[c]) / share;
                rgba[4 * at + c] = cover[at] == 0 ? 0 : (uint8_t)lroundf(fminf(fmaxf(seen, 0), 255));
            }
            rgba[4 * at + 3] = cover[at];
        }
    }
}
