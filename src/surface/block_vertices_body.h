// Compiled once for every instruction set: the including file defines BLOCK_VERTICES and its name decides the
// compiler's flags.
#include "core/lanes.h"

// A vertex keeps this part of its edge away from the ends: where the field is the isovalue at a node, all
// vertices around it would coincide and their triangles would have no area.
#define END_DISTANCE 0.02f

#define CROSSING_STEPS 2 // Newton's; a third would move a vertex by less than a thousandth of an edge

#define CROSSINGS 256u // solved at a time
_Static_assert(CROSSINGS % LANES == 0, "whole vectors");

// Edges with a vertex.
typedef struct Crossings {
    uint32_t count;
    uint16_t place[CROSSINGS]; // node of its block and 512 * axis
    float f[4][CROSSINGS];     // the nodes -1, 0, 1 and 2 on the edge's line
    float part[CROSSINGS];     // of the edge, where the vertex is
    int64_t block[3];          // coordinates
    double corner[3];          // m
    float at[3][BLOCK_NODES];  // m, of the nodes
} Crossings;

// A node's value; coordinates from -1 to 9.
static inline float value_at(const VertexBlock *block, int x, int y, int z)
{
    int at = (x + 8) >> 3, line = (y + 8) >> 3, slice = (z + 8) >> 3;
    return block->around[at + 3 * (line + 3 * slice)][(x & 7) + 8 * ((y & 7) + 8 * (z & 7))];
}

// Finds where the field crosses the isovalue: on the cubic through four nodes, because with a straight line
// through the two inner ones the surface would show the grid: kernels are only a few nodes wide.
static Lanes find_crossings(const Lanes f[4], float isovalue)
{
    const Lanes half = lanes_set(0.5f), zero = lanes_set(0), one = lanes_set(1), iso = lanes_set(isovalue);
    Lanes b = lanes_sub(lanes_mul(half, lanes_add(f[0], f[2])), f[1]);
    Lanes a = lanes_add(lanes_mul(lanes_sub(f[3], f[0]), lanes_set(1.0f / 6)),
                        lanes_mul(half, lanes_sub(f[1], f[2])));
    Lanes c = lanes_sub(lanes_sub(lanes_sub(f[2], f[1]), a), b), d = lanes_sub(f[1], iso);
    Lanes a3 = lanes_mul(lanes_set(3), a), b2 = lanes_add(b, b);
    Lanes low = zero, high = one, t = lanes_div(lanes_sub(zero, d), lanes_sub(f[2], f[1]));
    // Positive where the first node is inside, so that one comparison tells on which side of t to go on.
    Lanes sign = lanes_select(lanes_less_equal(zero, d), one, lanes_set(-1));
    for (int k = 0; k < CROSSING_STEPS; k++) {
        Lanes value = lanes_add(lanes_mul(lanes_add(lanes_mul(lanes_add(lanes_mul(a, t), b), t), c), t), d);
        Lanes slope = lanes_add(lanes_mul(lanes_add(lanes_mul(a3, t), b2), t), c);
        LaneMask same = lanes_less_equal(zero, lanes_mul(value, sign));
        low = lanes_select(same, t, low);
        high = lanes_select(same, high, t);
        t = lanes_max(lanes_min(lanes_sub(t, lanes_div(value, slope)), high), low);
    }
    return lanes_max(lanes_min(t, lanes_set(1 - END_DISTANCE)), lanes_set(END_DISTANCE));
}

// The field falls outward, so the outward normal is against its gradient.
static Vec3 downhill(const VertexBlock *block, const int at[3])
{
    int x = at[0], y = at[1], z = at[2];
    return vec3_make(value_at(block, x - 1, y, z) - value_at(block, x + 1, y, z),
                     value_at(block, x, y - 1, z) - value_at(block, x, y + 1, z),
                     value_at(block, x, y, z - 1) - value_at(block, x, y, z + 1));
}

static Vec3 field_normal(const VertexBlock *block, const int at[3], int axis, float part)
{
    int there[3] = {at[0], at[1], at[2]};
    there[axis]++;
    Vec3 slope =
        vec3_add(vec3_scale(downhill(block, at), 1 - part), vec3_scale(downhill(block, there), part));
    return vec3_normalize_or(slope, vec3_make(0, 0, 1));
}

// Writes the vertices that are waiting; returns the number of the next.
static uint32_t flush(const VertexBlock *block, Crossings *c, double cell, uint32_t next)
{
    for (uint32_t k = 0; k < c->count; k += LANES) {
        Lanes f[4];
        for (int i = 0; i < 4; i++) f[i] = lanes_load(c->f[i] + k);
        lanes_store(c->part + k, find_crossings(f, block->isovalue));
    }
    for (uint32_t k = 0; k < c->count; k++, next++) {
        int axis = c->place[k] >> 9, at[3] = {c->place[k] & 7, c->place[k] >> 3 & 7, c->place[k] >> 6 & 7};
        float position[3] = {c->at[0][at[0]], c->at[1][at[1]], c->at[2][at[2]]};
        position[axis] = (float)(c->corner[axis] + (at[axis] + (double)c->part[k]) * cell);
        block->mesh->vertex[next] = vec3_make(position[0], position[1], position[2]);
        if (block->mesh->normal) block->mesh->normal[next] = field_normal(block, at, axis, c->part[k]);
    }
    c->count = 0;
    return next;
}

static void start_crossings(const PointBins *bins, uint64_t key, Crossings *c)
{
    c->count = 0;
    point_bins_place(bins, key, c->block);
    for (int axis = 0; axis < 3; axis++) {
        c->corner[axis] = point_bins_corner(bins, c->block[axis], axis);
        for (uint32_t k = 0; k < BLOCK_NODES; k++) c->at[axis][k] = (float)(c->corner[axis] + k * bins->cell);
    }
}

static inline void add_crossing(const VertexBlock *block, Crossings *c, const int at[3], int axis)
{
    const int step[3] = {1, 8, 64};
    uint32_t k = c->count++, node = (uint32_t)(at[0] + 8 * (at[1] + 8 * at[2]));
    c->place[k] = (uint16_t)(node + 512 * (uint32_t)axis);
    if (at[axis] >= 1 && at[axis] <= 5) {
        const float *here = block->around[BLOCK_ITSELF] + node - step[axis];
        for (int i = 0; i < 4; i++) c->f[i][k] = here[i * step[axis]];
        return;
    }
    int there[3] = {at[0], at[1], at[2]};
    for (int i = 0; i < 4; i++) {
        there[axis] = at[axis] + i - 1;
        c->f[i][k] = value_at(block, there[0], there[1], there[2]);
    }
}

void BLOCK_VERTICES(const VertexBlock *block, const PointBins *bins, uint64_t key, uint32_t first)
{
    Crossings crossings = {.part = {0}};
    start_crossings(bins, key, &crossings);
    for (uint32_t line = 0; line < 64; line++) {
        uint32_t mask[3];
        block_rows_edges(block->rows, line & 7, line >> 3, mask);
        if (!(mask[0] | mask[1] | mask[2])) continue;
        if (crossings.count + 3 * BLOCK_NODES > CROSSINGS)
            first = flush(block, &crossings, bins->cell, first);
        for (int axis = 0; axis < 3; axis++) {
            for (uint32_t nodes = mask[axis]; nodes; nodes &= nodes - 1) {
                int at[3] = {__builtin_ctz(nodes), (int)(line & 7), (int)(line >> 3)};
                add_crossing(block, &crossings, at, axis);
            }
        }
    }
    flush(block, &crossings, bins->cell, first);
}
