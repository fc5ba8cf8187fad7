// The window's side: requests go in, states come out.
#include "viewer/simulation_state.h"

#include <string.h>

// --- asking ---

// So many requests of the kinds below wait at most; what a held key asks for beyond is dropped. The others,
// of which at most one of a kind waits, always find room.
enum { ONE_BY_ONE_MAX = REQUESTS_MAX / 2 };

bool simulation_starts_over(RequestKind kind)
{
    return kind == REQUEST_LOAD || kind == REQUEST_RESET || kind == REQUEST_COMPARE;
}

// Does each request of this kind count?
static bool counts_one_by_one(RequestKind kind)
{
    return kind == REQUEST_STEP || kind == REQUEST_FRAME || kind == REQUEST_BALL || kind == REQUEST_SHIFT;
}

// Does a request make one that still waits for a slow step pointless?
static bool replaces(const Request *newer, const Request *older)
{
    return newer->kind == older->kind && !counts_one_by_one(newer->kind) && newer->which == older->which;
}

// The way that a body still has to go grows. False if no such request waits.
static bool extend_shift(Simulation *self, const Request *request)
{
    for (uint32_t k = 0; k < self->count; k++) {
        Request *older = &self->requests[k];
        if (older->kind != REQUEST_SHIFT || older->which != request->which) continue;
        older->force.center = vec3_add(older->force.center, request->force.center);
        return true;
    }
    return false;
}

static void add_request(Simulation *self, const Request *request)
{
    uint32_t kept = 0;
    if (request->kind == REQUEST_SHIFT && extend_shift(self, request)) return;
    for (uint32_t k = 0; k < self->count; k++) {
        if (!replaces(request, &self->requests[k])) self->requests[kept++] = self->requests[k];
    }
    self->count = kept;
    if (counts_one_by_one(request->kind) && self->count >= ONE_BY_ONE_MAX) return;
    CHECK(self->count < REQUESTS_MAX);
    self->requests[self->count++] = *request;
}

static void ask(Simulation *self, const Request *request)
{
    pthread_mutex_lock(&self->mutex);
    add_request(self, request);
    if (simulation_starts_over(request->kind)) self->status.loading = true;
    pthread_cond_signal(&self->asked);
    pthread_mutex_unlock(&self->mutex);
}

// The status tells what was asked for at once, and only here: a slow step must not make the next key mean
// something else, and a request that is carried out late must not undo a later one.
static void tell_playing(Simulation *simulation, bool playing)
{
    pthread_mutex_lock(&simulation->mutex);
    simulation->status.playing = playing;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_play(Simulation *simulation, bool playing)
{
    tell_playing(simulation, playing);
    ask(simulation, &(Request){.kind = REQUEST_PLAY});
}

void simulation_step(Simulation *simulation)
{
    tell_playing(simulation, false);
    ask(simulation, &(Request){.kind = REQUEST_STEP});
}

void simulation_frame(Simulation *simulation)
{
    tell_playing(simulation, false);
    ask(simulation, &(Request){.kind = REQUEST_FRAME});
}

void simulation_reset(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_RESET});
}

void simulation_set_speed(Simulation *simulation, double speed)
{
    pthread_mutex_lock(&simulation->mutex);
    simulation->status.speed = speed;
    pthread_mutex_unlock(&simulation->mutex);
    ask(simulation, &(Request){.kind = REQUEST_SPEED});
}

void simulation_load(Simulation *simulation, const char *path, float spacing, SceneLoad what)
{
    Request request = {.kind = REQUEST_LOAD, .value = spacing, .load = what};
    strncpy(request.path, path, sizeof request.path - 1);
    ask(simulation, &request);
}

void simulation_compare_methods(Simulation *simulation, const char *left, const char *right)
{
    Request request = {.kind = REQUEST_COMPARE, .on = true};
    strncpy(request.method[0], left, sizeof request.method[0] - 1);
    strncpy(request.method[1], right, sizeof request.method[1] - 1);
    ask(simulation, &request);
}

void simulation_compare_sides(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_COMPARE, .on = true});
}

void simulation_compare_end(Simulation *simulation)
{
    ask(simulation, &(Request){.kind = REQUEST_COMPARE, .on = false});
}

void simulation_set(Simulation *simulation, uint32_t parameter, float value)
{
    ask(simulation, &(Request){.kind = REQUEST_SET, .which = parameter, .value = value});
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
        &(Request){.kind = REQUEST_SHIFT, .which = body, .force = {.center = offset}, .value = speed});
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
    bool differ =
        simulation->facts.revision != facts->revision && simulation->facts.number == simulation->taken->scene;
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
