#include "strand/strand_water.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"

#include <string.h>

#define GRAIN 1024u
#define NODES_MAX 4000000.0 // wider cells from there on
#define CHUNKS 8u           // that sums are made in, whatever the threads
#define NODES_OF_CHUNKS 300000u

// What is summed at a node.
typedef enum NodeValue {
    NODE_MASS,                     // kg, of water
    NODE_MOMENTUM,                 // kg m/s, of water
    NODE_PUSH = NODE_MOMENTUM + 3, // kg m/s, that pressure gave to water in this step
    NODE_VALUES = NODE_PUSH + 3,
} NodeValue;

// Alone at the nodes, before the water's step.
#define NODE_VOLUME 0 // m^3, of strands

typedef struct Weights {
    uint32_t node[8];
    float weight[8];
} Weights;

// The nodes around a place; false where they are not all in the grid.
static bool weights_at(const StrandExchange *grid, Vec3 at, Weights *out)
{
    const float place[3] = {(at.x - grid->lo.x) / grid->edge, (at.y - grid->lo.y) / grid->edge,
                            (at.z - grid->lo.z) / grid->edge};
    uint32_t cell[3];
    float part[3];
    for (int axis = 0; axis < 3; axis++) {
        if (!(place[axis] >= 0.0f && place[axis] < (float)(grid->size[axis] - 1))) return false;
        cell[axis] = (uint32_t)place[axis];
        part[axis] = place[axis] - (float)cell[axis];
    }
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        out->node[k] = ((cell[2] + z) * grid->size[1] + cell[1] + y) * grid->size[0] + cell[0] + x;
        out->weight[k] =
            (x ? part[0] : 1.0f - part[0]) * (y ? part[1] : 1.0f - part[1]) * (z ? part[2] : 1.0f - part[2]);
    }
    return true;
}

static uint32_t node_count(const StrandExchange *grid)
{
    return grid->size[0] * grid->size[1] * grid->size[2];
}

void strand_exchange_free(StrandExchange *exchange)
{
    memory_free(exchange->near);
    memory_free(exchange->filled);
    memory_free(exchange->kick);
    memory_free(exchange->given);
    memory_free(exchange->before);
    memory_free(exchange->nodes);
    *exchange = (StrandExchange){0};
}

Result strand_exchange_reserve(StrandExchange *grid, const Strands *strands, uint32_t water, float spacing)
{
    Box3 box = strands_bounds(strands);
    Vec3 size = vec3_sub(box.hi, box.lo);
    double nodes = (size.x / spacing + 4.0) * (size.y / spacing + 4.0) * (size.z / spacing + 4.0);
    grid->edge = spacing * (float)fmax(1.0, cbrt(nodes / NODES_MAX));
    grid->lo = vec3_sub(box.lo, vec3_make(1.5f * grid->edge, 1.5f * grid->edge, 1.5f * grid->edge));
    const float lengths[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) grid->size[axis] = (uint32_t)(lengths[axis] / grid->edge) + 5;
    grid->chunks = node_count(grid) <= NODES_OF_CHUNKS ? CHUNKS : 1;
    size_t numbers = (size_t)node_count(grid) * NODE_VALUES * (grid->chunks + 1);
    TRY(MEMORY_RESERVE(grid->nodes, grid->nodes_capacity, 0, numbers, "water at strands"));
    TRY(MEMORY_RESERVE(grid->near, grid->near_capacity, 0, water, "water at strands"));
    TRY(MEMORY_RESERVE(grid->filled, grid->filled_capacity, 0, water, "water at strands"));
    TRY(MEMORY_RESERVE(grid->before, grid->before_capacity, 0, water, "water at strands"));
    TRY(MEMORY_RESERVE(grid->kick, grid->kick_capacity, 0, strands->particle_count, "water at strands"));
    return MEMORY_RESERVE(grid->given, grid->given_capacity, 0, strands->particle_count, "water at strands");
}

typedef struct ExchangeJob {
    StrandExchange *grid;
    const Strands *strands;
    const StrandWater *water;
    uint32_t items, values; // that are summed at nodes
    // Values of an item and where it is.
    Vec3 (*item)(const struct ExchangeJob *job, uint32_t item, float values[NODE_VALUES]);
    Vec3 gravity;
    float dt;
} ExchangeJob;

