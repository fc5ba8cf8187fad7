// Every pass, and a step as a whole, against the reference in double precision (reference_fluid.h): particle
// by particle, on random states that no simulation would reach, for lists and clusters on every instruction
// set. What a pass reads is random too, not what the pass before it wrote.
#include "fluid_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "fluid/fluid_state.h"
#include "reference_fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// --- states ---

typedef enum Arrangement {
    ARRANGED_BLOCK,  // a jittered lattice, compressed
    ARRANGED_SPRAY,  // few neighbors, or none
    ARRANGED_PAIRS,  // a coarse lattice of pairs that nearly coincide, or do
    ARRANGED_CORNER, // a jittered lattice in a corner, some of it in the walls
    ARRANGED_PLATES, // walls of all directions, thick and thin, that move
    ARRANGEMENTS
} Arrangement;

typedef struct Case {
    Arrangement arrangement;
    uint32_t count;
    float spacing, radius_factor, rest_density, relaxation, scorr_strength, scorr_distance;
    uint32_t scorr_power;
    float xsph, surface_tension;
    BoundaryKind boundary;
    double dt;
    float warm, carry;
} Case;

static const Case cases[] = {
    {ARRANGED_BLOCK, 512, 0.1f, 2.5f, 1000, 2.0f, 0.01f, 0.2f, 4, 5, 5, BOUNDARY_DENSITY, 0.006, 0, 0},
    {ARRANGED_BLOCK, 343, 0.01f, 1.5f, 800, 0.0f, 0.05f, 0.0f, 1, 50, 0.07f, BOUNDARY_DENSITY, 0.001, 0.5f,
     0},
    {ARRANGED_BLOCK, 437, 1.0f, 4.0f, 1, 0.5f, 0.02f, 0.7f, 2, 8, 3, BOUNDARY_PENALTY, 0.02, 0, 1},
    {ARRANGED_SPRAY, 400, 0.1f, 3.1f, 1000, 2.0f, 0.02f, 0.3f, 3, 5, 5, BOUNDARY_DENSITY, 0.004, 0.9f, 0},
    {ARRANGED_SPRAY, 77, 0.02f, 2.5f, 1200, 0.0f, 0.02f, 0.2f, 8, 60, 1, BOUNDARY_PENALTY, 0.003, 0, 1},
    {ARRANGED_PAIRS, 432, 0.1f, 2.64f, 1000, 1.0f, 0.001f, 0.2f, 4, 20, 20, BOUNDARY_DENSITY, 0.006, 0.3f, 0},
    {ARRANGED_PAIRS, 128, 0.05f, 1.6f, 900, 3.0f, 0.003f, 0.5f, 6, 0, 50, BOUNDARY_DENSITY, 0.002, 0, 1},
    {ARRANGED_CORNER, 512, 0.1f, 2.5f, 1000, 2.0f, 0.001f, 0.2f, 4, 5, 5, BOUNDARY_DENSITY, 0.006, 0.5f, 0},
    {ARRANGED_CORNER, 333, 0.03f, 3.3f, 500, 1.0f, 0.02f, 0.1f, 5, 5, 0, BOUNDARY_DENSITY, 0.003, 0, 1},
    {ARRANGED_CORNER, 216, 0.1f, 2.0f, 1000, 2.0f, 0.01f, 0.2f, 7, 5, 5, BOUNDARY_PENALTY, 0.006, 0.5f, 0},
    {ARRANGED_PLATES, 512, 0.1f, 2.5f, 1000, 2.0f, 0.001f, 0.2f, 4, 5, 5, BOUNDARY_DENSITY, 0.006, 0.5f, 0},
    {ARRANGED_PLATES, 250, 0.2f, 3.0f, 700, 0.3f, 0.01f, 0.4f, 3, 15, 9, BOUNDARY_DENSITY, 0.01, 0, 1},
    // A step so long that spins take on half of those around them.
    {ARRANGED_BLOCK, 125, 0.1f, 2.5f, 1000, 2.0f, 0.001f, 0.2f, 4, 1, 5, BOUNDARY_DENSITY, 0.08, 0, 0},
    {ARRANGED_BLOCK, 1, 0.1f, 2.5f, 1000, 0.0f, 0.01f, 0.2f, 4, 5, 5, BOUNDARY_DENSITY, 0.006, 0.5f, 0},
    // So short that what is too dense is mended in part.
    {ARRANGED_CORNER, 333, 0.1f, 2.5f, 1000, 1.0f, 0.001f, 0.2f, 4, 5, 5, BOUNDARY_DENSITY, 0.0007, 0, 1},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

static double uniform(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * fluid_test_random(seed);
}

static Ref3 in_cube(uint64_t *seed, double half)
{
    double x = uniform(seed, -half, half), y = uniform(seed, -half, half), z = uniform(seed, -half, half);
    return (Ref3){x, y, z};
}

static Ref3 in_direction(uint64_t *seed)
{
    for (;;) {
        Ref3 d = in_cube(seed, 1.0);
        double length = ref3_length(d);
        if (length > 0.1 && length < 1.0) return ref3_scale(1.0 / length, d);
    }
}

static Ref3 place(const Case *c, uint32_t i, Ref3 before, uint64_t *seed)
{
    uint32_t edge = (uint32_t)ceil(cbrt(c->count));
    Ref3 site = {i % edge + 0.5, i / edge % edge + 0.5, i / edge / edge + 0.5};
    double d = (double)c->spacing;
    switch (c->arrangement) {
    case ARRANGED_SPRAY:
        return in_cube(seed, 0.9 * d * edge);
    case ARRANGED_PAIRS:
        if (i % 8 == 5) return before;
        if (i % 2)
            return ref3_add(before, ref3_scale(d * pow(10.0, uniform(seed, -2.0, 0.0)), in_direction(seed)));
        return ref3_scale(0.8 * d, ref3_add(site, in_cube(seed, 0.3)));
    case ARRANGED_CORNER:
        site = ref3_sub(site, (Ref3){0.4, 0.4, 0.4});
        break;
    default:
        site = ref3_sub(site, (Ref3){0.5 * edge, 0.5 * edge, 0.5 * edge});
    }
    return ref3_scale(0.92 * d, ref3_add(site, in_cube(seed, 0.3)));
}

// Single precision, as the solver reads it.
static double single(double a)
{
    return (double)(float)a;
}
static Ref3 single3(Ref3 a)
{
    return (Ref3){single(a.x), single(a.y), single(a.z)};
}

static void add_corner(const Case *c, RefParticle *p)
{
    double h = (double)c->radius_factor * (double)c->spacing;
    const double at[3] = {p->x.x, p->x.y, p->x.z};
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] >= h) continue;
        p->plane[p->planes++] = (RefPlane){.normal = {axis == 0, axis == 1, axis == 2},
                                           .min_distance = single(0.25 * (double)c->spacing),
                                           .thickness = INFINITY,
                                           .friction = single(0.2 * axis),
                                           .no_slip = axis != 1,
                                           .adhesion = single(0.4 + 0.3 * axis),
                                           .solid = 1.0,
                                           .push = {axis == 0, axis == 1, axis == 2}};
    }
}

