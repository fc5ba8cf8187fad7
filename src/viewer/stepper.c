#include "viewer/stepper.h"

#include "core/clock.h"
#include "core/memory.h"
#include "viewer/stepper_show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

// Steps yield to the window where both want the same cores: the window works rarely and briefly.
static const int STEP_NICENESS = 10;
// Remembered states take at most this share of the memory that is free at the start, and so many bytes.
static const double HISTORY_SHARE = 0.25, HISTORY_MOST = 1e9;
// The most single steps that wait; what is asked for beyond is dropped.
static const uint32_t DUE_MAX = 4;

// --- what the window asks for, carried out between steps ---

static void start_clock(Stepper *self)
{
    water_clock_start(&self->clock, sides_time(&self->sides));
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.rate = (WaterRates){0};
    pthread_mutex_unlock(&self->exchange->mutex);
}

// Other fluids stand in the place of the ones before, at their time or another.
static void renew_fluids(Stepper *self)
{
    self->fluid_number++;
    self->unshown = true;
    exchange_tell_sides(self->exchange, sides_count(&self->sides));
    start_clock(self);
}

// The fluids have been replaced; their first state has to be shown.
static void start_over(Stepper *self)
{
    const SceneStart *start = stepper_scene(self)->start;
    self->frame = start ? start->frame : 0;
    self->steps_due = self->frames_due = 0;
    self->force_until = 0;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.steps = 0;
    self->exchange->status.finished = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    measurements_cut(&self->measurements, -INFINITY);
    renew_fluids(self);
}

static double next_frame_time(const Stepper *self)
{
    return (self->frame + 1) / stepper_scene(self)->output.fps;
}

// The frame that a state follows: a side that stepped ahead of the other one may have reached the next.
static uint32_t frame_at(const Stepper *self, double time)
{
    uint32_t frame = self->frame;
    while (time >= (frame + 1) / stepper_scene(self)->output.fps) frame++;
    return frame;
}

// --- remembered states ---

// The left side is remembered, which may be ahead.
static Result remember(Stepper *self)
{
    Moment *moment;
    double time = fluid_time(sides_fluid(&self->sides, 0));
    const Moment *there = history_nearest(&self->history, time);
    if (there && there->time == time) return result_ok();
    TRY(sides_remember(&self->sides, &moment));
    moment->frame = frame_at(self, time);
    moment->between = stepper_is_between(self, time, moment->frame);
    moment->steps = exchange_status(self->exchange).steps;
    moment->touched = self->touched;
    self->touched = false;
    return history_add(&self->history, moment);
}

// What comes will not be what is remembered of it.
static void touch(Stepper *self)
{
    history_branch(&self->history, sides_time(&self->sides));
    measurements_cut(&self->measurements, sides_time(&self->sides));
    self->touched = true;
}

static Result go_to(Stepper *self, const Moment *moment)
{
    const Side *left = &self->sides.side[0];
    bool other, other_scene = moment->scene != left->scene;
    bool same_file = strcmp(moment->scene->def.path, left->scene->def.path) == 0;
    bool other_settings = memcmp(&moment->fluid, &left->fluid, sizeof left->fluid) != 0;
    TRY(sides_restore(&self->sides, moment, &other));
    self->frame = moment->frame;
    self->force_until = 0;
    self->unshown = true;
    self->touched = false;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.steps = moment->steps;
    self->exchange->status.finished = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    if (other) renew_fluids(self);
    if (other || other_scene || other_settings) stepper_renew_facts(self, other_scene, same_file);
    return result_ok();
}

static Result travel(Stepper *self, const Request *request)
{
    const Moment *moment = NULL;
    double now = sides_time(&self->sides);
    self->steps_due = self->frames_due = 0;
    TRY(remember(self)); // to come back to
    if (request->kind == REQUEST_SCRUB) moment = history_nearest(&self->history, request->scrub);
    if (request->kind == REQUEST_BACK) moment = history_beside(&self->history, now, -1);
    if (request->kind == REQUEST_UNDO) moment = history_change_run(&self->history, request->direction);
    if (moment && request->kind == REQUEST_UNDO)
        measurements_cut(&self->measurements, -INFINITY); // another run
    if (moment && (moment->time != now || request->kind == REQUEST_UNDO)) TRY(go_to(self, moment));
    start_clock(self);
    return result_ok();
}

