#include "command/frame_output.h"

#include "command/checkpoint.h"
#include "command/library_call.h"
#include "command/options_table.h"
#include "command/run.h"
#include "core/memory.h"
#include "core/progress.h"

struct FrameOutput {
    const Options *options;
    pbf_frames *frames;
    double memory[PBF_PICTURE_NUMBERS]; // without pictures: that of none
    Progress progress;                  // of a picture
};

// Pictures that take seconds say how far they are, and can be interrupted.
static int tell_samples(uint32_t samples, uint32_t of, double noise, void *user)
{
    FrameOutput *output = user;
    Result result = run_interrupted();
    if (!result_is_ok(&result)) return 1;
    if (samples < of)
        progress_show(&output->progress, (double)samples / of, "%u of %u samples, noise %.1f %%", samples, of,
                      100 * noise);
    return 0;
}

// formats: room for their names.
static pbf_frames_def def_of(const Options *options, const char *formats[OPTIONS_FORMATS_MAX])
{
    for (uint32_t k = 0; k < options->format_count; k++) formats[k] = option_format_name(options->formats[k]);
    return (pbf_frames_def){.size = sizeof(pbf_frames_def),
                            .folder = options->out,
                            .film = options->video,
                            .formats = formats,
                            .format_count = options->format_count,
                            .up = library_axis(options),
                            .no_pictures = options->no_pictures,
                            .cells = options->show_cells};
}

static Result open_frames(FrameOutput *output, const SceneDef *scene, uint32_t first)
{
    const char *formats[OPTIONS_FORMATS_MAX];
    pbf_frames_def def = def_of(output->options, formats);
    pbf_scene *made;
    def.first = first;
    def.on_samples = tell_samples;
    def.user = output;
    TRY(library_make_scene(output->options, scene, &made));
    pbf_result result = pbf_frames_create(made, &def, &output->frames);
    pbf_scene_destroy(made);
    return library_result(output->options, result);
}

Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t first,
                         const double memory[PBF_PICTURE_NUMBERS], FrameOutput **out)
{
    FrameOutput *output = memory_allocate_zeroed(sizeof *output);
    if (!output) return result_no_memory("the output", sizeof *output);
    output->options = options;
    checkpoint_no_pictures(scene->output.render.color_by, output->memory);
    Result result = open_frames(output, scene, first);
    if (result_is_ok(&result) && memory) result = frame_output_remember(output, memory);
    if (result_is_ok(&result)) {
        *out = output;
        return result;
    }
    pbf_frames_destroy(output->frames);
    memory_free(output);
    return result;
}

Result frame_output_memory(const FrameOutput *output, double memory[PBF_PICTURE_NUMBERS])
{
    const pbf_picture *picture = pbf_frames_picture(output->frames);
    if (picture) return library_result(output->options, pbf_picture_memory(picture, memory));
    for (int k = 0; k < PBF_PICTURE_NUMBERS; k++) memory[k] = output->memory[k];
    return result_ok();
}

Result frame_output_remember(FrameOutput *output, const double memory[PBF_PICTURE_NUMBERS])
{
    pbf_picture *picture = pbf_frames_picture(output->frames);
    return picture ? library_result(output->options, pbf_picture_remember(picture, memory)) : result_ok();
}

Result frame_output_add(FrameOutput *output, uint32_t frame, const pbf_sim *sim)
{
    output->progress = progress_begin(output->options->quiet);
    Result result = library_result(output->options, pbf_frames_add(output->frames, frame, sim));
    if (result.code == RESULT_STOPPED) TRY(run_interrupted());
    return result;
}

Result frame_output_close(FrameOutput *output)
{
    if (!output) return result_ok();
    Result result = library_result(output->options, pbf_frames_finish(output->frames));
    pbf_frames_destroy(output->frames);
    memory_free(output);
    return result;
}

Result frame_output_find_missing(const Options *options, const SceneDef *scene, uint32_t begin, uint32_t end,
                                 uint32_t *frame, char path[PATH_MAX])
{
    const char *formats[OPTIONS_FORMATS_MAX];
    pbf_frames_def def = def_of(options, formats);
    pbf_scene *made;
    TRY(library_make_scene(options, scene, &made));
    pbf_result result = pbf_frames_missing(made, &def, begin, end, frame, path, PATH_MAX);
    pbf_scene_destroy(made);
    return library_result(options, result);
}