static void add_plates(const Case *c, RefParticle *p, uint64_t *seed)
{
    double d = (double)c->spacing, h = (double)c->radius_factor * d;
    uint32_t planes = (uint32_t)uniform(seed, 0.0, 4.0);
    for (uint32_t k = 0; k < planes; k++) {
        RefPlane plane = {.normal = single3(in_direction(seed))};
        plane.offset = single(ref3_dot(plane.normal, p->x) - uniform(seed, -0.3, 1.1) * h);
        plane.min_distance = single(uniform(seed, -0.1, 0.5) * d);
        plane.thickness = single(uniform(seed, 0.0, 1.0) < 0.4 ? INFINITY : uniform(seed, 0.1, 1.5) * h);
        plane.friction = single(uniform(seed, 0.0, 0.8));
        plane.no_slip = k % 2 == 1;
        plane.adhesion = single(uniform(seed, 0.0, 1.3));
        plane.solid = single(k % 2 ? uniform(seed, 0.1, 1.0) : 1.0);
        plane.push = k % 2 ? single3(ref3_scale(0.9, in_direction(seed))) : plane.normal;
        plane.motion = single3(in_cube(seed, 0.1 * d));
        p->plane[p->planes++] = plane;
    }
}

// Walls only now and then, so that there are also sixteens without any.
static bool has_walls(const Case *c, uint32_t i)
{
    return c->arrangement == ARRANGED_CORNER || (c->arrangement == ARRANGED_PLATES && i / 16 % 3 != 1);
}

// 1/s; a fluid has either kind of spin, the passes of both are compared.
#define ANGULAR_MOMENTUM 7.0f

static FluidDef def_of(const Case *c)
{
    FluidDef def = fluid_def_default();
    def.spacing = c->spacing;
    def.radius_factor = c->radius_factor;
    def.rest_density = c->rest_density;
    def.relaxation = c->relaxation;
    def.scorr_strength = c->scorr_strength;
    def.scorr_distance = c->scorr_distance;
    def.scorr_power = c->scorr_power;
    def.xsph = c->xsph;
    def.surface_tension = c->surface_tension;
    def.vorticity_confinement = 0.7f;
    def.micropolar = 0.03f;
    def.velocity_kernels = 0.02f;
    def.boundary = c->boundary;
    return def;
}

