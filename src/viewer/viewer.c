// The viewer's life: window, loop, end.
#include "viewer/viewer.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "render/gl_functions.h"
#include "render/gui.h"
#include "viewer/parameters.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double TOAST_TIME = 2.5;   // s
static const double STAMP_TIME = 0.3;   // s between looks at the scene's file
static const double LOADING_TIME = 0.2; // s; what is quicker is not told
static const double TITLE_TIME = 0.15;  // s

void viewer_say(Viewer *viewer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(viewer->toast.text, sizeof viewer->toast.text, format, arguments);
    va_end(arguments);
    viewer->toast.until = clock_seconds() + TOAST_TIME;
    viewer->controls_stale = true;
    if (!viewer->def.quiet) fprintf(stderr, "%s\n", viewer->toast.text);
}

void viewer_say_error(Viewer *viewer, const Result *result)
{
    if (!result_is_ok(result)) viewer_say(viewer, "%s", result->text);
}

// --- keeping up with the simulation ---

static Box3 bounds_of(const Viewer *viewer)
{
    const FrameView *view = &viewer->shot->side[0].view;
    if (viewer->facts.tank.present) return (Box3){vec3_make(0, 0, 0), viewer->facts.tank.size};
    if (view->count == 0) return (Box3){vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    Vec3 first = vec3_make(view->x[0], view->y[0], view->z[0]);
    Box3 box = {first, first};
    for (uint32_t k = 1; k < view->count; k++) {
        Vec3 p = vec3_make(view->x[k], view->y[k], view->z[k]);
        box = (Box3){vec3_min(box.lo, p), vec3_max(box.hi, p)};
    }
    return box;
}

static void keep_look(Viewer *viewer, const RenderDef *of_scene)
{
    // What the user has chosen stays; colours and camera are the scene's.
    RenderDef look = *of_scene;
    look.style = viewer->look.style;
    look.legend = viewer->look.legend;
    look.hide_tank = viewer->look.hide_tank;
    look.hide_obstacles = viewer->look.hide_obstacles;
    look.width = viewer->look.width;
    look.height = viewer->look.height;
    viewer->look = look;
}

static bool vec3_equal(Vec3 a, Vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_camera(const CameraDef *a, const CameraDef *b)
{
    return a->automatic == b->automatic && a->fov == b->fov && vec3_equal(a->eye, b->eye) &&
           vec3_equal(a->target, b->target);
}

static bool same_colors(const RenderDef *a, const RenderDef *b)
{
    return a->color_by == b->color_by && a->auto_range == b->auto_range && a->range_lo == b->range_lo &&
           a->range_hi == b->range_hi;
}

// What was changed in the file is shown; all else stays as the user has it.
static void follow_file(Viewer *viewer)
{
    const RenderDef *before = &viewer->file_look, *now = &viewer->facts.render;
    RenderDef *look = &viewer->look;
    if (!same_camera(&before->camera, &now->camera)) {
        look->camera = now->camera;
        viewer->camera_moved = false;
    }
    if (!same_colors(before, now)) {
        look->color_by = now->color_by;
        look->auto_range = now->auto_range;
        look->range_lo = now->range_lo;
        look->range_hi = now->range_hi;
    }
    if (before->style != now->style) {
        look->style = now->style;
        simulation_want_mesh(viewer->simulation, render_style_needs_mesh(look->style));
    }
}

static Result greet_scene(Viewer *viewer)
{
    bool renewed = viewer->facts.file_renewed;
    if (renewed) {
        follow_file(viewer);
    } else {
        keep_look(viewer, &viewer->facts.render);
        viewer->camera_moved = false;
        viewer->clip.on = false;
        viewer->probing = false;
        viewer->body = 0;
        viewer->drag = DRAG_NONE; // what it held is gone
        scene_list_read(&viewer->scenes, viewer->def.scene_dir, viewer->facts.scene);
    }
    viewer->file_look = viewer->facts.render;
    viewer->bounds = bounds_of(viewer);
    viewer->spacing = viewer->facts.fluid.spacing;
    if (!simulation_status(viewer->simulation).comparing) viewer_choose_sides(viewer);
    viewer->stamp = file_stamp(viewer->facts.path);
    viewer_say(viewer, "%s: %u particles", viewer->facts.name, viewer->shot->side[0].view.count);
    return viewer_renew_renderers(viewer);
}

static void remember_step(History *history, const Shot *shot)
{
    const StepReport *report = &shot->side[0].view.report;
    if (shot->fluid != history->fluid) *history = (History){.fluid = shot->fluid};
    if (report->step == history->step) return;
    memmove(history->phase_ms[0], history->phase_ms[1], (HISTORY - 1) * sizeof *history->phase_ms);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        history->phase_ms[HISTORY - 1][phase] = (float)report->phase_ms[phase];
    history->step = report->step;
    if (history->count < HISTORY) history->count++;
    if (history->alike < HISTORY) history->alike++;
}

static Result look_at_simulation(Viewer *viewer)
{
    bool fresh;
    uint64_t number = viewer->facts.number;
    SimulationStatus status = simulation_status(viewer->simulation);
    viewer->shot = simulation_take(viewer->simulation, &fresh);
    bool changed = simulation_facts(viewer->simulation, &viewer->facts);
    if (changed) viewer->history.alike = 0;
    if (fresh) {
        viewer->picture_stale = true;
        viewer->shot_number++;
        remember_step(&viewer->history, viewer->shot);
    }
    if (changed) viewer->controls_stale = true;
    if (viewer->facts.number != number) TRY(greet_scene(viewer));
    TRY(viewer_make_renderers(viewer)); // the mouse asks them where it is
    if (status.errors != viewer->errors_seen) {
        viewer->errors_seen = status.errors;
        viewer_say_error(viewer, &status.error);
    }
    double now = clock_seconds();
    if (!status.loading) viewer->loading_since = now;
    bool loading = now - viewer->loading_since > LOADING_TIME;
    if (status.playing != viewer->was_playing || loading != viewer->shows_loading)
        viewer->controls_stale = true;
    viewer->shows_loading = loading;
    if (status.playing && !viewer->was_playing) pace_start_count(&viewer->pace, now);
    viewer->was_playing = status.playing;
    return result_ok();
}

static void watch_file(Viewer *viewer)
{
    double now = clock_seconds();
    if (now - viewer->stamp_checked < STAMP_TIME) return;
    viewer->stamp_checked = now;
    FileStamp stamp = file_stamp(viewer->facts.path);
    // A file that is being replaced is gone for a moment.
    if (!stamp.exists || file_stamp_equal(&stamp, &viewer->stamp)) return;
    viewer->stamp = stamp;
    viewer_load(viewer, viewer->facts.path, true);
}

static const char *verdict_of(const Shot *shot)
{
    static const char *const verdicts[] = {[SPLIT_GOOD] = " - identical",
                                           [SPLIT_BAD] = " - different",
                                           [SPLIT_PLAIN] = " - different by rounding"};
    return shot->sides < 2 ? "" : verdicts[shot->text.mood];
}

static void renew_title(Viewer *viewer)
{
    double now = clock_seconds();
    char title[200];
    SimulationStatus status = simulation_status(viewer->simulation);
    const FrameView *view = &viewer->shot->side[0].view;
    snprintf(title, sizeof title, "%s - %.3f s, step %llu, %u particles%s%s%s", viewer->facts.name,
             view->time, (unsigned long long)view->report.step, view->count,
             status.playing ? "" : " - PAUSED", verdict_of(viewer->shot),
             recorder_kind(viewer->recorder) != RECORD_NONE ? " - REC" : "");
    if (strcmp(title, viewer->title) == 0) return;
    if (status.playing && now - viewer->titled_at < TITLE_TIME) return;
    memcpy(viewer->title, title, sizeof title);
    viewer->titled_at = now;
    window_set_title(viewer->window, title);
}

static void expire_toast(Viewer *viewer)
{
    if (viewer->toast.until == 0 || clock_seconds() < viewer->toast.until) return;
    viewer->toast.until = 0;
    viewer->controls_stale = true;
}

// With --frames the window closes when the last frame has been seen.
static bool all_shown(Viewer *viewer)
{
    return viewer->def.frames > 0 && viewer->drawn && simulation_status(viewer->simulation).finished &&
           viewer->shot->frame + 1 >= viewer->def.frames && viewer->shot->on_frame && !viewer->picture_stale;
}

static Result run(Viewer *viewer)
{
    WindowEvent event;
    while (!viewer->quit && !window_wants_to_close(viewer->window) && !all_shown(viewer)) {
        window_wait(viewer->window, viewer_patience(viewer));
        TRY(viewer->def.interrupted());
        TRY(look_at_simulation(viewer));
        while (!viewer->quit && window_next_event(viewer->window, &event)) viewer_take_event(viewer, &event);
        watch_file(viewer);
        expire_toast(viewer);
        renew_title(viewer);
        double started = clock_seconds();
        TRY(viewer_draw(viewer, &viewer->drawn));
        viewer->blind += clock_seconds() - started;
    }
    return result_ok();
}

// --- life ---

// The frames that a film has so far make a film.
static void save_recording(void *recorder)
{
    recorder_end(recorder);
}

static Result open_all(Viewer *viewer, SceneDef *scene, bool *taken)
{
    const RenderDef *render = &scene->output.render;
    *taken = false;
    viewer->look = *render;
    TRY(window_open("pbf", render->width, render->height, &viewer->window));
    pace_start(&viewer->pace, gl_draws_on_processor());
    if (!gui_open(window_scale(viewer->window)))
        return result_error(RESULT_FAILED, "OpenGL: the controls could not be set up (%s)",
                            window_description(viewer->window));
    TRY(viewer_greet(viewer, scene->name));
    TRY(recorder_create(viewer->def.out, &viewer->recorder));
    window_on_lost(save_recording, viewer->recorder);
    SimulationDef def = {.read = viewer->def.read,
                         .read_sides = viewer->def.read_sides,
                         .context = viewer->def.context,
                         .frames = viewer->def.frames,
                         .playing = !viewer->def.paused,
                         .speed = viewer->def.frames > 0 ? INFINITY : 1,
                         .wake = window_wake};
    TRY(simulation_start(&def, scene, &viewer->simulation));
    *taken = true;
    if (viewer->def.compare) viewer_compare(viewer, true);
    simulation_want_mesh(viewer->simulation, render_style_needs_mesh(viewer->look.style));
    return result_ok();
}

static void close_all(Viewer *viewer)
{
    // A step may take long: the window need not wait for it.
    if (viewer->window) window_hide(viewer->window);
    simulation_stop(viewer->simulation);
    recorder_destroy(viewer->recorder);
    viewer_close_renderers(viewer);
    memory_free(viewer->pixels);
    gui_close();
    window_close(viewer->window);
    clip_free(&viewer->cut);
    view_rows_free(&viewer->thinned);
    shared_range_free(&viewer->range);
    memory_free(viewer);
}

Result viewer_run(const ViewerDef *def, SceneDef *scene)
{
    bool taken = false;
    Viewer *viewer = memory_allocate_zeroed(sizeof *viewer);
    if (!viewer) {
        scene_free(scene);
        return result_no_memory("the viewer", sizeof *viewer);
    }
    viewer->def = *def;
    viewer->hud = viewer->panel = true;
    viewer->picture_stale = viewer->controls_stale = true;
    viewer->shot_number = 1;
    viewer->show_cells = def->show_cells;
    viewer->clip_share = 0.5f;
    Result result = open_all(viewer, scene, &taken);
    if (result_is_ok(&result)) result = run(viewer);
    close_all(viewer);
    if (!taken) scene_free(scene);
    return result;
}
