#include "render/picture_buffers.h"

#include "core/memory.h"
#include "render/gl_program.h"

// Pictures are drawn at twice their size on each axis and averaged: sphere edges come from discarded
// fragments, which multisampling does not smooth. Above this many samples the picture is drawn at its own
// size.
static const uint64_t MAX_SAMPLES = 48u << 20;

// The largest side of a picture that the driver can draw, px.
static uint32_t driver_limit(void)
{
    GLint texture = 0, viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    GLint limit = viewport[0] < viewport[1] ? viewport[0] : viewport[1];
    return (uint32_t)(texture < limit ? texture : limit);
}

void picture_buffers_destroy(PictureBuffers *buffers)
{
    framebuffer_destroy(&buffers->geometry);
    framebuffer_destroy(&buffers->picture);
}

Result picture_buffers_create(PictureBuffers *out, uint32_t width, uint32_t height)
{
    uint32_t limit = driver_limit();
    *out = (PictureBuffers){0};
    if (width < 1 || height < 1 || width > limit || height > limit) {
        return result_error(RESULT_USAGE, "picture size %ux%u: this OpenGL driver draws 1x1 to %ux%u", width,
                            height, limit, limit);
    }
    bool fits = 2 * width <= limit && 2 * height <= limit && 4 * (uint64_t)width * height <= MAX_SAMPLES;
    out->samples = fits ? 2 : 1;
    Result result = framebuffer_create(&out->picture, width, height, GL_RGBA8, 0, false);
    if (result_is_ok(&result))
        result = framebuffer_create(&out->geometry, width * out->samples, height * out->samples, GL_RGBA8,
                                    GL_RGB10_A2, true);
    if (!result_is_ok(&result)) picture_buffers_destroy(out);
    return result;
}

Result picture_buffers_read_cover(const PictureBuffers *buffers, uint8_t *cover)
{
    uint32_t width = buffers->picture.width, height = buffers->picture.height, samples = buffers->samples;
    size_t row = (size_t)width * samples, bytes = row * samples * sizeof(float);
    float *depth = memory_allocate(bytes);
    if (!depth) return result_no_memory("reading the picture", bytes);
    gl_begin();
    glBindFramebuffer(GL_FRAMEBUFFER, buffers->geometry.name);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    for (uint32_t y = 0; y < height; y++) {
        glReadPixels(0, (GLint)(y * samples), (GLsizei)row, (GLsizei)samples, GL_DEPTH_COMPONENT, GL_FLOAT,
                     depth);
        for (uint32_t x = 0; x < width; x++) {
            uint32_t covered = 0;
            for (uint32_t k = 0; k < samples * samples; k++)
                covered += depth[k / samples * row + x * samples + k % samples] < 1;
            cover[(size_t)(height - 1 - y) * width + x] = (uint8_t)(255 * covered / (samples * samples));
        }
    }
    gl_end();
    memory_free(depth);
    return gl_check("reading the picture");
}
