#include "fluid/particles.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/share_run.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <string.h>

#define GRAIN 128u
uint64_t particles_bytes_each(void)
{
    return (PARTICLE_STREAM_COUNT + PARTICLE_SCRATCH) * sizeof(float) +
           2 * (sizeof(uint64_t) + sizeof(uint32_t)) * 9 / 8;
}

Result particles_reserve(Particles *particles, uint32_t capacity)
{
    enum { ALL = PARTICLE_STREAM_COUNT + PARTICLE_SCRATCH };
    if (capacity <= particles->capacity) return result_ok();
    CHECK(particles->capacity == 0 || particles->free_scratch == PARTICLE_SCRATCH);
    // Vectors reach beyond the last particle: what is there has to be a number, if only to be multiplied by
    // 0.
    capacity = round_up(capacity, LANES);
    void *grown[ALL];
    for (int s = 0; s < ALL; s++) {
        grown[s] = memory_allocate_zeroed((size_t)capacity * sizeof(float));
        if (!grown[s]) {
            while (s-- > 0) memory_free(grown[s]);
            return result_no_memory("particles", capacity * particles_bytes_each());
        }
    }
    for (int s = 0; s < ALL; s++) {
        bool kept = s < PARTICLE_STREAM_COUNT;
        void **stream = kept ? &particles->stream[s] : &particles->scratch[s - PARTICLE_STREAM_COUNT];
        if (kept && particles->count) memcpy(grown[s], *stream, particles->count * sizeof(float));
        memory_free(*stream);
        *stream = grown[s];
    }
    particles->free_scratch = PARTICLE_SCRATCH;
    particles->capacity = capacity;
    return result_ok();
}

Result particles_grow(Particles *particles, uint32_t capacity, float **const *names, uint32_t count)
{
    Particles *p = particles;
    uint32_t before = p->capacity, left = p->free_scratch;
    if (capacity <= before) return result_ok();
    p->free_scratch = PARTICLE_SCRATCH; // those that are leased hold NULL, which is freed in vain
    Result result = particles_reserve(p, capacity);
    if (!result_is_ok(&result)) {
        p->free_scratch = left;
        return result;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!*names[k]) continue;
        void *old = *names[k];
        *names[k] = p->scratch[--p->free_scratch];
        p->scratch[p->free_scratch] = NULL;
        memcpy(*names[k], old, before * sizeof(float));
        memory_free(old);
    }
    CHECK(p->free_scratch == left);
    return result_ok();
}

void particles_free(Particles *particles)
{
    CHECK(particles->capacity == 0 || particles->free_scratch == PARTICLE_SCRATCH);
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) memory_free(particles->stream[s]);
    for (int s = 0; s < PARTICLE_SCRATCH; s++) memory_free(particles->scratch[s]);
    sort_buffers_free(&particles->sort);
    memory_free(particles->bounds);
    *particles = (Particles){0};
}

void particles_clear(Particles *particles, FieldKey attribute)
{
    const ParticleAttribute *row = particle_attribute(attribute);
    for (uint32_t k = 0; k < row->components && particles->count > 0; k++)
        memset(particles->stream[row->stream + k], 0, particles->count * sizeof(float));
}

// --- scratch ---

// What is read before it is written, or after it was given back, spreads as NaN.
static void poison(const Particles *p, float *stream)
{
#ifdef PBF_POISON
    for (uint32_t i = 0; i < p->capacity; i++) stream[i] = NAN;
#else
    (void)p, (void)stream;
#endif
}

static void clear_behind(float *stream, uint32_t count)
{
    for (uint32_t i = count; i % LANES != 0; i++) stream[i] = 0.0f;
}

// For `count` particles. The slots behind the last, up to a whole vector, are 0: the positions out of reach
// that particles_pad left there, say, would be infinite when squared, and NaN when multiplied by a weight of
// 0.
static void *lease(Particles *p, uint32_t count)
{
    CHECK(p->free_scratch > 0 || p->capacity == 0);
    if (p->capacity == 0) return NULL; // no particle yet, and no stream
    float *stream = p->scratch[--p->free_scratch];
    p->scratch[p->free_scratch] = NULL;
    poison(p, stream);
    clear_behind(stream, count);
    return stream;
}

static void release(Particles *p, void *stream)
{
    if (!stream) return;
    CHECK(p->free_scratch < PARTICLE_SCRATCH);
    poison(p, stream);
    p->scratch[p->free_scratch++] = stream;
}

void particles_lease(Particles *particles, float **name)
{
    CHECK(!*name);
    *name = lease(particles, particles->count);
}

void particles_lease3(Particles *particles, Streams3 *name)
{
    particles_lease(particles, &name->x);
    particles_lease(particles, &name->y);
    particles_lease(particles, &name->z);
}

