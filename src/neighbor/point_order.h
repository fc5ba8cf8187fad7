// Orders in which points that are near in space are near in memory, as keys to sort by. The order of two
// points depends on their positions alone.
#ifndef PBF_NEIGHBOR_POINT_ORDER_H
#define PBF_NEIGHBOR_POINT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PointOrder {
    // false: cells of edge 1 / inverse, by z, then y, then x.
    // true: columns of that edge, points of a column by height. Columns follow each other in strips that are
    // POINT_STRIP of them wide, across the strip, then one further along it. Directions alternate at every
    // turn, so that points which follow each other are near each other across the ends of columns too: any
    // four in a row fill a small box, and any thousands in a row a compact piece of space.
    bool columns;
    double inverse; // 1/m
} PointOrder;

// A power of two.
#define POINT_STRIP_BITS 3u
#define POINT_STRIP (1 << POINT_STRIP_BITS)

// Cells, or columns and height, of a point.
typedef struct PointCell {
    int32_t at[3];
} PointCell;

// Coordinates further out than this many cells share the outermost one; so do those that are not finite.
#define POINT_CELL_LIMIT 1048575.0
// Points of a column are sorted by height to within this fraction of its edge.
#define POINT_HEIGHTS_PER_EDGE 16.0

static inline int32_t point_cell_number(double coordinate)
{
    double cell = coordinate > -POINT_CELL_LIMIT ? coordinate : -POINT_CELL_LIMIT; // also for NaN
    cell = cell < POINT_CELL_LIMIT ? cell : POINT_CELL_LIMIT;
    return (int32_t)(cell + (POINT_CELL_LIMIT + 1.0)) - (int32_t)(POINT_CELL_LIMIT + 1.0); // rounded down
}

static inline PointCell point_order_cell(const PointOrder *order, float x, float y, float z)
{
    // Double, as the neighbor searches count cells: rows then ascend by themselves.
    double inverse_height = order->columns ? POINT_HEIGHTS_PER_EDGE * order->inverse : order->inverse;
    return (PointCell){{point_cell_number((double)x * order->inverse),
                        point_cell_number((double)y * order->inverse),
                        point_cell_number((double)z * inverse_height)}};
}

// Keys for cells between lo and hi use the bits that these need.
typedef struct PointKeys {
    bool columns;
    int32_t lo[3], hi[3];
    unsigned bits[3], total; // of each axis (across strips: of their number), and in all
} PointKeys;

// Rounded down.
static inline int32_t point_strip(int32_t column)
{
    return (column - (column & (POINT_STRIP - 1))) / POINT_STRIP;
}

PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi);
static inline uint64_t point_key(const PointKeys *keys, PointCell cell)
{
    uint64_t up[3], down[3];
    for (int axis = 0; axis < 3; axis++) {
        up[axis] = (uint64_t)(cell.at[axis] - keys->lo[axis]);
        down[axis] = (uint64_t)(keys->hi[axis] - cell.at[axis]);
    }
    if (!keys->columns) return (up[2] << keys->bits[1] | up[1]) << keys->bits[0] | up[0];
    // Parities of the columns themselves, not counted from lo: the order does not depend on what else is
    // there.
    int32_t strip = point_strip(cell.at[1]), across = cell.at[1] & (POINT_STRIP - 1);
    uint64_t x = strip & 1 ? down[0] : up[0];
    uint64_t y = (uint64_t)(cell.at[0] & 1 ? POINT_STRIP - 1 - across : across);
    uint64_t z = (cell.at[0] + cell.at[1]) & 1 ? down[2] : up[2];
    uint64_t row = (uint64_t)(strip - point_strip(keys->lo[1])) << keys->bits[0] | x;
    return (row << POINT_STRIP_BITS | y) << keys->bits[2] | z;
}

#endif
