// The passes of passes.h. Included by passes_plain.c, passes_avx2.c and passes_avx512.c, which differ in
// their compiler flags alone; FLUID_PASSES names the table that each defines.

#include "core/lanes.h"
#include "fluid/passes.h"

#include <math.h>

// --- one batch of up to sixteen neighbors of particle i ---

typedef struct Batch {
    LaneIndex j;
    LaneMask mask;
    Lanes dx, dy, dz; // x_i - x_j
    Lanes q;          // |x_i - x_j| / h, 1 in unused lanes so that every kernel vanishes there
    Lanes inv_r;      // 1/m, finite for coincident points
} Batch;

static inline Batch batch_load(const PassView *view, uint32_t i, const uint32_t *row, uint32_t left)
{
    Batch b;
    b.mask = lanes_first(left);
    b.j = lanes_index_load(row, b.mask, i);
    b.dx = lanes_sub(lanes_set(view->x[i]), lanes_gather(view->x, b.j));
    b.dy = lanes_sub(lanes_set(view->y[i]), lanes_gather(view->y, b.j));
    b.dz = lanes_sub(lanes_set(view->z[i]), lanes_gather(view->z, b.j));
    Lanes r2 = lanes_add(lanes_add(lanes_mul(b.dx, b.dx), lanes_mul(b.dy, b.dy)), lanes_mul(b.dz, b.dz));
    // Coincident points have no direction; a floor far below any spacing keeps the division finite.
    Lanes r = lanes_max(lanes_sqrt(r2), lanes_set(1e-6f * view->constants.h));
    b.inv_r = lanes_div(lanes_set(1.0f), r);
    b.q = lanes_select(b.mask, lanes_min(lanes_mul(r, lanes_set(view->constants.inv_h)), lanes_set(1.0f)),
                       lanes_set(1.0f));
    return b;
}

// w(q), kernel.h
static inline Lanes shape(Lanes q)
{
    Lanes t = lanes_sub(lanes_set(1.0f), q);
    Lanes s = lanes_max(lanes_sub(lanes_set(0.5f), q), lanes_set(0.0f));
    Lanes t3 = lanes_mul(lanes_mul(t, t), t), s3 = lanes_mul(lanes_mul(s, s), s);
    return lanes_sub(lanes_add(t3, t3), lanes_mul(lanes_set(8.0f), s3));
}

// dw/dq
static inline Lanes shape_derivative(Lanes q)
{
    Lanes t = lanes_sub(lanes_set(1.0f), q);
    Lanes s = lanes_max(lanes_sub(lanes_set(0.5f), q), lanes_set(0.0f));
    return lanes_sub(lanes_mul(lanes_set(24.0f), lanes_mul(s, s)),
                     lanes_mul(lanes_set(6.0f), lanes_mul(t, t)));
}

// Shape of the cohesion kernel: pi h^3 / 32 C(r) = ((1-q) q)^3 beyond 1/2, 2 ((1-q) q)^3 - 1/64 below.
static inline Lanes cohesion_shape(Lanes q)
{
    Lanes p = lanes_mul(lanes_sub(lanes_set(1.0f), q), q);
    Lanes p3 = lanes_mul(lanes_mul(p, p), p);
    // Without a branch: p = 1/4 - (1/2 - q)^2, so this one equals p below 1/2 and stays 1/4 beyond, where its
    // cube cancels the 1/64.
    Lanes below = lanes_max(lanes_sub(lanes_set(0.5f), q), lanes_set(0.0f));
    Lanes folded = lanes_sub(lanes_set(0.25f), lanes_mul(below, below));
    Lanes folded3 = lanes_mul(lanes_mul(folded, folded), folded);
    return lanes_add(p3, lanes_sub(folded3, lanes_set(1.0f / 64.0f)));
}

static inline Lanes power(Lanes base, uint32_t exponent)
{
    Lanes result = base;
    for (uint32_t k = 1; k < exponent; k++) result = lanes_mul(result, base);
    return result;
}

// Walks over the row of particle i: `b` is a batch, one after the other.
#define FOR_BATCHES(view, i, b)                                                                              \
    for (uint32_t at_ = 0, n_ = (view)->lists.count[i]; at_ < n_; at_ += LANES)                              \
        for (Batch b = batch_load(view, i, (view)->lists.index + (view)->lists.begin[i] + at_, n_ - at_),    \
                   *once_ = &b;                                                                              \
             once_; once_ = 0)

