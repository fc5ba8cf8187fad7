#include "viewer/simulation.h"

#include "core/clock.h"
#include "core/memory.h"
#include "scene/lockstep_text.h"
#include "viewer/simulation_state.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// Steps give way to the window where both want the same cores: the window works rarely and for a short time.
static const int STEP_NICENESS = 10;
// At most this part of the time goes into surfaces while steps could be taken instead.
static const double MESH_SHARE = 0.4;

// --- what the window sees ---

static void tell_outcome(Simulation *self, Result error)
{
    pthread_mutex_lock(&self->mutex);
    self->status.error = error;
    if (!result_is_ok(&error)) self->status.errors++;
    pthread_mutex_unlock(&self->mutex);
    self->def.wake();
}

// The water cannot go on.
static void fail(Simulation *self, Result error)
{
    self->steps_due = self->frames_due = 0;
    pthread_mutex_lock(&self->mutex);
    self->status.playing = false;
    pthread_mutex_unlock(&self->mutex);
    tell_outcome(self, error);
}

static void tell_comparison(Simulation *self, Shot *shot)
{
    const LockstepCost cost[2] = {*lockstep_cost(self->lockstep, 0), *lockstep_cost(self->lockstep, 1)};
    memcpy(shot->name, self->name, sizeof shot->name);
    shot->text = (SplitText){.title = {shot->name[0], shot->name[1]}};
    lockstep_text(self->lockstep, &self->scene.fluid, &self->other.fluid, cost, &shot->text);
}

// Is the present state that of the last frame that was reached?
static bool is_on_frame(Simulation *self)
{
    return simulation_time(self) <= self->frame / self->scene.output.fps;
}

static Result fill_shot(Simulation *self, Shot *shot)
{
    double started = clock_seconds();
    shot->sides = self->lockstep ? 2 : 1;
    for (int side = 0; side < (int)shot->sides; side++) {
        FrameView view = fluid_view(simulation_side(self, side));
        TRY(snapshot_take(&shot->side[side], &view, 2 * self->fluid_number + (uint64_t)side));
        if (self->want_mesh) TRY(snapshot_add_mesh(&shot->side[side], &self->scene.surface));
    }
    if (self->want_mesh) self->mesh_due = started + (clock_seconds() - started) / MESH_SHARE;
    memcpy(shot->method[0], self->scene.fluid.neighbor, sizeof shot->method[0]);
    memcpy(shot->method[1], self->other.fluid.neighbor, sizeof shot->method[1]);
    if (self->lockstep) tell_comparison(self, shot);
    shot->scene = self->facts.number;
    shot->fluid = self->fluid_number;
    shot->frame = self->frame;
    shot->on_frame = is_on_frame(self);
    return result_ok();
}

// Has the window taken the last shot?
static bool window_is_waiting(Simulation *self)
{
    pthread_mutex_lock(&self->mutex);
    bool waiting = !self->ready_is_new;
    pthread_mutex_unlock(&self->mutex);
    return waiting;
}

// What was asked for is there, unless more has been asked for since.
static void end_loading(Simulation *self)
{
    bool more = false;
    pthread_mutex_lock(&self->mutex);
    for (uint32_t k = 0; k < self->count; k++) more |= simulation_starts_over(self->requests[k].kind);
    self->status.loading = more;
    pthread_mutex_unlock(&self->mutex);
}

static void show(Simulation *self)
{
    Result result = fill_shot(self, self->spare);
    self->unshown = false;
    if (!result_is_ok(&result)) {
        fail(self, result);
        end_loading(self);
        return;
    }
    pthread_mutex_lock(&self->mutex);
    Shot *shot = self->spare;
    self->spare = self->ready;
    self->ready = shot;
    self->ready_is_new = true;
    pthread_mutex_unlock(&self->mutex);
    end_loading(self);
    self->def.wake();
}

// --- the thread ---

static bool asked_to_quit(Simulation *self)
{
    pthread_mutex_lock(&self->mutex);
    bool quit = self->quit;
    pthread_mutex_unlock(&self->mutex);
    return quit;
}

static void set_forces(Simulation *self)
{
    if (simulation_time(self) >= self->force_until) return;
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        fluid_set_forces(simulation_side(self, side), &self->force, 1);
}

static void count_step(Simulation *self)
{
    double elapsed = clock_seconds() - self->rate_clock;
    self->rate_steps++;
    pthread_mutex_lock(&self->mutex);
    SimulationStatus *status = &self->status;
    status->steps++;
    if (elapsed > 0.5) {
        status->step_rate = self->rate_steps / elapsed;
        status->time_rate = (simulation_time(self) - self->rate_time) / elapsed;
        status->idle = self->rate_waited / elapsed;
    }
    pthread_mutex_unlock(&self->mutex);
    if (elapsed > 2) simulation_start_count(self);
}

static Result step(Simulation *self)
{
    double until = (self->frame + 1) / self->scene.output.fps;
    bool met = !self->lockstep;
    set_forces(self);
    if (!self->lockstep) TRY(fluid_step(self->fluid, until, NULL));
    while (!met && !asked_to_quit(self)) TRY(lockstep_step(self->lockstep, until, &met));
    self->unshown = true;
    bool reached = simulation_time(self) >= until;
    if (reached) self->frame++;
    if (reached && self->frames_due > 0) self->frames_due--;
    if (self->steps_due > 0) self->steps_due--;
    count_step(self);
    return result_ok();
}

// How long to wait so that simulated time does not run ahead, s.
static double time_ahead(Simulation *self, double speed)
{
    if (!isfinite(speed)) return 0;
    double now = clock_seconds(), lead = simulation_time(self) - self->anchor_time;
    double ahead = lead / speed - (now - self->anchor_clock);
    // Water that is slower than the clock does not catch up later.
    if (ahead < -0.1) simulation_anchor(self);
    return ahead;
}

