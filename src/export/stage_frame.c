#include "export/stage_frame.h"

#include "core/mat3.h"
#include "core/memory.h"
#include "core/path.h"
#include "export/block_file.h"
#include "export/export.h"
#include "export/obstacle_mesh.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// --- writing ---

// Memory of a frame that is being written.
typedef struct Draft {
    Vec3 *point, *velocity; // of the particles
    uint32_t *id;
    StagePose *pose;
    ObstacleMesh obstacles;
    StageBody *body;
    uint32_t (*triangle)[3]; // of the bodies
} Draft;

static void draft_free(Draft *draft)
{
    memory_free(draft->point);
    memory_free(draft->velocity);
    memory_free(draft->id);
    memory_free(draft->pose);
    memory_free(draft->body);
    memory_free(draft->triangle);
    obstacle_mesh_free(&draft->obstacles);
}

static Result add_particles(const FrameView *view, Draft *draft, StateBlocks *blocks)
{
    uint32_t n = view->count;
    draft->point = memory_allocate(n * sizeof(Vec3));
    draft->velocity = memory_allocate(n * sizeof(Vec3));
    draft->id = memory_allocate(n * sizeof(uint32_t));
    if (!draft->point || !draft->velocity || !draft->id)
        return result_no_memory("the frame's particles", 28ull * n);
    Vec3 origin = view->origin;
    for (uint32_t i = 0; i < n; i++) {
        draft->point[i] = vec3_add(origin, vec3_make(view->x[i], view->y[i], view->z[i]));
        draft->velocity[i] = vec3_make(view->vx[i], view->vy[i], view->vz[i]);
        draft->id[i] = view->id[i];
    }
    blocks_add(blocks, "particle.point", BLOCK_FLOAT, 3ull * n, draft->point);
    blocks_add(blocks, "particle.velocity", BLOCK_FLOAT, 3ull * n, draft->velocity);
    blocks_add(blocks, "particle.id", BLOCK_UINT32, n, draft->id);
    return result_ok();
}

static Result add_poses(const FrameView *view, Draft *draft, StateBlocks *blocks)
{
    uint32_t count = view->obstacles ? obstacles_count(view->obstacles) : 0;
    draft->pose = memory_allocate(count * sizeof *draft->pose);
    if (!draft->pose) return result_no_memory("the bodies' poses", count * sizeof *draft->pose);
    for (uint32_t k = 0; k < count; k++) {
        Pose pose = obstacles_pose(view->obstacles, k);
        StagePose *to = &draft->pose[k];
        memcpy(to->row, pose.rotation.row, sizeof to->row);
        to->position = vec3_add(view->origin, pose.position);
    }
    blocks_add(blocks, "pose", BLOCK_FLOAT, count * sizeof *draft->pose / sizeof(float), draft->pose);
    return result_ok();
}

// Moves a body's points into its own axes and numbers them from 0.
static void localize(Draft *draft, uint32_t k)
{
    const GeometryPart *part = &draft->obstacles.parts[k];
    const StagePose *pose = &draft->pose[k];
    const Mat3 rotation = {{pose->row[0], pose->row[1], pose->row[2]}};
    for (uint32_t i = part->first_point; i < part->first_point + part->point_count; i++) {
        Vec3 *point = &draft->obstacles.point[i];
        *point = mat3_apply_transposed(rotation, vec3_sub(*point, pose->position));
    }
    for (uint32_t t = part->first_triangle; t < part->first_triangle + part->triangle_count; t++) {
        for (int c = 0; c < 3; c++)
            draft->triangle[t][c] =
                draft->obstacles.vertex_point[draft->obstacles.triangle[t][c]] - part->first_point;
    }
    StageBody *body = &draft->body[k];
    memcpy(body->label, part->label, sizeof body->label);
    memcpy(body->color, part->color, sizeof body->color);
    body->first_point = part->first_point, body->point_count = part->point_count;
    body->first_triangle = part->first_triangle, body->triangle_count = part->triangle_count;
}

static Result add_bodies(const FrameView *view, Draft *draft, StateBlocks *blocks)
{
    ObstacleMesh *mesh = &draft->obstacles;
    TRY(obstacle_mesh_make(view, mesh));
    draft->body = memory_allocate_zeroed(mesh->part_count * sizeof *draft->body);
    draft->triangle = memory_allocate(mesh->triangle_count * sizeof *draft->triangle);
    if (!draft->body || !draft->triangle) return result_no_memory("the bodies", 12ull * mesh->triangle_count);
    for (uint32_t k = 0; k < mesh->part_count; k++) localize(draft, k);
    blocks_add(blocks, "body", BLOCK_BYTES, mesh->part_count * sizeof *draft->body, draft->body);
    blocks_add(blocks, "body.point", BLOCK_FLOAT, 3ull * mesh->point_count, mesh->point);
    blocks_add(blocks, "body.triangle", BLOCK_UINT32, 3ull * mesh->triangle_count, draft->triangle);
    return result_ok();
}

