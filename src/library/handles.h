// What the handles of pbf.h are, and the frame of every call.
#ifndef PBF_LIBRARY_HANDLES_H
#define PBF_LIBRARY_HANDLES_H

#include "core/host.h"
#include "core/memory.h"
#include "core/result.h"
#include "fluid/fluid.h"
#include "library/pbf.h"
#include "measure/measure.h"
#include "scene/shared_scene.h"

#include <stdatomic.h>
#include <stdbool.h>

struct pbf_context {
    Host host;
    void (*log)(pbf_log_level level, const char *text, void *user);
    atomic_uint holders; // handles, and the caller
};

struct pbf_scene {
    pbf_context *context;
    SharedScene *shared;
};

// Sums over the steps of one call.
typedef struct LoadSum {
    double impulse[3], turn[3]; // N s, N m s about the body's position
} LoadSum;

struct pbf_sim {
    pbf_context *context;
    SharedScene *shared; // with the settings under way
    Fluid *fluid;
    uint64_t version;
    bool measured;
    LoadSum *loads;      // of the bodies, then of the tank; NULL until they are measured
    double load_seconds; // that they are sums over
    Measure *watch;      // what pbf_sim_row reads; NULL: nothing
    bool watched;        // if not, the watch is that of a stored state, until the next step
    bool stepping;       // in pbf_sim_step or _advance
    bool doomed;         // destroyed by its own callback
};

// True while photographs are to end: pbf_stop.
const atomic_bool *library_stop(void);

// --- contexts ---

// Holds a context for a handle; NULL is the process's.
pbf_context *context_hold(pbf_context *context);
void context_release(pbf_context *context);

// --- the frame of a call ---

// Enters the context; returns what call_end takes.
Host *call_begin(const pbf_context *context);

// Leaves it; logs and hands on the outcome.
pbf_result call_end(const pbf_context *context, Host *before, Result result);

// Ends a function of the interface with what is done in the context.
#define RETURN_CALL(context, done)                                                                           \
    do {                                                                                                     \
        Host *call_before_ = call_begin(context);                                                            \
        return call_end(context, call_before_, (done));                                                      \
    } while (0)

// Leaves it after a handle that held it was freed, and lets it go, which may be its end.
void call_close(pbf_context *context, Host *before);

// As call_end, for a call that never entered a context.
pbf_result call_refused(const pbf_context *context, Result result);

// Hands a note to the context's log, if it has one.
void context_note(const pbf_context *context, const char *text);

// "what is NULL".
Result missing(const char *what);

// Is a definition's size the one that the library knows? Error: RESULT_USAGE.
Result check_def_size(size_t size, size_t known, const char *type);

// --- what several files of the library need ---

// Checks settings of the caller. Error: RESULT_USAGE.
Result settings_check(const pbf_setting *settings, size_t count);

// The scene with further settings, from its source again. Errors: as scene_read's. Release it.
Result scene_with(const SharedScene *shared, const pbf_setting *settings, size_t count, SharedScene **out);

// The caller's vectors as streams of floats, padded to whole vectors of sixteen.
typedef struct PointStreams {
    float *x, *y, *z;
    uint32_t count;
    size_t capacity[3];
} PointStreams;

// Copies them. what: "positions", for messages. Memory is kept for the next time. Errors: RESULT_USAGE naming
// the first point that is not finite as a float; RESULT_NO_MEMORY.
Result points_copy(const pbf_points *points, const char *what, PointStreams *out);

// Finds their streams where the caller's vectors are streams of floats, which are not padded, or copies them
// to `store`. Errors: as of points_copy.
Result points_view(const pbf_points *points, const char *what, PointStreams *store, const float *out[3]);
void points_free(PointStreams *streams);

#endif
