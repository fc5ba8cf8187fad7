// `pbf foam`: whitewater of particles that are stored already, of ours or of another program.
#include "command/command.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/particle_spacing.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "diffuse/diffuse.h"
#include "export/export.h"
#include "export/file_sequence.h"
#include "export/frame_files.h"

#include <math.h>
#include <string.h>

#define RATE_DEFAULT 24 // frames a second of a sequence that says no times

// The water moves no further than this many influence radii from one whitewater step to the next, in at most
// so many of them from file to file: between files it goes on as it did before.
#define STEP_REACH 0.4
#define STEPS_MAX 16

// A run of the command.
typedef struct FoamRun {
    const Options *options;
    FrameFiles files; // to be written
    FileSequence inputs;
    SceneDef scene; // defaults, and what --set says
    Progress progress;
    pbf_cloud *cloud;
    pbf_cloud_data file;
    double file_time, last_time; // s
    Fluid *fluid;                // NULL until a file has particles
    Diffuse *diffuse;
    uint64_t steps;
    Vec3 *positions, *velocities; // of the file, domain coordinates
    size_t positions_capacity, velocities_capacity;
    double *times;
} FoamRun;

static uint32_t count_of(const FoamRun *run)
{
    return run->file.positions.count;
}

static Vec3 vector_at(const pbf_points *from, uint32_t k)
{
    return vec3_make(((const float *)from->x)[k], ((const float *)from->y)[k], ((const float *)from->z)[k]);
}

// --- the first file ---

static Vec3 corner_of(const FoamRun *run)
{
    return run->scene.tank.present ? run->scene.tank_corner : vec3_make(0, 0, 0);
}

// Speed of a fall through the height of the water, from the tank's lower corner if there is a tank.
static float speed_of(const FoamRun *run)
{
    Vec3 g = run->scene.fluid.gravity, size;
    Box3 box = {run->positions[0], run->positions[0]};
    if (run->scene.tank.present) box = (Box3){vec3_make(0, 0, 0), vec3_make(0, 0, 0)};
    for (uint32_t k = 0; k < count_of(run); k++)
        box = box3_join(box, (Box3){run->positions[k], run->positions[k]});
    size = vec3_sub(box.hi, box.lo);
    float fall = fabsf(g.x) * size.x + fabsf(g.y) * size.y + fabsf(g.z) * size.z;
    return fmaxf(sqrtf(fall), 1e-3f);
}

static Result make_fluid(FoamRun *run)
{
    Obstacles *obstacles;
    FluidDef def = run->scene.fluid;
    def.origin = corner_of(run);
    TRY(obstacles_create(run->scene.tank, 0.0f, NULL, 0, &obstacles));
    Result result = fluid_create(&def, obstacles, NULL, 0, NULL, 0, &run->fluid);
    if (!result_is_ok(&result)) obstacles_destroy(obstacles);
    return result;
}

// The first file that has particles decides the spacing and the speed of all.
static Result begin(FoamRun *run, const char *path)
{
    ParticleSpacing spacing;
    DiffuseDef *def = &run->scene.whitewater;
    TRY(particle_spacing_find(run->options, &run->file, path, &run->progress, &spacing));
    run->scene.fluid.spacing = (float)spacing.meters;
    if (def->speed == 0.0f) def->speed = speed_of(run);
    TRY(make_fluid(run));
    TRY(diffuse_create(def, &run->diffuse));
    fluid_measure_potentials(run->fluid, diffuse_least_speed(def));
    if (!run->options->quiet)
        printf("spacing    %.4g m (%s)\nspeed      %.4g m/s, of whitewater.speed\n", spacing.meters,
               spacing.source, (double)def->speed);
    return result_ok();
}

// --- a file ---

static Result read_file(FoamRun *run, const SequenceFile *input)
{
    const Options *options = run->options;
    double rate = options->fps > 0 ? options->fps : RATE_DEFAULT;
    TRY(library_result(options, pbf_cloud_load(NULL, input->path, &run->cloud)));
    TRY(library_result(options, pbf_cloud_get(run->cloud, &run->file)));
    if (count_of(run) > 0 && run->file.velocities.count == 0)
        return result_error(RESULT_USAGE, "%.200s: has no velocities, which whitewater comes from",
                            input->path);
    run->file_time = run->inputs.timed          ? input->time
                     : isfinite(run->file.time) ? run->file.time
                                                : (double)input->number / rate;
    return result_ok();
}

static void forget_file(FoamRun *run)
{
    pbf_cloud_destroy(run->cloud);
    run->cloud = NULL;
}

static Result take_points(FoamRun *run)
{
    uint32_t count = count_of(run);
    Vec3 corner = corner_of(run);
    TRY(MEMORY_RESERVE(run->positions, run->positions_capacity, 0, count, "the particles"));
    TRY(MEMORY_RESERVE(run->velocities, run->velocities_capacity, 0, count, "the particles"));
    for (uint32_t k = 0; k < count; k++) {
        run->positions[k] = vec3_sub(vector_at(&run->file.positions, k), corner);
        run->velocities[k] = vector_at(&run->file.velocities, k);
    }
    return result_ok();
}

static double fastest(const FoamRun *run)
{
    double most = 0.0;
    for (uint32_t k = 0; k < count_of(run); k++) most = fmax(most, vec3_length(run->velocities[k]));
    return most;
}

