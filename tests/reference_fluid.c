#include "reference_fluid.h"

#include "fluid/kernel.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// What the documentation of the solver promises beyond the papers.
#define INSIDE 0.95         // rho / rho0, from which on a particle has neighbors all round
#define CORRECTION_MOST 0.1 // h, the most that one iteration moves a particle
#define CLEARANCE 0.25      // spacings, least distance from a wall
#define DEPENETRATION 2.0   // h per second, how fast a particle found deeper is let out
#define TENSION_STEP 0.1    // part of sqrt(m / sigma), the longest step that bears a tension sigma
#define COHESION_PART 0.41  // of a lattice's tension
#define CURVATURE_PART 0.32
#define ROUNDING 1e-6 // of a pair's largest possible term: an estimate of 1/r is off by 3e-7, w'' is 12
#define POSITION_ROUNDING 3e-7 // of a coordinate, of a few operations
#define SLOPE_MOST 2.0         // of |w'|
#define BORDER 1e-5            // of h: whether such a pair is within reach is up to rounding

double ref3_length(Ref3 a)
{
    return sqrt(ref3_dot(a, a));
}

// --- kernels ---

// Monaghan 1992, with q = r / h where h is the whole support.
static double spline(double q)
{
    double t = 1.0 - q;
    if (q >= 1.0) return 0.0;
    return q > 0.5 ? 2.0 * t * t * t : 1.0 - 6.0 * q * q + 6.0 * q * q * q;
}

static double spline_slope(double q)
{
    double t = 1.0 - q;
    if (q >= 1.0) return 0.0;
    return q > 0.5 ? -6.0 * t * t : -12.0 * q + 18.0 * q * q;
}

static double simpson(double (*f)(double, const void *), const void *context, double a, double b)
{
    enum { INTERVALS = 64 };
    double sum = 0.0, step = (b - a) / INTERVALS;
    for (int k = 0; k < INTERVALS; k++) {
        double x = a + k * step;
        sum += (f(x, context) + 4.0 * f(x + 0.5 * step, context) + f(x + step, context)) * step / 6.0;
    }
    return sum;
}

double reference_integral(double (*f)(double, const void *), const void *context, double a, double b)
{
    double middle = 0.5 * (a + b);
    return simpson(f, context, a, middle) + simpson(f, context, middle, b);
}

static double shell(double q, const void *context)
{
    (void)context;
    return 4.0 * PI * q * q * spline(q);
}

double reference_kernel(const RefFluid *f, double r)
{
    return f->norm * spline(r / f->h);
}

double reference_slope(const RefFluid *f, double r)
{
    return f->norm / f->h * spline_slope(r / f->h);
}

double reference_cohesion(const RefFluid *f, double r)
{
    double h = f->h;
    if (r > h) return 0.0;
    double bump = pow(h - r, 3.0) * pow(r, 3.0), scale = 32.0 / (PI * pow(h, 9.0));
    return scale * (2.0 * r > h ? bump : 2.0 * bump - pow(h, 6.0) / 64.0);
}

// --- constants ---