// Magnitudes are such that each term of each formula matters.
static RefFluid random_state(const Case *c, uint64_t seed)
{
    FluidDef def = def_of(c);
    def.angular_momentum = ANGULAR_MOMENTUM;
    RefFluid f = reference_make(&def, c->dt, c->count);
    double lambda = 0.02 * f.h / sqrt(f.lattice), d = (double)c->spacing, speed = 0.3 * f.h / c->dt;
    Ref3 before = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        RefParticle *p = &f.part[i];
        p->x = before = single3(place(c, i, before, &seed));
        p->x0 = single3(ref3_add(p->x, in_cube(&seed, 0.2 * d)));
        p->v = single3(in_cube(&seed, speed));
        p->density = single(uniform(&seed, 0.6, 1.4));
        p->volume = single(uniform(&seed, 0.6, 1.4));
        p->lambda = single(-uniform(&seed, 0.0, lambda));
        p->lambda_sum = single(-uniform(&seed, 0.0, lambda));
        p->gradient_sum = single(uniform(&seed, 0.1, 2.0) * f.lattice);
        p->kappa = single(uniform(&seed, -lambda, lambda) / c->dt);
        p->held = i % 7 == 3;
        p->curl = single3(in_cube(&seed, speed / f.h));
        p->curl_length = single(uniform(&seed, 0.0, speed / f.h));
        p->normal = in_cube(&seed, 1.0);
        p->spin = single3(in_cube(&seed, speed / f.h));
        p->change = single3(in_cube(&seed, speed));
        p->axis = i % 3 == 0 ? 1.0 : uniform(&seed, 1.0, (double)def.velocity_kernels_limit);
        p->ahead = in_direction(&seed);
        if (!has_walls(c, i)) continue;
        if (c->arrangement == ARRANGED_CORNER)
            add_corner(c, p);
        else
            add_plates(c, p, &seed);
        p->wall = single3(in_cube(&seed, 0.3 / f.h));
    }
    reference_find_pairs(&f);
    return f;
}

// --- the solver's view of such a state ---

// The streams of PassView, by name.
// clang-format off
#define STREAMS(X)                                                                                           \
    X(x0) X(y0) X(z0) X(x) X(y) X(z) X(next_x) X(next_y) X(next_z) X(vx) X(vy) X(vz) X(release)              \
    X(gradient_sum) X(kappa) X(density) X(volume) X(lambda) X(lambda_sum) X(wall_x) X(wall_y) X(wall_z)      \
    X(curl_x) X(curl_y) X(curl_z) X(curl) X(normal_x) X(normal_y) X(normal_z)                                \
    X(tension_x) X(tension_y) X(tension_z) X(spin_x) X(spin_y) X(spin_z) X(spread_x) X(spread_y) X(spread_z) \
    X(change_x) X(change_y) X(change_z) X(swell) X(along_x) X(along_y) X(along_z)
// clang-format on
typedef struct Streams {
#define MEMBER(name) float *name;
    STREAMS(MEMBER)
} Streams;

typedef struct Solver {
    Streams s;
    PassView view, stretched; // stretched: pairs and kernels of ellipsoids
    ContactRows contacts;
    NeighborSearch *search, *wide;
    float *scratch;
    float *block[6];
    double normal_unit; // normals of the solver, of one of AAT's
} Solver;

static void put3(float *x, float *y, float *z, uint32_t i, Ref3 a)
{
    x[i] = (float)a.x, y[i] = (float)a.y, z[i] = (float)a.z;
}
static Ref3 get3(const float *x, const float *y, const float *z, uint32_t i)
{
    return (Ref3){(double)x[i], (double)y[i], (double)z[i]};
}

static void put_streams(const RefFluid *f, Solver *to)
{
    Streams *s = &to->s;
    for (uint32_t i = 0; i < f->count; i++) {
        const RefParticle *p = &f->part[i];
        put3(s->x0, s->y0, s->z0, i, p->x0);
        put3(s->x, s->y, s->z, i, p->x);
        put3(s->vx, s->vy, s->vz, i, p->v);
        put3(s->wall_x, s->wall_y, s->wall_z, i, p->wall);
        put3(s->curl_x, s->curl_y, s->curl_z, i, p->curl);
        put3(s->normal_x, s->normal_y, s->normal_z, i, ref3_scale(to->normal_unit, p->normal));
        put3(s->spin_x, s->spin_y, s->spin_z, i, p->spin);
        put3(s->change_x, s->change_y, s->change_z, i, p->change);
        put3(s->along_x, s->along_y, s->along_z, i,
             ref3_scale(sqrt(p->axis - 1.0 / (p->axis * p->axis)), p->ahead));
        s->swell[i] = (float)(p->axis - 1.0);
        s->density[i] = (float)p->density;
        s->volume[i] = (float)p->volume;
        s->lambda[i] = (float)p->lambda;
        s->lambda_sum[i] = (float)p->lambda_sum;
        s->gradient_sum[i] = (float)p->gradient_sum;
        s->kappa[i] = (float)p->kappa;
        s->release[i] = p->held ? 2.0f : 1.0f;
        s->curl[i] = (float)p->curl_length;
    }
    for (uint32_t i = f->count; i % 16 != 0; i++) {
        s->x[i] = s->y[i] = s->z[i] = NEIGHBOR_FAR;
        s->density[i] = s->volume[i] = 1.0f;
    }
}

