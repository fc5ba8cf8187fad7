#include "viewer/clip.h"

#include "core/memory.h"

#include <string.h>

enum { STREAMS = 11 };

static float along(const ClipPlane *plane, Vec3 p)
{
    return plane->axis == 0 ? p.x : plane->axis == 1 ? p.y : p.z;
}

// Copies the entries of a stream of four-byte values that are on the near side.
static void *filter(const float *key, float place, uint32_t count, const void *from, void *to)
{
    const uint32_t *source = from;
    uint32_t *target = to, kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (key[k] <= place) target[kept++] = source[k];
    }
    return to;
}

static Result clip_particles(Clip *clip, const ClipPlane *plane, FrameView *view)
{
    const float *key = plane->axis == 0 ? view->x : plane->axis == 1 ? view->y : view->z;
    uint32_t kept = 0, count = view->count;
    size_t row = ((size_t)count + 15) / 16 * 16;
    TRY(memory_reserve(&clip->streams, &clip->stream_capacity, 0, row * STREAMS, 4, "the cut"));
    for (uint32_t k = 0; k < count; k++) kept += key[k] <= plane->place;
    const void **streams[STREAMS] = {
        (const void **)&view->vx,        (const void **)&view->vy,    (const void **)&view->vz,
        (const void **)&view->density,   (const void **)&view->birth, (const void **)&view->vorticity,
        (const void **)&view->neighbors, (const void **)&view->id,    (const void **)&view->x,
        (const void **)&view->y,         (const void **)&view->z};
    for (int k = 0; k < STREAMS; k++)
        *streams[k] =
            filter(key, plane->place, count, *streams[k], (uint32_t *)clip->streams + (size_t)k * row);
    view->count = kept;
    return result_ok();
}

static Result clip_mesh(Clip *clip, const ClipPlane *plane, const SurfaceMesh *mesh)
{
    uint32_t kept = 0;
    TRY(memory_reserve((void **)&clip->triangles, &clip->triangle_capacity, 0, mesh->triangle_count,
                       sizeof *clip->triangles, "the cut"));
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *t = mesh->triangle[k];
        float sum = along(plane, mesh->vertex[t[0]]) + along(plane, mesh->vertex[t[1]]) +
                    along(plane, mesh->vertex[t[2]]);
        if (sum <= 3 * plane->place) memcpy(clip->triangles[kept++], t, sizeof *clip->triangles);
    }
    clip->mesh = *mesh;
    clip->mesh.triangle = clip->triangles;
    clip->mesh.triangle_count = kept;
    return result_ok();
}

Result clip_apply(Clip *clip, const ClipPlane *plane, const Snapshot *snapshot, FrameView *view,
                  const SurfaceMesh **mesh)
{
    *view = snapshot->view;
    *mesh = snapshot->has_mesh ? &snapshot->mesh : NULL;
    if (!plane->on) return result_ok();
    if (view->count > 0) TRY(clip_particles(clip, plane, view));
    if (!*mesh) return result_ok();
    TRY(clip_mesh(clip, plane, *mesh));
    *mesh = &clip->mesh;
    return result_ok();
}

void clip_free(Clip *clip)
{
    memory_free(clip->streams);
    memory_free(clip->triangles);
    *clip = (Clip){0};
}
