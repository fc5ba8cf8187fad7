// The mailbox between the window and the simulation's thread, under one lock: requests in one direction,
// finished steps (triple-buffered) in the other.
#ifndef PBF_VIEWER_EXCHANGE_H
#define PBF_VIEWER_EXCHANGE_H

#include "fluid/steer.h"
#include "render/split.h"
#include "scene/scene.h"
#include "viewer/snapshot.h"

#include <pthread.h>

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
    REQUEST_COMPARE,
    REQUEST_SET,
    REQUEST_MESH,
    REQUEST_WAIT_AT_FRAMES,
    REQUEST_FORCE,
    REQUEST_BALL,
    REQUEST_SHIFT,
} RequestKind;

// Subject of a comparison.
typedef enum Comparison { COMPARE_NOTHING, COMPARE_METHODS, COMPARE_GIVEN } Comparison;

// The union's member has the name of the kind.
typedef struct Request {
    RequestKind kind;
    union {
        bool play, mesh, wait_at_frames;
        double speed; // simulated seconds a second
        struct {
            char *path;    // owned
            float spacing; // m, 0 for the file's
            SceneLoad what;
        } load;
        struct {
            Comparison what;
            char method[2][32]; // of COMPARE_METHODS
        } compare;
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
    char path[4096];  // of what was opened: the scene's file, or a stored state
    char scene[4096]; // of the scene's file
    FluidDef fluid;   // as it is now, changes included
    RenderDef render;
    TankDef tank;
    Vec3 tank_corner;
    double fps, duration;
    bool file_renewed; // the same file was read again: keep the camera
    uint32_t compared; // the setting in which two sides differ; PARAMETER_NONE if there is none, or one side
} SceneFacts;

typedef struct WaterRates {
    double steps; // a second of the clock
    double time;  // simulated seconds a second of it
    double idle;  // part of the time in which the water waited for the clock
} WaterRates;

typedef struct SimulationStatus {
    bool playing;
    bool loading;  // other water was requested and cannot be seen yet
    bool finished; // the last of the frames asked for has been shown
    double speed;
    bool comparing;
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
} SimSnapshot;

// --- the exchange ---

enum { SNAPSHOTS = 3 };

typedef struct Exchange {
    void (*wake)(void);    // tells the window that there is something new
    pthread_mutex_t mutex; // of all that follows, but for what only one side uses
    pthread_cond_t asked;
    RequestQueue requests;
    bool quit;
    SimulationStatus status;
    SceneFacts facts;
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

// --- the thread's side ---

// Takes the next request. Waits for one, or a change of the snapshots, at most this many seconds (INFINITY:
// for ever).
bool exchange_next_request(Exchange *exchange, double wait, Request *out);
bool exchange_asked_to_quit(Exchange *exchange);

// Has the window taken the last snapshot?
bool exchange_window_is_waiting(Exchange *exchange);

// Publishes the spare snapshot as the newest.
void exchange_show(Exchange *exchange);

// Ends status.loading, unless another load has been requested since.
void exchange_end_loading(Exchange *exchange);

// Puts the outcome into the status; wakes the window.
void exchange_tell(Exchange *exchange, Result outcome);

#endif