static void put_contacts(const RefFluid *f, ContactRows *rows)
{
    size_t sixteens = (f->count + 15) / 16, layers = 0;
    rows->begin = memory_allocate_zeroed(sixteens * sizeof *rows->begin);
    rows->count = memory_allocate_zeroed(sixteens * sizeof *rows->count);
    rows->layers = memory_allocate_zeroed(sixteens * CONTACTS_PER_PARTICLE * sizeof *rows->layers);
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->part[i].planes > rows->count[i / 16]) rows->count[i / 16] = f->part[i].planes;
    }
    for (size_t k = 0; k < sixteens; k++) {
        rows->begin[k] = layers;
        layers += rows->count[k];
        for (size_t l = rows->begin[k]; l < layers; l++) {
            for (uint32_t lane = 0; lane < CONTACT_LANES; lane++) {
                uint32_t i = (uint32_t)k * 16 + lane, at = (uint32_t)(l - rows->begin[k]);
                ContactLayer *layer = &rows->layers[l];
                layer->offset[lane] = -1e15f;
                layer->thickness[lane] = INFINITY;
                if (i >= f->count || at >= f->part[i].planes) continue;
                const RefPlane *plane = &f->part[i].plane[at];
                put3(layer->normal_x, layer->normal_y, layer->normal_z, lane, plane->normal);
                put3(layer->push_x, layer->push_y, layer->push_z, lane, plane->push);
                layer->solid[lane] = (float)plane->solid;
                put3(layer->motion_x, layer->motion_y, layer->motion_z, lane, plane->motion);
                layer->offset[lane] = (float)plane->offset;
                layer->min_distance[lane] = (float)plane->min_distance;
                layer->thickness[lane] = (float)plane->thickness;
                layer->friction[lane] = (float)plane->friction;
                layer->no_slip[lane] = plane->no_slip ? 1.0f : 0.0f;
                layer->adhesion[lane] = (float)plane->adhesion;
            }
        }
    }
}

static PassConstants constants_of(const Case *c)
{
    FluidDef def = def_of(c);
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid->def.angular_momentum = ANGULAR_MOMENTUM;
    PassConstants constants = fluid_pass_constants(fluid, c->dt);
    constants.held_after = 1.0f;
    constants.warm = c->warm;
    constants.carry = c->carry;
    fluid_destroy(fluid);
    return constants;
}

static void solver_make(const Case *c, const RefFluid *f, const char *method, Solver *out)
{
    *out = (Solver){.normal_unit = 0.5 * f->bend};
#define ALLOCATE(name) out->view.name = out->s.name = memory_allocate_zeroed((f->count + 32) * sizeof(float));
    STREAMS(ALLOCATE)
    for (int k = 0; k < 6; k++)
        out->view.block[k] = out->block[k] = memory_allocate_zeroed((f->count + 32) * sizeof(float));
    put_streams(f, out);
    put_contacts(f, &out->contacts);
    ASSERT_OK(neighbor_search_create(method, (float)f->h, &out->search));
    NeighborStats stats;
    PointView points = {out->s.x, out->s.y, out->s.z, f->count};
    ASSERT_OK(neighbor_search_pairs(out->search, points, &out->view.pairs, &stats));
    out->view.constants = constants_of(c);
    out->view.count = f->count;
    out->view.contacts = &out->contacts;
    out->stretched = out->view;
    out->view.swell = NULL;
    ASSERT_OK(neighbor_search_create(method, (float)f->h * f->def.velocity_kernels_limit, &out->wide));
    ASSERT_OK(neighbor_search_pairs(out->wide, points, &out->stretched.pairs, &stats));
    uint32_t block = out->view.pairs.clustered ? out->view.pairs.clusters.block : 1;
    if (block > 1 && out->stretched.pairs.clusters.block > block) block = out->stretched.pairs.clusters.block;
    out->scratch = memory_allocate_zeroed((size_t)block * PASS_SCRATCH * sizeof(float));
}

static void solver_free(Solver *solver)
{
#define FREE(name) memory_free(solver->s.name);
    STREAMS(FREE)
    for (int k = 0; k < 6; k++) memory_free(solver->block[k]);
    contact_rows_free(&solver->contacts);
    neighbor_search_destroy(solver->search);
    neighbor_search_destroy(solver->wide);
    memory_free(solver->scratch);
}

static void run_pass_over(const PassView *view, Solver *solver, Pass *pass)
{
    uint32_t grain = view->pairs.clustered ? view->pairs.clusters.block * NEIGHBOR_CLUSTER : 64;
    for (uint32_t begin = 0; begin < view->count; begin += grain) {
        uint32_t end = view->count - begin < grain ? view->count : begin + grain;
        pass(view, begin, end, solver->scratch);
    }
}

static void run_pass(Solver *solver, Pass *pass)
{
    run_pass_over(&solver->view, solver, pass);
}

// --- comparison ---

// The largest error of an output in units of what rounding allows; at most 1.
typedef struct Worst {
    double density, volume, lambda, lambda_sum, gradient_sum, wall, next, kappa, projected, curl, length,
        normal, viscosity, swirl, spin, turbulence, stretched, velocity, tension;
    uint32_t vague; // outputs that rounding leaves open by more than a thousandth
    uint32_t outputs;
} Worst;

static void judge(Worst *worst, double *largest, double difference, double error, double size,
                  const char *what, uint32_t i)
{
    // Smaller numbers than these are 0.
    error += 1e-30;
    if (!(difference <= error))
        fail_msg("%s of particle %u: off by %g, allowed %g of %g", what, i, difference, error, size);
    *largest = fmax(*largest, difference / error);
    worst->vague += error > 1e-3 * size && size > 0.0;
    worst->outputs++;
}

