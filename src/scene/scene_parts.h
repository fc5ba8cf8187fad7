// Parts of a scene that need more than a table: shapes, meshes, motion.
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

// Reads an item of a list by the list's row. target: a zeroed WaterDef, ObstacleDef (whose mesh has no grid
// yet; grid.cell is what the scene asks for, 0: default), ScatterDef, EmitterDef, DrainDef, ProbeDef or
// Keyframe, which can be freed whatever the outcome. Errors as of schema_read.
Result parts_read_item(const SceneReading *reading, const YamlNode *node, const ParamRow *row, void *target);

// Tables of the items (scene_tables.c): of a WaterDraft, ObstacleDraft, ScatterDef, EmitterDef, DrainDef,
// ProbeDef and Keyframe.
extern const ParamRow WATER_ROWS[], OBSTACLE_ROWS[], SCATTER_ROWS[], EMITTER_ROWS[], DRAIN_ROWS[],
    PROBE_ROWS[], KEYFRAME_ROWS[];

#endif
