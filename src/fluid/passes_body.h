// The passes of passes.h: the formula of each stands here and nowhere else. Included by passes_*.c, each of
// which first chooses how pairs are met (pairs_lists.h or pairs_clusters.h) and by its name the instruction
// set; FLUID_PASSES names the table that it defines.

#include "core/lanes3.h"
#include "fluid/passes.h"
#include "fluid/planes.h"

#include <math.h>

#include "fluid/pass_pairs.h"

// --- the passes ---

// Each has the sums over the pairs of a group in a struct of its own, and one function that adds to them what
// a pair gives: to the group and, where the pair serves both sides, to the sums of the others in `shared`. To
// them terms along d come with the wrong sign, which collect_difference sets right.

// Walks over the particles sixteen at a time; `last` is the end of the sixteen that start at `first`. Streams
// are padded, so the tail is computed with the rest.
#define FOR_BLOCKS(begin, end, first, last)                                                                  \
    for (uint32_t first = (begin), last = (end)-first < LANES ? (end) : first + LANES; first < (end);        \
         first = last, last = (end)-first < LANES ? (end) : first + LANES)

typedef struct DensitySums {
    Lanes shape, square;
    Lanes3 gradient;
} DensitySums;

static inline void density_add(DensitySums *sums, Lanes shape, Lanes slope, Lanes scale, Lanes3 d)
{
    sums->shape = lanes_add(sums->shape, shape);
    sums->square = lanes_mul_add(slope, slope, sums->square);
    sums->gradient = lanes3_add_scaled(sums->gradient, scale, d);
}

// rho_i / rho0 of sixteen particles: the sums over their pairs, and the walls' share.
static inline Lanes density_of(const PassConstants *k, const BlockSum *shapes, const Walls *walls)
{
    Lanes shape = lanes_mul_add(lanes_set(2.0f), lanes_load(shapes->at), lanes_set(OWN_SHAPE));
    return lanes_mul_add(lanes_set(k->density_scale), shape, walls->share);
}

// The density of pass_density, to the bit, and nothing else.
static void pass_density_alone(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    Lanes *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum shapes = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i);
            Lanes own = lanes_set(0.0f);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_of(view, x, batch);
                Lanes shape = half_shape(&p);
                add_share(&own, shared, batch, begin, shape);
            }
            collect(own, &shared[own_slot(i, begin)], shapes.at + (i - first));
        }
        Walls walls = walls_of(view, first);
        lanes_store(view->density + first, density_of(&view->constants, &shapes, &walls));
    }
}

// rho_i = sum_j m W_ij;  lambda_i = -C_i / (sum_k |grad_k C_i|^2 + eps), C_i = max(rho_i / rho0 - 1, 0).
// C is clamped from below: at the free surface a negative C would pull particles into clumps.
// Water under load needs about the same sum of lambdas in every step, so the first iteration adds a share of
// the last step's sum where water is compressed now (as Ihmsen et al. 2014, "Implicit Incompressible SPH",
// start from half of the last pressure). At rest that leaves 1 - share of the compression.
static void pass_density(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    DensitySums *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum shapes = {0}, squares = {0};
        BlockSum3 gradients = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i);
            DensitySums own = {lanes_set(0.0f), lanes_set(0.0f), lanes3_zero()};
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_of(view, x, batch);
                Lanes shape = half_shape(&p), slope = sixth_slope(&p),
                      scale = lanes_mul(slope, p.twice_inv_r);
                density_add(&own, shape, slope, scale, p.d);
                if (is_shared(batch))
                    density_add(&shared[other_slot(batch, begin)], shape, slope, scale, p.d);
            }
            DensitySums *before = &shared[own_slot(i, begin)];
            collect(own.shape, &before->shape, shapes.at + (i - first));
            collect(own.square, &before->square, squares.at + (i - first));
            collect_difference3(own.gradient, &before->gradient, &gradients, i - first);
        }
        Walls walls = walls_of(view, first);
        Lanes scale = lanes_set(-3.0f * k->gradient_scale);
        Lanes scale2 = lanes_set(36.0f * k->gradient_scale * k->gradient_scale);
        Lanes density = density_of(k, &shapes, &walls);
        Lanes3 own = lanes3_add_scaled(walls.gradient, scale, block3(&gradients));
        Lanes sum = lanes_mul_add(scale2, lanes_load(squares.at), lanes3_dot(own, own));
        Lanes constraint = lanes_max(lanes_sub(density, lanes_set(1.0f)), lanes_set(0.0f));
        lanes_store(view->gradient_sum + first, sum);
        // The tiny term keeps 0/0 of a lone particle without relaxation at 0.
        sum = lanes_add(sum, lanes_set(k->relaxation + 1e-20f));
        if (planes_of(view, first).count > 0)
            lanes3_store(view->wall_x + first, view->wall_y + first, view->wall_z + first, walls.gradient);
        lanes_store(view->density + first, density);
        lanes_store(view->volume + first, lanes_div(lanes_set(1.0f), density));
        Lanes lambda = lanes_div(lanes_sub(lanes_set(0.0f), constraint), sum);
        Lanes before = lanes_load(view->lambda_sum + first), none = lanes_set(0.0f);
        LaneMask loose = lanes_less_equal(constraint, none);
        lambda = lanes_add(lambda, lanes_select(loose, none, lanes_mul(lanes_set(k->warm), before)));
        lanes_store(view->lambda + first, lambda);
        lanes_store(view->lambda_sum + first, lanes_mul_add(lanes_set(k->carry), before, lambda));
    }
}

