// The values of a scene that need more than a table: parts with a shape, meshes, and a few special spellings.
#ifndef PBF_SCENE_SCENE_PARTS_H
#define PBF_SCENE_SCENE_PARTS_H

#include "scene/scene.h"
#include "scene/scene_schema.h"

// A mesh as the scene writes it, before its file is read.
typedef struct MeshDraft {
    char file[1024];
    Vec3 position, rotation, scale; // m, degrees, factors
    float cell;                     // m, 0 if not given
} MeshDraft;

typedef struct WaterDraft {
    WaterDef def;
    MeshDraft mesh;
} WaterDraft;

typedef struct ObstacleDraft {
    ObstacleDef def;
    MeshDraft mesh;
} ObstacleDraft;

// Elements of lists; the target is a zeroed element, which can be freed whatever the outcome.
SchemaRead parts_read_water;    // WaterDef
SchemaRead parts_read_obstacle; // ObstacleDef; a mesh's grid is not built yet, grid.cell is what the scene
                                // asks for (0: default)
SchemaRead parts_read_scatter;  // ScatterDef
SchemaRead parts_read_emitter;  // EmitterDef
SchemaRead parts_read_drain;    // DrainDef
SchemaRead parts_read_keyframe; // Keyframe

// Values.
SchemaRead parts_read_faces;    // bool[TANK_FACE_COUNT]: list of names of faces
SchemaRead parts_read_scale;    // Vec3: a number, or a list of three
SchemaRead parts_read_plate;    // Vec3: a list of two, into x and y
SchemaRead parts_read_radii;    // float[2]: list of two that ascend, or are equal
SchemaRead parts_read_color;    // float[3]: list of three as a screen shows them (sRGB), stored linear
SchemaRead parts_read_size;     // RenderDef: width and height from a list of two
SchemaRead parts_read_range;    // RenderDef: auto, or a list of two
SchemaRead parts_read_isovalue; // float: auto (stored as 0), or a number

// The tables that the elements are read by (scene_tables.c).
extern const SchemaTable WATER_SCHEMA, OBSTACLE_SCHEMA, SCATTER_SCHEMA, MOTION_SCHEMA, EMITTER_SCHEMA,
    DRAIN_SCHEMA, KEYFRAME_SCHEMA;

#endif
