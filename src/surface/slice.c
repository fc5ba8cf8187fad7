#include "surface/slice.h"

#include "core/memory.h"
#include "surface/isoline.h"

#include <math.h>

static const struct FieldText {
    const char *name, *unit;
} field_texts[SLICE_FIELDS] = {{"density", ""},       {"speed", "m/s"},      {"x_velocity", "m/s"},
                               {"y_velocity", "m/s"}, {"z_velocity", "m/s"}, {"through", "m/s"},
                               {"vorticity", "1/s"}};

const char *slice_field_name(uint32_t k, const void *context)
{
    (void)context;
    return k < SLICE_FIELDS ? field_texts[k].name : NULL;
}

const char *slice_field_unit(SliceField field)
{
    return field_texts[field].unit;
}

SliceDef slice_def_default(float spacing)
{
    return (SliceDef){
        .normal = vec3_make(0.0f, 0.0f, 1.0f), .spacing = spacing, .cell = 0.5f, .support = 2.5f};
}

void slice_free(Slice *slice)
{
    memory_free(slice->fraction);
    memory_free(slice->value);
    *slice = (Slice){0};
}

static Result check(const SliceDef *def, const SurfacePoints *points)
{
    if (!(vec3_length(def->normal) > 0.0f) || !isfinite(vec3_length(def->normal)))
        return result_error(RESULT_USAGE, "plane: its normal has no direction (a vector that is not 0)");
    if (!(def->spacing > 0.0f) || !(def->cell > 0.0f) || !(def->support >= 1.0f))
        return result_error(RESULT_USAGE, "slice: spacing and cell are above 0, support at least 1");
    if (!(def->sector >= 0.0f && def->sector <= 180.0f))
        return result_error(RESULT_USAGE, "sector: 0 to 180 degrees");
    if (def->field != SLICE_DENSITY && !points->vx)
        return result_error(RESULT_USAGE, "field %s: the particles have no velocities (density needs none)",
                            field_texts[def->field].name);
    if (def->sector > 0.0f && !points->vx)
        return result_error(RESULT_USAGE, "sector: the particles have no velocities (0: none)");
    return result_ok();
}

// The plane's own axes.
static void set_axes(Slice *slice, Vec3 normal)
{
    slice->normal = vec3_normalize_or(normal, vec3_make(0.0f, 0.0f, 1.0f));
    bool level = fabsf(slice->normal.z) > 0.999f;
    Vec3 up = level ? vec3_make(0.0f, 1.0f, 0.0f) : vec3_make(0.0f, 0.0f, 1.0f);
    up = vec3_sub(up, vec3_scale(slice->normal, vec3_dot(up, slice->normal)));
    slice->up = vec3_normalize_or(up, vec3_make(0.0f, 1.0f, 0.0f));
    slice->across = vec3_cross(slice->up, slice->normal);
}

static Vec3 position(const SurfacePoints *points, uint32_t k)
{
    return vec3_make(points->x[k], points->y[k], points->z[k]);
}

static Vec3 velocity(const SurfacePoints *points, uint32_t k)
{
    return vec3_make(points->vx[k], points->vy[k], points->vz[k]);
}

// --- the grid ---

// The box, in the plane, of the particles within reach; the grid is one cell wider than they reach.
static Result set_grid(const SliceDef *def, const SurfacePoints *points, Slice *slice)
{
    float reach = def->support * def->spacing, lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    slice->cell = def->cell * def->spacing;
    for (uint32_t k = 0; k < points->count; k++) {
        Vec3 from = vec3_sub(position(points, k), def->point);
        if (fabsf(vec3_dot(from, slice->normal)) >= reach) continue;
        const float at[2] = {vec3_dot(from, slice->across), vec3_dot(from, slice->up)};
        for (int axis = 0; axis < 2; axis++) {
            lo[axis] = fminf(lo[axis], at[axis]);
            hi[axis] = fmaxf(hi[axis], at[axis]);
        }
        slice->particles++;
    }
    if (slice->particles == 0) return result_ok();
    double nodes[2];
    for (int axis = 0; axis < 2; axis++) {
        lo[axis] = (floorf((lo[axis] - reach) / slice->cell) - 1.0f) * slice->cell;
        nodes[axis] = ceil(((double)hi[axis] - lo[axis] + reach) / slice->cell) + 2.0;
    }
    if (!(nodes[0] * nodes[1] <= ISOLINE_NODES_MAX))
        return result_error(RESULT_USAGE, "slice: a grid of %.6g x %.6g nodes is too large (a larger cell)",
                            nodes[0], nodes[1]);
    slice->columns = (uint32_t)nodes[0];
    slice->rows = (uint32_t)nodes[1];
    slice->origin =
        vec3_add(def->point, vec3_add(vec3_scale(slice->across, lo[0]), vec3_scale(slice->up, lo[1])));
    return result_ok();
}

// --- spreading ---

