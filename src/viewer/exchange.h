// The mailbox between the window and the simulation's thread, under one lock: requests in one direction,
// finished steps (triple-buffered) in the other.
#ifndef PBF_VIEWER_EXCHANGE_H
#define PBF_VIEWER_EXCHANGE_H

#include "fluid/steer.h"
#include "render/split.h"
#include "scene/shared_scene.h"
#include "viewer/snapshot.h"

#include <pthread.h>
#include <stdatomic.h>

// --- requests ---

// Reason for loading a scene.
typedef enum SceneLoad {
    LOAD_OTHER,    // it takes the place of another one
    LOAD_AGAIN,    // its file has changed
    LOAD_RESPACED, // with another spacing; settings that were changed since it was loaded stay
} SceneLoad;

typedef enum RequestKind {
    REQUEST_PLAY, // or pause
    REQUEST_SPEED,
    REQUEST_STEP,
    REQUEST_FRAME,
    REQUEST_RESET,
    REQUEST_LOAD,
    REQUEST_EDIT, // the scene as its text is now
    REQUEST_COMPARE,
    REQUEST_SET,
    REQUEST_MESH,
    REQUEST_WAIT_AT_FRAMES,
    REQUEST_FORCE,
    REQUEST_BALL,
    REQUEST_SHIFT,
    REQUEST_SCRUB, // to the remembered state that is nearest to a time
    REQUEST_BACK,  // to the one before the present state
    REQUEST_UNDO,  // to the run before or after
    REQUEST_LOOP,
    REQUEST_SAVE, // the present state, or the scene, to a file
} RequestKind;

// Subject of a comparison: none, a setting, or the sides that the command line gives.
typedef enum ComparisonKind { COMPARE_NOTHING, COMPARE_SETTING, COMPARE_GIVEN } ComparisonKind;

typedef struct Comparison {
    ComparisonKind kind;
    uint32_t parameter; // of COMPARE_SETTING: parameters.h
    float left, right;  // its values; left is NAN where it stays
} Comparison;

// The union's member has the name of the kind.
typedef struct Request {
    RequestKind kind;
    union {
        bool play, mesh, wait_at_frames, loop;
        double speed;  // simulated seconds a second
        double scrub;  // s
        int direction; // of UNDO
        struct {
            char *path;    // owned
            float spacing; // m, 0 for the file's
            SceneLoad what;
        } load;
        SceneSource *edit;      // owned
        struct KeptScene *save; // owned; NULL: the state
        Comparison compare;
        struct {
            uint32_t parameter;
            float value;
        } set;
        struct {
            FluidForce force;
            double seconds; // of simulated time; 0: no force
        } force;
        struct {
            Vec3 center;
            float radius; // m
        } ball;
        struct {
            uint32_t body;
            Vec3 offset;
            float speed; // m/s
        } shift;
    };
} Request;

// Frees what a request owns.
void request_free(Request *request);

// Does a request of this kind put other water in the place of what there is?
bool request_starts_over(RequestKind kind);

enum { REQUESTS_MAX = 64 };

// Waits for the end of a step. Of several requests that set the same thing only the last one waits.
typedef struct RequestQueue {
    Request waiting[REQUESTS_MAX]; // the oldest first
    uint32_t count;
} RequestQueue;

// Takes ownership of the request, or drops it if too many of its kind wait.
void request_queue_add(RequestQueue *queue, Request request);

// Moves the oldest request out; false if there is none.
bool request_queue_take(RequestQueue *queue, Request *out);

void request_queue_free(RequestQueue *queue);

// Does a request that waits put other water in the place of what there is?
bool request_queue_starts_over(const RequestQueue *queue);

// --- what there is to see ---

// Description of the scene for display: plain data, owns nothing.
typedef struct SceneFacts {
    uint64_t number;   // counts the scenes that were loaded, from 1
    uint64_t revision; // counts all changes of these facts
    char name[64], description[256];
    char path[4096];     // of what was opened: the scene's file, or a stored state
    char scene[4096];    // of the scene's file
    FluidDef fluid;      // as it is now, changes included
    FluidDef file_fluid; // as the scene says
    float spacing_meant; // m, of a scene that is coarser at first; 0 if it is not
    RenderDef render;
    SurfaceDef surface;
    TankDef tank;
    Vec3 tank_corner;
    double fps, duration;
    bool file_renewed; // the same file was read again: keep the camera
    uint32_t compared; // the setting in which two sides differ; PARAMETER_NONE if there is none, or one side
} SceneFacts;

