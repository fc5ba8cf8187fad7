// The loop of divergence_pairs.h. Included by divergence_*.c, which differ in their compiler flags alone;
// DIVERGENCE_LOOP names the function that each defines.
#include "core/lanes.h"
#include "measure/divergence_pairs.h"

// Four particles, each beside four others.
typedef struct Sixteen {
    Lanes x, y, z, vx, vy, vz, volume;
} Sixteen;

static inline Sixteen own_sixteen(const DivergencePairs *p, uint32_t at)
{
    return (Sixteen){lanes_spread(p->x + at),     lanes_spread(p->y + at),  lanes_spread(p->z + at),
                     lanes_spread(p->vx + at),    lanes_spread(p->vy + at), lanes_spread(p->vz + at),
                     lanes_spread(p->volume + at)};
}

static inline Sixteen other_sixteen(const DivergencePairs *p, uint32_t at)
{
    return (Sixteen){lanes_repeat(p->x + at),     lanes_repeat(p->y + at),  lanes_repeat(p->z + at),
                     lanes_repeat(p->vx + at),    lanes_repeat(p->vy + at), lanes_repeat(p->vz + at),
                     lanes_repeat(p->volume + at)};
}

static inline Lanes dot(Lanes ax, Lanes ay, Lanes az, Lanes bx, Lanes by, Lanes bz)
{
    return lanes_add(lanes_add(lanes_mul(ax, bx), lanes_mul(ay, by)), lanes_mul(az, bz));
}

// (v_j - v_i) . grad_i W_ij, the same for both sides; 0 out of reach.
static inline Lanes pair_rates(const DivergencePairs *p, const Sixteen *i, const Sixteen *j)
{
    Lanes dx = lanes_sub(i->x, j->x), dy = lanes_sub(i->y, j->y), dz = lanes_sub(i->z, j->z);
    Lanes r = lanes_sqrt(lanes_add(dot(dx, dy, dz, dx, dy, dz), lanes_set(1e-30f)));
    Lanes zero = lanes_set(0.0f);
    Lanes t = lanes_max(lanes_sub(lanes_set(1.0f), lanes_mul(r, lanes_set(p->inv_h))), zero);
    Lanes s = lanes_max(lanes_sub(t, lanes_set(0.5f)), zero);
    Lanes shape = lanes_sub(lanes_mul(lanes_set(4.0f), lanes_mul(s, s)), lanes_mul(t, t));
    Lanes along = dot(lanes_sub(j->vx, i->vx), lanes_sub(j->vy, i->vy), lanes_sub(j->vz, i->vz), dx, dy, dz);
    return lanes_div(lanes_mul(along, lanes_mul(shape, lanes_set(p->scale))), r); // dW/dr, fluid/kernel.h
}

static inline void add_four(float *rate, const float four[NEIGHBOR_CLUSTER])
{
    for (uint32_t k = 0; k < NEIGHBOR_CLUSTER; k++) rate[k] += four[k];
}

void DIVERGENCE_LOOP(const DivergencePairs *pairs, uint32_t begin, uint32_t end)
{
    const NeighborClusters *c = pairs->clusters;
    float four[NEIGHBOR_CLUSTER];
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t *partner = c->partner + c->begin[k];
        Sixteen own = own_sixteen(pairs, NEIGHBOR_CLUSTER * k);
        Lanes sum = lanes_set(0.0f);
        for (uint32_t n = 0; n < c->count[k]; n++) {
            uint32_t at = NEIGHBOR_CLUSTER * partner[n];
            Sixteen other = other_sixteen(pairs, at);
            Lanes both = pair_rates(pairs, &own, &other);
            sum = lanes_add(sum, lanes_mul(both, other.volume));
            if (n < c->single[k]) continue; // the others' row names this cluster, too
            lanes_sum_across(lanes_mul(both, own.volume), four);
            add_four(pairs->rate + at, four);
        }
        lanes_sum_blocks(sum, four);
        add_four(pairs->rate + NEIGHBOR_CLUSTER * k, four);
    }
}