// What a sweep takes of velocities v = u cos(k . x), u along k, on the lattice is the square of the
// constraint's response |sum_j g_j sin(k . x_j)|. The largest, of waves 32 h / n long, n up to 48, along an
// axis and both diagonals.
static double stiffest_wave(const RefFluid *f, double d)
{
    static const Ref3 directions[3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    double most = 0.0;
    for (int wave = 0; wave < 3 * 48; wave++) {
        Ref3 e = directions[wave % 3];
        Ref3 k = ref3_scale(2.0 * PI / (32.0 * f->h / (wave / 3 + 1)) / ref3_length(e), e);
        Ref3 response = {0};
        for (int cell = 0; cell < 9 * 9 * 9; cell++) {
            Ref3 x = ref3_scale(d, (Ref3){cell % 9 - 4, cell / 9 % 9 - 4, cell / 81 - 4});
            double r = ref3_length(x);
            if (r == 0.0 || r > f->h) continue;
            double slope = f->mass / (double)f->def.rest_density * reference_slope(f, r);
            response = ref3_add(response, ref3_scale(slope / r * sin(ref3_dot(k, x)), x));
        }
        most = fmax(most, ref3_dot(response, response));
    }
    return most;
}

RefFluid reference_make(const FluidDef *def, double dt, uint32_t count)
{
    RefFluid f = {.def = *def, .dt = dt, .count = count};
    double d = (double)def->spacing, rho0 = (double)def->rest_density;
    f.h = (double)def->radius_factor * d;
    f.norm = 1.0 / (reference_integral(shell, NULL, 0.0, 1.0) * pow(f.h, 3.0));
    double shapes = 0.0, slopes = 0.0, squares = 0.0, shear = 0.0;
    for (int k = -4; k <= 4; k++) {
        for (int j = -4; j <= 4; j++) {
            for (int i = -4; i <= 4; i++) {
                double r = d * sqrt(i * i + j * j + k * k);
                shapes += reference_kernel(&f, r);
                slopes += pow(reference_slope(&f, r), 2.0);
                squares += reference_kernel(&f, r) * r * r;
                shear += reference_kernel(&f, r) * pow(d * i, 2.0) * pow(d * k, 2.0);
            }
        }
    }
    f.mass = rho0 / shapes;
    f.lattice = pow(f.mass / rho0, 2.0) * slopes;
    f.stiffest = stiffest_wave(&f, d);
    // The second moment of the forces between the layers of the lattice is the viscosity of a shear flow; a
    // lone particle among others at rest slows down at the rate xsph.
    double viscosity = fmax((double)def->viscosity, (double)def->xsph * 3.0 / squares * shear / 2.0);
    f.drag = 2.0 * viscosity / shear;
    double sigma = (double)def->surface_tension, bearable = TENSION_STEP * sqrt(rho0 * d * d * d / sigma);
    // Gravity, at least that of the earth, and tension ask for steps of a length; in those shorter than a
    // quarter of it the square of the step is the share of what is mended.
    double gravity = fmax((double)vec3_length(def->gravity), 9.81);
    double share = fmin(dt / (0.25 * fmin(0.12 * sqrt(d / gravity), bearable)), 1.0);
    f.relaxation = (1.0 + (double)def->relaxation) / (share * share) - 1.0;
    TensionLattice tension = tension_lattice(d, f.h);
    f.cohesion = COHESION_PART * sigma / (rho0 * tension.cohesion);
    f.bend = CURVATURE_PART / COHESION_PART * tension.cohesion / tension.curvature;
    f.borne = sigma > 0.0 && bearable < dt ? pow(bearable / dt, 2.0) : 1.0;
    f.part = calloc(count + 1, sizeof *f.part);
    f.near = calloc((size_t)count * count + 1, sizeof *f.near);
    if (!f.part || !f.near) abort();
    return f;
}

void reference_free(RefFluid *f)
{
    free(f->part);
    free(f->near);
    *f = (RefFluid){0};
}

// --- pairs ---

typedef struct RefPair {
    const RefParticle *other;
    double r;      // m
    Ref3 along;    // unit, from the other to this one
    Ref3 gradient; // grad_i W, 1/m^4
} RefPair;

static bool pair_get(const RefFluid *f, uint32_t i, uint32_t j, RefPair *pair)
{
    if (i == j || !f->near[(size_t)i * f->count + j]) return false;
    Ref3 d = ref3_sub(f->part[i].x, f->part[j].x);
    pair->other = &f->part[j];
    pair->r = ref3_length(d);
    if (pair->r >= f->h) return false;
    pair->along = pair->r > 0.0 ? ref3_scale(1.0 / pair->r, d) : (Ref3){0};
    pair->gradient = ref3_scale(reference_slope(f, pair->r), pair->along);
    return true;
}

// The kernel of a pair and its gradient, as the mean of both particles' ellipsoids: W at z, the point that
// becomes d when a ball is drawn out to the half axes a, 1 / sqrt(a), 1 / sqrt(a).
static void add_ellipsoid(const RefFluid *f, const RefParticle *p, Ref3 d, double *kernel, Ref3 *gradient)
{
    double a = p->axis, b = 1.0 / sqrt(a);
    Ref3 along = ref3_scale(ref3_dot(d, p->ahead), p->ahead), across = ref3_sub(d, along);
    double z = ref3_length(ref3_add(ref3_scale(1.0 / a, along), ref3_scale(1.0 / b, across)));
    if (z >= f->h) return;
    *kernel += 0.5 * reference_kernel(f, z);
    if (z == 0.0) return;
    Ref3 rise = ref3_add(ref3_scale(1.0 / (a * a), along), ref3_scale(1.0 / (b * b), across));
    *gradient = ref3_add(*gradient, ref3_scale(0.5 * reference_slope(f, z) / z, rise));
}

// Pairs of viscosity and curl, wherever kernels reach to.
typedef struct RefReach {
    const RefParticle *other;
    Ref3 d; // m
    double kernel;
    Ref3 gradient;
} RefReach;

static bool reach_get(const RefFluid *f, uint32_t i, uint32_t j, RefReach *out)
{
    RefPair pair;
    if (!f->stretched) {
        if (!pair_get(f, i, j, &pair)) return false;
        *out = (RefReach){pair.other, ref3_scale(pair.r, pair.along), reference_kernel(f, pair.r),
                          pair.gradient};
        return true;
    }
    if (i == j) return false;
    *out = (RefReach){.other = &f->part[j], .d = ref3_sub(f->part[i].x, f->part[j].x)};
    add_ellipsoid(f, &f->part[i], out->d, &out->kernel, &out->gradient);
    add_ellipsoid(f, &f->part[j], out->d, &out->kernel, &out->gradient);
    return out->kernel > 0.0;
}

// What ellipsoids add to the rounding of a pair: (a d - ..)^2 cancels to a part of 1 / a^3.
static double reach_rounding(const RefFluid *f)
{
    return f->stretched ? 5.0 * ROUNDING : ROUNDING;
}

void reference_find_pairs(RefFluid *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        for (uint32_t j = 0; j < f->count; j++)
            f->near[(size_t)i * f->count + j] =
                ref3_length(ref3_sub(f->part[i].x, f->part[j].x)) <= f->h * (1.0 + BORDER);
    }
}

// --- walls ---

