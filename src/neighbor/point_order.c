#include "neighbor/point_order.h"

static unsigned bits_up_to(int64_t largest)
{
    unsigned bits = 0;
    while (largest >> bits) bits++;
    return bits;
}

PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi)
{
    PointKeys keys = {.columns = order->columns};
    for (int axis = 0; axis < 3; axis++) {
        keys.lo[axis] = lo.at[axis];
        keys.hi[axis] = hi.at[axis];
        keys.bits[axis] = bits_up_to((int64_t)hi.at[axis] - lo.at[axis]);
    }
    if (order->columns) keys.bits[1] = bits_up_to(point_strip(hi.at[1]) - point_strip(lo.at[1]));
    keys.total = keys.bits[0] + keys.bits[1] + keys.bits[2] + (order->columns ? POINT_STRIP_BITS : 0);
    return keys;
}
