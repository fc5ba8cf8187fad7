#include "viewer/exchange.h"

#include "core/memory.h"
#include "viewer/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// --- requests ---

// The most requests that may wait of those that count one by one; beyond it a held key is ignored. Of the
// others at most one per kind (or setting) waits, so they always find room.
enum { ONE_BY_ONE_MAX = REQUESTS_MAX / 2 };

void request_free(Request *request)
{
    if (request->kind == REQUEST_LOAD) memory_free(request->load.path);
    if (request->kind == REQUEST_EDIT) scene_source_free(request->edit);
    if (request->kind == REQUEST_EDIT) memory_free(request->edit);
    if (request->kind == REQUEST_SAVE) memory_free(request->save);
}

enum {
    STARTS_OVER = 1, // puts other water in the place of what there is: a step under way will not count
    ENDS_STEP = 2,   // does not wait for the end of a step, either
    PAUSES = 4,      // the water does not play from then on
    EACH_COUNTS = 8, // all that wait are carried out; of the other kinds the last one is
};

// What holds for every request of a kind. Those that are asked for many times a second, as by a slider, do
// not end a step: water would stand still meanwhile.
static const uint8_t request_traits[] = {
    [REQUEST_PLAY] = 0,
    [REQUEST_SPEED] = 0,
    [REQUEST_STEP] = PAUSES | EACH_COUNTS,
    [REQUEST_FRAME] = PAUSES | EACH_COUNTS,
    [REQUEST_RESET] = STARTS_OVER,
    [REQUEST_LOAD] = STARTS_OVER,
    [REQUEST_EDIT] = STARTS_OVER,
    [REQUEST_COMPARE] = STARTS_OVER,
    [REQUEST_SET] = 0,
    [REQUEST_MESH] = 0,
    [REQUEST_WAIT_AT_FRAMES] = 0,
    [REQUEST_FORCE] = 0,
    [REQUEST_BALL] = EACH_COUNTS,
    [REQUEST_SHIFT] = EACH_COUNTS,
    [REQUEST_SCRUB] = STARTS_OVER,
    [REQUEST_BACK] = STARTS_OVER | PAUSES | EACH_COUNTS,
    [REQUEST_UNDO] = STARTS_OVER | PAUSES | EACH_COUNTS,
    [REQUEST_LOOP] = 0,
    [REQUEST_SAVE] = ENDS_STEP,
};

// Has it one of these traits?
static bool request_has(RequestKind kind, unsigned traits)
{
    CHECK(kind < sizeof request_traits);
    return request_traits[kind] & traits;
}

bool request_starts_over(RequestKind kind)
{
    return request_has(kind, STARTS_OVER);
}

// A step may take long with a search that is not wanted any more.
static bool request_ends_step(const Request *request)
{
    bool pauses = request->kind == REQUEST_PLAY && !request->play;
    bool searches = request->kind == REQUEST_SET && request->set.parameter == parameter_of_methods();
    return request_has(request->kind, STARTS_OVER | ENDS_STEP) || pauses || searches;
}

// Does a request make one that still waits pointless?
static bool replaces(const Request *newer, const Request *older)
{
    if (newer->kind != older->kind || request_has(newer->kind, EACH_COUNTS)) return false;
    return newer->kind != REQUEST_SET || newer->set.parameter == older->set.parameter;
}

// Adds to the way a body still has to go. False if no such request waits.
static bool extend_shift(RequestQueue *queue, const Request *request)
{
    for (uint32_t k = 0; k < queue->count; k++) {
        Request *older = &queue->waiting[k];
        if (older->kind != REQUEST_SHIFT || older->shift.body != request->shift.body) continue;
        older->shift.offset = vec3_add(older->shift.offset, request->shift.offset);
        return true;
    }
    return false;
}

void request_queue_add(RequestQueue *queue, Request request)
{
    uint32_t kept = 0;
    if (request.kind == REQUEST_SHIFT && extend_shift(queue, &request)) return;
    for (uint32_t k = 0; k < queue->count; k++) {
        if (replaces(&request, &queue->waiting[k]))
            request_free(&queue->waiting[k]);
        else
            queue->waiting[kept++] = queue->waiting[k];
    }
    queue->count = kept;
    if (request_has(request.kind, EACH_COUNTS) && queue->count >= ONE_BY_ONE_MAX) return;
    CHECK(queue->count < REQUESTS_MAX);
    queue->waiting[queue->count++] = request;
}

bool request_queue_take(RequestQueue *queue, Request *out)
{
    if (queue->count == 0) return false;
    *out = queue->waiting[0];
    memmove(queue->waiting, queue->waiting + 1, --queue->count * sizeof *queue->waiting);
    return true;
}

void request_queue_free(RequestQueue *queue)
{
    for (uint32_t k = 0; k < queue->count; k++) request_free(&queue->waiting[k]);
    queue->count = 0;
}

bool request_queue_starts_over(const RequestQueue *queue)
{
    for (uint32_t k = 0; k < queue->count; k++) {
        if (request_starts_over(queue->waiting[k].kind)) return true;
    }
    return false;
}

