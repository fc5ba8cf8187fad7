#include "library/drawing.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

typedef struct Errand {
    const pbf_context *context;
    GlContext **gl;
    DrawingErrand *run;
    void *drawing;
    const void *order;
    Result result;
} Errand;

static void *run_errand(void *context)
{
    Errand *errand = context;
    call_begin(errand->context);
    errand->result = *errand->gl ? gl_context_take(*errand->gl) : gl_context_open_headless(errand->gl);
    if (!result_is_ok(&errand->result)) return NULL;
    errand->result = errand->run(errand->drawing, errand->order);
    if (*errand->gl) gl_context_leave(*errand->gl);
    return NULL;
}

Result drawing_run(const pbf_context *context, GlContext **gl, DrawingErrand *run, void *drawing,
                   const void *order)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    Errand errand = {.context = context, .gl = gl, .run = run, .drawing = drawing, .order = order};
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_mutex_lock(&one_at_a_time);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the host's threads
    int failed = pthread_create(&thread, NULL, run_errand, &errand);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        errand.result = result_error(RESULT_FAILED, "a thread for drawing: %s", strerror(failed));
    else
        pthread_join(thread, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return errand.result;
}

Result drawing_check_room(uint32_t width, uint32_t height, size_t bytes, size_t *row_bytes)
{
    size_t row = (size_t)width * 4, rows = height;
    if (*row_bytes == 0) *row_bytes = row;
    if (*row_bytes < row)
        return result_error(RESULT_USAGE, "rows of %zu bytes (at least %zu)", *row_bytes, row);
    if (bytes >= row && (rows == 1 || *row_bytes <= (bytes - row) / (rows - 1))) return result_ok();
    return result_error(RESULT_USAGE, "%zu rows of %zu bytes do not fit into %zu", rows, *row_bytes, bytes);
}

void drawing_copy_out(const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t *rgba, size_t row_bytes)
{
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *to = rgba + y * row_bytes;
        for (uint32_t x = 0; x < width; x++, rgb += 3, to += 4) {
            memcpy(to, rgb, 3);
            to[3] = 255;
        }
    }
}
