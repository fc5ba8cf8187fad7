#include "obstacle/obstacle.h"

#include "core/memory.h"
#include "obstacle/broad_phase.h"
#include "obstacle/lead.h"
#include "obstacle/motion.h"
#include "obstacle/shape.h"

#include <math.h>
#include <string.h>

// A span of movement is bounded in this many pieces.
#define BOUND_PIECES 4

#define STRAIGHT 1e-3f // sides lean by no more

typedef struct Body {
    ObstacleDef def;
    Box3 local;          // of the shape in its own frame
    float reach;         // m, of the farthest point from the frame's origin
    Pose previous, pose; // at t0 and t1
    // m, away from where the definition puts it: at t0, at t1, and after the next move
    Vec3 shift_before, shift, shift_next;
    Vec3 shift_past; // shift_before of the move before the last
    bool moved;      // by the last move, or taken to rest
    Vec3 drift;      // m/s: the body moves by drift + spin * local point
    Mat3 spin;
    bool moving; // between t0 and t1
} Body;

struct Obstacles {
    uint64_t shapes; // number of what the bodies are made of
    TankDef tank;
    float wall_friction;
    uint32_t count;
    Body *bodies;
    Box3 *bounds; // of each body between t0 and t1
    BroadPhase broad_phase;
    bool placed; // static bodies are in place
};

void obstacle_def_free(ObstacleDef *body)
{
    mesh_free(&body->shape.mesh);
    distance_grid_free(&body->shape.grid);
    memory_free(body->motion.keyframes);
    body->motion.keyframes = NULL;
    body->motion.keyframe_count = 0;
}

// A copy of a block, or NULL; an empty one stays NULL.
static void *duplicate(const void *block, size_t bytes, bool *short_of_memory)
{
    if (!block) return NULL;
    void *copy = memory_allocate(bytes);
    if (copy)
        memcpy(copy, block, bytes);
    else
        *short_of_memory = true;
    return copy;
}

Result obstacle_def_copy(const ObstacleDef *body, ObstacleDef *out)
{
    const TriangleMesh *mesh = &body->shape.mesh;
    const DistanceGrid *grid = &body->shape.grid;
    size_t vertex_bytes = mesh->vertex_count * sizeof *mesh->vertices;
    size_t triangle_bytes = (size_t)mesh->triangle_count * 3 * sizeof *mesh->triangles;
    size_t grid_bytes = (size_t)grid->nx * grid->ny * grid->nz * sizeof *grid->distance;
    size_t key_bytes = body->motion.keyframe_count * sizeof *body->motion.keyframes;
    bool short_of_memory = false;
    ObstacleDef copy = *body;
    copy.shape.mesh.vertices = duplicate(mesh->vertices, vertex_bytes, &short_of_memory);
    copy.shape.mesh.triangles = duplicate(mesh->triangles, triangle_bytes, &short_of_memory);
    copy.shape.grid.distance = duplicate(grid->distance, grid_bytes, &short_of_memory);
    copy.motion.keyframes = duplicate(body->motion.keyframes, key_bytes, &short_of_memory);
    if (short_of_memory) {
        obstacle_def_free(&copy);
        return result_no_memory("a copy of an obstacle",
                                vertex_bytes + triangle_bytes + grid_bytes + key_bytes);
    }
    *out = copy;
    return result_ok();
}

static float farthest_corner(Box3 box)
{
    return vec3_length(vec3_max(vec3_make(fabsf(box.lo.x), fabsf(box.lo.y), fabsf(box.lo.z)),
                                vec3_make(fabsf(box.hi.x), fabsf(box.hi.y), fabsf(box.hi.z))));
}

Result obstacles_create(TankDef tank, float wall_friction, ObstacleDef *bodies, uint32_t count,
                        Obstacles **out)
{
    *out = NULL;
    Obstacles *obstacles = memory_allocate_zeroed(sizeof *obstacles);
    if (!obstacles) return result_no_memory("obstacles", sizeof *obstacles);
    static _Atomic uint64_t made;
    obstacles->shapes = ++made;
    obstacles->tank = tank;
    obstacles->wall_friction = wall_friction;
    obstacles->bodies = memory_allocate_zeroed(count * sizeof(Body));
    obstacles->bounds = memory_allocate(count * sizeof(Box3));
    Result result = result_no_memory("obstacles", count * (sizeof(Body) + sizeof(Box3)));
    if (obstacles->bodies && obstacles->bounds)
        result = broad_phase_create(&obstacles->broad_phase, obstacles->bounds, count);
    if (!result_is_ok(&result)) {
        obstacles_destroy(obstacles);
        return result;
    }
    obstacles->count = count;
    for (uint32_t k = 0; k < count; k++) {
        Body *body = &obstacles->bodies[k];
        body->def = bodies[k];
        body->local = shape_bounds(&body->def.shape);
        body->reach = farthest_corner(body->local);
        bodies[k].shape.mesh = (TriangleMesh){0};
        bodies[k].shape.grid = (DistanceGrid){0};
        bodies[k].motion.keyframes = NULL;
        bodies[k].motion.keyframe_count = 0;
    }
    *out = obstacles;
    return obstacles_move(obstacles, 0, 0); // a tree of boxes allocates nothing
}