// Distance of the plane from the kernel's center, and what lies behind it in the shell at q (h = 1, without
// the kernel's factor).
static double behind_slope(double q, const void *distance)
{
    (void)distance;
    return 2.0 * PI * q * spline(q);
}
static double behind_volume(double q, const void *distance)
{
    return 2.0 * PI * q * (q - *(const double *)distance) * spline(q);
}

// The share of the kernel behind a plane, its fall with the distance (in h), and 0 beyond reach. From inside
// the wall it looks as from its surface.
static void half_space_of(const RefFluid *f, double distance, double *volume, double *slope)
{
    double q = fmax(distance / f->h, 0.0), unit = f->norm * pow(f->h, 3.0);
    *volume = *slope = 0.0;
    if (q >= 1.0) return;
    double knee = fmax(q, 0.5);
    *volume = unit * (simpson(behind_volume, &q, q, knee) + simpson(behind_volume, &q, knee, 1.0));
    *slope = unit * (simpson(behind_slope, &q, q, knee) + simpson(behind_slope, &q, knee, 1.0));
}

// What walls add to rho / rho0, and each of them to its gradient: fluid at rest density behind each, as thick
// as the wall is; what several leave free is the product of what each does.
static RefValue wall_shares(const RefFluid *f, const RefParticle *p, RefVector gradients[])
{
    double open = 1.0, volume[CONTACTS_PER_PARTICLE], slope[CONTACTS_PER_PARTICLE];
    RefValue share = {0};
    for (uint32_t k = 0; k < p->planes; k++) gradients[k] = (RefVector){0};
    if (f->def.boundary != BOUNDARY_DENSITY) return share;
    for (uint32_t k = 0; k < p->planes; k++) {
        const RefPlane *plane = &p->plane[k];
        double distance = ref3_dot(plane->normal, p->x) - plane->offset, back, back_slope;
        half_space_of(f, distance, &volume[k], &slope[k]);
        half_space_of(f, distance + plane->thickness, &back, &back_slope);
        volume[k] = plane->solid * (volume[k] - back);
        slope[k] -= back_slope;
        open *= 1.0 - volume[k];
        double far = (fabs(plane->offset) + ref3_length(p->x)) / f->h;
        share.error += ROUNDING + 2.0 * POSITION_ROUNDING * far;
        gradients[k].error = (4.0 * ROUNDING + 12.0 * POSITION_ROUNDING * far) / f->h;
    }
    share.value = 1.0 - open;
    for (uint32_t k = 0; k < p->planes; k++) {
        double others = 1.0;
        for (uint32_t l = 0; l < p->planes; l++) others *= l == k ? 1.0 : 1.0 - volume[l];
        gradients[k].value = ref3_scale(-slope[k] / f->h * others, p->plane[k].push);
    }
    return share;
}

// The same with the sum of the gradients.
static void walls_of(const RefFluid *f, const RefParticle *p, RefValue *share, RefVector *gradient)
{
    RefVector each[CONTACTS_PER_PARTICLE];
    *share = wall_shares(f, p, each);
    *gradient = (RefVector){0};
    for (uint32_t k = 0; k < p->planes; k++) {
        gradient->value = ref3_add(gradient->value, each[k].value);
        gradient->error += each[k].error;
    }
}

// Out of the walls, in their order, twice; Coulomb friction holds back at most mu times the push of the way
// along the wall, as the wall sees it.
static Ref3 contact(const RefParticle *p, Ref3 x)
{
    for (int sweep = 0; sweep < 2; sweep++) {
        for (uint32_t k = 0; k < p->planes; k++) {
            const RefPlane *plane = &p->plane[k];
            double depth = plane->min_distance - (ref3_dot(plane->normal, x) - plane->offset);
            if (depth <= 0.0) continue;
            x = ref3_add(x, ref3_scale(depth, plane->normal));
            Ref3 way = ref3_sub(ref3_sub(x, p->x0), plane->motion);
            Ref3 slide = ref3_sub(way, ref3_scale(ref3_dot(way, plane->normal), plane->normal));
            double length = ref3_length(slide), held = fmin(plane->friction * depth, length);
            if (length > 0.0) x = ref3_sub(x, ref3_scale(held / length, slide));
        }
    }
    return x;
}

// --- passes ---

// PBF eqs. 1, 2, 7-11; C_i of eq. 1 counts only where water is compressed.
RefDensity reference_density(const RefFluid *f, uint32_t i, double warm, double carry)
{
    const RefParticle *p = &f->part[i];
    double rest = (double)f->def.rest_density, volume = f->mass / rest; // of a particle
    double rho = f->mass * reference_kernel(f, 0.0), squares = 0.0, terms = 1.0;
    Ref3 own = {0};
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        rho += f->mass * reference_kernel(f, pair.r);
        Ref3 gradient = ref3_scale(volume, pair.gradient);
        own = ref3_add(own, gradient);
        squares += ref3_dot(gradient, gradient); // eq. 8 for k = j
        terms++;
    }
    RefDensity out;
    RefValue share;
    walls_of(f, p, &share, &out.wall);
    double most = volume * f->norm * SLOPE_MOST / f->h;
    double density = rho / rest + share.value, own_error = ROUNDING * terms * most + out.wall.error;
    own = ref3_add(own, out.wall.value);
    out.density = (RefValue){density, ROUNDING * (terms * volume * f->norm + density) + share.error};
    out.volume = (RefValue){1.0 / density, out.density.error / (density * density) + ROUNDING / density};
    double epsilon = f->relaxation * f->lattice, gradients = squares + ref3_dot(own, own);
    double sum = gradients + epsilon; // eq. 8 for k = i, eq. 11
    double sum_error = ROUNDING * (terms * most * most + sum) + 2.0 * ref3_length(own) * own_error;
    double c = fmax(density - 1.0, 0.0), before = c > 0.0 ? warm * p->lambda_sum : 0.0;
    double lambda = c > 0.0 ? -c / sum + before : 0.0;
    double error =
        (out.density.error + c * sum_error / sum) / fmax(sum - sum_error, 0.0) + ROUNDING * fabs(before);
    if (fabs(density - 1.0) < out.density.error) error += fabs(warm * p->lambda_sum);
    if (density - 1.0 < -out.density.error) error = 0.0;
    out.gradient_sum = (RefValue){gradients, sum_error};
    out.lambda = (RefValue){lambda, error};
    out.lambda_sum = (RefValue){carry * p->lambda_sum + lambda, error + ROUNDING * fabs(p->lambda_sum)};
    return out;
}

