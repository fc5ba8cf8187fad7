// Display of the cells of a search structure over a frame's particles.
#ifndef PBF_RENDER_CELLS_H
#define PBF_RENDER_CELLS_H

#include "fluid/frame_view.h"
#include "render/render.h"

// Zeroed: shows nothing.
typedef struct Cells {
    NeighborSearch *search; // of this method and radius (m)
    char method[32];
    float radius;
    NeighborBoxes boxes;
    bool around; // only those that the particle of this id asks for
    uint32_t id;
    uint64_t content_id; // of the view whose cells these are, 0 if unknown
} Cells;

// method: of the neighbor search. Its structure is rebuilt over each frame's particles, since that of the
// step was built at predicted positions. Errors: those of neighbor_search_create.
Result cells_open(const char *method, float radius, Cells *out);
void cells_close(Cells *cells);

// From now on only the cells that the search of one particle looks into: those that hold points and come
// within the radius of the cell the particle is in. NULL: all cells again.
void cells_around(Cells *cells, const uint32_t *id);

// Gives the frame's boxes to the renderer (the same one in every call) for its next frames. Errors: those of
// neighbor_search_boxes and renderer_set_boxes.
Result cells_show(Cells *cells, const FrameView *view, Renderer *renderer);

#endif
