#include "render/arrows.h"

#include "core/memory.h"

#include <math.h>

static const float CUBE = 3;         // spacings
static const float BARB = 0.3f;      // of an arrow's length
static const float BARB_WIDE = 0.4f; // of a barb's
static const float REST = 0.02f;     // of the fastest, that is not drawn
static const float OPACITY = 0.95f;
enum { AXIS_BITS = 21 };

void arrows_free(Arrows *arrows)
{
    sort_buffers_free(&arrows->sort);
    memory_free(arrows->lines);
    *arrows = (Arrows){0};
}

float arrows_cube(const FrameView *view)
{
    return CUBE * view->spacing;
}

static uint64_t cube_of(float at, float cube)
{
    const float half = 1 << (AXIS_BITS - 1);
    return (uint64_t)fminf(fmaxf(floorf(at / cube) + half, 0), 2 * half - 1);
}

static void sort_particles(Arrows *arrows, const FrameView *view, const uint32_t **order)
{
    float cube = arrows_cube(view);
    for (uint32_t k = 0; k < view->count; k++)
        arrows->sort.keys[0][k] = cube_of(view->x[k], cube) << 2 * AXIS_BITS |
                                  cube_of(view->y[k], cube) << AXIS_BITS | cube_of(view->z[k], cube);
    sort_order(&arrows->sort, view->count, order);
}

static Vec3 any_across(Vec3 along)
{
    Vec3 other = fabsf(along.z) < 0.9f ? vec3_make(0, 0, 1) : vec3_make(1, 0, 0);
    return vec3_normalize_or(vec3_cross(along, other), other);
}

// The shaft becomes an arrow; its end is the velocity in m/s until then.
static void complete(Line lines[ARROW_LINES], float scale)
{
    Vec3 from = lines->from, way = vec3_scale(lines->to, scale);
    float length = vec3_length(way);
    Vec3 along = vec3_scale(way, 1 / length), across[2] = {any_across(along)};
    across[1] = vec3_cross(along, across[0]);
    lines->to = vec3_add(from, way);
    Vec3 foot = vec3_sub(lines->to, vec3_scale(way, BARB));
    for (int k = 0; k < 4; k++) {
        float aside = (k & 1 ? -1 : 1) * BARB_WIDE * BARB * length;
        lines[1 + k] = (Line){lines->to, vec3_add(foot, vec3_scale(across[k / 2], aside)), OPACITY};
    }
}

// The cubes' mean places and velocities, as shafts, ARROW_LINES apart. Returns their number.
static uint32_t take_means(Arrows *arrows, const FrameView *view, const uint32_t *order)
{
    uint32_t used = 0;
    const uint64_t *key = arrows->sort.keys[0];
    for (uint32_t first = 0, end; first < view->count; first = end) {
        Vec3 place = {0}, velocity = {0};
        for (end = first; end < view->count && key[end] == key[first]; end++) {
            uint32_t k = order[end];
            place = vec3_add(place, vec3_make(view->x[k], view->y[k], view->z[k]));
            velocity = vec3_add(velocity, vec3_make(view->vx[k], view->vy[k], view->vz[k]));
        }
        float share = 1 / (float)(end - first);
        arrows->lines[ARROW_LINES * used++] =
            (Line){vec3_scale(place, share), vec3_scale(velocity, share), OPACITY};
    }
    return used;
}

static uint32_t count_cubes(const uint64_t *key, uint32_t count)
{
    uint32_t cubes = count > 0;
    for (uint32_t k = 1; k < count; k++) cubes += key[k] != key[k - 1];
    return cubes;
}

Result arrows_make(Arrows *arrows, const FrameView *view)
{
    const uint32_t *order;
    arrows->count = 0;
    arrows->top = 0;
    if (view->count == 0) return result_ok();
    TRY(sort_buffers_reserve(&arrows->sort, view->count));
    sort_particles(arrows, view, &order);
    size_t lines = (size_t)ARROW_LINES * count_cubes(arrows->sort.keys[0], view->count);
    TRY(MEMORY_RESERVE(arrows->lines, arrows->capacity, 0, lines, "arrows"));
    uint32_t cubes = take_means(arrows, view, order);
    for (uint32_t k = 0; k < cubes; k++)
        arrows->top = fmaxf(arrows->top, vec3_length(arrows->lines[ARROW_LINES * k].to));
    for (uint32_t k = 0; k < cubes; k++) {
        Line shaft = arrows->lines[ARROW_LINES * k], *arrow = arrows->lines + ARROW_LINES * arrows->count;
        if (!(vec3_length(shaft.to) > REST * arrows->top) || !isfinite(arrows->top)) continue;
        *arrow = shaft;
        complete(arrow, arrows_cube(view) / arrows->top);
        arrows->count++;
    }
    return result_ok();
}

Result arrows_show(Arrows *arrows, bool shown, const FrameView *view, Renderer *renderer)
{
    if (!shown && !arrows->shown) return result_ok();
    if (!shown) {
        arrows_free(arrows);
        return renderer_set_arrows(renderer, NULL, 0);
    }
    if (arrows->shown && view->content_id != 0 && view->content_id == arrows->content_id) return result_ok();
    arrows->content_id = 0;
    TRY(arrows_make(arrows, view));
    TRY(renderer_set_arrows(renderer, arrows->lines, ARROW_LINES * arrows->count));
    arrows->shown = true;
    arrows->content_id = view->content_id;
    return result_ok();
}
