// The tables by which the octree finds the cells around a cell (Ryu 2013, section 4.4 and Table A-1).
#ifndef PBF_NEIGHBOR_REFERENCE_OCTREE_TABLES_H
#define PBF_NEIGHBOR_REFERENCE_OCTREE_TABLES_H

#include <stdint.h>

#define OCTREE_DIRECTIONS 26
#define OCTREE_TABLE (8 * OCTREE_DIRECTIONS)

// Eight entries a direction, one per place that a cell can have in its parent (bit 0 is x, bit 1 y, bit 2 z).
typedef struct OctreeTables {
    uint8_t pos[OCTREE_TABLE];   // place of the cell next to it, in its own parent
    int16_t upper[OCTREE_TABLE]; // where the parent's direction starts in these tables; -1: the same parent
    int8_t step[OCTREE_DIRECTIONS][3]; // the directions: -1, 0 or 1 along x, y, z
} OctreeTables;

// Derives the tables.
void octree_tables_make(OctreeTables *tables);

#endif
