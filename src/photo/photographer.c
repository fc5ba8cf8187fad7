#include "photo/photographer.h"

#include "core/memory.h"
#include "photo/photo_wish.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

// Rounds yield to the window where both want the same cores.
static const int NICENESS = 10;

// A round.
typedef struct Print {
    uint8_t *rgb;
    size_t capacity; // bytes
    uint64_t number; // of the wish; 0: nothing
    PhotoReport report;
} Print;

struct Photographer {
    pthread_t thread;
    void (*wake)(void);
    Photo *photo; // the thread's, with what it works on
    PhotoWish now;
    Print print;

    pthread_mutex_t mutex; // of all that follows
    pthread_cond_t asked;
    bool quit;
    atomic_bool stop;  // what is in the making
    PhotoWish wish;    // the last one
    uint64_t number;   // counts them
    bool waiting;      // it has not been taken
    bool rests, again; // its rounds do not go on; are to go on
    uint64_t gathered; // stage of the last wish that had one; 0: the next one needs one
    Print ready, shown;
    bool fresh;
    Result error;
};

// --- the thread ---

// Waits for something to do; false at the end.
static bool take_wish(Photographer *self, bool more, uint64_t *number)
{
    pthread_mutex_lock(&self->mutex);
    while (!self->quit && !self->waiting && !self->again && !(more && !self->rests))
        pthread_cond_wait(&self->asked, &self->mutex);
    self->again = false;
    if (self->waiting) {
        photo_wish_free(&self->now);
        self->now = self->wish;
        self->now.def.stop = &self->stop;
        self->wish.stage = NULL;
        self->waiting = false;
    }
    // What was to be stopped is over.
    atomic_store(&self->stop, self->quit);
    *number = self->number;
    bool goes_on = !self->quit;
    pthread_mutex_unlock(&self->mutex);
    return goes_on;
}

static Result make_print(Photographer *self)
{
    Print *print = &self->print;
    size_t bytes = (size_t)self->now.width * self->now.height * 3;
    TRY(MEMORY_RESERVE(print->rgb, print->capacity, 0, bytes, "the picture"));
    return photo_fulfil(self->photo, &self->now, print->rgb, &print->report);
}

// Puts the print out; returns whether there is more to do.
static bool show_print(Photographer *self, uint64_t number, Result result)
{
    bool ok = result_is_ok(&result), failed = !ok && result.code != RESULT_STOPPED;
    pthread_mutex_lock(&self->mutex);
    if (ok) {
        Print print = self->ready;
        self->ready = self->print;
        self->ready.number = number;
        self->print = print;
    }
    if (failed) self->error = result;
    if (failed) self->gathered = 0; // the photo has let its stage go
    self->fresh |= ok || failed;
    bool more = ok && !self->ready.report.done;
    pthread_mutex_unlock(&self->mutex);
    if ((ok || failed) && self->wake) self->wake();
    return more;
}

static void *thread_main(void *context)
{
    Photographer *self = context;
    uint64_t number;
    // On Linux the niceness is the thread's own, and the threads that it starts inherit it.
    setpriority(PRIO_PROCESS, 0, NICENESS);
    for (bool more = false; take_wish(self, more, &number);) {
        Result result = make_print(self);
        more = show_print(self, number, result);
    }
    return NULL;
}

// --- life ---

static void release(Photographer *self)
{
    photo_wish_free(&self->now);
    photo_wish_free(&self->wish);
    photo_destroy(self->photo);
    memory_free(self->print.rgb);
    memory_free(self->ready.rgb);
    memory_free(self->shown.rgb);
    pthread_cond_destroy(&self->asked);
    pthread_mutex_destroy(&self->mutex);
    memory_free(self);
}

static Result begin(Photographer *self)
{
    TRY(photo_create(&self->photo));
    int error = pthread_create(&self->thread, NULL, thread_main, self);
    return error ? result_error(RESULT_FAILED, "a thread for photographs: %s", strerror(error)) : result_ok();
}

