// The tank as glass: four thin panes that mirror, held by rims along the edges.
#ifndef PBF_RENDER_GLASS_H
#define PBF_RENDER_GLASS_H

#include "core/result.h"
#include "obstacle/obstacle.h"
#include "render/framebuffer.h"
#include "render/studio.h"
#include "render/view.h"

typedef struct Glass Glass;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result glass_create(Glass **out);
void glass_destroy(Glass *glass); // NULL is allowed

// Draws the rims into the bound geometry buffer.
Result glass_draw_rims(Glass *glass, const TankDef *tank, const View *view);

// Blends the panes on the far side of the tank, or those on the near side, over the bound linear colours.
// solids: texture with the distance (m) of what is solid.
void glass_draw_panes(Glass *glass, const Studio *studio, const TankDef *tank, const View *view,
                      GLuint solids, bool near_side);

#endif
