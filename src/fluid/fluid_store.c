// A fluid's state as blocks of numbers, and back. Obstacles and emitters need none: where they are is a
// function of time, and of the ways that bodies were sent on.
#include "fluid/fluid_state.h"
#include "fluid/steer_run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PARTICLES_MAX INT32_MAX
#define TIME_MAX 1e9 // s
// Single numbers, once for writing, reading and checking.
#define AT(member) offsetof(struct Fluid, member)
static const struct Single {
    const char *name;
    BlockType type;
    size_t offset;
    enum {
        PLAIN,
        BOUNDED,  // has to be a number from 0 to TIME_MAX
        OPTIONAL, // older states have none
    } kind;
} singles[] = {
    {"time", BLOCK_DOUBLE, AT(time), BOUNDED},
    {"step_begin", BLOCK_DOUBLE, AT(step_begin), BOUNDED},
    {"step", BLOCK_UINT64, AT(report.step), PLAIN},
    {"next_id", BLOCK_UINT32, AT(next_id), PLAIN},
    {"step_speed_max", BLOCK_DOUBLE, AT(speed_max), BOUNDED},
    {"depth", BLOCK_DOUBLE, AT(depth), BOUNDED},
    {"report.time", BLOCK_DOUBLE, AT(report.time), PLAIN},
    {"report.dt", BLOCK_DOUBLE, AT(report.dt), BOUNDED},
    {"report.particles", BLOCK_UINT32, AT(report.particles), PLAIN},
    {"report.error_mean", BLOCK_DOUBLE, AT(report.density_error_mean), PLAIN},
    {"report.error_max", BLOCK_DOUBLE, AT(report.density_error_max), PLAIN},
    {"report.speed_max", BLOCK_DOUBLE, AT(report.speed_max), PLAIN},
    {"report.iterations", BLOCK_UINT32, AT(report.iterations), OPTIONAL},
};
#define SINGLE_COUNT (sizeof singles / sizeof *singles)

// Stored once a body was moved.
#define BODY_SHIFTS "body_shifts"
// Stored between fluid_settle and the first step; its number means nothing.
#define SETTLED "settled"

static uint64_t shift_floats(const Fluid *fluid)
{
    return obstacles_count(fluid->obstacles) * BODY_SHIFT_FLOATS;
}

void fluid_store(const Fluid *fluid, StateBlocks *blocks)
{
    const Particles *p = fluid_particles(fluid);
    for (size_t k = 0; k < SINGLE_COUNT; k++)
        blocks_add(blocks, singles[k].name, singles[k].type, 1, (const char *)fluid + singles[k].offset);
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        BlockType type = particle_stream(k, &name)->type;
        blocks_add(blocks, name, type, p->count, p->stream[k]);
    }
    spins_store(&fluid->spins, blocks);
    if (fluid->settled && fluid->report.step == 0)
        blocks_add(blocks, SETTLED, BLOCK_UINT32, 1, &fluid->next_id);
    if (fluid->shifts) blocks_add(blocks, BODY_SHIFTS, BLOCK_FLOAT, shift_floats(fluid), fluid->shifts);
    if (fluid->strands) strands_store(fluid->strands, blocks);
    // What the state means to those who do not read the scene.
    blocks_add(blocks, "spacing", BLOCK_FLOAT, 1, &fluid->def.spacing);
    blocks_add(blocks, "origin", BLOCK_FLOAT, 3, &fluid->def.origin);
    if (fluid->follower.store) fluid->follower.store(fluid->follower.self, blocks);
}

// What is optional and missing stays as it is.
static Result copy_single(const struct Single *single, const StateBlocks *blocks, void *out)
{
    if (single->kind == OPTIONAL && !blocks_find(blocks, single->name, single->type)) return result_ok();
    return blocks_copy(blocks, single->name, single->type, 1, out);
}

static Result not_finite(const char *name, double value)
{
    return result_error(RESULT_USAGE, "%s: value %g is out of range for a stored state", name, value);
}

