#include "neighbor/point_order.h"

#include <math.h>

#define LIMIT 1048575.0
// Points of a column are sorted by height to within this fraction of its edge.
#define HEIGHTS_PER_EDGE 16.0

static int32_t cell_number(double coordinate)
{
    double cell = floor(coordinate);
    if (!(cell > -LIMIT)) cell = -LIMIT; // also catches NaN
    if (cell > LIMIT) cell = LIMIT;
    return (int32_t)cell;
}

PointCell point_order_cell(const PointOrder *order, float x, float y, float z)
{
    // Double, as the neighbor searches count cells: rows then ascend by themselves.
    double inverse_height = order->columns ? HEIGHTS_PER_EDGE * order->inverse : order->inverse;
    return (PointCell){{cell_number((double)x * order->inverse), cell_number((double)y * order->inverse),
                        cell_number((double)z * inverse_height)}};
}

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

uint64_t point_key(const PointKeys *keys, PointCell cell)
{
    uint64_t up[3], down[3];
    for (int axis = 0; axis < 3; axis++) {
        up[axis] = (uint64_t)(cell.at[axis] - keys->lo[axis]);
        down[axis] = (uint64_t)(keys->hi[axis] - cell.at[axis]);
    }
    if (!keys->columns) return (up[2] << keys->bits[1] | up[1]) << keys->bits[0] | up[0];
    // Parities of the columns themselves, not counted from lo: the order does not depend on what else is
    // there.
    uint64_t x = cell.at[1] & 1 ? down[0] : up[0];
    uint64_t z = (cell.at[0] + cell.at[1]) & 1 ? down[2] : up[2];
    return (up[1] << keys->bits[0] | x) << keys->bits[2] | z;
}
