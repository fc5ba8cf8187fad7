// A scene with several holders, on any threads: reference counted, and immutable while it is shared.
#ifndef PBF_SCENE_SHARED_SCENE_H
#define PBF_SCENE_SHARED_SCENE_H

#include "scene/scene.h"

#include <stdatomic.h>

typedef struct SharedScene {
    SceneDef def; // nobody changes it
    atomic_uint holders;
} SharedScene;

// Moves the scene there, with one holder: the caller. Error: RESULT_NO_MEMORY; the scene is then freed.
Result shared_scene_create(SceneDef *scene, SharedScene **out);

// Adds a holder; returns the scene.
SharedScene *shared_scene_hold(SharedScene *scene);

// Takes a holder away; the last one frees the scene. NULL is allowed.
void shared_scene_release(SharedScene *scene);

#endif