// Where particles go: sums of weights, and of weights times a value or two.
typedef struct Spread {
    const Slice *slice;
    float *weight, *first, *second; // second: for the vorticity, else NULL
    float reach;                    // m
    float share;                    // of the ball that a sector leaves
    float cone;                     // its cosine squared
    bool sector;
} Spread;

// A particle relative to the grid.
typedef struct Source {
    float across, up, off; // m, from the origin and from the plane
    float value[2];
    Vec3 axis; // of its velocity in the grid's axes, 0 at rest
} Source;

static inline float weight_at(float squared, float inverse)
{
    float q = 1.0f - squared * inverse;
    q = q > 0.0f ? q : 0.0f;
    return q * q * q;
}

static void spread_row(const Spread *spread, const Source *source, uint32_t row, uint32_t begin, uint32_t end)
{
    const Slice *slice = spread->slice;
    float cell = slice->cell, up = (float)row * cell - source->up,
          inverse = 1.0f / (spread->reach * spread->reach);
    float rest = up * up + source->off * source->off, value = source->value[0];
    float *restrict weight = spread->weight + (size_t)row * slice->columns;
    float *restrict first = spread->first + (size_t)row * slice->columns;
    for (uint32_t c = begin; c < end; c++) {
        float across = (float)c * cell - source->across, w = weight_at(across * across + rest, inverse);
        weight[c] += w;
        first[c] += w * value;
    }
    if (!spread->second) return;
    float *restrict second = spread->second + (size_t)row * slice->columns;
    value = source->value[1];
    for (uint32_t c = begin; c < end; c++) {
        float across = (float)c * cell - source->across;
        second[c] += weight_at(across * across + rest, inverse) * value;
    }
}

// The same for the nodes before and behind the particle alone.
static void spread_row_sector(const Spread *spread, const Source *source, uint32_t row, uint32_t begin,
                              uint32_t end)
{
    const Slice *slice = spread->slice;
    float up = (float)row * slice->cell - source->up, inverse = 1.0f / (spread->reach * spread->reach);
    for (uint32_t c = begin; c < end; c++) {
        Vec3 d = {(float)c * slice->cell - source->across, up, -source->off};
        float squared = vec3_dot(d, d), along = vec3_dot(d, source->axis);
        if (along * along < spread->cone * squared) continue;
        float w = weight_at(squared, inverse) / spread->share;
        size_t node = (size_t)row * slice->columns + c;
        spread->weight[node] += w;
        spread->first[node] += w * source->value[0];
        if (spread->second) spread->second[node] += w * source->value[1];
    }
}

static void spread_particle(const Spread *spread, const Source *source)
{
    const Slice *slice = spread->slice;
    float inside = spread->reach * spread->reach - source->off * source->off;
    if (!(inside > 0.0f)) return;
    float radius = sqrtf(inside), inverse = 1.0f / slice->cell;
    uint32_t last = slice->rows - 1, columns = slice->columns;
    uint32_t row = (uint32_t)fmaxf(0.0f, (source->up - radius) * inverse);
    uint32_t end_row = (uint32_t)fmaxf(0.0f, (source->up + radius) * inverse) + 1;
    bool round = !spread->sector || vec3_dot(source->axis, source->axis) == 0.0f;
    for (; row <= end_row && row <= last; row++) {
        float up = (float)row * slice->cell - source->up, half = inside - up * up;
        if (half <= 0.0f) continue;
        half = sqrtf(half);
        uint32_t begin = (uint32_t)fmaxf(0.0f, (source->across - half) * inverse);
        uint32_t end = (uint32_t)fmaxf(0.0f, (source->across + half) * inverse) + 2;
        end = end < columns ? end : columns;
        (round ? spread_row : spread_row_sector)(spread, source, row, begin, end);
    }
}

static void take_values(const SliceDef *def, const SurfacePoints *points, const Slice *slice, uint32_t k,
                        Source *source)
{
    if (!points->vx) return;
    Vec3 v = velocity(points, k);
    Vec3 own = {vec3_dot(v, slice->across), vec3_dot(v, slice->up), vec3_dot(v, slice->normal)};
    const float values[SLICE_FIELDS] = {0.0f, vec3_length(v), v.x, v.y, v.z, own.z, own.x};
    source->value[0] = values[def->field];
    source->value[1] = own.y;
    source->axis = vec3_normalize_or(own, vec3_make(0.0f, 0.0f, 0.0f));
}

static void spread_all(const SliceDef *def, const SurfacePoints *points, const Spread *spread)
{
    const Slice *slice = spread->slice;
    for (uint32_t k = 0; k < points->count; k++) {
        Vec3 from = vec3_sub(position(points, k), slice->origin);
        Source source = {vec3_dot(from, slice->across),
                         vec3_dot(from, slice->up),
                         vec3_dot(from, slice->normal),
                         {0.0f, 0.0f},
                         {0.0f, 0.0f, 0.0f}};
        if (fabsf(source.off) >= spread->reach) continue;
        take_values(def, points, slice, k, &source);
        spread_particle(spread, &source);
    }
}