// The values of node n, of the sums in all chunks.
static float *node_at(const StrandExchange *grid, uint32_t node)
{
    return grid->nodes + (size_t)node * NODE_VALUES;
}

static void scatter_chunk(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    for (uint32_t chunk = begin; chunk < end; chunk++) {
        float *sums = grid->nodes + (size_t)(chunk + 1) * node_count(grid) * NODE_VALUES, values[NODE_VALUES];
        memset(sums, 0, (size_t)node_count(grid) * job->values * sizeof *sums);
        uint32_t first = (uint32_t)((uint64_t)job->items * chunk / grid->chunks);
        uint32_t last = (uint32_t)((uint64_t)job->items * (chunk + 1) / grid->chunks);
        for (uint32_t k = first; k < last; k++) {
            Weights w;
            if (!weights_at(grid, job->item(job, k, values), &w)) continue;
            for (int n = 0; n < 8; n++) {
                for (uint32_t v = 0; v < job->values; v++)
                    sums[(size_t)w.node[n] * job->values + v] += w.weight[n] * values[v];
            }
        }
    }
}

static void add_chunks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    size_t all = (size_t)node_count(grid) * NODE_VALUES;
    for (uint32_t node = begin; node < end; node++) {
        for (uint32_t v = 0; v < job->values; v++) {
            float sum = 0.0f;
            for (uint32_t chunk = 1; chunk <= grid->chunks; chunk++)
                sum += grid->nodes[chunk * all + (size_t)node * job->values + v];
            node_at(grid, node)[v] = sum;
        }
    }
}

// Sums values of items at the nodes, in chunks that do not depend on the threads.
static void scatter(ExchangeJob *job, uint32_t items, uint32_t values,
                    Vec3 (*item)(const ExchangeJob *job, uint32_t item, float values[NODE_VALUES]))
{
    job->items = items;
    job->values = values;
    job->item = item;
    parallel_for(job->grid->chunks, 1, scatter_chunk, job);
    parallel_for(node_count(job->grid), 16 * GRAIN, add_chunks, job);
}

static Vec3 water_at(const StrandWater *water, uint32_t i)
{
    return vec3_make(water->x[i], water->y[i], water->z[i]);
}

static Vec3 water_velocity(const StrandWater *water, uint32_t i)
{
    return vec3_make(water->vx[i], water->vy[i], water->vz[i]);
}

// --- before the water's step ---

// m^3, of a particle of a strand.
static float volume_of(const Strands *strands, uint32_t particle)
{
    uint32_t strand = strands->strand_of[particle];
    return strands->mass[strand] / strand_def(strands, strand)->density;
}

static Vec3 strand_volume(const ExchangeJob *job, uint32_t particle, float values[NODE_VALUES])
{
    values[0] = volume_of(job->strands, particle);
    return job->strands->x[particle];
}

static void find_filled(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    float inverse = 1.0f / (grid->edge * grid->edge * grid->edge);
    for (uint32_t i = begin; i < end; i++) {
        float sum = 0.0f;
        Weights w;
        bool inside = weights_at(grid, water_at(job->water, i), &w);
        for (int n = 0; n < 8 && inside; n++) sum += w.weight[n] * node_at(grid, w.node[n])[NODE_VOLUME];
        grid->filled[i] = sum * inverse;
    }
}

void strand_exchange_begin(StrandExchange *grid, const Strands *strands, const StrandWater *water)
{
    ExchangeJob job = {.grid = grid, .strands = strands, .water = water};
    scatter(&job, strands->particle_count, 1, strand_volume);
    parallel_for(water->count, GRAIN, find_filled, &job);
    grid->near_count = 0;
    for (uint32_t i = 0; i < water->count; i++) {
        if (grid->filled[i] <= 0.0f) continue;
        grid->before[grid->near_count] = water_velocity(water, i);
        grid->near[grid->near_count++] = i;
    }
}

// --- after it ---

