// Scenes from strings, for tests.
#ifndef PBF_TESTS_SCENE_HELPERS_H
#define PBF_TESTS_SCENE_HELPERS_H

#include "scene/scene.h"

#include <stddef.h>

// A new folder in /tmp; both for cmocka's group set-up and tear-down.
int scene_folder_make(void **state);
int scene_folder_remove(void **state);

// Writes a file of the folder and returns its path (good until the next call).
const char *scene_write(const char *name, const void *bytes, size_t count);

// Reads a scene from text, with one override "KEY=VALUE" or NULL. The file is called scene.yaml.
Result scene_read_text(const char *text, const char *set, SceneDef *out);

// The text is refused with RESULT_USAGE and exactly this message after "FOLDER/" (or this one, for an
// override's), and nothing stays allocated.
void assert_scene_refused(const char *text, const char *set, const char *message);

// The text is read.
SceneDef scene_from_text(const char *text, const char *set);

// Closed meshes for OBJ files: a cube with corners (0, 0, 0) and (1, 1, 1), each side cut along a diagonal.
extern const char CUBE_OBJ[];

#endif
