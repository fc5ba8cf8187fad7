#include "command/compare.h"

#include "command/checkpoint.h"
#include "command/command.h"
#include "command/interrupt.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/run.h"
#include "command/run_record.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "export/frame_folder.h"
#include "neighbor/neighbor.h"

#include <string.h>
#include <unistd.h>

typedef struct Compare {
    const Options *options;
    const SceneDef *scenes; // of the two sides
    const SideName *names;
    uint32_t frames, frames_done;
    uint32_t first;         // to be drawn, the first one that is not before the state at the start
    const Checkpoint *from; // where both sides start; NULL: at the scene's beginning
    pbf_scene *made[2];     // the library's
    pbf_pair *pair;
    pbf_pair_data data;
    CompareSheet *sheet;
    CompareReport *report;
    int lock; // of the folder, -1 without one
    Progress progress;
} Compare;

static void show_progress(Compare *compare, double end)
{
    const pbf_pair_data *data = &compare->data;
    const pbf_cost *a = &data->cost[0], *b = &data->cost[1];
    bool done = compare->frames_done == compare->frames;
    double begin = compare->first / compare->scenes[0].output.fps;
    double share = end > begin ? (data->time - begin) / (end - begin) : 1;
    progress_show(&compare->progress,
                  done            ? 1
                  : share < 0.999 ? share
                                  : 0.999,
                  "%u of %u frames, %.3f s, %u steps, %.0f and %.0f ms a step, states %s",
                  compare->frames_done, compare->frames, data->time, a->steps,
                  a->steps ? a->wall_ms / a->steps : 0.0, b->steps ? b->wall_ms / b->steps : 0.0,
                  data->parted ? "differ" : "identical");
}

static Result look(Compare *compare)
{
    return library_result(compare->options, pbf_pair_get(compare->pair, &compare->data));
}

// Steps both sides to a frame.
static Result advance(Compare *compare, double until, double end)
{
    while (compare->data.time < until) {
        int met;
        TRY(run_interrupted());
        TRY(library_result(compare->options, pbf_pair_step(compare->pair, until, &met)));
        TRY(look(compare));
        if (met) TRY(compare_report_add(compare->report, &compare->data));
        show_progress(compare, end);
    }
    return result_ok();
}

static Result run_all(Compare *compare)
{
    double fps = compare->scenes[0].output.fps, end = (compare->frames - 1) / fps;
    for (uint32_t frame = compare->first; frame < compare->frames; frame++) {
        TRY(advance(compare, frame / fps, end));
        TRY(run_interrupted());
        Result result = compare_sheet_add(compare->sheet, frame, compare->pair);
        if (result.code == RESULT_STOPPED) TRY(run_interrupted());
        TRY(result);
        compare->frames_done = frame + 1;
        show_progress(compare, end);
    }
    return result_ok();
}

static bool is_replaced(const Options *options, const char *name)
{
    (void)options;
    return run_files_include(name) || strcmp(name, "compare.csv") == 0 || strcmp(name, "reduction.png") == 0;
}

// Frames of an earlier comparison make room, so that two are never mixed; those of other commands stay.
static Result take_folder(const char *folder, int *lock)
{
    char first[PATH_MAX], record[PATH_MAX], table[PATH_MAX], chart[PATH_MAX];
    frame_folder_picture(folder, 0, first);
    frame_folder_path(folder, RUN_RECORD_NAME, record);
    frame_folder_path(folder, "compare.csv", table);
    frame_folder_path(folder, "reduction.png", chart);
    TRY(frame_folder_make(folder));
    TRY(frame_folder_lock(folder, lock));
    if ((access(first, F_OK) == 0 || access(record, F_OK) == 0) && access(table, F_OK) != 0)
        return result_error(RESULT_USAGE, "%s: holds frames that no comparison made (another folder)",
                            folder);
    unlink(chart);
    run_files_remove(folder, 0);
    return result_ok();
}

