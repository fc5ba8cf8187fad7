// The window's side: requests go in, states come out.
#include "viewer/simulation_state.h"

#include <string.h>

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

void simulation_load(Simulation *simulation, const char *path, float spacing, bool renewed)
{
    Request request = {.kind = REQUEST_LOAD, .spacing = spacing, .on = renewed};
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
