// `pbf frames`: pictures of stored states, without simulating again.
#include "command/checkpoint.h"
#include "command/command.h"
#include "command/frame_output.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/options_stored.h"
#include "command/run.h"
#include "command/run_record.h"
#include "core/memory.h"
#include "core/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct State {
    char *path;
    uint32_t frame;
} State;

typedef struct States {
    State *state;
    uint32_t count;
    size_t capacity;
} States;

static Result add_state(States *states, const char *path, uint32_t frame)
{
    TRY(MEMORY_RESERVE(states->state, states->capacity, states->count, states->count + 1u,
                       "the list of checkpoints"));
    char *copy = memory_allocate(strlen(path) + 1);
    if (!copy) return result_no_memory("the list of checkpoints", strlen(path));
    strcpy(copy, path);
    states->state[states->count++] = (State){copy, frame};
    return result_ok();
}

// Adds the states of a folder that belong to frames, not those between two frames.
static Result add_folder(States *states, const char *folder)
{
    CheckpointName *names;
    uint32_t count;
    Result result = checkpoint_list(folder, &names, &count);
    for (uint32_t k = 0; k < count && result_is_ok(&result); k++) {
        char path[PATH_MAX];
        checkpoint_path(folder, names[k], path);
        if (!names[k].between) result = add_state(states, path, names[k].frame);
    }
    memory_free(names);
    return result;
}

static Result add_file(States *states, const char *path, Progress *progress)
{
    uint32_t frame;
    bool between;
    TRY(checkpoint_peek(path, &frame, &between));
    if (between) progress_note(progress, "%s: shows the water after frame %u", path, frame);
    return add_state(states, path, frame);
}

static int compare_states(const void *a, const void *b)
{
    const State *x = a, *y = b;
    return x->frame != y->frame ? (x->frame < y->frame ? -1 : 1) : strcmp(x->path, y->path);
}

static Result list_states(const Options *options, Progress *progress, States *states)
{
    struct stat status;
    for (uint32_t k = 0; k < options->input_count; k++) {
        const char *path = options->inputs[k];
        bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        uint32_t before = states->count;
        TRY(folder ? add_folder(states, path) : add_file(states, path, progress));
        if (states->count == before)
            return result_error(RESULT_USAGE, "%s: holds no checkpoint (checkpoint_0000.pbf, ...)", path);
    }
    qsort(states->state, states->count, sizeof *states->state, compare_states);
    for (uint32_t k = 1; k < states->count; k++) {
        if (states->state[k].frame == states->state[k - 1].frame)
            return result_error(RESULT_USAGE, "%s: shows frame %u, as %s does (one state for a frame)",
                                states->state[k].path, states->state[k].frame, states->state[k - 1].path);
    }
    return result_ok();
}

// options: with the stored ones. They and the scene have to outlive the output.
static Result open_output(const Options *options, const SceneDef *scene, FrameOutput **output)
{
    FolderState state;
    Result result = options->out ? run_record_compare(options->out, options, scene, &state) : result_ok();
    if (!result_is_ok(&result) && (result.code != RESULT_USAGE || !options->overwrite)) return result;
    TRY(kept_files_check_run(options, scene, NULL, run_files_replaced));
    TRY(frame_output_open(options, scene, 0, NULL, output));
    if (!options->out) return result_ok();
    if (options->overwrite) run_files_remove(options->out, 0);
    return run_record_write(options->out, options, scene, 0);
}

// Draws one state with its own scene, as the options change it. The first one opens *output.
static Result show_scene(const Options *options, Checkpoint *checkpoint, SceneDef *scene,
                         FrameOutput **output)
{
    pbf_sim *sim;
    TRY(run_interrupted());
    if (!*output) TRY(open_output(options, scene, output));
    // With the range of colors that the run had come to, the same options give the same picture.
    if (!checkpoint->between && checkpoint_has_colors(checkpoint, scene))
        TRY(frame_output_remember(*output, checkpoint->pictures));
    checkpoint_forget_state(checkpoint);
    TRY(library_make_sim(options, scene, checkpoint->path, &sim));
    Result result = frame_output_add(*output, checkpoint->frame, sim);
    pbf_sim_destroy(sim);
    return result;
}

// A state that is being shown. The pictures' settings are the first one's, which lives as long as the output.
typedef struct Shown {
    Checkpoint checkpoint;
    Options options;
    SceneDef scene;
} Shown;

static void shown_free(Shown *shown)
{
    scene_free(&shown->scene);
    checkpoint_free(&shown->checkpoint);
}

static Result show_state(const Options *options, const State *state, Progress *progress, Shown *shown,
                         FrameOutput **output)
{
    Checkpoint *checkpoint = &shown->checkpoint;
    TRY(checkpoint_read(state->path, progress, checkpoint));
    // Files of a folder were numbered by their names, before they were read.
    if (checkpoint->frame != state->frame)
        return result_error(RESULT_USAGE,
                            "%s: holds frame %u, not %u as its name says (name the files one by one)",
                            state->path, checkpoint->frame, state->frame);
    TRY(options_adopt_pictures(options, checkpoint->options, checkpoint->option_count, &shown->options));
    shown->options.source = &checkpoint->source;
    TRY(options_read_scene(&shown->options, &shown->scene));
    return show_scene(&shown->options, checkpoint, &shown->scene, output);
}

static Result show_states(const Options *options, const States *states, Progress *progress)
{
    Shown *shown = memory_allocate_zeroed(2 * sizeof *shown);
    if (!shown) return result_no_memory("a stored state", 2 * sizeof *shown);
    FrameOutput *output = NULL;
    Result result = result_ok();
    for (uint32_t k = 0; k < states->count && result_is_ok(&result); k++) {
        result = show_state(options, &states->state[k], progress, &shown[k > 0], &output);
        if (k > 0) shown_free(&shown[1]);
        progress_show(progress, (k + 1.0) / states->count, "frame %u, %u of %u", states->state[k].frame,
                      k + 1, states->count);
    }
    progress_end(progress);
    Result closed = frame_output_close(output);
    shown_free(&shown[0]);
    memory_free(shown);
    return result_is_ok(&result) ? closed : result;
}

Result command_frames(const Options *options)
{
    States states = {0};
    Progress progress = progress_begin(options->quiet);
    if (options->input_count == 0)
        return result_error(RESULT_USAGE,
                            "frames: checkpoints are missing (pbf frames CHECKPOINT... --out DIR)");
    TRY(options_check_output(options));
    run_set_threads(options->threads);
    Result result = list_states(options, &progress, &states);
    if (result_is_ok(&result)) result = show_states(options, &states, &progress);
    if (result_is_ok(&result) && options->out)
        progress_note(&progress, "%u frame%s in %s", states.count, states.count == 1 ? "" : "s",
                      options->out);
    if (result_is_ok(&result) && options->video) progress_note(&progress, "film in %s", options->video);
    for (uint32_t k = 0; k < states.count; k++) memory_free(states.state[k].path);
    memory_free(states.state);
    return result;
}
