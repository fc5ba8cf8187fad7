// Strands as shaded tubes.
#ifndef PBF_RENDER_STRANDS_DRAW_H
#define PBF_RENDER_STRANDS_DRAW_H

#include "core/result.h"
#include "render/gl_program.h"
#include "strand/strand.h"

typedef struct StrandDrawer StrandDrawer;

// Errors: RESULT_NO_MEMORY. Destroy with the same context current.
Result strand_drawer_create(StrandDrawer **out);
void strand_drawer_destroy(StrandDrawer *drawer); // NULL is allowed

// Draws all strands with a program of shaders/solid.vert, whose view is set. colored: it has colors. Errors:
// RESULT_NO_MEMORY, RESULT_FAILED.
Result strand_drawer_draw(StrandDrawer *drawer, const Strands *strands, const GlProgram *program,
                          bool colored);

#endif