static void judge_value(Worst *worst, double *largest, float found, RefValue expected, const char *what,
                        uint32_t i)
{
    judge(worst, largest, fabs((double)found - expected.value), expected.error, fabs(expected.value), what,
          i);
}

static void judge_vector(Worst *worst, double *largest, Ref3 found, RefVector expected, Ref3 from,
                         const char *what, uint32_t i)
{
    judge(worst, largest, ref3_length(ref3_sub(found, expected.value)), expected.error,
          ref3_length(ref3_sub(expected.value, from)), what, i);
}

// All results of the reference, for one state.
typedef struct Expected {
    RefDensity density;
    RefVector next;
    RefValue kappa;
    RefVector projected;
    RefVector viscosity, swirl;
    RefSpin spin;
    RefVector torque, transfer;
    RefValue block[6], stretched_block[6];
    RefCurl curl, stretched_curl;
    RefVector stretched_viscosity;
    RefVector velocity, tension;
} Expected;

static Expected *expect(const Case *c, const RefFluid *f)
{
    Expected *all = calloc(f->count, sizeof *all);
    RefFluid stretched = *f;
    stretched.stretched = true;
    assert_non_null(all);
    for (uint32_t i = 0; i < f->count; i++) {
        all[i] = (Expected){.density = reference_density(f, i, (double)c->warm, (double)c->carry),
                            .next = reference_correction(f, i),
                            .kappa = reference_divergence(f, i),
                            .projected = reference_projection(f, i),
                            .curl = reference_curl(f, i),
                            .swirl = reference_swirl(f, i),
                            .spin = reference_spin(f, i),
                            .torque = reference_torque(f, i),
                            .transfer = reference_transfer(f, i),
                            .stretched_curl = reference_curl(&stretched, i),
                            .velocity = reference_velocity(f, i),
                            .tension = reference_tension(f, i)};
        if (!f->part[i].held) {
            all[i].viscosity = reference_viscosity(f, i);
            all[i].stretched_viscosity = reference_viscosity(&stretched, i);
        }
        reference_viscosity_block(f, i, all[i].block);
        reference_viscosity_block(&stretched, i, all[i].stretched_block);
    }
    return all;
}

// What goes by ellipsoids along the velocities.
static void compare_stretched(const RefFluid *f, const Expected *all, Solver *solver,
                              const FluidPasses *passes, Worst *worst)
{
    const Streams *s = &solver->s;
    const Ref3 zero = {0};
    put_streams(f, solver);
    run_pass_over(&solver->stretched, solver, passes->viscosity);
    run_pass_over(&solver->stretched, solver, passes->viscosity_blocks);
    for (uint32_t i = 0; i < f->count; i++) {
        const RefValue *block = all[i].stretched_block;
        double trace = block[0].value + block[3].value + block[5].value;
        judge_vector(worst, &worst->stretched, get3(s->next_x, s->next_y, s->next_z, i),
                     all[i].stretched_viscosity, zero, "viscosity of ellipsoids", i);
        for (int k = 0; k < 6; k++)
            judge(worst, &worst->stretched, fabs((double)solver->block[k][i] - block[k].value),
                  block[k].error, trace, "viscosity's block of ellipsoids", i);
    }
    put_streams(f, solver);
    run_pass_over(&solver->stretched, solver, passes->curl);
    for (uint32_t i = 0; i < f->count; i++) {
        const RefCurl *e = &all[i].stretched_curl;
        Ref3 normal = ref3_scale(1.0 / solver->normal_unit, get3(s->normal_x, s->normal_y, s->normal_z, i));
        judge_vector(worst, &worst->stretched, get3(s->curl_x, s->curl_y, s->curl_z, i), e->curl, zero,
                     "curl of ellipsoids", i);
        judge_vector(worst, &worst->normal, normal, e->normal, zero, "normal beside ellipsoids", i);
    }
}

// Turbulence by angular momentum.
static void compare_turbulence(const RefFluid *f, const Expected *all, Solver *solver,
                               const FluidPasses *passes, Worst *worst)
{
    const Streams *s = &solver->s;
    const Ref3 zero = {0};
    put_streams(f, solver);
    run_pass(solver, passes->torque);
    run_pass(solver, passes->transfer);
    for (uint32_t i = 0; i < f->count; i++) {
        judge_vector(worst, &worst->turbulence, get3(s->spread_x, s->spread_y, s->spread_z, i), all[i].torque,
                     zero, "torque", i);
        judge_vector(worst, &worst->turbulence, get3(s->next_x, s->next_y, s->next_z, i), all[i].transfer,
                     zero, "transfer of spins", i);
    }
}