// dx_i = m/rho0 sum_j (lambda_i + lambda_j + s_corr) grad W_ij, s_corr = -k (W_ij^n - W(near)^n) / W(dq)^n
// for particles nearer than `near`; the wall's share moves with lambda_i alone. Then contact. Here: the sums
// of sixteen particles.
ALWAYS_INLINE BlockSum3 corrections(const PassView *view, uint32_t begin, uint32_t first, uint32_t last,
                                    uint32_t scorr_power, Lanes3 *restrict shared)
{
    const PassConstants *k = &view->constants;
    BlockSum3 moves = {0};
    for (uint32_t i = first; i < last; i += GROUP) {
        Lanes3 x = self3(view->x, view->y, view->z, i), move = lanes3_zero();
        Lanes lambda = lanes_add(self(view->lambda, i), lanes_set(k->scorr_rest));
        Gap ahead = gap_first(view, x, i);
        FOR_PAIRS(view, i, batch)
        {
            Pair p = pair_next(view, x, batch, &ahead);
            Lanes sum = lanes_add(lambda, other(view->lambda, batch));
            Lanes shape = lanes_max(half_shape(&p), lanes_set(k->scorr_least));
            sum = lanes_sub_mul(sum, lanes_set(k->scorr_scale), power(shape, scorr_power));
            sum = lanes_mul(sum, lanes_mul(sixth_slope(&p), p.twice_inv_r));
            add_along(&move, shared, batch, begin, sum, p.d);
        }
        collect_difference3(move, &shared[own_slot(i, begin)], &moves, i - first);
    }
    return moves;
}

static void pass_correction(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    FOR_BLOCKS(begin, end, first, last)
    {
        // The usual exponent as a constant.
        BlockSum3 moves = k->scorr_power == 4
                              ? corrections(view, begin, first, last, 4, scratch)
                              : corrections(view, begin, first, last, k->scorr_power, scratch);
        Planes planes = planes_of(view, first);
        Lanes3 wall = lanes3_zero();
        if (planes.count > 0)
            wall = lanes3_load(view->wall_x + first, view->wall_y + first, view->wall_z + first);
        Lanes3 at = lanes3_load(view->x + first, view->y + first, view->z + first);
        Lanes3 move = lanes3_scale(block3(&moves), lanes_set(-3.0f * k->gradient_scale));
        move = lanes3_add_scaled(move, lanes_load(view->lambda + first), wall);
        move = unless_held(view, first, move);
        Lanes length = lanes_max(lanes_sqrt(lanes3_dot(move, move)), lanes_set(k->correction_max));
        Lanes part = lanes_div(lanes_set(k->correction_max), length);
        at = lanes3_add_scaled(at, part, move);
        walls_moved(view, first, lanes_mul(part, lanes_load(view->lambda + first)));
        Lanes3 from = lanes3_load(view->x0 + first, view->y0 + first, view->z0 + first);
        at = planes_resolve(planes.layers, planes.loads, planes.count, planes.lane, from, at);
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, at);
    }
}