// k of PBF eq. 13: artificial pressure moves particles as far as pressure does, as the square of the step, up
// to steps of 0.15 sqrt(spacing / g).
static double scorr_strength(const RefFluid *f)
{
    double step = 0.15 * sqrt((double)f->def.spacing / 9.81);
    return (double)f->def.scorr_strength / f->lattice * fmin(1.0, pow(f->dt / step, 2.0));
}

// PBF eqs. 12-14, where particles further apart than 0.7 spacings do not push; the wall's share of the
// gradient moves a particle with its own lambda.
RefVector reference_correction(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    double volume = f->mass / (double)f->def.rest_density, k = scorr_strength(f);
    double n = f->def.scorr_power, reference = spline((double)f->def.scorr_distance);
    Ref3 move = ref3_scale(p->lambda, p->wall);
    double error = ROUNDING * ref3_length(move);
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        double near = spline(0.7 / (double)f->def.radius_factor), w = fmax(spline(pair.r / f->h), near);
        double scorr = -k * (pow(w / reference, n) - pow(near / reference, n));
        double sum = p->lambda + pair.other->lambda + scorr;
        move = ref3_add(move, ref3_scale(volume * sum, pair.gradient));
        double slope = volume * f->norm * SLOPE_MOST / f->h;
        error +=
            slope * ROUNDING *
            (fabs(p->lambda) + fabs(pair.other->lambda) + 2.0 * k * n * pow((w + 1e-3) / reference, n - 1.0));
    }
    if (p->held) move = (Ref3){0}, error = 0.0;
    double length = ref3_length(move), most = CORRECTION_MOST * f->h;
    if (length > most) {
        move = ref3_scale(most / length, move);
        error = error * most / length + ROUNDING * most;
    }
    Ref3 x = contact(p, ref3_add(p->x, move));
    double coordinate = ref3_length(p->x);
    for (uint32_t l = 0; l < p->planes; l++) coordinate += 2.0 * fabs(p->plane[l].offset);
    return (RefVector){x, (p->planes ? 3.0 : 1.0) * (error + POSITION_ROUNDING * coordinate)};
}

RefValue reference_divergence(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    double volume = f->mass / (double)f->def.rest_density, rate = 0.0;
    double most = volume * f->norm * SLOPE_MOST / f->h, error = 0.0;
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        Ref3 u = ref3_sub(p->v, pair.other->v);
        rate += volume * ref3_dot(pair.gradient, u);
        error += 2.0 * ROUNDING * most * (ref3_length(p->v) + ref3_length(pair.other->v));
    }
    // Each wall's share of the gradient, against that wall's own motion.
    RefVector each[CONTACTS_PER_PARTICLE];
    wall_shares(f, p, each);
    for (uint32_t k = 0; k < p->planes; k++) {
        Ref3 motion = ref3_scale(1.0 / f->dt, p->plane[k].motion);
        rate += ref3_dot(each[k].value, ref3_sub(p->v, motion));
        error += (each[k].error + 4.0 * ROUNDING * ref3_length(each[k].value)) *
                 (ref3_length(p->v) + ref3_length(motion));
    }
    if (p->density <= INSIDE) rate = fmax(rate, 0.0);
    double sum = p->gradient_sum - f->lattice + f->stiffest / 1.5;
    return (RefValue){-rate / sum, (error + ROUNDING * fabs(rate)) / sum};
}

RefVector reference_projection(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    double volume = f->mass / (double)f->def.rest_density;
    Ref3 gain = ref3_scale(p->kappa, p->wall);
    double error = ROUNDING * ref3_length(gain);
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        gain = ref3_add(gain, ref3_scale(volume * (p->kappa + pair.other->kappa), pair.gradient));
        error += 2.0 * ROUNDING * volume * f->norm * SLOPE_MOST / f->h *
                 (fabs(p->kappa) + fabs(pair.other->kappa));
    }
    if (p->held) gain = (Ref3){0}, error = 0.0;
    return (RefVector){ref3_add(p->v, gain), error + ROUNDING * ref3_length(p->v)};
}

