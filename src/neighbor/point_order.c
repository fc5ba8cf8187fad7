#include "neighbor/point_order.h"

static unsigned bits_up_to(int64_t largest)
{
    unsigned bits = 0;
    while (largest >> bits) bits++;
    return bits;
}

// For the numbers of the groups of 2^shift cells between two cells.
static unsigned bits_between(int32_t lo, int32_t hi, unsigned shift)
{
    return bits_up_to((int64_t)point_cell_part(hi, shift) - point_cell_part(lo, shift));
}

PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi)
{
    PointKeys keys = {.columns = order->columns};
    for (int axis = 0; axis < 3; axis++) {
        keys.lo[axis] = lo.at[axis];
        keys.hi[axis] = hi.at[axis];
        keys.bits[axis] = bits_between(lo.at[axis], hi.at[axis], 0);
    }
    keys.total = keys.bits[0] + keys.bits[1] + keys.bits[2];
    if (order->columns) {
        keys.bits[1] = bits_between(lo.at[1], hi.at[1], POINT_STRIP_BITS);
        keys.bits[2] = bits_between(lo.at[2], hi.at[2], POINT_BAR_BITS);
        keys.total = keys.bits[0] + keys.bits[1] + keys.bits[2] + POINT_STRIP_BITS + POINT_BAR_BITS;
    }
    return keys;
}
