// The rims of a glass tank: bars along its edges. The panes are drawn by shaders/studio.glsl.
#ifndef PBF_RENDER_GLASS_H
#define PBF_RENDER_GLASS_H

#include "core/result.h"
#include "obstacle/obstacle.h"
#include "render/view.h"

#include <stdint.h>

typedef struct Glass Glass;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result glass_create(Glass **out);
void glass_destroy(Glass *glass); // NULL is allowed

// Draws the rims into the bound geometry buffer of this height (pixels), wide enough to show. Error:
// RESULT_NO_MEMORY.
Result glass_draw_rims(Glass *glass, const TankDef *tank, const View *view, uint32_t height);

#endif