// One of the steps between the last file and this one, `before` seconds before this one.
static Result step(FoamRun *run, double dt, double before)
{
    uint32_t count = count_of(run);
    for (uint32_t k = 0; k < count; k++) {
        Vec3 back = vec3_scale(run->velocities[k], (float)before);
        Vec3 corner = corner_of(run);
        Vec3 at = vec3_sub(vector_at(&run->file.positions, k), corner);
        run->positions[k] = vec3_sub(at, back);
    }
    TRY(fluid_take(run->fluid, run->positions, run->velocities, count, run->file_time - before));
    TRY(fluid_measure_now(run->fluid));
    TRY(diffuse_prepare(run->diffuse, count));
    diffuse_step(run->diffuse, &(DiffuseStep){run->fluid, dt, ++run->steps});
    return result_ok();
}

static Result follow(FoamRun *run, bool first)
{
    double dt = run->file_time - run->last_time,
           reach = STEP_REACH * (double)run->scene.fluid.spacing * (double)run->scene.fluid.radius_factor;
    if (first) return step(run, 0.0, 0.0);
    double steps = fmin(fmax(ceil(dt * fastest(run) / reach), 1.0), STEPS_MAX);
    for (double k = 1.0; k <= steps; k += 1.0) TRY(step(run, dt / steps, dt * (1.0 - k / steps)));
    return result_ok();
}

static Result foam_file(FoamRun *run, uint32_t k)
{
    const SequenceFile *input = &run->inputs.files[k];
    TRY(read_file(run, input));
    if (k > 0 && !(run->file_time > run->last_time))
        return result_error(RESULT_USAGE, "%.200s: its time, %g s, is not later than that of the file before",
                            input->path, run->file_time);
    bool first = k == 0 || !run->fluid;
    FrameView view = {.time = run->file_time, .origin = corner_of(run)};
    if (count_of(run) > 0) {
        TRY(take_points(run));
        if (!run->fluid) TRY(begin(run, input->path));
    }
    if (run->fluid) {
        TRY(follow(run, first));
        view = fluid_view(run->fluid);
        view.time = run->file_time;
        view.diffuse = diffuse_particles(run->diffuse);
    }
    run->last_time = run->times[k] = run->file_time;
    TRY(frame_files_write(&run->files, k, &view, NULL));
    if (run->options->quiet) return result_ok();
    printf("%s  %u particles", input->path, count_of(run));
    for (int kind = 0; kind < DIFFUSE_CLASS_COUNT && view.diffuse; kind++) {
        char grouped[27];
        printf(", %s %s", number_grouped(view.diffuse->of_class[kind], grouped),
               diffuse_class_name((DiffuseClass)kind));
    }
    printf("\n");
    return result_ok();
}

// --- the command ---

static Result foam_all(FoamRun *run)
{
    run->times = memory_allocate(run->inputs.count * sizeof *run->times);
    if (!run->times) return result_no_memory("the list of files", run->inputs.count * sizeof *run->times);
    for (uint32_t k = 0; k < run->inputs.count; k++) {
        Result result = foam_file(run, k);
        forget_file(run);
        TRY(result);
    }
    return frame_files_write_series(&run->files, run->times, run->inputs.count);
}

static Result choose_formats(const Options *options, FrameFiles *files)
{
    for (uint32_t k = 0; k < options->format_count; k++) {
        if (file_format(options->formats[k])->kind != GEOMETRY_DIFFUSE)
            return result_error(RESULT_USAGE,
                                "--export: %s is not a format of whitewater (diffuse_ply, diffuse_vtp)",
                                file_format(options->formats[k])->name);
        files->format[files->count++] = options->formats[k];
    }
    for (uint32_t k = 0; files->count == 0; k++) {
        if (file_format(k)->kind == GEOMETRY_DIFFUSE) files->format[files->count++] = k;
    }
    files->folder = options->out;
    files->up = options->up;
    return result_ok();
}

static Result prepare(FoamRun *run, int *lock)
{
    const Options *options = run->options;
    SceneOverride overrides[OPTIONS_OVERRIDES_MAX];
    if (options->input_count == 0)
        return result_error(RESULT_USAGE, "foam: files of particles are missing (pbf foam FILES --out DIR)");
    if (!options->out) return result_error(RESULT_USAGE, "foam: --out is missing (a folder)");
    TRY(choose_formats(options, &run->files));
    TRY(scene_set_foam(overrides, options_overrides(options, overrides), &run->scene));
    TRY(file_sequence_find(options->inputs, options->input_count, &run->inputs));
    // A first file that cannot be read leaves no folder behind.
    Result first = read_file(run, &run->inputs.files[0]);
    forget_file(run);
    TRY(first);
    TRY(frame_folder_make(options->out));
    return frame_folder_lock(options->out, lock);
}

Result command_foam(const Options *options)
{
    int lock = -1;
    FoamRun run = {
        .options = options, .scene = scene_def_default(), .progress = progress_begin(options->quiet)};
    parallel_set_workers(options->threads);
    Result result = prepare(&run, &lock);
    if (result_is_ok(&result)) result = foam_all(&run);
    diffuse_destroy(run.diffuse);
    fluid_destroy(run.fluid);
    memory_free(run.positions);
    memory_free(run.velocities);
    memory_free(run.times);
    file_sequence_free(&run.inputs);
    frame_folder_unlock(lock);
    return result;
}
