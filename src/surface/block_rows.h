// Inside/outside bits of the nodes of a block's cells, in rows: marching cubes needs four rows for a cell and
// never looks at the field's values again.
#ifndef PBF_SURFACE_BLOCK_ROWS_H
#define PBF_SURFACE_BLOCK_ROWS_H

#include "core/cpu.h"
#include "surface/field.h"

// Row y + CELL_NODES * z; bit x: that node is inside.
typedef struct BlockRows {
    uint16_t row[CELL_NODES * CELL_NODES];
} BlockRows;

// The blocks around a block, itself in the middle, x fastest.
#define BLOCKS_AROUND 27u
#define BLOCK_ITSELF 13u

// around: values of BLOCKS_AROUND blocks. Returns false if all nodes are on one side.
typedef bool BlockRowsMake(const float *const around[BLOCKS_AROUND], float isovalue, BlockRows *out);

extern BlockRowsMake block_rows_plain, block_rows_avx2, block_rows_avx512;

// The variant for a level, with the same bits; scalar gets the plain one.
BlockRowsMake *block_rows(CpuLevel level);

// The nodes of a line whose edge towards +x, +y or +z crosses the surface; bits as in a row.
static inline void block_rows_edges(const BlockRows *rows, uint32_t y, uint32_t z, uint32_t mask[3])
{
    const uint16_t *at = rows->row + y + CELL_NODES * z;
    mask[0] = (at[0] ^ (uint32_t)at[0] >> 1) & 0xffu;
    mask[1] = (at[0] ^ (uint32_t)at[1]) & 0xffu;
    mask[2] = (at[0] ^ (uint32_t)at[CELL_NODES]) & 0xffu;
}

// The cells of a line that the surface crosses.
static inline uint32_t block_rows_cells(const BlockRows *rows, uint32_t y, uint32_t z)
{
    const uint16_t *at = rows->row + y + CELL_NODES * z;
    uint32_t any = (uint32_t)at[0] | at[1] | at[CELL_NODES] | at[CELL_NODES + 1];
    uint32_t all = (uint32_t)at[0] & at[1] & at[CELL_NODES] & at[CELL_NODES + 1];
    return (any | any >> 1) & ~(all & all >> 1) & 0xffu;
}

// The case of a cell, as in MarchingTable.
static inline uint32_t block_rows_case(const BlockRows *rows, uint32_t x, uint32_t y, uint32_t z)
{
    const uint16_t *at = rows->row + y + CELL_NODES * z;
    return ((uint32_t)at[0] >> x & 3u) | ((uint32_t)at[1] >> x & 3u) << 2 |
           ((uint32_t)at[CELL_NODES] >> x & 3u) << 4 | ((uint32_t)at[CELL_NODES + 1] >> x & 3u) << 6;
}

#endif
