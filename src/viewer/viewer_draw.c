// The picture and the controls over it.
#include "core/clock.h"
#include "core/hash.h"
#include "core/memory.h"
#include "render/gui.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t SIDE_MIN = 16; // px of a coarse picture
static const double GRAIN_MIN = 2.5; // px between particles of one, where the scene's middle is

static uint32_t scaled(uint32_t side, float scale)
{
    uint32_t wanted = (uint32_t)lroundf((float)side * scale);
    uint32_t least = side < SIDE_MIN ? side : SIDE_MIN;
    return wanted > least ? wanted : least;
}

// --- pictures ---

static bool is_split(const Viewer *viewer)
{
    return viewer->shot->sides == 2;
}

Result viewer_make_renderers(Viewer *viewer)
{
    for (uint32_t side = 0; side < viewer->shot->sides; side++) {
        if (!viewer->renderer[side]) TRY(renderer_create(&viewer->look, &viewer->renderer[side]));
    }
    return result_ok();
}

void viewer_close_renderers(Viewer *viewer)
{
    split_destroy(viewer->split);
    for (int side = 0; side < 2; side++) renderer_destroy(viewer->renderer[side]);
    viewer->split = NULL;
    viewer->renderer[0] = viewer->renderer[1] = NULL;
    for (int side = 0; side < 2; side++) cells_close(&viewer->cells[side]);
    viewer->drawn_sides = 0; // the picture went with them
    memset(viewer->compiled, 0, sizeof viewer->compiled);
}

Result viewer_renew_renderers(Viewer *viewer)
{
    viewer_close_renderers(viewer);
    viewer->range.side[0] = viewer->range.side[1] = (FieldRange){0};
    viewer->ranged = 0;
    return viewer_make_renderers(viewer);
}

// On the narrower half of a split window a placed camera shows as much from left to right as on the whole.
static float widened(float fov, float aspect, float narrower)
{
    float tangent = tanf(0.5f * fov * 0.017453293f) * fmaxf(aspect / narrower, 1);
    return fminf(2 * atanf(tangent) / 0.017453293f, 170);
}

// Hands the boxes of the search structure to the renderer, or none.
static Result show_cells(Viewer *viewer, int side, const FrameView *view)
{
    Cells *cells = &viewer->cells[side];
    const char *method = viewer->shot->method[side];
    bool fits = strcmp(cells->method, method) == 0 && cells->radius == view->radius;
    if (cells->search && (!viewer->show_cells || !fits)) {
        cells_close(cells);
        TRY(renderer_set_boxes(viewer->renderer[side], NULL, 0));
    }
    if (!viewer->show_cells) return result_ok();
    if (!cells->search) TRY(cells_open(method, view->radius, cells));
    return cells_show(cells, view, viewer->renderer[side]);
}

// What is drawn: a picture, or two and their captions.
typedef struct Sheet {
    uint32_t width, height; // px
    float scale;            // of the pictures against it: less than 1 is coarse
    bool legend;            // in the picture; the window has the controls' own, which stays sharp
    float tangent;          // m that half the height of a picture shows, as far as is known; 0 if it is not
} Sheet;

// What is drawn of a shot is told from all else: a renderer keeps what it has made of it as long as it is
// asked for the same again.
static uint64_t edition_of(const Viewer *viewer, int side, const FrameView *view)
{
    const ClipPlane *clip = &viewer->clip;
    const uint64_t words[3] = {viewer->shot_number, (uint64_t)side, clip->on ? 1 + (uint64_t)clip->axis : 0};
    const float numbers[2] = {clip->on ? clip->place : 0, view->spacing}; // thinned ones stand for more
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, words, sizeof words), numbers, sizeof numbers);
    return hash | 1;
}

