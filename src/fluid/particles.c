#include "fluid/particles.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096u
// Keys hold 21 bits an axis; cells further out than that share the outermost one. Only memory order suffers.
#define CELL_BITS 21
#define CELL_LIMIT ((1 << (CELL_BITS - 1)) - 1)
#define KEY_REMOVED UINT64_MAX

// Every stream once, so that growing and freeing cannot forget one.
#define STREAM_COUNT 24
static void list_streams(Particles *p, void **streams[])
{
    void **all[] = {
        (void **)&p->x,        (void **)&p->y,        (void **)&p->z,        (void **)&p->vx,
        (void **)&p->vy,       (void **)&p->vz,       (void **)&p->birth,    (void **)&p->id,
        (void **)&p->px,       (void **)&p->py,       (void **)&p->pz,       (void **)&p->qx,
        (void **)&p->qy,       (void **)&p->qz,       (void **)&p->density,  (void **)&p->lambda,
        (void **)&p->curl_x,   (void **)&p->curl_y,   (void **)&p->curl_z,   (void **)&p->curl,
        (void **)&p->normal_x, (void **)&p->normal_y, (void **)&p->normal_z, (void **)&p->neighbors};
    memcpy(streams, all, sizeof all);
}

uint64_t particles_bytes_each(void)
{
    return STREAM_COUNT * sizeof(float) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)) * 9 / 8;
}

Result particles_reserve(Particles *particles, uint32_t capacity)
{
    if (capacity <= particles->capacity) return result_ok();
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
    *particles = (Particles){0};
}

typedef struct PredictJob {
    Particles *p;
    float dt;
    double inv_cell; // double, as the neighbor searches count cells: rows then ascend by themselves
    Vec3 gravity;
    ParticleFilter *removed;
    const void *context;
    const uint32_t *order;
} PredictJob;

static Vec3 predicted_velocity(const PredictJob *job, uint32_t i)
{
    const Particles *p = job->p;
    return vec3_add(vec3_make(p->vx[i], p->vy[i], p->vz[i]), vec3_scale(job->gravity, job->dt));
}

static uint64_t cell_coordinate(float position, double inv_cell)
{
    double cell = floor((double)position * inv_cell);
    if (!(cell > -CELL_LIMIT)) cell = -CELL_LIMIT; // also catches NaN; the step reports it later
    if (cell > CELL_LIMIT) cell = CELL_LIMIT;
    return (uint64_t)((int32_t)cell + CELL_LIMIT);
}

static void write_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PredictJob *job = context;
    const Particles *p = job->p;
    for (uint32_t i = begin; i < end; i++) {
        Vec3 x = {p->x[i], p->y[i], p->z[i]};
        Vec3 next = vec3_add(x, vec3_scale(predicted_velocity(job, i), job->dt));
        uint64_t key = cell_coordinate(next.z, job->inv_cell) << 2 * CELL_BITS |
                       cell_coordinate(next.y, job->inv_cell) << CELL_BITS |
                       cell_coordinate(next.x, job->inv_cell);
        p->sort.keys[0][i] = job->removed && job->removed(x, job->context) ? KEY_REMOVED : key;
    }
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

Result particles_predict(Particles *particles, float dt, Vec3 gravity, float cell, ParticleFilter *removed,
                         const void *context)
{
    Particles *p = particles;
    TRY(sort_buffers_reserve(&p->sort, p->count));
    PredictJob job = {p, dt, 1.0 / (double)cell, gravity, removed, context, NULL};
    parallel_for(p->count, GRAIN, write_keys, &job);
    sort_order(&p->sort, p->count, &job.order);
    while (p->count > 0 && p->sort.keys[0][p->count - 1] == KEY_REMOVED) p->count--;
    parallel_for(p->count, GRAIN, gather, &job);
    swap_streams(&p->x, &p->qx);
    swap_streams(&p->y, &p->qy);
    swap_streams(&p->z, &p->qz);
    swap_streams(&p->vx, &p->curl_x);
    swap_streams(&p->vy, &p->curl_y);
    swap_streams(&p->vz, &p->curl_z);
    swap_streams(&p->birth, &p->normal_x);
    float *id = (float *)(void *)p->id;
    swap_streams(&id, &p->normal_y);
    p->id = (uint32_t *)(void *)id;
    return result_ok();
}
