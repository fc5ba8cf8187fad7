#include "viewer/picture.h"

#include "core/clock.h"
#include "core/hash.h"
#include "core/memory.h"
#include "viewer/pick.h"

#include <math.h>
#include <string.h>

static const uint32_t SIDE_MIN = 16; // px of a coarse picture
static const double GRAIN_MIN = 2.5; // px between particles of one, at the scene's center

static uint32_t scaled(uint32_t side, float scale)
{
    uint32_t wanted = (uint32_t)lroundf((float)side * scale);
    uint32_t least = side < SIDE_MIN ? side : SIDE_MIN;
    return wanted > least ? wanted : least;
}

// --- renderers ---

Result picture_make_renderers(Picture *picture)
{
    for (uint32_t side = 0; side < picture->playback->snapshot->sides; side++) {
        if (!picture->renderer[side]) TRY(renderer_create(&picture->look->def, &picture->renderer[side]));
    }
    return result_ok();
}

void picture_close_renderers(Picture *picture)
{
    split_destroy(picture->split);
    for (int side = 0; side < 2; side++) renderer_destroy(picture->renderer[side]);
    picture->split = NULL;
    picture->renderer[0] = picture->renderer[1] = NULL;
    for (int side = 0; side < 2; side++) cells_close(&picture->cells[side]);
    picture->drawn_sides = 0; // the picture went with them
    memset(picture->compiled, 0, sizeof picture->compiled);
}

Result picture_renew_renderers(Picture *picture)
{
    picture_close_renderers(picture);
    picture->range.side[0] = picture->range.side[1] = (FieldRange){0};
    picture->ranged = 0;
    return picture_make_renderers(picture);
}

void picture_free(Picture *picture)
{
    picture_close_renderers(picture);
    memory_free(picture->pixels);
    clip_free(&picture->cut);
    view_rows_free(&picture->thinned);
    shared_range_free(&picture->range);
}

// --- one side ---

// What is drawn: a picture, or two and their captions.
typedef struct Sheet {
    uint32_t width, height; // px
    float scale;            // of the pictures against it: less than 1 is coarse
    bool legend;            // in the picture; the window has the controls' own, which stays sharp
    float tangent;          // m that half a picture's height shows; 0 if unknown
} Sheet;

// On the narrower half of a split window a placed camera shows as much from left to right as on the whole.
static float widened(float fov, float aspect, float narrower)
{
    float tangent = tanf(0.5f * fov * 0.017453293f) * fmaxf(aspect / narrower, 1);
    return fminf(2 * atanf(tangent) / 0.017453293f, 170);
}

// Hands the boxes of the search structure to the renderer, or none.
static Result show_cells(Picture *picture, int side, const FrameView *view)
{
    Cells *cells = &picture->cells[side];
    bool shown = picture->look->cells;
    const char *method = picture->playback->snapshot->method[side];
    bool fits = strcmp(cells->method, method) == 0 && cells->radius == view->radius;
    if (cells->search && (!shown || !fits)) {
        cells_close(cells);
        TRY(renderer_set_boxes(picture->renderer[side], NULL, 0));
    }
    if (!shown) return result_ok();
    if (!cells->search) TRY(cells_open(method, view->radius, cells));
    return cells_show(cells, view, picture->renderer[side]);
}

// Content id of what is drawn of a snapshot: a renderer caches what it has made as long as the id stays.
static uint64_t content_id_of(const Picture *picture, int side, const FrameView *view)
{
    const ClipPlane *clip = &picture->look->clip;
    const uint64_t words[3] = {picture->playback->snapshot_number, (uint64_t)side,
                               clip->on ? 1 + (uint64_t)clip->axis : 0};
    const float numbers[2] = {clip->on ? clip->place : 0, view->spacing}; // thinned ones stand for more
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, words, sizeof words), numbers, sizeof numbers);
    return hash | 1;
}

// Level of detail: particles that a coarse picture has no pixels for are not drawn, so that its time does not
// grow with their number.
static Result thin(Picture *picture, float tangent, uint32_t height, FrameView *view)
{
    double pixels = tangent > 0 ? 0.5 * (double)(view->spacing / tangent) * height : INFINITY;
    if (pixels >= GRAIN_MIN) return result_ok();
    return view_rows_thin(&picture->thinned, pow(GRAIN_MIN / pixels, 3), view);
}

