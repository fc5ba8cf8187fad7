// Strands against bodies and the walls of the tank.
#include "obstacle/obstacle.h"
#include "strand/strand_state.h"

#include <string.h>

#define BODIES_MAX 16       // near a strand
#define SLOPE 1.01f         // and what rounding adds
#define SLOPE_OF_MESH 1.74f // sqrt(3), see shape_sweep.c
#define MARGIN 1.0f         // of the radius: a surface nearer than that acts in this step, too

// Keeps the planes that the particle is deepest in.
static void add_plane(StrandPlane planes[PLANES_PER_PARTICLE], StrandPlane plane, Vec3 p)
{
    int worst = -1;
    float depth = plane.offset - vec3_dot(plane.normal, p);
    for (int k = 0; k < PLANES_PER_PARTICLE; k++) {
        bool none = vec3_dot(planes[k].normal, planes[k].normal) == 0.0f;
        float theirs = none ? -INFINITY : planes[k].offset - vec3_dot(planes[k].normal, p);
        if (theirs >= depth) continue;
        depth = theirs;
        worst = k;
    }
    if (worst >= 0) planes[worst] = plane;
}

// Planes of a strand with none are left as they were.
static void have_planes(Strands *strands, uint32_t strand)
{
    if (strands->has_planes[strand]) return;
    strands->has_planes[strand] = true;
    size_t begin = strands->first[strand], end = strands->first[strand + 1];
    memset(strands->planes + PLANES_PER_PARTICLE * begin, 0,
           PLANES_PER_PARTICLE * (end - begin) * sizeof *strands->planes);
}

// Returns how far (m) the particle is from the body at the end of the step; 0 where it is stopped.
static float find_of_particle(Strands *strands, uint32_t i, const StrandStep *step, uint32_t body)
{
    StrandPlane *planes = &strands->planes[PLANES_PER_PARTICLE * (size_t)i];
    const StrandDef *def = strand_def(strands, strands->strand_of[i]);
    Vec3 p = strand_end(strands, i), stop, normal;
    StrandPlane plane = {.friction = larger(def->friction, obstacles_body(step->obstacles, body)->friction)};
    if (obstacle_sweep(step->obstacles, body, strands->x[i], p, def->radius, &stop, &normal)) {
        plane.normal = normal;
        plane.offset = vec3_dot(normal, stop);
        plane.motion = vec3_scale(obstacle_surface(step->obstacles, body, stop).velocity, (float)step->dt);
        have_planes(strands, strands->strand_of[i]);
        add_plane(planes, plane, p);
        return 0.0f;
    }
    SurfacePoint surface = obstacle_surface(step->obstacles, body, p);
    if (!(surface.distance < (1.0f + MARGIN) * def->radius)) return surface.distance;
    plane.normal = surface.normal;
    plane.offset = vec3_dot(surface.normal, p) - surface.distance + def->radius;
    plane.motion = vec3_scale(surface.velocity, (float)step->dt);
    have_planes(strands, strands->strand_of[i]);
    add_plane(planes, plane, p);
    return surface.distance;
}

// No distance changes by more than this a meter.
static float slope_of(const Obstacles *obstacles, uint32_t body)
{
    return obstacles_body(obstacles, body)->shape.kind == SHAPE_MESH ? SLOPE_OF_MESH : SLOPE;
}

// From a particle that is far from a body one knows how near the next ones can be. box: that the strand is
// in.
static void find_of_body(Strands *strands, uint32_t strand, const StrandStep *step, uint32_t body, Box3 box)
{
    uint32_t begin = strands->first[strand], end = strands->first[strand + 1];
    float slope = slope_of(step->obstacles, body), rest = obstacle_rest_way(step->obstacles, body, box);
    float reach = (1.0f + MARGIN) * strand_def(strands, strand)->radius, away = 0.0f; // m, at least
    Vec3 before = strand_end(strands, begin);
    for (uint32_t i = begin; i < end; i++) {
        Vec3 p = strand_end(strands, i);
        away -= slope * vec3_length(vec3_sub(p, before));
        before = p;
        if (strands->inverse_mass[i] == 0.0f) continue;
        float near = reach + slope * (rest + vec3_length(strands->way[i]));
        if (away > near) continue;
        away = obstacle_distance(step->obstacles, body, p);
        if (away > near) continue;
        away = find_of_particle(strands, i, step, body);
    }
}

static void widen(Box3 *box, Vec3 p)
{
    box->lo = vec3_make(smaller(box->lo.x, p.x), smaller(box->lo.y, p.y), smaller(box->lo.z, p.z));
    box->hi = vec3_make(larger(box->hi.x, p.x), larger(box->hi.y, p.y), larger(box->hi.z, p.z));
}

