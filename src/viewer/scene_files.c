#include "viewer/scene_files.h"

#include "core/clock.h"
#include "core/path.h"
#include "export/file_writer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// s between looks at the scene's file, and after which it is missed.
static const double STAMP_TIME = 0.3, GONE_TIME = 1.5;

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_scene(const char *name)
{
    return strlen(name) < SCENE_NAME_MAX && name[0] != '.' && path_has_ending(name, ".yaml");
}

// Lists the scenes of the folder; none if it cannot be read.
static void list_scenes(SceneFiles *files)
{
    files->count = 0;
    if (files->listed_folder)
        snprintf(files->folder, sizeof files->folder, "%s", files->listed_folder);
    else
        file_path_split(files->playback->facts.scene, files->folder);
    DIR *entries = opendir(files->folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries)) && files->count < SCENE_FILES_MAX;) {
        if (is_scene(entry->d_name)) strcpy(files->name[files->count++], entry->d_name);
    }
    closedir(entries);
    qsort(files->name, files->count, sizeof *files->name, compare_names);
}

static FileStamp file_stamp(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return (FileStamp){.exists = false};
    return (FileStamp){true, status.st_mtim, (long long)status.st_size, (unsigned long long)status.st_ino};
}

static bool file_stamp_equal(const FileStamp *a, const FileStamp *b)
{
    return a->exists == b->exists && a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec && a->bytes == b->bytes && a->inode == b->inode;
}

void scene_files_start(SceneFiles *files)
{
    const SceneFacts *facts = &files->playback->facts;
    if (!facts->file_renewed) list_scenes(files);
    files->stamp = file_stamp(facts->path);
    files->stamp_seen = clock_seconds();
}

void scene_files_open(SceneFiles *files, const char *path)
{
    screen_say(files->screen, "opening %s", path);
    files->forced_spacing = 0;
    simulation_load(files->playback->simulation, path, 0, LOAD_OTHER);
}

void scene_files_open_listed(SceneFiles *files, uint32_t number)
{
    char path[4200];
    if (number < 1 || number > files->count) {
        screen_say(files->screen, "%s holds %u scene%s", files->folder, files->count,
                   files->count == 1 ? "" : "s");
        return;
    }
    snprintf(path, sizeof path, "%s/%s", files->folder, files->name[number - 1]);
    scene_files_open(files, path);
}

void scene_files_restart(SceneFiles *files, float spacing)
{
    screen_say(files->screen, "restarting with a spacing of %.4g m", (double)spacing);
    files->forced_spacing = spacing;
    simulation_load(files->playback->simulation, files->playback->facts.path, spacing, LOAD_RESPACED);
}

void scene_files_watch(SceneFiles *files)
{
    double now = clock_seconds();
    const char *path = files->playback->facts.path;
    if (now - files->stamp_checked < STAMP_TIME) return;
    files->stamp_checked = now;
    FileStamp stamp = file_stamp(path);
    // A file that is being replaced is gone for a moment.
    if (stamp.exists) files->stamp_seen = now;
    bool gone = files->stamp.exists && !stamp.exists && now - files->stamp_seen > GONE_TIME;
    if (gone) screen_say(files->screen, "%s is gone; the water goes on", path);
    if (gone) files->stamp.exists = false;
    if (!stamp.exists || file_stamp_equal(&stamp, &files->stamp)) return;
    files->stamp = stamp;
    screen_say(files->screen, "reading %s again", path);
    simulation_load(files->playback->simulation, path, files->forced_spacing, LOAD_AGAIN);
}
