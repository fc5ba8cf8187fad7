// Velocities by what the density's constraint has moved, and how its pushes turn with the water.
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#define TAKE_GRAIN 512u

// As the difference of two positions the velocity would be rounded as those are, and forces too weak to
// change it by a last bit of them in a step would be lost: what the solver moved is added to the predicted
// velocity.
static void take_along(float *restrict v, const float *restrict x, const float *restrict at, uint32_t count,
                       double step)
{
    float dt = (float)step, inv_dt = (float)(1.0 / step);
    for (uint32_t i = 0; i < count; i++) v[i] += (at[i] - (x[i] + v[i] * dt)) * inv_dt;
}

// m/s, what surface tension and the solver add to a particle's velocity, before it is taken.
static Vec3 pushed(const Step *step, uint32_t i)
{
    const Particles *p = &step->fluid->particles;
    float dt = (float)step->dt, inv_dt = (float)(1.0 / step->dt);
    Vec3 push = {(step->at.x[i] - (p->x[i] + p->vx[i] * dt)) * inv_dt,
                 (step->at.y[i] - (p->y[i] + p->vy[i] * dt)) * inv_dt,
                 (step->at.z[i] - (p->z[i] + p->vz[i] * dt)) * inv_dt};
    Streams3 pull = step->start.pull.at;
    if (!pull.x) return push;
    uint32_t k = step->start.pull.order ? step->start.pull.order[i] : i;
    Vec3 tension = {pull.x[k], pull.y[k], pull.z[k]};
    return vec3_add(push, vec3_scale(tension, dt * step->constants.tension_borne));
}

// What is left of a push without the part that holds up the water's weight by gravity: as the weight does not
// turn with the water, neither does that.
static Vec3 without_weight(const Step *step, Vec3 push)
{
    Vec3 gain = vec3_scale(step->fluid->def.gravity, (float)step->dt);
    float whole = vec3_dot(gain, gain);
    if (whole == 0.0f) return push;
    float share = -vec3_dot(push, gain) / whole;
    share = share > 0.0f ? share < 1.0f ? share : 1.0f : 0.0f;
    return vec3_add(push, vec3_scale(gain, share));
}

// Tension and pressure act where the step takes the particles. Where water turns they are therefore turned
// ahead by its rotation in the step; such velocities would lose (omega dt)^2 of the rotation in every step.
// Water in the air is turned back as a whole, which keeps its momentum; `change` gets that, m/s. Pushes on
// what walls or nozzles hold go to `waiting`, for the curl, which says how the water around each particle
// turns.
static void find_turned_back(const Step *step, uint32_t begin, uint32_t end, Vec3 *change, Vec3 *waiting)
{
    const Vec3 none = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = begin; i < end; i++) {
        FreeTurning water = pressure_free_turning(&step->fluid->pressure, (uint32_t)step->water[i]);
        Vec3 push = pushed(step, i);
        change[i - begin] = water.held ? none : vec3_cross(push, water.turning);
        waiting[i - begin] = water.held ? without_weight(step, push) : none;
    }
}

static void add_change(Particles *p, uint32_t begin, uint32_t end, const Vec3 *change)
{
    for (uint32_t i = begin; i < end; i++) {
        p->vx[i] += change[i - begin].x;
        p->vy[i] += change[i - begin].y;
        p->vz[i] += change[i - begin].z;
    }
}

// The positions at the step's start make room for the pushes.
static void take_velocity(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    Particles *p = &step->fluid->particles;
    uint32_t count = end - begin;
    Vec3 change[TAKE_GRAIN], waiting[TAKE_GRAIN];
    step_hold_at_mouths(step, begin, end);
    if (step->water) find_turned_back(step, begin, end, change, waiting);
    take_along(p->vx + begin, p->x + begin, step->at.x + begin, count, step->dt);
    take_along(p->vy + begin, p->y + begin, step->at.y + begin, count, step->dt);
    take_along(p->vz + begin, p->z + begin, step->at.z + begin, count, step->dt);
    if (!step->water) return;
    add_change(p, begin, end, change);
    for (uint32_t i = begin; i < end; i++) {
        Vec3 push = waiting[i - begin];
        p->x[i] = push.x, p->y[i] = push.y, p->z[i] = push.z;
    }
}

void step_take_velocity(Step *step)
{
    Particles *p = &step->fluid->particles;
    parallel_for(p->count, TAKE_GRAIN, take_velocity, step);
    Streams3 before = {p->x, p->y, p->z};
    p->x = step->at.x, p->y = step->at.y, p->z = step->at.z;
    step->at = (Streams3){0};
    step->pushes = before;
    if (!step->water)
        particles_release3(p, &step->pushes);
    else
        particles_release(p, &step->water);
}

static void turn_back(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    Streams3 curl = step->curl, pushes = step->pushes, next = step->next;
    float half = (float)(0.5 * step->dt / step->fluid->lattice.gradient_seen);
    for (uint32_t i = begin; i < end; i++) {
        Vec3 turn = vec3_scale(vec3_make(curl.x[i], curl.y[i], curl.z[i]), half);
        float size = vec3_length(turn);
        if (size > PRESSURE_TURN_MOST) turn = vec3_scale(turn, PRESSURE_TURN_MOST / size);
        Vec3 change = vec3_cross(vec3_make(pushes.x[i], pushes.y[i], pushes.z[i]), turn);
        next.x[i] += change.x, next.y[i] += change.y, next.z[i] += change.z;
    }
}

void step_turn_pushes(Step *step)
{
    if (!step->pushes.x) return;
    parallel_for(step->fluid->particles.count, TAKE_GRAIN, turn_back, step);
    particles_release3(&step->fluid->particles, &step->pushes);
}
