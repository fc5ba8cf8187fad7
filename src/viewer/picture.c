#include "viewer/picture.h"

#include "core/clock.h"
#include "core/hash.h"
#include "core/memory.h"
#include "render/cutout.h"
#include "viewer/pick.h"

#include <math.h>
#include <string.h>

static const uint32_t SIDE_MIN = 16; // px of a coarse picture
static const float APART_TOP = 3;    // rms distances of two sides that the colors reach to
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

static void close_renderers(Picture *picture)
{
    split_destroy(picture->split);
    for (int side = 0; side < 2; side++) renderer_destroy(picture->renderer[side]);
    picture->split = NULL;
    picture->renderer[0] = picture->renderer[1] = NULL;
    for (int side = 0; side < 2; side++) {
        cells_close(&picture->cells[side]);
        arrows_free(&picture->arrows[side]);
        picture->slice[side].shown = 0;
    }
    picture->drawn_sides = 0; // the picture went with them
    memset(picture->compiled, 0, sizeof picture->compiled);
}

Result picture_renew_renderers(Picture *picture)
{
    close_renderers(picture);
    picture->range.side[0] = picture->range.side[1] = (FieldRange){0};
    picture->ranged = 0;
    return picture_make_renderers(picture);
}

void picture_free(Picture *picture)
{
    close_renderers(picture);
    for (int side = 0; side < 2; side++) cut_slice_free(&picture->slice[side]);
    memory_free(picture->pixels);
    memory_free(picture->cutout);
    clip_free(&picture->cut);
    view_rows_free(&picture->thinned);
    filter_rows_free(&picture->filtered);
    apart_free(&picture->apart);
    shared_range_free(&picture->range);
}

// --- one side ---

// What is drawn: a picture, or two and their captions.
typedef struct Sheet {
    uint32_t width, height; // px
    float aspect;           // a placed camera shows as much from left to right as on a picture of this one
    float scale;            // of the pictures against it: less than 1 is coarse
    bool legend;            // in the picture; the window has the controls' own, which stays sharp
    float tangent;          // m that half a picture's height shows; 0 if unknown
    bool file;              // for a file: it may take long
    bool asks;              // photographs are asked for, nothing is drawn
} Sheet;

// What docked controls leave of the window shows what all of it would.
static Sheet window_sheet(const Screen *screen, float scale)
{
    return (Sheet){.width = screen->free.width,
                   .height = screen->free.height,
                   .aspect = (float)screen->width / (float)screen->height,
                   .scale = scale};
}

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
    const Look *look = picture->look;
    bool around = look->around && look->picked, shown = look->cells || around;
    const char *method = picture->playback->snapshot->method[side];
    bool fits = strcmp(cells->method, method) == 0 && cells->radius == view->radius;
    if (cells->search && (!shown || !fits)) {
        cells_close(cells);
        TRY(renderer_set_boxes(picture->renderer[side], NULL, 0));
    }
    if (!shown) return result_ok();
    if (!cells->search) TRY(cells_open(method, view->radius, cells));
    cells_around(cells, around ? &look->picked_id : NULL);
    return cells_show(cells, view, picture->renderer[side]);
}

// Hands the slice in the cut to the renderer, or none; in the colors of the particles' last picture where it
// has their field.
static Result show_slice(Picture *picture, int side, const FrameView *view)
{
    const Look *look = picture->look;
    CutSliceWish wish = {.choice = look->slice,
                         .plane = &look->clip,
                         .colors = render_color_map(&look->def),
                         .number = picture->playback->snapshot_number};
    if (look->def.style == STYLE_PARTICLES && cut_slice_is_field(look->slice, look->def.color_by))
        renderer_range(picture->renderer[side], &wish.lo, &wish.hi);
    return cut_slice_show(&picture->slice[side], &wish, view, picture->renderer[side]);
}

