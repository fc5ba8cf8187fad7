// A hash table of cells, each with a list of its points (Game Physics Pearls, chapter 6). A query looks up 27
// cells and meets only their own points: O(c) + O(g) for c cells in a bucket and g points in a cell, and no
// guard against visiting a bucket twice. Space without bounds, memory by the cells that hold points (about 50
// bytes each). Good for water that flies apart; in a full tank each lookup is a cache miss that a grid does
// not have.
//
// The hierarchical hash (Pouchol et al. 2009) shares the table, whose cells may be of several sizes.
#ifndef PBF_NEIGHBOR_REFERENCE_CELL_HASH_H
#define PBF_NEIGHBOR_REFERENCE_CELL_HASH_H

#include "neighbor/reference/cell_table.h"

typedef struct HashedCells {
    FiledRuns filed;
    CellTable table;
} HashedCells;

// A cell of class c has an edge of 2^c cells of the frame; points are in class 0. Other classes are 2 or
// more, so their coordinates have 19 bits at most (CELL_AXIS_MAX) and leave room for the class.
static inline uint64_t hashed_key(uint32_t class, CellPlace at)
{
    if (class == 0) return (uint64_t)at.z << 42 | (uint64_t)at.y << 21 | at.x;
    return UINT64_C(1) << 63 | (uint64_t) class << 57 | (uint64_t)(at.z >> class) << 38 |
           (uint64_t)(at.y >> class) << 19 | at.x >> class;
}

// Inverse of hashed_key: the class, and the cell's corner in class 0.
static inline uint32_t hashed_key_class(uint64_t key)
{
    return key >> 63 ? (uint32_t)(key >> 57 & 63) : 0;
}

static inline CellPlace hashed_key_place(uint64_t key)
{
    uint32_t class = hashed_key_class(key), bits = class == 0 ? 21 : 19;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (CellPlace){(uint32_t)(key & mask) << class, (uint32_t)(key >> bits & mask) << class,
                       (uint32_t)(key >> 2 * bits & mask) << class};
}

// h^c of Pouchol et al. 2009, Eq. 3, without the modulo. at: in class 0.
static inline uint32_t hashed_class(uint32_t class, CellPlace at)
{
    return cell_hash(at.x >> class, at.y >> class, at.z >> class);
}

// release, bytes and boxes of a method whose state is this.
void hashed_cells_release(void *state);
MethodBytes hashed_cells_bytes(const void *state);
Result hashed_cells_boxes(const void *state, NeighborBoxes *boxes);

// Finds the runs of the points and empties the table.
Result hashed_cells_start(HashedCells *cells, const PointSet *points);

// Finds the cells around the one at `at` whose place along x, 0 to 2, is at least `column`.
typedef void CellLookup(const HashedCells *cells, CellPlace at, uint32_t column, CellNeighborhood *around);

// Writes rows begin..end-1.
void hashed_cells_find(const HashedCells *cells, uint32_t begin, uint32_t end, RowWriter *writer,
                       CellLookup *look_around);

#endif
