// `pbf slice`: a plane through particles, as lines, a heat map, or both.
#include "command/command.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/particle_spacing.h"
#include "core/memory.h"
#include "core/progress.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/slice_file.h"
#include "render/chart_page.h"
#include "render/colormap.h"
#include "render/slice_picture.h"

#include <math.h>
#include <string.h>

#define CONTOURS_MAX 200u

// A run of the command.
typedef struct SliceRun {
    const Options *options;
    Progress progress;
    pbf_cloud *cloud;
    pbf_cloud_data file;
    SurfacePoints points; // of the file
    ParticleSpacing spacing;
    SliceDef def;
    Slice slice;
    double tick; // between contours, 0 without
    char title[160];
    SliceDrawing drawing;
} SliceRun;

typedef Result WriteSlice(SliceRun *run, const char *path);

// --- what is drawn ---

static Result find_contours(SliceRun *run)
{
    const Slice *slice = &run->slice;
    double range = (double)slice->most - slice->least;
    if (run->options->contours == 0 || !(range > 0) || !isfinite(range)) return result_ok();
    run->tick = chart_tick(range, run->options->contours);
    run->drawing.contours = memory_allocate_zeroed(CONTOURS_MAX * sizeof *run->drawing.contours);
    if (!run->drawing.contours)
        return result_no_memory("contours", CONTOURS_MAX * sizeof *run->drawing.contours);
    for (double k = ceil(slice->least / run->tick); k * run->tick <= slice->most; k++) {
        if (run->drawing.contour_count == CONTOURS_MAX) break;
        SliceContour *contour = &run->drawing.contours[run->drawing.contour_count++];
        float rgb[3];
        contour->level = (float)(k * run->tick);
        colormap_srgb((float)((k * run->tick - slice->least) / range), rgb);
        for (int c = 0; c < 3; c++) contour->rgb[c] = (uint8_t)lrintf(255.0f * rgb[c]);
        TRY(isolines_find(slice->value, slice->fraction, slice->columns, slice->rows, contour->level,
                          &contour->lines));
    }
    return result_ok();
}

static void write_title(SliceRun *run)
{
    const Slice *slice = &run->slice;
    const char *unit = slice_field_unit(run->def.field);
    int length = snprintf(run->title, sizeof run->title, "%s%s%s, %.3g to %.3g",
                          slice_field_name((uint32_t)run->def.field, NULL), *unit ? " in " : "", unit,
                          (double)slice->least, (double)slice->most);
    if (isfinite(run->file.time))
        snprintf(run->title + length, sizeof run->title - (size_t)length, ", t = %.4g s", run->file.time);
}

static Result draw(SliceRun *run)
{
    const Slice *slice = &run->slice;
    run->drawing.slice = slice;
    run->drawing.title = run->title;
    write_title(run);
    TRY(isolines_find(slice->fraction, NULL, slice->columns, slice->rows, 0.5f, &run->drawing.border));
    return find_contours(run);
}

// --- files ---

static Result write_svg(SliceRun *run, const char *path)
{
    return export_slice_svg(path, &run->drawing);
}

static Result write_vtp(SliceRun *run, const char *path)
{
    return export_slice_vtp(path, &run->drawing);
}

static Result write_png(SliceRun *run, const char *path)
{
    uint32_t width, height;
    slice_picture_size(&run->slice, &width, &height);
    uint8_t *rgb = memory_allocate((size_t)width * height * 3);
    if (!rgb) return result_no_memory("a picture", 3ull * width * height);
    SlicePictureDef def = {.slice = &run->slice, .tick = run->tick, .title = run->title};
    slice_picture_draw(&def, rgb);
    Result result = export_png(path, rgb, width, height);
    memory_free(rgb);
    return result;
}

static WriteSlice *find_writer(const char *path)
{
    static const struct {
        const char *suffix;
        WriteSlice *write;
    } writers[] = {{".svg", write_svg}, {".vtp", write_vtp}, {".png", write_png}};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (length > 4 && strcmp(path + length - 4, writers[k].suffix) == 0) return writers[k].write;
    }
    return NULL;
}

// --- the command ---