// Content id of what is drawn of a snapshot: a renderer caches what it has made as long as the id stays.
static uint64_t content_id_of(const Picture *picture, int side, const FrameView *view)
{
    const ClipPlane *clip = &picture->look->clip;
    const uint64_t words[3] = {picture->playback->snapshot_number, (uint64_t)side,
                               clip->on ? 1 + (uint64_t)clip->axis : 0};
    const Filter *filter = &picture->look->filter;
    // Thinned ones stand for more.
    const float numbers[4] = {clip->on ? clip->place : 0, view->spacing, filter->on ? filter->lo : INFINITY,
                              filter->on ? filter->hi : INFINITY};
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
    float narrower = (float)width / (float)height;
    def.width = scaled(width, sheet->scale);
    def.height = scaled(height, sheet->scale);
    def.legend = sheet->legend && side == 0;
    if (look_shows_difference(picture->look)) {
        // The bar of the window names these colors.
        def.style = STYLE_PARTICLES;
        def.color_by = FIELD_VORTICITY;
        def.color_map = COLORMAP_AUTO;
        def.auto_range = def.legend = false;
        def.range_lo = 0;
        def.range_hi = fmaxf(APART_TOP * picture->apart.rms, 1e-6f);
    } else if (playback_is_split(picture->playback) && def.auto_range) {
        def.range_lo = picture->range_lo;
        def.range_hi = picture->range_hi;
        def.auto_range = false;
    }
    def.camera = camera_now(picture->camera);
    if (!def.camera.automatic) def.camera.fov = widened(def.camera.fov, sheet->aspect, narrower);
    return def;
}

// Asks for the side's photograph where there will be one; until then its surface stands for it.
static Result choose_photo(Picture *picture, int side, const Sheet *sheet, uint32_t width, uint32_t height,
                           const FrameView *view, const SurfaceMesh *mesh, RenderDef *def)
{
    Renderer *renderer = picture->renderer[side];
    PhotoReport *report = &picture->photo[side];
    bool moves = simulation_status(picture->playback->simulation).playing;
    *report = (PhotoReport){0};
    if (def->style != STYLE_PHOTO || (moves && !sheet->file)) {
        renderer_rest_photo(renderer);
    } else {
        RenderDef fine = *def;
        fine.width = width, fine.height = height;
        TRY(renderer_ask_photo(renderer, &fine, view, mesh, window_wake, report));
        if (report->samples > 0) *def = fine;
    }
    if (def->style == STYLE_PHOTO && report->samples == 0) def->style = STYLE_SURFACE;
    return result_ok();
}

static Result draw_side(Picture *picture, int side, const Sheet *sheet, uint32_t width, uint32_t height)
{
    FrameView view;
    const SurfaceMesh *mesh;
    const SimSnapshot *both = picture->playback->snapshot;
    Snapshot snapshot = both->side[side];
    if (look_shows_difference(picture->look)) {
        TRY(apart_measure(&picture->apart, &both->side[0].view, &both->side[1].view));
        snapshot.view.vorticity = picture->apart.distance;
    }
    RenderDef def = side_def(picture, side, sheet, width, height);
    TRY(clip_apply(&picture->cut, &picture->look->clip, &snapshot, &view, &mesh));
    view.content_id = content_id_of(picture, side, &view);
    TRY(choose_photo(picture, side, sheet, width, height, &view, mesh, &def));
    if (sheet->asks) return result_ok();
    TRY(renderer_set(picture->renderer[side], &def));
    TRY(show_cells(picture, side, &view));
    if (def.style == STYLE_PARTICLES) TRY(filter_apply(&picture->filtered, &picture->look->filter, &view));
    TRY(show_slice(picture, side, &snapshot.view));
    TRY(arrows_show(&picture->arrows[side], picture->look->arrows, &view, picture->renderer[side]));
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
    bool one = !playback_is_split(picture->playback) || look_shows_difference(picture->look);
    if (one && picture->renderer[1]) renderer_rest_photo(picture->renderer[1]);
    if (!playback_is_split(picture->playback))
        return draw_side(picture, 0, &sheet, sheet.width, sheet.height);
    sheet.width = sheet.width > 2 ? sheet.width : 2;
    sheet.height = sheet.height > 2 ? sheet.height : 2;
    TRY(fit_split(picture, sheet.width, sheet.height));
    const Look *look = picture->look;
    split_picture_size(look->split, sheet.width, sheet.height, &width, &height);
    TRY(share_colors(picture));
    for (int side = 0; side < (look->split == SPLIT_DIFFERENCE ? 1 : 2); side++)
        TRY(draw_side(picture, side, &sheet, width, height));
    if (sheet.asks) return result_ok();
    picture->has_captions = sheet.file; // else the controls draw them
    return split_draw(picture->split, look->split, look->wipe, picture->renderer[0], picture->renderer[1],
                      sheet.file ? &picture->playback->snapshot->text : NULL);
}

