// Planes through particles: a field on a grid, its contours, and the water's border.
#include "core/c_locale.h"
#include "core/path.h"
#include "export/export.h"
#include "export/slice_file.h"
#include "library/files.h"
#include "library/surfaces.h"
#include "render/chart_page.h"
#include "render/colormap.h"
#include "render/slice_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONTOURS_MAX 200u
#define CELL 0.5      // spacings
#define FARTHEST 1e30 // m: what is a float

struct pbf_slice {
    pbf_context *context;
    SliceField field;
    double spacing; // m
    Slice slice;
    double tick; // between contours, 0 without
    char title[160];
    SliceDrawing drawing;
};

const char *pbf_slice_field(uint32_t k)
{
    return slice_field_name(k, NULL);
}

// --- what is asked for ---

static Result find_field(const char *name, SliceField *out)
{
    for (uint32_t k = 0; slice_field_name(k, NULL); k++) {
        *out = (SliceField)k;
        if (!name || strcmp(slice_field_name(k, NULL), name) == 0) return result_ok(); // the first is density
    }
    return result_error(RESULT_USAGE, "field: \"%.40s\" is not one of slices (density, speed, vx, ...)",
                        name);
}

static Result check_def(const pbf_slice_def *def)
{
    if (!def) return missing("def");
    TRY(check_def_size(def->size, sizeof *def, "pbf_slice_def"));
    for (int axis = 0; axis < 3; axis++) {
        if (!(fabs(def->point[axis]) < FARTHEST) || !(fabs(def->normal[axis]) < FARTHEST))
            return result_error(RESULT_USAGE, "plane: its point or its normal is not finite");
    }
    if (!(def->spacing >= 0 && def->spacing < FARTHEST))
        return result_error(RESULT_USAGE, "spacing: %g is out of range (above 0; 0: estimated)",
                            def->spacing);
    if (!(def->cell >= 0 && def->cell <= 1e6))
        return result_error(RESULT_USAGE, "cell: %g is out of range (above 0; 0: the default)", def->cell);
    return result_ok();
}

static Vec3 vector_of(const double v[3])
{
    return vec3_make((float)v[0], (float)v[1], (float)v[2]);
}

static SliceDef settings_of(const pbf_slice_def *def, double spacing, SliceField field)
{
    SliceDef out = slice_def_default((float)spacing);
    out.point = vector_of(def->point);
    out.normal = vector_of(def->normal);
    out.cell = (float)(def->cell > 0 ? def->cell : CELL);
    out.field = field;
    out.sector = (float)def->sector;
    return out;
}

// --- what is drawn ---

static Result find_contours(pbf_slice *made, uint32_t contours)
{
    const Slice *slice = &made->slice;
    SliceDrawing *drawing = &made->drawing;
    double range = (double)slice->most - slice->least;
    if (contours == 0 || !(range > 0) || !isfinite(range)) return result_ok();
    made->tick = chart_tick(range, contours);
    drawing->contours = memory_allocate_zeroed(CONTOURS_MAX * sizeof *drawing->contours);
    if (!drawing->contours) return result_no_memory("contours", CONTOURS_MAX * sizeof *drawing->contours);
    for (double k = ceil(slice->least / made->tick); k * made->tick <= slice->most; k++) {
        if (drawing->contour_count == CONTOURS_MAX) break;
        SliceContour *contour = &drawing->contours[drawing->contour_count++];
        float rgb[3];
        contour->level = (float)(k * made->tick);
        colormap_srgb((float)((k * made->tick - slice->least) / range), rgb);
        for (int c = 0; c < 3; c++) contour->rgb[c] = (uint8_t)lrintf(255.0f * rgb[c]);
        TRY(isolines_find(slice->value, slice->fraction, slice->columns, slice->rows, contour->level,
                          &contour->lines));
    }
    return result_ok();
}

static void write_title(pbf_slice *made, double time)
{
    const Slice *slice = &made->slice;
    const char *unit = slice_field_unit(made->field);
    c_snprintf(made->title, sizeof made->title, "%s%s%s, %.3g to %.3g",
               slice_field_name((uint32_t)made->field, NULL), *unit ? " in " : "", unit, (double)slice->least,
               (double)slice->most);
    size_t length = strlen(made->title);
    if (isfinite(time)) c_snprintf(made->title + length, sizeof made->title - length, ", t = %.4g s", time);
}

static Result draw(pbf_slice *made, const pbf_slice_def *def)
{
    const Slice *slice = &made->slice;
    if (slice->particles == 0) return result_ok();
    made->drawing.slice = slice;
    made->drawing.title = made->title;
    write_title(made, def->time);
    TRY(isolines_find(slice->fraction, NULL, slice->columns, slice->rows, 0.5f, &made->drawing.border));
    return find_contours(made, def->contours);
}

// --- life ---