// width, height: of the side on the sheet.
static RenderDef side_def(const Picture *picture, int side, const Sheet *sheet, uint32_t width,
                          uint32_t height)
{
    RenderDef def = picture->look->def;
    float aspect = (float)sheet->width / (float)sheet->height, narrower = (float)width / (float)height;
    def.width = scaled(width, sheet->scale);
    def.height = scaled(height, sheet->scale);
    def.legend = sheet->legend && side == 0;
    if (playback_is_split(picture->playback) && def.auto_range) {
        def.range_lo = picture->range_lo;
        def.range_hi = picture->range_hi;
        def.auto_range = false;
    }
    def.camera = camera_now(picture->camera);
    if (!def.camera.automatic) def.camera.fov = widened(def.camera.fov, aspect, narrower);
    return def;
}

static Result draw_side(Picture *picture, int side, const Sheet *sheet, uint32_t width, uint32_t height)
{
    FrameView view;
    const SurfaceMesh *mesh;
    const Snapshot *snapshot = &picture->playback->snapshot->side[side];
    RenderDef def = side_def(picture, side, sheet, width, height);
    TRY(renderer_set(picture->renderer[side], &def));
    TRY(clip_apply(&picture->cut, &picture->look->clip, snapshot, &view, &mesh));
    view.content_id = content_id_of(picture, side, &view);
    TRY(show_cells(picture, side, &view));
    if (sheet->scale < 1) TRY(thin(picture, sheet->tangent, def.height, &view));
    view.content_id = content_id_of(picture, side, &view);
    return renderer_draw(picture->renderer[side], &view, mesh);
}

// --- both ---

// A sheet of the window's or the picture's size; kept as long as that stays.
static Result fit_split(Picture *picture, uint32_t width, uint32_t height)
{
    Split *split;
    if (picture->split && picture->split_width == width && picture->split_height == height)
        return result_ok();
    TRY(split_create(width, height, &split));
    split_destroy(picture->split);
    picture->split = split;
    picture->split_width = width;
    picture->split_height = height;
    return result_ok();
}

// Both sides share one color range, which one color bar explains.
static Result share_colors(Picture *picture)
{
    const Playback *playback = picture->playback;
    const Snapshot *side = playback->snapshot->side;
    const RenderDef *def = &picture->look->def;
    if (!def->auto_range || def->style != STYLE_PARTICLES) return result_ok();
    if (picture->ranged == playback->snapshot_number && picture->range.field == def->color_by)
        return result_ok();
    picture->ranged = 0;
    TRY(shared_range_follow(&picture->range, &side[0].view, &side[1].view, def->color_by, &picture->range_lo,
                            &picture->range_hi));
    picture->ranged = playback->snapshot_number;
    return result_ok();
}

static Result draw_snapshot(Picture *picture, Sheet sheet)
{
    uint32_t width, height;
    // Of the last picture: near enough, and the same for both sides.
    const View *camera = renderer_view(picture->renderer[0]);
    sheet.tangent = camera->reach * camera->tan_y;
    if (!playback_is_split(picture->playback))
        return draw_side(picture, 0, &sheet, sheet.width, sheet.height);
    sheet.width = sheet.width > 2 ? sheet.width : 2;
    sheet.height = sheet.height > 2 ? sheet.height : 2;
    TRY(fit_split(picture, sheet.width, sheet.height));
    split_picture_size(sheet.width, sheet.height, &width, &height);
    TRY(share_colors(picture));
    for (int side = 0; side < 2; side++) TRY(draw_side(picture, side, &sheet, width, height));
    return split_draw(picture->split, picture->renderer[0], picture->renderer[1],
                      &picture->playback->snapshot->text);
}

Result picture_draw_full(Picture *picture, uint32_t width, uint32_t height, const uint8_t **rgb)
{
    picture->screen->picture_stale = true; // the window's own may be coarser
    // Split sheets are at least 2 x 2.
    size_t pixels = (size_t)(width > 2 ? width : 2) * (height > 2 ? height : 2);
    TRY(memory_reserve((void **)&picture->pixels, &picture->pixel_capacity, 0, 3 * pixels, 1, "a picture"));
    TRY(draw_snapshot(
        picture, (Sheet){.width = width, .height = height, .scale = 1, .legend = picture->look->def.legend}));
    *rgb = picture->pixels;
    return playback_is_split(picture->playback) ? split_read(picture->split, picture->pixels)
                                                : renderer_read(picture->renderer[0], picture->pixels);
}