// PBF eq. 15; AAT sec. 3.2, where walls count as fluid, each for its adhesion.
RefCurl reference_curl(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    double volume = f->mass / (double)f->def.rest_density, most = f->norm * SLOPE_MOST / f->h;
    RefVector each[CONTACTS_PER_PARTICLE];
    RefCurl out = {0};
    wall_shares(f, p, each);
    for (uint32_t k = 0; k < p->planes; k++) {
        double adhesion = p->plane[k].adhesion;
        out.normal.value = ref3_add(out.normal.value, ref3_scale(adhesion, each[k].value));
        out.normal.error += adhesion * (each[k].error + ROUNDING * ref3_length(each[k].value));
    }
    for (uint32_t j = 0; j < f->count; j++) {
        RefReach reach;
        if (!reach_get(f, i, j, &reach)) continue;
        double v = volume * reach.other->volume; // m / rho_j
        Ref3 u = ref3_sub(reach.other->v, p->v), gradient_j = ref3_scale(-1.0, reach.gradient);
        out.curl.value = ref3_add(out.curl.value, ref3_scale(v, ref3_cross(u, gradient_j)));
        out.curl.error += 2.0 * reach_rounding(f) * v * ref3_length(u) * most;
    }
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        double v = volume * pair.other->volume;
        out.normal.value = ref3_add(out.normal.value, ref3_scale(v, pair.gradient));
        out.normal.error += ROUNDING * v * most;
    }
    out.normal.value = ref3_scale(f->h, out.normal.value);
    out.normal.error *= f->h;
    return out;
}

// PBF eq. 16, with the gradient of |omega| by differences.
static RefVector confinement(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    Ref3 eta = {0};
    double error = 0.0, strength = (double)f->def.vorticity_confinement * ref3_length(p->curl);
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        double more = pair.other->curl_length - p->curl_length;
        eta = ref3_add(eta, ref3_scale(more, pair.gradient));
        error += 2.0 * ROUNDING * fabs(more) * f->norm * SLOPE_MOST / f->h;
    }
    double length = ref3_length(eta);
    if (length == 0.0) return (RefVector){0};
    Ref3 force = ref3_scale((double)f->def.vorticity_confinement / length, ref3_cross(eta, p->curl));
    return (RefVector){force, strength * (fmin(2.0 * error / length, 2.0) + ROUNDING)};
}

// AAT eqs. 1-5 along the line of two particles, m/s^2.
static RefVector pair_tension(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    double shape = PI * pow(f->h, 3.0) / 32.0;
    RefVector sum = {0};
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        double k = 2.0 / (p->density + pair.other->density);
        Ref3 difference = ref3_sub(p->normal, pair.other->normal);
        double fade = fmin(5.0 * (1.0 - pair.r / f->h), 1.0);
        double curvature = f->bend * fade * ref3_dot(difference, pair.along);
        double pull = f->cohesion * k * (shape * reference_cohesion(f, pair.r) + curvature);
        // Along the line that they will have, turned with the water for a step.
        Ref3 turn = ref3_scale(0.25 * f->dt * k, ref3_add(p->curl, pair.other->curl));
        Ref3 along = ref3_add(pair.along, ref3_cross(turn, pair.along));
        sum.value = ref3_add(sum.value, ref3_scale(-pull, along));
        double most = f->bend * ref3_length(difference), reach = f->cohesion * k * (1.0 + ref3_length(turn));
        sum.error += reach * ROUNDING * (0.1 + 2.0 * most);
    }
    return sum;
}

typedef struct Beyond {
    const RefFluid *f;
    double distance; // m
} Beyond;
static double beyond(double r, const void *context)
{
    const Beyond *b = context;
    return reference_kernel(b->f, r) * r * pow(r * r - b->distance * b->distance, 2.0);
}

// The part of the velocity along a surface, 0 or less, that fluid behind it takes: moving so that velocities
// are linear across the surface, it is farther away than the surface by zeta / D.
//   nu K int W zeta / D x^2 dV over the half-space = nu K pi / (4 D) int_D^h W r (r^2 - D^2)^2 dr
static double sticking(const RefFluid *f, const RefParticle *p, const RefPlane *plane)
{
    double distance = ref3_dot(plane->normal, p->x) - plane->offset;
    if (!plane->no_slip || distance >= f->h) return 0.0;
    Beyond b = {f, fmax(distance, 0.05 * f->h)};
    // Parts on whose border the kernel's third derivative jumps.
    double middle = fmax(0.5 * f->h, b.distance);
    double sum = simpson(beyond, &b, b.distance, middle) + simpson(beyond, &b, middle, f->h);
    return -plane->solid * f->drag * f->dt * (double)f->def.rest_density / f->mass * PI / (4.0 * b.distance) *
           sum;
}

static double behind_pull(double q, const void *distance)
{
    double u = *(const double *)distance, product = q * (1.0 - q);
    return PI * (q * q - u * u) * (q > 0.5 ? pow(product, 3.0) : 2.0 * pow(product, 3.0) - 1.0 / 64.0);
}

// The same of the particles that the lattice has in a half-space (h = 1, each with the cohesion's shape).
static double half_space_pull(double distance)
{
    double q = fmax(distance, 0.0), knee = fmax(q, 0.5);
    return q >= 1.0 ? 0.0 : simpson(behind_pull, &q, q, knee) + simpson(behind_pull, &q, knee, 1.0);
}