// Density changes by velocities at a rate of rate_i = sum_j g_ij . (v_i - v_j) + walls, g_ij = m/rho0 grad
// W_ij; kappa_i = -rate_i / (sum_k |grad_k C_i|^2 + r S). Inside the water it may neither rise nor fall: what
// the density's constraint pushed apart in this step must not fly on. At a free surface it may fall.
static void pass_divergence(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    Lanes *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum rates = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), v = self3(view->vx, view->vy, view->vz, i);
            Lanes own = lanes_set(0.0f);
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes3 u = lanes3_sub(v, other3(view->vx, view->vy, view->vz, batch));
                Lanes rate = lanes_mul(lanes3_dot(u, p.d), lanes_mul(sixth_slope(&p), p.twice_inv_r));
                add_share(&own, shared, batch, begin, rate);
            }
            collect(own, &shared[own_slot(i, begin)], rates.at + (i - first));
        }
        Lanes rate = lanes_mul(lanes_set(-3.0f * k->gradient_scale), lanes_load(rates.at));
        if (planes_of(view, first).count > 0) {
            Walls walls = walls_of(view, first);
            Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
            rate = lanes_add(rate, lanes3_dot(walls.gradient, v));
            rate = lanes_mul_add(walls.sweep, lanes_set(1.0f / k->dt), rate);
            lanes3_store(view->wall_x + first, view->wall_y + first, view->wall_z + first, walls.gradient);
        }
        Lanes none = lanes_set(0.0f), density = lanes_load(view->density + first);
        LaneMask loose = lanes_less_equal(density, lanes_set(INSIDE_DENSITY));
        rate = lanes_select(loose, lanes_max(rate, none), rate);
        Lanes sum =
            lanes_add(lanes_load(view->gradient_sum + first), lanes_set(k->divergence_relaxation + 1e-20f));
        lanes_store(view->kappa + first, lanes_div(lanes_sub(none, rate), sum));
    }
}

// v_i += sum_j (kappa_i + kappa_j) g_ij; the walls' share moves with kappa_i alone.
static void pass_projection(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    Lanes3 *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 gains = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), gain = lanes3_zero();
            Lanes kappa = self(view->kappa, i);
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes sum = lanes_add(kappa, other(view->kappa, batch));
                sum = lanes_mul(sum, lanes_mul(sixth_slope(&p), p.twice_inv_r));
                add_along(&gain, shared, batch, begin, sum, p.d);
            }
            collect_difference3(gain, &shared[own_slot(i, begin)], &gains, i - first);
        }
        Lanes3 gain = lanes3_scale(block3(&gains), lanes_set(-3.0f * k->gradient_scale));
        if (planes_of(view, first).count > 0) {
            Lanes3 wall = lanes3_load(view->wall_x + first, view->wall_y + first, view->wall_z + first);
            gain = lanes3_add_scaled(gain, lanes_load(view->kappa + first), wall);
            walls_moved(view, first, lanes_mul(lanes_set(k->dt), lanes_load(view->kappa + first)));
        }
        Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
        v = lanes3_add(v, unless_held(view, first, gain));
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, v);
    }
}

#include "fluid/viscosity_passes.h"

typedef struct CurlSums {
    Lanes3 curl, normal;
} CurlSums;

static inline void curl_add(CurlSums *sums, Lanes volume, Lanes3 curl, Lanes3 gradient)
{
    sums->curl = lanes3_add_scaled(sums->curl, volume, curl);
    sums->normal = lanes3_add_scaled(sums->normal, volume, gradient);
}

