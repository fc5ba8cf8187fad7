#include "fluid/particles.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096u
// Every stream once, so that growing and freeing cannot forget one.
#define STREAM_COUNT (PARTICLE_STREAM_COUNT + 14)
static void list_streams(Particles *p, void **streams[])
{
    void **scratch[] = {(void **)&p->px,       (void **)&p->py,      (void **)&p->pz,
                        (void **)&p->qx,       (void **)&p->qy,      (void **)&p->qz,
                        (void **)&p->volume,   (void **)&p->lambda,  (void **)&p->curl_x,
                        (void **)&p->curl_y,   (void **)&p->curl_z,  (void **)&p->normal_x,
                        (void **)&p->normal_y, (void **)&p->normal_z};
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) streams[s] = &p->stream[s];
    memcpy(streams + PARTICLE_STREAM_COUNT, scratch, sizeof scratch);
}

uint64_t particles_bytes_each(void)
{
    return STREAM_COUNT * sizeof(float) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)) * 9 / 8;
}

Result particles_reserve(Particles *particles, uint32_t capacity)
{
    if (capacity <= particles->capacity) return result_ok();
    // Vectors reach beyond the last particle: what is there has to be a number, if only to be multiplied by
    // 0.
    capacity = (capacity + LANES - 1) / LANES * LANES;
    void **streams[STREAM_COUNT];
    list_streams(particles, streams);
    void *grown[STREAM_COUNT];
    for (int s = 0; s < STREAM_COUNT; s++) {
        grown[s] = memory_allocate_zeroed((size_t)capacity * sizeof(float));
        if (!grown[s]) {
            while (s-- > 0) memory_free(grown[s]);
            return result_no_memory("particles", capacity * particles_bytes_each());
        }
    }
    for (int s = 0; s < STREAM_COUNT; s++) {
        if (particles->count) memcpy(grown[s], *streams[s], particles->count * sizeof(float));
        memory_free(*streams[s]);
        *streams[s] = grown[s];
    }
    particles->capacity = capacity;
    return result_ok();
}

void particles_free(Particles *particles)
{
    void **streams[STREAM_COUNT];
    list_streams(particles, streams);
    for (int s = 0; s < STREAM_COUNT; s++) memory_free(*streams[s]);
    sort_buffers_free(&particles->sort);
    memory_free(particles->bounds);
    *particles = (Particles){0};
}

typedef struct PredictJob {
    Particles *p;
    float dt;
    Vec3 gravity;
    PointOrder point_order;
    PointCell *lo, *hi; // of each block
    PointKeys keys;
    uint64_t removed_key; // behind all others
    ParticleFilter *removed;
    const void *context;
    const uint32_t *order;
} PredictJob;

static Vec3 predicted_velocity(const PredictJob *job, uint32_t i)
{
    const Particles *p = job->p;
    return vec3_add(vec3_make(p->vx[i], p->vy[i], p->vz[i]), vec3_scale(job->gravity, job->dt));
}

static PointCell predicted_cell(const PredictJob *job, uint32_t i)
{
    const Particles *p = job->p;
    Vec3 x = {p->x[i], p->y[i], p->z[i]};
    Vec3 next = vec3_add(x, vec3_scale(predicted_velocity(job, i), job->dt));
    return point_order_cell(&job->point_order, next.x, next.y, next.z);
}

// The range of the predicted positions of a block along one axis; all numbers if one is not finite. push:
// what velocities gain.
static void bound_axis(const float *x, const float *v, float push, float dt, uint32_t begin, uint32_t end,
                       float bounds[2])
{
    Lanes low = lanes_set(INFINITY), high = lanes_set(-INFINITY), zeros = lanes_set(0.0f);
    for (uint32_t i = begin; i < end; i += LANES) {
        // The last vector of all starts earlier, so that it holds particles only.
        uint32_t at = end - i >= LANES ? i : end - begin >= LANES ? end - LANES : i;
        Lanes speed = lanes_add(lanes_load(v + at), lanes_set(push));
        Lanes next = lanes_add(lanes_load(x + at), lanes_mul(speed, lanes_set(dt)));
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
    const Particles *p = job->p;
    Vec3 push = vec3_scale(job->gravity, job->dt);
    float x[2], y[2], z[2];
    bound_axis(p->x, p->vx, push.x, job->dt, begin, end, x);
    bound_axis(p->y, p->vy, push.y, job->dt, begin, end, y);
    bound_axis(p->z, p->vz, push.z, job->dt, begin, end, z);
    job->lo[begin / GRAIN] = point_order_cell(&job->point_order, x[0], y[0], z[0]);
    job->hi[begin / GRAIN] = point_order_cell(&job->point_order, x[1], y[1], z[1]);
}

static void write_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const Particles *p = job->p;
    for (uint32_t i = begin; i < end; i++) {
        bool removed = job->removed && job->removed(vec3_make(p->x[i], p->y[i], p->z[i]), job->context);
        p->sort.keys[0][i] = removed ? job->removed_key : point_key(&job->keys, predicted_cell(job, i));
    }
}

