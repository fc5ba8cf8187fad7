#include "fluid/contact.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/contact_sixteen.h"
#include "fluid/planes.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Particles lie in memory as they lie in space, so a block has a small bounding box.
#define BLOCK 64u
#define BODIES_MAX 256 // near a block or a particle
#define NOT_STORED UINT64_MAX

_Static_assert(LANES == CONTACT_LANES && BLOCK % LANES == 0, "blocks are whole vectors");

void contact_rows_free(ContactRows *rows)
{
    memory_free(rows->begin);
    memory_free(rows->count);
    memory_free(rows->layers);
    memory_free(rows->loads);
    *rows = (ContactRows){0};
}

typedef struct ContactJob {
    const ContactGather *gather;
    ContactRows *rows;
    TankDef tank;
    float wall_friction, wall_adhesion;
    atomic_size_t used; // layers asked for so far, also beyond the capacity
    bool second_round;  // only blocks that are marked NOT_STORED
} ContactJob;

// ContactLayer.adhesion of walls that a drop touches at an angle (degrees). They act as so much of the liquid
// itself: fitted to the angles of drops of 7 and 9 spacings on a plane, from 60 to 135 degrees within 7; more
// spreads a drop, less lets go of it.
static float contact_adhesion(float angle)
{
    float c = cosf(angle * (3.14159265f / 180.0f));
    float k = 1.9f * c - 0.46f;
    return 0.84f + 0.6f * k / sqrtf(1.0f + k * k);
}

// A particle that starts the step deeper than the clearance (a body that appeared around it, a keyframe that
// jumps) is let out slowly; pushed out at once it would leave as a shot.
// before: m, its distance then, with the surface where it is at the step's end.
static float allowed_distance(const ContactGather *gather, float before)
{
    float allowed = before + gather->depenetration;
    return allowed < gather->clearance ? allowed : gather->clearance;
}

// Of the particles at `first` to last - 1.
static void add_tank_contacts(const ContactJob *job, uint32_t first, uint32_t last, Sixteen *rows)
{
    const ContactGather *gather = job->gather;
    const float *from[3] = {gather->x + first, gather->y + first, gather->z + first};
    const float *position[3] = {gather->px + first, gather->py + first, gather->pz + first};
    const float size[3] = {job->tank.size.x, job->tank.size.y, job->tank.size.z};
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (job->tank.open[face]) continue;
        int axis = face / 2;
        float sign = face % 2 ? -1.0f : 1.0f;
        Contact contact = {
            .normal = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f},
            .offset = face % 2 ? -size[axis] : 0.0f,
            .thickness = INFINITY,
            .friction = job->wall_friction,
            .no_slip = job->tank.no_slip ? 1.0f : 0.0f,
            .adhesion = job->wall_adhesion,
            .solid = 1.0f,
            .body = CONTACT_TANK};
        contact.push = contact.normal;
        Lanes distances = lanes_mul(lanes_set(sign), lanes_load(position[axis]));
        if (!lanes_any_less(distances, lanes_set(contact.offset + gather->reach))) continue;
        if (rows->layers == 0 && last - first == CONTACT_LANES) {
            distances = lanes_sub(distances, lanes_set(contact.offset));
            Lanes before =
                lanes_sub(lanes_mul(lanes_set(sign), lanes_load(from[axis])), lanes_set(contact.offset));
            Lanes least =
                lanes_min(lanes_add(before, lanes_set(gather->depenetration)), lanes_set(gather->clearance));
            LaneMask far = lanes_less_equal(lanes_set(gather->reach), distances);
            sixteen_insert_all(rows, far, &contact, least, distances);
            continue;
        }
        for (uint32_t lane = 0; lane < last - first; lane++) {
            float distance = sign * position[axis][lane] - contact.offset;
            if (distance >= gather->reach) continue;
            contact.min_distance = allowed_distance(gather, sign * from[axis][lane] - contact.offset);
            sixteen_insert(rows, lane, &contact, distance);
        }
    }
}

// Below this a plane's slope is of no weight, and too small to divide by.
#define SLOPE_LEAST 1e-6f

// Of the reach: what is before a wall of the tank by less than this is as good as in it.
#define WALL_SLACK 0.02f

