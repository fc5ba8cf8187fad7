// The cells of a search structure over what a frame shows.
#ifndef PBF_RENDER_CELLS_H
#define PBF_RENDER_CELLS_H

#include "fluid/frame_view.h"
#include "render/render.h"

// All zero shows nothing.
typedef struct Cells {
    NeighborSearch *search; // of this method and radius (m)
    char method[32];
    float radius;
    NeighborBoxes boxes;
    uint64_t content_id; // of the view that they are of, 0 if unknown
} Cells;

// method: of the neighbor search, whose structure is built over the particles of each frame anew: that of the
// step lies where they were expected. Errors: those of neighbor_search_create.
Result cells_open(const char *method, float radius, Cells *out);
void cells_close(Cells *cells);

// Hands the frame's boxes to the renderer, always the same one, for its next frames. Errors: those of
// neighbor_search_boxes and renderer_set_boxes.
Result cells_show(Cells *cells, const FrameView *view, Renderer *renderer);

#endif