void particles_release(Particles *particles, float **name)
{
    release(particles, *name);
    *name = NULL;
}

void particles_release3(Particles *particles, Streams3 *name)
{
    particles_release(particles, &name->x);
    particles_release(particles, &name->y);
    particles_release(particles, &name->z);
}

// --- the start of a step ---

typedef struct PredictJob {
    const Particles *p;
    const PredictionRule *rule;
    PointCell *lo, *hi; // of each block
    PointKeys keys;
    uint64_t removed_key; // behind all others
    const uint32_t *order;
    Prediction *out;
} PredictJob;

static Vec3 predicted_velocity(const PredictionRule *rule, Vec3 x, Vec3 v)
{
    if (rule->push) v = rule->push(x, v, rule->context);
    return vec3_add(v, vec3_scale(rule->gravity, rule->dt));
}

// What a particle gains by the surface tension.
static Vec3 pulled(const PredictJob *job, uint32_t i, Vec3 v)
{
    const Particles *p = job->p;
    if (job->rule->tension == 0.0f) return v;
    Vec3 pull = {p->tension_x[i], p->tension_y[i], p->tension_z[i]};
    return vec3_add(v, vec3_scale(pull, job->rule->tension * job->rule->dt));
}

static PointCell predicted_cell(const PredictJob *job, uint32_t i)
{
    const Particles *p = job->p;
    Vec3 x = {p->x[i], p->y[i], p->z[i]}, v = {p->vx[i], p->vy[i], p->vz[i]};
    v = pulled(job, i, predicted_velocity(job->rule, x, v));
    Vec3 next = vec3_add(x, vec3_scale(v, job->rule->dt));
    return point_order_cell(&job->rule->order, next.x, next.y, next.z);
}

static void join_cells(PointCell *lo, PointCell *hi, PointCell low, PointCell high)
{
    for (int axis = 0; axis < 3; axis++) {
        lo->at[axis] = low.at[axis] < lo->at[axis] ? low.at[axis] : lo->at[axis];
        hi->at[axis] = high.at[axis] > hi->at[axis] ? high.at[axis] : hi->at[axis];
    }
}

// A coordinate of particles, and what moves it in a step.
typedef struct PredictedAxis {
    const float *x, *v, *pull; // pull: the tension's; NULL: none
    float gain, pull_dt, dt;   // gain: m/s by gravity
} PredictedAxis;

static PredictedAxis predicted_axis(const PredictJob *job, int axis)
{
    const Particles *p = job->p;
    const PredictionRule *rule = job->rule;
    const float *const x[3] = {p->x, p->y, p->z}, *const v[3] = {p->vx, p->vy, p->vz};
    const float *const pull[3] = {p->tension_x, p->tension_y, p->tension_z};
    const float gravity[3] = {rule->gravity.x, rule->gravity.y, rule->gravity.z};
    return (PredictedAxis){.x = x[axis],
                           .v = v[axis],
                           .pull = rule->tension != 0.0f ? pull[axis] : NULL,
                           .gain = gravity[axis] * rule->dt,
                           .pull_dt = rule->tension * rule->dt,
                           .dt = rule->dt};
}

// pull: of the same sixteen, read where the axis has one.
static inline Lanes predicted_speed(const PredictedAxis *axis, Lanes speed, const float *pull)
{
    speed = lanes_add(speed, lanes_set(axis->gain));
    if (!axis->pull) return speed;
    return lanes_add(speed, lanes_mul(lanes_load(pull), lanes_set(axis->pull_dt)));
}

static inline Lanes predicted_lanes(const PredictedAxis *axis, uint32_t at)
{
    Lanes speed = predicted_speed(axis, lanes_load(axis->v + at), axis->pull ? axis->pull + at : NULL);
    return lanes_add(lanes_load(axis->x + at), lanes_mul(speed, lanes_set(axis->dt)));
}

// The range of the predicted positions of a block along one axis; all numbers if one is not finite.
static void bound_axis(const PredictedAxis *axis, uint32_t begin, uint32_t end, float bounds[2])
{
    Lanes low = lanes_set(INFINITY), high = lanes_set(-INFINITY), zeros = lanes_set(0.0f);
    for (uint32_t i = begin; i < end; i += LANES) {
        // The last vector of all starts earlier, so that it holds particles only.
        uint32_t at = end - i >= LANES ? i : end - begin >= LANES ? end - LANES : i;
        Lanes next = predicted_lanes(axis, at);
        low = lanes_min(next, low);
        high = lanes_max(next, high);
        zeros = lanes_add(zeros, lanes_mul(next, lanes_set(0.0f)));
    }
    float lows[LANES], highs[LANES];
    lanes_store(lows, low);
    lanes_store(highs, high);
    bounds[0] = lows[0], bounds[1] = highs[0];
    for (uint32_t k = 1; k < LANES; k++) {
        bounds[0] = lows[k] < bounds[0] ? lows[k] : bounds[0];
        bounds[1] = highs[k] > bounds[1] ? highs[k] : bounds[1];
    }
    if (lanes_sum(zeros) != 0.0f) bounds[0] = -INFINITY, bounds[1] = INFINITY;
}