void picture_keep(Picture *picture, bool with_legend)
{
    Screen *screen = picture->screen;
    screen->picture_stale = false;
    if (screen->controls_due == 0) screen->controls_due = 1;
    picture->has_legend = with_legend;
    picture->drawn_sides = picture->playback->snapshot->sides;
}

// A photograph is drawn again until it is done; its time tells nothing of other pictures.
static Result draw_photograph(Picture *picture)
{
    Screen *screen = picture->screen;
    double started = clock_seconds();
    TRY(draw_snapshot(picture, (Sheet){.width = screen->width, .height = screen->height, .scale = 1}));
    frame_pacing_count_odd(&picture->pacing, 1, started, clock_seconds());
    picture_keep(picture, false);
    for (uint32_t side = 0; side < picture->drawn_sides; side++)
        screen->picture_stale |= !renderer_is_done(picture->renderer[side]);
    return result_ok();
}

Result picture_draw(Picture *picture, float scale)
{
    if (picture->look->def.style == STYLE_PHOTO) return draw_photograph(picture);
    const Screen *screen = picture->screen;
    double started = clock_seconds();
    TRY(draw_snapshot(picture, (Sheet){.width = screen->width, .height = screen->height, .scale = scale}));
    window_finish(screen->window);
    bool *compiled = &picture->compiled[picture->playback->snapshot->sides - 1][picture->look->def.style];
    (*compiled ? frame_pacing_count : frame_pacing_count_odd)(&picture->pacing, scale, started,
                                                              clock_seconds());
    *compiled = true;
    picture_keep(picture, false);
    return result_ok();
}

Result picture_show(Picture *picture)
{
    uint32_t width = picture->screen->width, height = picture->screen->height;
    if (picture->drawn_sides == 2) return split_show(picture->split, 0, width, height);
    return renderer_show(picture->renderer[0], 0, 0, 0, width, height);
}

bool picture_take_camera(Picture *picture)
{
    if (!picture_is_there(picture)) return false;
    camera_take(picture->camera, picture_view(picture, 0), picture->playback->snapshot->side[0].view.origin);
    return true;
}

void picture_frame_all(Picture *picture)
{
    // Without a tank the water itself is framed, where it is now.
    for (uint32_t side = 0; side < picture->playback->snapshot->sides; side++) {
        RendererMemory memory = renderer_memory(picture->renderer[side]);
        memory.staged = false;
        renderer_remember(picture->renderer[side], &memory);
    }
}

// --- what it shows ---

bool picture_is_there(const Picture *picture)
{
    return picture->drawn_sides == picture->playback->snapshot->sides;
}

bool picture_lacks_mesh(const Picture *picture)
{
    return render_style_needs_mesh(picture->look->def.style) &&
           !picture->playback->snapshot->side[0].has_mesh;
}

const View *picture_view(const Picture *picture, int side)
{
    return renderer_view(picture->renderer[side]);
}

void picture_range(const Picture *picture, float *lo, float *hi)
{
    renderer_range(picture->renderer[0], lo, hi);
}

Frame picture_frame(const Picture *picture, int side)
{
    const Screen *screen = picture->screen;
    uint32_t width = screen->width, height = screen->height;
    if (playback_is_split(picture->playback) && width > 1 && height > 1)
        split_picture_size(screen->width, screen->height, &width, &height);
    return (Frame){side == 0 ? 0 : (float)(screen->width - width), 0, (float)width, (float)height};
}

int picture_place(const Picture *picture, float px, float py, float *x, float *y)
{
    Frame frame = picture_frame(picture, 1);
    int side = playback_is_split(picture->playback) && px >= frame.x;
    if (side == 0) frame = picture_frame(picture, 0);
    *x = 2 * (px - frame.x) / fmaxf(frame.width, 1) - 1;
    *y = 1 - 2 * (py - frame.y) / fmaxf(frame.height, 1);
    return side;
}

bool picture_pick(const Picture *picture, float px, float py, int *side, uint32_t *particle)
{
    float x, y;
    *side = picture_place(picture, px, py, &x, &y);
    return pick_particle(&picture->playback->snapshot->side[*side].view, picture_view(picture, *side),
                         &picture->look->clip, x, y, particle);
}