void strand_find_planes(Strands *strands, uint32_t strand, const StrandStep *step)
{
    uint32_t begin = strands->first[strand], end = strands->first[strand + 1], bodies[BODIES_MAX], count = 0;
    float reach = (1.0f + MARGIN) * strand_def(strands, strand)->radius;
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = begin; i < end; i++) {
        widen(&box, strands->x[i]);
        widen(&box, strand_end(strands, i));
    }
    Vec3 margin = vec3_make(reach, reach, reach);
    box = (Box3){vec3_sub(box.lo, margin), vec3_add(box.hi, margin)};
    if (step->obstacles) count = obstacles_touching(step->obstacles, box, bodies, BODIES_MAX);
    if (count > BODIES_MAX) count = BODIES_MAX;
    strands->has_planes[strand] = false;
    for (uint32_t k = 0; k < count; k++) find_of_body(strands, strand, step, bodies[k], box);
}

// In front of a plane, with Coulomb friction against what the particle slides along it in this step.
static Vec3 resolved(const StrandPlane *plane, Vec3 from, Vec3 p)
{
    float depth = plane->offset - vec3_dot(plane->normal, p);
    if (depth <= 0.0f) return p;
    p = vec3_add(p, vec3_scale(plane->normal, depth));
    Vec3 slide = vec3_sub(vec3_sub(p, from), plane->motion);
    slide = vec3_sub(slide, vec3_scale(plane->normal, vec3_dot(plane->normal, slide)));
    float length = vec3_length(slide), most = plane->friction * depth;
    return length > 0.0f ? vec3_sub(p, vec3_scale(slide, length > most ? most / length : 1.0f)) : p;
}

static Vec3 inside_tank(const Strands *strands, uint32_t i, const Obstacles *obstacles, const TankDef *tank,
                        Vec3 p)
{
    const StrandDef *def = strand_def(strands, strands->strand_of[i]);
    float r = def->radius;
    bool inside = p.x >= r && p.y >= r && p.z >= r && p.x <= tank->size.x - r && p.y <= tank->size.y - r &&
                  p.z <= tank->size.z - r;
    if (inside) return p;
    static const Vec3 normals[TANK_FACE_COUNT] = {
        [TANK_X_LO] = {1, 0, 0},  [TANK_X_HI] = {-1, 0, 0}, [TANK_Y_LO] = {0, 1, 0},
        [TANK_Y_HI] = {0, -1, 0}, [TANK_Z_LO] = {0, 0, 1},  [TANK_Z_HI] = {0, 0, -1}};
    float friction = larger(def->friction, obstacles_wall_friction(obstacles));
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (tank->open[face] || tank->periodic[face / 2]) continue;
        float wall = face % 2 ? vec3_dot(normals[face], tank->size) : 0.0f;
        StrandPlane plane = {.normal = normals[face], .offset = wall + def->radius, .friction = friction};
        p = resolved(&plane, strands->x[i], p);
    }
    return p;
}

bool strand_apply_planes(Strands *strands, uint32_t strand, const StrandStep *step)
{
    bool moved = false;
    if (!step->obstacles) return false;
    TankDef tank = obstacles_tank(step->obstacles);
    bool planes = strands->has_planes[strand];
    if (!planes && !tank.present) return false;
    for (uint32_t i = strands->first[strand]; i < strands->first[strand + 1]; i++) {
        if (strands->inverse_mass[i] == 0.0f) continue;
        Vec3 p = strand_end(strands, i), before = p;
        for (int k = 0; planes && k < PLANES_PER_PARTICLE; k++)
            p = resolved(&strands->planes[PLANES_PER_PARTICLE * (size_t)i + k], strands->x[i], p);
        if (tank.present) p = inside_tank(strands, i, step->obstacles, &tank, p);
        Vec3 more = vec3_sub(p, before);
        if (more.x == 0.0f && more.y == 0.0f && more.z == 0.0f) continue;
        strands->way[i] = vec3_add(strands->way[i], more);
        moved = true;
    }
    return moved;
}

void strand_hold(Strands *strands, uint32_t strand, const Obstacles *obstacles)
{
    const StrandAnchor *anchor = &strands->anchors[strand];
    const StrandDef *def = strand_def(strands, strand);
    uint32_t first = strands->first[strand], last = strands->first[strand + 1] - 1;
    const struct {
        bool held;
        uint32_t particle;
        Vec3 at;
    } places[] = {{strand_held_first(def) > 0, first, anchor->root},
                  {strand_held_first(def) > 1, first + 1, anchor->second},
                  {strand_held_last(def) > 0, last, anchor->end}};
    Pose pose = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    if (anchor->body != NO_BODY) pose = obstacles_pose(obstacles, anchor->body);
    for (int k = 0; k < 3; k++) {
        if (!places[k].held) continue;
        Vec3 at = vec3_add(pose.position, mat3_apply(pose.rotation, places[k].at));
        strands->way[places[k].particle] = vec3_sub(at, strands->x[places[k].particle]);
    }
}
