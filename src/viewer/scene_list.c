#include "viewer/scene_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_scene(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && length < SCENE_NAME_MAX && name[0] != '.' && strcmp(name + length - 5, ".yaml") == 0;
}

void scene_list_read(SceneList *list, const char *folder, const char *scene)
{
    list->count = 0;
    const char *slash = strrchr(scene, '/');
    if (folder)
        snprintf(list->folder, sizeof list->folder, "%s", folder);
    else if (slash)
        snprintf(list->folder, sizeof list->folder, "%.*s", slash == scene ? 1 : (int)(slash - scene), scene);
    else
        snprintf(list->folder, sizeof list->folder, ".");
    DIR *entries = opendir(list->folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries)) && list->count < SCENE_LIST_MAX;) {
        if (is_scene(entry->d_name)) strcpy(list->name[list->count++], entry->d_name);
    }
    closedir(entries);
    qsort(list->name, list->count, sizeof *list->name, compare_names);
}

void scene_list_path(const SceneList *list, uint32_t k, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", list->folder, list->name[k]);
}

FileStamp file_stamp(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return (FileStamp){.exists = false};
    return (FileStamp){true, status.st_mtim, (long long)status.st_size, (unsigned long long)status.st_ino};
}

bool file_stamp_equal(const FileStamp *a, const FileStamp *b)
{
    return a->exists == b->exists && a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec && a->bytes == b->bytes && a->inode == b->inode;
}
