#include "diffuse/diffuse.h"

#include "core/blocks.h"
#include "core/memory.h"
#include "diffuse/diffuse_params.h"
#include "diffuse/diffuse_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SPEED 1e-3f // m/s, in the range of whitewater.speed

DiffuseDef diffuse_def_default(void)
{
    return (DiffuseDef){
        .enabled = true,
        .trapped_air = {0.1f, 0.35f},
        .wave_crest = {0.25f, 1.0f},
        .energy = {0.05f, 0.5f},
        .trapped_air_rate = 200.0f,
        .wave_crest_rate = 800.0f,
        .lifetime = {2.0f, 5.0f},
        .size = {0.1f, 0.25f},
        .spread = 0.05f,
        .buoyancy = 2.0f,
        .drag_time = 0.025f,
        .max = 2000000,
    };
}

const char *diffuse_class_name(DiffuseClass kind)
{
    static const char *const names[DIFFUSE_CLASS_COUNT] = {"spray", "foam", "bubbles"};
    CHECK(kind < DIFFUSE_CLASS_COUNT);
    return names[kind];
}

static const char *diffuse_stream(uint32_t k, BlockType *type)
{
    static const struct {
        const char *name;
        BlockType type;
    } streams[DIFFUSE_STREAM_COUNT] = {
#define STREAM(member, type) [offsetof(DiffuseStreams, member) / sizeof(void *)] = {#member, type}
        STREAM(x, BLOCK_FLOAT),     STREAM(y, BLOCK_FLOAT),    STREAM(z, BLOCK_FLOAT),
        STREAM(vx, BLOCK_FLOAT),    STREAM(vy, BLOCK_FLOAT),   STREAM(vz, BLOCK_FLOAT),
        STREAM(age, BLOCK_FLOAT),   STREAM(life, BLOCK_FLOAT), STREAM(size, BLOCK_FLOAT),
        STREAM(kind, BLOCK_UINT32), STREAM(id, BLOCK_UINT32),
#undef STREAM
    };
    CHECK(k < DIFFUSE_STREAM_COUNT);
    *type = streams[k].type;
    return streams[k].name;
}

// Nothing is written before the first births, and what is behind `count` is never read: a system gives pages
// of large blocks as they are filled.
static Result make_streams(Diffuse *diffuse)
{
    uint32_t max = diffuse->def.max;
    diffuse->dead = memory_allocate(max);
    bool whole = diffuse->dead != NULL;
    for (int k = 0; k < DIFFUSE_STREAM_COUNT; k++) {
        diffuse->particles.stream[k] = memory_allocate((size_t)max * DIFFUSE_STREAM_BYTES);
        whole &= diffuse->particles.stream[k] != NULL;
    }
    if (whole) return result_ok();
    return result_no_memory("whitewater", (uint64_t)max * DIFFUSE_BYTES);
}

Result diffuse_create(const DiffuseDef *def, Diffuse **out)
{
    *out = NULL;
    TRY(param_check(DIFFUSE_ROWS, def));
    Diffuse *diffuse = memory_allocate_zeroed(sizeof *diffuse);
    if (!diffuse) return result_no_memory("whitewater", sizeof *diffuse);
    diffuse->def = *def;
    Result result = make_streams(diffuse);
    if (result_is_ok(&result))
        *out = diffuse;
    else
        diffuse_destroy(diffuse);
    return result;
}

void diffuse_destroy(Diffuse *diffuse)
{
    if (!diffuse) return;
    for (int k = 0; k < DIFFUSE_STREAM_COUNT; k++) memory_free(diffuse->particles.stream[k]);
    velocity_field_free(&diffuse->field);
    memory_free(diffuse->dead);
    memory_free(diffuse->sums);
    memory_free(diffuse->begins);
    memory_free(diffuse);
}

float diffuse_fall_speed(Vec3 gravity, Box3 box)
{
    Vec3 size = vec3_sub(box.hi, box.lo);
    float fall = fabsf(gravity.x) * size.x + fabsf(gravity.y) * size.y + fabsf(gravity.z) * size.z;
    return fmaxf(LEAST_SPEED, sqrtf(fall));
}

float diffuse_least_speed(const DiffuseDef *def)
{
    return def->speed * sqrtf(2.0f * def->energy[0]);
}

bool diffuse_add(Diffuse *diffuse, const DiffuseBirth *birth)
{
    DiffuseParticles *p = &diffuse->particles;
    uint32_t k = p->count;
    if (k == diffuse->def.max) return false;
    p->x[k] = birth->position.x, p->y[k] = birth->position.y, p->z[k] = birth->position.z;
    p->vx[k] = birth->velocity.x, p->vy[k] = birth->velocity.y, p->vz[k] = birth->velocity.z;
    p->age[k] = 0.0f, p->life[k] = birth->life, p->size[k] = birth->size;
    p->kind[k] = birth->kind, p->id[k] = diffuse->next_id++;
    p->of_class[birth->kind]++;
    p->count++;
    return true;
}