// Is all of the box in a closed wall of the tank, or as good as on it?
static bool in_tank_wall(const ContactGather *gather, Box3 box)
{
    TankDef tank = obstacles_tank(gather->obstacles);
    const float lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    const float size[3] = {tank.size.x, tank.size.y, tank.size.z}, slack = WALL_SLACK * gather->reach;
    for (int axis = 0; tank.present && axis < 3; axis++) {
        if (!tank.open[2 * axis] && hi[axis] < slack) return true;
        if (!tank.open[2 * axis + 1] && size[axis] - lo[axis] < slack) return true;
    }
    return false;
}

// Where the tank's walls hold what would go to p.
static Vec3 held_by_walls(const ContactGather *gather, Vec3 p)
{
    TankDef tank = obstacles_tank(gather->obstacles);
    const float size[3] = {tank.size.x, tank.size.y, tank.size.z}, gap = gather->clearance;
    float at[3] = {p.x, p.y, p.z};
    for (int axis = 0; tank.present && axis < 3; axis++) {
        if (!tank.open[2 * axis]) at[axis] = fmaxf(at[axis], gap);
        if (!tank.open[2 * axis + 1]) at[axis] = fminf(at[axis], size[axis] - gap);
    }
    return vec3_make(at[0], at[1], at[2]);
}

// The sides of a body that end it near p; those in the tank's walls do not, since the wall goes on.
static uint32_t sides_near(const ContactGather *gather, uint32_t body, Vec3 p,
                           SolidSide side[SOLID_SIDES_MAX])
{
    uint32_t count = obstacle_sides(gather->obstacles, body, p, side), near = 0;
    for (uint32_t k = 0; k < count; k++) {
        Vec3 foot = vec3_sub(p, vec3_scale(side[k].normal, side[k].distance));
        if (side[k].distance > -gather->reach && !in_tank_wall(gather, (Box3){foot, foot}))
            side[near++] = side[k];
    }
    return near;
}

// What is solid of the half-space behind the contact's plane, where the body's other sides are as near: the
// product of what is between its pairs of sides, as if the kernel were separable, which is right within
// 0.005.
static void look_at_edges(const ContactGather *gather, uint32_t body, Vec3 p, float distance,
                          Contact *contact)
{
    SolidSide side[SOLID_SIDES_MAX];
    uint32_t count = sides_near(gather, body, p, side);
    if (count < 2 || distance < 0) return;
    // Of the plane, then of the sides: the distance of the surface and of where the solid ends behind it.
    float at[LANES] = {distance, distance + contact->thickness}, volume[LANES], slope[LANES];
    for (uint32_t k = 0; k < count; k++) {
        at[2 * k + 2] = fabsf(side[k].distance);
        at[2 * k + 3] = side[k].distance + side[k].thickness;
    }
    HalfSpace space = half_space(lanes_mul(lanes_load(at), lanes_set(1.0f / gather->reach)));
    lanes_store(volume, space.volume);
    lanes_store(slope, space.slope);
    float whole = volume[0] - volume[1], steep = slope[0] - slope[1];
    if (!(steep > SLOPE_LEAST) || !(whole > 0)) return;
    float share = 1.0f, between[SOLID_SIDES_MAX];
    for (uint32_t k = 0; k < count; k++) {
        const float *v = &volume[2 * k + 2];
        between[k] = (side[k].distance < 0 ? 1.0f - v[0] : v[0]) - v[1];
        share *= between[k];
    }
    Vec3 push = vec3_make(0, 0, 0);
    for (uint32_t k = 0; k < count; k++) {
        float others = 1.0f;
        for (uint32_t l = 0; l < count; l++) others *= l == k ? 1.0f : between[l];
        float rise = (slope[2 * k + 2] - slope[2 * k + 3]) * others / steep;
        push = vec3_add(push, vec3_scale(side[k].normal, rise));
    }
    contact->solid = fminf(share / whole, 1.0f);
    contact->push = vec3_scale(push, 1.0f / fmaxf(vec3_length(push), 1.0f));
}

