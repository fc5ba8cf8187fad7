#include "viewer/simulation.h"

#include "core/clock.h"
#include "core/memory.h"
#include "scene/lockstep.h"
#include "scene/lockstep_text.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SHOTS = 3, REQUESTS_MAX = 64 };

// Steps give way to the window where both want the same cores: the window works rarely and for a short time.
static const int STEP_NICENESS = 5;

typedef enum RequestKind {
    REQUEST_PLAY,
    REQUEST_STEP,
    REQUEST_FRAME,
    REQUEST_RESET,
    REQUEST_SPEED,
    REQUEST_LOAD,
    REQUEST_CHANGE,
    REQUEST_MESH,
    REQUEST_WAIT_AT_FRAMES,
    REQUEST_COMPARE,
    REQUEST_FORCE,
    REQUEST_BALL,
    REQUEST_SHIFT,
    REQUEST_HASH,
} RequestKind;

typedef struct Request {
    RequestKind kind;
    bool on; // compare, play, mesh, wait; load: renewed
    double speed;
    float spacing; // m
    FluidDef fluid;
    FluidForce force; // ball: its center and radius; shift: center is the offset
    double seconds;   // that the force acts
    uint32_t body;
    char path[4096]; // compare: the method
} Request;

// Single steps that are asked for faster than they are done are not all remembered.
static const uint32_t DUE_MAX = 4;

struct Simulation {
    SimulationDef def;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t asked, answered;

    // under the mutex
    Request *requests; // a ring
    uint32_t first, count;
    bool quit;
    SimulationStatus status;
    SceneFacts facts;
    Shot *taken, *ready, *spare; // the window's, the newest, the thread's
    bool ready_is_new;
    uint64_t hashes; // counts answers
    uint64_t hash;

    // the thread's
    SceneDef scene;     // of the only or the first side
    Fluid *fluid;       // NULL while two are compared
    Lockstep *lockstep; // NULL while there is only one
    SceneDef other;     // of the second side
    bool other_is_ours; // to be freed; else all but its fluid is the first side's
    char method[32];    // that the second side has instead; "" if the command line says what differs
    char name[2][80];
    uint32_t steps_due, frames_due; // asked for one by one
    uint64_t fluid_number;
    uint32_t frame; // the last one that was reached
    bool unshown;   // there is a state that no shot shows
    bool want_mesh, wait_at_frames;
    FluidForce force;
    double force_until;               // s of simulated time
    double anchor_clock, anchor_time; // s: simulated time may not run ahead of the clock from here
    double rate_clock;                // s, since when steps are counted
    uint32_t rate_steps;
    Shot shots[SHOTS];
};

// --- what the window sees ---

static void report(Simulation *self, Result error)
{
    pthread_mutex_lock(&self->mutex);
    self->status.error = error;
    if (!result_is_ok(&error)) {
        self->status.errors++;
        self->status.playing = false;
    }
    pthread_mutex_unlock(&self->mutex);
    self->def.wake();
}

static void renew_facts(Simulation *self, bool new_scene, bool file_renewed)
{
    const SceneDef *scene = &self->scene;
    SceneFacts *facts = &self->facts;
    pthread_mutex_lock(&self->mutex);
    facts->number += new_scene;
    facts->revision++;
    memcpy(facts->name, scene->name, sizeof facts->name);
    memcpy(facts->description, scene->description, sizeof facts->description);
    memcpy(facts->path, scene->path, sizeof facts->path);
    facts->fluid = scene->fluid;
    facts->render = scene->output.render;
    facts->tank = scene->tank;
    facts->tank_corner = scene->tank_corner;
    facts->fps = scene->output.fps;
    facts->duration = scene->output.duration;
    if (new_scene) facts->file_renewed = file_renewed;
    pthread_mutex_unlock(&self->mutex);
}

static Fluid *side_of(Simulation *self, int side)
{
    return self->lockstep ? lockstep_fluid(self->lockstep, side) : self->fluid;
}

static double present_time(Simulation *self)
{
    return self->lockstep ? lockstep_time(self->lockstep) : fluid_time(self->fluid);
}