// omega_i = sum_j m/rho_j (v_j - v_i) x grad_j W_ij;  n_i = h sum_j m/rho_j grad_i W_ij, where walls count as
// fluid, each for its adhesion: what does not wet looks like a free surface. air: what traps air, too.
// stretched: the curl's W of ellipsoids.
ALWAYS_INLINE void curls(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch, bool air,
                         bool stretched)
{
    const PassConstants *k = &view->constants;
    CurlSums *shared = scratch;
    Lanes *shared_air = sums_behind(scratch, sizeof *shared, begin, end);
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 curls = {0}, normals = {0};
        BlockSum closings = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), v = self3(view->vx, view->vy, view->vz, i);
            Lanes volume = self(view->volume, i);
            Ellipsoid ellipsoid = stretched ? self_ellipsoid(view, i) : (Ellipsoid){0};
            CurlSums own = {lanes3_zero(), lanes3_zero()};
            Lanes own_air = lanes_set(0.0f);
            bool fast = air && marked_above(view, i, 0.0f);
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes3 g = lanes3_scale(p.d, lanes_mul(sixth_slope(&p), p.twice_inv_r)); // grad_j over 3
                Lanes3 u = lanes3_sub(other3(view->vx, view->vy, view->vz, batch), v);
                Lanes3 along =
                    stretched ? mean_kernel(view, gap_of(view, x, batch), ellipsoid, batch).slope : g;
                Lanes3 turn = lanes3_cross(u, along);
                curl_add(&own, other(view->volume, batch), turn, g);
                if (is_shared(batch)) curl_add(&shared[other_slot(batch, begin)], volume, turn, g);
                if (!air || (!fast && !others_marked_above(view, batch, 0.0f))) continue;
                Lanes closing = closing_of(&p, u);
                own_air = lanes_add(own_air, closing);
                if (!is_shared(batch)) continue;
                Lanes *theirs = &shared_air[other_slot(batch, begin)];
                *theirs = lanes_add(*theirs, closing);
            }
            CurlSums *before = &shared[own_slot(i, begin)];
            collect3(own.curl, &before->curl, &curls, i - first);
            collect_difference3(own.normal, &before->normal, &normals, i - first);
            if (air) collect(own_air, &shared_air[own_slot(i, begin)], closings.at + (i - first));
        }
        Walls walls = walls_of(view, first);
        Lanes scale = lanes_set(3.0f * k->gradient_scale), h = lanes_set(k->h * k->normal_scale);
        Lanes3 curl = lanes3_scale(block3(&curls), scale);
        Lanes3 normal = lanes3_scale(block3(&normals), lanes_sub(lanes_set(0.0f), scale));
        normal = lanes3_scale(lanes3_add(normal, walls.wetted), h);
        lanes3_store(view->curl_x + first, view->curl_y + first, view->curl_z + first, curl);
        lanes_store(view->curl + first, lanes_sqrt(lanes3_dot(curl, curl)));
        lanes3_store(view->normal_x + first, view->normal_y + first, view->normal_z + first, normal);
        if (air) store_closing(view, first, lanes_load(closings.at));
    }
}

static void pass_curl(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    bool air = mark_fast(view, begin, end);
    if (view->swell)
        curls(view, begin, end, scratch, air, true);
    else if (air)
        curls(view, begin, end, scratch, true, false);
    else
        curls(view, begin, end, scratch, false, false);
    if (!air) no_potentials(view, begin, end);
}

// dt eps (N x omega), N = eta / |eta|, eta = grad |omega|.
static void pass_swirl(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    const PassConstants *k = &view->constants;
    Lanes3 *shared = scratch;
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 rises = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), rise = lanes3_zero();
            Lanes curl = self(view->curl, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_of(view, x, batch);
                Lanes more = lanes_sub(other(view->curl, batch), curl);
                Lanes scale = lanes_mul(more, lanes_mul(sixth_slope(&p), p.twice_inv_r));
                add_along(&rise, shared, batch, begin, scale, p.d);
            }
            collect3(rise, &shared[own_slot(i, begin)], &rises, i - first);
        }
        Lanes3 eta = block3(&rises); // times what normalising takes away, and -1
        Lanes length = lanes_sqrt(lanes3_dot(eta, eta));
        LaneMask flat = lanes_less_equal(length, lanes_set(1e-20f));
        Lanes swirl =
            lanes_select(flat, lanes_set(0.0f), lanes_div(lanes_set(-k->dt * k->confinement), length));
        Lanes3 curl = lanes3_load(view->curl_x + first, view->curl_y + first, view->curl_z + first);
        Lanes3 gain = unless_held(view, first, lanes3_cross(lanes3_scale(eta, swirl), curl));
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, gain);
    }
}

