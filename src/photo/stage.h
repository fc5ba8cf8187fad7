// A frame set up for paths of light: its water, bodies, tank, floor and light.
#ifndef PBF_PHOTO_STAGE_H
#define PBF_PHOTO_STAGE_H

#include "photo/flight.h"
#include "photo/look.h"
#include "photo/mist.h"
#include "photo/photo.h"
#include "photo/stage_strands.h"

// Meshes: water, bodies, whitewater, strands.
enum { STAGE_MIST = 2, STAGE_STRANDS = STAGE_MIST + DIFFUSE_CLASS_COUNT, STAGE_MESHES };

typedef struct Stage {
    PathScene scene;
    RayScene *rays;
    RayMesh mesh[STAGE_MESHES];
    PathMesh made_of[STAGE_MESHES];
    PaneWater *pane_water;
    Caustics *caustics;
    Vec3 *water_vertex, *water_velocity, *water_normal;
    uint32_t (*water_triangle)[3];
    Vec3 *body_vertex, *body_velocity, *body_normal;
    uint32_t (*body_triangle)[3], *body_part;
    Mist mist;
    Material *material; // of the bodies
    StageStrands strands;
    Box3 bending; // m, around the water and bodies of glass; empty without them
    float shutter, spacing;
} Stage;

// Copies what is on the stage: frame and mesh may go. look: resolved. Error: RESULT_NO_MEMORY. Free with
// stage_free.
Result stage_gather(const LookDef *look, const PhotoSubject *subject, Stage *out);
void stage_free(Stage *stage); // zeroed is allowed

// What is sent through the water.
typedef struct StagePhotons {
    uint32_t count; // this many times the look's factor
    double seconds; // for them, see caustics.h; 0: no limit
} StagePhotons;

// Makes rays find what is on the stage, and sends photons through its water. The sky must outlive the stage.
// Ends soon once *stop is true; NULL: never. One that has ended may be called again. Errors: those of
// ray_scene_create and caustics_make.
Result stage_light(Stage *stage, const LookDef *look, const Sky *sky, StagePhotons photons,
                   const atomic_bool *stop);

#endif