// The checksum says that the bytes are those that were written, not that a fluid wrote them.
static Result check_numbers(const Fluid *fluid)
{
    const Particles *p = &fluid->particles;
    for (size_t k = 0; k < SINGLE_COUNT; k++) {
        if (singles[k].kind != BOUNDED) continue;
        double value = *(const double *)((const char *)fluid + singles[k].offset);
        if (!(value >= 0 && value <= TIME_MAX)) return not_finite(singles[k].name, value);
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

// Puts the bodies where they were, and where they are now.
static Result restore_bodies(Fluid *fluid, const StateBlocks *blocks)
{
    uint32_t count = obstacles_count(fluid->obstacles);
    bool shifted = blocks_find(blocks, BODY_SHIFTS, BLOCK_FLOAT);
    if (shifted) {
        TRY(steer_reserve(fluid));
        TRY(blocks_copy(blocks, BODY_SHIFTS, BLOCK_FLOAT, shift_floats(fluid), fluid->shifts));
        const float *numbers = (const float *)fluid->shifts;
        for (uint64_t k = 0; k < shift_floats(fluid); k++) {
            if (!isfinite(numbers[k])) return not_finite(BODY_SHIFTS, (double)numbers[k]);
        }
    } else if (fluid->shifts) {
        memset(fluid->shifts, 0, count * sizeof *fluid->shifts);
    }
    for (uint32_t k = 0; fluid->shifts && k < count; k++)
        obstacles_set_shifts(fluid->obstacles, k, fluid->shifts[k].gone);
    return obstacles_move(fluid->obstacles, fluid->step_begin, fluid->time);
}

Result fluid_restore(Fluid *fluid, const StateBlocks *blocks)
{
    const StateBlock *x = blocks_find(blocks, "x", BLOCK_FLOAT);
    if (!x) return result_error(RESULT_USAGE, "x: missing or of another type");
    if (x->count > PARTICLES_MAX)
        return result_error(RESULT_USAGE, "x: %llu particles are too many (at most %d)",
                            (unsigned long long)x->count, PARTICLES_MAX);
    fluid->report.iterations = fluid->def.iterations;
    for (size_t k = 0; k < SINGLE_COUNT; k++)
        TRY(copy_single(&singles[k], blocks, (char *)fluid + singles[k].offset));
    fluid->counted = fluid->time;
    uint32_t count = (uint32_t)x->count;
    fluid->particles.count = 0; // what it held goes
    fluid->contacts.particles = 0;
    TRY(particles_reserve(&fluid->particles, count));
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        const ParticleAttribute *attribute = particle_stream(k, &name);
        if (attribute->optional && !blocks_find(blocks, name, attribute->type))
            memset(fluid->particles.stream[k], 0, count * sizeof(float));
        else
            TRY(blocks_copy(blocks, name, attribute->type, count, fluid->particles.stream[k]));
    }
    fluid->particles.count = count;
    TRY(check_numbers(fluid));
    if (fluid->strands) TRY(strands_restore(fluid->strands, blocks));
    TRY(spins_restore(&fluid->spins, fluid_spins(&fluid->def) ? blocks : NULL, count));
    fluid->force_count = 0;
    fluid->broken = false;
    fluid->settled = blocks_find(blocks, SETTLED, BLOCK_UINT32);
    if (fluid->follower.restore) TRY(fluid->follower.restore(fluid->follower.self, blocks));
    return restore_bodies(fluid, blocks);
}

Result fluid_view_state(const StateBlocks *blocks, const FrameView *like, FrameView *out)
{
    const StateBlock *x = blocks_find(blocks, "x", BLOCK_FLOAT);
    if (!x) return result_error(RESULT_USAGE, "x: missing or of another type");
    *out = *like;
    out->count = (uint32_t)x->count;
    out->trapped_air = out->wave_crest = NULL;
    out->diffuse = NULL;
    out->content_id = 0;
    out->report = (StepReport){.iterations = like->report.iterations};
    TRY(blocks_copy(blocks, "time", BLOCK_DOUBLE, 1, &out->time));
    for (size_t k = 0; k < SINGLE_COUNT; k++) {
        size_t place = singles[k].offset - AT(report);
        if (singles[k].offset < AT(report) || place >= sizeof out->report) continue;
        TRY(copy_single(&singles[k], blocks, (char *)&out->report + place));
    }
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        const ParticleAttribute *attribute = particle_stream(k, &name);
        const StateBlock *stream = blocks_find(blocks, name, attribute->type);
        if (!stream || stream->count != x->count)
            return result_error(RESULT_USAGE, "%s: missing or of another length", name);
        out->stream[k] = stream->data;
    }
    return result_ok();
}
