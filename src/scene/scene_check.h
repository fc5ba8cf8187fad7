// Checks of a scene that concern several keys.
#ifndef PBF_SCENE_SCENE_CHECK_H
#define PBF_SCENE_SCENE_CHECK_H

#include "scene/scene.h"
#include "scene/scene_schema.h"

// Errors: RESULT_USAGE with the place in the file, RESULT_NO_MEMORY.
Result scene_check(const SceneReading *reading, const YamlNode *root, const SceneDef *scene);

#endif
