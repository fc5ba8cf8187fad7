#include "viewer/viewer.h"

#include "core/clock.h"
#include "core/memory.h"
#include "render/gl_functions.h"
#include "viewer/captions.h"
#include "viewer/editor_draw.h"
#include "viewer/first_run.h"
#include "viewer/hud.h"
#include "viewer/input.h"
#include "viewer/labels.h"
#include "viewer/panel.h"
#include "viewer/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TITLE_TIME = 0.15; // s

typedef struct Session {
    const ViewerDef *def;
    Viewer viewer;
    Input input;
    char title[200];
    double titled_at; // s of the clock
    bool drawn;       // the window shows what there is
} Session;

// --- drawing ---

// Is there a reason to draw the picture? *scale is how finely.
static bool picture_is_due(Viewer *viewer, float *scale)
{
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    const Picture *picture = &viewer->picture;
    FramePacing *pacing = &viewer->picture.pacing;
    bool there = picture_is_there(picture);
    double now = clock_seconds();
    pacing->idle = status.rate.idle;
    *scale = pacing->scale;
    if (viewer->screen.picture_stale) {
        // Better the old picture for a moment than one without water.
        if (there && picture_lacks_mesh(picture)) return false;
        return frame_pacing_is_asked(pacing) || !there || !status.playing || now >= frame_pacing_due(pacing);
    }
    *scale = 1;
    return !status.playing && viewer->screen.controls_due == 0 && frame_pacing_can_sharpen(pacing, now);
}

static Result draw_controls(Viewer *viewer)
{
    const Controls *controls = &viewer->controls;
    const Screen *screen = &viewer->screen;
    Picture *picture = &viewer->picture;
    double now = clock_seconds();
    float seconds = (float)fmin(fmax(now - controls->presented_at, 1e-3), 0.5);
    gui_begin(controls->gui, screen->width, screen->height, seconds);
    captions_draw(viewer);
    labels_draw(viewer);
    editor_draw(&viewer->editor, controls->gui);
    probe_draw(&viewer->probe, controls->gui);
    hand_draw(&viewer->hand, controls->gui);
    if (look_has_color_bar(&viewer->look) && !picture->has_legend) hud_draw_color_bar(controls);
    if (controls->hud) hud_draw(viewer);
    if (controls->panel) panel_draw(viewer);
    plots_draw(&viewer->plots);
    timeline_draw(viewer);
    first_run_draw(viewer);
    if (controls->help) hud_draw_help(viewer);
    if (controls->scenes) panel_list_scenes(viewer);
    if (viewer->question.open) panel_ask(viewer);
    gui_draw(controls->gui);
    if (!gui_is_settled(controls->gui) && screen->controls_due == 0) viewer->screen.controls_due = 1;
    viewer->controls.presented_at = now;
    // The water waits for every frame that is recorded.
    window_follow_display(screen->window, viewer->recording.recorder->kind == RECORD_NONE);
    Result result = window_present(screen->window);
    picture->pacing.controls = clock_seconds() - now;
    return result;
}

static void fill_background(const Viewer *viewer)
{
    if (viewer->look.def.style == STYLE_PARTICLES)
        window_fill(viewer->screen.window, 0.89f, 0.90f, 0.91f);
    else
        window_fill(viewer->screen.window, 0.22f, 0.26f, 0.31f);
}

// Fills the window before the first picture with background and the scene's name: drivers compile shaders for
// a while.
static Result greet(Viewer *viewer, const char *scene)
{
    char text[100];
    Gui *gui = viewer->controls.gui;
    Screen *screen = &viewer->screen;
    if (!screen_measure(screen)) return result_ok();
    fill_background(viewer);
    TRY(window_present(screen->window)); // text is drawn by a shader, too
    fill_background(viewer);
    snprintf(text, sizeof text, "opening %.80s", scene);
    gui_begin(gui, screen->width, screen->height, 0);
    labels_draw_one(viewer, 0.5f, text);
    gui_draw(gui);
    return window_present(screen->window);
}

