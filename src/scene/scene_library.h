// Scenes that are found by name: those that come along with the program.
#ifndef PBF_SCENE_SCENE_LIBRARY_H
#define PBF_SCENE_SCENE_LIBRARY_H

#include "core/result.h"

#include <limits.h>

// Works out the path of a scene file. name: a path, which wins if there is a file, or the name of a scene,
// "dam_break" or "dam_break.yaml", of the first folder that has it: scenes beside the program or the shared
// library (or one or two folders above it, as in a source tree), then ../share/pbf/scenes. Error:
// RESULT_USAGE "NAME: cannot be opened: why", with the nearest name in that folder or among the scenes.
Result scene_library_find(const char *name, char path[PATH_MAX]);

// Calls `take` for every such scene in the order of names, with its name and path. Stops and returns at the
// first error of take. Other error: RESULT_NO_MEMORY.
typedef Result SceneLibraryTake(const char *name, const char *path, void *context);
Result scene_library_list(SceneLibraryTake *take, void *context);

#endif
