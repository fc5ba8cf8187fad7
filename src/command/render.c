#include "command/checkpoint.h"
#include "command/command.h"
#include "command/frame_output.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/options_stored.h"
#include "command/run.h"
#include "command/run_log.h"
#include "command/run_needs.h"
#include "command/run_record.h"
#include "core/memory.h"
#include "core/progress.h"
#include "export/file_writer.h"
#include "library/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where the frames before those of this run are.
typedef enum Before {
    BEFORE_NONE,      // nowhere: a new run
    BEFORE_HERE,      // in its own folder
    BEFORE_ELSEWHERE, // in another one, which stays as it is
} Before;

// A run of frames, new or resumed from a checkpoint.
typedef struct Run {
    Options options; // with what a checkpoint adds to the command line
    SceneDef scene;
    Progress progress;
    // what it goes on from
    Before before;
    Checkpoint newest;     // the last state of the frames before, with the options of their run
    char folder[PATH_MAX]; // where --resume found it
    // what it makes: frames first .. frames - 1
    Checkpoint earlier; // a state before the newest one, where frames have to be made again
    Checkpoint *start;  // one of the two; NULL: the scene's start
    uint32_t first, frames;
    // what becomes of its folder
    uint32_t removed_from;   // files of this frame and later ones go; UINT32_MAX: none
    uint32_t first_recorded; // frames before it are in another folder
    // while it runs
    FrameOutput *output;
    double pictures[PBF_PICTURE_NUMBERS]; // what they remember of the last whole frame
    pbf_sim *sim;
    RunLog *log;
} Run;

// --- where to begin ---

