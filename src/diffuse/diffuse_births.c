// Births: how many the potentials ask for, and where those that are born start.
#include "core/memory.h"
#include "core/parallel.h"
#include "diffuse/diffuse_state.h"

#include <math.h>

#define GRAIN 4096u
#define PI 3.14159265f

uint64_t diffuse_memory_estimate(const DiffuseDef *def, uint64_t particles, double seconds)
{
    double rate = (double)def->trapped_air_rate + (double)def->wave_crest_rate;
    double born = fmin((double)def->max, ceil(rate * seconds * (double)particles));
    // Sorted copies of the water with its velocities, and at most eight cells a particle to sort it by.
    uint64_t field = (6 * sizeof(float) + 10 * sizeof(uint32_t)) * particles;
    return (uint64_t)born * DIFFUSE_BYTES + field;
}

Result diffuse_prepare(Diffuse *diffuse, uint32_t particles)
{
    size_t blocks = particles / GRAIN + 1;
    TRY(MEMORY_RESERVE(diffuse->sums, diffuse->sums_capacity, 0, blocks, "whitewater"));
    TRY(MEMORY_RESERVE(diffuse->begins, diffuse->begins_capacity, 0, blocks, "whitewater"));
    return velocity_field_reserve(&diffuse->field, particles);
}

// --- random numbers ---

// Number `draw` of the particle with this id in this step, 0 <= u < 1: the last rounds of SplitMix64 (Steele,
// Lea and Flood 2014) over a counter, so that it depends on nothing else.
static float random_number(uint32_t id, uint64_t step, uint32_t draw)
{
    uint64_t z = step * UINT64_C(0x9e3779b97f4a7c15) + ((uint64_t)id << 32 | draw);
    for (int round = 0; round < 2; round++) {
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return (float)(z >> 40) * 0x1p-24f;
}

// --- how many ---

typedef struct BirthJob {
    Diffuse *diffuse;
    const DiffuseStep *step;
    const FrameView *view;
    double share; // of what is asked for that there is room for
} BirthJob;

// Phi of eq. 1: from 0 at range[0] to 1 at range[1].
static float clamp_share(float value, const float range[2])
{
    return (fminf(value, range[1]) - fminf(value, range[0])) / (range[1] - range[0]);
}

// The energy's potential of a particle of water.
static float energy_of(const BirthJob *job, uint32_t i)
{
    const FrameView *v = job->view;
    const DiffuseDef *def = &job->diffuse->def;
    float energy = 0.5f * (v->vx[i] * v->vx[i] + v->vy[i] * v->vy[i] + v->vz[i] * v->vz[i]);
    return clamp_share(energy / (def->speed * def->speed), def->energy);
}

// Births that a particle of water is asked for in the step (eq. 9).
static float expected_of(const BirthJob *job, uint32_t i)
{
    const FrameView *v = job->view;
    const DiffuseDef *def = &job->diffuse->def;
    if (v->trapped_air[i] == 0.0f && v->wave_crest[i] == 0.0f) return 0.0f;
    float air = clamp_share(v->trapped_air[i] / def->speed, def->trapped_air);
    float crest = clamp_share(v->wave_crest[i], def->wave_crest);
    float rate = def->trapped_air_rate * air + def->wave_crest_rate * crest;
    return energy_of(job, i) * rate * (float)job->step->dt;
}

static void sum_expected(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const BirthJob *job = context;
    double sum = 0.0;
    for (uint32_t i = begin; i < end; i++) sum += (double)expected_of(job, i);
    job->diffuse->sums[begin / GRAIN] = sum;
}

double diffuse_expect(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view)
{
    BirthJob job = {.diffuse = diffuse, .step = step, .view = view};
    double sum = 0.0;
    parallel_for(view->count, GRAIN, sum_expected, &job);
    for (uint32_t k = 0; k * GRAIN < view->count; k++) sum += diffuse->sums[k];
    diffuse->particles.totals.expected += sum;
    return sum;
}

// The whole number of births whose mean is what is asked for.
static uint32_t births_of(const BirthJob *job, uint32_t i)
{
    double expected = job->share * (double)expected_of(job, i);
    if (expected == 0.0) return 0;
    return (uint32_t)(expected + (double)random_number(job->view->id[i], job->step->number, 0));
}

// --- where ---

enum { DRAWS = 6 }; // random numbers of one that is born

// In the cylinder that the particle of water sweeps in the step, half a spacing wide (eq. 10), as far as
// walls and bodies let it get there.
static void place(const BirthJob *job, uint32_t i, uint32_t born, uint32_t slot)
{
    const FrameView *view = job->view;
    const DiffuseDef *def = &job->diffuse->def;
    DiffuseParticles *p = &job->diffuse->particles;
    float random[DRAWS];
    for (uint32_t k = 0; k < DRAWS; k++)
        random[k] = random_number(view->id[i], job->step->number, 1 + born * DRAWS + k);
    Vec3 x = {view->x[i], view->y[i], view->z[i]}, v = {view->vx[i], view->vy[i], view->vz[i]};
    float speed = vec3_length(v), turn = 2.0f * PI * random[1], far = sqrtf(random[0]);
    Vec3 along = vec3_normalize_or(v, vec3_make(0.0f, 0.0f, 1.0f));
    Vec3 other = fabsf(along.z) < 0.7f ? vec3_make(0.0f, 0.0f, 1.0f) : vec3_make(1.0f, 0.0f, 0.0f);
    Vec3 e1 = vec3_normalize_or(vec3_cross(along, other), other), e2 = vec3_cross(along, e1);
    Vec3 across = vec3_add(vec3_scale(e1, far * cosf(turn)), vec3_scale(e2, far * sinf(turn)));
    x = vec3_add(x, vec3_scale(across, 0.5f * view->spacing));
    x = vec3_add(x, vec3_scale(v, random[2] * (float)job->step->dt));
    v = vec3_add(v, vec3_scale(across, def->spread * speed));
    Flight flight = {.from = {view->x[i], view->y[i], view->z[i]}, .at = x, .velocity = v};
    uint32_t body[NEAR_BODIES], bodies = diffuse_bodies_near(view, flight.from, flight.at, body);
    diffuse_keep_out(view, body, bodies, &flight);
    p->x[slot] = flight.at.x, p->y[slot] = flight.at.y, p->z[slot] = flight.at.z;
    p->vx[slot] = flight.velocity.x, p->vy[slot] = flight.velocity.y, p->vz[slot] = flight.velocity.z;
    p->age[slot] = 0.0f;
    p->life[slot] = def->lifetime[0] + (def->lifetime[1] - def->lifetime[0]) * energy_of(job, i) * random[3];
    p->size[slot] = view->spacing * (def->size[0] + (def->size[1] - def->size[0]) * random[4]);
    p->kind[slot] = diffuse_class_of(diffuse_look(job->diffuse, view, flight.at, body, bodies).share);
}

static void count_births(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const BirthJob *job = context;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) count += births_of(job, i);
    job->diffuse->begins[begin / GRAIN] = count;
}