static void print_report(const SliceRun *run)
{
    const Slice *slice = &run->slice;
    const char *unit = slice_field_unit(run->def.field);
    double cell = (double)slice->cell;
    char first[27], second[27];
    printf("particles  %s of %s within reach, spacing %.4g m (%s)\n", number_grouped(slice->particles, first),
           number_grouped(run->points.count, second), run->spacing.meters, run->spacing.source);
    printf("plane      normal (%.4g, %.4g, %.4g), up (%.4g, %.4g, %.4g)\n", (double)slice->normal.x,
           (double)slice->normal.y, (double)slice->normal.z, (double)slice->up.x, (double)slice->up.y,
           (double)slice->up.z);
    printf("grid       %u x %u nodes of %.4g m\n", slice->columns, slice->rows, cell);
    printf("water      %.6g m^2 inside %u closed line%s of %.4g m in all\n",
           isolines_area(&run->drawing.border) * cell * cell, run->drawing.border.count,
           run->drawing.border.count == 1 ? "" : "s", isolines_length(&run->drawing.border) * cell);
    printf("%-10s %.4g to %.4g%s%s", slice_field_name((uint32_t)run->def.field, NULL), (double)slice->least,
           (double)slice->most, *unit ? " " : "", unit);
    if (run->tick > 0) printf(", contours every %.4g", run->tick);
    printf("\n");
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
    if (!find_writer(options->out))
        return result_error(RESULT_USAGE, "--out: \"%.100s\" is not a name of a slice (.svg, .vtp, .png)",
                            options->out);
    return file_target_probe(options->out);
}

// Where along the normal there are particles.
static Result explain_empty(const SliceRun *run, const char *path)
{
    float least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < run->points.count; k++) {
        Vec3 at = {run->points.x[k], run->points.y[k], run->points.z[k]};
        float along = vec3_dot(vec3_sub(at, run->def.point), run->slice.normal);
        least = fminf(least, along);
        most = fmaxf(most, along);
    }
    if (run->points.count == 0) return result_error(RESULT_USAGE, "%s: there are no particles in it", path);
    return result_error(RESULT_USAGE,
                        "--plane: it meets no particle of %s (they lie %.4g to %.4g m along its normal)",
                        path, (double)least, (double)most);
}

static Result read_points(SliceRun *run, const char *path)
{
    TRY(library_result(run->options, pbf_cloud_load(NULL, path, &run->cloud)));
    TRY(library_result(run->options, pbf_cloud_get(run->cloud, &run->file)));
    const pbf_points *at = &run->file.positions, *moving = &run->file.velocities;
    run->points = (SurfacePoints){at->x, at->y, at->z, moving->x, moving->y, moving->z, at->count};
    return result_ok();
}

static Result slice_file(SliceRun *run)
{
    const Options *options = run->options;
    const char *path = options->scene;
    TRY(read_points(run, path));
    if (run->points.count == 0) return explain_empty(run, path);
    TRY(particle_spacing_find(options, &run->file, path, &run->progress, &run->spacing));
    run->def = (SliceDef){.point = options->plane_point,
                          .normal = options->plane_normal,
                          .spacing = (float)run->spacing.meters,
                          .cell = (float)options->slice_cell,
                          .support = slice_def_default(1.0f).support,
                          .field = options->slice_field,
                          .sector = (float)options->sector};
    TRY(slice_make(&run->def, &run->points, &run->slice));
    if (run->slice.particles == 0) return explain_empty(run, path);
    TRY(draw(run));
    TRY(find_writer(options->out)(run, options->out));
    if (!options->quiet) print_report(run);
    return result_ok();
}

Result command_slice(const Options *options)
{
    TRY(check_call(options));
    SliceRun run = {.options = options, .progress = progress_begin(options->quiet)};
    Result result = slice_file(&run);
    for (uint32_t k = 0; k < run.drawing.contour_count; k++) isolines_free(&run.drawing.contours[k].lines);
    memory_free(run.drawing.contours);
    isolines_free(&run.drawing.border);
    slice_free(&run.slice);
    pbf_cloud_destroy(run.cloud);
    return result;
}