static void add_water(const SurfaceMesh *mesh, StateBlocks *blocks)
{
    blocks_add(blocks, "water.point", BLOCK_FLOAT, 3ull * mesh->vertex_count, mesh->vertex);
    blocks_add(blocks, "water.normal", BLOCK_FLOAT, 3ull * mesh->vertex_count, mesh->normal);
    blocks_add(blocks, "water.velocity", BLOCK_FLOAT, 3ull * mesh->vertex_count, mesh->velocity);
    blocks_add(blocks, "water.triangle", BLOCK_UINT32, 3ull * mesh->triangle_count, mesh->triangle);
}

Result stage_frame_write(const char *path, const FrameView *view, const SurfaceMesh *mesh, bool with_bodies)
{
    Draft draft = {0};
    double spacing = (double)view->spacing;
    StateBlocks *blocks = memory_allocate_zeroed(sizeof *blocks);
    if (!blocks) return result_no_memory("the frame", sizeof *blocks);
    blocks_add(blocks, "time", BLOCK_DOUBLE, 1, &view->time);
    blocks_add(blocks, "spacing", BLOCK_DOUBLE, 1, &spacing);
    add_water(mesh, blocks);
    Result result = add_particles(view, &draft, blocks);
    if (result_is_ok(&result)) result = add_poses(view, &draft, blocks);
    if (result_is_ok(&result) && with_bodies) result = add_bodies(view, &draft, blocks);
    if (result_is_ok(&result)) result = block_file_write(path, blocks);
    memory_free(blocks);
    draft_free(&draft);
    return result;
}

// --- reading ---

// Finds an array of elements of a size; absent ones are empty.
static const void *find(const StateBlocks *blocks, const char *name, BlockType type, size_t bytes,
                        uint32_t *count)
{
    const StateBlock *block = blocks_find(blocks, name, type);
    *count = block ? (uint32_t)(block->count * block_type_bytes(type) / bytes) : 0;
    return block ? block->data : NULL;
}

static bool take(StageFrame *frame)
{
    const StateBlocks *blocks = &frame->blocks;
    uint32_t normals, velocities, moving, ids, triangles, points, bad = 0;
    Result time = blocks_copy(blocks, "time", BLOCK_DOUBLE, 1, &frame->time);
    Result spacing = blocks_copy(blocks, "spacing", BLOCK_DOUBLE, 1, &frame->spacing);
    if (!result_is_ok(&time) || !result_is_ok(&spacing)) return false;
    frame->water_point = find(blocks, "water.point", BLOCK_FLOAT, sizeof(Vec3), &frame->water_points);
    frame->water_normal = find(blocks, "water.normal", BLOCK_FLOAT, sizeof(Vec3), &normals);
    frame->water_velocity = find(blocks, "water.velocity", BLOCK_FLOAT, sizeof(Vec3), &velocities);
    frame->triangle = (const uint32_t(*)[3])find(blocks, "water.triangle", BLOCK_UINT32,
                                                 sizeof *frame->triangle, &frame->triangles);
    frame->particle = find(blocks, "particle.point", BLOCK_FLOAT, sizeof(Vec3), &frame->particles);
    frame->particle_velocity = find(blocks, "particle.velocity", BLOCK_FLOAT, sizeof(Vec3), &moving);
    frame->id = find(blocks, "particle.id", BLOCK_UINT32, sizeof *frame->id, &ids);
    frame->pose = find(blocks, "pose", BLOCK_FLOAT, sizeof *frame->pose, &frame->poses);
    StageBodies *bodies = &frame->bodies;
    bodies->body = find(blocks, "body", BLOCK_BYTES, sizeof *bodies->body, &bodies->count);
    bodies->point = find(blocks, "body.point", BLOCK_FLOAT, sizeof(Vec3), &points);
    bodies->triangle = (const uint32_t(*)[3])find(blocks, "body.triangle", BLOCK_UINT32,
                                                  sizeof *bodies->triangle, &triangles);
    for (uint32_t k = 0; k < bodies->count; k++) {
        const StageBody *body = &bodies->body[k];
        bad += body->first_point + body->point_count > points ||
               body->first_triangle + body->triangle_count > triangles;
    }
    return bad == 0 && normals == frame->water_points && velocities == normals &&
           moving == frame->particles && ids == moving &&
           (bodies->count == 0 || bodies->count == frame->poses);
}

static Result stage_frame_read(const char *path, StageFrame *out)
{
    *out = (StageFrame){0};
    Result result = block_file_read(path, &out->blocks);
    if (result.code == RESULT_USAGE) result.code = RESULT_FAILED; // nothing that the user named
    TRY(result);
    return take(out) ? result_ok() : result_error(RESULT_FAILED, "%s: does not hold a frame", path);
}

Result stage_frame_read_beside(const char *path, const char *name, StageFrame *out)
{
    char frame[PATH_MAX];
    snprintf(frame, sizeof frame, "%.*s%s", (int)(path_name(path) - path), path, name);
    return stage_frame_read(frame, out);
}

void stage_frame_free(StageFrame *frame)
{
    blocks_free(&frame->blocks);
    *frame = (StageFrame){0};
}
