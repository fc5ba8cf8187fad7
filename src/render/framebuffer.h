// Framebuffers: textures to draw into.
#ifndef PBF_RENDER_FRAMEBUFFER_H
#define PBF_RENDER_FRAMEBUFFER_H

#include "core/result.h"

#include <GL/glew.h>

#include <stdint.h>

enum { FRAMEBUFFER_MAX_COLORS = 2 };

typedef struct Framebuffer {
    GLuint name;
    GLuint color[FRAMEBUFFER_MAX_COLORS]; // textures; 0 where there is none
    GLuint depth;                         // 32-bit float depth texture, or 0
    uint32_t width, height;
} Framebuffer;

// Makes a framebuffer with textures of the given internal formats (0: none). Sampling is linear for colors
// and nearest for depth, clamped to the edge. Errors: RESULT_FAILED, RESULT_NO_MEMORY.
Result framebuffer_create(Framebuffer *out, uint32_t width, uint32_t height, GLenum color0, GLenum color1,
                          bool depth);
void framebuffer_destroy(Framebuffer *framebuffer); // a zeroed one is allowed

// Attaches another framebuffer's depth, of the same size, to one without its own. The other must outlive it.
void framebuffer_share_depth(const Framebuffer *framebuffer, const Framebuffer *owner);

// Makes it the target of drawing, with a viewport over all of it.
void framebuffer_bind(const Framebuffer *framebuffer);

// Copies its first color to rgb: width * height * 3 bytes, top row first. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY.
Result framebuffer_read(const Framebuffer *framebuffer, uint8_t *rgb);

// Fills its first color with rgb: as framebuffer_read gives it. Errors: likewise.
Result framebuffer_write(const Framebuffer *framebuffer, const uint8_t *rgb);

// A two-dimensional texture of `format` (internal); data may be NULL.
GLuint texture_create(GLenum format, uint32_t width, uint32_t height, GLenum data_format, GLenum data_type,
                      const void *data, GLenum filter);

// Makes a texture's mipmaps and turns trilinear filtering on.
void texture_make_mips(GLuint texture);

#endif
