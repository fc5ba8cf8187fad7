// What a simulation is made of; shared by the files that ask, carry out and step.
#ifndef PBF_VIEWER_SIMULATION_STATE_H
#define PBF_VIEWER_SIMULATION_STATE_H

#include "scene/lockstep.h"
#include "viewer/simulation.h"

#include <pthread.h>

enum { SHOTS = 3, REQUESTS_MAX = 64 };

typedef enum RequestKind {
    REQUEST_PLAY,
    REQUEST_STEP,
    REQUEST_FRAME,
    REQUEST_RESET,
    REQUEST_SPEED,
    REQUEST_LOAD,
    REQUEST_SET,
    REQUEST_MESH,
    REQUEST_WAIT_AT_FRAMES,
    REQUEST_COMPARE,
    REQUEST_FORCE,
    REQUEST_BALL,
    REQUEST_SHIFT,
} RequestKind;

typedef struct Request {
    RequestKind kind;
    bool on; // compare, force, mesh, wait
    SceneLoad load;
    uint32_t which;     // set: parameter; shift: body
    float value;        // set: of the parameter; load: spacing, m; shift: speed, m/s
    FluidForce force;   // ball: its center and radius; shift: center is the offset
    double seconds;     // that the force acts
    char method[2][32]; // of the sides that are compared; "": the command line says what differs
    char path[4096];    // load
} Request;

struct Simulation {
    SimulationDef def;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t asked;

    // under the mutex
    Request requests[REQUESTS_MAX]; // that wait, the oldest first
    uint32_t count;
    bool quit;
    SimulationStatus status;
    SceneFacts facts;
    Shot *taken, *ready, *spare; // the window's, the newest, the thread's
    bool ready_is_new;

    // the thread's
    Request request;     // that is carried out; too large for the stack
    SceneDef scene;      // of the only or the first side
    Fluid *fluid;        // NULL while two are compared
    Lockstep *lockstep;  // NULL while there is only one
    SceneDef other;      // of the second side
    bool other_is_ours;  // to be freed; else the method differs, and all but its fluid is the first side's
    char own_method[32]; // that a lone fluid goes on with
    uint32_t compared;   // the setting in which the sides differ; PARAMETER_NONE if in none
    uint32_t changed;    // bits: settings that the user has changed since the scene was loaded
    char name[2][80];
    uint32_t steps_due, frames_due; // asked for one by one
    uint64_t fluid_number;
    uint32_t frame; // the last one that was reached
    bool unshown;   // there is a state that no shot shows
    bool want_mesh, wait_at_frames;
    double mesh_due; // s of the clock, when the next mesh of moving water may be begun
    FluidForce force;
    double force_until;               // s of simulated time
    double anchor_clock, anchor_time; // s: simulated time may not run ahead of the clock from here
    double rate_clock, rate_time;     // s, since when steps are counted, and of simulated time
    double rate_waited;               // s of the clock, for the clock
    uint32_t rate_steps;
    Shot shots[SHOTS];
};

// Does a request of this kind put other water in the place of what there is?
bool simulation_starts_over(RequestKind kind);

// --- simulation_requests.c: between two steps, on the simulation's thread ---

Result simulation_carry_out(Simulation *self, const Request *request);

// A new fluid, or two, takes the old one's place; its first state is to be shown.
void simulation_adopt(Simulation *self, Fluid *fluid, Lockstep *lockstep);

// Frees what the second side of a comparison owns.
void simulation_drop_other(Simulation *self);

// From now on simulated time is measured against the clock.
void simulation_anchor(Simulation *self);

// From now on steps are counted for the next rates.
void simulation_start_count(Simulation *self);

// Tells the window what the scene is now.
void simulation_renew_facts(Simulation *self, bool new_scene, bool same_file);

Fluid *simulation_side(Simulation *self, int side);
double simulation_time(Simulation *self); // s, of the last finished step

#endif
