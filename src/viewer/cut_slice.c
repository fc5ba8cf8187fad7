#include "viewer/cut_slice.h"

#include "core/hash.h"
#include "core/memory.h"
#include "render/chart_page.h"
#include "render/slice_picture.h"

// Isolines, about; px of a cell of half a spacing, fewer where there are many.
#define ISOLINES 10.0
enum { PIXELS_MAX = 4, SIDE_MAX = 1200 };

const char *cut_slice_name(uint32_t k, const void *context)
{
    return k == 0 ? "none" : slice_field_name(k - 1, context);
}

void cut_slice_free(CutSlice *slice)
{
    memory_free(slice->rgba);
    *slice = (CutSlice){0};
}

static uint32_t pixels_a_cell(const Slice *slice)
{
    uint32_t longest = slice->columns > slice->rows ? slice->columns : slice->rows,
             pixels = SIDE_MAX / longest;
    return pixels < 1 ? 1 : pixels > PIXELS_MAX ? PIXELS_MAX : pixels;
}

bool cut_slice_is_field(uint32_t choice, FieldKey field)
{
    return choice == 1 + (uint32_t)SLICE_SPEED && field == FIELD_SPEED;
}

static SliceDef def_of(const CutSliceWish *wish, const FrameView *view)
{
    SliceDef def = slice_def_default(view->spacing);
    const float axis[3] = {wish->plane->axis == 0, wish->plane->axis == 1, wish->plane->axis == 2};
    def.normal = vec3_make(axis[0], axis[1], axis[2]);
    def.point = vec3_scale(def.normal, wish->plane->place);
    def.field = (SliceField)(wish->choice - 1);
    return def;
}

static Result draw(CutSlice *self, const Slice *slice, ColorMap colors, Renderer *renderer)
{
    uint32_t pixels = pixels_a_cell(slice), width = (slice->columns - 1) * pixels,
             height = (slice->rows - 1) * pixels;
    double range = (double)slice->most - slice->least;
    self->least = slice->least;
    self->most = slice->most;
    self->tick = range > 0.0 ? chart_tick(range, ISOLINES) : 0.0;
    TRY(MEMORY_RESERVE(self->rgba, self->capacity, 0, 4 * (size_t)width * height, "a slice"));
    slice_sheet_draw(&(SlicePictureDef){.slice = slice, .tick = self->tick, .colors = colors}, pixels,
                     self->rgba);
    float columns = (float)(slice->columns - 1), rows = (float)(slice->rows - 1);
    SheetDef sheet = {.corner = slice_place(slice, 0.0f, rows),
                      .across = vec3_scale(slice->across, columns * slice->cell),
                      .down = vec3_scale(slice->up, -rows * slice->cell),
                      .width = width,
                      .height = height,
                      .rgba = self->rgba};
    return renderer_set_sheet(renderer, &sheet);
}

static uint64_t content_of(const CutSliceWish *wish, const FrameView *view, const Renderer *renderer)
{
    const uint64_t words[5] = {wish->number, wish->choice, (uint64_t)wish->colors,
                               (uint64_t)wish->plane->axis, (uint64_t)(uintptr_t)renderer};
    const float numbers[4] = {wish->plane->place, view->spacing, wish->lo, wish->hi};
    return hash_bytes(hash_bytes(HASH_START, words, sizeof words), numbers, sizeof numbers) | 1;
}

Result cut_slice_show(CutSlice *slice, const CutSliceWish *wish, const FrameView *view, Renderer *renderer)
{
    bool wanted = wish->choice > 0 && wish->plane->on && view->count > 0;
    uint64_t content = wanted ? content_of(wish, view, renderer) : 0;
    if (content == slice->shown) return result_ok();
    slice->shown = 0;
    TRY(renderer_set_sheet(renderer, NULL));
    if (!wanted) return result_ok();
    SurfacePoints points = {view->x, view->y, view->z, view->vx, view->vy, view->vz, view->count};
    SliceDef def = def_of(wish, view);
    Slice cut;
    TRY(slice_make(&def, &points, &cut));
    if (wish->lo < wish->hi) cut.least = wish->lo, cut.most = wish->hi;
    Result result = cut.particles > 0 ? draw(slice, &cut, wish->colors, renderer) : result_ok();
    slice_free(&cut);
    if (result_is_ok(&result)) slice->shown = content;
    return result;
}
