#include "viewer/stepper.h"

#include "core/clock.h"
#include "scene/lockstep_text.h"
#include "viewer/parameters.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

// Steps yield to the window where both want the same cores: the window works rarely and briefly.
static const int STEP_NICENESS = 10;
// At most this part of the time goes into surfaces while steps could be taken instead.
static const double MESH_SHARE = 0.4;
// The most single steps that wait; what is asked for beyond is dropped.
static const uint32_t DUE_MAX = 4;

// --- simulated time against the clock on the wall ---

static void anchor(WaterClock *clock, double time)
{
    clock->anchor_clock = clock_seconds();
    clock->anchor_time = time;
}

static void start_count(WaterClock *clock, double time)
{
    clock->rate_clock = clock_seconds();
    clock->rate_time = time;
    clock->rate_waited = 0;
    clock->rate_steps = 0;
}

// Starts pacing and counting steps. time: simulated, now.
static void start_pacing(WaterClock *clock, double time)
{
    anchor(clock, time);
    start_count(clock, time);
}

// How long to wait so that simulated time does not run ahead at this speed; not at all if it is not positive.
static double time_ahead(WaterClock *clock, double time, double speed)
{
    if (!isfinite(speed)) return 0;
    double ahead = (time - clock->anchor_time) / speed - (clock_seconds() - clock->anchor_clock);
    // Water that is slower than the clock does not catch up later.
    if (ahead < -0.1) anchor(clock, time);
    return ahead;
}

// A step has ended at `time`. True if there have been enough of them to tell *rates.
static bool count_rates(WaterClock *clock, double time, WaterRates *rates)
{
    double elapsed = clock_seconds() - clock->rate_clock;
    clock->rate_steps++;
    if (elapsed <= 0.5) return false;
    *rates = (WaterRates){.steps = clock->rate_steps / elapsed,
                          .time = (time - clock->rate_time) / elapsed,
                          .idle = clock->rate_waited / elapsed};
    if (elapsed > 2) start_count(clock, time);
    return true;
}

// --- what the window sees ---

static const SceneDef *scene_of(const Stepper *self)
{
    return &self->sides.side[0].scene->def;
}

// The water cannot go on.
static void fail(Stepper *self, Result error)
{
    self->steps_due = self->frames_due = 0;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.playing = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    exchange_tell(self->exchange, error);
}

// Tells the window what the scene is now.
static void renew_facts(Stepper *self, bool new_scene, bool same_file)
{
    const SceneDef *scene = scene_of(self);
    SceneFacts *facts = &self->exchange->facts;
    pthread_mutex_lock(&self->exchange->mutex);
    facts->number += new_scene;
    facts->revision++;
    memcpy(facts->name, scene->name, sizeof facts->name);
    memcpy(facts->description, scene->description, sizeof facts->description);
    memcpy(facts->path, scene->path, sizeof facts->path);
    memcpy(facts->scene, scene->source.path, sizeof facts->scene);
    facts->fluid = self->sides.side[0].fluid;
    facts->render = scene->output.render;
    facts->tank = scene->tank;
    facts->tank_corner = scene->tank_corner;
    facts->fps = scene->output.fps;
    facts->duration = scene->output.duration;
    if (new_scene) facts->file_renewed = same_file;
    facts->compared = sides_count(&self->sides) > 1 ? self->sides.compared : PARAMETER_NONE;
    pthread_mutex_unlock(&self->exchange->mutex);
}

static void tell_comparison(const Sides *sides, SimSnapshot *snapshot)
{
    const LockstepCost cost[2] = {*lockstep_cost(sides->lockstep, 0), *lockstep_cost(sides->lockstep, 1)};
    for (int side = 0; side < 2; side++)
        memcpy(snapshot->name[side], sides->side[side].name, sizeof snapshot->name[side]);
    snapshot->text = (SplitText){.title = {snapshot->name[0], snapshot->name[1]}};
    lockstep_text(sides->lockstep, &sides->side[0].fluid, &sides->side[1].fluid, cost, &snapshot->text);
}

// Is the present state that of the last frame that was reached?
static bool is_on_frame(const Stepper *self)
{
    return sides_time(&self->sides) <= self->frame / scene_of(self)->output.fps;
}

static Result fill_snapshot(Stepper *self, SimSnapshot *snapshot)
{
    double started = clock_seconds();
    const Sides *sides = &self->sides;
    snapshot->sides = sides_count(sides);
    for (uint32_t side = 0; side < snapshot->sides; side++) {
        FrameView view = fluid_view(sides_fluid(sides, side));
        TRY(snapshot_take(&snapshot->side[side], &view, 2 * self->fluid_number + side));
        if (self->want_mesh) TRY(snapshot_add_mesh(&snapshot->side[side], &scene_of(self)->surface));
        memcpy(snapshot->method[side], sides->side[side].fluid.neighbor, sizeof snapshot->method[side]);
    }
    if (self->want_mesh) self->mesh_due = started + (clock_seconds() - started) / MESH_SHARE;
    if (snapshot->sides > 1) tell_comparison(sides, snapshot);
    snapshot->scene = self->exchange->facts.number;
    snapshot->fluid = self->fluid_number;
    snapshot->frame = self->frame;
    snapshot->on_frame = is_on_frame(self);
    return result_ok();
}

