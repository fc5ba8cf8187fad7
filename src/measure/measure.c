#include "measure/measure.h"

#include "core/memory.h"
#include "measure/flux.h"
#include "measure/quantities.h"
#include "measure/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 80

struct Measure {
    Fluid *fluid;
    Vec3 gravity; // m/s^2
    ProbeDef *probes;
    uint32_t probe_count, column_count;
    char (*names)[NAME_BYTES]; // of the columns
    const char **units;
    QuantityWork *quantities;
    SampleRoom *room;
    FluxTrack track;
    FluxGate *gates;
    uint32_t gate_count;
    float *pressure; // Pa, of each particle
    size_t pressure_capacity;
    // since the last row
    double elapsed;                    // s
    double (*sums)[PROBE_COLUMNS_MAX]; // of each probe: integrals over time, crossings
};

// --- making ---

static bool has_probe(const Measure *measure, ProbeKind kind)
{
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        if (measure->probes[p].kind == kind) return true;
    }
    return false;
}

static void name_columns(Measure *measure)
{
    uint32_t n = 0;
    for (; quantity_at(n); n++) {
        snprintf(measure->names[n], NAME_BYTES, "%s", quantity_at(n)->name);
        measure->units[n] = quantity_at(n)->unit;
    }
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        const ProbeDef *probe = &measure->probes[p];
        for (uint32_t c = 0; c < probe_column_count(probe->kind); c++, n++) {
            const ProbeColumn *column = &probe_kind(probe->kind)->columns[c];
            snprintf(measure->names[n], NAME_BYTES, "%s_%s", probe->name, column->suffix);
            measure->units[n] = column->unit;
        }
    }
}

static Result allocate(Measure *measure)
{
    uint32_t probes = measure->probe_count, columns = 0;
    while (quantity_at(columns)) columns++;
    for (uint32_t p = 0; p < probes; p++) columns += probe_column_count(measure->probes[p].kind);
    measure->column_count = columns;
    measure->names = memory_allocate(columns * sizeof *measure->names);
    measure->units = memory_allocate(columns * sizeof *measure->units);
    measure->sums = memory_allocate_zeroed(probes * sizeof *measure->sums);
    measure->gates = memory_allocate(probes * sizeof *measure->gates);
    if (!measure->names || !measure->units || !measure->sums || !measure->gates)
        return result_no_memory("the measurements", columns * sizeof *measure->names);
    TRY(quantities_create(&measure->quantities));
    return sample_create(&measure->room);
}

static Result start(Measure *measure, const ProbeDef *probes)
{
    size_t bytes = measure->probe_count * sizeof *probes;
    FrameView view = fluid_view(measure->fluid);
    measure->probes = memory_allocate(bytes);
    if (!measure->probes) return result_no_memory("the probes", bytes);
    if (bytes > 0) memcpy(measure->probes, probes, bytes);
    TRY(allocate(measure));
    name_columns(measure);
    fluid_measure_loads(measure->fluid, measure_needs_loads(measure));
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        if (measure->probes[p].kind == PROBE_FLUX)
            measure->gates[measure->gate_count++] =
                flux_gate(&measure->probes[p], view.origin, &measure->sums[p][0]);
    }
    return measure->gate_count > 0 ? flux_look(&measure->track, &view, NULL, 0) : result_ok();
}

Result measure_create(Fluid *fluid, Vec3 gravity, const ProbeDef *probes, uint32_t probe_count, Measure **out)
{
    Measure *measure = *out = memory_allocate_zeroed(sizeof *measure);
    if (!measure) return result_no_memory("the measurements", sizeof *measure);
    measure->fluid = fluid;
    measure->gravity = gravity;
    measure->probe_count = probe_count;
    Result result = start(measure, probes);
    if (result_is_ok(&result)) return result;
    measure_free(measure);
    *out = NULL;
    return result;
}

void measure_free(Measure *measure)
{
    if (!measure) return;
    memory_free(measure->probes);
    memory_free(measure->names);
    memory_free(measure->units);
    memory_free(measure->sums);
    memory_free(measure->gates);
    memory_free(measure->pressure);
    quantities_free(measure->quantities);
    sample_free(measure->room);
    flux_track_free(&measure->track);
    memory_free(measure);
}

uint32_t measure_column_count(const Measure *measure)
{
    return measure->column_count;
}

const char *measure_column(const Measure *measure, uint32_t k)
{
    CHECK(k < measure->column_count);
    return measure->names[k];
}

const char *measure_unit(const Measure *measure, uint32_t k)
{
    CHECK(k < measure->column_count);
    return measure->units[k];
}

void measure_set_gravity(Measure *measure, Vec3 gravity)
{
    measure->gravity = gravity;
}

bool measure_needs_loads(const Measure *measure)
{
    return has_probe(measure, PROBE_FORCE);
}

// --- steps ---

