// The fluid on a thread of its own, so that a window never waits for a step. The thread owns scene and fluid;
// the window asks by requests, which are carried out between steps in the order in which they came (of
// several that set the same thing only the last), and looks at copies of finished steps. Frames are reached
// exactly as `pbf render` reaches them, so states are the same.
#ifndef PBF_VIEWER_SIMULATION_H
#define PBF_VIEWER_SIMULATION_H

#include "viewer/exchange.h"
#include "viewer/stepper.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Simulation Simulation;

// Starts the thread with a scene, which it holds. A snapshot of its first state is there at once. Errors:
// RESULT_NO_MEMORY, RESULT_FAILED, those of scene_build.
Result simulation_start(const SimulationDef *def, SharedScene *scene, Simulation **out);

// Ends the thread after the step it is in, and frees everything. NULL is allowed.
void simulation_stop(Simulation *simulation);

// --- requests: return at once ---

void simulation_play(Simulation *simulation, bool playing);
void simulation_step(Simulation *simulation);  // one step, then pause
void simulation_frame(Simulation *simulation); // up to the next frame, then pause
void simulation_reset(Simulation *simulation); // from the start, with the settings as they are now
void simulation_set_speed(Simulation *simulation, double speed);
// Opens a file, which replaces the scene if it can be read and built; else the old one stays and status.error
// says why. spacing as for SceneReader.
void simulation_load(Simulation *simulation, const char *path, float spacing, SceneLoad what);
// Starts over with two fluids in lockstep: the present settings with a neighbor method each.
void simulation_compare_methods(Simulation *simulation, const char *left, const char *right);
void simulation_compare_sides(Simulation *simulation); // the same with the command line's: SidesReader
void simulation_compare_end(Simulation *simulation);   // starts over with one, and the method it had before
// A setting of parameters.h but the spacing. The one that is compared changes on the left side only, which is
// renamed after it; all others change on both.
void simulation_set(Simulation *simulation, uint32_t parameter, float value);
void simulation_want_mesh(Simulation *simulation, bool wanted); // snapshots come with the surface
// No step is taken past a frame until its snapshot has been taken: for recording.
void simulation_wait_at_frames(Simulation *simulation, bool wait);

// Interaction with the water, on both sides of a comparison. A force acts for this many seconds of simulated
// time (INFINITY: until the next one); NULL ends it.
void simulation_force(Simulation *simulation, const FluidForce *force, double seconds);
void simulation_drop_ball(Simulation *simulation, Vec3 center, float radius); // domain coordinates, m
void simulation_shift_obstacle(Simulation *simulation, uint32_t body, Vec3 offset, float speed);

// --- looking ---

SimulationStatus simulation_status(Simulation *simulation);

// Copies the facts if they are not those of facts->revision any more; true if so. Those of another scene come
// once a snapshot of it has been taken.
bool simulation_facts(Simulation *simulation, SceneFacts *facts);

// The newest snapshot; it stays as it is until the next call. *fresh tells whether it is another one than
// before.
const SimSnapshot *simulation_take(Simulation *simulation, bool *fresh);

#endif
