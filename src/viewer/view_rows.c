#include "viewer/view_rows.h"

#include "core/memory.h"

#include <math.h>

Result view_rows_marks(ViewRows *rows, uint32_t count, uint8_t **keep)
{
    TRY(memory_reserve((void **)&rows->keep, &rows->keep_capacity, 0, count, 1, "marks of particles"));
    *keep = rows->keep;
    return result_ok();
}

// Copies the marked entries of a stream of four-byte values.
static const void *filter(const uint8_t *keep, uint32_t count, const void *from, uint32_t *to)
{
    const uint32_t *source = from;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (keep[k]) to[kept++] = source[k];
    }
    return to;
}

Result view_rows_take(ViewRows *rows, FrameView *view)
{
    uint32_t kept = 0, count = view->count;
    for (uint32_t k = 0; k < count; k++) kept += rows->keep[k];
    size_t row = ((size_t)kept + 15) / 16 * 16;
    TRY(memory_reserve(&rows->streams, &rows->capacity, 0, row, 4 * PARTICLE_STREAM_COUNT,
                       "a part of the particles"));
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++)
        view->stream[k] =
            filter(rows->keep, count, view->stream[k], (uint32_t *)rows->streams + (size_t)k * row);
    view->count = kept;
    return result_ok();
}

// Spreads ids, which follow a lattice, over all 32-bit numbers.
static uint32_t mix(uint32_t id)
{
    id = (id ^ id >> 16) * 0x7feb352du;
    id = (id ^ id >> 15) * 0x846ca68bu;
    return id ^ id >> 16;
}

Result view_rows_thin(ViewRows *rows, double of, FrameView *view)
{
    uint8_t *keep;
    uint32_t below = (uint32_t)(4294967295.0 / of);
    TRY(view_rows_marks(rows, view->count, &keep));
    for (uint32_t k = 0; k < view->count; k++) keep[k] = mix(view->id[k]) <= below;
    view->spacing *= (float)cbrt(of);
    return view_rows_take(rows, view);
}

void view_rows_free(ViewRows *rows)
{
    memory_free(rows->streams);
    memory_free(rows->keep);
    *rows = (ViewRows){0};
}
