#include "viewer/filter.h"

#include "core/memory.h"

Result filter_apply(FilterRows *rows, const Filter *filter, FrameView *view)
{
    uint8_t *keep;
    if (!filter->on || view->count == 0) return result_ok();
    TRY(MEMORY_RESERVE(rows->values, rows->capacity, 0, view->count, "the filter"));
    TRY(view_rows_marks(&rows->rows, view->count, &keep));
    frame_view_field(view, filter->field, rows->values);
    for (uint32_t k = 0; k < view->count; k++)
        keep[k] = rows->values[k] >= filter->lo && rows->values[k] <= filter->hi;
    return view_rows_take(&rows->rows, view);
}

void filter_rows_free(FilterRows *rows)
{
    view_rows_free(&rows->rows);
    memory_free(rows->values);
    *rows = (FilterRows){0};
}