static void bear(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const BirthJob *job = context;
    Diffuse *diffuse = job->diffuse;
    uint32_t slot = diffuse->begins[begin / GRAIN];
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t k = births_of(job, i), born = 0; born < k && slot < diffuse->def.max; born++, slot++) {
            place(job, i, born, slot);
            diffuse->particles.id[slot] = diffuse->next_id + (slot - diffuse->particles.count);
        }
    }
}

void diffuse_bear(Diffuse *diffuse, const DiffuseStep *step, const FrameView *view, double expected)
{
    BirthJob job = {.diffuse = diffuse, .step = step, .view = view, .share = 1.0};
    uint64_t end = diffuse->particles.count;
    uint32_t room = diffuse->def.max - diffuse->particles.count;
    if (expected > (double)room) job.share = (double)room / expected;
    parallel_for(view->count, GRAIN, count_births, &job);
    for (uint32_t k = 0; k * GRAIN < view->count; k++) {
        uint32_t count = diffuse->begins[k];
        diffuse->begins[k] = end < diffuse->def.max ? (uint32_t)end : diffuse->def.max;
        end += count;
    }
    if (end > diffuse->def.max) end = diffuse->def.max;
    parallel_for(view->count, GRAIN, bear, &job);
    uint32_t born = (uint32_t)end - diffuse->particles.count;
    diffuse->next_id += born;
    diffuse->particles.totals.born += born;
    diffuse->particles.count = (uint32_t)end;
}
