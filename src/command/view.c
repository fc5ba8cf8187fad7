// `pbf view`: from the command line to the window.
#include "command/checkpoint.h"
#include "command/command.h"
#include "command/run.h"
#include "core/c_locale.h"
#include "core/memory.h"
#include "core/path.h"
#include "export/frame_folder.h"
#include "viewer/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// m, of the scene below a list.
static const float LIST_SPACING = 0.25f;

// A first look at a scene has at most so many particles, which move at a good part of real time on any
// machine.
static const uint64_t FIRST_PARTICLES = 20000;

typedef struct ViewContext {
    const Options *options;
    bool coarse; // scenes are for a first look
} ViewContext;

// Does a folder hold checkpoints?
static bool has_checkpoints(const char *path)
{
    CheckpointName *names = NULL;
    uint32_t count = 0;
    Result result = checkpoint_list(path, &names, &count);
    memory_free(names);
    return result_is_ok(&result) && count > 0;
}

static Result read_state(const char *path, uint32_t k, double fps, const void *context, StateBlocks *out,
                         uint32_t *frame)
{
    (void)context;
    char file[PATH_MAX];
    CheckpointName *names = NULL;
    uint32_t count = 0;
    Checkpoint checkpoint;
    Progress progress = progress_begin(true);
    *out = (StateBlocks){0};
    TRY(checkpoint_list(path, &names, &count));
    if (k < count) checkpoint_path(path, names[k], file);
    memory_free(names);
    if (k >= count) return result_ok();
    TRY(checkpoint_read(file, &progress, &checkpoint));
    Result result = checkpoint_settle_frame(&checkpoint, fps, &progress);
    if (result_is_ok(&result)) {
        *out = checkpoint.state;
        *frame = checkpoint.frame;
        checkpoint.state = (StateBlocks){0};
    }
    checkpoint_free(&checkpoint);
    return result;
}

// Each in a folder of its own, so that commands that take the newest of a folder find it.
static Result write_state(const SceneDef *scene, const Fluid *fluid, uint32_t frame, bool between,
                          const void *context, char path[4096])
{
    const Options *options = ((const ViewContext *)context)->options;
    char folder[PATH_MAX];
    int number = 0;
    do {
        int length = snprintf(folder, sizeof folder, "%.3000s/%.60s_state_%02d",
                              options->out ? options->out : ".", scene->name, ++number);
        CHECK(length < (int)sizeof folder);
    } while (access(folder, F_OK) == 0);
    TRY(frame_folder_make(folder));
    double pictures[PBF_PICTURE_NUMBERS];
    checkpoint_no_pictures(scene->output.render.color_by, pictures);
    StateBlocks state = {0};
    fluid_store(fluid, &state);
    TRY(checkpoint_write(folder, options, scene, &state, frame, between, pictures));
    checkpoint_path(folder, (CheckpointName){frame, between}, path);
    return result_ok();
}

// The options for another scene: scenes that are opened later are changed likewise. text holds the spacing as
// long as the options are used.
static Options options_for(const Options *options, const char *path, float spacing, char text[32])
{
    Options changed = *options;
    changed.scene = path;
    c_snprintf(text, 32, "%.9g", (double)spacing);
    if (spacing > 0) changed.spacing = text;
    return changed;
}

// Reads one scene, or the two sides of a comparison if there are names for them.
static Result read_scenes(const Options *options, SceneDef *out, SideName *names)
{
    return names ? options_read_sides(options, out, names) : options_read_scene(options, out);
}

static void free_scenes(SceneDef *scenes, uint32_t count)
{
    for (uint32_t side = 0; side < count; side++) scene_free(&scenes[side]);
}

// The scenes of a checkpoint begin with its state; with another spacing they begin with their water.
static Result begin_stored(Checkpoint *checkpoint, SceneDef *scenes, uint32_t count, Progress *progress)
{
    const StateBlock *spacing = blocks_find(&checkpoint->state, "spacing", BLOCK_FLOAT);
    bool fits = spacing && spacing->count == 1;
    for (uint32_t side = 0; side < count; side++) {
        strcpy(scenes[side].path, checkpoint->path);
        fits = fits && scenes[side].fluid.spacing == *(const float *)spacing->data;
    }
    if (!fits) return result_ok();
    TRY(checkpoint_start_scene(checkpoint, &scenes[0], progress));
    if (count > 1) scene_share_start(&scenes[0], &scenes[1]);
    return result_ok();
}

static Result read_stored(const Options *options, Checkpoint *checkpoint, Progress *progress, SceneDef *out,
                          SideName *names)
{
    TRY(read_scenes(options, out, names));
    Result result = begin_stored(checkpoint, out, names ? 2 : 1, progress);
    if (!result_is_ok(&result)) free_scenes(out, names ? 2 : 1);
    return result;
}

