// The window: what the command line says of it.
#include "command/command.h"
#include "command/run.h"
#include "viewer/viewer.h"

#include <stdio.h>
#include <string.h>

// Scenes that are opened later get the command line's changes, too.
static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    char text[32];
    Options options = *(const Options *)context;
    options.scene = path;
    if (spacing > 0) {
        snprintf(text, sizeof text, "%.9g", (double)spacing);
        options.spacing = text;
    }
    return options_read_scene(&options, out);
}

static Result read_sides(const char *path, float spacing, const void *context, SceneDef out[2],
                         char names[2][80])
{
    char text[32];
    SideName sides[2];
    Options options = *(const Options *)context;
    options.scene = path;
    if (spacing > 0) {
        snprintf(text, sizeof text, "%.9g", (double)spacing);
        options.spacing = text;
    }
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
