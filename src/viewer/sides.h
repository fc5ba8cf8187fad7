// The fluid being simulated, or two in lockstep that differ in one setting. A side is an immutable scene with
// its current settings. Functions that start over leave everything as it was after an error.
#ifndef PBF_VIEWER_SIDES_H
#define PBF_VIEWER_SIDES_H

#include "fluid/lockstep.h"
#include "scene/shared_scene.h"
#include "viewer/exchange.h"

// Reads a scene file and applies the command line's changes. spacing: m, 0 for that of file and command line.
// Memory and errors as scene_read.
typedef Result SceneReader(const char *path, float spacing, const void *context, SceneDef *out);

// Reads the two sides of the comparison that the command line asks for, and their names.
typedef Result SidesReader(const char *path, float spacing, const void *context, SceneDef out[2],
                           char names[2][80]);

typedef struct Side {
    SharedScene *scene;
    FluidDef fluid; // its settings
    char name[80];  // in a comparison
} Side;

typedef struct Sides {
    SceneReader *read;
    SidesReader *read_sides;
    const void *context; // of both
    Side side[2]; // the second one while two are compared; of a comparison of methods they share the scene
    Fluid *fluid; // NULL while two are compared
    Lockstep *lockstep;  // NULL while there is only one
    char own_method[32]; // that a single fluid continues with after a comparison of methods
    uint32_t compared;   // the setting in which the sides differ; PARAMETER_NONE if in none
    uint32_t changed;    // bits: settings that the user has changed since the scene was loaded
} Sides;

// Builds the fluid of a scene, which is held from then on. read, read_sides and context have to be set, all
// else is zero. Errors: those of scene_build.
Result sides_start(Sides *sides, SharedScene *scene);
void sides_free(Sides *sides);

// --- starting over: errors are those of the readers, scene_build_pair and lockstep_create ---

Result sides_reset(Sides *sides);
Result sides_load(Sides *sides, const char *path, float spacing, SceneLoad what);
Result sides_compare(Sides *sides, Comparison what, const char *left, const char *right);

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
