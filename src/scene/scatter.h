// Many obstacles from a few lines: balls thrown into a box at random.
#ifndef PBF_SCENE_SCATTER_H
#define PBF_SCENE_SCATTER_H

#include "scene/scene.h"
#include "scene/scene_schema.h"

// Adds the balls of every item of scene->scatter behind the scene's other obstacles. The same seed gives the
// same balls on every machine. Errors: RESULT_USAGE with the place where a box has no room for
// its balls, RESULT_NO_MEMORY.
Result scatter_obstacles(const SceneReading *reading, const YamlNode *root, SceneDef *scene);

#endif