static void tell_comparison(Simulation *self, Shot *shot)
{
    const LockstepCost cost[2] = {*lockstep_cost(self->lockstep, 0), *lockstep_cost(self->lockstep, 1)};
    memcpy(shot->name, self->name, sizeof shot->name);
    shot->text = (SplitText){.title = {shot->name[0], shot->name[1]}};
    lockstep_text(self->lockstep, cost, &shot->text);
}

static Result fill_shot(Simulation *self, Shot *shot)
{
    shot->sides = self->lockstep ? 2 : 1;
    for (int side = 0; side < (int)shot->sides; side++) {
        FrameView view = fluid_view(side_of(self, side));
        TRY(snapshot_take(&shot->side[side], &view, 2 * self->fluid_number + (uint64_t)side));
        if (self->want_mesh) TRY(snapshot_add_mesh(&shot->side[side], &self->scene.surface));
    }
    memcpy(shot->method[0], self->scene.fluid.neighbor, sizeof shot->method[0]);
    memcpy(shot->method[1], self->other.fluid.neighbor, sizeof shot->method[1]);
    if (self->lockstep) tell_comparison(self, shot);
    shot->scene = self->facts.number;
    shot->fluid = self->fluid_number;
    shot->frame = self->frame;
    shot->on_frame = present_time(self) >= self->frame / self->scene.output.fps;
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

static void show(Simulation *self)
{
    Result result = fill_shot(self, self->spare);
    self->unshown = false;
    if (!result_is_ok(&result)) {
        report(self, result);
        return;
    }
    pthread_mutex_lock(&self->mutex);
    Shot *shot = self->spare;
    self->spare = self->ready;
    self->ready = shot;
    self->ready_is_new = true;
    pthread_mutex_unlock(&self->mutex);
    self->def.wake();
}

// --- requests ---

static void start_clock(Simulation *self)
{
    self->anchor_clock = self->rate_clock = clock_seconds();
    self->anchor_time = present_time(self);
    self->rate_steps = 0;
}

static void set_playing(Simulation *self, bool playing)
{
    pthread_mutex_lock(&self->mutex);
    self->status.playing = playing;
    pthread_mutex_unlock(&self->mutex);
    start_clock(self);
}

// A new fluid, or two, takes the old one's place; its first state is shown.
static void adopt(Simulation *self, Fluid *fluid, Lockstep *lockstep)
{
    fluid_destroy(self->fluid);
    lockstep_destroy(self->lockstep);
    self->fluid = fluid;
    self->lockstep = lockstep;
    self->fluid_number++;
    self->frame = 0;
    self->steps_due = self->frames_due = 0;
    self->force_until = 0;
    self->unshown = true;
    pthread_mutex_lock(&self->mutex);
    self->status.steps = 0;
    self->status.comparing = lockstep != NULL;
    self->status.finished = false;
    pthread_mutex_unlock(&self->mutex);
    start_clock(self);
}

static void drop_other(Simulation *self)
{
    if (self->other_is_ours) scene_free(&self->other);
    self->other_is_ours = false;
}

// Both sides of a comparison of methods: the second one follows the first in all else.
static Result build_methods(Simulation *self)
{
    Lockstep *lockstep;
    SceneDef other = self->scene;
    snprintf(other.fluid.neighbor, sizeof other.fluid.neighbor, "%s", self->method);
    TRY(lockstep_create(&self->scene, &other, &lockstep));
    drop_other(self);
    self->other = other;
    snprintf(self->name[0], sizeof self->name[0], "%s", self->scene.fluid.neighbor);
    snprintf(self->name[1], sizeof self->name[1], "%s", self->method);
    adopt(self, NULL, lockstep);
    return result_ok();
}

static Result build_sides(Simulation *self, const char *path, float spacing)
{
    Lockstep *lockstep;
    SceneDef sides[2];
    char names[2][80];
    TRY(self->def.read_sides(path, spacing, self->def.context, sides, names));
    Result result = lockstep_create(&sides[0], &sides[1], &lockstep);
    if (!result_is_ok(&result)) {
        scene_free(&sides[0]);
        scene_free(&sides[1]);
        return result;
    }
    scene_free(&self->scene);
    drop_other(self);
    self->scene = sides[0];
    self->other = sides[1];
    self->other_is_ours = true;
    memcpy(self->name, names, sizeof self->name);
    adopt(self, NULL, lockstep);
    return result_ok();
}

static Result build_one(Simulation *self)
{
    Fluid *fluid;
    TRY(scene_build(&self->scene, &fluid));
    drop_other(self);
    adopt(self, fluid, NULL);
    return result_ok();
}

static Result reset(Simulation *self)
{
    if (!self->lockstep) return build_one(self);
    if (!self->other_is_ours) return build_methods(self);
    Lockstep *lockstep;
    TRY(lockstep_create(&self->scene, &self->other, &lockstep));
    adopt(self, NULL, lockstep);
    return result_ok();
}

static Result compare(Simulation *self, const Request *request)
{
    if (!request->on) return build_one(self);
    memcpy(self->method, request->path, sizeof self->method);
    self->method[sizeof self->method - 1] = '\0';
    if (self->method[0]) return build_methods(self);
    char path[sizeof self->scene.path];
    memcpy(path, self->scene.path, sizeof path); // the scene that it belongs to is replaced
    TRY(build_sides(self, path, self->scene.fluid.spacing));
    renew_facts(self, false, false);
    return result_ok();
}

static Result load(Simulation *self, const Request *request)
{
    SceneDef scene;
    bool methods = self->lockstep && !self->other_is_ours;
    if (self->lockstep && !methods) {
        TRY(build_sides(self, request->path, request->spacing));
    } else {
        TRY(self->def.read(request->path, request->spacing, self->def.context, &scene));
        SceneDef old = self->scene;
        self->scene = scene;
        Result result = methods ? build_methods(self) : build_one(self);
        if (!result_is_ok(&result)) self->scene = old;
        scene_free(result_is_ok(&result) ? &old : &scene);
        if (!result_is_ok(&result)) return result;
    }
    renew_facts(self, true, request->on);
    return result_ok();
}

static Result load_and_tell(Simulation *self, const Request *request)
{
    pthread_mutex_lock(&self->mutex);
    self->status.loading = true;
    pthread_mutex_unlock(&self->mutex);
    Result result = load(self, request);
    pthread_mutex_lock(&self->mutex);
    self->status.loading = false;
    pthread_mutex_unlock(&self->mutex);
    return result;
}

// Changes in `to` what differs between two definitions; what the user cannot change while it runs is left.
static void patch(const FluidDef *before, const FluidDef *after, FluidDef *to)
{
    if (after->iterations != before->iterations) to->iterations = after->iterations;
    if (after->viscosity != before->viscosity) to->viscosity = after->viscosity;
    if (after->vorticity != before->vorticity) to->vorticity = after->vorticity;
    if (after->surface_tension != before->surface_tension) to->surface_tension = after->surface_tension;
    if (after->gravity.z != before->gravity.z) to->gravity = after->gravity;
}

static Result change(Simulation *self, const FluidDef *def)
{
    FluidDef wanted = *def;
    // What the particles were made with stays.
    wanted.spacing = self->scene.fluid.spacing;
    wanted.radius_factor = self->scene.fluid.radius_factor;
    wanted.origin = self->scene.fluid.origin;
    FluidDef other = self->other.fluid;
    if (self->lockstep) patch(&self->scene.fluid, &wanted, &other);
    TRY(fluid_change(side_of(self, 0), &wanted));
    if (self->lockstep) TRY(fluid_change(side_of(self, 1), &other));
    self->scene.fluid = wanted;
    self->other.fluid = other;
    if (self->lockstep && !self->other_is_ours)
        snprintf(self->name[0], sizeof self->name[0], "%s", wanted.neighbor);
    renew_facts(self, false, false);
    return result_ok();
}

// More particles than this are no drop.
static const uint32_t BALL_MAX = 50000;

static Result add_ball(Simulation *self, const Request *request)
{
    self->unshown = true;
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        TRY(fluid_add_ball(side_of(self, side), request->force.center, request->force.radius,
                           vec3_make(0, 0, 0), BALL_MAX, NULL));
    return result_ok();
}

static Result shift_obstacle(Simulation *self, const Request *request)
{
    // The user may have meant a body of a scene that is gone.
    const Obstacles *obstacles = fluid_view(side_of(self, 0)).obstacles;
    if (!obstacles || request->body >= obstacles_count(obstacles)) return result_ok();
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        TRY(fluid_shift_obstacle(side_of(self, side), request->body, request->force.center,
                                 (float)request->speed));
    return result_ok();
}

static void answer_hash(Simulation *self)
{
    uint64_t hash = fluid_state_hash(side_of(self, 0));
    pthread_mutex_lock(&self->mutex);
    self->hash = hash;
    self->hashes++;
    pthread_cond_broadcast(&self->answered);
    pthread_mutex_unlock(&self->mutex);
}

static Result carry_out(Simulation *self, const Request *request)
{
    switch (request->kind) {
    case REQUEST_PLAY:
        self->steps_due = self->frames_due = 0;
        set_playing(self, request->on);
        break;
    case REQUEST_STEP:
        set_playing(self, false);
        if (self->steps_due < DUE_MAX) self->steps_due++;
        break;
    case REQUEST_FRAME:
        set_playing(self, false);
        if (self->frames_due < DUE_MAX) self->frames_due++;
        break;
    case REQUEST_SPEED:
        pthread_mutex_lock(&self->mutex);
        self->status.speed = request->speed;
        pthread_mutex_unlock(&self->mutex);
        start_clock(self);
        break;
    case REQUEST_RESET:
        return reset(self);
    case REQUEST_LOAD:
        return load_and_tell(self, request);
    case REQUEST_CHANGE:
        return change(self, &request->fluid);
    case REQUEST_COMPARE:
        return compare(self, request);
    case REQUEST_FORCE:
        self->force = request->force;
        self->force_until = request->on ? present_time(self) + request->seconds : 0;
        break;
    case REQUEST_BALL:
        return add_ball(self, request);
    case REQUEST_SHIFT:
        return shift_obstacle(self, request);
    case REQUEST_MESH:
        if (request->on && !self->want_mesh) self->unshown = true;
        self->want_mesh = request->on;
        break;
    case REQUEST_WAIT_AT_FRAMES:
        self->wait_at_frames = request->on;
        break;
    case REQUEST_HASH:
        answer_hash(self);
        break;
    }
    return result_ok();
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
    if (present_time(self) >= self->force_until) return;
    for (int side = 0; side < (self->lockstep ? 2 : 1); side++)
        fluid_set_forces(side_of(self, side), &self->force, 1);
}

static Result step(Simulation *self)
{
    double until = (self->frame + 1) / self->scene.output.fps;
    bool met = !self->lockstep;
    set_forces(self);
    if (!self->lockstep) TRY(fluid_step(self->fluid, until, NULL));
    while (!met && !asked_to_quit(self)) TRY(lockstep_step(self->lockstep, until, &met));
    self->unshown = true;
    bool reached = present_time(self) >= until;
    if (reached) self->frame++;
    if (reached && self->frames_due > 0) self->frames_due--;
    if (self->steps_due > 0) self->steps_due--;
    double elapsed = clock_seconds() - self->rate_clock;
    self->rate_steps++;
    pthread_mutex_lock(&self->mutex);
    self->status.steps++;
    if (elapsed > 0.5) self->status.step_rate = self->rate_steps / elapsed;
    pthread_mutex_unlock(&self->mutex);
    if (elapsed > 2) {
        self->rate_clock = clock_seconds();
        self->rate_steps = 0;
    }
    return result_ok();
}

// How long to wait so that simulated time does not run ahead, s.
static double time_ahead(Simulation *self, double speed)
{
    if (!isfinite(speed)) return 0;
    double now = clock_seconds(), lead = present_time(self) - self->anchor_time;
    double ahead = lead / speed - (now - self->anchor_clock);
    // Water that is slower than the clock does not catch up later.
    if (ahead < -0.1) start_clock(self);
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

// Takes the next request into *out. Waits for one, or a change of the shots, at most so many seconds
// (INFINITY: for ever).
static bool next_request(Simulation *self, double wait, Request *out)
{
    pthread_mutex_lock(&self->mutex);
    if (self->count == 0 && !self->quit && wait > 0) {
        if (isfinite(wait)) {
            struct timespec moment = moment_in(wait);
            pthread_cond_timedwait(&self->asked, &self->mutex, &moment);
        } else {
            pthread_cond_wait(&self->asked, &self->mutex);
        }
    }
    bool found = self->count > 0;
    if (found) {
        *out = self->requests[self->first];
        self->first = (self->first + 1) % REQUESTS_MAX;
        self->count--;
    }
    pthread_mutex_unlock(&self->mutex);
    return found;
}

// Is the last frame reached, and has the window got it?
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
    bool on_frame = present_time(self) >= self->frame / self->scene.output.fps;
    bool recorded = !self->wait_at_frames || !on_frame || (!self->unshown && window_is_waiting(self));
    bool wants = status.playing || self->steps_due > 0 || self->frames_due > 0;
    if (wants && recorded && !at_the_end(self)) {
        double ahead = status.playing ? time_ahead(self, status.speed) : 0;
        if (ahead > 0) {
            if (self->unshown) show(self);
            return ahead;
        }
        Result result = step(self);
        if (!result_is_ok(&result)) {
            self->steps_due = self->frames_due = 0;
            report(self, result);
        }
    }
    // While it plays, a mesh that nobody waits for is not worth its time; a copy costs little.
    bool idle = !simulation_status(self).playing && self->steps_due == 0 && self->frames_due == 0;
    if (self->unshown && (idle || !self->want_mesh || self->wait_at_frames || window_is_waiting(self)))
        show(self);
    if (at_the_end(self) && !self->unshown) end_run(self);
    if (wants && !recorded) return 0.01;
    return wants && !idle ? 0 : INFINITY;
}

static void *thread_main(void *context)
{
    Simulation *self = context;
    // On Linux the niceness is the thread's own, and the threads that it starts inherit it.
    setpriority(PRIO_PROCESS, 0, STEP_NICENESS);
    Request *request = memory_allocate(sizeof *request);
    if (!request) {
        report(self, result_no_memory("requests", sizeof *request));
        return NULL;
    }
    for (double wait = 0; !asked_to_quit(self);) {
        while (next_request(self, wait, request)) {
            Result result = carry_out(self, request);
            bool restarted = request->kind == REQUEST_LOAD || request->kind == REQUEST_RESET ||
                             request->kind == REQUEST_COMPARE;
            if (restarted || !result_is_ok(&result)) report(self, result);
            wait = 0;
        }
        if (asked_to_quit(self)) break;
        wait = work(self);
    }
    memory_free(request);
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
    drop_other(self);
    pthread_cond_destroy(&self->asked);
    pthread_cond_destroy(&self->answered);
    pthread_mutex_destroy(&self->mutex);
    memory_free(self->requests);
    memory_free(self);
}

static void prepare(Simulation *self, const SimulationDef *def)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->asked, &steady);
    pthread_cond_init(&self->answered, &steady);
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
    self->requests = memory_allocate(REQUESTS_MAX * sizeof *self->requests);
    Result result = self->requests ? scene_build(scene, &fluid)
                                   : result_no_memory("requests", REQUESTS_MAX * sizeof *self->requests);
    if (result_is_ok(&result)) {
        self->scene = *scene;
        adopt(self, fluid, NULL);
        renew_facts(self, true, false);
        show(self);
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

// --- asking ---

// While a slow step keeps requests waiting, only the last of these in a row counts.
static bool replaces(RequestKind kind)
{
    return kind != REQUEST_STEP && kind != REQUEST_FRAME && kind != REQUEST_HASH && kind != REQUEST_BALL &&
           kind != REQUEST_SHIFT;
}

static void ask(Simulation *self, const Request *request)
{
    pthread_mutex_lock(&self->mutex);
    Request *last = self->count > 0 ? &self->requests[(self->first + self->count - 1) % REQUESTS_MAX] : NULL;
    bool same = last && last->kind == request->kind;
    if (same && replaces(request->kind))
        *last = *request;
    else if (same && request->kind == REQUEST_SHIFT && last->body == request->body)
        last->force.center = vec3_add(last->force.center, request->force.center);
    else if (self->count < REQUESTS_MAX)
        self->requests[(self->first + self->count++) % REQUESTS_MAX] = *request;
    pthread_cond_signal(&self->asked);
    pthread_mutex_unlock(&self->mutex);
}

void simulation_play(Simulation *simulation, bool playing)
{
    ask(simulation, &(Request){.kind = REQUEST_PLAY, .on = playing});
}

void simulation_step(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_STEP});
}

