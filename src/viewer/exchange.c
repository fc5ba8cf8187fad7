#include "viewer/exchange.h"

#include "core/clock.h"

#include <math.h>
#include <time.h>

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
    pthread_cond_destroy(&exchange->asked);
    pthread_mutex_destroy(&exchange->mutex);
}

// --- the window's side ---

// The status tells what was asked for at once, and only here: a slow step must not make the next key mean
// something else, and a request that is carried out late must not undo a later one.
static void tell_request(const Request *request, SimulationStatus *status)
{
    if (request->kind == REQUEST_PLAY) status->playing = request->play;
    if (request->kind == REQUEST_STEP || request->kind == REQUEST_FRAME) status->playing = false;
    if (request->kind == REQUEST_SPEED) status->speed = request->speed;
    if (request_starts_over(request->kind)) status->loading = true;
}

void exchange_ask(Exchange *exchange, Request request)
{
    pthread_mutex_lock(&exchange->mutex);
    tell_request(&request, &exchange->status);
    request_queue_add(&exchange->requests, request);
    pthread_cond_signal(&exchange->asked);
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_ask_to_quit(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
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

bool exchange_facts(Exchange *exchange, SceneFacts *facts)
{
    pthread_mutex_lock(&exchange->mutex);
    bool differ =
        exchange->facts.revision != facts->revision && exchange->facts.number == exchange->taken->scene;
    if (differ) *facts = exchange->facts;
    pthread_mutex_unlock(&exchange->mutex);
    return differ;
}

const SimSnapshot *exchange_take(Exchange *exchange, bool *fresh)
{
    pthread_mutex_lock(&exchange->mutex);
    *fresh = exchange->ready_is_new;
    if (*fresh) {
        SimSnapshot *snapshot = exchange->taken;
        exchange->taken = exchange->ready;
        exchange->ready = snapshot;
        exchange->ready_is_new = false;
        pthread_cond_signal(&exchange->asked);
    }
    const SimSnapshot *taken = exchange->taken;
    pthread_mutex_unlock(&exchange->mutex);
    return taken;
}

// --- the thread's side ---

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

void exchange_end_loading(Exchange *exchange)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->status.loading = request_queue_starts_over(&exchange->requests);
    pthread_mutex_unlock(&exchange->mutex);
}

void exchange_tell(Exchange *exchange, Result outcome)
{
    pthread_mutex_lock(&exchange->mutex);
    exchange->status.error = outcome;
    if (!result_is_ok(&outcome)) exchange->status.errors++;
    pthread_mutex_unlock(&exchange->mutex);
    exchange->wake();
}
