// What the window and the simulation's thread hand each other, under one lock: requests one way, what there
// is to see the other.
#ifndef PBF_VIEWER_EXCHANGE_H
#define PBF_VIEWER_EXCHANGE_H

#include "render/split.h"
#include "scene/scene.h"
#include "viewer/request.h"
#include "viewer/snapshot.h"
#include "viewer/water_clock.h"

#include <pthread.h>

// What a scene is, for those who show it: plain data, no ownership.
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
    bool file_renewed; // the same file again: keep the camera
    uint32_t compared; // the setting in which two sides differ; PARAMETER_NONE if there is none, or one side
} SceneFacts;

typedef struct SimulationStatus {
    bool playing;
    bool loading;  // other water was asked for and cannot be seen yet
    bool finished; // the last of the frames asked for has been shown
    double speed;
    bool comparing;
    uint64_t errors; // counts them
    Result error;    // the last one; ok again after a reset or a load that succeeds
    uint64_t steps;  // since the scene was started
    WaterRates rate; // in the last seconds of playing; 0 as long as there is nothing to tell
} SimulationStatus;

// A finished step, with what it cost.
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

enum { SNAPSHOTS = 3 };

typedef struct Exchange {
    void (*wake)(void);    // tells the window that there is something to look at
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

// The request moves there.
void exchange_ask(Exchange *exchange, Request request);
void exchange_ask_to_quit(Exchange *exchange);
SimulationStatus exchange_status(Exchange *exchange);
bool exchange_facts(Exchange *exchange, SceneFacts *facts);        // as simulation_facts
const SimSnapshot *exchange_take(Exchange *exchange, bool *fresh); // as simulation_take

// --- the thread's side ---

// Takes the next request. Waits for one, or a change of the snapshots, at most this many seconds (INFINITY:
// for ever).
bool exchange_next_request(Exchange *exchange, double wait, Request *out);
bool exchange_asked_to_quit(Exchange *exchange);

// Has the window taken the last snapshot?
bool exchange_window_is_waiting(Exchange *exchange);

// The spare snapshot is the newest from now on.
void exchange_show(Exchange *exchange);

// What was asked for is there, unless more has been asked for since.
void exchange_end_loading(Exchange *exchange);

// How it went, for the status; wakes the window.
void exchange_tell(Exchange *exchange, Result outcome);

#endif
