// The window: what the command line says of it.
#include "command/command.h"
#include "command/run.h"
#include "viewer/viewer.h"

#include <stdio.h>
#include <string.h>

// The command line for another scene: scenes that are opened later get its changes, too. text holds the
// spacing as long as the options are used.
static Options options_for(const Options *options, const char *path, float spacing, char text[32])
{
    Options changed = *options;
    changed.scene = path;
    snprintf(text, 32, "%.9g", (double)spacing);
    if (spacing > 0) changed.spacing = text;
    return changed;
}

static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    char text[32];
    Options options = options_for(context, path, spacing, text);
    return options_read_scene(&options, out);
}

static Result read_sides(const char *path, float spacing, const void *context, SceneDef out[2],
                         char names[2][80])
{
    char text[32];
    SideName sides[2];
    Options options = options_for(context, path, spacing, text);
    TRY(options_read_sides(&options, out, sides));
    for (int side = 0; side < 2; side++) memcpy(names[side], sides[side].text, sizeof sides[side].text);
    return result_ok();
}

Result command_view(const Options *options)
{
    SceneDef scene;
    run_set_threads(options->threads);
    TRY(options_read_scene(options, &scene));
    ViewerDef def = {
        .read = read_scene,
        .read_sides = read_sides,
        .show_cells = options->show_cells,
        .compare = options->compare_key || options->method_count > 1,
        .context = options,
        .scene_dir = options->scene_dir,
        .out = options->out ? options->out : ".",
        .frames = options->frames,
        .paused = options->paused,
        .quiet = options->quiet,
        .interrupted = run_interrupted,
    };
    return viewer_run(&def, &scene);
}
