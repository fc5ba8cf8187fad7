// Compiled once for every instruction set: the including file defines SHAPE_LOOPS, and its name decides the
// compiler's flags. Particles that get kernels stand in the lanes; those around them are taken one by one.
#include "core/lanes.h"
#include "surface/eigen3.h"

#include <math.h>

_Static_assert(SHAPE_LANES == LANES, "a group fills the lanes");

// Sums over the neighbors, the particle itself included.
typedef struct Moments {
    Lanes weight, first[3], second[6];
} Moments;

// The way to a particle, and its weight 1 - (d / r)^3.
static inline Lanes weigh(const Lanes own[3], const NearPoints *near, uint32_t k, Lanes inverse_r2,
                          Lanes way[3])
{
    for (int axis = 0; axis < 3; axis++) way[axis] = lanes_sub(lanes_set(near->at[axis][k]), own[axis]);
    Lanes d2 =
        lanes_add(lanes_add(lanes_mul(way[0], way[0]), lanes_mul(way[1], way[1])), lanes_mul(way[2], way[2]));
    Lanes u = lanes_mul(d2, inverse_r2);
    return lanes_max(lanes_sub(lanes_set(1), lanes_mul(u, lanes_sqrt(u))), lanes_set(0));
}

// Starts the search for the neighbors of a group.
static void look_around(const KernelShaper *shaper, const ShapeGroup *group, NearQuery *query)
{
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = group->at[axis][0];
        for (uint32_t i = 1; i < group->count; i++) {
            low[axis] = fminf(low[axis], group->at[axis][i]);
            high[axis] = fmaxf(high[axis], group->at[axis][i]);
        }
    }
    near_query_start(query, shaper->bins, group->key, low, high, shaper->range);
}

static Moments sum_moments(const KernelShaper *shaper, const ShapeGroup *group, uint32_t body)
{
    const Lanes zero = lanes_set(0), inverse_r2 = lanes_set(1 / (shaper->range * shaper->range));
    const Lanes own[3] = {lanes_load(group->at[0]), lanes_load(group->at[1]), lanes_load(group->at[2])};
    Moments sum = {zero, {zero, zero, zero}, {zero, zero, zero, zero, zero, zero}};
    NearQuery query;
    NearPoints near;
    look_around(shaper, group, &query);
    while (NEAR_POINTS(&query, &near)) {
        for (uint32_t k = 0; k < near.count; k++) {
            if (shaper->body[near.index[k]] != body) continue;
            Lanes way[3], w = weigh(own, &near, k, inverse_r2, way);
            Lanes wx = lanes_mul(w, way[0]), wy = lanes_mul(w, way[1]), wz = lanes_mul(w, way[2]);
            sum.weight = lanes_add(sum.weight, w);
            sum.first[0] = lanes_add(sum.first[0], wx);
            sum.first[1] = lanes_add(sum.first[1], wy);
            sum.first[2] = lanes_add(sum.first[2], wz);
            sum.second[0] = lanes_add(sum.second[0], lanes_mul(wx, way[0]));
            sum.second[1] = lanes_add(sum.second[1], lanes_mul(wx, way[1]));
            sum.second[2] = lanes_add(sum.second[2], lanes_mul(wx, way[2]));
            sum.second[3] = lanes_add(sum.second[3], lanes_mul(wy, way[1]));
            sum.second[4] = lanes_add(sum.second[4], lanes_mul(wy, way[2]));
            sum.second[5] = lanes_add(sum.second[5], lanes_mul(wz, way[2]));
        }
    }
    return sum;
}

// The lanes of one body among `left`, which is a bit a lane; takes them out.
static inline LaneMask take_body(const ShapeGroup *group, uint32_t *left, uint32_t *body)
{
    float other[LANES];
    *body = group->body[__builtin_ctz(*left)];
    for (uint32_t k = 0; k < LANES; k++) other[k] = group->body[k] == *body ? 0 : 1;
    LaneMask mask = lanes_less_equal(lanes_load(other), lanes_set(0));
    *left &= ~lanes_bits(mask);
    return mask;
}

static Moments sum_bodies(const KernelShaper *shaper, const ShapeGroup *group)
{
    uint32_t left = (1u << LANES) - 1u, body;
    take_body(group, &left, &body);
    Moments sum = sum_moments(shaper, group, body);
    while (left) {
        LaneMask mask = take_body(group, &left, &body);
        Moments own = sum_moments(shaper, group, body);
        sum.weight = lanes_select(mask, own.weight, sum.weight);
        for (int k = 0; k < 3; k++) sum.first[k] = lanes_select(mask, own.first[k], sum.first[k]);
        for (int k = 0; k < 6; k++) sum.second[k] = lanes_select(mask, own.second[k], sum.second[k]);
    }
    return sum;
}

// A kernel's shape in lanes, as in Kernel, with the height instead of its root.
typedef struct Shapes {
    Lanes height, extent[3], m[6];
} Shapes;

