#include "render/cells.h"

#include <stdio.h>

Result cells_open(const char *method, float radius, Cells *out)
{
    *out = (Cells){.radius = radius};
    snprintf(out->method, sizeof out->method, "%s", method);
    return neighbor_search_create(method, radius, &out->search);
}

void cells_close(Cells *cells)
{
    neighbor_search_destroy(cells->search);
    neighbor_boxes_free(&cells->boxes);
    *cells = (Cells){0};
}

Result cells_show(Cells *cells, const FrameView *view, Renderer *renderer)
{
    if (!cells->search || (view->content_id != 0 && view->content_id == cells->content_id))
        return result_ok();
    cells->content_id = 0;
    PointView points = {view->x, view->y, view->z, view->count};
    TRY(neighbor_search_boxes(cells->search, points, &cells->boxes));
    TRY(renderer_set_boxes(renderer, cells->boxes.box, cells->boxes.count));
    cells->content_id = view->content_id;
    return result_ok();
}
