// Small pictures of the scenes of a folder, from its folder `pictures`: NAME.png of NAME.yaml.
#ifndef PBF_VIEWER_SCENE_PICTURES_H
#define PBF_VIEWER_SCENE_PICTURES_H

#include "viewer/scene_files.h"

enum { SCENE_PICTURE_WIDTH = 160, SCENE_PICTURE_HEIGHT = 90 };

typedef struct ScenePictures {
    uint64_t loaded;                   // SceneFacts.number of the list that they are of; 0: none are
    uint32_t texture[SCENE_FILES_MAX]; // of the scene with this number in the list; 0: it has none
} ScenePictures;

// Loads those of the present list, once. What is missing or of another size stays away.
void scene_pictures_load(ScenePictures *pictures, const SceneFiles *files);
void scene_pictures_free(ScenePictures *pictures); // with the window's context

#endif
