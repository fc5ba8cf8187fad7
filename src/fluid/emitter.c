#include "fluid/emitter_run.h"

#include "core/mat3.h"

#include <math.h>
#include <stddef.h>

// A layer is a lattice of the spacing, centred on the nozzle. Rounding up from x.499 keeps widths that are
// whole multiples of the spacing exact in float.
static uint32_t lattice_count(float extent, float spacing)
{
    double n = floor((double)extent / spacing + 0.5 - 1e-4);
    return n > 0 ? (uint32_t)n : 0;
}

// How long before its layer a column of the lattice leaves, in periods of the layers from 0 to 1. Whole
// layers would come apart as sheets where the stream gets faster.
static float column_lead(uint32_t i, uint32_t j)
{
    uint32_t h = (i * 0x9e3779b1u) ^ (j * 0x85ebca77u + 0x165667b1u);
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) / 16777216.0f;
}

// Places in the nozzle, m, with the column's lead.
static uint32_t layer_points(const EmitterDef *e, float spacing, Vec3 *out)
{
    float width = e->disc ? 2.0f * e->radius : e->width, height = e->disc ? 2.0f * e->radius : e->height;
    uint32_t nx = lattice_count(width, spacing), ny = lattice_count(height, spacing), n = 0;
    for (uint32_t j = 0; j < ny; j++) {
        for (uint32_t i = 0; i < nx; i++) {
            float u = ((float)i + 0.5f - 0.5f * (float)nx) * spacing,
                  v = ((float)j + 0.5f - 0.5f * (float)ny) * spacing;
            if (e->disc && u * u + v * v > e->radius * e->radius) continue;
            if (out) out[n] = vec3_make(u, v, column_lead(i, j));
            n++;
        }
    }
    return n;
}

uint32_t emitter_layer_particles(const EmitterDef *emitter, float spacing)
{
    return layer_points(emitter, spacing, NULL);
}

// Counting stops here: beyond what ids can tell apart, and low enough that those of many emitters add up.
#define COUNT_MAX 0x1p40

static uint64_t counted(double number)
{
    return (uint64_t)fmin(number, COUNT_MAX);
}

static uint64_t volume_limit(const EmitterDef *emitter, float spacing)
{
    return counted(floor(emitter->volume / ((double)spacing * spacing * spacing) + 0.5));
}

// Layer k leaves at start + k * spacing / speed; this many have left strictly before t.
static uint64_t layers_before(const EmitterDef *emitter, float spacing, double t)
{
    double until = t < emitter->stop ? t : emitter->stop;
    if (until <= emitter->start) return 0;
    double period = (double)spacing / emitter->speed;
    return counted(ceil((until - emitter->start) / period - 1e-9));
}

uint64_t emitter_total_particles(const EmitterDef *emitter, float spacing, double t)
{
    uint64_t layer = emitter_layer_particles(emitter, spacing), limit = volume_limit(emitter, spacing);
    uint64_t layers = layers_before(emitter, spacing, t);
    if (layer > 0 && layers > limit / layer) return limit;
    return layer * layers;
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

// s: how long a lead of 1 is. Particles that are ahead have fallen for that long.
static float lead_time(const EmitterDef *emitter, float spacing, Vec3 gravity)
{
    return fminf(spacing / emitter->speed, fall_time(spacing, gravity));
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

// s: how long particles keep their nozzle's motion after they pass it: until they are `reach` from it. Those
// that gravity draws back or aside are let go once they have fallen half a spacing: water around them may
// carry them.
static float hold_time(const EmitterDef *emitter, float spacing, float reach, Vec3 direction, Vec3 gravity)
{
    Vec3 off = vec3_sub(gravity, vec3_scale(direction, fmaxf(vec3_dot(direction, gravity), 0.0f)));
    return fminf(reach / emitter->speed, fall_time(spacing, off));
}

uint32_t emitter_emit(const EmitterDef *emitter, float spacing, float reach, Vec3 gravity, double t0,
                      double t1, Vec3 *scratch, const EmittedPoints *out)
{
    uint32_t layer = layer_points(emitter, spacing, scratch);
    Mat3 rotation = mat3_from_euler_degrees(emitter->rotation);
    Vec3 direction = mat3_apply(rotation, vec3_make(0.0f, 0.0f, 1.0f));
    float lead = lead_time(emitter, spacing, gravity), widening = widening_rate(emitter, direction, gravity);
    float hold = hold_time(emitter, spacing, reach, direction, gravity);
    uint64_t limit = volume_limit(emitter, spacing), before = emitter_total_particles(emitter, spacing, t0);
    uint32_t n = 0;
    for (uint64_t k = layers_before(emitter, spacing, t0), last = layers_before(emitter, spacing, t1);
         k < last; k++) {
        // Starts behind the nozzle, just so far that it passes the nozzle at its time.
        double leaves = emitter->start + (double)k * spacing / emitter->speed;
        float behind = emitter->speed * (float)(leaves - t0);
        for (uint32_t i = 0; i < layer && before + n < limit; i++, n++) {
            float ahead = lead * scratch[i].z;
            float along = emitter->speed * ahead - behind;
            float wider = 1.0f + widening * ahead;
            Vec3 at = vec3_make(wider * scratch[i].x, wider * scratch[i].y, along);
            Vec3 aside = vec3_make(widening * scratch[i].x, widening * scratch[i].y, 0.0f);
            Vec3 fallen = vec3_scale(gravity, 0.5f * ahead * ahead);
            out->position[n] = vec3_add(vec3_add(emitter->position, mat3_apply(rotation, at)), fallen);
            out->release[n] = (float)(t0 + (double)(hold - along / emitter->speed));
            out->velocity[n] = vec3_add(vec3_scale(direction, emitter->speed), vec3_scale(gravity, ahead));
            out->velocity[n] = vec3_add(out->velocity[n], mat3_apply(rotation, aside));
        }
    }
    return n;
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
