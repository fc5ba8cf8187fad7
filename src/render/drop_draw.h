// Water that is drawn from particles: which of them fly alone, and their drops as balls, solved per pixel.
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

// Takes over the drops of those of the view's particles that have hardly any neighbors. *body becomes a view
// of the others, of which x, y and z belong to the drawer until the next load and all else is the view's:
// only positions fit each other. Error: RESULT_NO_MEMORY.
Result drop_drawer_load(DropDrawer *drawer, const FrameView *view, FrameView *body);

// Spacings: the radius that is stored as 1.
static const float DROP_RADII = 4;

// Draws a camera's view: normals n / 2 + 1/2, alpha the radius over DROP_RADII spacings, and depth. Drops are
// larger by half a pixel than they are, so that where they end can be told from their normals.
Result drop_drawer_draw(const DropDrawer *drawer, const View *camera, const Framebuffer *target);

// Draws the sun's view: depth alone into `front`, and adds to `thickness` how much water (m) a beam meets.
Result drop_drawer_draw_sun(const DropDrawer *drawer, const View *sun, const Framebuffer *front,
                            const Framebuffer *thickness);

#endif