static bool same_folder(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// A log that the run named by a path from the folder it began in may just be elsewhere: to make all frames
// again for its rows would be a surprise.
static Result find_log(const Run *run, const Options *options)
{
    const char *log = run->options.log;
    if (!log || options->log || log[0] == '/' || access(log, F_OK) == 0 || errno != ENOENT)
        return result_ok();
    return result_error(
        RESULT_USAGE,
        "%.150s: its log %.150s is not to be found from this folder (go on in the one where the "
        "run began, or name it: --log FILE; the same name makes a log that is gone again)",
        run->folder, log);
}

static Result read_resumed(Run *run, const Options *options)
{
    TRY(checkpoint_read(options->resume, &run->progress, &run->newest));
    TRY(options_adopt(options, run->newest.options, run->newest.option_count, &run->options));
    run->options.source = &run->newest.source;
    file_path_split(run->newest.path, run->folder);
    if (!run->options.out) run->options.out = run->folder;
    // Film and log of the stored run stay as they are if this one goes on elsewhere.
    run->before = same_folder(run->folder, run->options.out) ? BEFORE_HERE : BEFORE_ELSEWHERE;
    if (run->before == BEFORE_HERE) return find_log(run, options);
    if (!options->video && run->options.video)
        progress_note(&run->progress, "no film: its frames before %u are in %s", run->newest.frame + 1,
                      run->folder);
    run->options.video = options->video;
    if (!options->log && run->options.log)
        progress_note(&run->progress, "no log: %s is that of the run in %s", run->options.log, run->folder);
    run->options.log = options->log;
    return result_ok();
}

static Result tell_change(const char *key, const char *stored, const char *now, void *context)
{
    progress_note(context, "changed: %s: %s in the checkpoint, %s now", key, stored, now);
    return result_ok();
}

// Another rate of frames numbers them anew, which those before in the same folder are not.
static Result settle_rate(Run *run)
{
    double fps = run->scene.output.fps;
    CheckpointName stored = {run->newest.frame, run->newest.between};
    TRY(checkpoint_settle_frame(&run->newest, fps, &run->progress));
    bool same = run->newest.frame == stored.frame && run->newest.between == stored.between;
    if (run->before == BEFORE_ELSEWHERE || same) return result_ok();
    return result_error(RESULT_USAGE,
                        "%.150s: its frames are not those of %g a second (another --out goes on with these)",
                        run->folder, fps);
}

// Notes every difference from the stored run: none is preferred silently.
static Result tell_resumed(Run *run)
{
    const Checkpoint *newest = &run->newest;
    progress_note(&run->progress, "going on from %s: %.4f s, %u frames", newest->path, newest->time,
                  newest->frame + 1);
    TRY(scene_source_compare(&newest->source, &run->scene.source, tell_change, &run->progress));
    return options_compare(newest->options, newest->option_count, run->options.given,
                           run->options.given_count, false, tell_change, &run->progress);
}

// The same run was here before: it goes on where it stopped, if it left a checkpoint.
static Result continue_folder(Run *run)
{
    CheckpointName *names;
    uint32_t count;
    TRY(checkpoint_list(run->options.out, &names, &count));
    memory_free(names);
    if (count == 0) return result_ok();
    Result result = checkpoint_read(run->options.out, &run->progress, &run->newest);
    if (result_is_ok(&result)) {
        run->before = BEFORE_HERE;
        return tell_resumed(run);
    }
    return result.code == RESULT_NO_MEMORY ? result : result_ok();
}

// Nothing in the output folder may end up mixed with frames of another run.
static Result settle_folder(Run *run)
{
    const Options *options = &run->options;
    FolderState state;
    Result result = run_record_compare(options->out, options, &run->scene, &state);
    if (!result_is_ok(&result) && (result.code != RESULT_USAGE || !options->overwrite)) return result;
    if (options->overwrite) {
        run->removed_from = run->before == BEFORE_HERE ? run->newest.frame + 1 : 0;
        return result_ok();
    }
    return state == FOLDER_SAME && run->before == BEFORE_NONE ? continue_folder(run) : result_ok();
}

// The state that frame number `frame` and those after it are made from again. stepped: not from its own,
// which shows it but cannot tell what the step to it was like.
static Result go_back(Run *run, uint32_t frame, bool stepped, const char *path)
{
    run->start = NULL;
    if (frame > 0 || !stepped) {
        Result result =
            checkpoint_read_before(run->options.out, frame - stepped, &run->progress, &run->earlier);
        if (result.code == RESULT_NO_MEMORY) return result;
        if (result_is_ok(&result)) run->start = &run->earlier;
    }
    run->first = 0;
    if (run->start) run->first = run->start->frame == frame ? frame : run->start->frame + 1;
    if (run->frames <= run->newest.frame) run->frames = run->newest.frame + 1;
    progress_note(&run->progress, "%s is missing or damaged: frames from %u on are made again, from %s", path,
                  run->first, run->start ? run->start->path : "the start");
    return result_ok();
}

// The first frame that the stored run's log has no row of, if this run goes on with it.
static uint32_t first_not_logged(const Run *run)
{
    const char *log = run->options.log;
    const Checkpoint *newest = &run->newest;
    const char *stored = options_last_value(newest->options, newest->option_count, "--log");
    if (!log || !stored || strcmp(log, stored) != 0) return run->first;
    double fps = run->scene.output.fps, end = run_log_end(log);
    double whole = newest->between ? newest->frame / fps : newest->time;
    if (end >= whole * (1.0 - 1e-9) - 1e-3 / fps) return run->first; // rows have ten digits
    return end < 0.0 ? 0 : (uint32_t)(end * fps + 1e-3) + 1;
}

// What the run begins with, so that all frames before are there, and their rows in the log.
static Result find_start(Run *run)
{
    if (run->before == BEFORE_NONE) return result_ok();
    run->start = &run->newest;
    run->first = run->first_recorded = run->newest.frame + 1;
    if (run->before == BEFORE_ELSEWHERE) return result_ok();
    char path[PATH_MAX];
    uint32_t frame, recorded = run_record_first_frame(run->options.out);
    TRY(frame_output_find_missing(&run->options, &run->scene, recorded, run->first, &frame, path));
    uint32_t logged = recorded == 0 ? first_not_logged(run) : run->first;
    if (logged < run->first && logged <= frame)
        TRY(go_back(run, logged, true, run->options.log));
    else if (frame < run->first)
        TRY(go_back(run, frame, false, path));
    run->first_recorded = recorded < run->first ? recorded : run->first;
    return result_ok();
}

// --- the run ---

static Result save(Run *run, uint32_t frame, bool between)
{
    const Options *options = &run->options;
    StateBlocks state = {0};
    TRY(run_log_sync(run->log));
    sim_store(run->sim, &state);
    TRY(checkpoint_write(options->out, options, &run->scene, &state, frame, between, run->pictures));
    checkpoint_prune(options->out, options->keep_checkpoints, frame);
    return result_ok();
}

static Result take_step(void *context)
{
    return run_log_step(((Run *)context)->log);
}

static Result take_frame(uint32_t frame, const pbf_sim *sim, void *context)
{
    Run *run = context;
    uint32_t every = run->options.checkpoint_every;
    bool last = frame + 1 == run->frames;
    TRY(run_log_frame(run->log)); // before the picture: a run that goes on has no report of the step
    TRY(frame_output_add(run->output, frame, sim));
    TRY(frame_output_memory(run->output, run->pictures));
    // Where a run goes on from what an interruption left, its end takes the place of that.
    if (last && (every > 0 || run->before == BEFORE_HERE)) return save(run, frame, false);
    return every > 0 && frame % every == 0 ? save(run, frame, false) : result_ok();
}

// Saves what an interrupted run goes on from, and says so in its message.
static Result stop(Run *run, const RunOutcome *outcome, Result reason)
{
    uint32_t done = outcome->frames_done;
    if (!outcome->interrupted || !run->options.out || done == 0)
        return result_error(reason.code, "%s (%u of %u frames are complete)", reason.text, done, run->frames);
    bool between = outcome->time > (done - 1) / run->scene.output.fps;
    Result saved = save(run, done - 1, between);
    if (!result_is_ok(&saved))
        return result_error(saved.code, "%s; %s (%u of %u frames are complete)", reason.text, saved.text,
                            done, run->frames);
    return result_error(reason.code, "%s (%u of %u frames are complete; pbf %s --resume %s goes on)",
                        reason.text, done, run->frames, run->options.no_pictures ? "run" : "render",
                        run->options.out);
}

static Result make_sim(Run *run)
{
    checkpoint_forget_state(&run->newest); // each is as large as the fluid
    checkpoint_forget_state(&run->earlier);
    return library_make_sim(&run->options, &run->scene, run->start ? run->start->path : NULL, &run->sim);
}

static Result run_to_end(Run *run)
{
    RunOutcome outcome;
    TRY(run_log_open(&run->options, run->sim, run->start != NULL, &run->log));
    TRY(frame_output_memory(run->output, run->pictures));
    RunDef def = {
        .frames = run->frames,
        .first = run->first,
        .fps = run->scene.output.fps,
        .options = &run->options,
        .on_step = run->log ? take_step : NULL,
        .on_frame = take_frame,
        .context = run,
    };
    Result result = run_frames(run->sim, &def, &outcome);
    return result_is_ok(&result) ? result : stop(run, &outcome, result);
}

static Result simulate(Run *run)
{
    Result result = run_to_end(run), closed = run_log_close(run->log);
    return result_is_ok(&result) ? closed : result;
}

static void tell_done(const Run *run)
{
    Progress progress = run->progress;
    const char *out = run->options.out;
    if (run->first >= run->frames)
        progress_note(&progress, "all %u frames are in %s already", run->frames, out);
    else if (run->before == BEFORE_ELSEWHERE)
        progress_note(&progress, "frames %u to %u in %s", run->first, run->frames - 1, out);
    else if (out)
        progress_note(&progress, "%u frame%s in %s", run->frames, run->frames == 1 ? "" : "s", out);
    if (run->options.video) progress_note(&progress, "film in %s", run->options.video);
    if (run->options.log) progress_note(&progress, "log in %s", run->options.log);
}

static Result run_opened(Run *run)
{
    const char *out = run->options.out;
    bool more = run->first < run->frames;
    FolderState state;
    // Another run may have come and gone before the folder was locked.
    if (out && !run->options.overwrite) TRY(run_record_compare(out, &run->options, &run->scene, &state));
    if (more) TRY(make_sim(run)); // a state that the scene does not fit leaves the folder as it is
    if (out) {
        run_files_remove(out, run->removed_from);
        if (run->removed_from < UINT32_MAX) checkpoint_remove(out, run->removed_from);
        TRY(run_record_write(out, &run->options, &run->scene, run->first_recorded));
    }
    return more ? simulate(run) : result_ok();
}

static Result check_elsewhere(const Run *run)
{
    if (run->before != BEFORE_ELSEWHERE) return result_ok();
    if (run->first >= run->frames)
        return result_error(RESULT_USAGE, "--frames: %s holds frame %u already (more than %u frames)",
                            run->newest.path, run->newest.frame, run->first);
    if (run->options.video)
        return result_error(RESULT_USAGE,
                            "--video: a film needs the frames from 0 on, which are in %.150s (--out there)",
                            run->folder);
    return result_ok();
}

static Result tell_needs(const Run *run, const RunNeeds *needs)
{
    SceneCount count;
    RunCost cost;
    TRY(scene_count(&run->scene, &count));
    TRY(run_cost_estimate(&run->options, &run->scene, &count, run->first, run->frames, &cost));
    run_needs_print(&run->options, &run->scene, needs, &cost, run->first, run->frames);
    return result_ok();
}

static void tell_what_is_not_as_asked(Run *run, const RunNeeds *needs)
{
    char words[RUN_WARNING_BYTES];
    for (uint32_t k = 0; run_warning(&run->scene, needs, &k, words);)
        progress_note(&run->progress, "warning: %s", words);
}

static Result render_scene(Run *run)
{
    if (run->options.out) TRY(settle_folder(run));
    TRY(options_frame_count(&run->options, &run->scene, &run->frames));
    TRY(find_start(run));
    if (run->start && !checkpoint_has_colors(run->start, &run->scene))
        run->start->pictures[PICTURE_RANGE_TIME] = -1;
    RunNeeds needs;
    TRY(run_needs(&run->options, &run->scene, run->first, run->frames, &needs));
    TRY(run_needs_check(&run->options, &needs));
    tell_what_is_not_as_asked(run, &needs);
    if (run->options.dry_run) return tell_needs(run, &needs);
    TRY(check_elsewhere(run));
    // From the start on, too: frames that are there stay what they are.
    if (run->before != BEFORE_NONE && run->first < run->frames)
        TRY(checkpoint_settle_instructions(run->start ? run->start : &run->newest, run->scene.fluid.neighbor,
                                           &run->progress));
    const double *pictures = run->start ? run->start->pictures : NULL;
    TRY(frame_output_open(&run->options, &run->scene, run->first, pictures, &run->output));
    // It may lie in the folder that was just made.
    Result result = run->options.log ? file_target_probe(run->options.log) : result_ok();
    if (result_is_ok(&result)) result = run_opened(run);
    pbf_sim_destroy(run->sim);
    Result closed = frame_output_close(run->output);
    if (!result_is_ok(&result)) return result;
    if (result_is_ok(&closed)) tell_done(run);
    return closed;
}

static Result run_render(Run *run, const Options *options)
{
    if (options->resume) TRY(read_resumed(run, options));
    if (run->options.scene || run->options.source) TRY(options_check_output(&run->options));
    run_set_threads(run->options.threads);
    TRY(options_read_scene(&run->options, &run->scene));
    const char *checkpoint = run->before != BEFORE_NONE ? run->newest.path : NULL;
    Result result = kept_files_check_run(&run->options, &run->scene, checkpoint, run_files_replaced);
    if (result_is_ok(&result) && checkpoint) result = tell_resumed(run);
    if (result_is_ok(&result) && checkpoint) result = settle_rate(run);
    if (result_is_ok(&result)) result = render_scene(run);
    scene_free(&run->scene);
    return result;
}

Result command_render(const Options *options)
{
    Run *run = memory_allocate_zeroed(sizeof *run); // large, for the stack
    if (!run) return result_no_memory("the run", sizeof *run);
    run->options = *options;
    run->progress = progress_begin(options->quiet);
    run->removed_from = UINT32_MAX;
    Result result = run_render(run, options);
    checkpoint_free(&run->newest);
    checkpoint_free(&run->earlier);
    memory_free(run);
    return result;
}

Result command_run(const Options *options)
{
    Options quiet = *options;
    if (!options_given(options, "--no-pictures")) {
        if (quiet.given_count == OPTIONS_GIVEN_MAX)
            return result_error(RESULT_USAGE, "too many options (at most %d)", OPTIONS_GIVEN_MAX);
        quiet.given[quiet.given_count++] = (OptionGiven){"--no-pictures", ""};
    }
    quiet.no_pictures = true;
    return command_render(&quiet);
}
