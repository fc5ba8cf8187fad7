#include "render/cells.h"

#include <math.h>
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

void cells_around(Cells *cells, const uint32_t *id)
{
    bool same = id ? cells->around && cells->id == *id : !cells->around;
    if (same) return;
    cells->around = id != NULL;
    if (id) cells->id = *id;
    cells->content_id = 0;
}

static bool holds(const NeighborBox *box, const float point[3])
{
    for (int a = 0; a < 3; a++) {
        if (point[a] < box->lo[a] || point[a] > box->hi[a]) return false;
    }
    return box->level == 0;
}

// Do two boxes come within a distance of each other?
static bool are_near(const NeighborBox *a, const NeighborBox *b, float distance)
{
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float gap = fmaxf(fmaxf(a->lo[k] - b->hi[k], b->lo[k] - a->hi[k]), 0);
        square += gap * gap;
    }
    return square < distance * distance;
}

// Keeps the boxes that the particle's search looks into; none if the particle has left.
static void keep_visited(Cells *cells, const FrameView *view)
{
    const NeighborBox *own = NULL;
    NeighborBox *box = cells->boxes.box;
    uint32_t particle = 0, kept = 0;
    while (particle < view->count && view->id[particle] != cells->id) particle++;
    if (particle < view->count) {
        const float point[3] = {view->x[particle], view->y[particle], view->z[particle]};
        for (uint32_t k = 0; k < cells->boxes.count && !own; k++)
            own = holds(&box[k], point) ? &box[k] : NULL;
    }
    NeighborBox middle = own ? *own : (NeighborBox){0};
    for (uint32_t k = 0; k < cells->boxes.count && own; k++) {
        // A face away is not near: cells as wide as the radius have 26 others around them.
        if (box[k].level == 0 && are_near(&middle, &box[k], 0.999f * view->radius)) box[kept++] = box[k];
    }
    cells->boxes.count = kept;
}

Result cells_show(Cells *cells, const FrameView *view, Renderer *renderer)
{
    if (!cells->search || (view->content_id != 0 && view->content_id == cells->content_id))
        return result_ok();
    cells->content_id = 0;
    PointView points = {view->x, view->y, view->z, view->count};
    TRY(neighbor_search_boxes(cells->search, points, &cells->boxes));
    if (cells->around) keep_visited(cells, view);
    TRY(renderer_set_boxes(renderer, cells->boxes.box, cells->boxes.count));
    cells->content_id = view->content_id;
    return result_ok();
}