static void compare(const RefFluid *f, const Expected *all, Solver *solver, const FluidPasses *passes,
                    Worst *worst)
{
    const Streams *s = &solver->s;
    const Ref3 zero = {0};
    put_streams(f, solver);
    run_pass(solver, passes->density);
    for (uint32_t i = 0; i < f->count; i++) {
        const RefDensity *e = &all[i].density;
        judge_value(worst, &worst->density, s->density[i], e->density, "density", i);
        judge_value(worst, &worst->volume, s->volume[i], e->volume, "volume", i);
        judge_value(worst, &worst->lambda, s->lambda[i], e->lambda, "lambda", i);
        judge_value(worst, &worst->lambda_sum, s->lambda_sum[i], e->lambda_sum, "lambda_sum", i);
        judge_value(worst, &worst->gradient_sum, s->gradient_sum[i], e->gradient_sum, "gradient_sum", i);
        if (solver->contacts.count[i / 16] == 0) continue;
        judge_vector(worst, &worst->wall, get3(s->wall_x, s->wall_y, s->wall_z, i), e->wall, zero, "wall", i);
    }
    put_streams(f, solver);
    for (uint32_t i = 0; i < f->count; i++) s->density[i] = 0.0f;
    run_pass(solver, passes->density_alone);
    for (uint32_t i = 0; i < f->count; i++)
        judge_value(worst, &worst->density, s->density[i], all[i].density.density, "density alone", i);
    put_streams(f, solver);
    run_pass(solver, passes->correction);
    for (uint32_t i = 0; i < f->count; i++)
        judge_vector(worst, &worst->next, get3(s->next_x, s->next_y, s->next_z, i), all[i].next, f->part[i].x,
                     "correction", i);
    put_streams(f, solver);
    run_pass(solver, passes->divergence);
    for (uint32_t i = 0; i < f->count; i++) {
        judge_value(worst, &worst->kappa, s->kappa[i], all[i].kappa, "kappa", i);
        if (solver->contacts.count[i / 16] == 0) continue;
        judge_vector(worst, &worst->wall, get3(s->wall_x, s->wall_y, s->wall_z, i), all[i].density.wall, zero,
                     "wall", i);
    }
    put_streams(f, solver);
    run_pass(solver, passes->projection);
    for (uint32_t i = 0; i < f->count; i++)
        judge_vector(worst, &worst->projected, get3(s->next_x, s->next_y, s->next_z, i), all[i].projected,
                     f->part[i].v, "projected velocity", i);
    put_streams(f, solver);
    run_pass(solver, passes->viscosity);
    run_pass(solver, passes->viscosity_blocks);
    for (uint32_t i = 0; i < f->count; i++) {
        judge_vector(worst, &worst->viscosity, get3(s->next_x, s->next_y, s->next_z, i), all[i].viscosity,
                     zero, "viscosity", i);
        const RefValue *block = all[i].block;
        double trace = block[0].value + block[3].value + block[5].value;
        for (int k = 0; k < 6; k++)
            judge(worst, &worst->viscosity, fabs((double)solver->block[k][i] - block[k].value),
                  block[k].error, trace, "viscosity's block", i);
    }
    put_streams(f, solver);
    run_pass(solver, passes->curl);
    for (uint32_t i = 0; i < f->count; i++) {
        const RefCurl *e = &all[i].curl;
        Ref3 normal = ref3_scale(1.0 / solver->normal_unit, get3(s->normal_x, s->normal_y, s->normal_z, i));
        RefValue length = {ref3_length(e->curl.value), e->curl.error};
        judge_vector(worst, &worst->curl, get3(s->curl_x, s->curl_y, s->curl_z, i), e->curl, zero, "curl", i);
        judge_value(worst, &worst->length, s->curl[i], length, "length of curl", i);
        judge_vector(worst, &worst->normal, normal, e->normal, zero, "normal", i);
    }
    put_streams(f, solver);
    run_pass(solver, passes->swirl);
    for (uint32_t i = 0; i < f->count; i++)
        judge_vector(worst, &worst->swirl, get3(s->next_x, s->next_y, s->next_z, i), all[i].swirl, zero,
                     "swirl", i);
    put_streams(f, solver);
    run_pass(solver, passes->spin);
    for (uint32_t i = 0; i < f->count; i++) {
        judge_vector(worst, &worst->spin, get3(s->next_x, s->next_y, s->next_z, i), all[i].spin.drive, zero,
                     "drive of spins", i);
        judge_vector(worst, &worst->spin, get3(s->spread_x, s->spread_y, s->spread_z, i), all[i].spin.spread,
                     zero, "spread of spins", i);
    }
    compare_turbulence(f, all, solver, passes, worst);
    compare_stretched(f, all, solver, passes, worst);
    put_streams(f, solver);
    run_pass(solver, passes->forces);
    for (uint32_t i = 0; i < f->count; i++)
        judge_vector(worst, &worst->velocity, get3(s->next_x, s->next_y, s->next_z, i), all[i].velocity,
                     f->part[i].v, "velocity", i);
    if (f->cohesion == 0.0) return;
    for (uint32_t i = 0; i < f->count; i++)
        judge_vector(worst, &worst->tension, get3(s->tension_x, s->tension_y, s->tension_z, i),
                     all[i].tension, zero, "tension", i);
}

