// Pairs, walls and nozzles as the passes see them, over sixteen lanes; part of passes_body.h.

static inline Lanes3 self3(const float *x, const float *y, const float *z, uint32_t i)
{
    return (Lanes3){self(x, i), self(y, i), self(z, i)};
}

ALWAYS_INLINE Lanes3 other3(const float *x, const float *y, const float *z, PairBatch batch)
{
    return (Lanes3){other(x, batch), other(y, batch), other(z, batch)};
}

// Visits the partners of the group at particle i.
#define FOR_PAIRS(view, i, batch)                                                                            \
    for (PairBatch batch = pairs_of(&(view)->pairs, i); pairs_left(&batch); pairs_next(&batch))

// Sums over the pairs of sixteen particles, one after the other in memory.
typedef struct BlockSum {
    float at[LANES];
} BlockSum;
typedef struct BlockSum3 {
    BlockSum x, y, z;
} BlockSum3;

static inline void collect3(Lanes3 sum, Lanes3 *before, BlockSum3 *out, uint32_t at)
{
    collect(sum.x, &before->x, out->x.at + at);
    collect(sum.y, &before->y, out->y.at + at);
    collect(sum.z, &before->z, out->z.at + at);
}

static inline void collect_difference3(Lanes3 sum, Lanes3 *before, BlockSum3 *out, uint32_t at)
{
    collect_difference(sum.x, &before->x, out->x.at + at);
    collect_difference(sum.y, &before->y, out->y.at + at);
    collect_difference(sum.z, &before->z, out->z.at + at);
}

static inline Lanes3 block3(const BlockSum3 *sum)
{
    return lanes3_load(sum->x.at, sum->y.at, sum->z.at);
}

// --- pairs ---

// Where the particles of sixteen pairs are.
typedef struct Gap {
    Lanes3 d; // x_i - x_j, m
    Lanes r2; // |d|^2, m^2
} Gap;

static inline Gap gap_of(const PassView *view, Lanes3 xi, PairBatch batch)
{
    Lanes3 d = lanes3_sub(xi, other3(view->x, view->y, view->z, batch));
    // Coincident points have no direction; a term far below any spacing keeps the division finite.
    Lanes r2 = lanes_mul_add(d.x, d.x, lanes_set(view->constants.least_distance2));
    return (Gap){d, lanes_mul_add(d.z, d.z, lanes_mul_add(d.y, d.y, r2))};
}

// Sixteen pairs of particles i and j.
typedef struct Pair {
    Lanes3 d;          // x_i - x_j, m
    Lanes twice_inv_r; // 2 / |d|, finite for coincident points
    // What the kernels are made of: t = max(1 - q, 0) with q = |d| / h, and 2 s^2 of s = max(1/2 - q, 0).
    Lanes t, ss2;
} Pair;

static inline Pair pair_across(const PassView *view, Gap gap, PairBatch batch)
{
    const float root2 = 1.41421356f;
    Pair p = {.d = gap.d, .twice_inv_r = lanes_twice_rsqrt(gap.r2)};
    Lanes twice_r = lanes_mul(gap.r2, p.twice_inv_r), zero = lanes_set(0.0f);
    Lanes half_inv_h = lanes_set(0.5f * view->constants.inv_h);
    Lanes t = used(lanes_sub_mul(lanes_set(1.0f), twice_r, half_inv_h), batch);
    p.t = lanes_max(t, zero);
    Lanes s = lanes_max(lanes_mul_add(t, lanes_set(root2), lanes_set(-0.5f * root2)), zero);
    p.ss2 = lanes_mul(s, s);
    return p;
}

static inline Pair pair_of(const PassView *view, Lanes3 xi, PairBatch batch)
{
    return pair_across(view, gap_of(view, xi, batch), batch);
}

// The same for long formulas: where the next batch is gets computed before this one's formula, which leaves
// a processor less to wait for. `ahead` starts as gap_first.
static inline Gap gap_first(const PassView *view, Lanes3 xi, uint32_t i)
{
    return PAIRS_AHEAD ? gap_of(view, xi, pairs_first(&view->pairs, i)) : (Gap){0};
}
static inline Pair pair_next(const PassView *view, Lanes3 xi, PairBatch batch, Gap *ahead)
{
    if (!PAIRS_AHEAD) return pair_of(view, xi, batch);
    Gap gap = *ahead;
    *ahead = gap_of(view, xi, pairs_peek(batch));
    return pair_across(view, gap, batch);
}

// -dw/dq / 6 = t^2 - 4 s^2, kernel.h; grad_i W is this times -6 d / r.
static inline Lanes sixth_slope(const Pair *p)
{
    return lanes_sub_mul(lanes_mul(p->t, p->t), lanes_set(2.0f), p->ss2);
}

