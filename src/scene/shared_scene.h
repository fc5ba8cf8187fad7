// A scene that several hold, on any threads: reference counted, and immutable as long as it is shared.
#ifndef PBF_SCENE_SHARED_SCENE_H
#define PBF_SCENE_SHARED_SCENE_H

#include "scene/scene.h"

#include <stdatomic.h>

typedef struct SharedScene {
    SceneDef def; // nobody changes it
    atomic_uint holders;
} SharedScene;

// The scene moves there, with one holder: the caller. Error: RESULT_NO_MEMORY; the scene is then freed.
Result shared_scene_create(SceneDef *scene, SharedScene **out);

// One more holder; returns the scene.
SharedScene *shared_scene_hold(SharedScene *scene);

// One less; the last one frees it. NULL is allowed.
void shared_scene_release(SharedScene *scene);

#endif
