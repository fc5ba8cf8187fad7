#include "surface/block_rows.h"

#include <string.h>

// Eight comparisons become eight bytes of 0 or 1; the product gathers them in its highest byte, in order.
static uint32_t line_bits(const float *line, float isovalue)
{
    uint8_t inside[8];
    uint64_t bytes;
    for (int x = 0; x < 8; x++) inside[x] = line[x] >= isovalue;
    memcpy(&bytes, inside, 8); // the first byte is the lowest (core/cpu.h)
    return (uint32_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}

bool block_rows_make(const float *const around[BLOCKS_AROUND], float isovalue, BlockRows *out)
{
    uint32_t any = 0, all = ~0u;
    for (uint32_t z = 0; z < CELL_NODES; z++) {
        for (uint32_t y = 0; y < CELL_NODES; y++) {
            uint32_t block = BLOCK_ITSELF + 3 * (y >> 3) + 9 * (z >> 3), line = 8 * ((y & 7) + 8 * (z & 7));
            uint32_t row = line_bits(around[block] + line, isovalue);
            row |= (uint32_t)(around[block + 1][line] >= isovalue) << 8;
            out->row[y + CELL_NODES * z] = (uint16_t)row;
            any |= row;
            all &= row;
        }
    }
    return any != 0 && (all & 0x1ffu) != 0x1ffu;
}