static void show(Stepper *self)
{
    Result result = fill_snapshot(self, self->exchange->spare);
    self->unshown = false;
    if (result_is_ok(&result)) {
        exchange_show(self->exchange);
        self->exchange->wake();
    } else {
        fail(self, result);
    }
    exchange_end_loading(self->exchange);
}

// --- what the window asks for, carried out between steps ---

static void start_clock(Stepper *self)
{
    start_pacing(&self->clock, sides_time(&self->sides));
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.rate = (WaterRates){0};
    pthread_mutex_unlock(&self->exchange->mutex);
}

// The fluids have been replaced; their first state has to be shown.
static void start_over(Stepper *self)
{
    const SceneStart *start = scene_of(self)->start;
    self->fluid_number++;
    self->frame = start ? start->frame : 0;
    self->steps_due = self->frames_due = 0;
    self->force_until = 0;
    self->unshown = true;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.steps = 0;
    self->exchange->status.comparing = sides_count(&self->sides) > 1;
    self->exchange->status.finished = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    start_clock(self);
}

static Result restart(Stepper *self, const Request *request)
{
    Sides *sides = &self->sides;
    bool loads = request->kind == REQUEST_LOAD;
    if (loads)
        TRY(sides_load(sides, request->load.path, request->load.spacing, request->load.what));
    else if (request->kind == REQUEST_COMPARE)
        TRY(sides_compare(sides, request->compare.what, request->compare.method[0],
                          request->compare.method[1]));
    else
        TRY(sides_reset(sides));
    start_over(self);
    if (request->kind != REQUEST_RESET) renew_facts(self, loads, loads && request->load.what != LOAD_OTHER);
    return result_ok();
}

static Result set(Stepper *self, uint32_t parameter, float value)
{
    Result result = sides_set(&self->sides, parameter, value);
    renew_facts(self, false, false); // the window has the new value already, and may be wrong
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
    case REQUEST_COMPARE:
        return restart(self, request);
    case REQUEST_SET:
        return set(self, request->set.parameter, request->set.value);
    case REQUEST_FORCE:
        self->force = request->force.force;
        self->force_until = sides_time(&self->sides) + request->force.seconds;
        break;
    case REQUEST_BALL:
        self->unshown = true;
        return sides_drop_ball(&self->sides, request->ball.center, request->ball.radius);
    case REQUEST_SHIFT:
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
    bool counted = count_rates(&self->clock, sides_time(&self->sides), &rates);
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.steps++;
    if (counted) self->exchange->status.rate = rates;
    pthread_mutex_unlock(&self->exchange->mutex);
}

static Result step(Stepper *self)
{
    Sides *sides = &self->sides;
    double until = (self->frame + 1) / scene_of(self)->output.fps;
    bool met = !sides->lockstep;
    if (sides_time(sides) < self->force_until) sides_push(sides, &self->force);
    if (!sides->lockstep) TRY(fluid_step(sides->fluid, until, NULL));
    while (!met && !exchange_asked_to_quit(self->exchange)) TRY(lockstep_step(sides->lockstep, until, &met));
    self->unshown = true;
    bool reached = sides_time(sides) >= until;
    if (reached) self->frame++;
    if (reached && self->frames_due > 0) self->frames_due--;
    if (self->steps_due > 0) self->steps_due--;
    count_step(self);
    return result_ok();
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
    return !self->wait_at_frames || !is_on_frame(self) ||
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
    bool recorded_next = self->wait_at_frames && is_on_frame(self);
    if (self->unshown && (idle || wanted || recorded_next)) show(self);
}

// Steps if there is something to do. Returns how long to wait for requests before the next look, s.
static double work(Stepper *self)
{
    SimulationStatus status = exchange_status(self->exchange);
    bool recorded = is_recorded(self), wants = wants_to_move(self, &status);
    if (wants && recorded && !at_the_end(self)) {
        double time = sides_time(&self->sides);
        double ahead = status.playing ? time_ahead(&self->clock, time, status.speed) : 0;
        if (ahead > 0) {
            if (self->unshown) show(self);
            return ahead;
        }
        Result result = step(self);
        if (!result_is_ok(&result)) fail(self, result);
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

Result stepper_start(Stepper *self, const SimulationDef *def, SharedScene *scene, Exchange *exchange)
{
    self->exchange = exchange;
    self->frames = def->frames;
    self->sides = (Sides){.read = def->read, .read_sides = def->read_sides, .context = def->context};
    TRY(sides_start(&self->sides, scene));
    start_over(self);
    renew_facts(self, true, false);
    Result result = fill_snapshot(self, exchange->taken);
    self->unshown = false;
    return result;
}

void stepper_free(Stepper *self)
{
    sides_free(&self->sides);
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
            if (!result_is_ok(&result)) exchange_end_loading(self->exchange);
            request_free(&request);
            wait = 0;
        }
        if (exchange_asked_to_quit(self->exchange)) break;
        wait = work(self);
    }
}