const DiffuseParticles *diffuse_particles(const Diffuse *diffuse)
{
    return &diffuse->particles;
}

// --- a step ---

static void count_classes(DiffuseParticles *p)
{
    memset(p->of_class, 0, sizeof p->of_class);
    for (uint32_t k = 0; k < p->count; k++) p->of_class[p->kind[k]]++;
}

void diffuse_step(Diffuse *diffuse, const DiffuseStep *step)
{
    FrameView view = fluid_view(step->fluid);
    double expected = diffuse_expect(diffuse, step, &view);
    if (diffuse->particles.count == 0 && expected == 0.0) return;
    velocity_field_build(&diffuse->field, &view);
    diffuse_move(diffuse, step, &view);
    diffuse_bear(diffuse, step, &view, expected);
    count_classes(&diffuse->particles);
}

// --- stored states ---

static void block_name(uint32_t k, char name[BLOCK_NAME_BYTES], BlockType *type)
{
    snprintf(name, BLOCK_NAME_BYTES, "diffuse.%s", diffuse_stream(k, type));
}

static void store_follower(const void *self, StateBlocks *blocks)
{
    const Diffuse *diffuse = self;
    const DiffuseParticles *p = &diffuse->particles;
    for (uint32_t k = 0; k < DIFFUSE_STREAM_COUNT; k++) {
        char name[BLOCK_NAME_BYTES];
        BlockType type;
        block_name(k, name, &type);
        blocks_add(blocks, name, type, p->count, p->stream[k]);
    }
    blocks_add(blocks, "diffuse.next_id", BLOCK_UINT32, 1, &diffuse->next_id);
    blocks_add(blocks, "diffuse.expected", BLOCK_DOUBLE, 1, &p->totals.expected);
    blocks_add(blocks, "diffuse.born", BLOCK_UINT64, 1, &p->totals.born);
}

// The checksum says that the bytes are those that were written, not that whitewater wrote them.
static Result check_state(const Diffuse *diffuse)
{
    const DiffuseParticles *p = &diffuse->particles;
    for (uint32_t k = 0; k < DIFFUSE_STREAM_COUNT; k++) {
        BlockType type;
        const char *name = diffuse_stream(k, &type);
        const float *numbers = p->stream[k];
        for (uint32_t i = 0; i < p->count && type == BLOCK_FLOAT; i++) {
            if (!isfinite(numbers[i]))
                return result_error(RESULT_USAGE, "diffuse.%s: a number is not finite", name);
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->kind[i] >= DIFFUSE_CLASS_COUNT || !(p->size[i] >= 0.0f) || p->id[i] >= diffuse->next_id)
            return result_error(RESULT_USAGE, "diffuse: particle %u is not one of whitewater", i);
    }
    return result_ok();
}

static Result restore_follower(void *self, const StateBlocks *blocks)
{
    Diffuse *diffuse = self;
    DiffuseParticles *p = &diffuse->particles;
    const StateBlock *x = blocks_find(blocks, "diffuse.x", BLOCK_FLOAT);
    p->count = diffuse->next_id = 0;
    p->totals = (DiffuseTotals){0};
    count_classes(p);
    if (!x) return result_ok();
    if (x->count > diffuse->def.max)
        return result_error(RESULT_USAGE, "whitewater.max: the state has %llu of them, the scene at most %u",
                            (unsigned long long)x->count, diffuse->def.max);
    for (uint32_t k = 0; k < DIFFUSE_STREAM_COUNT; k++) {
        char name[BLOCK_NAME_BYTES];
        BlockType type;
        block_name(k, name, &type);
        TRY(blocks_copy(blocks, name, type, x->count, p->stream[k]));
    }
    TRY(blocks_copy(blocks, "diffuse.next_id", BLOCK_UINT32, 1, &diffuse->next_id));
    TRY(blocks_copy(blocks, "diffuse.expected", BLOCK_DOUBLE, 1, &p->totals.expected));
    TRY(blocks_copy(blocks, "diffuse.born", BLOCK_UINT64, 1, &p->totals.born));
    p->count = (uint32_t)x->count;
    TRY(check_state(diffuse));
    count_classes(p);
    return result_ok();
}

// --- beside a fluid ---

static Result prepare_follower(void *self, uint32_t particles)
{
    return diffuse_prepare(self, particles);
}

static void step_follower(void *self, const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    diffuse_step(self, &(DiffuseStep){fluid, view.report.dt, view.report.step});
}

static void show_follower(const void *self, FrameView *view)
{
    view->diffuse = diffuse_particles(self);
}

static void destroy_follower(void *self)
{
    diffuse_destroy(self);
}

Result diffuse_attach(const DiffuseDef *def, Fluid *fluid)
{
    Diffuse *diffuse;
    TRY(diffuse_create(def, &diffuse));
    fluid_measure_potentials(fluid, diffuse_least_speed(def));
    fluid_follow(fluid, (FluidFollower){diffuse, prepare_follower, step_follower, show_follower,
                                        store_follower, restore_follower, destroy_follower});
    return result_ok();
}
