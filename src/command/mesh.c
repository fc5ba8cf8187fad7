// `pbf mesh`: surfaces of particles from files, one or a sequence of them.
#include "command/command.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/particle_spacing.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/path.h"
#include "core/progress.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VOLUME_TOLERANCE 0.05 // a mesh that is further from its particles' volume is worth a warning
#define NUMBER_BYTES 24

// A run of the command, and the results of the present file.
typedef struct MeshRun {
    const Options *options;
    pbf_sequence *sequence;
    pbf_sequence_data inputs;
    const char *suffix;                          // of --out, with its dot; points into it
    pbf_setting settings[OPTIONS_OVERRIDES_MAX]; // of --set
    uint32_t setting_count;
    bool assumed_said;       // of a sequence: the lines that hold for all files are printed
    ParticleSpacing spacing; // 0 m: no file has had particles
    Progress progress;
    pbf_cloud *cloud;
    pbf_cloud_data file;
    pbf_mesh *mesh;
    pbf_mesh_data data;
    double read_ms, write_ms;
    uint64_t memory; // bytes beyond the particles, at most
} MeshRun;

static uint32_t count_of(const MeshRun *run)
{
    return run->file.positions.count;
}

// --- spacing ---

// The first file that has particles decides for all.
static Result find_spacing(MeshRun *run, const char *path)
{
    if (run->spacing.meters > 0 || count_of(run) == 0) return result_ok();
    return particle_spacing_find(run->options, &run->file, path, &run->progress, &run->spacing);
}

// --- reports ---

static double volume_of_particles(const MeshRun *run)
{
    double spacing = run->data.spacing;
    return count_of(run) * spacing * spacing * spacing;
}

static void warn_of_volume(MeshRun *run, const char *path)
{
    double wanted = volume_of_particles(run), part = run->data.volume / wanted - 1;
    if (count_of(run) == 0 || fabs(part) <= VOLUME_TOLERANCE) return;
    progress_note(&run->progress,
                  "%s: warning: the mesh encloses %.0f %% %s than its particles fill at a spacing of %.4g m",
                  path, 100 * fabs(part), part < 0 ? "less" : "more", run->data.spacing);
}

static void print_volume(const MeshRun *run, const char *label)
{
    double volume = run->data.volume, particles = volume_of_particles(run);
    printf("%s %.6g m^3, of the particles %.6g m^3", label, volume, particles);
    if (particles > 0) printf(" (%+.1f %%)", 100 * (volume / particles - 1));
    printf("\n");
}

static void print_velocities(const MeshRun *run)
{
    char shown[PATH_MAX];
    if (*run->file.velocity_name)
        printf("velocities from \"%s\"\n", text_masked(run->file.velocity_name, shown, sizeof shown));
    else
        printf("velocities none in the file\n");
}

static void print_report(const MeshRun *run)
{
    const pbf_mesh_data *mesh = &run->data;
    char first[27], second[27], bytes[24], shown[PATH_MAX];
    printf("particles  %s, spacing %.4g m (%s)\n", number_grouped(count_of(run), first), mesh->spacing,
           run->spacing.source ? run->spacing.source : "not needed");
    print_velocities(run);
    printf("mesh       %s triangles, %s vertices, %u piece%s, in %s\n",
           number_grouped(mesh->triangle_count, first), number_grouped(mesh->vertex_count, second),
           mesh->pieces, mesh->pieces == 1 ? "" : "s", text_masked(run->options->out, shown, sizeof shown));
    print_volume(run, "volume    ");
    printf("grid       cells of %.4g m in %s blocks, isovalue %.3f\n", mesh->cell,
           number_grouped(mesh->blocks, first), mesh->isovalue);
    printf("memory     %s beyond the particles\n", number_in_bytes(run->memory, bytes));
    printf("time       %.0f ms on %u threads: reading %.0f, points %.0f, kernels %.0f, grid %.0f, "
           "triangles %.0f, smoothing %.0f, writing %.0f\n",
           run->read_ms + mesh->points_ms + mesh->kernels_ms + mesh->grid_ms + mesh->triangles_ms +
               mesh->smoothing_ms + run->write_ms,
           parallel_workers(), run->read_ms, mesh->points_ms, mesh->kernels_ms, mesh->grid_ms,
           mesh->triangles_ms, mesh->smoothing_ms, run->write_ms);
}

