// `pbf foam`: whitewater of particles that are stored already, of ours or of another program.
#include "command/command.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/options_table.h"
#include "command/particle_spacing.h"
#include "command/run_record.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "export/frame_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_PREFIX "diffuse_"

// A file that can be made of a frame.
typedef struct FoamFormat {
    const char *name, *suffix;
    const char *index; // of all frames; NULL: none
    bool wanted;
} FoamFormat;

enum { FORMATS = 2 };

// A run of the command.
typedef struct FoamRun {
    const Options *options;
    const char *up;
    FoamFormat formats[FORMATS];
    pbf_sequence *sequence;
    pbf_sequence_data inputs;
    Progress progress;
    ParticleSpacing spacing; // 0 m: no file has particles
    pbf_cloud *cloud;
    pbf_cloud_data file;
    double file_time; // s
    pbf_foam *foam;
    pbf_foam_data data;
    bool assumed_said;
} FoamRun;

// --- files ---

static void forget_file(FoamRun *run)
{
    pbf_cloud_destroy(run->cloud);
    run->cloud = NULL;
}

static Result read_file(FoamRun *run, uint32_t k)
{
    const pbf_sequence_file *input = &run->inputs.files[k];
    TRY(library_load_cloud(run->options, input->path, &run->cloud, &run->file));
    if (run->file.positions.count > 0 && run->file.velocities.count == 0)
        return result_error(RESULT_USAGE, "%.200s: has no velocities, which whitewater comes from",
                            input->path);
    run->file_time = library_file_time(run->options, input, &run->file);
    return result_ok();
}

// The first file that has particles decides the spacing of all. One that cannot be read leaves no folder
// behind.
static Result find_spacing(FoamRun *run)
{
    for (uint32_t k = 0; k < run->inputs.count && run->spacing.meters == 0; k++) {
        Result result = read_file(run, k);
        if (result_is_ok(&result) && run->file.positions.count > 0)
            result = particle_spacing_find(run->options, &run->file, run->inputs.files[k].path,
                                           &run->progress, &run->spacing);
        forget_file(run);
        TRY(result);
    }
    return result_ok();
}

static void name_file(uint32_t frame, const FoamFormat *format, char name[FRAME_NAME_BYTES])
{
    snprintf(name, FRAME_NAME_BYTES, NAME_PREFIX "%04u.%s", frame, format->suffix);
}

static Result write_frame(const FoamRun *run, uint32_t frame)
{
    for (int k = 0; k < FORMATS; k++) {
        char name[FRAME_NAME_BYTES], path[PATH_MAX];
        if (!run->formats[k].wanted) continue;
        name_file(frame, &run->formats[k], name);
        frame_folder_path(run->options->out, name, path);
        TRY(library_result(run->options, pbf_foam_write(run->foam, path, run->up)));
    }
    return result_ok();
}

static Result write_index(const FoamRun *run, const FoamFormat *format, const double *times)
{
    uint32_t count = run->inputs.count;
    size_t bytes = count * (sizeof(char *) + FRAME_NAME_BYTES);
    const char **files = memory_allocate(bytes);
    if (!files) return result_no_memory("the list of files", bytes);
    char(*names)[FRAME_NAME_BYTES] = (void *)(files + count), path[PATH_MAX];
    for (uint32_t k = 0; k < count; k++) {
        name_file(k, format, names[k]);
        files[k] = names[k];
    }
    frame_folder_path(run->options->out, format->index, path);
    pbf_result result = pbf_index_write(NULL, path, files, times, count, run->up);
    memory_free(files);
    return library_result(run->options, result);
}

// --- frames ---

// Errors of a call about a file's particles name it.
static Result add_particles(FoamRun *run, const char *path)
{
    pbf_result added = pbf_foam_add(run->foam, &run->file.positions, &run->file.velocities, run->file_time);
    if (added.code == PBF_USAGE) return result_error(RESULT_USAGE, "%.200s: %s", path, added.text);
    TRY(library_result(run->options, added));
    return library_result(run->options, pbf_foam_get(run->foam, &run->data));
}

// What holds for all files, once.
static void print_assumed(FoamRun *run)
{
    if (run->assumed_said || run->data.steps == 0) return;
    run->assumed_said = true;
    printf("spacing    %.4g m (%s)\nspeed      %.4g m/s, of whitewater.speed\n", run->spacing.meters,
           run->spacing.source, run->data.speed);
}

static void print_row(const FoamRun *run, const char *path)
{
    const uint32_t counts[] = {run->data.spray, run->data.foam, run->data.bubbles};
    static const char *const classes[] = {"spray", "foam", "bubbles"};
    char shown[PATH_MAX];
    printf("%s  %u particles", text_masked(path, shown, sizeof shown), run->file.positions.count);
    for (int k = 0; k < 3 && run->data.steps > 0; k++) {
        char grouped[27];
        printf(", %s %s", number_grouped(counts[k], grouped), classes[k]);
    }
    printf("\n");
}