// Remembers the states of a folder, and goes to the first one.
static Result recall(Stepper *self, const char *path)
{
    const Moment *first = NULL;
    for (uint32_t k = 0; self->read_state; k++) {
        uint32_t frame = 0;
        Moment *moment;
        StateBlocks state = {0};
        TRY(self->read_state(path, k, stepper_scene(self)->output.fps, self->sides.context, &state, &frame));
        if (state.count == 0) break;
        TRY(sides_recall(&self->sides, &state, frame, &moment));
        if (moment) TRY(history_add(&self->history, moment));
        self->recalled |= moment != NULL;
    }
    if (self->recalled) first = history_nearest(&self->history, 0);
    return first ? go_to(self, first) : result_ok();
}

static Result save_scene(Stepper *self, const KeptScene *kept)
{
    char text[4300];
    TRY(kept_scene_write(kept, &self->sides));
    snprintf(text, sizeof text, "saved %s", kept->path);
    exchange_note(self->exchange, text);
    return result_ok();
}

static Result save(Stepper *self)
{
    SceneDef scene;
    char path[4096], text[4200];
    if (!self->write_state) return result_error(RESULT_FAILED, "states cannot be saved here");
    TRY(sides_scene_now(&self->sides, &scene));
    Fluid *fluid = sides_fluid(&self->sides, 0);
    uint32_t frame = frame_at(self, fluid_time(fluid));
    bool between = stepper_is_between(self, fluid_time(fluid), frame);
    Result result = self->write_state(&scene, fluid, frame, between, self->sides.context, path);
    scene_source_free(&scene.source);
    if (!result_is_ok(&result)) return result;
    snprintf(text, sizeof text, "saved %s", path);
    exchange_note(self->exchange, text);
    return result_ok();
}

// The next remembered state, if time goes on as it did.
static const Moment *next_remembered(const Stepper *self)
{
    double now = sides_time(&self->sides);
    uint32_t begin, end;
    if (self->sides.lockstep || self->steps_due > 0 || self->frames_due > 0) return NULL;
    const Moment *next = history_beside(&self->history, now, 1);
    if (next) return next;
    history_range(&self->history, &begin, &end);
    return exchange_status(self->exchange).looping && end > begin + 1 ? self->history.moments[begin] : NULL;
}

static Result replay(Stepper *self, const Moment *moment)
{
    bool again = moment->time < sides_time(&self->sides);
    TRY(go_to(self, moment));
    if (again) start_clock(self);
    return result_ok();
}

static Result compare(Stepper *self, const Comparison *comparison)
{
    bool anew;
    Result result = sides_compare(&self->sides, comparison, &anew);
    if (anew && result_is_ok(&result)) {
        start_over(self);
        history_begin_run(&self->history);
    } else {
        renew_fluids(self);
    }
    self->frame = frame_at(self, sides_time(&self->sides));
    stepper_renew_facts(self, false, false);
    return result;
}

static Result restart(Stepper *self, const Request *request)
{
    Sides *sides = &self->sides;
    bool loads = request->kind == REQUEST_LOAD, edits = request->kind == REQUEST_EDIT;
    TRY(remember(self)); // undo returns to it
    if (edits)
        TRY(sides_edit(sides, request->edit));
    else if (loads)
        TRY(sides_load(sides, request->load.path, request->load.spacing, request->load.what));
    else
        TRY(sides_reset(sides));
    start_over(self);
    history_begin_run(&self->history);
    self->recalled = false;
    TRY(remember(self));
    if (loads) TRY(recall(self, request->load.path));
    if (loads || edits) stepper_renew_facts(self, true, edits || request->load.what != LOAD_OTHER);
    return result_ok();
}

static Result set(Stepper *self, uint32_t parameter, float value)
{
    touch(self);
    Result result = sides_set(&self->sides, parameter, value);
    stepper_renew_facts(self, false, false); // the window has the new value already, and may be wrong
    return result;
}

static void move(Stepper *self, uint32_t *due)
{
    start_clock(self);
    if (*due < DUE_MAX) ++*due;
}