// What a coarse picture has no pixels for is not drawn: its time must not grow with the particles.
static Result thin(Viewer *viewer, float tangent, uint32_t height, FrameView *view)
{
    double pixels = tangent > 0 ? 0.5 * (double)(view->spacing / tangent) * height : INFINITY;
    if (pixels >= GRAIN_MIN) return result_ok();
    return view_rows_thin(&viewer->thinned, pow(GRAIN_MIN / pixels, 3), view);
}

// width, height: of the side on the sheet.
static Result draw_side(Viewer *viewer, int side, const Sheet *sheet, uint32_t width, uint32_t height)
{
    RenderDef def = viewer->look;
    FrameView view;
    const SurfaceMesh *mesh;
    float aspect = (float)sheet->width / (float)sheet->height, narrower = (float)width / (float)height;
    def.width = scaled(width, sheet->scale);
    def.height = scaled(height, sheet->scale);
    def.legend = sheet->legend && side == 0;
    if (is_split(viewer) && def.auto_range) {
        def.range_lo = viewer->range_lo;
        def.range_hi = viewer->range_hi;
        def.auto_range = false;
    }
    def.camera = viewer_camera(viewer);
    if (!def.camera.automatic) def.camera.fov = widened(def.camera.fov, aspect, narrower);
    TRY(renderer_set(viewer->renderer[side], &def));
    TRY(clip_apply(&viewer->cut, &viewer->clip, &viewer->shot->side[side], &view, &mesh));
    view.edition = edition_of(viewer, side, &view);
    TRY(show_cells(viewer, side, &view));
    if (sheet->scale < 1) TRY(thin(viewer, sheet->tangent, def.height, &view));
    view.edition = edition_of(viewer, side, &view);
    return renderer_draw(viewer->renderer[side], &view, mesh);
}

// A sheet of the window's or the picture's size; kept as long as that stays.
static Result fit_split(Viewer *viewer, uint32_t width, uint32_t height)
{
    Split *split;
    if (viewer->split && viewer->split_width == width && viewer->split_height == height) return result_ok();
    TRY(split_create(width, height, &split));
    split_destroy(viewer->split);
    viewer->split = split;
    viewer->split_width = width;
    viewer->split_height = height;
    return result_ok();
}

// The same colours mean the same on both sides, and one bar tells what.
static Result share_colors(Viewer *viewer)
{
    const Shot *shot = viewer->shot;
    FieldKey field = viewer->look.color_by;
    if (!viewer->look.auto_range || viewer->look.style != STYLE_PARTICLES) return result_ok();
    if (viewer->ranged == viewer->shot_number && viewer->range.field == field) return result_ok();
    viewer->ranged = 0;
    TRY(shared_range_follow(&viewer->range, &shot->side[0].view, &shot->side[1].view, field,
                            &viewer->range_lo, &viewer->range_hi));
    viewer->ranged = viewer->shot_number;
    return result_ok();
}

static Result draw_shot(Viewer *viewer, Sheet sheet)
{
    uint32_t width, height;
    // Of the last picture: near enough, and the same for both sides.
    const View *camera = renderer_view(viewer->renderer[0]);
    sheet.tangent = camera->reach * camera->tan_y;
    if (!is_split(viewer)) return draw_side(viewer, 0, &sheet, sheet.width, sheet.height);
    sheet.width = sheet.width > 2 ? sheet.width : 2;
    sheet.height = sheet.height > 2 ? sheet.height : 2;
    TRY(fit_split(viewer, sheet.width, sheet.height));
    split_picture_size(sheet.width, sheet.height, &width, &height);
    TRY(share_colors(viewer));
    for (int side = 0; side < 2; side++) TRY(draw_side(viewer, side, &sheet, width, height));
    return split_draw(viewer->split, viewer->renderer[0], viewer->renderer[1], &viewer->shot->text);
}