// The remembered states of the present run.
enum { TIMELINE_MARKS = 400 };
typedef struct Timeline {
    double begin, end;           // s of the earliest and the latest
    float marks[TIMELINE_MARKS]; // s of all, or of some that stand for them
    uint32_t mark_count;
    uint32_t count;
    size_t bytes; // of memory, with those of other runs
    bool undo, redo;
} Timeline;

typedef struct WaterRates {
    double steps; // a second of the clock
    double time;  // simulated seconds a second of it
    double idle;  // part of the time in which the water waited for the clock
} WaterRates;

typedef struct SimulationStatus {
    bool playing;
    bool loading;   // other water was requested and cannot be seen yet
    bool replaying; // remembered states are shown instead of new ones
    bool looping;   // at their end they begin again
    bool finished;  // the last of the frames asked for has been shown
    double speed;
    bool comparing;
    uint64_t notes;  // counts them
    char note[320];  // the last one
    uint64_t errors; // counts them
    Result error;    // the last one; ok after a successful reset or load
    uint64_t steps;  // since the scene was started
    WaterRates rate; // over the last seconds of playing; 0 until known
} SimulationStatus;

// Finished step of each side.
typedef struct SimSnapshot {
    Snapshot side[2];
    uint32_t sides; // 1, or 2 while two settings are compared
    uint64_t scene; // SceneFacts.number
    uint64_t fluid; // counts the fluids that were made: a reset makes a new one
    uint32_t frame; // the last frame that was reached
    bool on_frame;  // the snapshot is that frame's state
    SplitText text; // of a comparison
    char name[2][80];
    char method[2][32]; // of the neighbor search
    Timeline timeline;
} SimSnapshot;

// --- the exchange ---

enum { SNAPSHOTS = 3 };

typedef struct Exchange {
    void (*wake)(void);    // tells the window that there is something new
    pthread_mutex_t mutex; // of all that follows, but for what only one side uses
    pthread_cond_t asked;
    RequestQueue requests;
    bool quit;
    atomic_bool hurry; // a step that is under way is to end at once, as if it had not been begun
    SimulationStatus status;
    SceneFacts facts;
    SharedScene *scene;                 // that they are of, held
    SimSnapshot *taken, *ready, *spare; // the window's, the newest, the thread's
    bool ready_is_new;
    SimSnapshot snapshots[SNAPSHOTS];
} Exchange;

void exchange_open(Exchange *exchange, void (*wake)(void));
void exchange_close(Exchange *exchange);

// --- the window's side ---

// Takes ownership of the request.
void exchange_ask(Exchange *exchange, Request request);
void exchange_ask_to_quit(Exchange *exchange);
SimulationStatus exchange_status(Exchange *exchange);

// The left side's scene, held for the caller.
SharedScene *exchange_scene(Exchange *exchange);

// --- the thread's side ---

// Takes the next request. Waits for one, or a change of the snapshots, at most this many seconds (INFINITY:
// for ever).
bool exchange_next_request(Exchange *exchange, double wait, Request *out);
bool exchange_asked_to_quit(Exchange *exchange);

// Has the window taken the last snapshot?
bool exchange_window_is_waiting(Exchange *exchange);

// Publishes the spare snapshot as the newest.
void exchange_show(Exchange *exchange);

// Puts the number of sides into the status, unless another comparison has been requested since.
void exchange_tell_sides(Exchange *exchange, uint32_t sides);

// Tells which scene there is now; it is held from then on. The mutex is the caller's.
void exchange_tell_scene(Exchange *exchange, SharedScene *scene);

// Ends status.loading, unless another load has been requested since.
void exchange_end_loading(Exchange *exchange);

// Puts a note to the user into the status; wakes the window.
void exchange_note(Exchange *exchange, const char *text);

// Puts the outcome into the status; wakes the window.
void exchange_tell(Exchange *exchange, Result outcome);

#endif