// One line a file of a sequence.
static void print_row(const MeshRun *run, const char *name)
{
    char count[27], triangles[27], shown[NAME_MAX + 1];
    printf("%s  %s particles, %s triangles, ", text_masked(name, shown, sizeof shown),
           number_grouped(count_of(run), count), number_grouped(run->data.triangle_count, triangles));
    print_volume(run, "volume");
}

// --- one file ---

static Result reconstruct(MeshRun *run)
{
    const pbf_points *velocities = run->file.velocities.count > 0 ? &run->file.velocities : NULL;
    double spacing = run->spacing.meters > 0 ? run->spacing.meters : 1; // of no particles
    memory_restart_peak();
    uint64_t before = memory_bytes_in_use();
    TRY(library_result(run->options, pbf_surface(NULL, &run->file.positions, velocities, spacing,
                                                 run->settings, run->setting_count, &run->mesh)));
    run->memory = memory_bytes_peak() - before;
    return library_result(run->options, pbf_mesh_get(run->mesh, &run->data));
}

static Result read_particles(MeshRun *run, const char *path)
{
    double started = clock_seconds();
    TRY(library_load_cloud(run->options, path, &run->cloud, &run->file));
    run->read_ms = 1e3 * (clock_seconds() - started);
    if (run->file.faces > 0)
        progress_note(&run->progress,
                      "%s: warning: is a mesh of %llu faces; its %u vertices are taken for particles", path,
                      (unsigned long long)run->file.faces, count_of(run));
    return result_ok();
}

static Result mesh_particles(MeshRun *run, const char *from, const char *to)
{
    TRY(read_particles(run, from));
    TRY(find_spacing(run, from));
    TRY(reconstruct(run));
    double started = clock_seconds();
    const char *up = library_axis(run->options);
    TRY(library_result(run->options, pbf_mesh_write(run->mesh, to, up, run->file.time)));
    run->write_ms = 1e3 * (clock_seconds() - started);
    warn_of_volume(run, from);
    return result_ok();
}

static void forget_file(MeshRun *run)
{
    pbf_mesh_destroy(run->mesh);
    pbf_cloud_destroy(run->cloud);
    run->mesh = NULL;
    run->cloud = NULL;
}

static Result mesh_one(MeshRun *run)
{
    Result result = mesh_particles(run, run->inputs.files[0].path, run->options->out);
    if (result_is_ok(&result) && !run->options->quiet) print_report(run);
    forget_file(run);
    return result;
}

// --- a sequence ---

// Files written so far and their times; names are relative to the index.
typedef struct Written {
    char (*names)[NAME_MAX + 1];
    const char **files;
    double *times;
} Written;

// Puts a file's number where --out says {}, else before the suffix.
static Result name_output(const MeshRun *run, uint64_t number, char path[PATH_MAX])
{
    const char *out = run->options->out, *place = path_number(out);
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%s%04llu", place ? "" : "_", (unsigned long long)number);
    size_t head = (size_t)((place ? place : run->suffix) - out);
    int length = snprintf(path, PATH_MAX, "%.*s%s%s", (int)head, out, text, place ? place + 2 : run->suffix);
    if (length >= 0 && length < PATH_MAX && strlen(path_name(path)) <= NAME_MAX) return result_ok();
    return result_error(RESULT_USAGE, "--out: the name is too long");
}

// What holds for all files, once.
static void print_assumed(MeshRun *run)
{
    if (run->assumed_said || run->spacing.meters == 0 || run->options->quiet) return;
    run->assumed_said = true;
    printf("spacing    %.4g m (%s)\n", run->data.spacing, run->spacing.source);
    print_velocities(run);
}

static Result mesh_files(MeshRun *run, Written *written)
{
    for (uint32_t k = 0; k < run->inputs.count; k++) {
        const pbf_sequence_file *input = &run->inputs.files[k];
        char path[PATH_MAX];
        TRY(name_output(run, input->number, path));
        written->files[k] = strcpy(written->names[k], path_name(path));
        Result result = mesh_particles(run, input->path, path);
        written->times[k] = library_file_time(run->options, input, &run->file);
        if (result_is_ok(&result)) print_assumed(run);
        if (result_is_ok(&result) && !run->options->quiet) print_row(run, written->names[k]);
        forget_file(run);
        TRY(result);
    }
    return result_ok();
}

// What ParaView and USD call an index of such files: by the kind of file that it lists.
static const char *ending_of_index(const char *suffix)
{
    return strcmp(suffix, ".vtp") == 0 ? ".pvd" : strcmp(suffix, ".usda") == 0 ? ".usda" : NULL;
}

