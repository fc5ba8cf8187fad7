// Viscous forces. Weak ones are part of the forces at the end of a step (pass_forces); what an explicit step
// would not bear is solved for here (as Weiler et al. 2018, "A Physically Consistent Implicit Viscosity
// Solver for SPH Fluids", do it: before the pressure, conjugate gradients without a matrix, preconditioned by
// blocks of 3 x 3).
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>
#include <string.h>

// What explicit forces may take of a lone particle's velocity in a step.
#define EXPLICIT_SHARE 0.2

// Two solves for STAGE of the step each are of second order, and what is stiff fades away (Alexander 1977,
// "Diagonally Implicit Runge-Kutta Methods for Stiff O.D.E.'s", theorem 5): 1 - 1 / sqrt(2).
#define STAGE 0.29289321881345248

#define SOLVE_GRAIN 4096u

// --- which viscosity acts ---

static double acting_viscosity(const FluidDef *def, RestLattice lattice)
{
    return fmax((double)def->viscosity, (double)def->xsph / lattice.drag);
}

double fluid_acting_viscosity(const FluidDef *def)
{
    return acting_viscosity(def, rest_lattice(def->spacing, def->radius_factor * def->spacing));
}

static bool is_implicit(const Fluid *fluid, double dt)
{
    return dt * fluid->lattice.drag * acting_viscosity(&fluid->def, fluid->lattice) > EXPLICIT_SHARE;
}

double step_explicit_viscosity(const Fluid *fluid, double dt)
{
    return is_implicit(fluid, dt) ? 0.0 : acting_viscosity(&fluid->def, fluid->lattice);
}

// --- memory ---

// Streams of a solve, padded to whole vectors, and two sums of each block of particles.
enum { SOLVE_STREAMS = 18 };
typedef struct BlockSums {
    double a, b;
} BlockSums;

static size_t stream_stride(uint32_t count)
{
    return ((size_t)count + 31) / 16 * 16;
}

uint64_t fluid_viscosity_bytes(const FluidDef *def)
{
    RestLattice lattice = rest_lattice(def->spacing, def->radius_factor * def->spacing);
    bool solves = def->time_step * lattice.drag * acting_viscosity(def, lattice) > EXPLICIT_SHARE;
    return solves ? SOLVE_STREAMS * sizeof(float) : 0;
}

Result step_reserve_viscosity(Fluid *fluid, double dt)
{
    uint32_t count = fluid->particles.count;
    if (!is_implicit(fluid, dt)) return result_ok();
    TRY(MEMORY_RESERVE(fluid->viscous, fluid->viscous_capacity, 0,
                       SOLVE_STREAMS * stream_stride(count + fluid->ghosts.room), "viscosity"));
    return memory_reserve(&fluid->viscous_sums, &fluid->viscous_sums_capacity, 0,
                          groups_of(count, SOLVE_GRAIN), sizeof(BlockSums), "viscosity");
}

// --- conjugate gradients ---

// A solve under way, of (I + STAGE dt L) change = residual, L v = -(acceleration by viscous forces).
typedef struct Solve {
    Step *step;
    PassView view; // its pass writes -STAGE dt L direction to image
    uint32_t count;
    Streams3 change, residual, direction, image; // m/s
    Streams3 moved;                              // m, as of step_solve_viscosity
    float *block[6]; // inverse of the operator's diagonal 3 x 3 block: xx, xy, xz, yy, yz, zz
    BlockSums *sums;
    float along, kept; // step along the direction; what the next one keeps of it
} Solve;

static Solve solve_of(Step *step, PassView view)
{
    Fluid *fluid = step->fluid;
    uint32_t count = fluid->particles.count;
    size_t stride = stream_stride(count + fluid->ghosts.room);
    float *base = fluid->viscous;
    Solve solve = {.step = step,
                   .view = view,
                   .count = count,
                   .change = streams3_at(base, stride),
                   .residual = streams3_at(base + 3 * stride, stride),
                   .direction = streams3_at(base + 6 * stride, stride),
                   .image = streams3_at(base + 9 * stride, stride),
                   .sums = fluid->viscous_sums};
    for (size_t k = 0; k < 6; k++) solve.view.block[k] = solve.block[k] = base + (12 + k) * stride;
    // Lanes behind the last particle are read.
    for (size_t k = 6; k < 9; k++) memset(base + k * stride + count, 0, (stride - count) * sizeof *base);
    double scale =
        fluid->lattice.shear_scale * STAGE * step->dt * acting_viscosity(&fluid->def, fluid->lattice);
    double h = (double)fluid->h;
    solve.view.constants.wall_load = 0.0f;
    solve.view.constants.wall_drag = (float)(2.0 * h * h * scale);
    solve.view.constants.viscosity = 4.0f * view.constants.density_scale * (float)scale;
    return solve;
}

