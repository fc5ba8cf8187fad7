// The scene as it is now, written as a YAML file that looks like the one it was read from.
#ifndef PBF_VIEWER_KEPT_SCENE_H
#define PBF_VIEWER_KEPT_SCENE_H

#include "viewer/sides.h"

enum { KEPT_SETTINGS_MAX = 10 };

// What the window adds to it: the file's path, and settings of its own.
typedef struct KeptScene {
    char path[4200];
    uint32_t count;
    struct {
        char key[24], value[96];
    } set[KEPT_SETTINGS_MAX];
} KeptScene;

void kept_scene_set(KeptScene *kept, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Writes the left side's scene with all settings that the command line or the user has changed. Errors: those
// of scene_edited_text and of files.
Result kept_scene_write(const KeptScene *kept, const Sides *sides);

#endif
