#include "viewer/request.h"

#include "core/memory.h"

#include <string.h>

// At most this many requests that are counted one by one wait; what a held key asks for beyond is dropped.
// The others, of which at most one of a kind (or setting) waits, always find room.
enum { ONE_BY_ONE_MAX = REQUESTS_MAX / 2 };

void request_free(Request *request)
{
    if (request->kind == REQUEST_LOAD) memory_free(request->load.path);
}

bool request_starts_over(RequestKind kind)
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
    if (newer->kind != older->kind || counts_one_by_one(newer->kind)) return false;
    return newer->kind != REQUEST_SET || newer->set.parameter == older->set.parameter;
}

// The way that a body still has to go grows. False if no such request waits.
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
    if (counts_one_by_one(request.kind) && queue->count >= ONE_BY_ONE_MAX) return;
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