void obstacles_destroy(Obstacles *obstacles)
{
    if (!obstacles) return;
    for (uint32_t k = 0; k < obstacles->count; k++) obstacle_def_free(&obstacles->bodies[k].def);
    memory_free(obstacles->bodies);
    memory_free(obstacles->bounds);
    broad_phase_free(&obstacles->broad_phase);
    memory_free(obstacles);
}

static Pose rounded_pose(const RigidPose *pose)
{
    Pose rounded = {
        .position = vec3_make((float)pose->position[0], (float)pose->position[1], (float)pose->position[2])};
    for (int row = 0; row < 3; row++) {
        const double *r = pose->rotation[row];
        rounded.rotation.row[row] = vec3_make((float)r[0], (float)r[1], (float)r[2]);
    }
    return rounded;
}

static Vec3 to_domain(const Pose *pose, Vec3 local)
{
    return vec3_add(pose->position, mat3_apply(pose->rotation, local));
}

static Vec3 to_local(const Pose *pose, Vec3 point)
{
    return mat3_apply_transposed(pose->rotation, vec3_sub(point, pose->position));
}

// Box around the turned local box, widened by rounding errors.
static Box3 bounds_at(const Body *body, const Pose *pose)
{
    Vec3 center = to_domain(pose, vec3_scale(vec3_add(body->local.lo, body->local.hi), 0.5f));
    Vec3 half = vec3_scale(vec3_sub(body->local.hi, body->local.lo), 0.5f), extent;
    if (body->def.shape.kind == SHAPE_SPHERE) {
        extent = half;
    } else {
        const Vec3 *r = pose->rotation.row;
        extent.x = fabsf(r[0].x) * half.x + fabsf(r[0].y) * half.y + fabsf(r[0].z) * half.z;
        extent.y = fabsf(r[1].x) * half.x + fabsf(r[1].y) * half.y + fabsf(r[1].z) * half.z;
        extent.z = fabsf(r[2].x) * half.x + fabsf(r[2].y) * half.y + fabsf(r[2].z) * half.z;
    }
    float rounding = 4e-7f * (body->reach + vec3_length(pose->position));
    extent = vec3_add(extent, vec3_make(rounding, rounding, rounding));
    return (Box3){vec3_sub(center, extent), vec3_add(center, extent)};
}

Box3 obstacle_def_bounds(const ObstacleDef *body)
{
    Body placed = {.def = *body, .local = shape_bounds(&body->shape)};
    placed.reach = farthest_corner(placed.local);
    RigidPose start = motion_pose(body, 0);
    Pose pose = rounded_pose(&start);
    return bounds_at(&placed, &pose);
}

float obstacle_def_distance(const ObstacleDef *body, Vec3 point)
{
    RigidPose start = motion_pose(body, 0);
    Pose pose = rounded_pose(&start);
    return shape_distance(&body->shape, to_local(&pose, point), NULL);
}

// Between two moments a point of the body strays from the straight line by at most h^2/8 times its largest
// acceleration, and that of a turning point is at most reach * (spin^2 + change of spin).
static Box3 swept_bounds(const Body *body, double t0, double t1)
{
    Box3 box = box3_join(bounds_at(body, &body->previous), bounds_at(body, &body->pose));
    MotionLimits limits = motion_limits(&body->def, t0, t1);
    if (!(limits.end > limits.begin)) return box;
    double piece = (limits.end - limits.begin) / BOUND_PIECES;
    for (int k = 0; k <= BOUND_PIECES; k++) {
        RigidPose between = motion_pose(&body->def, limits.begin + k * piece);
        Pose pose = rounded_pose(&between);
        Vec3 path = pose.position;
        pose.position = vec3_add(path, body->shift_before);
        box = box3_join(box, bounds_at(body, &pose));
        pose.position = vec3_add(path, body->shift);
        box = box3_join(box, bounds_at(body, &pose));
    }
    double turning = body->reach * (limits.spin * limits.spin + limits.spin_change);
    double bulge = piece * piece / 8;
    Vec3 stray = vec3_make((float)(bulge * (limits.acceleration[0] + turning)),
                           (float)(bulge * (limits.acceleration[1] + turning)),
                           (float)(bulge * (limits.acceleration[2] + turning)));
    return (Box3){vec3_sub(box.lo, stray), vec3_add(box.hi, stray)};
}