Result viewer_draw_full(Viewer *viewer, uint32_t width, uint32_t height, const uint8_t **rgb)
{
    viewer->picture_stale = true; // the window's own may be coarser
    // Split sheets are at least 2 x 2.
    size_t pixels = (size_t)(width > 2 ? width : 2) * (height > 2 ? height : 2);
    TRY(memory_reserve((void **)&viewer->pixels, &viewer->pixel_capacity, 0, 3 * pixels, 1, "a picture"));
    TRY(draw_shot(viewer,
                  (Sheet){.width = width, .height = height, .scale = 1, .legend = viewer->look.legend}));
    *rgb = viewer->pixels;
    return is_split(viewer) ? split_read(viewer->split, viewer->pixels)
                            : renderer_read(viewer->renderer[0], viewer->pixels);
}

static Result show_picture(Viewer *viewer)
{
    if (viewer->drawn_sides == 2) return split_show(viewer->split, 0, viewer->width, viewer->height);
    return renderer_show(viewer->renderer[0], 0, 0, 0, viewer->width, viewer->height);
}

Frame viewer_frame(const Viewer *viewer, int side)
{
    uint32_t width = viewer->width, height = viewer->height;
    if (is_split(viewer) && width > 1 && height > 1)
        split_picture_size(viewer->width, viewer->height, &width, &height);
    return (Frame){side == 0 ? 0 : (float)(viewer->width - width), 0, (float)width, (float)height};
}

// --- when ---

void viewer_redraw(Viewer *viewer)
{
    viewer->picture_stale = viewer->controls_stale = true;
}

bool viewer_has_picture(const Viewer *viewer)
{
    return viewer->drawn_sides == viewer->shot->sides;
}

// What was just drawn is the window's picture.
static void keep_picture(Viewer *viewer, bool with_legend)
{
    viewer->picture_stale = false;
    viewer->picture_has_legend = with_legend;
    viewer->drawn_sides = viewer->shot->sides;
    if (viewer->controls_due == 0) viewer->controls_due = 1;
}

static Result draw_picture(Viewer *viewer, float scale)
{
    double started = clock_seconds();
    TRY(draw_shot(viewer, (Sheet){.width = viewer->width, .height = viewer->height, .scale = scale}));
    window_finish(viewer->window);
    bool *compiled = &viewer->compiled[viewer->shot->sides - 1][viewer->look.style];
    (*compiled ? pace_count : pace_count_odd)(&viewer->pace, scale, started, clock_seconds());
    *compiled = true;
    keep_picture(viewer, false);
    return result_ok();
}

// The surface that the style shows has not been made yet: it comes with another shot of the same state.
static bool lacks_mesh(const Viewer *viewer)
{
    return render_style_needs_mesh(viewer->look.style) && !viewer->shot->side[0].has_mesh;
}

// Records the shot if it is a frame that was not recorded yet.
static Result record_frame(Viewer *viewer)
{
    uint32_t width, height;
    if (recorder_kind(viewer->recorder) == RECORD_NONE || !viewer->shot->on_frame) return result_ok();
    if (lacks_mesh(viewer)) return result_ok();
    if (viewer->shot->frame == viewer->recorded_frame && viewer->shot->fluid == viewer->recorded_fluid)
        return result_ok();
    viewer->recorded_frame = viewer->shot->frame;
    viewer->recorded_fluid = viewer->shot->fluid;
    recorder_size(viewer->recorder, &width, &height);
    const uint8_t *rgb;
    double started = clock_seconds();
    TRY(viewer_draw_full(viewer, width, height, &rgb));
    if (width == viewer->width && height == viewer->height) {
        pace_count_odd(&viewer->pace, 1, started, clock_seconds());
        keep_picture(viewer, viewer->look.legend);
    }
    return recorder_add(viewer->recorder, rgb);
}

// Rather the old picture for a moment than one without water.
static bool waits_for_mesh(const Viewer *viewer)
{
    return viewer_has_picture(viewer) && lacks_mesh(viewer);
}

