#include "fluid/view_difference.h"

#include <math.h>
#include <string.h>

void difference_buffers_free(DifferenceBuffers *buffers)
{
    sort_buffers_free(&buffers->sort[0]);
    sort_buffers_free(&buffers->sort[1]);
}

// Memory order follows from the positions alone, so equal states lie equally in memory.
static bool same_bits(const FrameView *a, const FrameView *b)
{
    const void *const streams[2][7] = {{a->id, a->x, a->y, a->z, a->vx, a->vy, a->vz},
                                       {b->id, b->x, b->y, b->z, b->vx, b->vy, b->vz}};
    if (a->count != b->count) return false;
    for (int k = 0; k < 7 && a->count > 0; k++) {
        if (memcmp(streams[0][k], streams[1][k], a->count * sizeof(float)) != 0) return false;
    }
    return true;
}

static Result order_by_id(const FrameView *view, SortBuffers *sort, const uint32_t **order)
{
    TRY(sort_buffers_reserve(sort, view->count));
    for (uint32_t i = 0; i < view->count; i++) sort->keys[0][i] = view->id[i];
    sort_order(sort, view->count, order);
    return result_ok();
}

typedef struct State {
    float value[6]; // position (m), velocity (m/s)
} State;

static State state_of(const FrameView *view, uint32_t i)
{
    return (State){{view->x[i], view->y[i], view->z[i], view->vx[i], view->vy[i], view->vz[i]}};
}

// Length of the difference of three values, from `first` on.
static double length_between(const State *a, const State *b, int first)
{
    double sum = 0;
    for (int k = first; k < first + 3; k++) {
        double d = (double)a->value[k] - (double)b->value[k];
        sum += d * d;
    }
    return sqrt(sum);
}

// Ids come in ascending order, so that of equals the lowest stays.
static void take_pair(ViewDifference *out, uint32_t id, const State *a, const State *b)
{
    if (memcmp(a, b, sizeof *a) == 0) return;
    double distance = length_between(a, b, 0), velocity = length_between(a, b, 3);
    bool further = distance > out->distance || (distance == out->distance && velocity > out->velocity);
    if (out->differing++ == 0 || further) {
        out->particle = id;
        out->distance = distance;
        out->velocity = velocity;
    }
    out->distance_rms += distance * distance;
}

Result view_difference(const FrameView *a, const FrameView *b, DifferenceBuffers *buffers,
                       ViewDifference *out)
{
    *out = (ViewDifference){.identical = true, .particle = UINT32_MAX};
    if (same_bits(a, b)) return result_ok();
    const uint32_t *order_a, *order_b;
    TRY(order_by_id(a, &buffers->sort[0], &order_a));
    TRY(order_by_id(b, &buffers->sort[1], &order_b));
    uint32_t i = 0, k = 0, both = 0;
    while (i < a->count && k < b->count) {
        uint32_t id = a->id[order_a[i]], other = b->id[order_b[k]];
        if (id != other) {
            out->only[id < other ? 0 : 1]++;
            id < other ? i++ : k++;
            continue;
        }
        State left = state_of(a, order_a[i++]), right = state_of(b, order_b[k++]);
        take_pair(out, id, &left, &right);
        both++;
    }
    out->only[0] += a->count - i;
    out->only[1] += b->count - k;
    out->identical = out->differing == 0 && out->only[0] == 0 && out->only[1] == 0;
    if (both > 0) out->distance_rms = sqrt(out->distance_rms / both);
    return result_ok();
}
