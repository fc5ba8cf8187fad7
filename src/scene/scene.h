// A scene: the contents of a file, as plain data with defaults, and the fluid made from it. Only scene_yaml.c
// knows libfyaml. Everything in a SceneDef is in SI units, scene coordinates, degrees.
#ifndef PBF_SCENE_SCENE_H
#define PBF_SCENE_SCENE_H

#include "core/result.h"
#include "diffuse/diffuse.h"
#include "fluid/fluid.h"
#include "measure/probe.h"
#include "obstacle/obstacle.h"
#include "render/render.h"
#include "scene/scene_source.h"
#include "strand/strand.h"
#include "surface/surface.h"

#include <stdint.h>

typedef enum WaterKind { WATER_BOX, WATER_SPHERE, WATER_MESH } WaterKind;

typedef struct WaterDef {
    WaterKind kind;
    Vec3 lo, hi; // box: corners; particle centers lie half a spacing inside
    Vec3 center; // sphere
    float radius;
    TriangleMesh mesh; // owned; already in place (scaled, rotated, moved)
    Vec3 velocity;     // m/s
    int line, column;  // where the file describes it, for messages
} WaterDef;

// Most frames of a run.
#define SCENE_FRAMES_MAX 1000000

// Most obstacles, scattered ones included.
#define SCENE_OBSTACLES_MAX 100000

// Balls at random in a box (scatter.h).
typedef struct ScatterDef {
    char name[64];
    uint32_t seed, count;
    Vec3 lo, hi;     // m: balls lie within this box
    float radius[2]; // m, smallest and largest
    float gap;       // m, between any two balls at least
    bool overlap;    // balls may overlap; gap does not count then
    float friction;
    float contact_angle; // degrees; 0: the tank's
    float color[3];      // linear RGB
    ObstacleMaterial material;
} ScatterDef;

typedef struct OutputDef {
    double duration; // s of simulated time, > 0
    double fps;      // frames per second of simulated time, > 0
    RenderDef render;
} OutputDef;

// A stored state that scenes begin with, instead of their water.
typedef struct SceneStart {
    StateBlocks state;
    uint32_t frame;  // the last one that it has reached
    char path[4096]; // of its file
    uint32_t scenes; // that share it
} SceneStart;

typedef struct SceneDef {
    char name[64]; // the file's name without folder and suffix, unless the file names itself
    char description[256];
    char path[4096];
    TankDef tank;
    Vec3 tank_corner; // scene position of the tank's lower corner
    float wall_friction;
    FluidDef fluid;
    float spacing_meant; // m, set by who has made it coarser for a first look; 0: the fluid's
    WaterDef *water;
    uint32_t water_count;
    ObstacleDef *obstacles;
    uint32_t obstacle_count;
    ScatterDef *scatter; // already among the obstacles
    uint32_t scatter_count;
    EmitterDef *emitters;
    uint32_t emitter_count;
    DrainDef *drains;
    uint32_t drain_count;
    StrandDef *strands;
    uint32_t strand_count;
    ProbeDef *probes;
    uint32_t probe_count;
    DiffuseDef whitewater; // enabled only if the scene has the section
    SurfaceDef surface;    // its spacing is the fluid's
    OutputDef output;
    SceneSource source; // what it was read from; owned
    SceneStart *start;  // NULL: it begins with its water
} SceneDef;

// The defaults: no water, no name.
SceneDef scene_def_default(void);

// Reads and checks a scene. Errors: RESULT_USAGE "FILE:LINE:COLUMN: what is wrong (what is allowed)";
// for an override "--set KEY: ...". Free with scene_free.
Result scene_read(const char *path, const SceneOverride *overrides, uint32_t override_count, SceneDef *out);
void scene_free(SceneDef *scene);

// As scene_read, from a source, which is moved into the scene or, after an error, freed.
Result scene_read_source(SceneSource *source, SceneDef *out);

// Applies overrides of the keys of `surface` to a surface that belongs to no scene. Errors: RESULT_USAGE
// "--set KEY: ...", also for keys of other sections; RESULT_NO_MEMORY.
Result scene_set_surface(const SceneOverride *overrides, uint32_t override_count, SurfaceDef *surface);

// Applies overrides of the keys of `whitewater` and `tank`, and of `fluid.gravity`, to a scene that no file
// describes. Errors: as above.
Result scene_set_foam(const SceneOverride *overrides, uint32_t override_count, SceneDef *scene);

// Makes the scene begin with a state that fluid_store made, from the file `path`. *state moves to the scene
// and is empty afterwards. Error: RESULT_NO_MEMORY; the state is then freed.
Result scene_start_from(SceneDef *scene, StateBlocks *state, uint32_t frame, const char *path);

// Makes a scene without such a state begin with that of another scene, if it has one.
void scene_share_start(const SceneDef *from, SceneDef *to);

// Numbers of particles of a scene.
typedef struct SceneCount {
    uint64_t initial; // at the start
    uint64_t emitted; // by all emitters from then to the end
    uint64_t largest; // of those at the start, in one body of water
    double end;       // s, of the scene's duration
} SceneCount;

// The speed that thresholds of whitewater are measured in, m/s: the scene's, else that of a fall through the
// height of its water and nozzles, but no less than they start with.
float scene_whitewater_speed(const SceneDef *scene);

// Counts the particles that scene_build would make. Errors: RESULT_NO_MEMORY.
Result scene_count(const SceneDef *scene, SceneCount *out);

// The part of these that is there at once for certain: where water drains away as it comes in, that at the
// start.
SceneCount scene_certain_count(const SceneDef *scene, const SceneCount *count);

// Bytes that the scene takes at its peak with all these particles and these settings, whitewater included.
uint64_t scene_memory_estimate(const SceneDef *scene, const FluidDef *settings, const SceneCount *count);

// Makes the scene's fluid, filled with its water, or as it was stored if it has a start. Water is sampled on
// a lattice of the spacing, without the places inside obstacles or nearer than half a spacing to them.
// Refuses, before it allocates, more particles than memory holds. The scene stays usable and is not changed.
// Errors: RESULT_USAGE (2^31 particles or more; "PATH: ..." for a start, as scene_restore), RESULT_NO_MEMORY
// (what is needed and what is free).
Result scene_build(const SceneDef *scene, Fluid **out);

// The same without any water, for other processes' share of it.
Result scene_build_empty(const SceneDef *scene, Fluid **out);

// As scene_build, with other settings of the same spacing.
Result scene_build_with(const SceneDef *scene, const FluidDef *settings, Fluid **out);

// Builds two fluids, or none. Errors also: RESULT_NO_MEMORY if both do not fit.
Result scene_build_pair(const SceneDef *const scenes[2], const FluidDef *const settings[2], Fluid *out[2]);

// Makes the scene's fluid as fluid_store left it, instead of filled with its water. Errors: RESULT_USAGE
// "what is wrong" (a state of another spacing or domain, or one that no fluid stores), RESULT_NO_MEMORY.
Result scene_restore(const SceneDef *scene, const StateBlocks *state, Fluid **out);

// As scene_restore, with other settings of the same spacing.
Result scene_restore_with(const SceneDef *scene, const FluidDef *settings, const StateBlocks *state,
                          Fluid **out);

#endif