static Sheet file_sheet(const Picture *picture, uint32_t width, uint32_t height)
{
    return (Sheet){.width = width,
                   .height = height,
                   .aspect = (float)width / (float)height,
                   .scale = 1,
                   .legend = picture->look->def.legend,
                   .file = true};
}

Result picture_is_whole(Picture *picture, uint32_t width, uint32_t height, bool *whole)
{
    *whole = true;
    if (picture->look->def.style != STYLE_PHOTO || look_shows_difference(picture->look)) return result_ok();
    Sheet sheet = file_sheet(picture, width, height);
    sheet.asks = true;
    TRY(draw_snapshot(picture, sheet));
    for (uint32_t side = 0; side < picture->playback->snapshot->sides; side++)
        *whole &= picture->photo[side].done;
    return result_ok();
}

bool picture_has_news(const Picture *picture)
{
    bool news = false;
    for (uint32_t side = 0; side < picture->playback->snapshot->sides; side++)
        news |= picture->renderer[side] && renderer_has_news(picture->renderer[side]);
    return news;
}

uint32_t picture_samples(const Picture *picture)
{
    const PhotoReport *photo = picture->photo;
    bool one = picture->drawn_sides < 2 || photo[0].samples < photo[1].samples;
    return picture->look->def.style == STYLE_PHOTO ? photo[one ? 0 : 1].samples : 0;
}

// legend: with the one that the user wants.
static Result draw_full(Picture *picture, uint32_t width, uint32_t height, bool legend, const uint8_t **rgb)
{
    picture->screen->picture_stale = true; // the window's own may be coarser
    // Split sheets are at least 2 x 2.
    size_t pixels = (size_t)(width > 2 ? width : 2) * (height > 2 ? height : 2);
    Sheet sheet = file_sheet(picture, width, height);
    sheet.legend &= legend;
    TRY(MEMORY_RESERVE(picture->pixels, picture->pixel_capacity, 0, 3 * pixels, "a picture"));
    TRY(draw_snapshot(picture, sheet));
    *rgb = picture->pixels;
    return playback_is_split(picture->playback) ? split_read(picture->split, picture->pixels)
                                                : renderer_read(picture->renderer[0], picture->pixels);
}

Result picture_draw_full(Picture *picture, uint32_t width, uint32_t height, const uint8_t **rgb)
{
    return draw_full(picture, width, height, true, rgb);
}

Result picture_draw_cutout(Picture *picture, uint32_t width, uint32_t height, const uint8_t **rgba)
{
    const uint8_t *rgb;
    size_t pixels = (size_t)width * height;
    if (playback_is_split(picture->playback))
        return result_error(RESULT_USAGE, "a picture without background shows one side (S)");
    TRY(draw_full(picture, width, height, false, &rgb));
    // Colors first, what is covered behind them.
    TRY(MEMORY_RESERVE(picture->cutout, picture->cutout_capacity, 0, 5 * pixels, "a picture"));
    TRY(renderer_read_cover(picture->renderer[0], picture->cutout + 4 * pixels));
    cutout_make(rgb, picture->cutout + 4 * pixels, width, height, picture->cutout);
    *rgba = picture->cutout;
    return result_ok();
}

void picture_keep(Picture *picture, bool with_legend)
{
    Screen *screen = picture->screen;
    screen->picture_stale = false;
    if (screen->controls_due == 0) screen->controls_due = 1;
    const FrameView *view = &picture->playback->snapshot->side[0].view;
    picture->has_legend = with_legend;
    picture->drawn_sides = picture->playback->snapshot->sides;
    picture->drawn_time = view->time;
    picture->drawn_step = view->report.step;
    picture->drawn_count = view->count;
}

