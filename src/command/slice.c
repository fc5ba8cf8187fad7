// `pbf slice`: a plane through particles, as lines, a heat map, or both.
#include "command/command.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/particle_spacing.h"
#include "core/path.h"
#include "core/progress.h"
#include "export/file_writer.h"

#include <math.h>
#include <string.h>

// A run of the command.
typedef struct SliceRun {
    const Options *options;
    Progress progress;
    pbf_cloud *cloud;
    pbf_cloud_data file;
    ParticleSpacing spacing;
    pbf_slice *slice;
    pbf_slice_data data;
} SliceRun;

static void print_report(const SliceRun *run)
{
    const pbf_slice_data *data = &run->data;
    const double *normal = data->normal, *up = data->up;
    char first[27], second[27];
    printf("particles  %s of %s within reach, spacing %.4g m (%s)\n", number_grouped(data->particles, first),
           number_grouped(run->file.positions.count, second), run->spacing.meters, run->spacing.source);
    printf("plane      normal (%.4g, %.4g, %.4g), up (%.4g, %.4g, %.4g)\n", normal[0], normal[1], normal[2],
           up[0], up[1], up[2]);
    printf("grid       %u x %u nodes of %.4g m\n", data->columns, data->rows, data->cell);
    printf("water      %.6g m^2 inside %u closed line%s of %.4g m in all\n", data->area, data->lines,
           data->lines == 1 ? "" : "s", data->length);
    printf("%-10s %.4g to %.4g%s%s", data->field, data->least, data->most, *data->unit ? " " : "",
           data->unit);
    if (data->tick > 0) printf(", contours every %.4g", data->tick);
    printf("\n");
}

static bool is_name_of_slice(const char *path)
{
    static const char *const suffixes[] = {".svg", ".vtp", ".png"};
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
        if (path_has_ending(path, suffixes[k])) return true;
    }
    return false;
}

static Result check_call(const Options *options)
{
    if (!options->scene)
        return result_error(RESULT_USAGE, "slice: a file of particles is missing (pbf slice INPUT --plane "
                                          "PX,PY,PZ,NX,NY,NZ --out FILE)");
    if (!options->plane_given)
        return result_error(RESULT_USAGE,
                            "slice: --plane is missing (PX,PY,PZ,NX,NY,NZ: a point and a normal)");
    if (!options->out) return result_error(RESULT_USAGE, "slice: --out is missing (FILE.svg, .vtp or .png)");
    if (!is_name_of_slice(options->out))
        return result_error(RESULT_USAGE, "--out: \"%.100s\" is not a name of a slice (.svg, .vtp, .png)",
                            options->out);
    return file_target_probe(options->out);
}

// Where along the normal there are particles.
static Result explain_empty(const SliceRun *run, const char *path)
{
    const pbf_points *at = &run->file.positions;
    const double *n = run->data.normal;
    const Vec3 normal = vec3_make((float)n[0], (float)n[1], (float)n[2]);
    float least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < at->count; k++) {
        Vec3 place = {((const float *)at->x)[k], ((const float *)at->y)[k], ((const float *)at->z)[k]};
        float along = vec3_dot(vec3_sub(place, run->options->plane_point), normal);
        least = fminf(least, along);
        most = fmaxf(most, along);
    }
    if (at->count == 0) return result_error(RESULT_USAGE, "%s: there are no particles in it", path);
    return result_error(RESULT_USAGE,
                        "--plane: it meets no particle of %s (they lie %.4g to %.4g m along its normal)",
                        path, (double)least, (double)most);
}

static Result cut(SliceRun *run)
{
    const Options *options = run->options;
    const Vec3 *point = &options->plane_point, *normal = &options->plane_normal;
    const pbf_points *moving = &run->file.velocities;
    const pbf_slice_def def = {.size = sizeof def,
                               .point = {(double)point->x, (double)point->y, (double)point->z},
                               .normal = {(double)normal->x, (double)normal->y, (double)normal->z},
                               .spacing = run->spacing.meters,
                               .cell = options->slice_cell,
                               .sector = options->sector,
                               .field = pbf_slice_field((uint32_t)options->slice_field),
                               .contours = options->contours,
                               .time = run->file.time};
    TRY(library_result(options, pbf_slice_create(NULL, &run->file.positions,
                                                 moving->count > 0 ? moving : NULL, &def, &run->slice)));
    return library_result(options, pbf_slice_get(run->slice, &run->data));
}

// What is read is not written over.
static Result keep_input(const Options *options)
{
    KeptFiles kept = {0};
    Result result = kept_files_add_inputs(&kept, options, NULL);
    if (result_is_ok(&result)) result = kept_files_check(&kept, &(OutputFile){"--out", options->out}, 1);
    kept_files_free(&kept);
    return result;
}

static Result slice_file(SliceRun *run)
{
    const Options *options = run->options;
    const char *path = options->scene;
    TRY(keep_input(options));
    TRY(library_load_cloud(options, path, &run->cloud, &run->file));
    if (run->file.positions.count == 0) return explain_empty(run, path);
    TRY(particle_spacing_find(options, &run->file, path, &run->progress, &run->spacing));
    TRY(cut(run));
    if (run->data.particles == 0) return explain_empty(run, path);
    TRY(library_result(options, pbf_slice_write(run->slice, options->out)));
    if (!options->quiet) print_report(run);
    return result_ok();
}

Result command_slice(const Options *options)
{
    TRY(check_call(options));
    SliceRun run = {.options = options, .progress = progress_begin(options->quiet)};
    Result result = slice_file(&run);
    pbf_slice_destroy(run.slice);
    pbf_cloud_destroy(run.cloud);
    return result;
}
