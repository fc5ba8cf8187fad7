// A fluid's state as blocks of numbers, and back. Obstacles and emitters need none: where they are is a
// function of time.
#include "fluid/fluid_state.h"

#include <math.h>
#include <stddef.h>

#define PARTICLES_MAX INT32_MAX
#define TIME_MAX 1e9 // s
// Single numbers, once for writing and reading.
#define AT(member) offsetof(struct Fluid, member)
static const struct Single {
    const char *name;
    BlockType type;
    size_t offset;
} singles[] = {
    {"time", BLOCK_DOUBLE, AT(time)},
    {"step_begin", BLOCK_DOUBLE, AT(step_begin)},
    {"step", BLOCK_UINT64, AT(report.step)},
    {"next_id", BLOCK_UINT32, AT(next_id)},
    {"step_speed_max", BLOCK_DOUBLE, AT(speed_max)},
    {"depth", BLOCK_DOUBLE, AT(depth)},
    {"report.time", BLOCK_DOUBLE, AT(report.time)},
    {"report.dt", BLOCK_DOUBLE, AT(report.dt)},
    {"report.particles", BLOCK_UINT32, AT(report.particles)},
    {"report.error_mean", BLOCK_DOUBLE, AT(report.density_error_mean)},
    {"report.error_max", BLOCK_DOUBLE, AT(report.density_error_max)},
    {"report.speed_max", BLOCK_DOUBLE, AT(report.speed_max)},
};
#define SINGLE_COUNT (sizeof singles / sizeof *singles)

void fluid_store(const Fluid *fluid, StateBlocks *blocks)
{
    for (size_t k = 0; k < SINGLE_COUNT; k++)
        blocks_add(blocks, singles[k].name, singles[k].type, 1, (const char *)fluid + singles[k].offset);
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        BlockType type = particle_stream(k, &name)->type;
        blocks_add(blocks, name, type, fluid->particles.count, fluid->particles.stream[k]);
    }
    // What the state means to those who do not read the scene.
    blocks_add(blocks, "spacing", BLOCK_FLOAT, 1, &fluid->def.spacing);
    blocks_add(blocks, "origin", BLOCK_FLOAT, 3, &fluid->def.origin);
}

static Result not_finite(const char *name, double value)
{
    return result_error(RESULT_USAGE, "%s: value %g is out of range for a stored state", name, value);
}

// The checksum says that the bytes are those that were written, not that a fluid wrote them.
static Result check_numbers(const Fluid *fluid)
{
    const Particles *p = &fluid->particles;
    const struct {
        const char *name;
        double value;
    } single[] = {{"time", fluid->time},
                  {"step_begin", fluid->step_begin},
                  {"step_speed_max", fluid->speed_max},
                  {"depth", fluid->depth},
                  {"report.dt", fluid->report.dt}};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        if (!(single[k].value >= 0 && single[k].value <= TIME_MAX))
            return not_finite(single[k].name, single[k].value);
    }
    if (fluid->step_begin > fluid->time) return not_finite("step_begin", fluid->step_begin);
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        const float *numbers = p->stream[k];
        bool exact = particle_stream(k, &name)->type != BLOCK_FLOAT;
        for (uint32_t i = 0; !exact && i < p->count; i++) {
            if (!isfinite(numbers[i])) return not_finite(name, (double)numbers[i]);
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->id[i] >= fluid->next_id)
            return result_error(RESULT_USAGE, "id: %u was never given (%u particles were made)", p->id[i],
                                fluid->next_id);
    }
    return result_ok();
}

Result fluid_restore(Fluid *fluid, const StateBlocks *blocks)
{
    CHECK(fluid->particles.count == 0);
    const StateBlock *x = blocks_find(blocks, "x", BLOCK_FLOAT);
    if (!x) return result_error(RESULT_USAGE, "x: missing or of another type");
    if (x->count > PARTICLES_MAX)
        return result_error(RESULT_USAGE, "x: %llu particles are too many (at most %d)",
                            (unsigned long long)x->count, PARTICLES_MAX);
    for (size_t k = 0; k < SINGLE_COUNT; k++)
        TRY(blocks_copy(blocks, singles[k].name, singles[k].type, 1, (char *)fluid + singles[k].offset));
    uint32_t count = (uint32_t)x->count;
    TRY(particles_reserve(&fluid->particles, count));
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        const ParticleAttribute *attribute = particle_stream(k, &name);
        if (attribute->optional && !blocks_find(blocks, name, attribute->type)) continue;
        TRY(blocks_copy(blocks, name, attribute->type, count, fluid->particles.stream[k]));
    }
    fluid->particles.count = count;
    TRY(check_numbers(fluid));
    return obstacles_move(fluid->obstacles, fluid->step_begin, fluid->time);
}