// The share of the kernel in a wall.
static double volume_of(const RefFluid *f, const RefParticle *p, const RefPlane *plane)
{
    double distance = ref3_dot(plane->normal, p->x) - plane->offset, volume, behind, slope;
    half_space_of(f, distance, &volume, &slope);
    half_space_of(f, distance + plane->thickness, &behind, &slope);
    return plane->solid * (volume - behind);
}

// Walls pull as so much liquid, beside edges the way their share of the kernel grows; of what lies behind
// several of them each has what the others leave free.
static RefVector wall_tension(const RefFluid *f, const RefParticle *p)
{
    RefVector sum = {0};
    double most = f->cohesion * (double)f->def.rest_density / f->mass * pow(f->h, 3.0);
    for (uint32_t k = 0; k < p->planes && f->def.boundary == BOUNDARY_DENSITY; k++) {
        const RefPlane *plane = &p->plane[k];
        double distance = ref3_dot(plane->normal, p->x) - plane->offset, others = 1.0;
        double pull =
            half_space_pull(distance / f->h) - half_space_pull((distance + plane->thickness) / f->h);
        for (uint32_t l = 0; l < p->planes; l++) others *= l == k ? 1.0 : 1.0 - volume_of(f, p, &p->plane[l]);
        double far = (fabs(plane->offset) + ref3_length(p->x)) / f->h;
        sum.value = ref3_add(sum.value, ref3_scale(-plane->adhesion * most * others * pull, plane->push));
        sum.error += plane->adhesion * most * (ROUNDING + POSITION_ROUNDING * far);
    }
    return sum;
}

RefVector reference_tension(const RefFluid *f, uint32_t i)
{
    RefVector pairs = pair_tension(f, i), walls = wall_tension(f, &f->part[i]);
    if (f->part[i].held) return (RefVector){0};
    return (RefVector){ref3_add(pairs.value, walls.value), pairs.error + walls.error};
}

// The velocity that viscous forces bring: along the line of two particles, as their relative velocity.
RefVector reference_viscosity(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    RefVector sum = {0};
    double c = f->drag * f->dt;
    for (uint32_t j = 0; j < f->count; j++) {
        RefReach pair;
        if (!reach_get(f, i, j, &pair)) continue;
        Ref3 u = ref3_sub(pair.other->v, p->v), x = pair.d;
        double rho = 0.5 * (p->density + pair.other->density), w = c * pair.kernel / rho;
        sum.value = ref3_add(sum.value, ref3_scale(w * ref3_dot(u, x), x));
        sum.error += reach_rounding(f) * c / rho * f->norm * ref3_dot(x, x) * ref3_length(u);
    }
    for (uint32_t k = 0; k < p->planes; k++) {
        const RefPlane *plane = &p->plane[k];
        Ref3 u = ref3_sub(p->v, ref3_scale(1.0 / f->dt, plane->motion));
        u = ref3_sub(u, ref3_scale(ref3_dot(u, plane->normal), plane->normal));
        double share = sticking(f, p, plane);
        sum.value = ref3_add(sum.value, ref3_scale(share, u));
        double speed = ref3_length(p->v) + ref3_length(plane->motion) / f->dt;
        sum.error += 10.0 * ROUNDING * (fabs(share) + c * f->h * f->h) * speed;
    }
    return sum;
}

void reference_viscosity_block(const RefFluid *f, uint32_t i, RefValue block[6])
{
    for (int k = 0; k < 6; k++) block[k] = (RefValue){0};
    for (uint32_t j = 0; j < f->count; j++) {
        RefReach pair;
        if (!reach_get(f, i, j, &pair)) continue;
        Ref3 x = pair.d;
        const double terms[6] = {x.x * x.x, x.x * x.y, x.x * x.z, x.y * x.y, x.y * x.z, x.z * x.z};
        double rho = 0.5 * (f->part[i].density + pair.other->density), c = f->drag * f->dt / rho;
        for (int k = 0; k < 6; k++) {
            block[k].value += c * pair.kernel * terms[k];
            block[k].error += reach_rounding(f) * c * f->norm * ref3_dot(x, x);
        }
    }
    const RefParticle *p = &f->part[i];
    for (uint32_t l = 0; l < p->planes; l++) {
        Ref3 n = p->plane[l].normal;
        const double terms[6] = {1.0 - n.x * n.x, -n.x * n.y, -n.x * n.z,
                                 1.0 - n.y * n.y, -n.y * n.z, 1.0 - n.z * n.z};
        double share = sticking(f, p, &p->plane[l]);
        for (int k = 0; k < 6; k++) {
            block[k].value -= share * terms[k];
            block[k].error += 10.0 * ROUNDING * (fabs(share) + f->drag * f->dt * f->h * f->h);
        }
    }
}

RefVector reference_swirl(const RefFluid *f, uint32_t i)
{
    if (f->part[i].held) return (RefVector){0};
    RefVector swirl = confinement(f, i);
    return (RefVector){ref3_scale(f->dt, swirl.value), f->dt * swirl.error};
}