static void add_shift(RigidPose *pose, Vec3 shift)
{
    pose->position[0] += (double)shift.x;
    pose->position[1] += (double)shift.y;
    pose->position[2] += (double)shift.z;
}

// Velocities come from the poses in double precision, so that small steps do not drown in rounding.
static void body_move(Body *body, double t0, double t1)
{
    RigidPose previous = motion_pose(&body->def, t0), pose = motion_pose(&body->def, t1);
    body->shift_before = body->shift;
    body->shift = body->shift_next;
    add_shift(&previous, body->shift_before);
    add_shift(&pose, body->shift);
    body->pose = rounded_pose(&pose);
    body->previous = t1 > t0 ? rounded_pose(&previous) : body->pose;
    double drift[3] = {0}, spin[3][3] = {{0}};
    bool moved = body->def.motion.kind != MOTION_NONE || !vec3_equal(body->shift_before, body->shift);
    body->moving = moved && t1 > t0;
    for (int row = 0; row < 3 && body->moving; row++) {
        drift[row] = (pose.position[row] - previous.position[row]) / (t1 - t0);
        for (int column = 0; column < 3; column++)
            spin[row][column] = (pose.rotation[row][column] - previous.rotation[row][column]) / (t1 - t0);
    }
    body->drift = vec3_make((float)drift[0], (float)drift[1], (float)drift[2]);
    for (int row = 0; row < 3; row++)
        body->spin.row[row] = vec3_make((float)spin[row][0], (float)spin[row][1], (float)spin[row][2]);
}

Result obstacles_move(Obstacles *obstacles, double t0, double t1)
{
    bool changed = !obstacles->placed;
    for (uint32_t k = 0; k < obstacles->count; k++) {
        Body *body = &obstacles->bodies[k];
        bool rests = body->def.motion.kind == MOTION_NONE && !body->moving &&
                     vec3_equal(body->shift, body->shift_next);
        body->moved = !(obstacles->placed && rests);
        if (!body->moved) continue;
        body->shift_past = body->shift_before;
        body_move(body, t0, t1);
        obstacles->bounds[k] = swept_bounds(body, t0, t1);
        changed = true;
    }
    obstacles->placed = true;
    return changed ? broad_phase_build(&obstacles->broad_phase) : result_ok();
}

Result obstacles_move_back(Obstacles *obstacles, double t0, double t1)
{
    for (uint32_t k = 0; k < obstacles->count; k++) {
        Body *body = &obstacles->bodies[k];
        if (!body->moved) continue;
        body->shift_next = body->shift_before;
        body->shift = body->shift_past;
        body_move(body, t0, t1);
        obstacles->bounds[k] = swept_bounds(body, t0, t1);
    }
    return broad_phase_build(&obstacles->broad_phase);
}

Result obstacles_set_broad_phase(Obstacles *obstacles, BroadPhaseKind kind)
{
    obstacles->broad_phase.kind = kind;
    Result result = broad_phase_build(&obstacles->broad_phase);
    if (!result_is_ok(&result)) obstacles->broad_phase.kind = BROAD_PHASE_BVH; // is built in any case
    return result;
}

BroadPhaseKind obstacles_broad_phase(const Obstacles *obstacles)
{
    return obstacles->broad_phase.kind;
}

void obstacles_shift(Obstacles *obstacles, uint32_t body, Vec3 offset)
{
    CHECK(body < obstacles->count);
    Body *b = &obstacles->bodies[body];
    b->shift_next = vec3_add(b->shift_next, offset);
}

void obstacles_shifts(const Obstacles *obstacles, uint32_t body, Vec3 shifts[2])
{
    CHECK(body < obstacles->count);
    shifts[0] = obstacles->bodies[body].shift_before;
    shifts[1] = obstacles->bodies[body].shift;
}

void obstacles_set_shifts(Obstacles *obstacles, uint32_t body, const Vec3 shifts[2])
{
    CHECK(body < obstacles->count);
    Body *b = &obstacles->bodies[body];
    b->shift = shifts[0];
    b->shift_next = shifts[1];
    obstacles->placed = false;
}

void obstacles_lead(Obstacles *obstacles, uint32_t body, const Lead *lead)
{
    CHECK(body < obstacles->count && lead->end > lead->begin);
    MotionDef *motion = &obstacles->bodies[body].def.motion;
    motion->kind = MOTION_LEAD;
    motion->lead = *lead;
}

