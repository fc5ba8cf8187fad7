#include "viewer/scene_files.h"

#include "core/clock.h"

static const double STAMP_TIME = 0.3; // s between looks at the scene's file

void scene_files_start(SceneFiles *files)
{
    const SceneFacts *facts = &files->playback->facts;
    if (!facts->file_renewed) scene_list_read(&files->list, files->folder, facts->scene);
    files->stamp = file_stamp(facts->path);
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
    const SceneList *list = &files->list;
    if (number < 1 || number > list->count) {
        screen_say(files->screen, "%s holds %u scene%s", list->folder, list->count,
                   list->count == 1 ? "" : "s");
        return;
    }
    scene_list_path(list, number - 1, path, sizeof path);
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
    if (!stamp.exists || file_stamp_equal(&stamp, &files->stamp)) return;
    files->stamp = stamp;
    screen_say(files->screen, "reading %s again", path);
    simulation_load(files->playback->simulation, path, files->forced_spacing, LOAD_AGAIN);
}
