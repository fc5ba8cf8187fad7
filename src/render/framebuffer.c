#include "render/framebuffer.h"

#include "core/memory.h"
#include "render/gl_program.h"

#include <stdio.h>
#include <string.h>

GLuint texture_create(GLenum format, uint32_t width, uint32_t height, GLenum data_format, GLenum data_type,
                      const void *data, GLenum filter)
{
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, (GLsizei)width, (GLsizei)height, 0, data_format, data_type,
                 data);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

void texture_make_mips(GLuint texture)
{
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glGenerateMipmap(GL_TEXTURE_2D);
}

Result framebuffer_create(Framebuffer *out, uint32_t width, uint32_t height, GLenum color0, GLenum color1,
                          bool depth)
{
    const GLenum formats[FRAMEBUFFER_MAX_COLORS] = {color0, color1};
    *out = (Framebuffer){.width = width, .height = height};
    glGenFramebuffers(1, &out->name);
    glBindFramebuffer(GL_FRAMEBUFFER, out->name);
    GLenum buffers[FRAMEBUFFER_MAX_COLORS] = {GL_NONE, GL_NONE};
    for (int k = 0; k < FRAMEBUFFER_MAX_COLORS; k++) {
        if (!formats[k]) continue;
        out->color[k] = texture_create(formats[k], width, height, GL_RGBA, GL_UNSIGNED_BYTE, NULL, GL_LINEAR);
        buffers[k] = GL_COLOR_ATTACHMENT0 + (GLenum)k;
        glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[k], GL_TEXTURE_2D, out->color[k], 0);
    }
    glDrawBuffers(FRAMEBUFFER_MAX_COLORS, buffers);
    if (!color0) glReadBuffer(GL_NONE);
    if (depth) {
        out->depth = texture_create(GL_DEPTH_COMPONENT32F, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, NULL,
                                    GL_NEAREST);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, out->depth, 0);
    }
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    char what[64];
    snprintf(what, sizeof what, "a picture of %u x %u samples", width, height);
    Result result = gl_check(what);
    if (result_is_ok(&result) && status != GL_FRAMEBUFFER_COMPLETE) {
        result = result_error(RESULT_FAILED, "OpenGL: the driver refuses a framebuffer of %u x %u pixels",
                              width, height);
    }
    if (!result_is_ok(&result)) framebuffer_destroy(out);
    return result;
}

void framebuffer_destroy(Framebuffer *framebuffer)
{
    glDeleteFramebuffers(1, &framebuffer->name);
    glDeleteTextures(FRAMEBUFFER_MAX_COLORS, framebuffer->color);
    glDeleteTextures(1, &framebuffer->depth);
    memset(framebuffer, 0, sizeof *framebuffer);
}

void framebuffer_share_depth(const Framebuffer *framebuffer, const Framebuffer *owner)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, owner->depth, 0);
}

void framebuffer_bind(const Framebuffer *framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
    glViewport(0, 0, (GLsizei)framebuffer->width, (GLsizei)framebuffer->height);
}

// Swaps the first row with the last and so on: OpenGL's first row is the lowest.
static void turn_over(uint8_t *rgb, uint8_t *swap, size_t row, uint32_t height)
{
    for (uint32_t k = 0; k < height / 2; k++) {
        uint8_t *upper = rgb + k * row, *lower = rgb + (height - 1 - k) * row;
        memcpy(swap, upper, row);
        memcpy(upper, lower, row);
        memcpy(lower, swap, row);
    }
}

Result framebuffer_read(const Framebuffer *framebuffer, uint8_t *rgb)
{
    size_t row = (size_t)framebuffer->width * 3;
    uint32_t height = framebuffer->height;
    uint8_t *swap = memory_allocate(row);
    if (!swap) return result_no_memory("reading the picture", row);
    gl_begin();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, (GLsizei)framebuffer->width, (GLsizei)height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    gl_end();
    turn_over(rgb, swap, row, height);
    memory_free(swap);
    return gl_check("reading the picture");
}

Result framebuffer_write(const Framebuffer *framebuffer, const uint8_t *rgb)
{
    size_t row = (size_t)framebuffer->width * 3;
    uint8_t *turned = memory_allocate(row * framebuffer->height);
    if (!turned) return result_no_memory("showing the picture", row * framebuffer->height);
    for (uint32_t k = 0; k < framebuffer->height; k++)
        memcpy(turned + k * row, rgb + (framebuffer->height - 1 - k) * row, row);
    glBindTexture(GL_TEXTURE_2D, framebuffer->color[0]);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, (GLsizei)framebuffer->width, (GLsizei)framebuffer->height, GL_RGB,
                    GL_UNSIGNED_BYTE, turned);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindTexture(GL_TEXTURE_2D, 0);
    memory_free(turned);
    return gl_check("showing the picture");
}