// Yu and Turk scale a kernel by its covariance and bound the ratio of its axes. Here each axis is bounded by
// itself, relative to a full ball: a sheet's kernels are thin, a strand's in two directions and a lone
// particle's in all three, which is their "isolated particles are round and small" without a threshold.
static Shapes find_shapes(const KernelShaper *shaper, Lanes weight, const Lanes covariance[6])
{
    Lanes value[3], axis[3][3], square[3], inverse[3], one = lanes_set(1), zero = lanes_set(0);
    Lanes company = lanes_mul(weight, lanes_set(1 / shaper->crowd));
    Lanes least = lanes_add(lanes_set(shaper->lonely),
                            lanes_mul(lanes_set(shaper->least - shaper->lonely), lanes_min(company, one)));
    Lanes lonely = lanes_max(lanes_sub(one, lanes_mul(company, lanes_set(1 / shaper->company))), zero);
    const float root = shaper->kernels->round.root;
    Shapes out = {.height =
                      lanes_mul(lanes_set(root * root * root), lanes_add(one, lanes_mul(lonely, lonely)))};
    eigen3_symmetric(covariance, value, axis);
    for (int k = 0; k < 3; k++) {
        Lanes part = lanes_min(lanes_max(lanes_mul(value[k], lanes_set(1 / shaper->ball)), least), one);
        Lanes length = lanes_mul(lanes_set(shaper->support), part);
        out.height = lanes_div(out.height, part);
        square[k] = lanes_mul(length, length);
        inverse[k] = lanes_div(one, square[k]);
    }
    for (int a = 0, slot = 0; a < 3; a++) {
        Lanes extent = zero;
        for (int k = 0; k < 3; k++)
            extent = lanes_add(extent, lanes_mul(lanes_mul(axis[a][k], axis[a][k]), square[k]));
        out.extent[a] = lanes_sqrt(extent);
        for (int b = a; b < 3; b++, slot++) {
            out.m[slot] = zero;
            for (int k = 0; k < 3; k++) {
                Lanes product = lanes_mul(axis[a][k], axis[b][k]);
                out.m[slot] = lanes_add(out.m[slot], lanes_mul(product, inverse[k]));
            }
        }
    }
    return out;
}

static void write_kernels(const ShapeGroup *group, const Shapes *shapes, Kernel *out)
{
    float height[LANES], extent[3][LANES], m[6][LANES];
    lanes_store(height, shapes->height);
    for (int k = 0; k < 3; k++) lanes_store(extent[k], shapes->extent[k]);
    for (int k = 0; k < 6; k++) lanes_store(m[k], shapes->m[k]);
    for (uint32_t i = 0; i < group->count; i++) {
        out[i] = (Kernel){.root = cbrtf(height[i])};
        for (int k = 0; k < 3; k++) out[i].center[k] = group->at[k][i];
        for (int k = 0; k < 3; k++) out[i].extent[k] = extent[k][i];
        for (int k = 0; k < 6; k++) out[i].m[k] = out[i].root * m[k][i];
    }
}

static void shape(const KernelShaper *shaper, const ShapeGroup *group, uint32_t first)
{
    Moments sum = sum_bodies(shaper, group);
    Lanes inverse = lanes_div(lanes_set(1), sum.weight), mean[3], covariance[6], square = lanes_set(0);
    float move[4][LANES];
    for (int a = 0; a < 3; a++) mean[a] = lanes_mul(sum.first[a], inverse);
    for (int a = 0, slot = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, slot++)
            covariance[slot] = lanes_sub(lanes_mul(sum.second[slot], inverse), lanes_mul(mean[a], mean[b]));
        Lanes part = lanes_mul(mean[a], lanes_set(shaper->smoothing));
        square = lanes_add(square, lanes_mul(part, part));
        lanes_store(move[a], part);
    }
    lanes_store(move[3], square);
    for (uint32_t i = 0; i < group->count; i++) {
        for (int k = 0; k < 4; k++) shaper->move[first + i][k] = move[k][i];
    }
    Shapes shapes = find_shapes(shaper, sum.weight, covariance);
    write_kernels(group, &shapes, shaper->kernels->kernel + first);
}

typedef struct Moves {
    Lanes sum[4];
} Moves;

static Moves sum_body_moves(const KernelShaper *shaper, const ShapeGroup *group, uint32_t body)
{
    const Lanes zero = lanes_set(0), inverse_r2 = lanes_set(1 / (shaper->range * shaper->range));
    const Lanes own[3] = {lanes_load(group->at[0]), lanes_load(group->at[1]), lanes_load(group->at[2])};
    Moves moves = {{zero, zero, zero, zero}};
    NearQuery query;
    NearPoints near;
    look_around(shaper, group, &query);
    while (NEAR_POINTS(&query, &near)) {
        for (uint32_t k = 0; k < near.count; k++) {
            const uint32_t kernel = shaper->kernels->of[near.index[k]];
            if (kernel == BLOCK_NONE || shaper->body[near.index[k]] != body) continue;
            const float *m = shaper->move[kernel];
            Lanes way[3], w = lanes_mul(weigh(own, &near, k, inverse_r2, way), lanes_set(m[3]));
            for (int axis = 0; axis < 3; axis++)
                moves.sum[axis] = lanes_add(moves.sum[axis], lanes_mul(w, lanes_set(m[axis])));
            moves.sum[3] = lanes_add(moves.sum[3], w);
        }
    }
    return moves;
}

static void sum_moves(const KernelShaper *shaper, const ShapeGroup *group, float sums[4][LANES])
{
    uint32_t left = (1u << LANES) - 1u, body;
    take_body(group, &left, &body);
    Moves moves = sum_body_moves(shaper, group, body);
    while (left) {
        LaneMask mask = take_body(group, &left, &body);
        Moves own = sum_body_moves(shaper, group, body);
        for (int k = 0; k < 4; k++) moves.sum[k] = lanes_select(mask, own.sum[k], moves.sum[k]);
    }
    for (int k = 0; k < 4; k++) lanes_store(sums[k], moves.sum[k]);
}

const ShapeLoops SHAPE_LOOPS = {shape, sum_moves};