double obstacles_lead_speed(const Obstacles *obstacles, double t)
{
    double speed = 0;
    for (uint32_t k = 0; k < obstacles->count; k++) {
        const Body *body = &obstacles->bodies[k];
        if (body->def.motion.kind == MOTION_LEAD)
            speed = fmax(speed, lead_speed(&body->def.motion.lead, body->reach, t));
    }
    return speed;
}

uint64_t obstacles_shapes(const Obstacles *obstacles)
{
    return obstacles->shapes;
}

uint32_t obstacles_count(const Obstacles *obstacles)
{
    return obstacles->count;
}

const ObstacleDef *obstacles_body(const Obstacles *obstacles, uint32_t body)
{
    CHECK(body < obstacles->count);
    return &obstacles->bodies[body].def;
}

TankDef obstacles_tank(const Obstacles *obstacles)
{
    return obstacles->tank;
}

float obstacles_wall_friction(const Obstacles *obstacles)
{
    return obstacles->wall_friction;
}

Pose obstacles_pose(const Obstacles *obstacles, uint32_t body)
{
    CHECK(body < obstacles->count);
    return obstacles->bodies[body].pose;
}

Box3 obstacles_box(const Obstacles *obstacles, uint32_t body)
{
    CHECK(body < obstacles->count);
    return bounds_at(&obstacles->bodies[body], &obstacles->bodies[body].pose);
}

double obstacle_volume(const Obstacles *obstacles, uint32_t body)
{
    CHECK(body < obstacles->count);
    return shape_volume(&obstacles->bodies[body].def.shape);
}

Box3 obstacles_bounds(const Obstacles *obstacles, uint32_t body)
{
    CHECK(body < obstacles->count);
    return obstacles->bounds[body];
}

bool obstacle_is_straight(const Obstacles *obstacles, uint32_t body)
{
    if (obstacles_body(obstacles, body)->shape.kind != SHAPE_BOX) return false;
    Mat3 rotation = obstacles_pose(obstacles, body).rotation;
    for (int a = 0; a < 3; a++) {
        Vec3 row = rotation.row[a];
        float most = fmaxf(fabsf(row.x), fmaxf(fabsf(row.y), fabsf(row.z)));
        if (fabsf(row.x) + fabsf(row.y) + fabsf(row.z) > most + STRAIGHT) return false;
    }
    return true;
}

uint32_t obstacles_touching(const Obstacles *obstacles, Box3 box, uint32_t *out, uint32_t capacity)
{
    return broad_phase_touching(&obstacles->broad_phase, box, out, capacity);
}

static Vec3 velocity_at(const Body *body, Vec3 local)
{
    return body->moving ? vec3_add(body->drift, mat3_apply(body->spin, local)) : vec3_make(0, 0, 0);
}

Vec3 obstacle_velocity(const Obstacles *obstacles, uint32_t body, Vec3 point)
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    return velocity_at(b, to_local(&b->pose, point));
}

SurfacePoint obstacle_surface(const Obstacles *obstacles, uint32_t body, Vec3 point)
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    Vec3 local = to_local(&b->pose, point), normal;
    float distance = shape_distance(&b->def.shape, local, &normal);
    Vec3 surface = vec3_sub(local, vec3_scale(normal, distance));
    return (SurfacePoint){
        .distance = distance,
        .normal = mat3_apply(b->pose.rotation, normal),
        .velocity = velocity_at(b, local),
        .thickness = shape_thickness(&b->def.shape, surface, normal),
    };
}

uint32_t obstacle_sides(const Obstacles *obstacles, uint32_t body, Vec3 point, SolidSide out[SOLID_SIDES_MAX])
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    uint32_t count = shape_sides(&b->def.shape, to_local(&b->pose, point), out);
    for (uint32_t k = 0; k < count; k++) out[k].normal = mat3_apply(b->pose.rotation, out[k].normal);
    return count;
}

float obstacle_distance(const Obstacles *obstacles, uint32_t body, Vec3 point)
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    return shape_distance(&b->def.shape, to_local(&b->pose, point), NULL);
}

bool obstacle_sweep(const Obstacles *obstacles, uint32_t body, Vec3 from, Vec3 to, float clearance,
                    Vec3 *stop, Vec3 *normal)
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    Vec3 local_stop, local_normal;
    if (!shape_sweep(&b->def.shape, to_local(&b->previous, from), to_local(&b->pose, to), clearance,
                     &local_stop, &local_normal))
        return false;
    *stop = to_domain(&b->pose, local_stop);
    *normal = mat3_apply(b->pose.rotation, local_normal);
    return true;
}