static void bound_cells(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const PredictionRule *rule = job->rule;
    PointCell *lo = &job->lo[begin / GRAIN], *hi = &job->hi[begin / GRAIN];
    if (rule->push) {
        *lo = *hi = predicted_cell(job, begin);
        for (uint32_t i = begin + 1; i < end; i++) {
            PointCell cell = predicted_cell(job, i);
            join_cells(lo, hi, cell, cell);
        }
        return;
    }
    float bounds[3][2];
    for (int axis = 0; axis < 3; axis++) {
        PredictedAxis along = predicted_axis(job, axis);
        bound_axis(&along, begin, end, bounds[axis]);
    }
    *lo = point_order_cell(&rule->order, bounds[0][0], bounds[1][0], bounds[2][0]);
    *hi = point_order_cell(&rule->order, bounds[0][1], bounds[1][1], bounds[2][1]);
}

// The cells of a block where nothing but gravity and tension acts.
static void predict_cells(const PredictJob *job, uint32_t begin, uint32_t end, PointCell cells[GRAIN])
{
    float at[3][GRAIN];
    for (int axis = 0; axis < 3; axis++) {
        PredictedAxis along = predicted_axis(job, axis);
        for (uint32_t i = begin; i < end; i += LANES)
            lanes_store(at[axis] + (i - begin), predicted_lanes(&along, i));
    }
    for (uint32_t k = 0; k < end - begin; k++)
        cells[k] = point_order_cell(&job->rule->order, at[0][k], at[1][k], at[2][k]);
}

static void write_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const PredictionRule *rule = job->rule;
    const Particles *p = job->p;
    PointKeys keys = job->keys; // for what is written might be them
    if (!rule->push && !rule->removed && end - begin == GRAIN) {
        PointCell cells[GRAIN];
        predict_cells(job, begin, end, cells);
        for (uint32_t k = 0; k < GRAIN; k++) p->sort.keys[0][begin + k] = point_key(&keys, cells[k]);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        bool removed = rule->removed && rule->removed(vec3_make(p->x[i], p->y[i], p->z[i]), rule->context);
        p->sort.keys[0][i] = removed ? job->removed_key : point_key(&keys, predicted_cell(job, i));
    }
}

// Finds the range of cells, so that keys have no more digits than they need.
static void make_keys(PredictJob *job)
{
    uint32_t count = job->p->count;
    const Share *share = job->rule->share;
    if (count == 0 && !share) return;
    parallel_for(count, GRAIN, bound_cells, job);
    PointCell lo = {{INT32_MAX, INT32_MAX, INT32_MAX}}, hi = {{INT32_MIN, INT32_MIN, INT32_MIN}};
    for (uint32_t block = 0; block < groups_of(count, GRAIN); block++)
        join_cells(&lo, &hi, job->lo[block], job->hi[block]);
    if (share) share_join_cells(share, &lo, &hi);
    if (lo.at[0] > hi.at[0]) return; // nobody has any
    job->keys = point_keys_between(&job->rule->order, lo, hi);
    job->removed_key = UINT64_C(1) << job->keys.total; // three times 21 bits at most
    parallel_for(count, GRAIN, write_keys, job);
}

// Copies numbers of four bytes of whatever type.
static void gather_stream(const void *from, const uint32_t *order, uint32_t begin, uint32_t end, void *to)
{
    for (uint32_t i = begin; i < end; i++)
        memcpy((char *)to + 4 * (size_t)i, (const char *)from + 4 * (size_t)order[i], 4);
}

// Particles i to i + 15 in the new order, where nothing but gravity and tension acts.
static void predict_sixteen(const PredictJob *job, uint32_t i)
{
    const Prediction *out = job->out;
    const float *const x[3] = {out->x, out->y, out->z};
    float *const v[3] = {out->vx, out->vy, out->vz}, *const at[3] = {out->at.x, out->at.y, out->at.z};
    for (int axis = 0; axis < 3; axis++) {
        PredictedAxis along = predicted_axis(job, axis);
        float pull[LANES];
        if (along.pull) gather_stream(along.pull, job->order + i, 0, LANES, pull);
        Lanes speed = predicted_speed(&along, lanes_load(v[axis] + i), pull);
        lanes_store(v[axis] + i, speed);
        lanes_store(at[axis] + i, lanes_add(lanes_load(x[axis] + i), lanes_mul(speed, lanes_set(along.dt))));
    }
}