static Vec3 near_water(const ExchangeJob *job, uint32_t k, float values[NODE_VALUES])
{
    uint32_t i = job->grid->near[k];
    const StrandWater *water = job->water;
    float mass = water->rest_density * water->spacing * water->spacing * water->spacing;
    Vec3 v = water_velocity(water, i), push = vec3_sub(v, job->grid->before[k]);
    const float all[NODE_VALUES] = {mass,          mass * v.x,    mass * v.y,   mass * v.z,
                                    mass * push.x, mass * push.y, mass * push.z};
    memcpy(values, all, sizeof all);
    return water_at(water, i);
}

// m/s, and the mass (kg) of the water that it comes from, each node as the strand is near it.
static Vec3 kick_of(const ExchangeJob *job, uint32_t particle, float *mass)
{
    const StrandExchange *grid = job->grid;
    const Strands *strands = job->strands;
    uint32_t strand = strands->strand_of[particle];
    const StrandDef *def = strand_def(strands, strand);
    float sums[NODE_VALUES] = {0};
    Weights w;
    bool free_to_move = strands->inverse_mass[particle] > 0.0f;
    if (!free_to_move || !weights_at(grid, strands->x[particle], &w)) return vec3_make(0, 0, 0);
    for (int n = 0; n < 8; n++) {
        for (int v = 0; v < NODE_VALUES; v++) sums[v] += w.weight[n] * node_at(grid, w.node[n])[v];
    }
    if (!(sums[NODE_MASS] > 0.0f)) return vec3_make(0, 0, 0);
    *mass = sums[NODE_MASS];
    float inverse = 1.0f / sums[NODE_MASS];
    float cover = sums[NODE_MASS] / (job->water->rest_density * grid->edge * grid->edge * grid->edge);
    Vec3 flow =
        vec3_scale(vec3_make(sums[NODE_MOMENTUM], sums[NODE_MOMENTUM + 1], sums[NODE_MOMENTUM + 2]), inverse);
    Vec3 push = vec3_scale(vec3_make(sums[NODE_PUSH], sums[NODE_PUSH + 1], sums[NODE_PUSH + 2]), inverse);
    Vec3 kick = vec3_scale(push, cover * job->water->rest_density / def->density);
    Vec3 falling = vec3_add(strands->v[particle], vec3_add(vec3_scale(job->gravity, job->dt), kick));
    float share = 1.0f - expf(-cover * job->dt / def->drag_time);
    return vec3_add(kick, vec3_scale(vec3_sub(flow, falling), share));
}

static void find_kicks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    for (uint32_t i = begin; i < end; i++) {
        float cover_mass = 0.0f;
        Vec3 kick = kick_of(job, i, &cover_mass);
        float mass = job->strands->mass[job->strands->strand_of[i]];
        job->grid->kick[i] = kick;
        job->grid->given[i] = vec3_scale(kick, cover_mass > 0.0f ? mass / cover_mass : 0.0f);
    }
}

// Nodes share an impulse as they share the water around the strand, so that their mass cancels.
static Vec3 strand_given(const ExchangeJob *job, uint32_t particle, float values[NODE_VALUES])
{
    Vec3 given = job->grid->given[particle];
    values[0] = given.x, values[1] = given.y, values[2] = given.z;
    return job->strands->x[particle];
}

static void take_from_water(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandWater *water = job->water;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = job->grid->near[k];
        Weights w;
        if (!weights_at(job->grid, water_at(water, i), &w)) continue;
        for (int n = 0; n < 8; n++) {
            const float *given = node_at(job->grid, w.node[n]);
            water->vx[i] -= w.weight[n] * given[0];
            water->vy[i] -= w.weight[n] * given[1];
            water->vz[i] -= w.weight[n] * given[2];
        }
    }
}

void strand_exchange_end(StrandExchange *grid, const Strands *strands, const StrandWater *water, Vec3 gravity,
                         double dt)
{
    ExchangeJob job = {.grid = grid, .strands = strands, .water = water, .gravity = gravity, .dt = (float)dt};
    scatter(&job, grid->near_count, NODE_VALUES, near_water);
    parallel_for(strands->particle_count, GRAIN, find_kicks, &job);
    scatter(&job, strands->particle_count, 3, strand_given);
    parallel_for(grid->near_count, GRAIN, take_from_water, &job);
}
