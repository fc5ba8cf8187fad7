// The scene files of a folder, for the number keys and the panel, and whether a file has changed.
#ifndef PBF_VIEWER_SCENE_LIST_H
#define PBF_VIEWER_SCENE_LIST_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { SCENE_LIST_MAX = 64, SCENE_NAME_MAX = 64 };

typedef struct SceneList {
    char folder[4096];
    uint32_t count;
    char name[SCENE_LIST_MAX][SCENE_NAME_MAX]; // file names that end in .yaml, in order
} SceneList;

// Lists folder, or the folder that holds the file `scene` if it is NULL. A folder that cannot be read gives
// an empty list.
void scene_list_read(SceneList *list, const char *folder, const char *scene);

void scene_list_path(const SceneList *list, uint32_t k, char *path, size_t size);

// A file's state, to see it change.
typedef struct FileStamp {
    bool exists;
    struct timespec modified;
    long long bytes;
    unsigned long long inode;
} FileStamp;

FileStamp file_stamp(const char *path);
bool file_stamp_equal(const FileStamp *a, const FileStamp *b);

#endif
