#include "render/shared_range.h"

#include "core/memory.h"

#include <math.h>

static Result follow_side(SharedRange *range, int side, const FrameView *view)
{
    TRY(MEMORY_RESERVE(range->values, range->capacity, 0, view->count, "the colors' range"));
    if (view->count > 0) frame_view_field(view, range->field, range->values);
    return field_range_follow(&range->side[side], view, range->field, range->values);
}

Result shared_range_follow(SharedRange *range, const FrameView *left, const FrameView *right, FieldKey field,
                           float *lo, float *hi)
{
    if (field != range->field) range->side[0] = range->side[1] = (FieldRange){0};
    range->field = field;
    TRY(follow_side(range, 0, left));
    TRY(follow_side(range, 1, right));
    *lo = fminf(range->side[0].lo, range->side[1].lo);
    *hi = fmaxf(range->side[0].hi, range->side[1].hi);
    return result_ok();
}

void shared_range_free(SharedRange *range)
{
    memory_free(range->values);
    *range = (SharedRange){0};
}
