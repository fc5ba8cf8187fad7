// Scene files: which one is shown, whether it has changed, and which others its folder has.
#ifndef PBF_VIEWER_SCENE_FILES_H
#define PBF_VIEWER_SCENE_FILES_H

#include "viewer/playback.h"

#include <time.h>

enum { SCENE_FILES_MAX = 64, SCENE_NAME_MAX = 64 };

// A file's state, to see it change.
typedef struct FileStamp {
    bool exists;
    struct timespec modified;
    long long bytes;
    unsigned long long inode;
} FileStamp;

typedef struct SceneFiles {
    Screen *screen;
    Playback *playback;
    const char *listed_folder; // NULL: that of the scene
    char folder[4096];
    uint32_t count;
    char name[SCENE_FILES_MAX][SCENE_NAME_MAX]; // of its scenes, in order, for the number keys
    FileStamp stamp;                            // of the scene's file
    double stamp_checked;                       // s of the clock
    double stamp_seen;                          // likewise, when the file was there
    float forced_spacing;                       // m, instead of the file's; 0 for none
} SceneFiles;

// Another scene is shown, or the same one was read again.
void scene_files_start(SceneFiles *files);

// Opens a file, which replaces the scene if it can be read.
void scene_files_open(SceneFiles *files, const char *path);
void scene_files_open_listed(SceneFiles *files, uint32_t number); // of the list, from 1

// The scene starts over with another spacing (m).
void scene_files_restart(SceneFiles *files, float spacing);

// Reads the scene again if its file has changed; checks every STAMP_TIME.
void scene_files_watch(SceneFiles *files);

#endif
