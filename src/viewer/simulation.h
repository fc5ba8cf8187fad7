// The fluid on a thread of its own, so that a window never waits for a step. The thread owns scene and fluid;
// the window asks by requests, which are carried out between steps in the order in which they came (of
// several that set the same thing only the last), and looks at copies of finished steps. Frames are reached
// exactly as `pbf render` reaches them, so states are the same.
#ifndef PBF_VIEWER_SIMULATION_H
#define PBF_VIEWER_SIMULATION_H

#include "core/result.h"
#include "fluid/steer.h"
#include "render/split.h"
#include "scene/scene.h"
#include "viewer/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

// How scenes come from files, with the command line's changes. spacing: m, 0 for what file and command line
// say. neighbors, memory and errors as scene_read.
typedef Result SceneReader(const char *path, float spacing, const void *context, SceneDef *out);

// The same for the two sides of the comparison that the command line asks for, and what they are called.
typedef Result SidesReader(const char *path, float spacing, const void *context, SceneDef out[2],
                           char names[2][80]);

typedef struct SimulationDef {
    SceneReader *read;
    SidesReader *read_sides;
    const void *context; // of both
    uint32_t frames;     // stop when so many frames have been shown; 0: go on
    bool playing;        // at the start
    double speed;        // simulated seconds a second at most; INFINITY: as fast as it goes
    void (*wake)(void);  // called by the thread when there is something to look at
} SimulationDef;

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

// What a scene is loaded for.
typedef enum SceneLoad {
    LOAD_OTHER,    // it takes the place of another one
    LOAD_AGAIN,    // its file has changed
    LOAD_RESPACED, // with another spacing; settings that were changed since it was loaded stay
} SceneLoad;

typedef struct SimulationStatus {
    bool playing;
    bool loading;  // other water was asked for and cannot be seen yet
    bool finished; // the last of the frames asked for has been shown
    double speed;
    bool comparing;
    uint64_t errors; // counts them
    Result error;    // the last one; ok again after a reset or a load that succeeds
    uint64_t steps;  // since the scene was started
    // In the last seconds of playing; 0 as long as there is nothing to tell.
    double step_rate; // steps a second of the clock
    double time_rate; // simulated seconds a second of it
    double idle;      // part of the time in which the water waited for the clock
} SimulationStatus;

// A finished step, with what it cost.
typedef struct Shot {
    Snapshot side[2];
    uint32_t sides; // 1, or 2 while two settings are compared
    uint64_t scene; // SceneFacts.number
    uint64_t fluid; // counts the fluids that were made: a reset makes a new one
    uint32_t frame; // the last frame that was reached
    bool on_frame;  // the shot is that frame's state
    SplitText text; // of a comparison
    char name[2][80];
    char method[2][32]; // of the neighbor search
} Shot;

typedef struct Simulation Simulation;

// Starts the thread with a scene, which moves to it on success. A shot of its first state is there at once.
// Errors: RESULT_NO_MEMORY, RESULT_FAILED, those of scene_build.
Result simulation_start(const SimulationDef *def, SceneDef *scene, Simulation **out);

// Ends the thread after the step it is in, and frees everything. NULL is allowed.
void simulation_stop(Simulation *simulation);

// --- requests: return at once ---

void simulation_play(Simulation *simulation, bool playing);
void simulation_step(Simulation *simulation);  // one step, then pause
void simulation_frame(Simulation *simulation); // up to the next frame, then pause
void simulation_reset(Simulation *simulation); // from the start, with the settings as they are now
void simulation_set_speed(Simulation *simulation, double speed);
// A file takes the scene's place if it can be read and built; else the old one stays and status.error says
// why. spacing as for SceneReader.
void simulation_load(Simulation *simulation, const char *path, float spacing, SceneLoad what);
// Starts over with two fluids in lockstep: the present settings with a neighbor method each.
void simulation_compare_methods(Simulation *simulation, const char *left, const char *right);
void simulation_compare_sides(Simulation *simulation); // the same with the command line's: SidesReader
void simulation_compare_end(Simulation *simulation);   // starts over with one, and the method it had before
// A setting of parameters.h but the spacing. The one that is compared is the left side's, and the side is
// called by it from then on; all else is both sides'.
void simulation_set(Simulation *simulation, uint32_t parameter, float value);
void simulation_want_mesh(Simulation *simulation, bool wanted); // shots come with the surface
// No step is taken past a frame before its shot was taken: for recording.
void simulation_wait_at_frames(Simulation *simulation, bool wait);

// Hands in the water, on both sides of a comparison. A force acts for so many seconds of simulated time
// (INFINITY: until the next one); NULL ends it.
void simulation_force(Simulation *simulation, const FluidForce *force, double seconds);
void simulation_drop_ball(Simulation *simulation, Vec3 center, float radius); // domain coordinates, m
void simulation_shift_obstacle(Simulation *simulation, uint32_t body, Vec3 offset, float speed);

// --- looking ---

SimulationStatus simulation_status(Simulation *simulation);

// Copies the facts if they are not those of facts->revision any more; true if so. Those of another scene come
// once a shot of it has been taken.
bool simulation_facts(Simulation *simulation, SceneFacts *facts);

// The newest shot; it stays as it is until the next call. *fresh tells whether it is another one than before.
const Shot *simulation_take(Simulation *simulation, bool *fresh);

#endif
