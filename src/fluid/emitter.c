#include "fluid/emitter_run.h"

#include "core/mat3.h"

#include <math.h>
#include <stddef.h>

static float half_x(const EmitterDef *e)
{
    return e->disc ? e->radius : 0.5f * e->width;
}

static float half_y(const EmitterDef *e)
{
    return e->disc ? e->radius : 0.5f * e->height;
}

// A layer is a lattice of the spacing, centred on the nozzle. Rounding up from x.499 keeps widths that are
// whole multiples of the spacing exact in float.
static uint32_t lattice_count(float extent, float spacing)
{
    double n = floor((double)extent / spacing + 0.5 - 1e-4);
    return n > 0 ? (uint32_t)n : 0;
}

// When a column of the lattice leaves, in periods of the layers from 0 to 1. Whole layers would come apart as
// sheets where the stream gets faster, and push the water they come into as one.
static float column_delay(uint32_t i, uint32_t j)
{
    uint32_t h = (i * 0x9e3779b1u) ^ (j * 0x85ebca77u + 0x165667b1u);
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) / 16777216.0f;
}

// The places of the lattice in the nozzle.
typedef struct Layer {
    const EmitterDef *emitter;
    float spacing, from_x, from_y; // m
    uint32_t nx, ny, at;           // at: of nx * ny
} Layer;

static Layer layer_of(const EmitterDef *e, float spacing)
{
    uint32_t nx = lattice_count(2.0f * half_x(e), spacing), ny = lattice_count(2.0f * half_y(e), spacing);
    return (Layer){.emitter = e,
                   .spacing = spacing,
                   .from_x = 0.5f - 0.5f * (float)nx,
                   .from_y = 0.5f - 0.5f * (float)ny,
                   .nx = nx,
                   .ny = ny};
}

typedef struct Column {
    float x, y;   // m, in the nozzle
    double delay; // periods
} Column;

static bool next_column(Layer *layer, Column *out)
{
    const EmitterDef *e = layer->emitter;
    while (layer->at < layer->nx * layer->ny) {
        uint32_t i = layer->at % layer->nx, j = layer->at / layer->nx;
        layer->at++;
        float x = ((float)i + layer->from_x) * layer->spacing,
              y = ((float)j + layer->from_y) * layer->spacing;
        if (e->disc && x * x + y * y > e->radius * e->radius) continue;
        *out = (Column){x, y, (double)column_delay(i, j)};
        return true;
    }
    return false;
}

uint32_t emitter_layer_particles(const EmitterDef *emitter, float spacing)
{
    Layer layer = layer_of(emitter, spacing);
    Column column;
    uint32_t n = 0;
    while (next_column(&layer, &column)) n++;
    return n;
}

// Counting stops here: beyond what ids can tell apart, and low enough that those of many emitters add up.
#define COUNT_MAX 0x1p40

static double volume_limit(const EmitterDef *emitter, float spacing)
{
    return fmin(floor(emitter->volume / ((double)spacing * spacing * spacing) + 0.5), COUNT_MAX);
}

static double period(const EmitterDef *emitter, float spacing)
{
    return (double)spacing / (double)emitter->speed;
}

// Particle k of a column leaves at start + (k + delay) * period; this many have left strictly before t.
static double left_before(const EmitterDef *emitter, float spacing, double delay, double t)
{
    double until = t < emitter->stop ? t : emitter->stop;
    double n = ceil((until - emitter->start) / period(emitter, spacing) - delay - 1e-9);
    return fmin(fmax(n, 0.0), COUNT_MAX);
}

// How many of them are within the limit, counting layer by layer, for column i of `layer`.
static double within_limit(double n, uint32_t i, uint32_t layer, double limit)
{
    double most = limit > i ? ceil((limit - i) / layer) : 0.0;
    return n < most ? n : most;
}

uint64_t emitter_total_particles(const EmitterDef *emitter, float spacing, double t)
{
    double limit = volume_limit(emitter, spacing), sum = 0.0;
    uint32_t n = emitter_layer_particles(emitter, spacing), i = 0;
    Layer layer = layer_of(emitter, spacing);
    for (Column c; next_column(&layer, &c); i++)
        sum += within_limit(left_before(emitter, spacing, c.delay, t), i, n, limit);
    return (uint64_t)fmin(sum, COUNT_MAX);
}

