// The fluid being simulated, or two in lockstep that differ in one setting. A side is an immutable scene with
// its current settings. Functions that start over leave everything as it was after an error; sides_compare
// leaves the left side.
#ifndef PBF_VIEWER_SIDES_H
#define PBF_VIEWER_SIDES_H

#include "fluid/lockstep.h"
#include "scene/shared_scene.h"
#include "viewer/exchange.h"
#include "viewer/history.h"

// Reads a scene file and applies the command line's changes. spacing: m, 0 for that of file and command line.
// Memory and errors as scene_read.
typedef Result SceneReader(const char *path, float spacing, const void *context, SceneDef *out);

// Reads the two sides of the comparison that the command line asks for, and their names.
typedef Result SidesReader(const char *path, float spacing, const void *context, SceneDef out[2],
                           char names[2][80]);

// Reads the k-th of the states that a folder holds, in order of time, and the frame that it shows or follows
// at fps frames a second; an empty one past the end, and where `path` is not such a folder. Errors: of the
// file.
typedef Result StateReader(const char *path, uint32_t k, double fps, const void *context, StateBlocks *out,
                           uint32_t *frame);

// Writes a state with its scene, so that every command can go on from it; *path is of the file.
typedef Result StateWriter(const SceneDef *scene, const Fluid *fluid, uint32_t frame, bool between,
                           const void *context, char path[4096]);

typedef struct Side {
    SharedScene *scene;
    FluidDef fluid; // its settings
    char name[80];  // in a comparison
} Side;

typedef struct Sides {
    SceneReader *read;
    SidesReader *read_sides;
    const void *context;     // of both
    const atomic_bool *stop; // fluid_watch; NULL: never
    Side side[2]; // the second one while two are compared; unless the command line gives them they share a
                  // scene
    Fluid *fluid; // NULL while two are compared
    Lockstep *lockstep; // NULL while there is only one
    uint32_t compared;  // the setting in which the sides differ; PARAMETER_NONE if in none
    uint32_t changed;   // bits: settings that the user has changed since the scene was loaded
} Sides;

// Builds the fluid of a scene, which is held from then on. read, read_sides and context have to be set, all
// else is zero. Errors: those of scene_build.
Result sides_start(Sides *sides, SharedScene *scene);
void sides_free(Sides *sides);

// --- other fluids: errors are those of the readers, scene_build_pair and lockstep_create ---

Result sides_reset(Sides *sides);
Result sides_load(Sides *sides, const char *path, float spacing, SceneLoad what);
// With the scene of an edited text, which is empty afterwards; what the user has changed
// stays as well.
Result sides_edit(Sides *sides, SceneSource *source);

// Two sides from the present state of the left one (or of the only one), bit for bit, or the left one alone.
// *anew: sides of the command line that it does not fit have started over instead.
Result sides_compare(Sides *sides, const Comparison *comparison, bool *anew);

// --- remembering ---

// A copy of the left side's state, with its scene and settings; all else of the moment is the caller's.
// Errors: RESULT_NO_MEMORY.
Result sides_remember(const Sides *sides, Moment **out);

// A moment of the left side's scene from a stored state, which is taken over, after an error too. *out: NULL
// if it is of another spacing. Errors: RESULT_USAGE, RESULT_NO_MEMORY.
Result sides_recall(const Sides *sides, StateBlocks *state, uint32_t frame, Moment **out);

// The left side's scene with all settings that the user has changed, as if they had been given with it; only
// its source is a copy, to be freed with scene_source_free. Errors: RESULT_NO_MEMORY.
Result sides_scene_now(const Sides *sides, SceneDef *out);

// Goes on from a moment. A comparison of a setting does so from there, another one ends. *other: the fluids
// are not those of before. Errors: those of scene_restore_with and of fluid_restore.
Result sides_restore(Sides *sides, const Moment *moment, bool *other);

// --- the fluids ---

uint32_t sides_count(const Sides *sides);
Fluid *sides_fluid(const Sides *sides, uint32_t side);
double sides_time(const Sides *sides); // s, of the last finished step

// Changes a setting of both sides; the one that is compared changes on the left side only, which is renamed
// after it. Errors: those of fluid_change.
Result sides_set(Sides *sides, uint32_t parameter, float value);

// The user's actions on the water, on both sides. Errors: those of fluid/steer.h.
void sides_push(Sides *sides, const FluidForce *force);
Result sides_drop_ball(Sides *sides, Vec3 center, float radius);
Result sides_shift_obstacle(Sides *sides, uint32_t body, Vec3 offset, float speed);

#endif
