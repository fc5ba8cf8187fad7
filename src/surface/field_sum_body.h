// Compiled once for every instruction set: the including file defines FIELD_SUM and its name decides the
// compiler's flags. A slice of a tile, four by four nodes, stands in the lanes.
#include "core/lanes.h"

_Static_assert(SUM_KERNELS % LANES == 0, "whole vectors");

// The quadratic form root - d^T m d at a tile's first node, and how it grows per node from there.
typedef struct TileTerms {
    float value[LANES], slope[3][LANES];
} TileTerms;

// The kernels first ... first + 15 of the batch, seen from a tile's first node. Returns those that may reach
// the tile as bits.
static inline uint32_t look_at_tile(const SumBatch *batch, uint32_t first, const float corner[3],
                                    TileTerms *terms)
{
    const Lanes half = lanes_set(1.5f), zero = lanes_set(0);
    Lanes c[3], over = zero, square = zero;
    for (int axis = 0; axis < 3; axis++) {
        c[axis] = lanes_sub(lanes_load(batch->center[axis] + first), lanes_set(corner[axis]));
        Lanes from_middle = lanes_sub(c[axis], half);
        Lanes away = lanes_sub(lanes_max(from_middle, lanes_sub(zero, from_middle)), half);
        over = lanes_max(over, lanes_sub(away, lanes_load(batch->extent[axis] + first)));
        away = lanes_max(away, zero);
        square = lanes_add(square, lanes_mul(away, away));
    }
    over = lanes_max(over, lanes_sub(square, lanes_set(batch->radius * batch->radius)));
    uint32_t left = batch->count - first, all = left < LANES ? (1u << left) - 1u : (1u << LANES) - 1u;
    uint32_t bits = lanes_bits(lanes_less_equal(over, zero)) & all;
    if (!bits) return 0;
    Lanes m[6], g[3];
    for (int k = 0; k < 6; k++) m[k] = lanes_load(batch->m[k] + first);
    g[0] = lanes_add(lanes_add(lanes_mul(m[0], c[0]), lanes_mul(m[1], c[1])), lanes_mul(m[2], c[2]));
    g[1] = lanes_add(lanes_add(lanes_mul(m[1], c[0]), lanes_mul(m[3], c[1])), lanes_mul(m[4], c[2]));
    g[2] = lanes_add(lanes_add(lanes_mul(m[2], c[0]), lanes_mul(m[4], c[1])), lanes_mul(m[5], c[2]));
    Lanes q = lanes_add(lanes_add(lanes_mul(g[0], c[0]), lanes_mul(g[1], c[1])), lanes_mul(g[2], c[2]));
    lanes_store(terms->value, lanes_sub(lanes_load(batch->root + first), q));
    for (int axis = 0; axis < 3; axis++) lanes_store(terms->slope[axis], lanes_add(g[axis], g[axis]));
    return bits;
}

// Coordinates of the lanes in a slice, and their products.
typedef struct Slice {
    Lanes x, y, xx, yy, xy2, x2, y2;
} Slice;

static inline Lanes cube(Lanes t)
{
    t = lanes_max(t, lanes_set(0));
    return lanes_mul(lanes_mul(t, t), t);
}

static inline void add_kernel(const SumBatch *batch, uint32_t at, const TileTerms *terms, uint32_t lane,
                              const Slice *slice, Lanes sum[4])
{
    Lanes t = lanes_set(terms->value[lane]);
    t = lanes_add(t, lanes_mul(slice->x, lanes_set(terms->slope[0][lane])));
    t = lanes_add(t, lanes_mul(slice->y, lanes_set(terms->slope[1][lane])));
    t = lanes_sub(t, lanes_mul(slice->xx, lanes_set(batch->m[0][at])));
    t = lanes_sub(t, lanes_mul(slice->xy2, lanes_set(batch->m[1][at])));
    t = lanes_sub(t, lanes_mul(slice->yy, lanes_set(batch->m[3][at])));
    // From slice to slice it grows by `step`, and that by twice the curvature along z.
    Lanes step = lanes_set(terms->slope[2][lane] - batch->m[5][at]), bend = lanes_set(2 * batch->m[5][at]);
    step = lanes_sub(step, lanes_mul(slice->x2, lanes_set(batch->m[2][at])));
    step = lanes_sub(step, lanes_mul(slice->y2, lanes_set(batch->m[4][at])));
    sum[0] = lanes_add(sum[0], cube(t));
    for (int z = 1; z < 4; z++) {
        t = lanes_add(t, step);
        step = lanes_sub(step, bend);
        sum[z] = lanes_add(sum[z], cube(t));
    }
}

static Slice make_slice(void)
{
    float x[LANES], y[LANES];
    for (int k = 0; k < LANES; k++) {
        x[k] = (float)(k & 3);
        y[k] = (float)(k >> 2);
    }
    Slice out = {.x = lanes_load(x), .y = lanes_load(y)};
    out.x2 = lanes_add(out.x, out.x);
    out.y2 = lanes_add(out.y, out.y);
    out.xx = lanes_mul(out.x, out.x);
    out.yy = lanes_mul(out.y, out.y);
    out.xy2 = lanes_mul(out.x2, out.y);
    return out;
}

void FIELD_SUM(float tiles[BLOCK_TILES][TILE_NODES], const SumBatch *batch)
{
    const Slice slice = make_slice();
    for (uint32_t tile = 0; tile < BLOCK_TILES; tile++) {
        if (!(batch->tiles >> tile & 1)) continue;
        const float corner[3] = {4 * (float)(tile & 1), 4 * (float)(tile >> 1 & 1), 4 * (float)(tile >> 2)};
        Lanes sum[4];
        for (int z = 0; z < 4; z++) sum[z] = lanes_load(tiles[tile] + LANES * z);
        for (uint32_t first = 0; first < batch->count; first += LANES) {
            TileTerms terms;
            uint32_t bits = look_at_tile(batch, first, corner, &terms);
            for (; bits; bits &= bits - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(bits);
                add_kernel(batch, first + lane, &terms, lane, &slice, sum);
            }
        }
        for (int z = 0; z < 4; z++) lanes_store(tiles[tile] + LANES * z, sum[z]);
    }
}