// The pressure without the weight of the water at rest above, which makes its means exact at walls, too.
// Particles beside walls carry the wall's share as well, and do not count.
static Result add_pressures(Measure *measure, const FrameView *view)
{
    Vec3 weight = vec3_scale(measure->gravity, view->rest_density);
    TRY(MEMORY_RESERVE(measure->pressure, measure->pressure_capacity, 0, view->count, "the probes"));
    frame_view_field(view, FIELD_PRESSURE, measure->pressure);
    for (uint32_t i = 0; i < view->count; i++)
        measure->pressure[i] -= vec3_dot(weight, vec3_make(view->x[i], view->y[i], view->z[i]));
    const float *const values[] = {measure->pressure};
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        const ProbeDef *probe = &measure->probes[p];
        double pressure;
        if (probe->kind != PROBE_PRESSURE) continue;
        if (!sample_point(view, probe->position, 0.5f * view->spacing, values, 1, &pressure)) continue;
        pressure += (double)vec3_dot(weight, vec3_sub(probe->position, view->origin));
        measure->sums[p][0] += pressure * view->report.dt;
    }
    return result_ok();
}

// The body that a force probe names.
static uint32_t body_of(const Obstacles *obstacles, const char *name)
{
    for (uint32_t k = 0; k < obstacles_count(obstacles); k++) {
        if (strcmp(obstacles_body(obstacles, k)->name, name) == 0) return k;
    }
    CHECK(strcmp(name, PROBE_TANK) == 0);
    return FLUID_TANK;
}

static void add_loads(Measure *measure, const FrameView *view)
{
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        if (measure->probes[p].kind != PROBE_FORCE) continue;
        uint32_t body = body_of(view->obstacles, measure->probes[p].obstacle);
        Vec3 at = body == FLUID_TANK ? vec3_make(0, 0, 0) : obstacles_pose(view->obstacles, body).position;
        double center[3] = {at.x, at.y, at.z}, *sums = measure->sums[p];
        FluidLoad load = fluid_load(measure->fluid, body);
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            sums[a] += load.impulse[a];
            sums[3 + a] += load.turn[a] - (center[b] * load.impulse[c] - center[c] * load.impulse[b]);
        }
    }
}

Result measure_step(Measure *measure)
{
    bool pressed = has_probe(measure, PROBE_PRESSURE);
    measure->elapsed += fluid_report(measure->fluid)->dt;
    if (measure->gate_count == 0 && !pressed && !measure_needs_loads(measure)) return result_ok();
    FrameView view = fluid_view(measure->fluid);
    if (measure->gate_count > 0) TRY(flux_look(&measure->track, &view, measure->gates, measure->gate_count));
    add_loads(measure, &view);
    return pressed ? add_pressures(measure, &view) : result_ok();
}

// --- rows ---

// What has been summed up, a second; 0 before the first step.
static void take_mean(Measure *measure, uint32_t p, double scale, double *out)
{
    for (uint32_t c = 0; c < probe_column_count(measure->probes[p].kind); c++) {
        out[c] = measure->elapsed > 0.0 ? scale * measure->sums[p][c] / measure->elapsed : 0.0;
        measure->sums[p][c] = 0.0;
    }
}

static Result read_probe(Measure *measure, const FrameView *view, uint32_t p, double *out)
{
    const ProbeDef *probe = &measure->probes[p];
    const float *const velocity[] = {view->vx, view->vy, view->vz};
    switch (probe->kind) {
    case PROBE_LEVEL:
        return sample_level(measure->room, view, probe->position.x, probe->position.y, out);
    case PROBE_VELOCITY:
        if (!sample_point(view, probe->position, 0.0f, velocity, 3, out)) out[0] = out[1] = out[2] = NAN;
        return result_ok();
    case PROBE_FLUX:
        take_mean(measure, p, pow((double)view->spacing, 3.0), out);
        return result_ok();
    default:
        take_mean(measure, p, 1.0, out);
        return result_ok();
    }
}

Result measure_row(Measure *measure, double *out)
{
    FrameView view = fluid_view(measure->fluid);
    FluidTotals sums;
    uint32_t n = 0;
    TRY(quantities_measure(measure->quantities, &view, measure->gravity, &sums));
    for (; quantity_at(n); n++) memcpy(&out[n], (const char *)&sums + quantity_at(n)->offset, sizeof *out);
    for (uint32_t p = 0; p < measure->probe_count; p++) {
        TRY(read_probe(measure, &view, p, out + n));
        n += probe_column_count(measure->probes[p].kind);
    }
    measure->elapsed = 0.0;
    return result_ok();
}

// --- states ---

void measure_store(const Measure *measure, StateBlocks *blocks)
{
    blocks_add(blocks, "measure.elapsed", BLOCK_DOUBLE, 1, &measure->elapsed);
    blocks_add(blocks, "measure.sums", BLOCK_DOUBLE, (uint64_t)measure->probe_count * PROBE_COLUMNS_MAX,
               measure->sums);
}

bool measure_is_stored(const StateBlocks *blocks)
{
    return blocks_find(blocks, "measure.elapsed", BLOCK_DOUBLE) != NULL;
}

void measure_restore(Measure *measure, const StateBlocks *blocks)
{
    double elapsed;
    Result result = blocks_copy(blocks, "measure.elapsed", BLOCK_DOUBLE, 1, &elapsed);
    if (!result_is_ok(&result) || !(elapsed >= 0.0)) return;
    result = blocks_copy(blocks, "measure.sums", BLOCK_DOUBLE,
                         (uint64_t)measure->probe_count * PROBE_COLUMNS_MAX, measure->sums);
    if (result_is_ok(&result)) measure->elapsed = elapsed;
}