Result picture_draw(Picture *picture, float scale)
{
    const Screen *screen = picture->screen;
    double started = clock_seconds();
    TRY(draw_snapshot(picture, window_sheet(screen, scale)));
    window_finish(screen->window);
    bool *compiled = &picture->compiled[picture->playback->snapshot->sides - 1][picture->look->def.style];
    picture_keep(picture, false);
    // A photograph is there at its full size at once.
    bool fine = picture_samples(picture) > 0, odd = fine || !*compiled;
    (odd ? frame_pacing_count_odd : frame_pacing_count)(&picture->pacing, fine ? 1 : scale, started,
                                                        clock_seconds());
    *compiled |= !fine;
    return result_ok();
}

Result picture_show(Picture *picture, GuiColor edge)
{
    const Screen *screen = picture->screen;
    const ScreenArea *free = &screen->free;
    uint32_t bottom = screen->height - free->y - free->height;
    if (free->width < screen->width || free->height < screen->height)
        window_fill(screen->window, edge.r, edge.g, edge.b);
    if (picture->drawn_sides == 2)
        return split_show(picture->split, 0, free->x, bottom, free->width, free->height);
    return renderer_show(picture->renderer[0], 0, free->x, bottom, free->width, free->height);
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

void picture_beyond(const Picture *picture, float *below, float *above)
{
    renderer_beyond(picture->renderer[0], below, above);
}

int picture_count(const Picture *picture)
{
    return picture->look->split == SPLIT_BESIDE ? (int)picture->playback->snapshot->sides : 1;
}

Frame picture_frame(const Picture *picture, int side)
{
    const ScreenArea *free = &picture->screen->free;
    uint32_t width = free->width, height = free->height;
    if (playback_is_split(picture->playback) && width > 1 && height > 1)
        split_picture_size(picture->look->split, free->width, free->height, &width, &height);
    return (Frame){(float)(free->x + (side == 0 ? 0 : free->width - width)), (float)free->y, (float)width,
                   (float)height};
}

bool picture_wipe(const Picture *picture, float *x)
{
    Frame frame = picture_frame(picture, 0);
    *x = frame.x + picture->look->wipe * frame.width;
    return picture->look->split == SPLIT_WIPE && playback_is_split(picture->playback);
}

int picture_place(const Picture *picture, float px, float py, float *x, float *y)
{
    float line;
    Frame frame = picture_frame(picture, 1);
    bool wiped = picture_wipe(picture, &line);
    int side = playback_is_split(picture->playback) && !look_shows_difference(picture->look) &&
               px >= (wiped ? line : frame.x);
    if (side == 0) frame = picture_frame(picture, 0);
    *x = frame_x(frame, px);
    *y = frame_y(frame, py);
    return side;
}

// The particle under a place among those that a filter leaves.
static bool pick_filtered(const Picture *picture, int side, float x, float y, uint32_t *particle)
{
    FilterRows rows = {0};
    const FrameView *all = &picture->playback->snapshot->side[side].view;
    FrameView view = *all;
    Result result = filter_apply(&rows, &picture->look->filter, &view);
    bool found = result_is_ok(&result) &&
                 pick_particle(&view, picture_view(picture, side), &picture->look->clip, x, y, particle);
    uint32_t id = found ? view.id[*particle] : 0;
    for (*particle = 0; found && all->id[*particle] != id;) ++*particle;
    filter_rows_free(&rows);
    return found;
}

bool picture_pick(const Picture *picture, float px, float py, int *side, uint32_t *particle)
{
    float x, y;
    *side = picture_place(picture, px, py, &x, &y);
    if (picture->look->filter.on) return pick_filtered(picture, *side, x, y, particle);
    return pick_particle(&picture->playback->snapshot->side[*side].view, picture_view(picture, *side),
                         &picture->look->clip, x, y, particle);
}