static void add_body_contact(const ContactGather *gather, uint32_t body, Vec3 from, Vec3 *p, Sixteen *rows,
                             uint32_t lane)
{
    // Behind a wall it would pass the body by, or meet a side that nothing can come to.
    Vec3 at = held_by_walls(gather, *p), before_sweep = *p, stop, normal;
    if (obstacle_sweep(gather->obstacles, body, from, at, gather->clearance, &stop, &normal)) {
        // What is left of the way goes on along the surface.
        Vec3 rest = vec3_sub(at, stop);
        before_sweep = at;
        *p = at = vec3_add(stop, vec3_sub(rest, vec3_scale(normal, fminf(vec3_dot(rest, normal), 0.0f))));
    }
    const ObstacleDef *def = obstacles_body(gather->obstacles, body);
    float angle = def->contact_angle > 0.0f ? def->contact_angle : gather->contact_angle;
    SurfacePoint surface = obstacle_surface(gather->obstacles, body, at);
    if (surface.distance >= gather->reach) return;
    Vec3 foot = vec3_sub(at, vec3_scale(surface.normal, surface.distance));
    Contact contact = {.normal = surface.normal,
                       .offset = vec3_dot(surface.normal, foot),
                       .thickness = surface.thickness,
                       .friction = def->friction,
                       .adhesion = contact_adhesion(angle),
                       .no_slip = def->no_slip ? 1.0f : 0.0f,
                       .solid = 1.0f,
                       .motion = vec3_scale(surface.velocity, (float)gather->dt),
                       .body = body,
                       .moved = vec3_sub(*p, before_sweep)};
    float before = vec3_dot(contact.normal, vec3_add(from, contact.motion)) - contact.offset;
    contact.min_distance = allowed_distance(gather, before);
    contact.push = contact.normal;
    look_at_edges(gather, body, at, surface.distance, &contact);
    sixteen_share_plane(rows, lane, &contact, surface.distance, WALL_SLACK * gather->reach);
    sixteen_insert(rows, lane, &contact, surface.distance);
}

// The range of a stream over a block; numbers that are not finite do not count.
static void widen(const float *stream, uint32_t begin, uint32_t end, float *lo, float *hi)
{
    Lanes low = lanes_set(*lo), high = lanes_set(*hi);
    uint32_t i = begin;
    for (; i + LANES <= end; i += LANES) {
        Lanes value = lanes_load(stream + i);
        low = lanes_min(value, low);
        high = lanes_max(value, high);
    }
    float lows[LANES], highs[LANES];
    lanes_store(lows, low);
    lanes_store(highs, high);
    for (uint32_t k = 0; k < LANES; k++) {
        *lo = lows[k] < *lo ? lows[k] : *lo;
        *hi = highs[k] > *hi ? highs[k] : *hi;
    }
    for (; i < end; i++) {
        *lo = stream[i] < *lo ? stream[i] : *lo;
        *hi = stream[i] > *hi ? stream[i] : *hi;
    }
}

static Box3 block_box(const ContactGather *gather, uint32_t begin, uint32_t end)
{
    Box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    widen(gather->x, begin, end, &box.lo.x, &box.hi.x);
    widen(gather->y, begin, end, &box.lo.y, &box.hi.y);
    widen(gather->z, begin, end, &box.lo.z, &box.hi.z);
    widen(gather->px, begin, end, &box.lo.x, &box.hi.x);
    widen(gather->py, begin, end, &box.lo.y, &box.hi.y);
    widen(gather->pz, begin, end, &box.lo.z, &box.hi.z);
    Vec3 reach = {gather->reach, gather->reach, gather->reach};
    return (Box3){vec3_sub(box.lo, reach), vec3_add(box.hi, reach)};
}

// What the broad phase knows about a block: all bodies near it, or nothing, and then every particle asks.
typedef struct Crowd {
    bool whole;
    uint32_t body[BODIES_MAX], count;
    Box3 bounds[BODIES_MAX];
} Crowd;

// Leaves out bodies behind a closed wall of the tank, such as a table that it stands on: nothing can come to
// them, and the wall is solid already. Returns how many are left.
static uint32_t leave_in_reach(const ContactGather *gather, uint32_t *body, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < count; k++) {
        body[left] = body[k];
        left += !in_tank_wall(gather, obstacles_bounds(gather->obstacles, body[k]));
    }
    return left;
}

static void ask_for_block(const ContactGather *gather, Box3 box, Crowd *crowd)
{
    crowd->count = obstacles_touching(gather->obstacles, box, crowd->body, BODIES_MAX);
    crowd->whole = crowd->count <= BODIES_MAX;
    if (crowd->whole) crowd->count = leave_in_reach(gather, crowd->body, crowd->count);
    for (uint32_t k = 0; crowd->whole && k < crowd->count; k++)
        crowd->bounds[k] = obstacles_bounds(gather->obstacles, crowd->body[k]);
}

