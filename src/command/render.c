#include "command/command.h"
#include "command/frame_output.h"
#include "command/number.h"
#include "command/run.h"
#include "core/progress.h"

static Result take_frame(uint32_t frame, const FrameView *view, void *context)
{
    return frame_output_add(context, frame, view);
}

static void tell(const Options *options, uint32_t frames)
{
    Progress progress = progress_begin(options->quiet);
    if (options->out) progress_note(&progress, "%u frames in %s", frames, options->out);
    if (options->video) progress_note(&progress, "film in %s", options->video);
}

static Result simulate(const Options *options, const SceneDef *scene, uint32_t frames, FrameOutput *output)
{
    Fluid *fluid = NULL;
    uint32_t frames_done;
    TRY(scene_build(scene, &fluid));
    RunDef run = {
        .frames = frames,
        .fps = scene->output.fps,
        .quiet = options->quiet,
        .on_frame = take_frame,
        .context = output,
    };
    Result result = run_frames(fluid, &run, &frames_done);
    fluid_destroy(fluid);
    if (result_is_ok(&result)) return result;
    return result_error(result.code, "%s (%u of %u frames are complete)", result.text, frames_done, frames);
}

static Result render_scene(const Options *options, const SceneDef *scene)
{
    uint32_t frames;
    FrameOutput *output = NULL;
    TRY(options_frame_count(options, scene, &frames));
    TRY(frame_output_open(options, scene, frames, &output));
    Result result = simulate(options, scene, frames, output);
    Result closed = frame_output_close(output);
    if (!result_is_ok(&result)) return result;
    if (result_is_ok(&closed)) tell(options, frames);
    return closed;
}

Result command_render(const Options *options)
{
    if (options->scene && !options->out && !options->video)
        return result_error(RESULT_USAGE,
                            "--out: a folder for the frames is missing (or give --video FILE.mp4)");
    if (options->format_count > 0 && !options->out)
        return result_error(RESULT_USAGE, "--export: needs --out, the folder that the files go to");
    SceneDef scene;
    run_set_threads(options->threads);
    TRY(options_read_scene(options, &scene));
    Result result = render_scene(options, &scene);
    scene_free(&scene);
    return result;
}