// Densities at the predicted positions; everything else that the pass writes is not looked at.
static void find_densities(Solve *solve)
{
    PassView view = solve->view;
    float *unused = solve->change.x;
    view.constants.warm = view.constants.carry = 0.0f;
    view.lambda = view.lambda_sum = view.gradient_sum = view.volume = unused;
    view.wall_x = view.wall_y = view.wall_z = unused;
    step_pass(&view, solve->step->passes->density);
}

static BlockSums run(Solve *solve, ParallelBody *body)
{
    parallel_for(solve->count, SOLVE_GRAIN, body, solve);
    BlockSums sum = {0};
    for (uint32_t k = 0; k < groups_of(solve->count, SOLVE_GRAIN); k++) {
        sum.a += solve->sums[k].a;
        sum.b += solve->sums[k].b;
    }
    return sum;
}

// Inverts the blocks I + STAGE dt (L's).
static void invert_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    float *const *b = solve->block;
    for (uint32_t i = begin; i < end; i++) {
        float xx = 1.0f + b[0][i], xy = b[1][i], xz = b[2][i], yy = 1.0f + b[3][i], yz = b[4][i],
              zz = 1.0f + b[5][i];
        float ax = yy * zz - yz * yz, ay = xz * yz - xy * zz, az = xy * yz - xz * yy;
        float scale = 1.0f / (xx * ax + xy * ay + xz * az);
        b[0][i] = ax * scale;
        b[1][i] = ay * scale;
        b[2][i] = az * scale;
        b[3][i] = (xx * zz - xz * xz) * scale;
        b[4][i] = (xy * xz - xx * yz) * scale;
        b[5][i] = (xx * yy - xy * xy) * scale;
    }
    solve->sums[begin / SOLVE_GRAIN] = (BlockSums){0};
}

// The residual, preconditioned.
static inline Vec3 preconditioned(const Solve *solve, uint32_t i)
{
    float *const *b = solve->block;
    float x = solve->residual.x[i], y = solve->residual.y[i], z = solve->residual.z[i];
    return (Vec3){b[0][i] * x + b[1][i] * y + b[2][i] * z, b[1][i] * x + b[3][i] * y + b[4][i] * z,
                  b[2][i] * x + b[4][i] * y + b[5][i] * z};
}

// a: residual . preconditioned residual, b: residual^2, of particle i.
static inline void add_residual(const Solve *solve, uint32_t i, BlockSums *sums)
{
    float x = solve->residual.x[i], y = solve->residual.y[i], z = solve->residual.z[i];
    Vec3 p = preconditioned(solve, i);
    sums->a += (double)(x * p.x + y * p.y + z * p.z);
    sums->b += (double)(x * x + y * y + z * z);
}

// Starts from no change.
static void begin_solve(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    BlockSums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        Vec3 p = preconditioned(solve, i);
        solve->direction.x[i] = p.x;
        solve->direction.y[i] = p.y;
        solve->direction.z[i] = p.z;
        solve->change.x[i] = solve->change.y[i] = solve->change.z[i] = 0.0f;
        add_residual(solve, i, &sums);
    }
    solve->sums[begin / SOLVE_GRAIN] = sums;
}

// image becomes (I + STAGE dt L) direction; a: direction . image.
static void complete_image(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    Streams3 p = solve->direction, q = solve->image;
    BlockSums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        q.x[i] = p.x[i] - q.x[i];
        q.y[i] = p.y[i] - q.y[i];
        q.z[i] = p.z[i] - q.z[i];
        sums.a += (double)(p.x[i] * q.x[i] + p.y[i] * q.y[i] + p.z[i] * q.z[i]);
    }
    solve->sums[begin / SOLVE_GRAIN] = sums;
}

static void advance(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    Streams3 p = solve->direction, q = solve->image, r = solve->residual, c = solve->change;
    float along = solve->along;
    BlockSums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        c.x[i] += along * p.x[i];
        c.y[i] += along * p.y[i];
        c.z[i] += along * p.z[i];
        r.x[i] -= along * q.x[i];
        r.y[i] -= along * q.y[i];
        r.z[i] -= along * q.z[i];
        add_residual(solve, i, &sums);
    }
    solve->sums[begin / SOLVE_GRAIN] = sums;
}

static void turn(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    Streams3 p = solve->direction;
    for (uint32_t i = begin; i < end; i++) {
        Vec3 z = preconditioned(solve, i);
        p.x[i] = z.x + solve->kept * p.x[i];
        p.y[i] = z.y + solve->kept * p.y[i];
        p.z[i] = z.z + solve->kept * p.z[i];
    }
}