// --- walls ---

// The half-spaces of rest fluid behind the contacts of particle i: their share of the density and of grad C.
// Overlaps in corners are taken as if the kernel were separable: what stays free is the product of what each
// wall leaves free.
static inline float walls_add(const PassView *view, uint32_t i, Vec3 *gradient)
{
    const PassConstants *k = &view->constants;
    *gradient = vec3_make(0.0f, 0.0f, 0.0f);
    if (!k->wall_density || view->contacts->count[i] == 0) return 0.0f;
    const Contact *contact = view->contacts->contacts + view->contacts->begin[i];
    Vec3 p = {view->x[i], view->y[i], view->z[i]};
    uint32_t n = view->contacts->count[i];
    float volume[CONTACTS_PER_PARTICLE], slope[CONTACTS_PER_PARTICLE], open = 1.0f;
    for (uint32_t c = 0; c < n; c++) {
        float q = (vec3_dot(contact[c].normal, p) - contact[c].offset) * k->inv_h;
        float behind = q + contact[c].thickness * k->inv_h; // a plate is no half-space
        volume[c] = wall_table_sample(view->wall->volume, q) - wall_table_sample(view->wall->volume, behind);
        slope[c] = wall_table_sample(view->wall->slope, q) - wall_table_sample(view->wall->slope, behind);
        open *= 1.0f - volume[c];
    }
    for (uint32_t c = 0; c < n; c++) {
        float others = open / (1.0f - volume[c]); // volume <= 1/2
        *gradient = vec3_sub(*gradient, vec3_scale(contact[c].normal, slope[c] * k->inv_h * others));
    }
    return 1.0f - open;
}

// --- the passes ---

// rho_i = sum_j m W_ij;  lambda_i = -C_i / (sum_k |grad_k C_i|^2 + eps), C_i = max(rho_i / rho0 - 1, 0).
// C is clamped from below: at the free surface a negative C would pull particles into clumps.
static void pass_density(const PassView *view, uint32_t begin, uint32_t end)
{
    const PassConstants *k = &view->constants;
    for (uint32_t i = begin; i < end; i++) {
        Lanes w = lanes_set(0.0f), gx = w, gy = w, gz = w, gg = w;
        FOR_BATCHES(view, i, b)
        {
            w = lanes_add(w, shape(b.q));
            Lanes g = shape_derivative(b.q); // grad_j C = -g d / r
            gg = lanes_add(gg, lanes_mul(g, g));
            Lanes s = lanes_mul(g, b.inv_r);
            gx = lanes_add(gx, lanes_mul(s, b.dx));
            gy = lanes_add(gy, lanes_mul(s, b.dy));
            gz = lanes_add(gz, lanes_mul(s, b.dz));
        }
        Vec3 wall;
        float wall_share = walls_add(view, i, &wall);
        float density = k->density_scale * (1.0f + lanes_sum(w)) + wall_share; // w(0) = 1
        Vec3 own = {k->gradient_scale * lanes_sum(gx) + wall.x, k->gradient_scale * lanes_sum(gy) + wall.y,
                    k->gradient_scale * lanes_sum(gz) + wall.z};
        float squares = k->gradient_scale * k->gradient_scale * lanes_sum(gg) + vec3_dot(own, own);
        float constraint = fmaxf(density - 1.0f, 0.0f);
        view->density[i] = density;
        // The tiny term keeps 0/0 of a lone particle without relaxation at 0.
        view->lambda[i] = -constraint / (squares + k->relaxation + 1e-20f);
    }
}

