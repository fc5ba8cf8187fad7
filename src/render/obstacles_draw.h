// Obstacles and strands as shaded solids. Boxes and upright cylinders that stick out of the tank are cut at
// its walls, so that a wall that slides into the tank does not hide it.
#ifndef PBF_RENDER_OBSTACLES_DRAW_H
#define PBF_RENDER_OBSTACLES_DRAW_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/view.h"

typedef struct ObstacleDrawer ObstacleDrawer;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result obstacle_drawer_create(ObstacleDrawer **out);
void obstacle_drawer_destroy(ObstacleDrawer *drawer); // NULL is allowed

// Draws all bodies of a frame, in their present poses, and its strands into the bound geometry buffer, or
// only their depths into the bound shadow map. Errors: RESULT_NO_MEMORY, RESULT_FAILED.
Result obstacle_drawer_draw(ObstacleDrawer *drawer, const FrameView *frame, const View *view,
                            bool depth_only);

// While hidden, bodies are not drawn.
void obstacle_drawer_hide(ObstacleDrawer *drawer, bool hidden);

#endif
