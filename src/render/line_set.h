// Thin straight lines in space, hidden by what lies in front of them.
#ifndef PBF_RENDER_LINE_SET_H
#define PBF_RENDER_LINE_SET_H

#include "core/result.h"
#include "core/vec3.h"
#include "render/framebuffer.h"
#include "render/view.h"

#include <stdint.h>

typedef struct Line {
    Vec3 from, to; // m, domain coordinates
    float opacity;
} Line;

typedef struct LineSet LineSet;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result line_set_create(LineSet **out);
void line_set_destroy(LineSet *set); // NULL is allowed

// Replaces the lines.
Result line_set_load(LineSet *set, const Line *lines, uint32_t count);

// How lines are drawn. geometry: the buffer with the depths, `samples` times as large
// as the picture on each axis. grain: m; what lies in front of a line by less than three grains does not hide
// it; INFINITY shows all lines.
typedef struct LineScene {
    const View *view;
    const Framebuffer *geometry;
    uint32_t width, height; // of the picture
    uint32_t samples;
    float grain;
} LineScene;

// Draws them onto the bound picture in an sRGB color.
Result line_set_draw(const LineSet *set, const LineScene *scene, const float srgb[3]);

#endif