Result photographer_create(void (*wake)(void), Photographer **out)
{
    *out = NULL;
    Photographer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the photographer", sizeof *self);
    self->wake = wake;
    self->error = result_ok();
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->asked, NULL);
    Result result = begin(self);
    if (result_is_ok(&result))
        *out = self;
    else
        release(self);
    return result;
}

void photographer_destroy(Photographer *photographer)
{
    if (!photographer) return;
    pthread_mutex_lock(&photographer->mutex);
    photographer->quit = true;
    atomic_store(&photographer->stop, true);
    pthread_cond_signal(&photographer->asked);
    pthread_mutex_unlock(&photographer->mutex);
    pthread_join(photographer->thread, NULL);
    release(photographer);
}

// --- the window's side ---

// One that can be told apart is in the making, or done.
static bool is_same(const Photographer *self, const PhotoWish *wish)
{
    const PhotoWish *last = &self->wish;
    return self->number > 0 && wish->staged != 0 && last->staged == wish->staged &&
           last->film == wish->film && self->gathered == wish->staged &&
           last->def.samples == wish->def.samples && last->def.noise == wish->def.noise &&
           last->def.denoise == wish->def.denoise;
}

static void resume(Photographer *self)
{
    pthread_mutex_lock(&self->mutex);
    self->again |= self->rests;
    self->rests = false;
    pthread_cond_signal(&self->asked);
    pthread_mutex_unlock(&self->mutex);
}

Result photographer_ask(Photographer *photographer, const PhotoDef *def, const LookDef *look,
                        const PhotoSubject *subject, const PhotoCamera *camera, uint32_t width,
                        uint32_t height)
{
    Result result = result_ok();
    PhotoWish wish = photo_wish(def, look, subject, camera, width, height);
    pthread_mutex_lock(&photographer->mutex);
    bool same = is_same(photographer, &wish),
         staged = wish.staged != 0 && wish.staged == photographer->gathered;
    pthread_mutex_unlock(&photographer->mutex);
    if (same) {
        resume(photographer);
        return result_ok();
    }
    if (!staged) TRY(photo_wish_gather(&wish, subject)); // takes a while: the thread may go on
    pthread_mutex_lock(&photographer->mutex);
    PhotoWish *last = &photographer->wish;
    if (staged && photographer->gathered == 0) {
        result = photo_wish_gather(&wish, subject); // it has failed meanwhile
    } else if (staged) {
        wish.stage = last->stage; // NULL if it was taken
        last->stage = NULL;
    }
    if (result_is_ok(&result)) {
        photo_wish_free(last);
        *last = wish;
        photographer->gathered = wish.staged;
        photographer->number++;
        photographer->waiting = true;
        photographer->rests = false;
        atomic_store(&photographer->stop, true);
        pthread_cond_signal(&photographer->asked);
    }
    pthread_mutex_unlock(&photographer->mutex);
    return result;
}

Result photographer_look(Photographer *photographer, const uint8_t **rgb, PhotoReport *report)
{
    pthread_mutex_lock(&photographer->mutex);
    Result result = photographer->error;
    photographer->error = result_ok();
    if (photographer->ready.number > 0) {
        Print print = photographer->shown;
        photographer->shown = photographer->ready;
        photographer->ready = print;
        photographer->ready.number = 0;
    }
    photographer->fresh = false;
    bool there = photographer->shown.number == photographer->number && photographer->number > 0;
    pthread_mutex_unlock(&photographer->mutex);
    *rgb = there ? photographer->shown.rgb : NULL;
    *report = there ? photographer->shown.report : (PhotoReport){0};
    return result;
}

void photographer_rest(Photographer *photographer)
{
    pthread_mutex_lock(&photographer->mutex);
    photographer->rests = true;
    if (!photographer->waiting) atomic_store(&photographer->stop, true);
    pthread_mutex_unlock(&photographer->mutex);
}

bool photographer_has_news(Photographer *photographer)
{
    pthread_mutex_lock(&photographer->mutex);
    bool fresh = photographer->fresh && !photographer->rests;
    pthread_mutex_unlock(&photographer->mutex);
    return fresh;
}