// The index has the name of the output, without the number.
static Result name_index(const MeshRun *run, char path[PATH_MAX])
{
    const char *out = run->options->out, *place = path_number(out), *ending = ending_of_index(run->suffix);
    size_t head = (size_t)((place ? place : run->suffix) - out);
    while (place && head > 0 && strchr("_-.", out[head - 1])) head--;
    bool unnamed = head == 0 || out[head - 1] == '/'; // "{}.ply"
    int length = snprintf(path, PATH_MAX, "%.*s%s%s%s", (int)head, out, unnamed ? "mesh" : "",
                          ending ? ending : run->suffix, ending ? "" : ".series");
    if (length >= 0 && length < PATH_MAX) return result_ok();
    return result_error(RESULT_USAGE, "--out: the name is too long");
}

static Result write_index(const MeshRun *run, const Written *written)
{
    char path[PATH_MAX];
    TRY(name_index(run, path));
    TRY(library_result(run->options, pbf_index_write(NULL, path, written->files, written->times,
                                                     run->inputs.count, library_axis(run->options))));
    text_mask_controls(path);
    if (!run->options->quiet) printf("index      %s\n", path);
    return result_ok();
}

static Result mesh_sequence(MeshRun *run)
{
    uint32_t count = run->inputs.count;
    Written written = {memory_allocate(count * sizeof *written.names),
                       memory_allocate(count * sizeof *written.files),
                       memory_allocate(count * sizeof *written.times)};
    Result result = written.names && written.files && written.times
                        ? mesh_files(run, &written)
                        : result_no_memory("the list of files", count);
    if (result_is_ok(&result)) result = write_index(run, &written);
    memory_free(written.names);
    memory_free(written.files);
    memory_free(written.times);
    return result;
}

// --- the command ---

static Result check_call(const Options *options)
{
    if (options->input_count == 0)
        return result_error(RESULT_USAGE, "mesh: a file of particles is missing (pbf mesh INPUT --out FILE)");
    if (!options->out)
        return result_error(RESULT_USAGE,
                            "mesh: --out is missing (FILE.ply, .obj, .vtk, .vtp, .usda or .vdb)");
    return result_ok();
}

// The surface of nothing looks at the settings, before files are read.
static Result check_settings(MeshRun *run)
{
    const pbf_points none = {.stride = sizeof(float)};
    pbf_mesh *mesh;
    run->setting_count = library_settings(run->options, run->settings);
    TRY(library_result(run->options,
                       pbf_surface(NULL, &none, NULL, 1, run->settings, run->setting_count, &mesh)));
    pbf_mesh_destroy(mesh);
    return result_ok();
}

static Result check_outputs(const MeshRun *run, const KeptFiles *kept)
{
    char path[PATH_MAX];
    OutputFile output = {"--out", run->inputs.alone ? run->options->out : path};
    if (run->inputs.alone) return kept_files_check(kept, &output, 1);
    for (uint32_t k = 0; k < run->inputs.count; k++) {
        TRY(name_output(run, run->inputs.files[k].number, path));
        TRY(kept_files_check(kept, &output, 1));
    }
    TRY(name_index(run, path));
    return kept_files_check(kept, &output, 1);
}

// Nothing that is read is written over.
static Result keep_inputs(const MeshRun *run)
{
    KeptFiles kept = {0};
    Result result = kept_files_add_inputs(&kept, run->options, &run->inputs);
    if (result_is_ok(&result)) result = check_outputs(run, &kept);
    kept_files_free(&kept);
    return result;
}

static Result prepare(MeshRun *run)
{
    const Options *options = run->options;
    TRY(library_result(options, pbf_mesh_probe(NULL, options->out))); // before minutes of work
    run->suffix = strrchr(path_name(options->out), '.');
    TRY(check_settings(run));
    TRY(library_find_sequence(options, &run->sequence, &run->inputs));
    return keep_inputs(run);
}

Result command_mesh(const Options *options)
{
    MeshRun run = {.options = options, .progress = progress_begin(options->quiet)};
    TRY(check_call(options));
    Result result = prepare(&run);
    parallel_set_workers(options->threads);
    if (result_is_ok(&result)) result = run.inputs.alone ? mesh_one(&run) : mesh_sequence(&run);
    pbf_sequence_destroy(run.sequence);
    return result;
}
