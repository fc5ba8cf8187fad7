// Small frames to draw and pictures to look at, for the tests of render/.
#ifndef PBF_TESTS_RENDER_HELPERS_H
#define PBF_TESTS_RENDER_HELPERS_H

#include "render/gl_context.h"
#include "render/render.h"

// Opens a context once per test program; NULL if there is none (the message is printed).
GlContext *render_test_context(void);
void render_test_context_close(void);
int render_test_close(void **state); // the same as a cmocka tear-down

// A frame of `count` particles whose speeds are given. Streams belong to the caller.
typedef struct TestFrame {
    FrameView view;
    float *x, *y, *z, *speed;
    float *zero; // for the streams that do not matter
} TestFrame;
TestFrame test_frame_make(uint32_t count, float spacing);
void test_frame_free(TestFrame *frame);

// A mesh with room for so many, and that of a box, whose faces meet in sharp edges. Free with
// surface_mesh_free.
SurfaceMesh test_mesh_with(uint32_t vertices, uint32_t triangles);
SurfaceMesh test_box_mesh(Vec3 lo, Vec3 hi);

// A definition without legend, with a fixed camera and the range [0, 1].
RenderDef test_def(uint32_t width, uint32_t height, Vec3 eye, Vec3 target, float fov);

// Draws one frame with a new renderer and returns its bytes (free with memory_free). Fails the test on an
// error.
uint8_t *test_picture(const RenderDef *def, const FrameView *view);

// Pixels from the middle of a square picture to the place where red falls most over so many of them, along
// one of the eight ways (-1, 0 or 1 to the right and down). Fails the test if it falls nowhere.
float test_window_rim(const uint8_t *rgb, int side, int over, int right, int down);

// Largest difference of any channel of one pixel; x from the left, y from the top.
int test_pixel_difference(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t x, uint32_t y);

#endif