// Draws the picture if it has to be drawn again and it is time, then the controls. *drawn tells whether the
// window shows something new.
static Result draw(Viewer *viewer, bool *drawn)
{
    float scale;
    Screen *screen = &viewer->screen;
    *drawn = false;
    if (!screen_measure(screen)) return result_ok();
    if (!controls_open(&viewer->controls))
        return result_error(RESULT_FAILED, "OpenGL: the controls could not be set up again");
    screen_dock(screen, controls_free_area(&viewer->controls));
    if (picture_has_news(&viewer->picture)) screen_redraw(screen);
    recording_write(&viewer->recording);
    if (!viewer->recording.waits && picture_is_due(viewer, &scale))
        TRY(picture_draw(&viewer->picture, scale));
    // Controls need two passes to settle: the first one measures them.
    if (screen->controls_stale) screen->controls_due = 2;
    screen->controls_stale = false;
    if (screen->controls_due == 0) return result_ok();
    screen->controls_due--;
    TRY(picture_show(&viewer->picture, gui_color(viewer->controls.gui, TINT_EDGE)));
    TRY(draw_controls(viewer));
    *drawn = true;
    return result_ok();
}

// How long the loop may sleep, s.
static double patience(const Viewer *viewer)
{
    uint32_t width, height;
    const Screen *screen = &viewer->screen;
    window_size(screen->window, &width, &height);
    if (width == 0 || height == 0) return 0.1; // minimized: nothing is drawn, however late it is
    if (screen->controls_stale || screen->controls_due > 0) return 0;
    return frame_pacing_patience(&viewer->picture.pacing, screen->picture_stale, clock_seconds());
}

// --- keeping up with the simulation ---

static void tell_scene(Viewer *viewer)
{
    const SceneFacts *facts = &viewer->playback.facts;
    uint32_t count = viewer->playback.snapshot->side[0].view.count;
    if (facts->spacing_meant > 0)
        screen_say(&viewer->screen,
                   "%s: %u particles, coarse at first; Enter takes the scene's spacing of %.4g m",
                   facts->name, count, (double)facts->spacing_meant);
    else
        screen_say(&viewer->screen, "%s: %u particles", facts->name, count);
}

static Result greet_scene(Session *session)
{
    Viewer *viewer = &session->viewer;
    const SceneFacts *facts = &viewer->playback.facts;
    if (facts->file_renewed) {
        if (!viewer->editor.on)
            camera_follow_file(&viewer->camera, &viewer->look.of_file.camera, &facts->render.camera);
        look_follow_file(&viewer->look, &facts->render);
    } else {
        camera_place(&viewer->camera, &facts->render.camera);
        look_start(&viewer->look, &facts->render);
        viewer->probe.on = false;
        viewer->hand.body = 0;
        session->input.drag = DRAG_NONE; // what it held is gone
    }
    scene_files_start(&viewer->files);
    settings_start(&viewer->settings);
    tell_scene(viewer);
    return picture_renew_renderers(&viewer->picture);
}

static Result look_at_simulation(Session *session)
{
    Viewer *viewer = &session->viewer;
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    // A photograph that is waited for is of what is shown.
    bool stays = viewer->recording.waits && !status.loading;
    if (!stays && playback_take(&viewer->playback)) TRY(greet_scene(session));
    editor_follow(&viewer->editor);
    TRY(picture_make_renderers(&viewer->picture)); // the mouse asks them where it is
    if (playback_follow(&viewer->playback, &status))
        frame_pacing_start_count(&viewer->picture.pacing, clock_seconds());
    return result_ok();
}

static const char *verdict_of(const SimSnapshot *snapshot)
{
    static const char *const verdicts[] = {[SPLIT_GOOD] = " - identical",
                                           [SPLIT_BAD] = " - different",
                                           [SPLIT_PLAIN] = " - different by rounding"};
    return snapshot->sides < 2 ? "" : verdicts[snapshot->text.mood];
}