static Result renew_picture(Viewer *viewer)
{
    Result recorded = record_frame(viewer);
    if (!result_is_ok(&recorded)) {
        viewer_say_error(viewer, &recorded);
        recorder_end(viewer->recorder);
        simulation_wait_at_frames(viewer->simulation, false);
    }
    if (viewer->picture_wanted && !lacks_mesh(viewer)) viewer_take_picture(viewer);
    SimulationStatus status = simulation_status(viewer->simulation);
    bool playing = status.playing;
    Pace *pace = &viewer->pace;
    pace->idle = status.idle;
    if (viewer->picture_stale) {
        if (waits_for_mesh(viewer)) return result_ok();
        bool now = pace_is_asked(pace) || !viewer_has_picture(viewer);
        if (!now && playing && clock_seconds() < pace_due(pace)) return result_ok();
        return draw_picture(viewer, pace->scale);
    }
    if (playing || viewer->controls_due > 0 || !pace_can_sharpen(pace, clock_seconds())) return result_ok();
    return draw_picture(viewer, 1);
}

static Result draw_controls(Viewer *viewer)
{
    double now = clock_seconds();
    float seconds = (float)fmin(fmax(now - viewer->presented_at, 1e-3), 0.5);
    gui_begin(viewer->width, viewer->height, seconds);
    viewer_badges(viewer);
    viewer_probe(viewer);
    if (viewer_has_color_bar(viewer) && !viewer->picture_has_legend) viewer_color_bar(viewer);
    if (viewer->hud) viewer_hud(viewer);
    if (viewer->panel) viewer_panel(viewer);
    if (viewer->help) viewer_help(viewer);
    gui_draw();
    if (!gui_is_settled() && viewer->controls_due == 0) viewer->controls_due = 1;
    viewer->presented_at = now;
    Result result = window_present(viewer->window);
    viewer->pace.controls = clock_seconds() - now;
    return result;
}

static void fill_background(const Viewer *viewer)
{
    if (viewer->look.style == STYLE_PARTICLES)
        window_fill(viewer->window, 0.89f, 0.90f, 0.91f);
    else
        window_fill(viewer->window, 0.22f, 0.26f, 0.31f);
}

Result viewer_greet(Viewer *viewer, const char *scene)
{
    char text[100];
    window_size(viewer->window, &viewer->width, &viewer->height);
    if (viewer->width == 0 || viewer->height == 0) return result_ok();
    fill_background(viewer);
    TRY(window_present(viewer->window)); // text is drawn by a shader, too
    fill_background(viewer);
    snprintf(text, sizeof text, "opening %.80s", scene);
    gui_begin(viewer->width, viewer->height, 0);
    viewer_label(viewer, 0.5f, text);
    gui_draw();
    return window_present(viewer->window);
}

Result viewer_draw(Viewer *viewer, bool *drawn)
{
    *drawn = false;
    uint32_t width, height;
    window_size(viewer->window, &width, &height);
    if (width == 0 || height == 0) return result_ok();
    if (width != viewer->width || height != viewer->height)
        viewer->picture_stale = viewer->controls_stale = true;
    viewer->width = width;
    viewer->height = height;
    TRY(renew_picture(viewer));
    // Controls settle in two pictures: the first one tells them their size.
    if (viewer->controls_stale) viewer->controls_due = 2;
    viewer->controls_stale = false;
    if (viewer->controls_due == 0) return result_ok();
    viewer->controls_due--;
    TRY(show_picture(viewer));
    TRY(draw_controls(viewer));
    *drawn = true;
    return result_ok();
}

double viewer_patience(const Viewer *viewer)
{
    uint32_t width, height;
    window_size(viewer->window, &width, &height);
    if (width == 0 || height == 0) return 0.1; // minimised: nothing is drawn, however late it is
    if (viewer->controls_stale || viewer->controls_due > 0) return 0;
    return pace_patience(&viewer->pace, viewer->picture_stale, clock_seconds());
}