// The bodies whose boxes come within reach of a particle's way. It may be turned aside at one of them, but
// not go further than it would have gone.
static uint32_t bodies_near(const ContactGather *gather, const Crowd *crowd, Vec3 from, Vec3 to,
                            uint32_t bodies[BODIES_MAX])
{
    if (crowd->whole && crowd->count == 0) return 0;
    float around = gather->reach + vec3_length(vec3_sub(to, from));
    Vec3 reach = {around, around, around};
    Box3 swept = {vec3_sub(vec3_min(from, to), reach), vec3_add(vec3_max(from, to), reach)};
    if (!crowd->whole) {
        uint32_t count = obstacles_touching(gather->obstacles, swept, bodies, BODIES_MAX);
        return leave_in_reach(gather, bodies, count < BODIES_MAX ? count : BODIES_MAX);
    }
    uint32_t near = 0;
    for (uint32_t k = 0; k < crowd->count; k++) {
        bodies[near] = crowd->body[k];
        near += box3_touches(crowd->bounds[k], swept);
    }
    return near;
}

static bool box_within_tank(const TankDef *tank, const Box3 *box)
{
    return box->lo.x >= 0 && box->lo.y >= 0 && box->lo.z >= 0 && box->hi.x <= tank->size.x &&
           box->hi.y <= tank->size.y && box->hi.z <= tank->size.z;
}

// Of the particles at `first` to last - 1. Their ways end at the first body.
static void add_body_contacts(const ContactGather *gather, const Crowd *crowd, uint32_t first, uint32_t last,
                              Sixteen *rows)
{
    for (uint32_t i = first; i < last; i++) {
        Vec3 from = {gather->x[i], gather->y[i], gather->z[i]},
             p = {gather->px[i], gather->py[i], gather->pz[i]};
        uint32_t bodies[BODIES_MAX], body_count = bodies_near(gather, crowd, from, p, bodies);
        for (uint32_t k = 0; k < body_count; k++)
            add_body_contact(gather, bodies[k], from, &p, rows, i - first);
        gather->px[i] = p.x;
        gather->py[i] = p.y;
        gather->pz[i] = p.z;
    }
}

// The layers of a block, and how many each sixteen particles have.
typedef struct BlockLayers {
    ContactLayer layer[BLOCK / LANES * CONTACTS_PER_PARTICLE];
    ContactLoad load[BLOCK / LANES * CONTACTS_PER_PARTICLE];
    uint32_t count[BLOCK / LANES], total;
} BlockLayers;

// Writes the block's layers behind each other; where they land in memory depends on the threads, what they
// hold does not. False if they do not fit: the block is then marked and left for a second round.
static bool store_block(ContactJob *job, const BlockLayers *layers, uint32_t begin, uint32_t end)
{
    ContactRows *rows = job->rows;
    size_t at = layers->total ? atomic_fetch_add(&job->used, layers->total) : 0;
    if (at + layers->total > rows->layers_capacity) {
        rows->begin[begin / LANES] = NOT_STORED;
        return false;
    }
    if (layers->total) memcpy(rows->layers + at, layers->layer, layers->total * sizeof *layers->layer);
    if (rows->measured && layers->total)
        memcpy(rows->loads + at, layers->load, layers->total * sizeof *layers->load);
    for (uint32_t k = begin / LANES; k * LANES < end; k++) {
        rows->begin[k] = at;
        rows->count[k] = layers->count[k - begin / LANES];
        at += rows->count[k];
    }
    return true;
}

static void resolve(const ContactGather *gather, uint32_t first, Sixteen *rows)
{
    Lanes3 from = lanes3_load(gather->x + first, gather->y + first, gather->z + first);
    Lanes3 p = lanes3_load(gather->px + first, gather->py + first, gather->pz + first);
    p = planes_resolve(rows->layer, rows->load, rows->layers, 0, from, p);
    lanes3_store(gather->px + first, gather->py + first, gather->pz + first, p);
}

// The predicted positions of a block, to put them back.
typedef struct BlockPositions {
    float x[BLOCK], y[BLOCK], z[BLOCK];
} BlockPositions;

