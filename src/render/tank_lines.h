// The tank's edges as thin lines, hidden by what lies in front of them; the edges nearest the eye are
// fainter.
#ifndef PBF_RENDER_TANK_LINES_H
#define PBF_RENDER_TANK_LINES_H

#include "core/result.h"
#include "obstacle/obstacle.h"
#include "render/line_set.h"

// Draws onto the bound picture; `lines` is used for it.
Result tank_lines_draw(LineSet *lines, const TankDef *tank, const LineScene *scene);

#endif