static void apply_pass(Solve *solve, Streams3 from, Streams3 to, Pass *pass)
{
    PassView *view = &solve->view;
    view->vx = from.x, view->vy = from.y, view->vz = from.z;
    view->next_x = to.x, view->next_y = to.y, view->next_z = to.z;
    step_pass(view, pass);
}

// Solves for the change that brings the residual.
static void conjugate_gradients(Solve *solve)
{
    const FluidDef *def = &solve->step->fluid->def;
    StepReport *report = solve->step->report;
    BlockSums now = run(solve, begin_solve);
    double first = now.b, enough = first * def->viscosity_error * def->viscosity_error;
    for (uint32_t k = 0; k < def->viscosity_iterations && now.b > enough; k++) {
        Result go_on = step_check(solve->step);
        if (!result_is_ok(&go_on)) break;
        apply_pass(solve, solve->direction, solve->image, solve->step->passes->viscosity);
        double steep = run(solve, complete_image).a, before = now.a;
        solve->along = (float)(before / steep);
        now = run(solve, advance);
        solve->kept = (float)(now.a / before);
        parallel_for(solve->count, SOLVE_GRAIN, turn, solve);
        report->viscosity_iterations++;
    }
    if (first > 0.0) report->viscosity_error = fmax(report->viscosity_error, sqrt(now.b / first));
}

// --- the two stages ---

// The change goes to the velocities and to the predicted positions, without rounding it to those: see
// step_take_velocity.
static void take_change(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Solve *solve = context;
    Particles *p = &solve->step->fluid->particles;
    const float *const start[] = {p->x, p->y, p->z};
    float *const velocity[] = {p->vx, p->vy, p->vz};
    float *const at[] = {solve->step->at.x, solve->step->at.y, solve->step->at.z};
    float *const change[] = {solve->change.x, solve->change.y, solve->change.z};
    float *const residual[] = {solve->residual.x, solve->residual.y, solve->residual.z};
    float dt = (float)solve->step->dt;
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t i = begin; i < end; i++) {
            float before = velocity[axis][i], after = before + change[axis][i];
            float predicted = start[axis][i] + before * dt;
            at[axis][i] =
                at[axis][i] == predicted ? start[axis][i] + after * dt : at[axis][i] + change[axis][i] * dt;
            velocity[axis][i] = after;
            // What the second stage starts from.
            residual[axis][i] = (float)((1.0 - STAGE) / STAGE) * change[axis][i];
        }
    }
}

static void find_going(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Solve *solve = context;
    const Particles *p = &solve->step->fluid->particles;
    const float *const velocity[] = {p->vx, p->vy, p->vz};
    const float *const moved[] = {solve->moved.x, solve->moved.y, solve->moved.z};
    float *const going[] = {solve->direction.x, solve->direction.y, solve->direction.z};
    float inv_dt = (float)(1.0 / solve->step->dt);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = begin; i < end; i++)
            going[axis][i] = velocity[axis][i] + (moved[axis] ? moved[axis][i] * inv_dt : 0.0f);
}

// The viscous change by the velocities at which particles go, with what pressure has done to them: still
// water that no more than weight drives does not fall along walls that it sticks to.
static void find_change(Solve *solve, Streams3 to)
{
    parallel_for(solve->count, SOLVE_GRAIN, find_going, solve);
    apply_pass(solve, solve->direction, to, solve->step->passes->viscosity);
}

// Notes the force on walls of a stage's velocities; share: of the step, over STAGE.
static void note_loads(const Solve *solve, double share)
{
    const Step *step = solve->step;
    Solve noting = *solve;
    noting.view.constants.wall_speed = step->constants.wall_speed;
    noting.view.constants.wall_load = (float)(share * step->dt);
    find_change(&noting, solve->image);
}

// With f the viscous acceleration: v1 = v + STAGE dt f(v1), then v2 = v + (1 - STAGE) dt f(v1) + STAGE dt
// f(v2), whose change against v1 is that of a residual of (1 - STAGE) / STAGE (v1 - v).
void step_solve_viscosity(Step *step, PassView view, Streams3 moved)
{
    const Fluid *fluid = step->fluid;
    if (fluid->particles.count == 0 || !is_implicit(fluid, step->dt)) return;
    Solve solve = solve_of(step, view);
    solve.moved = moved;
    find_densities(&solve);
    step_stretch(step, &solve.view);
    step_pass(&solve.view, step->passes->viscosity_blocks);
    run(&solve, invert_blocks);
    find_change(&solve, solve.residual);
    solve.view.constants.wall_speed = 0.0f; // of changes
    for (int stage = 0; stage < 2; stage++) {
        conjugate_gradients(&solve);
        parallel_for(solve.count, SOLVE_GRAIN, take_change, &solve);
        if (fluid->contacts.measured) note_loads(&solve, stage == 0 ? (1.0 - STAGE) / STAGE : 1.0);
    }
}