static void renew_title(Session *session)
{
    double now = clock_seconds();
    char title[200];
    const Viewer *viewer = &session->viewer;
    const SimSnapshot *snapshot = viewer->playback.snapshot;
    const FrameView *newest = &snapshot->side[0].view;
    const Picture *picture = &viewer->picture;
    // What the picture shows; a window that is not drawn tells how far the water is.
    uint32_t width, height;
    window_size(viewer->screen.window, &width, &height);
    bool drawn = width > 0 && height > 0 && picture_is_there(picture);
    double time = drawn ? picture->drawn_time : newest->time;
    uint64_t step = drawn ? picture->drawn_step : newest->report.step;
    uint32_t count = drawn ? picture->drawn_count : newest->count;
    bool playing = simulation_status(viewer->playback.simulation).playing;
    snprintf(title, sizeof title, "%s - %.3f s, step %llu, %u particles%s%s%s", viewer->playback.facts.name,
             time, (unsigned long long)step, count, playing ? "" : " - PAUSED", verdict_of(snapshot),
             viewer->recording.recorder->kind != RECORD_NONE ? " - REC" : "");
    if (strcmp(title, session->title) == 0) return;
    if (playing && now - session->titled_at < TITLE_TIME) return;
    memcpy(session->title, title, sizeof title);
    session->titled_at = now;
    window_set_title(viewer->screen.window, title);
}

// With --frames the window closes when the last frame has been seen.
static bool all_shown(const Session *session)
{
    uint32_t frames = session->def->frames;
    const Playback *playback = &session->viewer.playback;
    return frames > 0 && session->drawn && simulation_status(playback->simulation).finished &&
           playback->snapshot->frame + 1 >= frames && playback->snapshot->on_frame &&
           !session->viewer.screen.picture_stale;
}

static Result run(Session *session)
{
    WindowEvent event;
    Viewer *viewer = &session->viewer;
    Window *window = viewer->screen.window;
    while (!viewer->quit && !window_wants_to_close(window) && !all_shown(session)) {
        window_wait(window, patience(viewer));
        TRY(session->def->interrupted());
        TRY(look_at_simulation(session));
        while (!viewer->quit && window_next_event(window, &event)) input_take_event(&session->input, &event);
        scene_files_watch(&viewer->files);
        screen_expire_message(&viewer->screen);
        first_run_watch(viewer);
        renew_title(session);
        double started = clock_seconds();
        TRY(draw(viewer, &session->drawn));
        session->input.draw_time_ignored += clock_seconds() - started;
    }
    return result_ok();
}

// --- life ---

// Gives each part the parts it uses.
static void connect(Session *session)
{
    const ViewerDef *def = session->def;
    Viewer *viewer = &session->viewer;
    Screen *screen = &viewer->screen;
    Playback *playback = &viewer->playback;
    Picture *picture = &viewer->picture;
    *screen = (Screen){.quiet = def->quiet, .picture_stale = true, .controls_stale = true, .enlarged = 1};
    *playback = (Playback){.screen = screen, .snapshot_number = 1, .begun = clock_seconds()};
    viewer->files = (SceneFiles){.screen = screen, .playback = playback, .listed_folder = def->scene_dir};
    viewer->question = (Question){.screen = screen};
    viewer->settings = (Settings){.screen = screen,
                                  .playback = playback,
                                  .question = &viewer->question,
                                  .sides_are_given = def->compare};
    viewer->look = (Look){
        .screen = screen, .playback = playback, .cells = def->show_cells, .clip_share = 0.5f, .wipe = 0.5f};
    *picture =
        (Picture){.screen = screen, .playback = playback, .look = &viewer->look, .camera = &viewer->camera};
    viewer->hand = (Hand){.screen = screen, .playback = playback, .picture = picture};
    viewer->editor =
        (Editor){.screen = screen, .playback = playback, .picture = picture, .camera = &viewer->camera};
    viewer->probe =
        (Probe){.screen = screen, .playback = playback, .picture = picture, .look = &viewer->look};
    viewer->recording = (Recording){.screen = screen, .playback = playback, .picture = picture};
    viewer->keeping = (Keeping){.screen = screen,
                                .playback = playback,
                                .picture = picture,
                                .look = &viewer->look,
                                .camera = &viewer->camera,
                                .recording = &viewer->recording};
    viewer->controls =
        (Controls){.picture = picture, .hud = true, .panel = true, .timeline = true, .scenes = def->list};
    viewer->plots = (Plots){.screen = screen, .playback = playback, .controls = &viewer->controls};
    plots_start(&viewer->plots);
    viewer->preferences = (Preferences){.screen = screen, .controls = &viewer->controls};
    session->input = (Input){.viewer = viewer};
}

