// Sort keys for spatial locality (a space-filling order): points that are near in space are near in memory.
// The order of two points depends on their positions alone.
#ifndef PBF_NEIGHBOR_POINT_ORDER_H
#define PBF_NEIGHBOR_POINT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PointOrder {
    // false: cells of edge 1 / inverse, by z, then y, then x.
    // true: columns of that edge, points of a column by height. Columns follow each other in bars that are
    // POINT_STRIP of them wide and twice as high, across the bar, then one further along it. Directions
    // alternate at every turn, so that points which follow each other are near each other across the ends of
    // columns too: any four in a row fill a small box, and any thousands in a row a compact piece of space.
    bool columns;
    double inverse; // 1/m
} PointOrder;

// Edges of columns that a bar is wide and high, as bits. Wide ones take few turns, narrow ones are compact.
#define POINT_STRIP_BITS 3u
#define POINT_STRIP (1 << POINT_STRIP_BITS)
#define POINT_FLOOR_BITS 4u

// Cells, or columns and height, of a point.
typedef struct PointCell {
    int32_t at[3];
} PointCell;

// Coordinates further out than this many cells share the outermost one; so do those that are not finite.
#define POINT_CELL_LIMIT 1048575.0
// Points of a column are sorted by height to within this fraction of its edge.
#define POINT_HEIGHT_BITS 4u
#define POINT_HEIGHTS_PER_EDGE (1 << POINT_HEIGHT_BITS)
// Heights in a bar, as bits.
#define POINT_BAR_BITS (POINT_FLOOR_BITS + POINT_HEIGHT_BITS)

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
    // Of each axis, and in all. In columns: along bars, of their numbers across and up.
    unsigned bits[3], total;
} PointKeys;

// lo, hi: the least and the greatest number on each axis. Keys then have at most 63 bits.
PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi);

// cell / 2^bits, rounded down, and what is left.
static inline int32_t point_cell_part(int32_t cell, unsigned bits)
{
    return (cell - (cell & ((1 << bits) - 1))) / (1 << bits);
}
static inline uint64_t point_cell_rest(int32_t cell, unsigned bits)
{
    return (uint64_t)(cell & ((1 << bits) - 1));
}

// Points sorted by their cells' keys are in the order. cell: one of those between lo and hi.
static inline uint64_t point_key(const PointKeys *keys, PointCell cell)
{
    uint64_t up[3];
    for (int axis = 0; axis < 3; axis++) up[axis] = (uint64_t)(cell.at[axis] - keys->lo[axis]);
    if (!keys->columns) return (up[2] << keys->bits[1] | up[1]) << keys->bits[0] | up[0];
    // Parities of the cells themselves, not counted from lo: the order does not depend on what else is there.
    int32_t strip = point_cell_part(cell.at[1], POINT_STRIP_BITS);
    int32_t story = point_cell_part(cell.at[2], POINT_BAR_BITS);
    uint64_t across = point_cell_rest(cell.at[1], POINT_STRIP_BITS);
    uint64_t height = point_cell_rest(cell.at[2], POINT_BAR_BITS);
    uint64_t along = (strip + story) & 1 ? (uint64_t)(keys->hi[0] - cell.at[0]) : up[0];
    if (cell.at[0] & 1) across = POINT_STRIP - 1 - across;
    if ((cell.at[0] + cell.at[1]) & 1) height = (1 << POINT_BAR_BITS) - 1 - height;
    uint64_t key = (uint64_t)(strip - point_cell_part(keys->lo[1], POINT_STRIP_BITS));
    key = key << keys->bits[2] | (uint64_t)(story - point_cell_part(keys->lo[2], POINT_BAR_BITS));
    return ((key << keys->bits[0] | along) << POINT_STRIP_BITS | across) << POINT_BAR_BITS | height;
}

#endif
