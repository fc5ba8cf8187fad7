// Orders in which points that are near in space are near in memory, as keys to sort by. The order of two
// points depends on their positions alone.
#ifndef PBF_NEIGHBOR_POINT_ORDER_H
#define PBF_NEIGHBOR_POINT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PointOrder {
    // false: cells of edge 1 / inverse, by z, then y, then x.
    // true: columns of that edge, rows of columns one after the other, points of a column by height. Every
    // second row runs backwards and every second column downwards, so that points which follow each other are
    // near each other across the ends of columns too, and any four in a row fill a small box.
    bool columns;
    double inverse; // 1/m
} PointOrder;

// Cells, or columns and height, of a point.
typedef struct PointCell {
    int32_t at[3];
} PointCell;

// Coordinates further out than 2^20 cells share the outermost one; so do those that are not finite.
PointCell point_order_cell(const PointOrder *order, float x, float y, float z);

// Keys for cells between lo and hi use the bits that these need.
typedef struct PointKeys {
    bool columns;
    int32_t lo[3], hi[3];
    unsigned bits[3], total; // of each axis, and in all
} PointKeys;

PointKeys point_keys_between(const PointOrder *order, PointCell lo, PointCell hi);
uint64_t point_key(const PointKeys *keys, PointCell cell);

#endif
