#include "viewer/snapshot.h"

#include "core/clock.h"
#include "core/memory.h"
#include "render/spray.h"

#include <string.h>

// Each stream starts at a multiple of the alignment.
enum { PER_LINE = MEMORY_ALIGNMENT / 4 };

static void drop_obstacles(Snapshot *snapshot)
{
    obstacles_destroy(snapshot->obstacles);
    snapshot->obstacles = NULL;
}

static Result reserve(Snapshot *snapshot, uint32_t count)
{
    size_t lines = ((size_t)count + PER_LINE - 1) / PER_LINE;
    if (snapshot->block && snapshot->capacity >= lines * PER_LINE) return result_ok();
    lines += lines / 8; // water that is poured in grows
    memory_free(snapshot->block);
    snapshot->capacity = lines * PER_LINE;
    snapshot->block = memory_allocate(snapshot->capacity * PARTICLE_STREAM_COUNT * 4);
    if (snapshot->block) return result_ok();
    snapshot->capacity = 0;
    return result_no_memory("a copy of the particles", lines * PER_LINE * PARTICLE_STREAM_COUNT * 4);
}

static void *copy_stream(Snapshot *snapshot, int stream, const void *from)
{
    void *to = (char *)snapshot->block + (size_t)stream * snapshot->capacity * 4;
    memcpy(to, from, (size_t)snapshot->view.count * 4);
    return to;
}

static Result copy_obstacles(Snapshot *snapshot, const Obstacles *from, uint64_t fluid)
{
    if (!from || snapshot->fluid != fluid) drop_obstacles(snapshot);
    if (from && !snapshot->obstacles) TRY(obstacles_copy(from, &snapshot->obstacles));
    if (from) obstacles_follow(snapshot->obstacles, from);
    snapshot->fluid = fluid;
    return result_ok();
}

Result snapshot_take(Snapshot *snapshot, const FrameView *view, uint64_t fluid)
{
    FrameView *copy = &snapshot->view;
    surface_mesh_free(&snapshot->mesh);
    snapshot->mesh = (SurfaceMesh){0};
    snapshot->has_mesh = false;
    snapshot->mesh_ms = 0;
    *copy = (FrameView){0};
    TRY(reserve(snapshot, view->count));
    TRY(copy_obstacles(snapshot, view->obstacles, fluid));
    *copy = *view;
    copy->obstacles = snapshot->obstacles;
    if (view->count == 0) return result_ok();
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++)
        copy->stream[k] = copy_stream(snapshot, k, copy->stream[k]);
    return result_ok();
}

Result snapshot_add_mesh(Snapshot *snapshot, const SurfaceDef *def)
{
    const FrameView *view = &snapshot->view;
    SurfaceDef wanted = *def;
    wanted.spacing = view->spacing;
    SurfacePoints points = {.x = view->x, .y = view->y, .z = view->z, .count = view->count};
    double started = clock_seconds();
    surface_mesh_free(&snapshot->mesh);
    snapshot->has_mesh = false;
    TRY(surface_reconstruct(&wanted, points, &snapshot->mesh));
    TRY(spray_replace(&snapshot->mesh, view)); // once, however often it is drawn
    snapshot->mesh_ms = 1e3 * (clock_seconds() - started);
    snapshot->has_mesh = true;
    return result_ok();
}

void snapshot_free(Snapshot *snapshot)
{
    surface_mesh_free(&snapshot->mesh);
    drop_obstacles(snapshot);
    memory_free(snapshot->block);
    *snapshot = (Snapshot){0};
}