static void take_positions(const ContactGather *gather, uint32_t begin, uint32_t end, BlockPositions *out)
{
    size_t bytes = (end - begin) * sizeof(float);
    memcpy(out->x, gather->px + begin, bytes);
    memcpy(out->y, gather->py + begin, bytes);
    memcpy(out->z, gather->pz + begin, bytes);
}

static void put_positions(const ContactGather *gather, uint32_t begin, uint32_t end, const BlockPositions *in)
{
    size_t bytes = (end - begin) * sizeof(float);
    memcpy(gather->px + begin, in->x, bytes);
    memcpy(gather->py + begin, in->y, bytes);
    memcpy(gather->pz + begin, in->z, bytes);
}

static void gather_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    ContactJob *job = context;
    const ContactGather *gather = job->gather;
    if (job->second_round && job->rows->begin[begin / LANES] != NOT_STORED) return;
    Box3 box = block_box(gather, begin, end);
    Crowd crowd; // large, so only what is used is written
    crowd.count = 0;
    crowd.whole = obstacles_broad_phase(gather->obstacles) == BROAD_PHASE_BVH;
    if (crowd.whole) ask_for_block(gather, box, &crowd);
    bool at_bodies = crowd.count > 0 || !crowd.whole;
    bool at_wall = job->tank.present && !box_within_tank(&job->tank, &box);
    BlockPositions before;
    take_positions(gather, begin, end, &before);
    BlockLayers layers;
    layers.total = 0;
    for (uint32_t first = begin; first < end; first += LANES) {
        uint32_t last = end - first < LANES ? end : first + LANES;
        Sixteen rows;
        sixteen_start(&rows, layers.layer + layers.total, layers.load + layers.total);
        if (at_bodies) add_body_contacts(gather, &crowd, first, last, &rows);
        if (at_wall) add_tank_contacts(job, first, last, &rows);
        if (rows.layers > 0) resolve(gather, first, &rows);
        layers.count[(first - begin) / LANES] = rows.layers;
        layers.total += rows.layers;
    }
    if (!store_block(job, &layers, begin, end)) put_positions(gather, begin, end, &before);
}

// Room for `capacity` layers, of which the first `used` stay, and for their loads.
static Result reserve_layers(ContactRows *rows, size_t used, size_t capacity)
{
    TRY(MEMORY_RESERVE(rows->layers, rows->layers_capacity, used, capacity, "contacts"));
    if (!rows->measured) return result_ok();
    return MEMORY_RESERVE(rows->loads, rows->loads_capacity, used, rows->layers_capacity, "contacts");
}

Result contacts_gather(ContactRows *rows, const ContactGather *gather)
{
    rows->particles = gather->count;
    rows->measured = gather->measured;
    size_t sixteens = groups_of(gather->count, LANES);
    TRY(MEMORY_RESERVE(rows->begin, rows->begin_capacity, 0, sixteens, "contacts"));
    TRY(MEMORY_RESERVE(rows->count, rows->count_capacity, 0, sixteens, "contacts"));
    TRY(reserve_layers(rows, 0, 64));
    ContactJob job = {.gather = gather,
                      .rows = rows,
                      .tank = obstacles_tank(gather->obstacles),
                      .wall_friction = obstacles_wall_friction(gather->obstacles),
                      .wall_adhesion = contact_adhesion(gather->contact_angle)};
    parallel_for(gather->count, BLOCK, gather_block, &job);
    size_t needed = atomic_load(&job.used), stored = rows->layers_capacity;
    if (needed > stored) {
        TRY(reserve_layers(rows, stored, stored + needed));
        job.second_round = true;
        atomic_store(&job.used, stored);
        parallel_for(gather->count, BLOCK, gather_block, &job);
    }
    return result_ok();
}

Result contacts_extend(ContactRows *rows, uint32_t count, uint32_t all)
{
    size_t there = groups_of(count, LANES), sixteens = groups_of(all, LANES);
    TRY(MEMORY_RESERVE(rows->begin, rows->begin_capacity, there, sixteens, "contacts"));
    TRY(MEMORY_RESERVE(rows->count, rows->count_capacity, there, sixteens, "contacts"));
    for (size_t k = there; k < sixteens; k++) rows->begin[k] = rows->count[k] = 0;
    return result_ok();
}