#include "fluid/spin_passes.h"

typedef struct ForceSums {
    Lanes3 tension, drift;
} ForceSums;

// Shares of a pair: drift along d, tension along d as the next step will have it.
typedef struct ForceShare {
    Lanes tension, drift;
    Lanes3 d, turned;
} ForceShare;

static inline void force_add(ForceSums *sums, const ForceShare *share)
{
    sums->tension = lanes3_add_scaled(sums->tension, share->tension, share->turned);
    sums->drift = lanes3_add_scaled(sums->drift, share->drift, share->d);
}

// What pulls sixteen particles to the walls near them, in units of -wall_cohesion.
static inline Lanes3 wall_tension(const PassView *view, uint32_t first)
{
    const PassConstants *k = &view->constants;
    Planes planes = planes_of(view, first);
    if (!k->wall_density || planes.count == 0) return lanes3_zero();
    Lanes3 x = lanes3_load(view->x + first, view->y + first, view->z + first);
    float move = -k->wall_cohesion * k->tension_borne * k->dt * k->dt;
    return planes_pull(planes.layers, planes.loads, planes.count, planes.lane, k->inv_h, x, move);
}

// v_i += dt nu K sum_j 2 m / (rho_i + rho_j) W_ij ((v_j - v_i) . d) d;
// acceleration by the surface tension, for the next step's prediction:
//      - sum_j K_ij (A c(q) + B (n_i - n_j) . e) e',  e = d / r,  K_ij = 2 rho0 / (rho_i + rho_j),
// e' = e + dt (omega_i + omega_j) / 2 rho0 / (rho_i + rho_j) x e: turned as the water turns in a step, to
// where the pressure will act against it, so that the two have no torque together. Of the normals' difference
// Akinci et al. take all; what lies along e keeps angular momentum. Normals are in units in which they add to
// the cohesion's shape c. Divided by the density the curl is right at the surface, too, where half of it is
// missing. crest: the potentials of whitewater, too.
ALWAYS_INLINE void forces(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch,
                          bool crest)
{
    const PassConstants *k = &view->constants;
    ForceSums *shared = scratch;
    CrestSums *shared_crest = sums_behind(scratch, sizeof *shared, begin, end);
    FOR_BLOCKS(begin, end, first, last)
    {
        BlockSum3 tensions = {0}, drifts = {0};
        BlockSum weights = {0}, bends = {0};
        for (uint32_t i = first; i < last; i += GROUP) {
            Lanes3 x = self3(view->x, view->y, view->z, i), v = self3(view->vx, view->vy, view->vz, i);
            Lanes3 n = self3(view->normal_x, view->normal_y, view->normal_z, i);
            Lanes3 w = self3(view->curl_x, view->curl_y, view->curl_z, i);
            Lanes density = self(view->density, i);
            ForceSums own = {lanes3_zero(), lanes3_zero()};
            CrestSums own_crest = {lanes_set(0.0f), lanes_set(0.0f)};
            bool fast = crest && marked_above(view, i, 0.0f),
                 on_crest = crest && marked_above(view, i, MARK_FAST);
            Lanes twice_inverse = crest ? twice_inverse_normal(view, n) : own_crest.bend;
            Gap ahead = gap_first(view, x, i);
            FOR_PAIRS(view, i, batch)
            {
                Pair p = pair_next(view, x, batch, &ahead);
                Lanes half_k = lanes_reciprocal(lanes_add(density, other(view->density, batch)));
                Lanes3 u = lanes3_sub(other3(view->vx, view->vy, view->vz, batch), v);
                Lanes approach = lanes3_dot(u, p.d);
                Lanes3 turn = lanes3_add(w, other3(view->curl_x, view->curl_y, view->curl_z, batch));
                turn = lanes3_scale(turn, lanes_mul(half_k, lanes_set(0.5f * k->dt)));
                ForceShare share = {.d = p.d, .turned = lanes3_add(p.d, lanes3_cross(turn, p.d))};
                share.drift = lanes_mul(lanes_mul(half_k, half_shape(&p)), approach);
                Lanes3 others = other3(view->normal_x, view->normal_y, view->normal_z, batch);
                Lanes3 bend = lanes3_sub(n, others);
                Lanes along = lanes_mul(lanes3_dot(bend, p.d), p.twice_inv_r);
                Lanes fade = lanes_min(lanes_mul(p.t, lanes_set(CURVATURE_FADE)), lanes_set(1.0f));
                Lanes pull = lanes_add(cohesion_shape(&p), lanes_mul(along, fade));
                share.tension = lanes_mul(lanes_mul(half_k, pull), p.twice_inv_r);
                force_add(&own, &share);
                if (is_shared(batch)) force_add(&shared[other_slot(batch, begin)], &share);
                if (!crest || (!fast && !others_marked_above(view, batch, 0.0f))) continue;
                CrestSums *theirs = is_shared(batch) ? &shared_crest[other_slot(batch, begin)] : NULL;
                own_crest.weight = lanes_add(own_crest.weight, p.t);
                if (theirs) theirs->weight = lanes_add(theirs->weight, p.t);
                if (on_crest || others_marked_above(view, batch, MARK_FAST))
                    crest_add(view, &p, n, twice_inverse, others, &own_crest.bend,
                              theirs ? &theirs->bend : NULL);
            }
            ForceSums *before = &shared[own_slot(i, begin)];
            collect_difference3(own.tension, &before->tension, &tensions, i - first);
            collect_difference3(own.drift, &before->drift, &drifts, i - first);
            if (!crest) continue;
            CrestSums *crest_before = &shared_crest[own_slot(i, begin)];
            collect(own_crest.weight, &crest_before->weight, weights.at + (i - first));
            collect(own_crest.bend, &crest_before->bend, bends.at + (i - first));
        }
        if (crest) store_potentials(view, first, lanes_load(weights.at), lanes_load(bends.at));
        Lanes3 gain = lanes3_scale(block3(&drifts), lanes_set(k->viscosity));
        gain = lanes3_add(gain, drag_of_walls(view, first));
        Lanes3 v = lanes3_load(view->vx + first, view->vy + first, view->vz + first);
        v = lanes3_add(v, unless_held(view, first, gain));
        lanes3_store(view->next_x + first, view->next_y + first, view->next_z + first, v);
        if (k->cohesion_scale == 0.0f) continue;
        Lanes3 pull = lanes3_scale(block3(&tensions), lanes_set(-k->cohesion_scale));
        Lanes3 walls = wall_tension(view, first);
        pull = unless_held(view, first, lanes3_add_scaled(pull, lanes_set(-k->wall_cohesion), walls));
        lanes3_store(view->tension_x + first, view->tension_y + first, view->tension_z + first, pull);
    }
}

static void pass_forces(const PassView *view, uint32_t begin, uint32_t end, void *restrict scratch)
{
    if (mark_crests(view, begin, end))
        forces(view, begin, end, scratch, true);
    else
        forces(view, begin, end, scratch, false);
}

_Static_assert(sizeof(ForceSums) + sizeof(CrestSums) <= PASS_SCRATCH * sizeof(float) &&
                   sizeof(CurlSums) + sizeof(Lanes) <= PASS_SCRATCH * sizeof(float),
               "no pass has more sums");

const FluidPasses FLUID_PASSES = {pass_density,    pass_density_alone, pass_correction,       pass_divergence,
                                  pass_projection, pass_viscosity,     pass_viscosity_blocks, pass_curl,
                                  pass_swirl,      pass_spin,          pass_torque,           pass_transfer,
                                  pass_forces};
