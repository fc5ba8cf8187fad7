#include "viewer/clip.h"

#include "core/memory.h"

#include <string.h>

static float along(const ClipPlane *plane, Vec3 p)
{
    return plane->axis == 0 ? p.x : plane->axis == 1 ? p.y : p.z;
}

bool clip_hides(const ClipPlane *plane, Vec3 p)
{
    return plane->on && along(plane, p) > plane->place;
}

static Result clip_particles(Clip *clip, const ClipPlane *plane, FrameView *view)
{
    uint8_t *keep;
    const float *key = plane->axis == 0 ? view->x : plane->axis == 1 ? view->y : view->z;
    TRY(view_rows_marks(&clip->rows, view->count, &keep));
    for (uint32_t k = 0; k < view->count; k++) keep[k] = key[k] <= plane->place;
    return view_rows_take(&clip->rows, view);
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
    view_rows_free(&clip->rows);
    memory_free(clip->triangles);
    *clip = (Clip){0};
}
