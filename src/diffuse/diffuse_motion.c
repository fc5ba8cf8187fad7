// Motion, age and end of what there is (Ihmsen et al. 2012, sec. 4).
#include "core/parallel.h"
#include "diffuse/diffuse_state.h"

#include <math.h>
#include <string.h>

#define GRAIN 1024u

// What is left of the speed towards a surface, away from it.
#define BOUNCE 0.25f

// What leaves the box of tank and water by more than this many times U^2 / g, or so many influence radii, is
// gone for good.
#define LOST_HEIGHTS 2.0f
#define LOST_RADII 4.0f

// --- bodies ---

uint32_t diffuse_bodies_near(const FrameView *view, Vec3 a, Vec3 b, uint32_t body[NEAR_BODIES])
{
    if (obstacles_count(view->obstacles) == 0) return 0;
    Vec3 wide = vec3_make(view->radius, view->radius, view->radius);
    Box3 box = {vec3_sub(vec3_min(a, b), wide), vec3_add(vec3_max(a, b), wide)};
    uint32_t count = obstacles_touching(view->obstacles, box, body, NEAR_BODIES);
    return count < NEAR_BODIES ? count : NEAR_BODIES;
}

// The part of the weights 1 - r / h of a full surrounding that lies behind a plane, at q = distance / h.
static float behind_plane(float q)
{
    if (q >= 1.0f) return 0.0f;
    q = fmaxf(q, 0.0f);
    return 0.5f + q * (-1.0f + q * q * (1.0f - 0.5f * q));
}

// The part of a surrounding that bodies and the tank's walls leave. Where surfaces meet, what each leaves of
// the rest.
static float free_share(const FrameView *view, Vec3 at, const uint32_t *body, uint32_t bodies)
{
    TankDef tank = obstacles_tank(view->obstacles);
    const float low[3] = {at.x, at.y, at.z};
    const float high[3] = {tank.size.x - at.x, tank.size.y - at.y, tank.size.z - at.z};
    float inverse = 1.0f / view->radius, left = 1.0f;
    for (int axis = 0; axis < 3 && tank.present; axis++) {
        if (!tank.open[2 * axis]) left *= 1.0f - behind_plane(low[axis] * inverse);
        if (!tank.open[2 * axis + 1]) left *= 1.0f - behind_plane(high[axis] * inverse);
    }
    for (uint32_t k = 0; k < bodies; k++)
        left *= 1.0f - behind_plane(obstacle_distance(view->obstacles, body[k], at) * inverse);
    return left;
}

Surroundings diffuse_look(const Diffuse *diffuse, const FrameView *view, Vec3 at, const uint32_t *body,
                          uint32_t bodies)
{
    FieldSums sums = velocity_field_at(&diffuse->field, at);
    if (sums.weight <= 0.0f) return (Surroundings){0};
    float share = sums.weight / diffuse->field.full;
    if (share < BUBBLE_ABOVE) share /= free_share(view, at, body, bodies);
    return (Surroundings){share, vec3_scale(vec3_make(sums.x, sums.y, sums.z), 1.0f / sums.weight)};
}

// Takes most of the speed towards a surface with this normal, which moves.
static void bounce(Flight *flight, Vec3 normal, Vec3 surface_velocity)
{
    float closing = vec3_dot(vec3_sub(flight->velocity, surface_velocity), normal);
    flight->touched = true;
    if (closing < 0.0f)
        flight->velocity = vec3_sub(flight->velocity, vec3_scale(normal, (1.0f + BOUNCE) * closing));
}

// Out of a body, if it is inside. Returns the surface as it was before.
static SurfacePoint push_out(Flight *flight, const Obstacles *obstacles, uint32_t body)
{
    SurfacePoint surface = obstacle_surface(obstacles, body, flight->at);
    if (surface.distance < 0.0f)
        flight->at = vec3_sub(flight->at, vec3_scale(surface.normal, surface.distance));
    return surface;
}

static void bounce_off_body(Flight *flight, const Obstacles *obstacles, uint32_t body)
{
    Vec3 stop, normal;
    bool hit = obstacle_sweep(obstacles, body, flight->from, flight->at, 0.0f, &stop, &normal);
    if (hit) flight->at = stop;
    SurfacePoint surface = push_out(flight, obstacles, body);
    if (hit || surface.distance < 0.0f) bounce(flight, hit ? normal : surface.normal, surface.velocity);
}

static void bounce_off_tank(Flight *flight, const TankDef *tank)
{
    float *at[3] = {&flight->at.x, &flight->at.y, &flight->at.z};
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    for (int axis = 0; axis < 3 && tank->present; axis++) {
        Vec3 normal = vec3_make(axis == 0, axis == 1, axis == 2);
        if (!tank->open[2 * axis] && *at[axis] < 0.0f) {
            *at[axis] = 0.0f;
            bounce(flight, normal, vec3_make(0, 0, 0));
        }
        if (!tank->open[2 * axis + 1] && *at[axis] > size[axis]) {
            *at[axis] = size[axis];
            bounce(flight, vec3_scale(normal, -1.0f), vec3_make(0, 0, 0));
        }
    }
}

// Sides that repeat themselves.
static void wrap(const TankDef *tank, Vec3 *at)
{
    float *place[3] = {&at->x, &at->y, &at->z};
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    for (int axis = 0; axis < 3; axis++) {
        if (!tank->present || !tank->periodic[axis]) continue;
        if (*place[axis] < 0.0f) *place[axis] += size[axis];
        if (*place[axis] >= size[axis]) *place[axis] -= size[axis];
    }
}