static struct timespec moment_in(double seconds)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    double whole = floor(seconds);
    moment.tv_sec += (time_t)whole;
    moment.tv_nsec += (long)(1e9 * (seconds - whole));
    if (moment.tv_nsec >= 1000000000) moment.tv_nsec -= 1000000000, moment.tv_sec++;
    return moment;
}

// Takes the next request. Waits for one, or a change of the shots, at most so many seconds (INFINITY: for
// ever).
static bool next_request(Simulation *self, double wait)
{
    pthread_mutex_lock(&self->mutex);
    if (self->count == 0 && !self->quit && wait > 0) {
        if (isfinite(wait)) {
            struct timespec moment = moment_in(wait);
            double from = clock_seconds();
            pthread_cond_timedwait(&self->asked, &self->mutex, &moment);
            self->rate_waited += clock_seconds() - from;
        } else {
            pthread_cond_wait(&self->asked, &self->mutex);
        }
    }
    bool found = self->count > 0;
    if (found) {
        self->request = self->requests[0];
        memmove(self->requests, self->requests + 1, --self->count * sizeof *self->requests);
    }
    pthread_mutex_unlock(&self->mutex);
    return found;
}

// Has the last of the frames asked for been reached?
static bool at_the_end(Simulation *self)
{
    return self->def.frames > 0 && self->frame + 1 >= self->def.frames;
}

static void end_run(Simulation *self)
{
    pthread_mutex_lock(&self->mutex);
    bool first = !self->status.finished;
    self->status.playing = false;
    self->status.finished = true;
    pthread_mutex_unlock(&self->mutex);
    if (first) self->def.wake();
}

// Steps if there is something to do. Returns how long to wait for requests before the next look, s.
static double work(Simulation *self)
{
    SimulationStatus status = simulation_status(self);
    bool recorded =
        !self->wait_at_frames || !is_on_frame(self) || (!self->unshown && window_is_waiting(self));
    bool wants = status.playing || self->steps_due > 0 || self->frames_due > 0;
    if (wants && recorded && !at_the_end(self)) {
        double ahead = status.playing ? time_ahead(self, status.speed) : 0;
        if (ahead > 0) {
            if (self->unshown) show(self);
            return ahead;
        }
        Result result = step(self);
        if (!result_is_ok(&result)) fail(self, result);
    }
    // While it plays, a mesh that nobody waits for is not worth its time; a copy costs little.
    bool wanted = !self->want_mesh || (window_is_waiting(self) && clock_seconds() >= self->mesh_due);
    bool idle = at_the_end(self) ||
                (!simulation_status(self).playing && self->steps_due == 0 && self->frames_due == 0);
    bool recorded_next = self->wait_at_frames && is_on_frame(self);
    if (self->unshown && (idle || wanted || recorded_next)) show(self);
    if (at_the_end(self) && !self->unshown) end_run(self);
    if (wants && !recorded) return 0.01;
    return wants && !idle ? 0 : INFINITY;
}

static void *thread_main(void *context)
{
    Simulation *self = context;
    // On Linux the niceness is the thread's own, and the threads that it starts inherit it.
    setpriority(PRIO_PROCESS, 0, STEP_NICENESS);
    const Request *request = &self->request;
    for (double wait = 0; !asked_to_quit(self);) {
        while (next_request(self, wait)) {
            Result result = simulation_carry_out(self, request);
            bool restarted = simulation_starts_over(request->kind);
            if (restarted || !result_is_ok(&result)) tell_outcome(self, result);
            if (!result_is_ok(&result)) end_loading(self);
            wait = 0;
        }
        if (asked_to_quit(self)) break;
        wait = work(self);
    }
    return NULL;
}

// --- life ---

static void release(Simulation *self)
{
    for (int k = 0; k < SHOTS; k++) {
        snapshot_free(&self->shots[k].side[0]);
        snapshot_free(&self->shots[k].side[1]);
    }
    fluid_destroy(self->fluid);
    lockstep_destroy(self->lockstep);
    simulation_drop_other(self);
    pthread_cond_destroy(&self->asked);
    pthread_mutex_destroy(&self->mutex);
    memory_free(self);
}

static void prepare(Simulation *self, const SimulationDef *def)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->asked, &steady);
    pthread_condattr_destroy(&steady);
    self->def = *def;
    self->status = (SimulationStatus){.playing = def->playing, .speed = def->speed};
    self->taken = &self->shots[0];
    self->ready = &self->shots[1];
    self->spare = &self->shots[2];
}

Result simulation_start(const SimulationDef *def, SceneDef *scene, Simulation **out)
{
    *out = NULL;
    Simulation *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the simulation", sizeof *self);
    prepare(self, def);
    Fluid *fluid = NULL;
    Result result = scene_build(scene, &fluid);
    if (result_is_ok(&result)) {
        self->scene = *scene;
        simulation_adopt(self, fluid, NULL);
        simulation_renew_facts(self, true, false);
        result = fill_shot(self, self->taken);
        self->unshown = false;
    }
    if (result_is_ok(&result)) {
        int error = pthread_create(&self->thread, NULL, thread_main, self);
        if (error) result = result_error(RESULT_FAILED, "a thread for the simulation: %s", strerror(error));
    }
    if (!result_is_ok(&result)) {
        release(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void simulation_stop(Simulation *simulation)
{
    if (!simulation) return;
    pthread_mutex_lock(&simulation->mutex);
    simulation->quit = true;
    pthread_cond_signal(&simulation->asked);
    pthread_mutex_unlock(&simulation->mutex);
    pthread_join(simulation->thread, NULL);
    scene_free(&simulation->scene);
    release(simulation);
}
