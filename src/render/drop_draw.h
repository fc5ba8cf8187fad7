// Spray of water drawn from particles: finds those that fly alone and draws their drops as spheres, ray-cast
// per pixel.
#ifndef PBF_RENDER_DROP_DRAW_H
#define PBF_RENDER_DROP_DRAW_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/framebuffer.h"
#include "render/view.h"

typedef struct DropDrawer DropDrawer;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result drop_drawer_create(DropDrawer **out);
void drop_drawer_destroy(DropDrawer *drawer); // NULL is allowed

// Loads drops for the view's particles that have hardly any neighbors. *body becomes a view of the others:
// its x, y and z belong to the drawer until the next load; all its other streams are still those of the whole
// view and do not match them. Error: RESULT_NO_MEMORY.
Result drop_drawer_load(DropDrawer *drawer, const FrameView *view, FrameView *body);

// Spacings: the radius that is stored as 1.
static const float DROP_RADII = 4;

// Draws a camera's view: normals n / 2 + 1/2, alpha the radius over DROP_RADII spacings, and depth. Drops are
// drawn larger by half a pixel, so that their normals tell where they end.
Result drop_drawer_draw(const DropDrawer *drawer, const View *camera, const Framebuffer *target);

// Draws the sun's view: depth alone into `front`, and adds to `thickness` the length of water (m) along each
// beam.
Result drop_drawer_draw_sun(const DropDrawer *drawer, const View *sun, const Framebuffer *front,
                            const Framebuffer *thickness);

#endif
