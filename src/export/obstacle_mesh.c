#include "export/obstacle_mesh.h"

#include "core/hash.h"
#include "core/memory.h"
#include "core/srgb.h"
#include "obstacle/motion.h"
#include "obstacle/solid.h"
#include "surface/surface.h"

#include <stdint.h>

// s. Velocities are differences of poses this much before and after the frame: the step's own end with the
// step, of which a stored state knows nothing.
#define DIFFERENCE 1e-5

// Solids of unit size, shared by all bodies of their kind.
typedef struct SolidShelf {
    Solid unit[SHAPE_MESH + 1];
    Solid own; // of one body, until the next
    int quarter;
} SolidShelf;

static Result take_solid(SolidShelf *shelf, const Shape *shape, const Solid **out)
{
    Solid *solid = solid_is_unit(shape) ? &shelf->unit[shape->kind] : &shelf->own;
    *out = solid;
    if (solid == &shelf->own) solid_free(solid);
    return solid->triangles ? result_ok() : solid_of_shape(shape, shelf->quarter, solid);
}

static void free_shelf(SolidShelf *shelf)
{
    for (int k = 0; k <= SHAPE_MESH; k++) solid_free(&shelf->unit[k]);
    solid_free(&shelf->own);
}

// Maps a solid's vertices into the scene, with their velocities.
typedef struct Placing {
    Vec3 scale, position;
    Mat3 rotation;
    Vec3 drift; // m/s: the velocity is drift + spin * scaled vertex
    Mat3 spin;  // 1/s
} Placing;

static Placing place_body(const FrameView *view, uint32_t body)
{
    const ObstacleDef *def = obstacles_body(view->obstacles, body);
    Pose pose = obstacles_pose(view->obstacles, body);
    RigidPose before = motion_pose(def, view->time - DIFFERENCE),
              after = motion_pose(def, view->time + DIFFERENCE);
    float drift[3], spin[3][3];
    for (int i = 0; i < 3; i++) {
        drift[i] = (float)((after.position[i] - before.position[i]) / (2 * DIFFERENCE));
        for (int j = 0; j < 3; j++)
            spin[i][j] = (float)((after.rotation[i][j] - before.rotation[i][j]) / (2 * DIFFERENCE));
    }
    Placing placing = {
        .scale = solid_scale(&def->shape),
        .position = vec3_add(view->origin, pose.position),
        .rotation = pose.rotation,
        .drift = vec3_make(drift[0], drift[1], drift[2]),
    };
    for (int i = 0; i < 3; i++) placing.spin.row[i] = vec3_make(spin[i][0], spin[i][1], spin[i][2]);
    return placing;
}

// Capacity of the arrays, in elements.
typedef struct Room {
    size_t point, velocity, vertex_point, normal, triangle;
} Room;

static Result make_room(ObstacleMesh *mesh, Room *room, const Solid *more)
{
    static const char what[] = "the obstacles' triangles";
    size_t p = mesh->point_count, v = mesh->vertex_count, t = mesh->triangle_count;
    size_t p1 = p + more->point_count, v1 = v + more->vertex_count, t1 = t + more->triangle_count;
    if (t1 > SURFACE_TRIANGLES_MAX)
        return result_error(RESULT_FAILED, "obstacles: more than %u triangles (files cannot number more)",
                            SURFACE_TRIANGLES_MAX);
    TRY(MEMORY_RESERVE(mesh->point, room->point, p, p1, what));
    TRY(MEMORY_RESERVE(mesh->velocity, room->velocity, p, p1, what));
    TRY(MEMORY_RESERVE(mesh->vertex_point, room->vertex_point, v, v1, what));
    TRY(MEMORY_RESERVE(mesh->normal, room->normal, v, v1, what));
    return MEMORY_RESERVE(mesh->triangle, room->triangle, t, t1, what);
}

static void add_solid(ObstacleMesh *mesh, const Solid *solid, const Placing *placing)
{
    for (uint32_t k = 0; k < solid->vertex_count; k++) {
        uint32_t v = mesh->vertex_count + k, p = mesh->point_count + solid->points[k];
        Vec3 local = vec3_mul(solid->vertices[k].position, placing->scale);
        mesh->point[p] = vec3_add(placing->position, mat3_apply(placing->rotation, local));
        mesh->velocity[p] = vec3_add(placing->drift, mat3_apply(placing->spin, local));
        mesh->vertex_point[v] = p;
        mesh->normal[v] = mat3_apply(placing->rotation, solid->vertices[k].normal);
    }
    for (uint32_t k = 0; k < solid->triangle_count; k++) {
        uint32_t *corner = mesh->triangle[mesh->triangle_count + k];
        for (int c = 0; c < 3; c++) corner[c] = mesh->vertex_count + solid->triangles[k][c];
    }
}

