// Compiled once for every instruction set: the including file defines BLOCK_ROWS and its name decides the
// compiler's flags. Two lines of a block stand in the lanes.
#include "core/lanes.h"

_Static_assert(LANES == 2 * BLOCK_NODES, "two lines of a block");

static inline uint32_t inside_bits(const float *at, Lanes isovalue)
{
    return lanes_bits(lanes_less_equal(isovalue, lanes_load(at)));
}

bool BLOCK_ROWS(const float *const around[BLOCKS_AROUND], float isovalue, BlockRows *out)
{
    const Lanes level = lanes_set(isovalue);
    uint32_t any = 0, all = ~0u;
    for (uint32_t z = 0; z < CELL_NODES; z++) {
        const float *const *slice = around + BLOCK_ITSELF + 9 * (z >> 3);
        const uint32_t plane = 64 * (z & 7);
        uint16_t *rows = out->row + CELL_NODES * z;
        for (uint32_t y = 0; y < BLOCK_NODES; y += 2) {
            uint32_t bits = inside_bits(slice[0] + plane + 8 * y, level);
            rows[y] = bits & 0xffu;
            rows[y + 1] = (uint16_t)(bits >> 8);
        }
        rows[8] = inside_bits(slice[3] + plane, level) & 0xffu;
        for (uint32_t y = 0; y < CELL_NODES; y++) { // the first nodes of the blocks in +x
            const float *line = slice[1 + 3 * (y >> 3)] + plane + 8 * (y & 7);
            rows[y] |= (uint16_t)((uint32_t)(*line >= isovalue) << 8);
            any |= rows[y];
            all &= rows[y];
        }
    }
    return any != 0 && (all & 0x1ffu) != 0x1ffu;
}