void diffuse_keep_out(const FrameView *view, const uint32_t *body, uint32_t bodies, Flight *flight)
{
    TankDef tank = obstacles_tank(view->obstacles);
    for (uint32_t k = 0; k < bodies; k++) bounce_off_body(flight, view->obstacles, body[k]);
    bounce_off_tank(flight, &tank);
    for (uint32_t k = 0; k < bodies; k++) push_out(flight, view->obstacles, body[k]); // a wall may push it in
    bounce_off_tank(flight, &tank);
    wrap(&tank, &flight->at);
}

// --- motion ---

typedef struct MoveJob {
    Diffuse *diffuse;
    const FrameView *view;
    const Fluid *fluid;
    Box3 bounds; // what is outside is gone
    Vec3 gravity;
    float dt;
    float left; // of a bubble's velocity against the water's, after the step
} MoveJob;

// Spray flies, foam goes with the water, bubbles rise in it: dv/dt = (u - v) / tau - buoyancy g, solved over
// the step, so that they rise with buoyancy g tau whatever the step is. (Published: an explicit step, whose
// speed depends on its length.)
static void advance(const MoveJob *job, DiffuseClass kind, Vec3 water, Flight *flight)
{
    const DiffuseDef *def = &job->diffuse->def;
    Vec3 gain = vec3_scale(job->gravity, job->dt);
    if (kind == DIFFUSE_SPRAY) {
        Vec3 mean = vec3_add(flight->velocity, vec3_scale(gain, 0.5f));
        flight->at = vec3_add(flight->from, vec3_scale(mean, job->dt));
        flight->velocity = vec3_add(flight->velocity, gain);
        return;
    }
    if (kind == DIFFUSE_BUBBLE) {
        Vec3 slip = vec3_scale(vec3_sub(flight->velocity, water), job->left);
        float rise = def->buoyancy * def->drag_time * (1.0f - job->left);
        flight->velocity = vec3_add(vec3_add(water, slip), vec3_scale(job->gravity, -rise));
    } else {
        flight->velocity = water;
    }
    flight->at = vec3_add(flight->from, vec3_scale(flight->velocity, job->dt));
}

static bool is_inside(const Box3 *box, Vec3 at) // false for what is not finite
{
    return at.x >= box->lo.x && at.x <= box->hi.x && at.y >= box->lo.y && at.y <= box->hi.y &&
           at.z >= box->lo.z && at.z <= box->hi.z;
}

static void move_one(const MoveJob *job, uint32_t k)
{
    DiffuseParticles *p = &job->diffuse->particles;
    Flight flight = {.from = {p->x[k], p->y[k], p->z[k]}, .velocity = {p->vx[k], p->vy[k], p->vz[k]}};
    // The water is where it is at the end of the step.
    Vec3 ahead = vec3_add(flight.from, vec3_scale(flight.velocity, job->dt));
    uint32_t body[NEAR_BODIES], bodies = diffuse_bodies_near(job->view, flight.from, ahead, body);
    Surroundings around = diffuse_look(job->diffuse, job->view, ahead, body, bodies);
    DiffuseClass kind = diffuse_class_of(around.share);
    advance(job, kind, around.velocity, &flight);
    diffuse_keep_out(job->view, body, bodies, &flight);
    p->x[k] = flight.at.x, p->y[k] = flight.at.y, p->z[k] = flight.at.z;
    p->vx[k] = flight.velocity.x, p->vy[k] = flight.velocity.y, p->vz[k] = flight.velocity.z;
    p->kind[k] = kind;
    if (kind == DIFFUSE_FOAM || flight.touched) p->age[k] += job->dt;
    job->diffuse->dead[k] =
        p->age[k] >= p->life[k] || !is_inside(&job->bounds, flight.at) || fluid_drains(job->fluid, flight.at);
}

static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const MoveJob *job = context;
    for (uint32_t k = begin; k < end; k++) move_one(job, k);
}

static Box3 bounds_of(const Diffuse *diffuse, const MoveJob *job)
{
    const ShapeIndex *water = &diffuse->field.index;
    float u2 = diffuse->def.speed * diffuse->def.speed, g = vec3_length(job->gravity);
    TankDef tank = obstacles_tank(job->view->obstacles);
    float margin = LOST_RADII * job->view->radius + (g > 0.0f ? LOST_HEIGHTS * u2 / g : 0.0f);
    Box3 box = {vec3_make(water->lo[0], water->lo[1], water->lo[2]),
                vec3_make(water->hi[0], water->hi[1], water->hi[2])};
    if (tank.present) box = box3_join(box, (Box3){vec3_make(0, 0, 0), tank.size});
    Vec3 wide = vec3_make(margin, margin, margin);
    return (Box3){vec3_sub(box.lo, wide), vec3_add(box.hi, wide)};
}

// Closes up on those that ended; the others keep their order.
static void remove_dead(Diffuse *diffuse)
{
    DiffuseParticles *p = &diffuse->particles;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        if (diffuse->dead[k]) continue;
        for (int s = 0; s < DIFFUSE_STREAM_COUNT && kept < k; s++)
            memcpy((char *)p->stream[s] + 4 * (size_t)kept, (char *)p->stream[s] + 4 * (size_t)k, 4);
        kept++;
    }
    p->count = kept;
}

void diffuse_move(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view)
{
    const FluidDef *settings = fluid_settings(step->fluid);
    MoveJob job = {.diffuse = diffuse,
                   .view = view,
                   .fluid = step->fluid,
                   .gravity = settings->gravity,
                   .dt = (float)step->dt,
                   .left = expf((float)-step->dt / diffuse->def.drag_time)};
    job.bounds = bounds_of(diffuse, &job);
    parallel_for(diffuse->particles.count, GRAIN, move_block, &job);
    remove_dead(diffuse);
}