static Result carry_out(Stepper *self, const Request *request)
{
    switch (request->kind) {
    case REQUEST_PLAY:
        self->steps_due = self->frames_due = 0;
        start_clock(self);
        break;
    case REQUEST_SPEED:
        start_clock(self);
        break;
    case REQUEST_STEP:
        move(self, &self->steps_due);
        break;
    case REQUEST_FRAME:
        move(self, &self->frames_due);
        break;
    case REQUEST_RESET:
    case REQUEST_LOAD:
    case REQUEST_EDIT:
        return restart(self, request);
    case REQUEST_COMPARE:
        return compare(self, &request->compare);
    case REQUEST_SET:
        return set(self, request->set.parameter, request->set.value);
    case REQUEST_SCRUB:
    case REQUEST_BACK:
    case REQUEST_UNDO:
        return travel(self, request);
    case REQUEST_SAVE:
        return request->save ? save_scene(self, request->save) : save(self);
    case REQUEST_LOOP: // the status knows
        break;
    case REQUEST_FORCE:
        touch(self);
        self->force = request->force.force;
        self->force_until = sides_time(&self->sides) + request->force.seconds;
        break;
    case REQUEST_BALL:
        touch(self);
        self->unshown = true;
        return sides_drop_ball(&self->sides, request->ball.center, request->ball.radius);
    case REQUEST_SHIFT:
        touch(self);
        return sides_shift_obstacle(&self->sides, request->shift.body, request->shift.offset,
                                    request->shift.speed);
    case REQUEST_MESH:
        if (request->mesh && !self->want_mesh) self->unshown = true;
        self->want_mesh = request->mesh;
        break;
    case REQUEST_WAIT_AT_FRAMES:
        self->wait_at_frames = request->wait_at_frames;
        break;
    }
    return result_ok();
}

// --- the thread ---

static void count_step(Stepper *self)
{
    WaterRates rates;
    bool counted = water_clock_count(&self->clock, sides_time(&self->sides), &rates);
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.steps++;
    if (counted) self->exchange->status.rate = rates;
    pthread_mutex_unlock(&self->exchange->mutex);
}

// Steps all sides until they meet, or the step does not count any more.
static Result step_sides(Stepper *self, double until, bool *met)
{
    Sides *sides = &self->sides;
    Result result = result_ok();
    *met = false;
    if (sides->lockstep) {
        while (!*met && !self->exchange->hurry && result_is_ok(&result))
            result = lockstep_step(sides->lockstep, until, met);
    } else {
        result = fluid_step(sides->fluid, until, NULL);
        *met = result_is_ok(&result);
    }
    return result.code == RESULT_STOPPED ? result_ok() : result;
}

// A frame that is remembered otherwise was reached before the user acted: both are kept.
static Result remember_frame(Stepper *self)
{
    const Moment *there = history_nearest(&self->history, sides_time(&self->sides));
    if (there && there->time == sides_time(&self->sides) && there->touched)
        history_branch(&self->history, nextafter(there->time, 0));
    return remember(self);
}

static Result finish_frame(Stepper *self)
{
    FrameView view = fluid_view(sides_fluid(&self->sides, 0));
    TRY(measurements_add(&self->measurements, &view, self->sides.side[0].fluid.gravity));
    return remember_frame(self);
}

static Result step(Stepper *self)
{
    bool met;
    Sides *sides = &self->sides;
    double until = next_frame_time(self);
    if (sides_time(sides) < self->force_until) sides_push(sides, &self->force);
    TRY(step_sides(self, until, &met));
    if (!met) return result_ok();
    self->unshown = true;
    bool reached = sides_time(sides) >= until;
    if (reached) self->frame++;
    if (reached && self->frames_due > 0) self->frames_due--;
    if (self->steps_due > 0) self->steps_due--;
    count_step(self);
    return reached ? finish_frame(self) : result_ok();
}

// Has the last of the frames asked for been reached?
static bool at_the_end(Stepper *self)
{
    return self->frames > 0 && self->frame + 1 >= self->frames;
}

static void end_run(Stepper *self)
{
    pthread_mutex_lock(&self->exchange->mutex);
    bool first = !self->exchange->status.finished;
    self->exchange->status.playing = false;
    self->exchange->status.finished = true;
    pthread_mutex_unlock(&self->exchange->mutex);
    if (first) self->exchange->wake();
}

// Has the present frame been recorded, so that time may go on?
static bool is_recorded(Stepper *self)
{
    return !self->wait_at_frames || !stepper_is_on_frame(self) ||
           (!self->unshown && exchange_window_is_waiting(self->exchange));
}

static bool wants_to_move(const Stepper *self, const SimulationStatus *status)
{
    return status->playing || self->steps_due > 0 || self->frames_due > 0;
}