static Result add_body(const FrameView *view, uint32_t body, SolidShelf *shelf, ObstacleMesh *mesh,
                       Room *room)
{
    const ObstacleDef *def = obstacles_body(view->obstacles, body);
    const Solid *solid;
    TRY(take_solid(shelf, &def->shape, &solid));
    TRY(make_room(mesh, room, solid));
    Placing placing = place_body(view, body);
    add_solid(mesh, solid, &placing);
    GeometryPart *part = &mesh->parts[body];
    part->number = body;
    for (int k = 0; k < 3; k++) {
        part->color[k] = def->color[k];
        part->srgb[k] = (uint8_t)(255 * srgb_of_linear(def->color[k]) + 0.5f);
    }
    part->first_vertex = mesh->vertex_count, part->vertex_count = solid->vertex_count;
    part->first_point = mesh->point_count, part->point_count = solid->point_count;
    part->first_triangle = mesh->triangle_count, part->triangle_count = solid->triangle_count;
    mesh->vertex_count += solid->vertex_count;
    mesh->point_count += solid->point_count;
    mesh->triangle_count += solid->triangle_count;
    return result_ok();
}

static Result add_bodies(const FrameView *view, SolidShelf *shelf, ObstacleMesh *mesh)
{
    Room room = {0};
    uint32_t count = view->obstacles ? obstacles_count(view->obstacles) : 0;
    mesh->parts = memory_allocate_zeroed(count * sizeof *mesh->parts); // labels to their end: they are hashed
    if (!mesh->parts) return result_no_memory("the obstacles", count * sizeof *mesh->parts);
    mesh->part_count = count;
    shelf->quarter = solid_quarter(count);
    for (uint32_t k = 0; k < count; k++) TRY(add_body(view, k, shelf, mesh, &room));
    return count > 0 ? obstacle_labels(view->obstacles, mesh->parts, count) : result_ok();
}

// Not at this moment alone: files of a run are of one kind, also where its bodies rest for a while.
static bool any_body_moves(const Obstacles *obstacles)
{
    uint32_t count = obstacles ? obstacles_count(obstacles) : 0;
    for (uint32_t k = 0; k < count; k++) {
        Vec3 shifts[2];
        obstacles_shifts(obstacles, k, shifts);
        bool shifted = shifts[1].x != 0 || shifts[1].y != 0 || shifts[1].z != 0;
        if (shifted || obstacles_body(obstacles, k)->motion.kind != MOTION_NONE) return true;
    }
    return false;
}

Result obstacle_mesh_make(const FrameView *view, ObstacleMesh *out)
{
    SolidShelf shelf = {0};
    *out = (ObstacleMesh){
        .moves = any_body_moves(view->obstacles), .time = view->time, .spacing = (double)view->spacing};
    Result result = add_bodies(view, &shelf, out);
    free_shelf(&shelf);
    if (!result_is_ok(&result)) obstacle_mesh_free(out);
    return result;
}

void obstacle_mesh_free(ObstacleMesh *mesh)
{
    memory_free(mesh->parts);
    memory_free(mesh->point);
    memory_free(mesh->velocity);
    memory_free(mesh->vertex_point);
    memory_free(mesh->normal);
    memory_free(mesh->triangle);
    *mesh = (ObstacleMesh){0};
}

uint64_t obstacle_mesh_hash(const ObstacleMesh *mesh)
{
    uint64_t hash = hash_bytes(HASH_START, mesh->parts, mesh->part_count * sizeof *mesh->parts);
    hash = hash_bytes(hash, mesh->point, mesh->point_count * sizeof *mesh->point);
    hash = hash_bytes(hash, mesh->velocity, mesh->point_count * sizeof *mesh->velocity);
    hash = hash_bytes(hash, mesh->normal, mesh->vertex_count * sizeof *mesh->normal);
    hash = hash_bytes(hash, mesh->vertex_point, mesh->vertex_count * sizeof *mesh->vertex_point);
    if (mesh->moves) hash = hash_bytes(hash, &mesh->time, sizeof mesh->time);
    return hash_bytes(hash, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
}