// dx_i = m/rho0 sum_j (lambda_i + lambda_j + s_corr) grad W_ij, s_corr = -k (W_ij / W(dq))^n; the wall's
// share moves with lambda_i alone. Then contact.
static void pass_correction(const PassView *view, uint32_t begin, uint32_t end)
{
    const PassConstants *k = &view->constants;
    for (uint32_t i = begin; i < end; i++) {
        Lanes sx = lanes_set(0.0f), sy = sx, sz = sx, lambda = lanes_set(view->lambda[i]);
        FOR_BATCHES(view, i, b)
        {
            Lanes sum = lanes_add(lambda, lanes_gather(view->lambda, b.j));
            if (k->scorr_scale > 0.0f) {
                Lanes ratio = lanes_mul(shape(b.q), lanes_set(k->scorr_inverse));
                sum = lanes_sub(sum, lanes_mul(lanes_set(k->scorr_scale), power(ratio, k->scorr_power)));
            }
            Lanes s = lanes_mul(lanes_mul(sum, shape_derivative(b.q)), b.inv_r);
            sx = lanes_add(sx, lanes_mul(s, b.dx));
            sy = lanes_add(sy, lanes_mul(s, b.dy));
            sz = lanes_add(sz, lanes_mul(s, b.dz));
        }
        Vec3 wall;
        walls_add(view, i, &wall);
        Vec3 move = {k->gradient_scale * lanes_sum(sx), k->gradient_scale * lanes_sum(sy),
                     k->gradient_scale * lanes_sum(sz)};
        move = vec3_add(move, vec3_scale(wall, view->lambda[i]));
        float length = vec3_length(move);
        if (length > k->correction_max) move = vec3_scale(move, k->correction_max / length);
        Vec3 p = vec3_add(vec3_make(view->x[i], view->y[i], view->z[i]), move);
        if (view->contacts->count[i] > 0) {
            contacts_resolve(view->contacts->contacts + view->contacts->begin[i], view->contacts->count[i],
                             vec3_make(view->x0[i], view->y0[i], view->z0[i]), &p);
        }
        view->next_x[i] = p.x;
        view->next_y[i] = p.y;
        view->next_z[i] = p.z;
    }
}

// omega_i = sum_j m/rho_j (v_j - v_i) x grad_j W_ij;  n_i = h sum_j m/rho_j grad_i W_ij, where walls count as
// fluid so that they do not look like a free surface.
static void pass_curl(const PassView *view, uint32_t begin, uint32_t end)
{
    const PassConstants *k = &view->constants;
    for (uint32_t i = begin; i < end; i++) {
        Lanes cx = lanes_set(0.0f), cy = cx, cz = cx, nx = cx, ny = cx, nz = cx;
        Lanes vx = lanes_set(view->vx[i]), vy = lanes_set(view->vy[i]), vz = lanes_set(view->vz[i]);
        FOR_BATCHES(view, i, b)
        {
            Lanes s = lanes_div(lanes_mul(shape_derivative(b.q), b.inv_r), lanes_gather(view->density, b.j));
            Lanes gx = lanes_mul(s, b.dx), gy = lanes_mul(s, b.dy),
                  gz = lanes_mul(s, b.dz); // grad_i = -grad_j
            Lanes ux = lanes_sub(vx, lanes_gather(view->vx, b.j));
            Lanes uy = lanes_sub(vy, lanes_gather(view->vy, b.j));
            Lanes uz = lanes_sub(vz, lanes_gather(view->vz, b.j));
            cx = lanes_add(cx, lanes_sub(lanes_mul(uy, gz), lanes_mul(uz, gy)));
            cy = lanes_add(cy, lanes_sub(lanes_mul(uz, gx), lanes_mul(ux, gz)));
            cz = lanes_add(cz, lanes_sub(lanes_mul(ux, gy), lanes_mul(uy, gx)));
            nx = lanes_add(nx, gx);
            ny = lanes_add(ny, gy);
            nz = lanes_add(nz, gz);
        }
        Vec3 curl = {k->gradient_scale * lanes_sum(cx), k->gradient_scale * lanes_sum(cy),
                     k->gradient_scale * lanes_sum(cz)};
        view->curl_x[i] = curl.x;
        view->curl_y[i] = curl.y;
        view->curl_z[i] = curl.z;
        view->curl[i] = vec3_length(curl);
        Vec3 wall;
        walls_add(view, i, &wall);
        float scale = k->h * k->gradient_scale;
        view->normal_x[i] = scale * lanes_sum(nx) + k->h * wall.x;
        view->normal_y[i] = scale * lanes_sum(ny) + k->h * wall.y;
        view->normal_z[i] = scale * lanes_sum(nz) + k->h * wall.z;
    }
}

