// Buffers of a picture's size.
#ifndef PBF_RENDER_PICTURE_BUFFERS_H
#define PBF_RENDER_PICTURE_BUFFERS_H

#include "render/framebuffer.h"

typedef struct PictureBuffers {
    uint32_t samples; // per pixel along each axis
    Framebuffer geometry, picture;
} PictureBuffers;

// Makes buffers for a picture. Errors: RESULT_USAGE for a size that the driver cannot draw, RESULT_FAILED.
Result picture_buffers_create(PictureBuffers *out, uint32_t width, uint32_t height);
void picture_buffers_destroy(PictureBuffers *buffers); // zeroed ones are allowed

// What part of each pixel the geometry covers, 0..255, top row first: a byte a pixel. Errors:
// RESULT_NO_MEMORY, RESULT_FAILED.
Result picture_buffers_read_cover(const PictureBuffers *buffers, uint8_t *cover);

#endif