static bool request_queue_ends_step(const RequestQueue *queue)
{
    for (uint32_t k = 0; k < queue->count; k++) {
        if (request_ends_step(&queue->waiting[k])) return true;
    }
    return false;
}

// Does one of this kind wait?
static bool request_queue_has(const RequestQueue *queue, RequestKind kind)
{
    for (uint32_t k = 0; k < queue->count; k++) {
        if (queue->waiting[k].kind == kind) return true;
    }
    return false;
}

// --- life ---

void exchange_open(Exchange *exchange, void (*wake)(void))
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&exchange->mutex, NULL);
    pthread_cond_init(&exchange->asked, &steady);
    pthread_condattr_destroy(&steady);
    exchange->wake = wake;
    exchange->taken = &exchange->snapshots[0];
    exchange->ready = &exchange->snapshots[1];
    exchange->spare = &exchange->snapshots[2];
}

void exchange_close(Exchange *exchange)
{
    for (int k = 0; k < SNAPSHOTS; k++) {
        snapshot_free(&exchange->snapshots[k].side[0]);
        snapshot_free(&exchange->snapshots[k].side[1]);
    }
    request_queue_free(&exchange->requests);
    shared_scene_release(exchange->scene);
    pthread_cond_destroy(&exchange->asked);
    pthread_mutex_destroy(&exchange->mutex);
}

// --- the window's side ---

// The status tells what was asked for at once, and only here: a slow step must not make the next key mean
// something else, and a request that is carried out late must not undo a later one.
static void tell_request(const Request *request, SimulationStatus *status)
{
    if (request->kind == REQUEST_PLAY) status->playing = request->play;
    if (request_has(request->kind, PAUSES)) status->playing = false;
    if (request->kind == REQUEST_LOOP) status->looping = request->loop;
    if (request->kind == REQUEST_SPEED) status->speed = request->speed;
    if (request->kind == REQUEST_COMPARE) status->comparing = request->compare.kind != COMPARE_NOTHING;
    if (request_starts_over(request->kind)) status->loading = true;
}

void exchange_ask(Exchange *exchange, Request request)
{
    pthread_mutex_lock(&exchange->mutex);
    tell_request(&request, &exchange->status);
    if (request_ends_step(&request)) exchange->hurry = true;
    request_queue_add(&exchange->requests, request);
    pthread_cond_signal(&exchange->asked);
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_ask_to_quit(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->hurry = true;
    exchange->quit = true;
    pthread_cond_signal(&exchange->asked);
    pthread_mutex_unlock(&exchange->mutex);
}

SimulationStatus exchange_status(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    SimulationStatus status = exchange->status;
    pthread_mutex_unlock(&exchange->mutex);
    return status;
}

SharedScene *exchange_scene(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    SharedScene *scene = shared_scene_hold(exchange->scene);
    pthread_mutex_unlock(&exchange->mutex);
    return scene;
}

// --- the thread's side ---

void exchange_tell_scene(Exchange *exchange, SharedScene *scene)
{
    shared_scene_hold(scene);
    shared_scene_release(exchange->scene);
    exchange->scene = scene;
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

bool exchange_next_request(Exchange *exchange, double wait, Request *out)
{
    pthread_mutex_lock(&exchange->mutex);
    if (exchange->requests.count == 0 && !exchange->quit && wait > 0) {
        if (isfinite(wait)) {
            struct timespec moment = moment_in(wait);
            pthread_cond_timedwait(&exchange->asked, &exchange->mutex, &moment);
        } else {
            pthread_cond_wait(&exchange->asked, &exchange->mutex);
        }
    }
    bool found = request_queue_take(&exchange->requests, out);
    exchange->hurry = exchange->quit || request_queue_ends_step(&exchange->requests);
    pthread_mutex_unlock(&exchange->mutex);
    return found;
}

bool exchange_asked_to_quit(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    bool quit = exchange->quit;
    pthread_mutex_unlock(&exchange->mutex);
    return quit;
}

bool exchange_window_is_waiting(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    bool waiting = !exchange->ready_is_new;
    pthread_mutex_unlock(&exchange->mutex);
    return waiting;
}

void exchange_show(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    SimSnapshot *snapshot = exchange->spare;
    exchange->spare = exchange->ready;
    exchange->ready = snapshot;
    exchange->ready_is_new = true;
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_tell_sides(Exchange *exchange, uint32_t sides)
{
    pthread_mutex_lock(&exchange->mutex);
    if (!request_queue_has(&exchange->requests, REQUEST_COMPARE)) exchange->status.comparing = sides > 1;
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_end_loading(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->status.loading = request_queue_starts_over(&exchange->requests);
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_note(Exchange *exchange, const char *text)
{
    pthread_mutex_lock(&exchange->mutex);
    snprintf(exchange->status.note, sizeof exchange->status.note, "%s", text);
    exchange->status.notes++;
    pthread_mutex_unlock(&exchange->mutex);
    exchange->wake();
}

void exchange_tell(Exchange *exchange, Result outcome)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->status.error = outcome;
    if (!result_is_ok(&outcome)) exchange->status.errors++;
    pthread_mutex_unlock(&exchange->mutex);
    exchange->wake();
}