static void gather(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const PredictionRule *rule = job->rule;
    Prediction *out = job->out;
    for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        if (out->stream[s]) gather_stream(job->p->stream[s], job->order, begin, end, out->stream[s]);
    }
    uint32_t i = begin;
    for (; !rule->push && i + LANES <= end; i += LANES) predict_sixteen(job, i);
    for (; i < end; i++) {
        Vec3 x = {out->x[i], out->y[i], out->z[i]}, v = {out->vx[i], out->vy[i], out->vz[i]};
        v = pulled(job, job->order[i], predicted_velocity(rule, x, v));
        out->vx[i] = v.x, out->vy[i] = v.y, out->vz[i] = v.z;
        out->at.x[i] = x.x + v.x * rule->dt;
        out->at.y[i] = x.y + v.y * rule->dt;
        out->at.z[i] = x.z + v.z * rule->dt;
    }
}

Result particles_predict(Particles *particles, const PredictionRule *rule, Prediction *out)
{
    Particles *p = particles;
    *out = (Prediction){.count = p->count};
    TRY(sort_buffers_reserve(&p->sort, p->count));
    TRY(MEMORY_RESERVE(p->bounds, p->bounds_capacity, 0, 2 * ((size_t)p->count / GRAIN + 1), "particles"));
    PredictJob job = {
        .p = p, .rule = rule, .lo = p->bounds, .hi = p->bounds + p->count / GRAIN + 1, .out = out};
    make_keys(&job);
    sort_order(&p->sort, p->count, &job.order);
    out->order = job.order;
    while (out->count > 0 && rule->removed && p->sort.keys[0][out->count - 1] == job.removed_key)
        out->count--;
    for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        const char *name;
        if (particle_stream(s, &name)->state) out->stream[s] = lease(p, out->count);
    }
    out->at = (Streams3){lease(p, out->count), lease(p, out->count), lease(p, out->count)};
    parallel_for(out->count, GRAIN, gather, &job);
    return result_ok();
}

void particles_kept_free(ParticlesKept *kept)
{
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) memory_free(kept->stream[s]);
    *kept = (ParticlesKept){0};
}

// Streams as long as the particles' own, for which they are exchanged.
static Result reserve_kept(const Particles *p, ParticlesKept *kept)
{
    if (kept->capacity == p->capacity) return result_ok();
    particles_kept_free(kept);
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        kept->stream[s] = memory_allocate_zeroed((size_t)p->capacity * sizeof(float));
        if (kept->stream[s]) continue;
        particles_kept_free(kept);
        return result_no_memory("particles", (uint64_t)p->capacity * sizeof kept->stream);
    }
    kept->capacity = p->capacity;
    return result_ok();
}

typedef struct KeepJob {
    const Particles *p;
    ParticlesKept *kept;
} KeepJob;

static void keep(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const KeepJob *job = context;
    for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        const char *name;
        const float *from = job->p->stream[s];
        float *to = job->kept->stream[s];
        if (!particle_stream(s, &name)->state)
            memcpy(to + begin, from + begin, (end - begin) * sizeof(float));
    }
}

Result particles_keep(const Particles *particles, uint32_t count, ParticlesKept *kept)
{
    TRY(reserve_kept(particles, kept));
    kept->count = count;
    parallel_for(count, GRAIN, keep, &(KeepJob){particles, kept});
    return result_ok();
}

void particles_accept(Particles *particles, Prediction *prediction, ParticlesKept *kept)
{
    for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        if (!prediction->stream[s]) continue;
        void *free = particles->stream[s];
        if (kept) {
            free = kept->stream[s];
            kept->stream[s] = particles->stream[s];
        }
        release(particles, free);
        particles->stream[s] = prediction->stream[s];
        prediction->stream[s] = NULL;
    }
    particles->count = prediction->count;
}

void particles_bring_back(Particles *particles, ParticlesKept *kept)
{
    for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        void *stream = particles->stream[s];
        particles->stream[s] = kept->stream[s];
        kept->stream[s] = stream;
    }
    particles->count = kept->count;
}

void particles_end_step(Particles *p)
{
    if (p->count == 0) return;
    clear_behind(p->x, p->count), clear_behind(p->y, p->count), clear_behind(p->z, p->count);
}

void particles_pad(Streams3 at, uint32_t count)
{
    for (uint32_t i = count; i % LANES != 0; i++) at.x[i] = at.y[i] = at.z[i] = NEIGHBOR_FAR;
}
