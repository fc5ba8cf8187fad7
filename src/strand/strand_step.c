// A step of the strands.
#include "core/cpu.h"
#include "core/parallel.h"
#include "strand/strand_lengths.h"

#define GRAIN 16u
// Of contacts and lengths in turn.
#define ITERATIONS 3
// More of them for strands that are about to pass through each other, as long as they are.
#define CARE_ITERATIONS 8
// Strands that would fly further through each other than DEPTH_MOST of a segment move in shorter steps, as
// many as make it DEPTH.
#define DEPTH_MOST 1.0f
#define DEPTH 0.5f
#define PARTS_MAX 32u
// Newton steps of a strand's lengths in an iteration at most, and the error that needs none.
#define NEWTON_STEPS 6
#define STRETCH 5e-6

// A step, or one of the equal parts of it.
typedef struct StepJob {
    Strands *strands;
    const StrandStep *step;
    double dt;     // s, of the part
    float part;    // of what is left of the step
    float kicked;  // of the whole step
    bool contacts; // there may be some
} StepJob;

static StrandLengthsKernel *lengths_kernel(void)
{
    return CPU_VERSION(strand_lengths, cpu_level());
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

// Held particles go evenly to where they will be at the end of the step.
static void hold(const StepJob *job, uint32_t strand)
{
    Strands *strands = job->strands;
    strand_hold(strands, strand, job->step->obstacles);
    for (uint32_t i = strands->first[strand]; i < strands->first[strand + 1]; i++) {
        if (strands->inverse_mass[i] > 0.0f || job->part == 1.0f) continue;
        strands->way[i] = vec3_scale(strands->way[i], job->part);
    }
}

static Vec3 accelerated(const StepJob *job, uint32_t i, float kept)
{
    Vec3 v = vec3_add(job->strands->v[i], vec3_scale(job->step->gravity, (float)job->dt));
    if (job->step->kick) v = vec3_add(v, vec3_scale(job->step->kick[i], job->kicked));
    return vec3_scale(v, kept);
}

// Where motion and bending alone take strands, and what is in their way.
static void predict(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    Strands *strands = job->strands;
    float dt = (float)job->dt;
    StrandBunch bunch = {.count = 0};
    for (uint32_t k = begin; k < end; k++) {
        const StrandDef *def = strand_def(strands, k);
        float kept = expf(-def->damping * dt);
        for (uint32_t i = strands->first[k]; i < strands->first[k + 1]; i++) {
            strands->next_v[i] = accelerated(job, i, kept);
            strands->way[i] = strands->free_way[i] = vec3_scale(strands->next_v[i], dt);
        }
        hold(job, k);
        add_to_bunch(strands, &bunch, k, bend_of(strands, k, job->dt), worker);
    }
    keep_lengths(strands, &bunch, worker);
    if (job->step->lengths_only) return;
    for (uint32_t k = begin; k < end; k++) strand_find_planes(strands, k, job->step);
}

static void constrain(const StepJob *job, uint32_t strand, StrandBunch *bunch, uint32_t worker)
{
    Strands *strands = job->strands;
    bool moved = !job->step->lengths_only && strand_apply_planes(strands, strand, job->step);
    if (moved || strands->restless[strand]) add_to_bunch(strands, bunch, strand, 0.0, worker);
}

static void constrain_all(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    StrandBunch bunch = {.count = 0};
    for (uint32_t k = begin; k < end; k++) constrain(job, k, &bunch, worker);
    keep_lengths(job->strands, &bunch, worker);
}

// One after the other in the list, so that bunches are full.
static void constrain_listed(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const StepJob *job = context;
    StrandBunch bunch = {.count = 0};
    for (uint32_t n = begin; n < end; n++) constrain(job, job->strands->listed[n], &bunch, worker);
    keep_lengths(job->strands, &bunch, worker);
}

static void solve(StepJob *job)
{
    for (int k = 0; k < ITERATIONS; k++) {
        if (job->contacts) strand_pairs_apply(job->strands, false);
        parallel_for(job->strands->strand_count, GRAIN, constrain_all, job);
    }
}

static uint32_t list_restless(Strands *strands)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        strands->listed[count] = k;
        count += strands->restless[k];
    }
    return count;
}

// The few strands that iterations for all have not kept from passing through each other.
static void take_care(StepJob *job)
{
    Strands *strands = job->strands;
    if (!job->contacts || !strand_guard_begin(strands)) return;
    bool deep = true;
    for (int k = 0; k < CARE_ITERATIONS && deep; k++) {
        deep = strand_pairs_apply(strands, true);
        parallel_for(list_restless(strands), GRAIN, constrain_listed, job);
    }
}

// What constraints moved is added to the velocity without them, as the fluid's steps do.
static void finish(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const StepJob *job = context;
    Strands *strands = job->strands;
    float inverse = (float)(1.0 / job->dt);
    for (uint32_t i = begin; i < end; i++) {
        Vec3 moved = vec3_sub(strands->way[i], strands->free_way[i]);
        strands->v[i] = vec3_add(strands->next_v[i], vec3_scale(moved, inverse));
        strands->x[i] = strand_end(strands, i);
    }
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

// Moves strands by a step whose contacts are known.
static Result move(StepJob *job)
{
    Strands *strands = job->strands;
    solve(job);
    take_care(job);
    parallel_for(strands->particle_count, 64 * GRAIN, finish, job);
    return check_finite(strands);
}

static Result prepare(StepJob *job)
{
    parallel_for(job->strands->strand_count, GRAIN, predict, job);
    return job->contacts ? strand_pairs_find(job->strands) : result_ok();
}

Result strands_step(Strands *strands, const StrandStep *step)
{
    StepJob job = {.strands = strands,
                   .step = step,
                   .dt = step->dt,
                   .part = 1.0f,
                   .kicked = 1.0f,
                   .contacts = strands->pairs && !step->lengths_only};
    TRY(strands_reserve(strands));
    TRY(prepare(&job));
    float depth = job.contacts ? strand_pairs_depth(strands) : 0.0f;
    if (!(depth > DEPTH_MOST)) return move(&job);
    uint32_t parts = depth < DEPTH * (float)PARTS_MAX ? (uint32_t)ceilf(depth / DEPTH) : PARTS_MAX;
    job.dt = step->dt / parts;
    job.kicked = 1.0f / (float)parts;
    for (uint32_t left = parts; left > 0; left--) {
        job.part = 1.0f / (float)left;
        TRY(prepare(&job));
        TRY(move(&job));
    }
    return result_ok();
}