void simulation_frame(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_FRAME});
}

void simulation_reset(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_RESET});
}

void simulation_set_speed(Simulation *simulation, double speed)
{
    ask(simulation, &(Request){.kind = REQUEST_SPEED, .speed = speed});
}

void simulation_load(Simulation *simulation, const char *path, float spacing, bool renewed)
{
    Request request = {.kind = REQUEST_LOAD, .spacing = spacing, .on = renewed};
    strncpy(request.path, path, sizeof request.path - 1);
    ask(simulation, &request);
}

void simulation_compare(Simulation *simulation, const char *method)
{
    Request request = {.kind = REQUEST_COMPARE, .on = method != NULL};
    if (method) strncpy(request.path, method, sizeof request.path - 1);
    ask(simulation, &request);
}

void simulation_change(Simulation *simulation, const FluidDef *def)
{
    ask(simulation, &(Request){.kind = REQUEST_CHANGE, .fluid = *def});
}

void simulation_want_mesh(Simulation *simulation, bool wanted)
{
    ask(simulation, &(Request){.kind = REQUEST_MESH, .on = wanted});
}

void simulation_wait_at_frames(Simulation *simulation, bool wait)
{
    ask(simulation, &(Request){.kind = REQUEST_WAIT_AT_FRAMES, .on = wait});
}

