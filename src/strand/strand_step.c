// A step of the strands.
#include "core/cpu.h"
#include "core/parallel.h"
#include "strand/strand_lengths.h"

#define GRAIN 16u
#define ITERATIONS 3 // of contacts and lengths in turn
// Searches for strands that would pass through each other; after the last those stay as they were.
#define ROUNDS 3u
// Newton steps of a strand's lengths in an iteration at most, and the error that needs none.
#define NEWTON_STEPS 6
#define STRETCH 5e-6

typedef struct StepJob {
    Strands *strands;
    const StrandStep *step;
} StepJob;

static StrandLengthsKernel *lengths_kernel(void)
{
    switch (cpu_level()) {
#if defined(__x86_64__)
    case CPU_AVX512:
        return strand_lengths_avx512;
    case CPU_AVX2:
        return strand_lengths_avx2;
#endif
    default:
        return strand_lengths_plain;
    }
}

// Leaves strands restless that are not as long as they should be even so.
static void keep_lengths(Strands *strands, StrandBunch *bunch, uint32_t worker)
{
    if (bunch->count == 0) return;
    uint32_t bits = lengths_kernel()(bunch, NEWTON_STEPS, STRETCH, &strands->lengths[worker]);
    for (uint32_t n = 0; n < bunch->count; n++) strands->restless[bunch->strand[n]] = bits >> n & 1u;
    bunch->count = 0;
}

static bool are_alike(const StrandLine *a, const StrandLine *b)
{
    return a->count == b->count && a->held_first == b->held_first && a->held_last == b->held_last;
}

// Strands wait until there are enough that are alike. bend: see StrandBunch.
static void add_to_bunch(Strands *strands, StrandBunch *bunch, uint32_t strand, double bend, uint32_t worker)
{
    StrandLine line = strand_line(strands, strand);
    if (bunch->count == STRANDS_AT_ONCE || (bunch->count > 0 && !are_alike(&bunch->line[0], &line)))
        keep_lengths(strands, bunch, worker);
    bunch->line[bunch->count] = line;
    bunch->bend[bunch->count] = bend;
    bunch->strand[bunch->count++] = strand;
}

static double bend_of(const Strands *strands, uint32_t strand, double dt)
{
    double l = (double)strands->segment[strand], stiffness = (double)strand_def(strands, strand)->stiffness;
    return 4.0 * stiffness / (l * l * l) * dt * dt / (double)strands->mass[strand];
}

static Vec3 accelerated(const StepJob *job, uint32_t i, float kept)
{
    Vec3 v = vec3_add(job->strands->v[i], vec3_scale(job->step->gravity, (float)job->step->dt));
    if (job->step->kick) v = vec3_add(v, job->step->kick[i]);
    return vec3_scale(v, kept);
}

// Where motion and bending alone take strands, and what is in their way.
static void predict(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    Strands *strands = job->strands;
    float dt = (float)job->step->dt;
    StrandBunch bunch = {.count = 0};
    for (uint32_t k = begin; k < end; k++) {
        const StrandDef *def = strand_def(strands, k);
        float kept = expf(-def->damping * dt);
        for (uint32_t i = strands->first[k]; i < strands->first[k + 1]; i++) {
            strands->next_v[i] = accelerated(job, i, kept);
            strands->way[i] = strands->free_way[i] = vec3_scale(strands->next_v[i], dt);
        }
        strand_hold(strands, k, job->step->obstacles);
        add_to_bunch(strands, &bunch, k, bend_of(strands, k, job->step->dt), worker);
    }
    keep_lengths(strands, &bunch, worker);
    if (job->step->lengths_only) return;
    for (uint32_t k = begin; k < end; k++) strand_find_planes(strands, k, job->step);
}

static void constrain(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    StrandBunch bunch = {.count = 0};
    for (uint32_t k = begin; k < end; k++) {
        bool moved = !job->step->lengths_only && strand_apply_planes(job->strands, k, job->step);
        if (moved || job->strands->restless[k]) add_to_bunch(job->strands, &bunch, k, 0.0, worker);
    }
    keep_lengths(job->strands, &bunch, worker);
}

// Of what the guard has changed.
static void mend_lengths(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    StrandBunch bunch = {.count = 0};
    for (uint32_t k = begin; k < end; k++) {
        if (job->strands->restless[k]) add_to_bunch(job->strands, &bunch, k, 0.0, worker);
    }
    keep_lengths(job->strands, &bunch, worker);
}

// What constraints moved is added to the velocity without them, as the fluid's steps do.
static void gain_speed(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const StepJob *job = context;
    Strands *strands = job->strands;
    float inverse = (float)(1.0 / job->step->dt);
    for (uint32_t i = begin; i < end; i++) {
        Vec3 moved = vec3_sub(strands->way[i], strands->free_way[i]);
        strands->v[i] = vec3_add(strands->next_v[i], vec3_scale(moved, inverse));
    }
}

static void arrive(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const StepJob *job = context;
    for (uint32_t i = begin; i < end; i++) job->strands->x[i] = strand_end(job->strands, i);
}

static Result check_finite(const Strands *strands)
{
    for (uint32_t i = 0; i < strands->particle_count; i++) {
        Vec3 x = strands->x[i];
        if (!isfinite(x.x + x.y + x.z))
            return result_error(RESULT_FAILED, "strand %u is not finite (a smaller solver.time_step)",
                                strands->strand_of[i]);
    }
    return result_ok();
}

static Result guard(StepJob *job)
{
    bool cut = true;
    for (uint32_t round = 0; cut && round < ROUNDS; round++) {
        bool still = round + 1 == ROUNDS;
        TRY(strand_pairs_guard(job->strands, job->step, round, still, &cut));
        if (cut && !still) parallel_for(job->strands->strand_count, GRAIN, mend_lengths, job);
    }
    return result_ok();
}

Result strands_step(Strands *strands, const StrandStep *step)
{
    StepJob job = {strands, step};
    bool contacts = strands->pairs && !step->lengths_only;
    TRY(strands_reserve(strands));
    parallel_for(strands->strand_count, GRAIN, predict, &job);
    if (contacts) TRY(strand_pairs_find(strands));
    for (int k = 0; k < ITERATIONS; k++) {
        if (contacts) strand_pairs_apply(strands);
        parallel_for(strands->strand_count, GRAIN, constrain, &job);
    }
    parallel_for(strands->particle_count, 64 * GRAIN, gain_speed, &job);
    if (contacts) TRY(guard(&job));
    parallel_for(strands->particle_count, 64 * GRAIN, arrive, &job);
    return check_finite(strands);
}
