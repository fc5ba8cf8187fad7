#include "viewer/snapshot.h"

#include "core/clock.h"
#include "core/memory.h"
#include "render/spray.h"
#include "surface/frame_surface.h"

#include <string.h>

// Each stream starts at a multiple of the alignment.
enum { PER_LINE = MEMORY_ALIGNMENT / 4 };

static void drop_bodies(Snapshot *snapshot)
{
    strands_destroy(snapshot->strands);
    snapshot->strands = NULL;
    obstacles_destroy(snapshot->obstacles);
    snapshot->obstacles = NULL;
}

// Room for streams of four bytes a particle, one after the other.
static Result reserve(void **block, size_t *capacity, uint32_t count, int streams, const char *what)
{
    size_t lines = ((size_t)count + PER_LINE - 1) / PER_LINE;
    if (*block && *capacity >= lines * PER_LINE) return result_ok();
    lines += lines / 8; // water that is poured in grows
    memory_free(*block);
    *capacity = lines * PER_LINE;
    *block = memory_allocate(*capacity * (size_t)streams * 4);
    if (*block) return result_ok();
    *capacity = 0;
    return result_no_memory(what, lines * PER_LINE * (size_t)streams * 4);
}

static void *copy_stream(void *block, size_t capacity, int stream, const void *from, uint32_t count)
{
    void *to = (char *)block + (size_t)stream * capacity * 4;
    memcpy(to, from, (size_t)count * 4);
    return to;
}

static Result copy_diffuse(Snapshot *snapshot, const DiffuseParticles *from)
{
    DiffuseParticles *copy = &snapshot->diffuse;
    *copy = (DiffuseParticles){0};
    if (!from) return result_ok();
    TRY(reserve(&snapshot->diffuse_block, &snapshot->diffuse_capacity, from->count, DIFFUSE_STREAM_COUNT,
                "a copy of the whitewater"));
    *copy = *from;
    for (int k = 0; k < DIFFUSE_STREAM_COUNT; k++)
        copy->stream[k] =
            copy_stream(snapshot->diffuse_block, snapshot->diffuse_capacity, k, from->stream[k], from->count);
    return result_ok();
}

static Result copy_bodies(Snapshot *snapshot, const FrameView *view, uint64_t fluid)
{
    const Obstacles *from = view->obstacles;
    const Strands *strands = view->strands;
    if (!from || snapshot->fluid != fluid) drop_bodies(snapshot);
    if (from && !snapshot->obstacles) TRY(obstacles_copy(from, &snapshot->obstacles));
    if (from) obstacles_follow(snapshot->obstacles, from);
    if (strands && !snapshot->strands) TRY(strands_copy(strands, &snapshot->strands));
    if (strands) strands_follow(snapshot->strands, strands);
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
    TRY(reserve(&snapshot->block, &snapshot->capacity, view->count, PARTICLE_STREAM_COUNT,
                "a copy of the particles"));
    TRY(copy_diffuse(snapshot, view->diffuse));
    TRY(copy_bodies(snapshot, view, fluid));
    *copy = *view;
    copy->obstacles = snapshot->obstacles;
    copy->strands = snapshot->strands;
    copy->diffuse = view->diffuse ? &snapshot->diffuse : NULL;
    copy->trapped_air = copy->wave_crest = NULL; // nobody looks at them, nor at spins
    copy->spin_x = copy->spin_y = copy->spin_z = NULL;
    if (view->count == 0) return result_ok();
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++)
        copy->stream[k] = copy_stream(snapshot->block, snapshot->capacity, k, copy->stream[k], view->count);
    return result_ok();
}

Result snapshot_add_mesh(Snapshot *snapshot, const SurfaceDef *def)
{
    const FrameView *view = &snapshot->view;
    double started = clock_seconds();
    surface_mesh_free(&snapshot->mesh);
    snapshot->has_mesh = false;
    TRY(frame_surface_make(def, view, false, &snapshot->mesh));
    TRY(spray_replace(&snapshot->mesh, view)); // once, however often it is drawn
    snapshot->mesh_ms = 1e3 * (clock_seconds() - started);
    snapshot->has_mesh = true;
    return result_ok();
}

void snapshot_free(Snapshot *snapshot)
{
    surface_mesh_free(&snapshot->mesh);
    drop_bodies(snapshot);
    memory_free(snapshot->block);
    memory_free(snapshot->diffuse_block);
    *snapshot = (Snapshot){0};
}