// Completes a film with the frames it has so far.
static void save_recording(void *recorder)
{
    recorder_end(recorder);
}

static Result open_window(Viewer *viewer, const SceneDef *scene)
{
    Window **window = &viewer->screen.window;
    const RenderDef *render = &scene->output.render;
    viewer->look.def = *render;
    TRY(window_open("pbf", render->width, render->height, window));
    frame_pacing_start(&viewer->picture.pacing, gl_draws_on_processor());
    if (!controls_open(&viewer->controls))
        return result_error(RESULT_FAILED, "OpenGL: the controls could not be set up (%s)", gl_description());
    return greet(viewer, scene->name);
}

static Result start(Session *session, SharedScene *scene)
{
    const ViewerDef *def = session->def;
    Viewer *viewer = &session->viewer;
    preferences_start(&viewer->preferences, def->preferences);
    TRY(open_window(viewer, &scene->def));
    TRY(recorder_create(def->out, &viewer->recording.recorder));
    window_on_lost(save_recording, viewer->recording.recorder);
    SimulationDef simulation = {.read = def->read,
                                .read_sides = def->read_sides,
                                .read_state = def->read_state,
                                .write_state = def->write_state,
                                .context = def->context,
                                .states = def->states,
                                .frames = def->frames,
                                .playing = !def->paused,
                                .speed = def->frames > 0 ? INFINITY : 1,
                                .wake = window_wake};
    TRY(simulation_start(&simulation, scene, &viewer->playback.simulation));
    if (def->compare) {
        controls_put_panel_away(&viewer->controls);
        settings_compare(&viewer->settings);
    }
    simulation_want_mesh(viewer->playback.simulation, render_style_needs_mesh(viewer->look.def.style));
    return result_ok();
}

static void close_all(Session *session)
{
    Viewer *viewer = &session->viewer;
    // A step may take long: the window need not wait for it.
    if (viewer->screen.window) window_hide(viewer->screen.window);
    editor_free(&viewer->editor);
    simulation_stop(viewer->playback.simulation);
    recorder_destroy(viewer->recording.recorder);
    picture_free(&viewer->picture);
    if (viewer->screen.window) scene_pictures_free(&viewer->pictures);
    gui_close(viewer->controls.gui);
    window_close(viewer->screen.window);
    memory_free(session);
}

Result viewer_run(const ViewerDef *def, SceneDef *scene)
{
    SharedScene *shared;
    TRY(shared_scene_create(scene, &shared));
    Session *session = memory_allocate_zeroed(sizeof *session);
    if (!session) {
        shared_scene_release(shared);
        return result_no_memory("the viewer", sizeof *session);
    }
    session->def = def;
    connect(session);
    Result result = start(session, shared);
    shared_scene_release(shared); // the simulation holds it, as long as it needs it
    if (result_is_ok(&result)) result = run(session);
    close_all(session);
    return result;
}