// nu_t curl w, symmetric so that nothing is lost: sum_j m/rho0 grad_i W_ij x (rho0/rho_j w_i + rho0/rho_i
// w_j) (rho0/rho_j w_j alone would be the curl); and the mean of the spins around, at 10 1/s, at most half in
// a step.
RefSpin reference_spin(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    RefSpin out = {0};
    double each = f->mass / (double)f->def.rest_density, nu = f->dt * (double)f->def.micropolar;
    double spread = fmin(10.0 * f->dt, 0.5), most = f->norm * SLOPE_MOST / f->h;
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        const RefParticle *q = pair.other;
        Ref3 both = ref3_add(ref3_scale(q->volume, p->spin), ref3_scale(p->volume, q->spin));
        out.drive.value = ref3_add(out.drive.value, ref3_scale(nu * each, ref3_cross(pair.gradient, both)));
        out.drive.error += 3.0 * ROUNDING * nu * each * most *
                           (q->volume * ref3_length(p->spin) + p->volume * ref3_length(q->spin));
        double mean = 0.5 * (p->volume + q->volume) * each * spread;
        Ref3 more = ref3_sub(q->spin, p->spin);
        out.spread.value = ref3_add(out.spread.value, ref3_scale(mean * reference_kernel(f, pair.r), more));
        out.spread.error += 2.0 * ROUNDING * mean * f->norm * (ref3_length(p->spin) + ref3_length(q->spin));
    }
    if (p->held) out.drive = (RefVector){0};
    return out;
}

// sum_j m/rho_j W_ij (x_j - x_i) x (dv_j - dv_i), over the second moment that turns a spin by a turn: 0.15
// h^2 by integration, as the lattice has it.
RefVector reference_torque(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    RefVector sum = {0};
    double each = f->mass / (double)f->def.rest_density, moment = 0.0, d = (double)f->def.spacing;
    for (int k = 0; k < 9 * 9 * 9; k++) {
        double x = d * (k % 9 - 4), y = d * (k / 9 % 9 - 4), z = d * (k / 81 - 4);
        moment += each * reference_kernel(f, sqrt(x * x + y * y + z * z)) * (x * x + y * y);
    }
    for (uint32_t j = 0; j < f->count; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        Ref3 arm = ref3_scale(-pair.r, pair.along), dv = ref3_sub(pair.other->change, p->change);
        double w = each * pair.other->volume * reference_kernel(f, pair.r) / moment;
        sum.value = ref3_add(sum.value, ref3_scale(w, ref3_cross(arm, dv)));
        sum.error += 3.0 * ROUNDING * each * pair.other->volume * f->norm * pair.r / moment *
                     (ref3_length(p->change) + ref3_length(pair.other->change));
    }
    return sum;
}

// alpha dt sum_j m/rho_j W_ij (w_j - w_i) x (x_i - x_j).
RefVector reference_transfer(const RefFluid *f, uint32_t i)
{
    const RefParticle *p = &f->part[i];
    RefVector sum = {0};
    double rate = f->dt * (double)f->def.angular_momentum * f->mass / (double)f->def.rest_density;
    for (uint32_t j = 0; j < f->count && !p->held; j++) {
        RefPair pair;
        if (!pair_get(f, i, j, &pair)) continue;
        const RefParticle *q = pair.other;
        Ref3 more = ref3_sub(q->spin, p->spin), arm = ref3_scale(pair.r, pair.along);
        double w = rate * q->volume * reference_kernel(f, pair.r);
        sum.value = ref3_add(sum.value, ref3_scale(w, ref3_cross(more, arm)));
        sum.error += 3.0 * ROUNDING * rate * q->volume * f->norm * pair.r *
                     (ref3_length(p->spin) + ref3_length(q->spin));
    }
    return sum;
}

RefVector reference_velocity(const RefFluid *f, uint32_t i)
{
    RefVector drag = reference_viscosity(f, i);
    Ref3 v = f->part[i].v;
    if (f->part[i].held) return (RefVector){v, ROUNDING * ref3_length(v)};
    return (RefVector){ref3_add(v, drag.value), drag.error + ROUNDING * ref3_length(f->part[i].v)};
}

// --- the step, PBF Algorithm 1 ---

// What the documentation has for the contact angle of a drop, in degrees.
static double adhesion_at(double angle)
{
    double c = cos(angle * PI / 180.0);
    double k = 1.9 * c - 0.46;
    return 0.84 + 0.6 * k / sqrt(1.0 + k * k);
}

// The closed walls of the tank within h of a particle, the nearest first.
static void find_walls(const RefFluid *f, RefParticle *p, TankDef tank, double friction)
{
    const double size[3] = {(double)tank.size.x, (double)tank.size.y, (double)tank.size.z};
    double distances[TANK_FACE_COUNT];
    p->planes = 0;
    for (int face = 0; tank.present && face < TANK_FACE_COUNT; face++) {
        int axis = face / 2;
        double sign = face % 2 ? -1.0 : 1.0;
        RefPlane plane = {.normal = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0},
                          .offset = face % 2 ? -size[axis] : 0.0,
                          .thickness = INFINITY,
                          .friction = friction,
                          .adhesion = adhesion_at((double)f->def.contact_angle),
                          .solid = 1.0};
        plane.push = plane.normal;
        double distance = ref3_dot(plane.normal, p->x) - plane.offset;
        double before = ref3_dot(plane.normal, p->x0) - plane.offset;
        if (tank.open[face] || distance >= f->h) continue;
        plane.min_distance = fmin(CLEARANCE * (double)f->def.spacing, before + DEPENETRATION * f->h * f->dt);
        uint32_t at = p->planes++;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            p->plane[at] = p->plane[at - 1];
            distances[at] = distances[at - 1];
        }
        p->plane[at] = plane;
        distances[at] = distance;
    }
}

