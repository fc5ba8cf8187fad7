// Shape queries of the literature, for comparison with neighbor/shape/shape_index.h: the scan of Kim and Lee
// 2025, a hash table of cells and a k-d tree. All give the points of shape_inside.
#ifndef PBF_NEIGHBOR_REFERENCE_SHAPE_REFERENCE_H
#define PBF_NEIGHBOR_REFERENCE_SHAPE_REFERENCE_H

#include "neighbor/neighbor.h"
#include "neighbor/reference/kd_points.h"
#include "neighbor/shape/shape_kernel.h"

// `out` of every search has room for the numbers of all points and SHAPE_LANES more; all return how many are
// inside. dimensions: 2 or 3, as in shape_index_build.

// Tests every point, one after the other: the published method with the repaired test, and what the tests of
// the other searches believe in.
uint32_t shape_scan(PointView points, const ShapeQuery *query, uint32_t *out);

// The same, sixteen points at a time.
uint32_t shape_scan_lanes(PointView points, uint32_t dimensions, const ShapeQuery *query, uint32_t *out);

// A point in two dimensions, m.
typedef struct ShapePlace {
    float x, y;
} ShapePlace;

// The scan of a sector as printed (Eqs. 1 to 3): of all points those closer to the pivot than the radius,
// with p - c = alpha v1 + beta v2 for the sector's two borders, alpha and beta >= 0. The conditions hold
// together, as the abstract says (Figure 2a shows them as alternatives); borders of the radius count. Cones
// in two dimensions below 180 degrees, where Eq. 2 is not singular.
uint32_t shape_scan_published(const ShapePlace *points, uint32_t count, const ShapeQuery *query,
                              uint32_t *out);

// A hash table of the cells that hold points (Teschner et al. 2003), the points of a cell next to each other
// and tested sixteen at a time. All zero before the first build; free with shape_hash_free.
typedef struct ShapeHash {
    struct HashedCell *cell; // open addressing
    uint32_t *cell_of;       // slot of each point's cell
    float *x, *y, *z;
    uint32_t *index;
    uint32_t mask, count, cells;
    bool flat;
    double inverse; // of the edge of a cell, 1/m
    size_t cell_capacity, of_capacity, x_capacity, y_capacity, z_capacity, index_capacity;
} ShapeHash;

// edge: of the cells, m. Error: RESULT_NO_MEMORY.
Result shape_hash_build(ShapeHash *hash, PointView points, uint32_t dimensions, float edge);
void shape_hash_free(ShapeHash *hash);
// Looks up every cell of the box around the ball of the shape's reach.
uint32_t shape_hash_find(const ShapeHash *hash, const ShapeQuery *query, uint32_t *out);

// A k-d tree with buckets. All zero before the first build; free with shape_tree_free.
typedef struct ShapeTree {
    KdPoints points;
    bool flat;
} ShapeTree;

Result shape_tree_build(ShapeTree *tree, PointView points, uint32_t dimensions, uint32_t bucket);
void shape_tree_free(ShapeTree *tree);
// prune: leaves out boxes that the shape misses, too, not only those that its ball misses.
uint32_t shape_tree_find(const ShapeTree *tree, const ShapeQuery *query, bool prune, uint32_t *out);

#endif