static void slice_destroy(pbf_slice *made)
{
    pbf_context *context = made->context;
    Host *before = call_begin(context);
    for (uint32_t k = 0; k < made->drawing.contour_count; k++)
        isolines_free(&made->drawing.contours[k].lines);
    memory_free(made->drawing.contours);
    isolines_free(&made->drawing.border);
    slice_free(&made->slice);
    memory_free(made);
    call_close(context, before);
}

static Result fill(pbf_slice *made, const SurfaceCloud *cloud, const pbf_slice_def *def)
{
    bool certain;
    TRY(find_field(def->field, &made->field));
    made->spacing = def->spacing;
    if (made->spacing == 0 && cloud->points.count == 0) made->spacing = 1; // of nothing
    if (made->spacing == 0) TRY(surface_cloud_spacing(cloud, &made->spacing, &certain));
    SliceDef settings = settings_of(def, made->spacing, made->field);
    TRY(slice_make(&settings, &cloud->points, &made->slice));
    return draw(made, def);
}

static Result create(pbf_context *context, const SurfaceCloud *cloud, const pbf_slice_def *def,
                     pbf_slice **out)
{
    TRY(check_def(def));
    pbf_slice *made = memory_allocate_zeroed(sizeof *made);
    if (!made) return result_no_memory("a slice", sizeof *made);
    made->context = context_hold(context);
    Result result = fill(made, cloud, def);
    if (result_is_ok(&result))
        *out = made;
    else
        slice_destroy(made);
    return result;
}

pbf_result pbf_slice_create(pbf_context *context, const pbf_points *points, const pbf_points *velocities,
                            const pbf_slice_def *def, pbf_slice **out)
{
    SurfaceCloud cloud = {0};
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    Host *before = call_begin(context);
    Result result = surface_cloud_take(points, velocities, &cloud);
    if (result_is_ok(&result)) result = create(context, &cloud, def, out);
    surface_cloud_free(&cloud);
    return call_end(context, before, result);
}

void pbf_slice_destroy(pbf_slice *slice)
{
    if (slice) slice_destroy(slice);
}

// --- what it tells ---

static void put_vector(Vec3 v, double out[3])
{
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

pbf_result pbf_slice_get(const pbf_slice *made, pbf_slice_data *out)
{
    if (!out) return call_refused(made ? made->context : NULL, missing("out"));
    *out = (pbf_slice_data){.field = "", .unit = ""};
    if (!made) return call_refused(NULL, missing("slice"));
    const Slice *slice = &made->slice;
    const Isolines *border = &made->drawing.border;
    double cell = (double)slice->cell;
    *out = (pbf_slice_data){.values = slice->value,
                            .fractions = slice->fraction,
                            .columns = slice->columns,
                            .rows = slice->rows,
                            .particles = slice->particles,
                            .lines = border->count,
                            .cell = cell,
                            .spacing = made->spacing,
                            .least = (double)slice->least,
                            .most = (double)slice->most,
                            .tick = made->tick,
                            .area = isolines_area(border) * cell * cell,
                            .length = isolines_length(border) * cell,
                            .field = slice_field_name((uint32_t)made->field, NULL),
                            .unit = slice_field_unit(made->field)};
    put_vector(slice->origin, out->origin);
    put_vector(slice->across, out->across);
    put_vector(slice->up, out->up);
    put_vector(slice->normal, out->normal);
    return call_refused(made->context, result_ok());
}

// --- files ---

static Result write_png(const pbf_slice *made, const char *path)
{
    uint32_t width, height;
    slice_picture_size(&made->slice, &width, &height);
    uint8_t *rgb = memory_allocate((size_t)width * height * 3);
    if (!rgb) return result_no_memory("a picture", 3ull * width * height);
    SlicePictureDef def = {.slice = &made->slice, .tick = made->tick, .title = made->title};
    slice_picture_draw(&def, rgb);
    Result result = export_png(path, rgb, width, height);
    memory_free(rgb);
    return result;
}

static Result write_svg(const pbf_slice *made, const char *path)
{
    return export_slice_svg(path, &made->drawing);
}

static Result write_vtp(const pbf_slice *made, const char *path)
{
    return export_slice_vtp(path, &made->drawing);
}

static const struct {
    const char *suffix;
    Result (*write)(const pbf_slice *made, const char *path);
} writers[] = {{".svg", write_svg}, {".vtp", write_vtp}, {".png", write_png}};

static Result write_slice(const pbf_slice *made, const char *path)
{
    TRY(files_check_path(path));
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (!path_has_ending(path, writers[k].suffix)) continue;
        if (made->slice.particles > 0) return writers[k].write(made, path);
        return result_error(RESULT_USAGE, "%.100s: the plane meets no particle", path);
    }
    return result_error(RESULT_USAGE, "path: \"%.100s\" is not a name of a slice (.svg, .vtp, .png)", path);
}

pbf_result pbf_slice_write(const pbf_slice *slice, const char *path)
{
    if (!slice) return call_refused(NULL, missing("slice"));
    RETURN_CALL(slice->context, write_slice(slice, path));
}
