#include "fluid/contact.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Particles lie in memory as they lie in space, so a block has a small bounding box.
#define BLOCK 64
#define BODIES_MAX 256 // near a block or a particle
#define NOT_STORED UINT64_MAX

void contact_rows_free(ContactRows *rows)
{
    memory_free(rows->begin);
    memory_free(rows->count);
    memory_free(rows->contacts);
    *rows = (ContactRows){0};
}

typedef struct ContactJob {
    const ContactGather *gather;
    ContactRows *rows;
    TankDef tank;
    float wall_friction;
    atomic_size_t used; // contacts asked for so far, also beyond the capacity
    bool second_round;  // only blocks that are marked NOT_STORED
} ContactJob;

// Keeps a row sorted by distance so that the nearest stay when there are too many.
typedef struct Row {
    Contact contact[CONTACTS_PER_PARTICLE];
    float distance[CONTACTS_PER_PARTICLE];
    uint32_t count;
} Row;

static void row_insert(Row *row, Contact contact, float distance)
{
    uint32_t at = row->count;
    if (at == CONTACTS_PER_PARTICLE) {
        if (distance >= row->distance[at - 1]) return;
        at--;
    } else {
        row->count++;
    }
    for (; at > 0 && row->distance[at - 1] > distance; at--) {
        row->contact[at] = row->contact[at - 1];
        row->distance[at] = row->distance[at - 1];
    }
    row->contact[at] = contact;
    row->distance[at] = distance;
}

// A particle that starts the step deeper than the clearance (a body that appeared around it, a keyframe that
// jumps) is let out slowly; pushed out at once it would leave as a shot.
static float allowed_distance(const ContactGather *gather, Vec3 normal, float offset, Vec3 motion, Vec3 from)
{
    float before = vec3_dot(normal, vec3_add(from, motion)) - offset;
    return fminf(gather->clearance, before + gather->depenetration);
}

static void add_tank_contacts(const ContactJob *job, Vec3 from, Vec3 p, Row *row)
{
    const float position[3] = {p.x, p.y, p.z};
    const float size[3] = {job->tank.size.x, job->tank.size.y, job->tank.size.z};
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (job->tank.open[face]) continue;
        int axis = face / 2;
        float sign = face % 2 ? -1.0f : 1.0f;
        float offset = face % 2 ? -size[axis] : 0.0f;
        float distance = sign * position[axis] - offset;
        if (distance >= job->gather->reach) continue;
        Vec3 normal = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
        Contact contact = {
            .normal = normal, .offset = offset, .thickness = INFINITY, .friction = job->wall_friction};
        contact.min_distance = allowed_distance(job->gather, normal, offset, contact.motion, from);
        row_insert(row, contact, distance);
    }
}