uint32_t emitter_pending(const EmitterDef *emitter, float spacing, double t0, double t1)
{
    uint64_t n =
        emitter_total_particles(emitter, spacing, t1) - emitter_total_particles(emitter, spacing, t0);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

// s: until what starts at rest has fallen half a spacing.
static float fall_time(float spacing, Vec3 gravity)
{
    return sqrtf(spacing / fmaxf(vec3_length(gravity), 1e-20f));
}

static float half_width(const EmitterDef *emitter)
{
    return emitter->disc ? emitter->radius : 0.5f * hypotf(emitter->width, emitter->height);
}

// How fast its edge goes out at most, of the nozzle's speed.
#define WIDENING_MOST 0.25f

// 1/s: a stream that gravity slows down gets wider by as much as its layers come closer. Particles that keep
// their nozzle's motion would be compressed, and burst where that lets them go. Streams wider than they
// rise have another shape: WIDENING_MOST keeps them together.
static float widening_rate(const EmitterDef *emitter, Vec3 direction, Vec3 gravity)
{
    float rate = 0.5f * fmaxf(-vec3_dot(direction, gravity), 0.0f) / emitter->speed;
    return fminf(rate, WIDENING_MOST * emitter->speed / half_width(emitter));
}

// Of the time in which what starts at rest falls half a spacing.
#define FREE_FALL 0.25f

// s: how long particles keep their nozzle's motion after they pass it: until they are `reach` from it, but
// not so long that they fall far meanwhile. Water around them may carry them.
static float hold_time(const EmitterDef *emitter, float spacing, float reach, Vec3 gravity)
{
    return fminf(reach / emitter->speed, FREE_FALL * fall_time(spacing, gravity));
}

uint32_t emitter_emit(const EmitterDef *emitter, float spacing, float reach, Vec3 gravity, double t0,
                      double t1, const EmittedPoints *out)
{
    Mat3 rotation = mat3_from_euler_degrees(emitter->rotation);
    Vec3 direction = mat3_apply(rotation, vec3_make(0.0f, 0.0f, 1.0f));
    float widening = widening_rate(emitter, direction, gravity);
    float hold = hold_time(emitter, spacing, reach, gravity);
    double limit = volume_limit(emitter, spacing);
    uint32_t n = emitter_layer_particles(emitter, spacing), i = 0, count = 0;
    Layer layer = layer_of(emitter, spacing);
    for (Column c; next_column(&layer, &c); i++) {
        double k = within_limit(left_before(emitter, spacing, c.delay, t0), i, n, limit);
        double last = within_limit(left_before(emitter, spacing, c.delay, t1), i, n, limit);
        for (; k < last; k++, count++) {
            // Starts behind the nozzle, just so far that it passes the nozzle at its time.
            double wait = emitter->start + (k + c.delay) * period(emitter, spacing) - t0;
            Vec3 at = mat3_apply(rotation, vec3_make(c.x, c.y, -emitter->speed * (float)wait));
            Vec3 aside = mat3_apply(rotation, vec3_make(widening * c.x, widening * c.y, 0.0f));
            out->position[count] = vec3_add(emitter->position, at);
            out->velocity[count] = vec3_add(vec3_scale(direction, emitter->speed), aside);
            out->release[count] = (float)(t0 + wait + (double)hold);
        }
    }
    return count;
}

// Spacings to either side of a nozzle.
#define MOUTH_DEPTH 1.5f

EmitterMouth emitter_mouth(const EmitterDef *emitter, float spacing)
{
    return (EmitterMouth){
        .turn = mat3_from_euler_degrees(emitter->rotation),
        .position = emitter->position,
        .half = {half_x(emitter) + spacing, half_y(emitter) + spacing, MOUTH_DEPTH * spacing},
        .disc = emitter->disc,
        .speed = emitter->speed};
}

bool emitter_at_mouth(const EmitterMouth *mouth, Vec3 position)
{
    Vec3 at = mat3_apply_transposed(mouth->turn, vec3_sub(position, mouth->position)), half = mouth->half;
    if (fabsf(at.z) > half.z) return false;
    if (mouth->disc) return at.x * at.x + at.y * at.y <= half.x * half.x;
    return fabsf(at.x) <= half.x && fabsf(at.y) <= half.y;
}

bool emitter_blows(const EmitterDef *emitter, float spacing, double t0, double t1)
{
    return emitter_pending(emitter, spacing, t0 - period(emitter, spacing), t1) > 0;
}

bool drain_removes(const DrainDef *drain, Vec3 position, double t)
{
    if (t < drain->start || t > drain->stop) return false;
    Vec3 d = vec3_sub(position, drain->position);
    bool inside = drain->sphere ? vec3_dot(d, d) <= drain->radius * drain->radius
                                : fabsf(d.x) <= drain->half_extent.x && fabsf(d.y) <= drain->half_extent.y &&
                                      fabsf(d.z) <= drain->half_extent.z;
    return inside != drain->outside;
}

// The part of the stream that is shown, in radii of the nozzle.
#define STREAM_LENGTH 6.0f

Box3 emitter_bounds(const EmitterDef *emitter)
{
    float radius = half_width(emitter);
    Vec3 reach = vec3_make(radius, radius, radius), from = emitter->position;
    Vec3 direction = mat3_apply(mat3_from_euler_degrees(emitter->rotation), vec3_make(0.0f, 0.0f, 1.0f));
    Vec3 to = vec3_add(from, vec3_scale(direction, STREAM_LENGTH * radius));
    return (Box3){vec3_sub(vec3_min(from, to), reach), vec3_add(vec3_max(from, to), reach)};
}