// Makes a snapshot if there is time for it or the window needs it.
static void show_if_due(Stepper *self, bool idle)
{
    // While it plays, a mesh that nobody waits for is not worth the time; a copy costs little.
    bool wanted =
        !self->want_mesh || (exchange_window_is_waiting(self->exchange) && clock_seconds() >= self->mesh_due);
    bool recorded_next = self->wait_at_frames && stepper_is_on_frame(self);
    if (self->unshown && (idle || wanted || recorded_next)) stepper_show(self);
}

static void tell_replaying(Stepper *self, bool replaying)
{
    if (exchange_status(self->exchange).replaying == replaying) return;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.replaying = replaying;
    pthread_mutex_unlock(&self->exchange->mutex);
    start_clock(self);
}

// The last state of a folder has been shown: what comes is simulated, if the user wants it.
static double stand_still(Stepper *self)
{
    self->recalled = false;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.playing = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    exchange_note(self->exchange, "the last stored state; Space goes on from it");
    return 0;
}

// Steps if there is something to do. Returns how long to wait for requests before the next look, s.
static double work(Stepper *self)
{
    SimulationStatus status = exchange_status(self->exchange);
    bool recorded = is_recorded(self), wants = wants_to_move(self, &status);
    if (wants && recorded && !at_the_end(self)) {
        double time = sides_time(&self->sides);
        double ahead = status.playing ? water_clock_ahead(&self->clock, time, status.speed) : 0;
        if (ahead > 0) {
            if (self->unshown) stepper_show(self);
            return ahead;
        }
        const Moment *next = next_remembered(self);
        tell_replaying(self, next != NULL);
        if (!next && self->recalled && status.playing) return stand_still(self);
        Result result = next ? replay(self, next) : step(self);
        if (!result_is_ok(&result)) stepper_fail(self, result);
    }
    status = exchange_status(self->exchange);
    bool idle = at_the_end(self) || !wants_to_move(self, &status);
    show_if_due(self, idle);
    if (at_the_end(self) && !self->unshown) end_run(self);
    if (wants && !recorded) return 0.01;
    return wants && !idle ? 0 : INFINITY;
}

// Waits for a request, or for the clock.
static bool next_request(Stepper *self, double wait, Request *out)
{
    double from = clock_seconds();
    bool found = exchange_next_request(self->exchange, wait, out);
    if (isfinite(wait) && wait > 0) self->clock.rate_waited += clock_seconds() - from;
    return found;
}

// Bytes for remembered states.
static size_t history_budget(void)
{
    return (size_t)fmin(HISTORY_MOST, HISTORY_SHARE * (double)memory_available());
}

Result stepper_start(Stepper *self, const SimulationDef *def, SharedScene *scene, Exchange *exchange)
{
    self->exchange = exchange;
    self->frames = def->frames;
    self->sides = (Sides){
        .read = def->read, .read_sides = def->read_sides, .context = def->context, .stop = &exchange->hurry};
    history_open(&self->history, def->budget ? def->budget : history_budget());
    TRY(measurements_open(&self->measurements));
    TRY(quantities_create(&self->quality));
    TRY(sides_start(&self->sides, scene));
    self->read_state = def->read_state;
    self->write_state = def->write_state;
    start_over(self);
    TRY(remember(self));
    if (def->states) TRY(recall(self, def->states));
    stepper_renew_facts(self, true, false);
    Result result = stepper_fill(self, exchange->taken);
    self->unshown = false;
    return result;
}

void stepper_free(Stepper *self)
{
    history_free(&self->history);
    measurements_close(&self->measurements);
    sides_free(&self->sides);
    quantities_free(self->quality);
}

void stepper_run(Stepper *self)
{
    Request request;
    // On Linux the niceness is the thread's own, and the threads that it starts inherit it.
    setpriority(PRIO_PROCESS, 0, STEP_NICENESS);
    for (double wait = 0; !exchange_asked_to_quit(self->exchange);) {
        while (next_request(self, wait, &request)) {
            Result result = carry_out(self, &request);
            bool restarted = request_starts_over(request.kind);
            if (restarted || !result_is_ok(&result)) exchange_tell(self->exchange, result);
            // The next step may take long: what is new is shown before it.
            if (restarted && self->unshown) stepper_show(self);
            if (restarted) exchange_end_loading(self->exchange); // there may be nothing new
            request_free(&request);
            wait = 0;
        }
        if (exchange_asked_to_quit(self->exchange)) break;
        wait = work(self);
    }
}