// v_i += dt eps (N x omega), N = eta / |eta|, eta = grad |omega|
//      - dt gamma sum_j K_ij (m C(r) d/r + n_i - n_j),  K_ij = 2 rho0 / (rho_i + rho_j)
//      + c sum_j 2 m / (rho_i + rho_j) (v_j - v_i) W_ij.
static void pass_forces(const PassView *view, uint32_t begin, uint32_t end)
{
    const PassConstants *k = &view->constants;
    for (uint32_t i = begin; i < end; i++) {
        Lanes ex = lanes_set(0.0f), ey = ex, ez = ex, tx = ex, ty = ex, tz = ex, ux = ex, uy = ex, uz = ex;
        Lanes density = lanes_set(view->density[i]), curl = lanes_set(view->curl[i]);
        Lanes vx = lanes_set(view->vx[i]), vy = lanes_set(view->vy[i]), vz = lanes_set(view->vz[i]);
        Lanes nx = lanes_set(view->normal_x[i]), ny = lanes_set(view->normal_y[i]),
              nz = lanes_set(view->normal_z[i]);
        FOR_BATCHES(view, i, b)
        {
            Lanes pair = lanes_div(lanes_set(2.0f), lanes_add(density, lanes_gather(view->density, b.j)));

            Lanes xsph = lanes_mul(pair, shape(b.q));
            ux = lanes_add(ux, lanes_mul(xsph, lanes_sub(lanes_gather(view->vx, b.j), vx)));
            uy = lanes_add(uy, lanes_mul(xsph, lanes_sub(lanes_gather(view->vy, b.j), vy)));
            uz = lanes_add(uz, lanes_mul(xsph, lanes_sub(lanes_gather(view->vz, b.j), vz)));

            Lanes rise = lanes_sub(lanes_gather(view->curl, b.j), curl);
            Lanes e = lanes_mul(rise, lanes_mul(shape_derivative(b.q), b.inv_r));
            ex = lanes_add(ex, lanes_mul(e, b.dx));
            ey = lanes_add(ey, lanes_mul(e, b.dy));
            ez = lanes_add(ez, lanes_mul(e, b.dz));

            // K applies to used lanes only: the curvature term has no kernel that would vanish.
            Lanes tension = lanes_select(b.mask, lanes_mul(pair, lanes_set(k->tension)), lanes_set(0.0f));
            Lanes cohesion = lanes_mul(lanes_mul(pair, lanes_set(k->cohesion_scale)),
                                       lanes_mul(cohesion_shape(b.q), b.inv_r));
            tx = lanes_add(tx,
                           lanes_add(lanes_mul(cohesion, b.dx),
                                     lanes_mul(tension, lanes_sub(nx, lanes_gather(view->normal_x, b.j)))));
            ty = lanes_add(ty,
                           lanes_add(lanes_mul(cohesion, b.dy),
                                     lanes_mul(tension, lanes_sub(ny, lanes_gather(view->normal_y, b.j)))));
            tz = lanes_add(tz,
                           lanes_add(lanes_mul(cohesion, b.dz),
                                     lanes_mul(tension, lanes_sub(nz, lanes_gather(view->normal_z, b.j)))));
        }
        Vec3 eta = {lanes_sum(ex), lanes_sum(ey), lanes_sum(ez)};
        Vec3 direction = vec3_normalize_or(eta, vec3_make(0.0f, 0.0f, 0.0f));
        Vec3 swirl = vec3_cross(direction, vec3_make(view->curl_x[i], view->curl_y[i], view->curl_z[i]));
        Vec3 acceleration =
            vec3_sub(vec3_scale(swirl, k->vorticity), vec3_make(lanes_sum(tx), lanes_sum(ty), lanes_sum(tz)));
        Vec3 drift = vec3_scale(vec3_make(lanes_sum(ux), lanes_sum(uy), lanes_sum(uz)),
                                k->viscosity * k->density_scale);
        view->next_x[i] = view->vx[i] + (k->dt * acceleration.x + drift.x);
        view->next_y[i] = view->vy[i] + (k->dt * acceleration.y + drift.y);
        view->next_z[i] = view->vz[i] + (k->dt * acceleration.z + drift.z);
    }
}

const FluidPasses FLUID_PASSES = {pass_density, pass_correction, pass_curl, pass_forces};
