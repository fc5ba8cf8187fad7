// The light from far away: a picture of all directions, drawn from by its brightness. Rows run from the
// zenith (+z) to the nadir, columns once around.
#ifndef PBF_PHOTO_SKY_H
#define PBF_PHOTO_SKY_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdint.h>

typedef struct Sky {
    Vec3 *light; // radiance, height * width
    uint32_t width, height;
    float *row, *column; // running shares of the rows, and within each row; height + 1, height * (width + 1)
    uint16_t *row_guide, *column_guide; // where to look for a share: SKY_GUIDE + 1, as many for each row
    Vec3 mean;                          // radiance over all directions
} Sky;

enum { SKY_GUIDE = 256 };

// Light from a direction, unit.
typedef Vec3 SkyLight(Vec3 direction, const void *context);

// Fills a sky of width x height, each up to 65535. Error: RESULT_NO_MEMORY. Free with sky_free.
Result sky_make(uint32_t width, uint32_t height, SkyLight *light, const void *context, Sky *out);

// As sky_make, from a picture whose rows are as above, turned by `turn` radians about the vertical and
// multiplied by `strength`.
Result sky_of_picture(const Vec3 *picture, uint32_t width, uint32_t height, float turn, float strength,
                      Sky *out);
void sky_free(Sky *sky); // zeroed is allowed

// Radiance from a direction, between the four nearest pixels.
Vec3 sky_light(const Sky *sky, Vec3 direction);

// Draws a direction, more often where it is bright; *light: radiance from there, *density: of the choice, per
// steradian.
Vec3 sky_draw(const Sky *sky, float u, float v, Vec3 *light, float *density);

// The same for a direction that came about otherwise.
float sky_density(const Sky *sky, Vec3 direction, Vec3 *light);

#endif