// Finds the range of cells, so that keys have no more digits than they need.
static void make_keys(PredictJob *job)
{
    uint32_t count = job->p->count;
    if (count == 0) return;
    parallel_for(count, GRAIN, bound_cells, job);
    PointCell lo = job->lo[0], hi = job->hi[0];
    for (uint32_t block = 1; block < (count - 1) / GRAIN + 1; block++) {
        for (int axis = 0; axis < 3; axis++) {
            int32_t low = job->lo[block].at[axis], high = job->hi[block].at[axis];
            lo.at[axis] = low < lo.at[axis] ? low : lo.at[axis];
            hi.at[axis] = high > hi.at[axis] ? high : hi.at[axis];
        }
    }
    job->keys = point_keys_between(&job->point_order, lo, hi);
    job->removed_key = UINT64_C(1) << job->keys.total; // three times 21 bits at most
    parallel_for(count, GRAIN, write_keys, job);
}

// Gathers the persistent streams into spare ones, and predicts on the way.
static void gather(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const Particles *p = job->p;
    uint32_t *id = (uint32_t *)(void *)p->normal_y;
    for (uint32_t to = begin; to < end; to++) {
        uint32_t i = job->order[to];
        Vec3 v = predicted_velocity(job, i);
        p->qx[to] = p->x[i];
        p->qy[to] = p->y[i];
        p->qz[to] = p->z[i];
        p->curl_x[to] = v.x;
        p->curl_y[to] = v.y;
        p->curl_z[to] = v.z;
        p->normal_x[to] = p->birth[i];
        p->normal_z[to] = p->lambda_sum[i];
        id[to] = p->id[i];
        p->px[to] = p->x[i] + v.x * job->dt;
        p->py[to] = p->y[i] + v.y * job->dt;
        p->pz[to] = p->z[i] + v.z * job->dt;
    }
}

static void swap_streams(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

Result particles_predict(Particles *particles, float dt, Vec3 gravity, PointOrder order,
                         ParticleFilter *removed, const void *context)
{
    Particles *p = particles;
    TRY(sort_buffers_reserve(&p->sort, p->count));
    TRY(memory_reserve((void **)&p->bounds, &p->bounds_capacity, 0, 2 * ((size_t)p->count / GRAIN + 1),
                       sizeof *p->bounds, "particles"));
    PredictJob job = {.p = p,
                      .dt = dt,
                      .gravity = gravity,
                      .point_order = order,
                      .lo = p->bounds,
                      .hi = p->bounds + p->count / GRAIN + 1,
                      .removed = removed,
                      .context = context};
    make_keys(&job);
    sort_order(&p->sort, p->count, &job.order);
    while (p->count > 0 && removed && p->sort.keys[0][p->count - 1] == job.removed_key) p->count--;
    parallel_for(p->count, GRAIN, gather, &job);
    swap_streams(&p->x, &p->qx);
    swap_streams(&p->y, &p->qy);
    swap_streams(&p->z, &p->qz);
    swap_streams(&p->vx, &p->curl_x);
    swap_streams(&p->vy, &p->curl_y);
    swap_streams(&p->vz, &p->curl_z);
    swap_streams(&p->birth, &p->normal_x);
    swap_streams(&p->lambda_sum, &p->normal_z);
    float *id = (float *)(void *)p->id;
    swap_streams(&id, &p->normal_y);
    p->id = (uint32_t *)(void *)id;
    return result_ok();
}

void particles_pad(Particles *particles)
{
    for (uint32_t i = particles->count; i % LANES != 0; i++)
        particles->px[i] = particles->py[i] = particles->pz[i] = NEIGHBOR_FAR;
}
