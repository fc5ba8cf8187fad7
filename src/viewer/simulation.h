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
// The scene as an edited text has it, which is taken over; the rest is as with simulation_load.
void simulation_edit(Simulation *simulation, SceneSource *source);
// Two fluids in lockstep, both from the present state of the left one, or of the only one. They differ in a
// setting, of which the left side keeps its value if `left` is NAN.
void simulation_compare(Simulation *simulation, uint32_t parameter, float left, float right);
// The same with the command line's sides (SidesReader). Sides that the present water does not fit start over.
void simulation_compare_sides(Simulation *simulation);
void simulation_compare_end(Simulation *simulation); // the left side goes on alone
// A setting of parameters.h but the spacing. The one that is compared changes on the left side only, which is
// renamed after it; all others change on both.
void simulation_set(Simulation *simulation, uint32_t parameter, float value);
void simulation_want_mesh(Simulation *simulation, bool wanted); // snapshots come with the surface
// No step is taken past a frame until its snapshot has been taken: for recording.
void simulation_wait_at_frames(Simulation *simulation, bool wait);

// Remembered states, which are played again where there are some.
void simulation_scrub(Simulation *simulation, double time); // to the one nearest to this time, s
void simulation_back(Simulation *simulation);               // to the one before, then pause
void simulation_undo(Simulation *simulation,
                     int direction);                     // to the run before (-1) or after (1), then pause
void simulation_loop(Simulation *simulation, bool loop); // at their end they begin again

void simulation_save(Simulation *simulation); // the present state, by SimulationDef.write_state
void simulation_save_scene(Simulation *simulation, const KeptScene *kept); // kept_scene_write

// Interaction with the water, on both sides of a comparison. A force acts for this many seconds of simulated
// time (INFINITY: until the next one); NULL ends it.
void simulation_force(Simulation *simulation, const FluidForce *force, double seconds);
void simulation_drop_ball(Simulation *simulation, Vec3 center, float radius); // domain coordinates, m
void simulation_shift_obstacle(Simulation *simulation, uint32_t body, Vec3 offset, float speed);

// --- looking ---

// What has been measured of the run. The window reads it and says whether it wants all frames.
Measurements *simulation_measurements(Simulation *simulation);

SimulationStatus simulation_status(Simulation *simulation);

// The remembered state nearest to a time as it will be seen once simulation_scrub has been carried out: at
// once, whatever the water is doing, and without its whitewater. It stays until the next call. NULL while two
// sides or a surface are shown, or if there is none.
const SimSnapshot *simulation_glimpse(Simulation *simulation, double time);

// The left side's scene as it is now, perhaps ahead of the newest snapshot; to be released.
SharedScene *simulation_scene(Simulation *simulation);

// Copies the facts if they are not those of facts->revision any more; true if so. Those of another scene come
// once a snapshot of it has been taken.
bool simulation_facts(Simulation *simulation, SceneFacts *facts);

// The newest snapshot; it stays as it is until the next call. *fresh tells whether it is another one than
// before.
const SimSnapshot *simulation_take(Simulation *simulation, bool *fresh);

#endif