static Result foam_file(FoamRun *run, uint32_t k)
{
    const char *path = run->inputs.files[k].path;
    TRY(read_file(run, k));
    TRY(add_particles(run, path));
    if (!run->options->quiet) print_assumed(run);
    TRY(write_frame(run, k));
    if (!run->options->quiet) print_row(run, path);
    return result_ok();
}

static Result foam_files(FoamRun *run, double *times)
{
    for (uint32_t k = 0; k < run->inputs.count; k++) {
        Result result = foam_file(run, k);
        times[k] = run->file_time;
        forget_file(run);
        TRY(result);
    }
    for (int k = 0; k < FORMATS; k++) {
        if (run->formats[k].wanted && run->formats[k].index) TRY(write_index(run, &run->formats[k], times));
    }
    return result_ok();
}

static Result foam_all(FoamRun *run)
{
    size_t bytes = run->inputs.count * sizeof(double);
    double *times = memory_allocate(bytes);
    if (!times) return result_no_memory("the list of files", bytes);
    Result result = foam_files(run, times);
    memory_free(times);
    return result;
}

// --- the command ---

static void choose_formats(FoamRun *run)
{
    const Options *options = run->options;
    for (uint32_t k = 0; k < options->format_count; k++) {
        const char *name = option_format_name(options->formats[k]);
        for (int row = 0; row < FORMATS; row++)
            run->formats[row].wanted |= strcmp(run->formats[row].name, name) == 0;
    }
    if (options->format_count == 0) run->formats[0].wanted = true;
}

// Files of a simulation are not replaced unasked; those that this command made may be.
static Result check_folder(const FoamRun *run)
{
    const Options *options = run->options;
    for (int k = 0; k < FORMATS && !options->overwrite; k++) {
        bool simulated = false;
        if (run->formats[k].wanted) TRY(run_record_exports(options->out, run->formats[k].name, &simulated));
        if (simulated)
            return result_error(RESULT_USAGE,
                                "%.200s: holds %s of a run (another --out; --overwrite replaces them)",
                                options->out, run->formats[k].name);
    }
    return result_ok();
}

static Result check_outputs_of(const FoamRun *run, const FoamFormat *format, const KeptFiles *kept)
{
    char name[FRAME_NAME_BYTES], path[PATH_MAX];
    const OutputFile output = {"--out", path};
    for (uint32_t frame = 0; frame < run->inputs.count; frame++) {
        name_file(frame, format, name);
        frame_folder_path(run->options->out, name, path);
        TRY(kept_files_check(kept, &output, 1));
    }
    if (!format->index) return result_ok();
    frame_folder_path(run->options->out, format->index, path);
    return kept_files_check(kept, &output, 1);
}

static Result check_outputs(const FoamRun *run, const KeptFiles *kept)
{
    for (int k = 0; k < FORMATS; k++) {
        if (run->formats[k].wanted) TRY(check_outputs_of(run, &run->formats[k], kept));
    }
    return result_ok();
}

// Nothing that is read is written over.
static Result keep_inputs(const FoamRun *run)
{
    KeptFiles kept = {0};
    Result result = kept_files_add_inputs(&kept, run->options, &run->inputs);
    if (result_is_ok(&result)) result = check_outputs(run, &kept);
    kept_files_free(&kept);
    return result;
}

static Result make_foam(FoamRun *run)
{
    pbf_setting settings[OPTIONS_OVERRIDES_MAX];
    uint32_t count = library_settings(run->options, settings);
    return library_result(run->options,
                          pbf_foam_create(NULL, run->spacing.meters, settings, count, &run->foam));
}

static Result prepare(FoamRun *run, int *lock)
{
    const Options *options = run->options;
    if (options->input_count == 0)
        return result_error(RESULT_USAGE, "foam: files of particles are missing (pbf foam FILES --out DIR)");
    if (!options->out) return result_error(RESULT_USAGE, "foam: --out is missing (a folder)");
    choose_formats(run);
    TRY(check_folder(run));
    TRY(library_find_sequence(options, &run->sequence, &run->inputs));
    TRY(keep_inputs(run));
    TRY(find_spacing(run));
    TRY(make_foam(run));
    TRY(frame_folder_make(options->out));
    return frame_folder_lock(options->out, lock);
}

Result command_foam(const Options *options)
{
    int lock = -1;
    FoamRun run = {
        .options = options,
        .up = library_axis(options),
        .formats = {{"diffuse_ply", "ply", NULL, false}, {"diffuse_vtp", "vtp", "diffuse.pvd", false}},
        .progress = progress_begin(options->quiet)};
    parallel_set_workers(options->threads);
    Result result = prepare(&run, &lock);
    if (result_is_ok(&result)) result = foam_all(&run);
    pbf_foam_destroy(run.foam);
    pbf_sequence_destroy(run.sequence);
    frame_folder_unlock(lock);
    return result;
}
