// The boxes of a search structure as wireframes, one color per level.
#ifndef PBF_RENDER_BOX_LINES_H
#define PBF_RENDER_BOX_LINES_H

#include "core/result.h"
#include "neighbor/neighbor.h"
#include "render/line_set.h"

typedef struct BoxLines BoxLines;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result box_lines_create(BoxLines **out);
void box_lines_destroy(BoxLines *lines); // NULL is allowed

// Replaces the boxes. Edges that boxes of a level share are drawn once.
Result box_lines_load(BoxLines *lines, const NeighborBox *boxes, uint32_t count);

// Draws them onto the bound picture.
Result box_lines_draw(const BoxLines *lines, const LineScene *scene);

#endif
