#include "render_helpers.h"

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static GlContext *context;

GlContext *render_test_context(void)
{
    if (context) return context;
    Result result = gl_context_open_headless(&context);
    if (!result_is_ok(&result)) fprintf(stderr, "%s\n", result.text);
    return context;
}

void render_test_context_close(void)
{
    gl_context_close(context);
    context = NULL;
}

int render_test_close(void **state)
{
    (void)state;
    render_test_context_close();
    return 0;
}

TestFrame test_frame_make(uint32_t count, float spacing)
{
    size_t bytes = (count ? count : 1) * sizeof(float);
    TestFrame frame = {.x = memory_allocate_zeroed(bytes),
                       .y = memory_allocate_zeroed(bytes),
                       .z = memory_allocate_zeroed(bytes),
                       .speed = memory_allocate_zeroed(bytes),
                       .zero = memory_allocate_zeroed(bytes)};
    frame.view = (FrameView){.spacing = spacing,
                             .radius = 2.5f * spacing,
                             .rest_density = 1000,
                             .count = count,
                             .x = frame.x,
                             .y = frame.y,
                             .z = frame.z,
                             .vx = frame.speed,
                             .vy = frame.zero,
                             .vz = frame.zero,
                             .density = frame.zero,
                             .vorticity = frame.zero,
                             .birth = frame.zero};
    return frame;
}

void test_frame_free(TestFrame *frame)
{
    memory_free(frame->x);
    memory_free(frame->y);
    memory_free(frame->z);
    memory_free(frame->speed);
    memory_free(frame->zero);
}

RenderDef test_def(uint32_t width, uint32_t height, Vec3 eye, Vec3 target, float fov)
{
    RenderDef def = render_def_default();
    def.width = width;
    def.height = height;
    def.legend = false;
    def.auto_range = false;
    def.range_lo = 0;
    def.range_hi = 1;
    def.camera = (CameraDef){.automatic = false, .eye = eye, .target = target, .fov = fov};
    return def;
}

uint8_t *test_picture(const RenderDef *def, const FrameView *view)
{
    assert_non_null(render_test_context());
    Renderer *renderer;
    Result result = renderer_create(def, &renderer);
    assert_string_equal(result.text, "");
    uint8_t *rgb = memory_allocate((size_t)def->width * def->height * 3);
    assert_non_null(rgb);
    result = renderer_draw(renderer, view, NULL);
    assert_string_equal(result.text, "");
    result = renderer_read(renderer, rgb);
    assert_string_equal(result.text, "");
    renderer_destroy(renderer);
    return rgb;
}

int test_pixel_difference(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t x, uint32_t y)
{
    size_t at = ((size_t)y * width + x) * 3;
    int largest = 0;
    for (size_t c = 0; c < 3; c++) {
        int difference = abs((int)a[at + c] - (int)b[at + c]);
        if (difference > largest) largest = difference;
    }
    return largest;
}

SurfaceMesh test_mesh_with(uint32_t vertices, uint32_t triangles)
{
    SurfaceMesh mesh = {.vertex = memory_allocate_zeroed(vertices * sizeof(Vec3)),
                        .normal = memory_allocate_zeroed(vertices * sizeof(Vec3)),
                        .triangle = memory_allocate_zeroed(triangles * sizeof(uint32_t[3]))};
    assert_true(mesh.vertex && mesh.normal && mesh.triangle);
    return mesh;
}

SurfaceMesh test_box_mesh(Vec3 lo, Vec3 hi)
{
    SurfaceMesh mesh = test_mesh_with(24, 12);
    Vec3 middle = vec3_scale(vec3_add(lo, hi), 0.5f), half = vec3_scale(vec3_sub(hi, lo), 0.5f);
    for (int face = 0; face < 6; face++) {
        float n[3] = {0}, u[3] = {0}, v[3] = {0}, side = face & 1 ? 1 : -1;
        n[face / 2] = side;
        u[(face / 2 + 1) % 3] = side;
        v[(face / 2 + 2) % 3] = 1;
        for (int k = 0; k < 4; k++) {
            float a = k == 1 || k == 2 ? 1 : -1, b = k >= 2 ? 1 : -1;
            Vec3 p = {(n[0] + a * u[0] + b * v[0]) * half.x, (n[1] + a * u[1] + b * v[1]) * half.y,
                      (n[2] + a * u[2] + b * v[2]) * half.z};
            mesh.normal[mesh.vertex_count] = vec3_make(n[0], n[1], n[2]);
            mesh.vertex[mesh.vertex_count++] = vec3_add(middle, p);
        }
        uint32_t at = (uint32_t)face * 4;
        uint32_t two[2][3] = {{at, at + 1, at + 2}, {at, at + 2, at + 3}};
        memcpy(mesh.triangle[mesh.triangle_count], two, sizeof two);
        mesh.triangle_count += 2;
    }
    return mesh;
}

float test_window_rim(const uint8_t *rgb, int side, int over, int right, int down)
{
    float rim = 0;
    int steepest = 0;
    for (int k = 8; k + over < side / 2 - 1; k++) {
        int here = 3 * ((side / 2 + down * k) * side + side / 2 + right * k);
        int fall = rgb[here] - rgb[here + 3 * over * (down * side + right)];
        if (fall > steepest) {
            steepest = fall;
            rim = ((float)k + 0.5f * (float)(over + 1)) * sqrtf((float)(right * right + down * down));
        }
    }
    assert_true(steepest > 25);
    return rim;
}