// --- the fields ---

// Weights of a kernel of volume 1 in units of the particles' volume: (1 - r^2/h^2)^3 has the norm 315/(64 pi
// h^3).
static float kernel_norm(const SliceDef *def)
{
    float support = def->support;
    return (float)(315.0 / (64.0 * M_PI)) / (support * support * support);
}

static bool in_water(const Slice *slice, size_t node)
{
    return slice->fraction[node] >= 0.5f;
}

// The derivative of a field along `step` nodes, per cell: from both sides, at the water's border from one.
static float slope(const Slice *slice, const float *field, size_t node, size_t step)
{
    bool after = in_water(slice, node + step), before = in_water(slice, node - step);
    if (after && before) return 0.5f * (field[node + step] - field[node - step]);
    if (after) return field[node + step] - field[node];
    return before ? field[node] - field[node - step] : 0.0f;
}

// Curl of the velocity in the plane: of `value`, its part across, and of `up`.
static Result make_vorticity(Slice *slice, const float *up)
{
    size_t columns = slice->columns, nodes = columns * slice->rows;
    float *curl = memory_allocate_zeroed(nodes * sizeof *curl);
    if (!curl) return result_no_memory("slice", nodes * sizeof *curl);
    for (size_t node = columns; node + columns < nodes; node++) { // none at the border is in water
        if (!in_water(slice, node)) continue;
        curl[node] = (slope(slice, up, node, 1) - slope(slice, slice->value, node, columns)) / slice->cell;
    }
    memory_free(slice->value);
    slice->value = curl;
    return result_ok();
}

// Sums become means, weights the fraction that water fills.
static void divide(const SliceDef *def, Slice *slice, float *second)
{
    float norm = kernel_norm(def);
    size_t nodes = (size_t)slice->columns * slice->rows;
    for (size_t k = 0; k < nodes; k++) {
        float weight = slice->fraction[k], inverse = weight > 0.0f ? 1.0f / weight : 0.0f;
        slice->fraction[k] = norm * weight;
        slice->value[k] = def->field == SLICE_DENSITY ? slice->fraction[k] : slice->value[k] * inverse;
        if (second) second[k] *= inverse;
    }
}

static void find_range(Slice *slice)
{
    bool any = false;
    for (size_t k = 0; k < (size_t)slice->columns * slice->rows; k++) {
        if (!in_water(slice, k)) continue;
        slice->least = any ? fminf(slice->least, slice->value[k]) : slice->value[k];
        slice->most = any ? fmaxf(slice->most, slice->value[k]) : slice->value[k];
        any = true;
    }
}

static Result fill(const SliceDef *def, const SurfacePoints *points, Slice *slice)
{
    size_t nodes = (size_t)slice->columns * slice->rows, bytes = nodes * sizeof(float);
    double cosine = cos((double)def->sector * M_PI / 360.0);
    bool curl = def->field == SLICE_VORTICITY;
    float *second = curl ? memory_allocate_zeroed(bytes) : NULL;
    slice->fraction = memory_allocate_zeroed(bytes);
    slice->value = memory_allocate_zeroed(bytes);
    Result result = slice->fraction && slice->value && (second || !curl)
                        ? result_ok()
                        : result_no_memory("slice", 3 * bytes);
    if (result_is_ok(&result)) {
        Spread spread = {slice,
                         slice->fraction,
                         slice->value,
                         second,
                         def->support * def->spacing,
                         (float)(1.0 - cosine),
                         (float)(cosine * cosine),
                         def->sector > 0.0f && points->vx};
        spread_all(def, points, &spread);
        divide(def, slice, second);
        if (curl) result = make_vorticity(slice, second);
        find_range(slice);
    }
    memory_free(second);
    return result;
}

Result slice_make(const SliceDef *def, const SurfacePoints *points, Slice *out)
{
    *out = (Slice){0};
    TRY(check(def, points));
    set_axes(out, def->normal);
    TRY(set_grid(def, points, out));
    Result result = out->particles > 0 ? fill(def, points, out) : result_ok();
    if (!result_is_ok(&result)) slice_free(out);
    return result;
}

float slice_sample(const Slice *slice, const float *field, float column, float row)
{
    column = fminf(fmaxf(column, 0.0f), (float)(slice->columns - 1) - 1e-3f);
    row = fminf(fmaxf(row, 0.0f), (float)(slice->rows - 1) - 1e-3f);
    float x = column - floorf(column), y = row - floorf(row);
    const float *at = field + (size_t)row * slice->columns + (size_t)column;
    float low = at[0] + x * (at[1] - at[0]);
    float high = at[slice->columns] + x * (at[slice->columns + 1] - at[slice->columns]);
    return low + y * (high - low);
}

Vec3 slice_place(const Slice *slice, float column, float row)
{
    return vec3_add(slice->origin, vec3_add(vec3_scale(slice->across, column * slice->cell),
                                            vec3_scale(slice->up, row * slice->cell)));
}