// A state from between two frames is that of neither.
static Result choose_first(const Checkpoint *from, uint32_t frames, uint32_t *out)
{
    *out = from->frame + from->between;
    if (*out < frames) return result_ok();
    return result_error(RESULT_USAGE, "--frames: %s begins with frame %u (more than %u frames)", from->path,
                        *out, *out);
}

static Result open_all(Compare *compare)
{
    const Options *options = compare->options;
    TRY(options_frame_count(options, &compare->scenes[0], &compare->frames));
    if (compare->from) TRY(choose_first(compare->from, compare->frames, &compare->first));
    const char *path = compare->from ? compare->from->path : NULL;
    for (int side = 0; side < 2; side++)
        TRY(kept_files_check_run(options, &compare->scenes[side], path, is_replaced));
    for (int side = 0; side < 2; side++)
        TRY(library_make_scene(options, &compare->scenes[side], &compare->made[side]));
    TRY(compare_sheet_open(options, compare->made, compare->names, compare->scenes[0].output.fps,
                           &compare->sheet));
    if (options->out) TRY(take_folder(options->out, &compare->lock));
    TRY(compare_report_open(options, &compare->scenes[0], compare->names, &compare->report));
    TRY(library_result(options, pbf_pair_create(compare->made[0], compare->made[1], path, &compare->pair)));
    return look(compare);
}

// Completes what there is of film, table and chart, also after a failure, whose message comes first.
static Result close_all(Compare *compare, Result result)
{
    Result report = compare_report_close(compare->report);
    Result sheet = compare_sheet_close(compare->sheet);
    frame_folder_unlock(compare->lock);
    if (result_is_ok(&result)) result = report;
    return result_is_ok(&result) ? sheet : result;
}

static Result compare_scenes(Compare *compare)
{
    Result result = open_all(compare);
    if (result_is_ok(&result)) {
        result = run_all(compare);
        if (!result_is_ok(&result))
            result = result_error(result.code, "%.240s (%u of %u frames are complete)", result.text,
                                  compare->frames_done, compare->frames);
    }
    progress_end(&compare->progress);
    result = close_all(compare, result);
    if (compare->pair && (result_is_ok(&result) || interrupt_signal()))
        compare_print_summary(&compare->data, &compare->scenes[0], compare->names);
    pbf_pair_destroy(compare->pair);
    for (int side = 0; side < 2; side++) pbf_scene_destroy(compare->made[side]);
    return result;
}

// Notes two names of one search: the table would show noise as a result.
static void note_alias(Compare *compare)
{
    const char *a = compare->scenes[0].fluid.neighbor, *b = compare->scenes[1].fluid.neighbor;
    const char *method = neighbor_method_itself(a);
    if (strcmp(a, b) == 0 || strcmp(method, neighbor_method_itself(b)) != 0) return;
    progress_note(&compare->progress, "%s is an alias of %s: both sides run the same search",
                  strcmp(a, method) == 0 ? b : a, method);
}

static Result compare_options(const Options *options, Checkpoint *from, Progress *progress)
{
    SceneDef scenes[2];
    SideName names[2];
    if (options->scene || options->source) TRY(options_check_output(options));
    run_set_threads(options->threads);
    TRY(options_read_sides(options, scenes, names));
    Compare compare = {.options = options,
                       .scenes = scenes,
                       .names = names,
                       .from = from,
                       .lock = -1,
                       .progress = *progress};
    note_alias(&compare);
    if (from) {
        checkpoint_tell_instructions(from, scenes[0].fluid.neighbor, &compare.progress);
        checkpoint_forget_state(from); // it is as large as the fluid
    }
    Result result =
        from ? checkpoint_settle_frame(from, scenes[0].output.fps, &compare.progress) : result_ok();
    if (result_is_ok(&result)) result = compare_scenes(&compare);
    for (int side = 0; side < 2; side++) scene_free(&scenes[side]);
    return result;
}

Result command_compare(const Options *options)
{
    return checkpoint_start_command(options, compare_options);
}
