// The things of a scene as its file describes them, to be edited: water, obstacles, emitters, drains and the
// camera. All their numbers, names and choices are members that the key tables know; where a thing stands
// and how large it is follows from a few of them.
#ifndef PBF_SCENE_SCENE_ITEM_H
#define PBF_SCENE_SCENE_ITEM_H

#include "core/mat3.h"
#include "scene/scene_parts.h"

typedef struct SceneItem {
    const char *list;    // "water", "obstacles", "emitters", "drains"; "camera"
    uint32_t index;      // in the list
    const char *variant; // "box", ...; of the camera what is placed: "eye" or "target"
    const ParamRow *rows;
    bool placed; // it has a place: not the camera that frames everything, nor what keyframes move
    bool moves;  // it has keys of motion
    Box3 mesh;   // of a mesh: bounds of its file
    union {      // that rows describe; lengths are whole ones
        WaterDraft water;
        ObstacleDraft obstacle; // without keyframes
        EmitterDef emitter;
        DrainDef drain;
        CameraDef camera;
    } def;
} SceneItem;

// All things of a scene, in the order of the lists above. *items is a new block, freed with memory_free.
// Meshes are read into the source if they are not there. Errors: as of scene_read, for these keys.
Result scene_items_read(SceneSource *source, SceneItem **items, uint32_t *count);

// The row of a key ("sphere.radius"), NULL if the variant has no such key, and a row's member.
const ParamRow *scene_item_row(const SceneItem *item, const char *key);
void *scene_item_member(const SceneItem *item, const ParamRow *row);

// The k-th row that has a value of its own; NULL past the end.
const ParamRow *scene_item_row_at(const SceneItem *item, uint32_t k);

// What it is called: "obstacle 2: pillar".
void scene_item_name(const SceneItem *item, char *name, size_t size);

// --- place and size ---

typedef enum ItemShape { ITEM_POINT, ITEM_BOX, ITEM_BALL, ITEM_CYLINDER } ItemShape;

typedef struct ItemPlace {
    ItemShape shape;
    Vec3 center; // of the shape; m, scene coordinates
    Vec3 pivot;  // what it is moved by and turns about
    Mat3 rotation;
    Vec3 degrees;          // of it, about x, y and z; 0 where nothing turns it
    Vec3 half;             // half lengths along its own axes
    bool turns, scales[3]; // by keys of its own
} ItemPlace;

ItemPlace scene_item_place(const SceneItem *item);

// Changes it in memory. Moves it; gives it another rotation (degrees), or half length along an axis: of a box
// with corners its side (-1 or 1) moves, and comes to lie on multiples of `step` (0: any place).
void scene_item_move(SceneItem *item, Vec3 offset);
void scene_item_turn(SceneItem *item, Vec3 degrees);
void scene_item_scale(SceneItem *item, int axis, int side, float half, float step);

// --- as settings of the source ---

// Adds an override for every key that is not as before. *changed: how many. Errors: RESULT_NO_MEMORY.
Result scene_item_set(const SceneItem *before, const SceneItem *now, SceneSource *source, uint32_t *changed);

#endif