static void solve(RefFluid *f, double warm)
{
    Ref3 *next = calloc(f->count + 1, sizeof *next);
    if (!next) abort();
    for (uint32_t k = 0; k < f->def.iterations; k++) {
        for (uint32_t i = 0; i < f->count; i++) {
            RefParticle *p = &f->part[i];
            RefDensity found = reference_density(f, i, k == 0 ? warm : 0.0, k == 0 ? 0.0 : 1.0);
            p->density = found.density.value;
            p->volume = found.volume.value;
            p->lambda = found.lambda.value;
            p->lambda_sum = found.lambda_sum.value;
            p->gradient_sum = found.gradient_sum.value;
            p->wall = found.wall.value;
        }
        for (uint32_t i = 0; i < f->count; i++) next[i] = reference_correction(f, i).value;
        for (uint32_t i = 0; i < f->count; i++) f->part[i].x = next[i];
    }
    free(next);
}

// The velocities' projection, between positions and forces.
static void project(RefFluid *f)
{
    Ref3 *next = calloc(f->count + 1, sizeof *next);
    if (!next) abort();
    for (uint32_t k = 0; k < f->def.divergence_iterations; k++) {
        for (uint32_t i = 0; i < f->count; i++) {
            RefParticle *p = &f->part[i];
            RefValue share;
            RefVector wall;
            p->kappa = reference_divergence(f, i).value;
            walls_of(f, p, &share, &wall);
            p->wall = wall.value;
        }
        for (uint32_t i = 0; i < f->count; i++) next[i] = reference_projection(f, i).value;
        for (uint32_t i = 0; i < f->count; i++) f->part[i].v = next[i];
    }
    free(next);
}

// Adds to velocities the largest share, at most all, of what confinement would add beyond its mean, with
// which the kinetic energy is not above what it was before the forces. Found by bisection.
static void add_swirls(RefFluid *f, Ref3 *next)
{
    Ref3 mean = {0};
    double before = 0.0, lo = 0.0, hi = 1.0;
    Ref3 *swirl = calloc(f->count + 1, sizeof *swirl);
    if (!swirl) abort();
    for (uint32_t i = 0; i < f->count; i++) {
        swirl[i] = reference_swirl(f, i).value;
        mean = ref3_add(mean, ref3_scale(1.0 / f->count, swirl[i]));
        before += ref3_dot(f->part[i].v, f->part[i].v);
    }
    for (int k = 0; k < 60; k++) {
        double share = k == 0 ? 1.0 : 0.5 * (lo + hi), after = 0.0;
        for (uint32_t i = 0; i < f->count; i++) {
            Ref3 v = ref3_add(next[i], ref3_scale(share, ref3_sub(swirl[i], mean)));
            after += ref3_dot(v, v);
        }
        if (after <= before)
            lo = share;
        else
            hi = share;
        if (lo == 1.0) break;
    }
    for (uint32_t i = 0; i < f->count; i++)
        next[i] = ref3_add(next[i], ref3_scale(lo, ref3_sub(swirl[i], mean)));
    free(swirl);
}

static void apply_forces(RefFluid *f)
{
    Ref3 *next = calloc(f->count + 1, sizeof *next);
    if (!next) abort();
    for (uint32_t i = 0; i < f->count; i++) {
        RefCurl found = reference_curl(f, i);
        f->part[i].curl = found.curl.value;
        f->part[i].curl_length = ref3_length(found.curl.value);
        f->part[i].normal = found.normal.value;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        next[i] = reference_velocity(f, i).value;
        f->part[i].pull = reference_tension(f, i).value;
    }
    if (f->def.vorticity_confinement > 0.0f) add_swirls(f, next);
    for (uint32_t i = 0; i < f->count; i++) f->part[i].v = next[i];
    free(next);
}

void reference_step(RefFluid *f, TankDef tank, double wall_friction, double last_dt)
{
    Ref3 gravity = {(double)f->def.gravity.x, (double)f->def.gravity.y, (double)f->def.gravity.z};
    for (uint32_t i = 0; i < f->count; i++) {
        RefParticle *p = &f->part[i];
        p->v = ref3_add(p->v, ref3_scale(f->dt, ref3_add(gravity, ref3_scale(f->borne, p->pull))));
        p->x = ref3_add(p->x0, ref3_scale(f->dt, p->v));
        find_walls(f, p, tank, wall_friction);
        p->x = contact(p, p->x);
    }
    reference_find_pairs(f);
    // Pressures that carry a load are as the square of the step; a longer step gets no more of them.
    double ratio = last_dt > 0.0 ? fmin(f->dt / last_dt, 1.0) : 0.0;
    solve(f, (double)f->def.warm_start * ratio * ratio);
    for (uint32_t i = 0; i < f->count; i++) {
        RefParticle *p = &f->part[i];
        p->v = ref3_scale(1.0 / f->dt, ref3_sub(p->x, p->x0));
    }
    project(f);
    apply_forces(f);
}
