// Renderer: pictures of a FrameView. It draws into its own framebuffer at any size; a window shows that
// framebuffer, a headless run reads it back, so both run the same code. Needs a current OpenGL 3.3 core
// context (render/gl_context.h), which others may use too: every call sets what it needs and leaves no
// buffer, program or framebuffer of its own bound.
#ifndef PBF_RENDER_RENDER_H
#define PBF_RENDER_RENDER_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "photo/photo.h"
#include "render/camera.h"
#include "render/colormap.h"
#include "render/sheet.h"
#include "surface/surface.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum RenderStyle {
    STYLE_PARTICLES,    // spheres in the colors of a field
    STYLE_SURFACE,      // water, from the mesh of its surface
    STYLE_SCREEN_SPACE, // water, from the particles as the picture shows them: no mesh, less detail
    STYLE_PHOTO,        // water, from the mesh, by the path tracer of src/photo
    STYLE_COUNT,
    STYLE_LIVE_COUNT = STYLE_PHOTO // those before it draw at once; `photo` takes seconds
} RenderStyle;

const char *render_style_name(RenderStyle style); // "particles", ...
bool render_style_needs_mesh(RenderStyle style);

typedef struct RenderDef {
    uint32_t width, height; // pixels, 1..16384
    RenderStyle style;
    FieldKey color_by;
    ColorMap color_map;
    bool auto_range; // the range follows the frame's field (smoothed over time), else it is [range_lo,
                     // range_hi]
    float range_lo, range_hi;
    bool legend; // color bar with numbers and unit, time stamp
    bool hide_tank, hide_obstacles;
    CameraDef camera;
    PhotoDef photo; // of the style `photo` alone, as is `look`
    LookDef look;
} RenderDef;

// Does a picture need the velocities of its mesh?
bool render_needs_velocities(const RenderDef *def);

// 1280 x 720, particles by speed, automatic range and camera, legend shown.
RenderDef render_def_default(void);

typedef struct Renderer Renderer;

// Errors: RESULT_USAGE (a size above the driver's limit, which the message names), RESULT_FAILED (shader,
// framebuffer), RESULT_NO_MEMORY.
Result renderer_create(const RenderDef *def, Renderer **out);
void renderer_destroy(Renderer *renderer); // with the same context current; NULL is allowed

// Changes the definition, any part of it. State from earlier frames (the field's range, what an automatic
// camera frames) is kept where it still fits. Errors as for renderer_create; the renderer is then as it was.
Result renderer_set(Renderer *renderer, const RenderDef *def);

// Draws a frame. mesh: the water's surface in domain coordinates, with its drops (render/spray.h), for styles
// that need it; NULL draws no water there. Other styles ignore it.
Result renderer_draw(Renderer *renderer, const FrameView *view, const SurfaceMesh *mesh);

// A picture of style `photo` whose definition has rounds is taken by a thread of its own, which makes it
// finer round by round. Asks for one: frame and mesh may go after that. report->samples: those of its last
// round, 0 while there is none; then, and only then, a renderer that is set to the same definition may draw
// it. wake is called on that thread when there is more to see. Errors: those of photo_take.
Result renderer_ask_photo(Renderer *renderer, const RenderDef *def, const FrameView *view,
                          const SurfaceMesh *mesh, void (*wake)(void), PhotoReport *report);
bool renderer_has_news(const Renderer *renderer); // another round since it was asked
void renderer_rest_photo(Renderer *renderer);     // no further rounds until it is asked again

// The camera of the last drawn frame, domain coordinates. See render/view.h.
const struct View *renderer_view(const Renderer *renderer);

// The range of numbers that the colors of the last drawn particles cover, and the shares of the particles
// that are below and above it.
void renderer_range(const Renderer *renderer, float *lo, float *hi);
void renderer_beyond(const Renderer *renderer, float *below, float *above);

// The map of a definition's colors, never COLORMAP_AUTO.
ColorMap render_color_map(const RenderDef *def);

// Draws these boxes of a search structure (domain coordinates) as wireframes over every frame from now on;
// they are copied. count 0: none. Boxes are hidden by particles in front of them and seen through the water
// of the other styles.
Result renderer_set_boxes(Renderer *renderer, const NeighborBox *boxes, uint32_t count);

// Draws these lines (line_set.h) as arrows in one color over every frame from now on, hidden and seen through
// water as boxes are; they are copied. count 0: none.
struct Line;
Result renderer_set_arrows(Renderer *renderer, const struct Line *lines, uint32_t count);

// Draws this picture in space over every frame from now on, hidden and seen through water as boxes are; NULL:
// none.
Result renderer_set_sheet(Renderer *renderer, const SheetDef *sheet);

// Shows the last drawn frame in the framebuffer `target` (0: the window), over width x height pixels whose
// lower left corner is (x, y).
Result renderer_show(Renderer *renderer, unsigned target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height);

// The same of the part that is right of `from`, a share of the width.
Result renderer_show_from(Renderer *renderer, float from, unsigned target, uint32_t x, uint32_t y,
                          uint32_t width, uint32_t height);

// Copies the last drawn frame to rgb: width * height * 3 bytes, sRGB, top row first.
Result renderer_read(Renderer *renderer, uint8_t *rgb);

// What particles and obstacles cover of each pixel of the last drawn frame, 0..255: width * height bytes, top
// row first. Errors: RESULT_USAGE for other styles than particles, RESULT_NO_MEMORY, RESULT_FAILED.
Result renderer_read_cover(Renderer *renderer, uint8_t *cover);

// State that a renderer carries from picture to picture: given it, another renderer with the same definition
// continues as the first would have.
typedef struct RendererMemory {
    bool range_started, staged;
    double range_time; // s
    float range_lo, range_hi;
    Box3 stage; // m
} RendererMemory;

RendererMemory renderer_memory(const Renderer *renderer);
void renderer_remember(Renderer *renderer, const RendererMemory *memory);

#endif
