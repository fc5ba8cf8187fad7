// The viewer's life: window, loop, end.
#include "viewer/viewer.h"

#include "core/clock.h"
#include "core/memory.h"
#include "render/gl_functions.h"
#include "viewer/input.h"
#include "viewer/viewer_draw.h"

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

// --- keeping up with the simulation ---

static Result greet_scene(Session *session)
{
    Viewer *viewer = &session->viewer;
    const SceneFacts *facts = &viewer->playback.facts;
    if (facts->file_renewed) {
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
    screen_say(&viewer->screen, "%s: %u particles", facts->name,
               viewer->playback.snapshot->side[0].view.count);
    return picture_renew_renderers(&viewer->picture);
}

static Result look_at_simulation(Session *session)
{
    Viewer *viewer = &session->viewer;
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    if (playback_take(&viewer->playback)) TRY(greet_scene(session));
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
    const FrameView *view = &snapshot->side[0].view;
    bool playing = simulation_status(viewer->playback.simulation).playing;
    snprintf(title, sizeof title, "%s - %.3f s, step %llu, %u particles%s%s%s", viewer->playback.facts.name,
             view->time, (unsigned long long)view->report.step, view->count, playing ? "" : " - PAUSED",
             verdict_of(snapshot), recorder_kind(viewer->recording.recorder) != RECORD_NONE ? " - REC" : "");
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
        window_wait(window, viewer_patience(viewer));
        TRY(session->def->interrupted());
        TRY(look_at_simulation(session));
        while (!viewer->quit && window_next_event(window, &event)) input_take_event(&session->input, &event);
        scene_files_watch(&viewer->files);
        screen_expire_message(&viewer->screen);
        renew_title(session);
        double started = clock_seconds();
        TRY(viewer_draw(viewer, &session->drawn));
        session->input.draw_time_ignored += clock_seconds() - started;
    }
    return result_ok();
}

// --- life ---

// Who knows whom.
static void connect(Session *session)
{
    const ViewerDef *def = session->def;
    Viewer *viewer = &session->viewer;
    Screen *screen = &viewer->screen;
    Playback *playback = &viewer->playback;
    Picture *picture = &viewer->picture;
    *screen = (Screen){.quiet = def->quiet, .picture_stale = true, .controls_stale = true};
    *playback = (Playback){.screen = screen, .snapshot_number = 1};
    viewer->files = (SceneFiles){.screen = screen, .playback = playback, .listed_folder = def->scene_dir};
    viewer->settings = (Settings){.screen = screen, .playback = playback, .sides_are_given = def->compare};
    viewer->look =
        (Look){.screen = screen, .playback = playback, .cells = def->show_cells, .clip_share = 0.5f};
    *picture =
        (Picture){.screen = screen, .playback = playback, .look = &viewer->look, .camera = &viewer->camera};
    viewer->hand = (Hand){.screen = screen, .playback = playback, .picture = picture};
    viewer->probe = (Probe){.screen = screen, .playback = playback, .picture = picture};
    viewer->recording = (Recording){.screen = screen, .playback = playback, .picture = picture};
    viewer->controls = (Controls){.picture = picture, .hud = true, .panel = true};
    session->input = (Input){.viewer = viewer};
}

// The frames that a film has so far make a film.
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
    viewer->controls.gui = gui_open(window_scale(*window));
    if (!viewer->controls.gui)
        return result_error(RESULT_FAILED, "OpenGL: the controls could not be set up (%s)",
                            window_description(*window));
    return viewer_greet(viewer, scene->name);
}

static Result start(Session *session, SharedScene *scene)
{
    const ViewerDef *def = session->def;
    Viewer *viewer = &session->viewer;
    TRY(open_window(viewer, &scene->def));
    TRY(recorder_create(def->out, &viewer->recording.recorder));
    window_on_lost(save_recording, viewer->recording.recorder);
    SimulationDef simulation = {.read = def->read,
                                .read_sides = def->read_sides,
                                .context = def->context,
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
    simulation_stop(viewer->playback.simulation);
    recorder_destroy(viewer->recording.recorder);
    picture_free(&viewer->picture);
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