// path: of a checkpoint, or of a folder with some.
static Result read_checkpoint(const char *path, const Options *options, SceneDef *out, SideName *names)
{
    Checkpoint checkpoint;
    Options adopted;
    Progress progress = progress_begin(options->quiet);
    Result result = checkpoint_open(path, options, &progress, &checkpoint, &adopted);
    if (result_is_ok(&result)) {
        adopted.spacing = options->spacing; // that of a restart is not among the given options
        // Nor is a window as small as the frames of the run.
        adopted.width = options->width;
        adopted.height = options->height;
        result = read_stored(&adopted, &checkpoint, &progress, out, names);
    }
    checkpoint_free(&checkpoint);
    return result;
}

// path: of a scene or a checkpoint. names: as read_scenes.
static Result read_any(const char *path, float spacing, const Options *now, SceneDef *out, SideName *names)
{
    char text[32];
    bool stored = path_has_ending(path, ".pbf") || has_checkpoints(path);
    Options options = options_for(now, stored ? NULL : path, spacing, text);
    return stored ? read_checkpoint(path, &options, out, names) : read_scenes(&options, out, names);
}

// Reads a scene that has too many particles for a first look again, with a larger spacing; it stays as it is
// if it does not go with one.
static Result make_coarse(const char *path, const Options *options, SceneDef *scene)
{
    SceneDef coarse;
    SceneCount count;
    float meant = scene->fluid.spacing;
    TRY(scene_count(scene, &count));
    float ratio = cbrtf((float)(count.initial + count.emitted) / (float)FIRST_PARTICLES);
    if (ratio <= 1 || scene->start) return result_ok();
    // In halves of the scene's spacing, so that lattices fit as they did.
    Result result = read_any(path, ceilf(2 * ratio) / 2 * meant, options, &coarse, NULL);
    if (!result_is_ok(&result)) return result_ok();
    scene_free(scene);
    *scene = coarse;
    scene->spacing_meant = meant;
    return result_ok();
}

static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    const ViewContext *view = context;
    TRY(read_any(path, spacing, view->options, out, NULL));
    if (!view->coarse || spacing > 0) return result_ok();
    Result result = make_coarse(path, view->options, out);
    if (!result_is_ok(&result)) scene_free(out);
    return result;
}

static Result read_sides(const char *path, float spacing, const void *context, SceneDef out[2],
                         char names[2][80])
{
    SideName sides[2];
    TRY(read_any(path, spacing, ((const ViewContext *)context)->options, out, sides));
    for (int side = 0; side < 2; side++) memcpy(names[side], sides[side].text, sizeof sides[side].text);
    return result_ok();
}

// Without a scene the window begins with a list of them, over one of them.
static bool begins_with_list(const Options *options)
{
    return !options->scene && !options->resume;
}

static Result read_first(const ViewContext *context, SceneDef *out)
{
    char spacing[32];
    const Options *options = context->options;
    if (begins_with_list(options)) {
        Options coarse = options_for(options, "dam_break", options->spacing ? 0 : LIST_SPACING, spacing);
        return options_read_scene(&coarse, out);
    }
    if (options->resume) return read_checkpoint(options->resume, options, out, NULL);
    return read_scene(options->scene, 0, context, out);
}

// The file of what the window remembers, in the folder of the user's settings; false if there is none.
static bool preferences_path(char path[PATH_MAX])
{
    const char *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = 0;
    if (settings && settings[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/pbf/window.yaml", settings);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.config/pbf/window.yaml", home);
    return length > 0 && length < PATH_MAX;
}

// What was asked for in any detail is not made coarser.
static bool is_first_look(const Options *options, const char *preferences)
{
    bool given = options->spacing || options->resume || options->frames > 0 || *options->compare.key ||
                 options->method_count > 1;
    for (uint32_t k = 0; k < options->setting_count; k++)
        given = given || strcmp(options->settings[k].key, "spacing") == 0;
    return !given && preferences && access(preferences, F_OK) != 0;
}

Result command_view(const Options *options)
{
    SceneDef scene;
    char file[PATH_MAX];
    const char *preferences = preferences_path(file) ? file : NULL;
    ViewContext context = {options, is_first_look(options, preferences)};
    run_set_threads(options->threads);
    TRY(read_first(&context, &scene));
    ViewerDef def = {
        .read = read_scene,
        .read_sides = read_sides,
        .read_state = read_state,
        .write_state = write_state,
        .states = options->scene && has_checkpoints(options->scene) ? options->scene : NULL,
        .show_cells = options->show_cells,
        .compare = *options->compare.key || options->method_count > 1,
        .context = &context,
        .preferences = preferences,
        .scene_dir = options->scene_dir,
        .out = options->out ? options->out : ".",
        .frames = options->frames,
        .paused = options->paused,
        .list = begins_with_list(options),
        .quiet = options->quiet,
        .interrupted = run_interrupted,
    };
    return viewer_run(&def, &scene);
}
