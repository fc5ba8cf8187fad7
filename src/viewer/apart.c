#include "viewer/apart.h"

#include "core/memory.h"

#include <math.h>

// Where each particle of a view is, by id.
static Result list_places(Apart *apart, const FrameView *view, uint32_t *ids)
{
    *ids = 0;
    for (uint32_t k = 0; k < view->count; k++) *ids = view->id[k] >= *ids ? view->id[k] + 1 : *ids;
    TRY(MEMORY_RESERVE(apart->place, apart->place_capacity, 0, *ids, "the difference"));
    for (uint32_t id = 0; id < *ids; id++) apart->place[id] = UINT32_MAX;
    for (uint32_t k = 0; k < view->count; k++) apart->place[view->id[k]] = k;
    return result_ok();
}

Result apart_measure(Apart *apart, const FrameView *a, const FrameView *b)
{
    uint32_t ids, both = 0;
    double sum = 0;
    TRY(list_places(apart, b, &ids));
    TRY(MEMORY_RESERVE(apart->distance, apart->distance_capacity, 0, a->count, "the difference"));
    for (uint32_t k = 0; k < a->count; k++) {
        uint32_t j = a->id[k] < ids ? apart->place[a->id[k]] : UINT32_MAX;
        apart->distance[k] = INFINITY;
        if (j == UINT32_MAX) continue;
        float dx = a->x[k] - b->x[j], dy = a->y[k] - b->y[j], dz = a->z[k] - b->z[j];
        float square = dx * dx + dy * dy + dz * dz;
        apart->distance[k] = sqrtf(square);
        sum += (double)square;
        both++;
    }
    apart->rms = both > 0 ? (float)sqrt(sum / both) : 0;
    return result_ok();
}

void apart_free(Apart *apart)
{
    memory_free(apart->distance);
    memory_free(apart->place);
    *apart = (Apart){0};
}