// Where nothing is fast, potentials of a block are 0 and those of others are left alone.
static void check_slow_blocks(Solver *solver, Pass *curl)
{
    PassView view = solver->view;
    uint32_t slots = (view.count + 31) / 16 * 16;
    view.constants.potential_speed = 1e9f;
    view.trapped_air = memory_allocate(slots * sizeof(float));
    view.wave_crest = memory_allocate(slots * sizeof(float));
    assert_true(view.trapped_air && view.wave_crest);
    uint32_t grain = view.pairs.clustered ? view.pairs.clusters.block * NEIGHBOR_CLUSTER : 64;
    for (uint32_t begin = 0; begin < view.count; begin += grain) {
        uint32_t end = view.count - begin < grain ? view.count : begin + grain;
        for (uint32_t i = 0; i < slots; i++) view.trapped_air[i] = view.wave_crest[i] = 7.0f;
        curl(&view, begin, end, solver->scratch);
        for (uint32_t i = 0; i < slots; i++) {
            if (i >= end && i < (end + 15) / 16 * 16) continue; // padding
            float expected = i >= begin && i < end ? 0.0f : 7.0f;
            assert_true(view.trapped_air[i] == expected && view.wave_crest[i] == expected);
        }
    }
    memory_free(view.trapped_air);
    memory_free(view.wave_crest);
}

static void compare_on_all_levels(const RefFluid *f, const Expected *all, Solver *solver, Worst *worst)
{
    for (int level = 0; level < CPU_LEVEL_COUNT; level++) {
        cpu_set_level((CpuLevel)level);
        if (cpu_level() != (CpuLevel)level) continue;
        const FluidPasses *passes = fluid_passes(cpu_level(), solver->view.pairs.clustered);
        compare(f, all, solver, passes, worst);
        check_slow_blocks(solver, passes->curl);
    }
    cpu_set_level(CPU_AVX512);
}

static void passes_are_those_of_the_reference(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "cluster_grid"};
    uint64_t seeds = test_is_quick() ? 1 : 3;
    for (size_t k = 0; k < CASE_COUNT; k++) {
        Worst worst = {0};
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            RefFluid f = random_state(&cases[k], seed * 0x9e3779b97f4a7c15u + k);
            Expected *all = expect(&cases[k], &f);
            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
                Solver solver;
                solver_make(&cases[k], &f, methods[m], &solver);
                compare_on_all_levels(&f, all, &solver, &worst);
                solver_free(&solver);
            }
            free(all);
            reference_free(&f);
        }
        print_message(
            "case %2zu, errors of what rounding allows: density %.2f lambda %.2f wall %.2f correction %.2f "
            "kappa %.2f projection %.2f viscosity %.2f curl %.2f normal %.2f swirl %.2f spin %.2f "
            "turbulence %.2f ellipsoids %.2f velocity %.2f tension %.2f; %.1f %% vague\n",
            k, worst.density, fmax(worst.lambda, worst.lambda_sum), worst.wall, worst.next, worst.kappa,
            worst.projected, worst.viscosity, worst.curl, worst.normal, worst.swirl, worst.spin,
            worst.turbulence, worst.stretched, worst.velocity, worst.tension,
            100.0 * worst.vague / worst.outputs);
    }
}

// --- a whole step ---

// Water that falls into a corner of a tank with friction, some of it too near to the walls.
typedef struct StepCase {
    uint32_t iterations, divergence_iterations;
    float warm_start;
    BoundaryKind boundary;
    float scorr_strength, relaxation, xsph, factor;
    double first_dt, dt; // s
    float contact_angle; // degrees
} StepCase;
static const StepCase step_cases[] = {
    {1, 0, 0.0f, BOUNDARY_DENSITY, 0.001f, 2.0f, 5.0f, 2.5f, 0.004, 0.004, 60.0f},
    {4, 1, 0.5f, BOUNDARY_DENSITY, 0.001f, 2.0f, 30.0f, 2.5f, 0.006, 0.003, 90.0f},
    {2, 3, 0.8f, BOUNDARY_DENSITY, 0.01f, 0.5f, 5.0f, 3.0f, 0.002, 0.005, 120.0f},
    {3, 2, 0.5f, BOUNDARY_PENALTY, 0.001f, 2.0f, 40.0f, 2.0f, 0.005, 0.0035, 30.0f},
    {3, 1, 0.0f, BOUNDARY_DENSITY, 5.0f, 0.0f, 5.0f, 2.5f, 0.003, 0.003, 180.0f},  // corrections are cut
    {2, 0, 0.0f, BOUNDARY_DENSITY, 0.001f, 1.0f, 5.0f, 2.5f, 0.004, 0.001, 90.0f}, // a short step
};
#define STEP_TANK ((Vec3){1.3f, 0.9f, 4.0f})
#define STEP_FRICTION 0.3f