// A corner moves furthest, because what a point moves by is linear in where it is.
float obstacle_rest_way(const Obstacles *obstacles, uint32_t body, Box3 box)
{
    CHECK(body < obstacles->count);
    const Body *b = &obstacles->bodies[body];
    float most = 0.0f;
    for (int corner = 0; b->moving && corner < 8; corner++) {
        Vec3 at = box3_corner(box, corner);
        most = fmaxf(most, vec3_length(vec3_sub(to_local(&b->pose, at), to_local(&b->previous, at))));
    }
    return most;
}

static float tank_distance(const TankDef *tank, Vec3 point)
{
    if (!tank->present) return INFINITY;
    const float to_face[TANK_FACE_COUNT] = {
        [TANK_X_LO] = point.x, [TANK_X_HI] = tank->size.x - point.x,
        [TANK_Y_LO] = point.y, [TANK_Y_HI] = tank->size.y - point.y,
        [TANK_Z_LO] = point.z, [TANK_Z_HI] = tank->size.z - point.z,
    };
    float nearest = INFINITY;
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (!tank->open[face]) nearest = fminf(nearest, to_face[face]);
    }
    return nearest;
}

float obstacles_distance(const Obstacles *obstacles, Vec3 point)
{
    float nearest = tank_distance(&obstacles->tank, point);
    const BvhNode *nodes = obstacles->broad_phase.nodes;
    uint32_t stack[BVH_STACK], depth = 0;
    if (obstacles->count > 0) stack[depth++] = 0;
    while (depth > 0) {
        const BvhNode *node = &nodes[stack[--depth]];
        float away = box3_distance_squared(node->box, point);
        // From inside a box nothing is known: a deeper body may hide in it.
        if (away > 0 && (nearest <= 0 || away >= nearest * nearest)) continue;
        if (node->count == 0) {
            const BvhNode *left = &nodes[node->first], *right = left + 1;
            bool left_first =
                box3_distance_squared(left->box, point) <= box3_distance_squared(right->box, point);
            stack[depth++] = node->first + (left_first ? 1 : 0);
            stack[depth++] = node->first + (left_first ? 0 : 1);
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; k++)
            nearest = fminf(nearest, obstacle_distance(obstacles, obstacles->broad_phase.order[k], point));
    }
    return nearest;
}

bool obstacles_within(const Obstacles *obstacles, Vec3 point, float distance)
{
    const BvhNode *nodes = obstacles->broad_phase.nodes;
    uint32_t stack[BVH_STACK], depth = 0;
    if (obstacles->count > 0) stack[depth++] = 0;
    while (depth > 0) {
        const BvhNode *node = &nodes[stack[--depth]];
        if (box3_distance_squared(node->box, point) > distance * distance) continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = node->first + 1;
            continue;
        }
        for (uint32_t k = node->first; k < node->first + node->count; k++) {
            if (obstacle_distance(obstacles, obstacles->broad_phase.order[k], point) <= distance) return true;
        }
    }
    return false;
}

Result obstacles_copy(const Obstacles *from, Obstacles **out)
{
    *out = NULL;
    Result result = result_ok();
    uint32_t made = 0;
    ObstacleDef *bodies = memory_allocate_zeroed(from->count * sizeof *bodies);
    if (!bodies) return result_no_memory("a copy of the obstacles", from->count * sizeof *bodies);
    while (made < from->count && result_is_ok(&result)) {
        result = obstacle_def_copy(&from->bodies[made].def, &bodies[made]);
        if (result_is_ok(&result)) made++;
    }
    if (result_is_ok(&result))
        result = obstacles_create(from->tank, from->wall_friction, bodies, from->count, out);
    for (uint32_t k = 0; k < made && !result_is_ok(&result); k++) obstacle_def_free(&bodies[k]);
    memory_free(bodies);
    if (!result_is_ok(&result)) return result;
    (*out)->shapes = from->shapes;
    obstacles_follow(*out, from);
    return result_ok();
}

void obstacles_follow(Obstacles *copy, const Obstacles *from)
{
    CHECK(copy->count == from->count);
    for (uint32_t k = 0; k < from->count; k++) {
        ObstacleDef own = copy->bodies[k].def;
        copy->bodies[k] = from->bodies[k];
        copy->bodies[k].def = own;
        copy->bounds[k] = from->bounds[k];
    }
    Result built = broad_phase_build(&copy->broad_phase);
    CHECK(result_is_ok(&built)); // a tree of boxes, which allocates nothing
}