// w(q) / 2 = t^3 - 4 s^3 = t (t^2 - 4 s^2) + 2 s^2, because t - s = 1/2 where s is not 0.
static inline Lanes half_shape(const Pair *p)
{
    return lanes_mul_add(p->t, sixth_slope(p), p->ss2);
}

// Shape of the cohesion kernel: pi h^3 / 32 C(r) = ((1-q) q)^3 beyond 1/2, 2 ((1-q) q)^3 - 1/64 below.
static inline Lanes cohesion_shape(const Pair *p)
{
    Lanes product = lanes_sub_mul(p->t, p->t, p->t);
    // Without a branch: (1-q) q = 1/4 - s^2 below 1/2, so this one equals the product there and stays 1/4
    // beyond, where its cube cancels the 1/64.
    Lanes folded = lanes_sub_mul(lanes_set(0.25f), lanes_set(0.5f), p->ss2);
    Lanes rest = lanes_mul_add(lanes_mul(folded, folded), folded, lanes_set(-1.0f / 64.0f));
    return lanes_mul_add(lanes_mul(product, product), product, rest);
}

#include "fluid/potentials.h"
#include "fluid/stretched_pairs.h"

static inline Lanes power(Lanes base, uint32_t exponent)
{
    Lanes square = lanes_mul(base, base), result = base;
    if (exponent == 4) return lanes_mul(square, square);
    for (uint32_t k = 1; k < exponent; k++) result = lanes_mul(result, base);
    return result;
}

// What a pair gives, to the sum of the group and, where the pair serves both sides, to that of the others.
static inline void add_share(Lanes *own, Lanes *shared, PairBatch batch, uint32_t begin, Lanes share)
{
    *own = lanes_add(*own, share);
    if (!is_shared(batch)) return;
    Lanes *theirs = &shared[other_slot(batch, begin)];
    *theirs = lanes_add(*theirs, share);
}

static inline void add_along(Lanes3 *own, Lanes3 *shared, PairBatch batch, uint32_t begin, Lanes scale,
                             Lanes3 d)
{
    *own = lanes3_add_scaled(*own, scale, d);
    if (!is_shared(batch)) return;
    Lanes3 *theirs = &shared[other_slot(batch, begin)];
    *theirs = lanes3_add_scaled(*theirs, scale, d);
}

// --- walls ---

// The contacts of the sixteen particles at `first` (of one particle, where vectors are that short).
typedef struct Planes {
    const ContactLayer *layers;
    ContactLoad *loads; // NULL: not measured
    uint32_t count, lane;
} Planes;

static inline Planes planes_of(const PassView *view, uint32_t first)
{
    uint32_t k = first / CONTACT_LANES;
    const ContactRows *rows = view->contacts;
    return (Planes){rows->layers + rows->begin[k], rows->measured ? rows->loads + rows->begin[k] : NULL,
                    rows->count[k], first % CONTACT_LANES};
}

static inline Walls walls_of(const PassView *view, uint32_t first)
{
    Planes planes = planes_of(view, first);
    if (!view->constants.wall_density) planes.count = 0;
    Lanes3 p = lanes3_load(view->x + first, view->y + first, view->z + first);
    return walls_at(planes.layers, planes.count, planes.lane, view->constants.inv_h, p);
}

// --- nozzles ---

// 0 for particles of a nozzle's stream: the solver does not move them, though their neighbors feel them.
// Nothing would hold the newest layer from behind, and what it was pushed by one step would be the next
// layer's error.
static inline Lanes3 unless_held(const PassView *view, uint32_t first, Lanes3 change)
{
    LaneMask free =
        lanes_less_equal(lanes_load(view->release + first), lanes_set(view->constants.held_after));
    Lanes none = lanes_set(0.0f);
    return (Lanes3){lanes_select(free, change.x, none), lanes_select(free, change.y, none),
                    lanes_select(free, change.z, none)};
}

// Takes down, where it is measured, that the walls' share has moved the particles by scale (m^2) times its
// gradient.
static inline void walls_moved(const PassView *view, uint32_t first, Lanes scale)
{
    Planes planes = planes_of(view, first);
    if (!planes.loads || planes.count == 0 || !view->constants.wall_density) return;
    Lanes3 p = lanes3_load(view->x + first, view->y + first, view->z + first);
    walls_add_loads(planes.layers, planes.loads, planes.count, planes.lane, view->constants.inv_h, p,
                    unless_held(view, first, (Lanes3){scale, scale, scale}).x);
}