static Fluid *falling_corner(const StepCase *c, const char *method, TankDef *tank)
{
    FluidDef def = fluid_def_default();
    def.radius_factor = c->factor;
    def.iterations = c->iterations;
    def.divergence_iterations = c->divergence_iterations;
    def.global_pressure = false; // the iterations alone
    def.wave_cfl = 10.0;         // as stiff as in shallow water
    def.warm_start = c->warm_start;
    def.boundary = c->boundary;
    def.scorr_strength = c->scorr_strength;
    def.relaxation = c->relaxation;
    def.xsph = c->xsph;
    def.contact_angle = c->contact_angle;
    def.vorticity_confinement = 0.4f;
    def.gravity = vec3_make(1.0f, -2.0f, -9.0f);
    def.time_step = 0.1;
    def.max_substeps = 1; // a step is as long as it is asked to be
    strcpy(def.neighbor, method);
    *tank = (TankDef){.present = true, .size = STEP_TANK};
    tank->open[TANK_Z_HI] = true;
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(*tank, STEP_FRICTION, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(&def, obstacles, NULL, 0, NULL, 0, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0.02f, 0.02f, 0.02f), 6, 5, 6, 0.2f, vec3_make(0.5f, -1.5f, -2.0f));
    fluid_fill_lattice(fluid, vec3_make(0.75f, 0.3f, 0.3f), 5, 6, 5, 0.3f, vec3_make(-2.0f, 1.0f, 0.5f));
    ASSERT_OK(fluid_step(fluid, c->first_dt, NULL));
    // Too deep in walls, with some way to go.
    Vec3 late[] = {{0.005f, 0.5f, 0.8f}, {1.2f, 0.012f, 0.9f}, {1.297f, 0.893f, 0.004f}};
    ASSERT_OK(fluid_add(fluid, late, 3, vec3_make(-0.3f, 0.2f, -0.1f)));
    return fluid;
}

static float lambda_sum_of(const Fluid *fluid, uint32_t slot)
{
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    const StateBlock *sums = blocks_find(&blocks, "lambda_sum", BLOCK_FLOAT);
    assert_non_null(sums);
    return ((const float *)sums->data)[slot];
}

static void take_state(const Fluid *fluid, RefFluid *f)
{
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.count, f->count);
    for (uint32_t k = 0; k < view.count; k++) {
        RefParticle *p = &f->part[view.id[k]];
        p->x0 = get3(view.x, view.y, view.z, k);
        p->v = get3(view.vx, view.vy, view.vz, k);
        p->lambda_sum = (double)lambda_sum_of(fluid, k);
        p->pull = get3(view.tension_x, view.tension_y, view.tension_z, k);
    }
}

// How far off the surface tension is at the step's end, of the strongest.
static double tension_error(const FrameView *view, const RefFluid *f)
{
    double off = 0.0, most = 0.0;
    for (uint32_t k = 0; k < view->count; k++) {
        Ref3 pull = f->part[view->id[k]].pull;
        off = fmax(off,
                   ref3_length(ref3_sub(get3(view->tension_x, view->tension_y, view->tension_z, k), pull)));
        most = fmax(most, ref3_length(pull));
    }
    return off / most;
}

static void compare_step(const StepCase *c, const char *method, double largest[4])
{
    TankDef tank;
    Fluid *fluid = falling_corner(c, method, &tank);
    RefFluid f = reference_make(&fluid->def, c->dt, fluid_view(fluid).count);
    take_state(fluid, &f);
    double last_dt = fluid->report.dt;
    StepReport report;
    ASSERT_OK(fluid_step(fluid, c->first_dt + c->dt, &report));
    assert_float_equal(report.dt, c->dt, 1e-12);
    reference_step(&f, tank, (double)STEP_FRICTION, last_dt);
    FrameView view = fluid_view(fluid);
    // Coordinates up to 1.3 m are rounded at 1.2e-7 m a handful of times; velocities are their differences.
    double x = 8e-7, v = x / c->dt;
    for (uint32_t k = 0; k < view.count; k++) {
        const RefParticle *p = &f.part[view.id[k]];
        double off_x = ref3_length(ref3_sub(get3(view.x, view.y, view.z, k), p->x)),
               off_v = ref3_length(ref3_sub(get3(view.vx, view.vy, view.vz, k), p->v)),
               off_density = fabs((double)view.density[k] / (double)fluid->def.rest_density - p->density);
        // A multiplier is about 1 / lattice where water is compressed by its own density.
        double off_lambda = fabs((double)lambda_sum_of(fluid, k) - p->lambda_sum) * f.lattice;
        if (off_x > x || off_v > v || off_density > 5e-6 || off_lambda > 1e-5)
            fail_msg("particle %u: off by %g m, %g m/s, %g of the rest density, %g of the multiplier",
                     view.id[k], off_x, off_v, off_density, off_lambda);
        largest[0] = fmax(largest[0], off_x / x);
        largest[1] = fmax(largest[1], off_v / v);
        largest[2] = fmax(largest[2], off_density);
    }
    double off_tension = tension_error(&view, &f);
    assert_true(off_tension < 1e-4);
    largest[3] = fmax(largest[3], off_tension);
    reference_free(&f);
    fluid_destroy(fluid);
}

static void a_step_is_that_of_the_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof step_cases / sizeof *step_cases; k++) {
        double largest[4] = {0};
        for (int level = 0; level < CPU_LEVEL_COUNT; level++) {
            cpu_set_level((CpuLevel)level);
            if (cpu_level() == (CpuLevel)level) compare_step(&step_cases[k], "uniform_grid", largest);
        }
        cpu_set_level(CPU_AVX512);
        print_message("case %zu, of what rounding allows: %.2f (positions), %.2f (velocities); density %.1e, "
                      "tension %.1e\n",
                      k, largest[0], largest[1], largest[2], largest[3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_those_of_the_reference),
        cmocka_unit_test(a_step_is_that_of_the_reference),
    };
    return cmocka_run_group_tests_name("fluid_reference", tests, NULL, NULL);
}
