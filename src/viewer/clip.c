#include "viewer/clip.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

Result view_rows_marks(ViewRows *rows, uint32_t count, uint8_t **keep)
{
    TRY(MEMORY_RESERVE(rows->keep, rows->keep_capacity, 0, count, "marks of particles"));
    *keep = rows->keep;
    return result_ok();
}

// Copies the marked entries of a stream of four-byte values.
static const void *filter(const uint8_t *keep, uint32_t count, const void *from, uint32_t *to)
{
    const uint32_t *source = from;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (keep[k]) to[kept++] = source[k];
    }
    return to;
}

Result view_rows_take(ViewRows *rows, FrameView *view)
{
    uint32_t kept = 0, count = view->count;
    for (uint32_t k = 0; k < count; k++) kept += rows->keep[k];
    size_t row = ((size_t)kept + 15) / 16 * 16;
    TRY(memory_reserve(&rows->streams, &rows->capacity, 0, row, 4 * PARTICLE_STREAM_COUNT,
                       "a part of the particles"));
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++)
        view->stream[k] =
            filter(rows->keep, count, view->stream[k], (uint32_t *)rows->streams + (size_t)k * row);
    view->count = kept;
    return result_ok();
}

// Spreads ids, which follow a lattice, over all 32-bit numbers.
static uint32_t mix(uint32_t id)
{
    id = (id ^ id >> 16) * 0x7feb352du;
    id = (id ^ id >> 15) * 0x846ca68bu;
    return id ^ id >> 16;
}

Result view_rows_thin(ViewRows *rows, double of, FrameView *view)
{
    uint8_t *keep;
    uint32_t below = (uint32_t)(4294967295.0 / of);
    TRY(view_rows_marks(rows, view->count, &keep));
    for (uint32_t k = 0; k < view->count; k++) keep[k] = mix(view->id[k]) <= below;
    view->spacing *= (float)cbrt(of);
    return view_rows_take(rows, view);
}

void view_rows_free(ViewRows *rows)
{
    memory_free(rows->streams);
    memory_free(rows->keep);
    *rows = (ViewRows){0};
}

// --- water cut open ---

float clip_along(const ClipPlane *plane, Vec3 p)
{
    return vec3_component(p, plane->axis);
}

bool clip_hides(const ClipPlane *plane, Vec3 p)
{
    return plane->on && clip_along(plane, p) > plane->place;
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
    TRY(MEMORY_RESERVE(clip->triangles, clip->triangle_capacity, 0, mesh->triangle_count, "the cut"));
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *t = mesh->triangle[k];
        float sum = clip_along(plane, mesh->vertex[t[0]]) + clip_along(plane, mesh->vertex[t[1]]) +
                    clip_along(plane, mesh->vertex[t[2]]);
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
