// The tank's edges as thin lines, hidden by what lies in front of them; the edges nearest to the eye are
// fainter.
#ifndef PBF_RENDER_TANK_LINES_H
#define PBF_RENDER_TANK_LINES_H

#include "core/result.h"
#include "obstacle/obstacle.h"
#include "render/framebuffer.h"
#include "render/view.h"

typedef struct TankLines TankLines;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result tank_lines_create(TankLines **out);
void tank_lines_destroy(TankLines *lines); // NULL is allowed

// Draws onto the bound picture; geometry is the buffer with the depths, `samples` times as large on each
// axis. grain: m, radius of particles, which may hide a line only if they lie clearly before it.
Result tank_lines_draw(TankLines *lines, const TankDef *tank, const View *view, float grain,
                       const Framebuffer *geometry, uint32_t samples);

#endif