void simulation_force(Simulation *simulation, const FluidForce *force, double seconds)
{
    Request request = {.kind = REQUEST_FORCE, .on = force != NULL, .seconds = seconds};
    if (force) request.force = *force;
    ask(simulation, &request);
}

void simulation_drop_ball(Simulation *simulation, Vec3 center, float radius)
{
    ask(simulation, &(Request){.kind = REQUEST_BALL, .force = {.center = center, .radius = radius}});
}

void simulation_shift_obstacle(Simulation *simulation, uint32_t body, Vec3 offset, float speed)
{
    ask(simulation,
        &(Request){.kind = REQUEST_SHIFT, .body = body, .force = {.center = offset}, .speed = speed});
}

// --- looking ---

SimulationStatus simulation_status(Simulation *simulation)
{
    pthread_mutex_lock(&simulation->mutex);
    SimulationStatus status = simulation->status;
    pthread_mutex_unlock(&simulation->mutex);
    return status;
}

bool simulation_facts(Simulation *simulation, SceneFacts *facts)
{
    pthread_mutex_lock(&simulation->mutex);
    bool differ = simulation->facts.revision != facts->revision;
    if (differ) *facts = simulation->facts;
    pthread_mutex_unlock(&simulation->mutex);
    return differ;
}

const Shot *simulation_take(Simulation *simulation, bool *fresh)
{
    pthread_mutex_lock(&simulation->mutex);
    *fresh = simulation->ready_is_new;
    if (*fresh) {
        Shot *shot = simulation->taken;
        simulation->taken = simulation->ready;
        simulation->ready = shot;
        simulation->ready_is_new = false;
        pthread_cond_signal(&simulation->asked);
    }
    const Shot *taken = simulation->taken;
    pthread_mutex_unlock(&simulation->mutex);
    return taken;
}

uint64_t simulation_state_hash(Simulation *simulation)
{
    pthread_mutex_lock(&simulation->mutex);
    uint64_t before = simulation->hashes;
    pthread_mutex_unlock(&simulation->mutex);
    ask(simulation, &(Request){.kind = REQUEST_HASH});
    pthread_mutex_lock(&simulation->mutex);
    while (simulation->hashes == before) pthread_cond_wait(&simulation->answered, &simulation->mutex);
    uint64_t hash = simulation->hash;
    pthread_mutex_unlock(&simulation->mutex);
    return hash;
}
