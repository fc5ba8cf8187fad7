#include "neighbor/point_order.h"

PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi)
{
    PointKeys keys = {.columns = order->columns};
    for (int axis = 0; axis < 3; axis++) {
        keys.lo[axis] = lo.at[axis];
        keys.hi[axis] = hi.at[axis];
        while ((uint32_t)(hi.at[axis] - lo.at[axis]) >> keys.bits[axis]) keys.bits[axis]++;
        keys.total += keys.bits[axis];
    }
    return keys;
}