static void add_body_contact(const ContactGather *gather, uint32_t body, Vec3 from, Vec3 *p, Row *row)
{
    Vec3 stop, normal;
    if (obstacle_sweep(gather->obstacles, body, from, *p, gather->clearance, &stop, &normal)) {
        // What is left of the way goes on along the surface.
        Vec3 rest = vec3_sub(*p, stop);
        *p = vec3_add(stop, vec3_sub(rest, vec3_scale(normal, fminf(vec3_dot(rest, normal), 0.0f))));
    }
    SurfacePoint surface = obstacle_surface(gather->obstacles, body, *p);
    if (surface.distance >= gather->reach) return;
    Vec3 foot = vec3_sub(*p, vec3_scale(surface.normal, surface.distance));
    Contact contact = {.normal = surface.normal,
                       .offset = vec3_dot(surface.normal, foot),
                       .thickness = surface.thickness,
                       .friction = obstacles_body(gather->obstacles, body)->friction,
                       .motion = vec3_scale(surface.velocity, (float)gather->dt)};
    contact.min_distance = allowed_distance(gather, contact.normal, contact.offset, contact.motion, from);
    row_insert(row, contact, surface.distance);
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

static void ask_for_block(const Obstacles *obstacles, Box3 box, Crowd *crowd)
{
    crowd->count = obstacles_touching(obstacles, box, crowd->body, BODIES_MAX);
    crowd->whole = crowd->count <= BODIES_MAX;
    for (uint32_t k = 0; crowd->whole && k < crowd->count; k++)
        crowd->bounds[k] = obstacles_bounds(obstacles, crowd->body[k]);
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
        return count < BODIES_MAX ? count : BODIES_MAX;
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

// Writes the block's rows behind each other; where they land in memory depends on the threads, what they
// hold does not. False if they do not fit: the block is then marked and left for a second round.
static bool store_block(ContactJob *job, const Contact *contacts, const uint32_t *counts, uint32_t begin,
                        uint32_t end)
{
    ContactRows *rows = job->rows;
    size_t total = 0;
    for (uint32_t i = begin; i < end; i++) total += counts[i - begin];
    size_t at = total ? atomic_fetch_add(&job->used, total) : 0;
    if (at + total > rows->contacts_capacity) {
        rows->begin[begin] = NOT_STORED;
        return false;
    }
    for (uint32_t i = begin, k = 0; i < end; i++) {
        rows->begin[i] = at + k;
        rows->count[i] = counts[i - begin];
        k += counts[i - begin];
    }
    if (total) memcpy(rows->contacts + at, contacts, total * sizeof *contacts);
    return true;
}

static void gather_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    ContactJob *job = context;
    const ContactGather *gather = job->gather;
    if (job->second_round && job->rows->begin[begin] != NOT_STORED) return;
    Box3 box = block_box(gather, begin, end);
    Crowd crowd = {.whole = obstacles_broad_phase(gather->obstacles) == BROAD_PHASE_BVH};
    if (crowd.whole) ask_for_block(gather->obstacles, box, &crowd);
    bool at_wall = job->tank.present && !box_within_tank(&job->tank, &box);
    bool alone = crowd.whole && crowd.count == 0 && !at_wall;

    Contact contacts[BLOCK * CONTACTS_PER_PARTICLE];
    Vec3 moved[BLOCK];
    uint32_t counts[BLOCK] = {0}, total = 0;
    for (uint32_t i = begin; i < end && !alone; i++) {
        Vec3 from = {gather->x[i], gather->y[i], gather->z[i]},
             p = {gather->px[i], gather->py[i], gather->pz[i]};
        Row row = {.count = 0};
        uint32_t bodies[BODIES_MAX], body_count = bodies_near(gather, &crowd, from, p, bodies);
        for (uint32_t k = 0; k < body_count; k++) add_body_contact(gather, bodies[k], from, &p, &row);
        if (at_wall) add_tank_contacts(job, from, p, &row);
        contacts_resolve(row.contact, row.count, from, &p);
        moved[i - begin] = p;
        counts[i - begin] = row.count;
        memcpy(contacts + total, row.contact, row.count * sizeof *contacts);
        total += row.count;
    }
    if (!store_block(job, contacts, counts, begin, end) || alone) return;
    for (uint32_t i = begin; i < end; i++) {
        gather->px[i] = moved[i - begin].x;
        gather->py[i] = moved[i - begin].y;
        gather->pz[i] = moved[i - begin].z;
    }
}

Result contacts_gather(ContactRows *rows, const ContactGather *gather)
{
    TRY(memory_reserve((void **)&rows->begin, &rows->rows_capacity, 0, gather->count, sizeof *rows->begin,
                       "contacts"));
    TRY(memory_reserve((void **)&rows->count, &rows->rows_capacity_count, 0, gather->count,
                       sizeof *rows->count, "contacts"));
    TRY(memory_reserve((void **)&rows->contacts, &rows->contacts_capacity, 0, 1024, sizeof *rows->contacts,
                       "contacts"));
    ContactJob job = {.gather = gather,
                      .rows = rows,
                      .tank = obstacles_tank(gather->obstacles),
                      .wall_friction = obstacles_wall_friction(gather->obstacles)};
    parallel_for(gather->count, BLOCK, gather_block, &job);
    size_t needed = atomic_load(&job.used), stored = rows->contacts_capacity;
    if (needed > stored) {
        TRY(memory_reserve((void **)&rows->contacts, &rows->contacts_capacity, stored, stored + needed,
                           sizeof *rows->contacts, "contacts"));
        job.second_round = true;
        atomic_store(&job.used, stored);
        parallel_for(gather->count, BLOCK, gather_block, &job);
    }
    return result_ok();
}

void contacts_resolve(const Contact *contacts, uint32_t count, Vec3 from, Vec3 *p)
{
    // Twice: in a corner one plane's push may lead into the other.
    for (int sweep = 0; sweep < 2; sweep++) {
        bool touched = false;
        for (uint32_t k = 0; k < count; k++) {
            const Contact *c = &contacts[k];
            float depth = c->min_distance - (vec3_dot(c->normal, *p) - c->offset);
            if (depth <= 0.0f) continue;
            touched = true;
            *p = vec3_add(*p, vec3_scale(c->normal, depth));
            if (c->friction <= 0.0f) continue;
            Vec3 way = vec3_sub(vec3_sub(*p, from), c->motion);
            Vec3 slide = vec3_sub(way, vec3_scale(c->normal, vec3_dot(c->normal, way)));
            float length = vec3_length(slide);
            if (length <= 0.0f) continue;
            *p = vec3_sub(*p, vec3_scale(slide, fminf(1.0f, c->friction * depth / length)));
        }
        if (!touched) return;
    }
}
