#include "strand/strand_water.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"

#include <string.h>

#define GRAIN 1024u
// Of a cell, in spacings, about as wide as densities are measured. What narrower ones put into a place water
// is pushed away from on and on.
#define CELL 2.0f
// Of a place, that strands fill: water that has less room boils. A strand as thick as the spacing fills as
// much.
#define FILLED_MOST 0.2f
#define NODES_MAX 4000000.0 // wider cells from there on
#define CHUNKS 8u           // that sums are made in, whatever the threads
#define NODES_OF_CHUNKS 300000u

// What is known at a node. The exchange changes some of it in place.
typedef enum NodeValue {
    NODE_MASS,     // kg, of water
    NODE_MOMENTUM, // kg m/s, of water; at last m/s, what the exchange adds to its velocity
    NODE_PUSH =
        NODE_MOMENTUM + 3,     // kg m/s, that pressure gave to water in this step; then to each m^3 there,
    NODE_HELD = NODE_PUSH + 3, // and the part of it by which water is held up, against gravity
    NODE_VOLUME,               // m^3, of strands; then of those that are free to move
    NODE_DRAGGED,              // kg, of strands, of each as much as drag takes along; at last its share
    NODE_DRAG,                 // kg m/s, of what is dragged; at last m/s, the velocity that drag tends to
    NODE_VALUES = NODE_DRAG + 3,
} NodeValue;

#define SCATTERED_MOST 7u // values at once

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
    memory_free(exchange->before);
    memory_free(exchange->nodes);
    *exchange = (StrandExchange){0};
}

// m, of the node that is a cell below the one at or below x.
static float node_below(float x, float edge)
{
    return (floorf(x / edge) - 1.0f) * edge;
}

Result strand_exchange_reserve(StrandExchange *grid, const Strands *strands, uint32_t water, float spacing)
{
    Box3 box = strands_bounds(strands);
    Vec3 size = vec3_sub(box.hi, box.lo);
    double nodes = 1.0;
    const float lengths[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) nodes *= lengths[axis] / (CELL * spacing) + 4.0;
    grid->edge = CELL * spacing * (float)fmax(1.0, cbrt(nodes / NODES_MAX));
    // Nodes stay where they are as strands move, so that what they fill does not jump.
    grid->lo = vec3_make(node_below(box.lo.x, grid->edge), node_below(box.lo.y, grid->edge),
                         node_below(box.lo.z, grid->edge));
    for (int axis = 0; axis < 3; axis++) grid->size[axis] = (uint32_t)(lengths[axis] / grid->edge) + 5;
    grid->chunks = node_count(grid) <= NODES_OF_CHUNKS ? CHUNKS : 1;
    size_t numbers = (size_t)node_count(grid) * (NODE_VALUES + SCATTERED_MOST * grid->chunks);
    TRY(MEMORY_RESERVE(grid->nodes, grid->nodes_capacity, 0, numbers, "water at strands"));
    TRY(MEMORY_RESERVE(grid->near, grid->near_capacity, 0, water, "water at strands"));
    TRY(MEMORY_RESERVE(grid->filled, grid->filled_capacity, 0, water, "water at strands"));
    TRY(MEMORY_RESERVE(grid->before, grid->before_capacity, 0, water, "water at strands"));
    return MEMORY_RESERVE(grid->kick, grid->kick_capacity, 0, strands->particle_count, "water at strands");
}

typedef struct ExchangeJob {
    StrandExchange *grid;
    const Strands *strands;
    const StrandWater *water;
    uint32_t items;
    NodeValue first; // of the values that are summed at nodes
    uint32_t values;
    // Values of an item and where it is.
    Vec3 (*item)(const struct ExchangeJob *job, uint32_t item, float values[SCATTERED_MOST]);
    Vec3 gravity, up; // up: of length 1, against gravity; 0 without
    float dt;
} ExchangeJob;

// The values of node n, of the sums in all chunks.
static float *node_at(const StrandExchange *grid, uint32_t node)
{
    return grid->nodes + (size_t)node * NODE_VALUES;
}

static float *sums_of(const StrandExchange *grid, uint32_t chunk)
{
    return grid->nodes + (size_t)node_count(grid) * (NODE_VALUES + (size_t)SCATTERED_MOST * chunk);
}

static void scatter_chunk(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    for (uint32_t chunk = begin; chunk < end; chunk++) {
        float *sums = sums_of(grid, chunk), values[SCATTERED_MOST];
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
    for (uint32_t node = begin; node < end; node++) {
        for (uint32_t v = 0; v < job->values; v++) {
            float sum = 0.0f;
            for (uint32_t chunk = 0; chunk < grid->chunks; chunk++)
                sum += sums_of(grid, chunk)[(size_t)node * job->values + v];
            node_at(grid, node)[job->first + v] = sum;
        }
    }
}

// Sums values of items at the nodes, from the first value on, in chunks that do not depend on the threads.
static void scatter(ExchangeJob *job, uint32_t items, NodeValue first, uint32_t values,
                    Vec3 (*item)(const ExchangeJob *job, uint32_t item, float values[SCATTERED_MOST]))
{
    job->items = items;
    job->first = first;
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

static Vec3 strand_volume(const ExchangeJob *job, uint32_t particle, float values[SCATTERED_MOST])
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
        grid->filled[i] = fminf(sum * inverse, FILLED_MOST);
    }
}

void strand_exchange_begin(StrandExchange *grid, const Strands *strands, const StrandWater *water)
{
    ExchangeJob job = {.grid = grid, .strands = strands, .water = water};
    scatter(&job, strands->particle_count, NODE_VOLUME, 1, strand_volume);
    parallel_for(water->count, GRAIN, find_filled, &job);
    grid->near_count = 0;
    for (uint32_t i = 0; i < water->count; i++) {
        if (grid->filled[i] <= 0.0f) continue;
        grid->before[grid->near_count] = water_velocity(water, i);
        grid->near[grid->near_count++] = i;
    }
}

// --- after it ---

static Vec3 node_vector(const StrandExchange *grid, uint32_t node, NodeValue first)
{
    const float *value = node_at(grid, node) + first;
    return vec3_make(value[0], value[1], value[2]);
}

static void set_vector(const StrandExchange *grid, uint32_t node, NodeValue first, Vec3 to)
{
    float *value = node_at(grid, node) + first;
    value[0] = to.x, value[1] = to.y, value[2] = to.z;
}

static Vec3 near_water(const ExchangeJob *job, uint32_t k, float values[SCATTERED_MOST])
{
    uint32_t i = job->grid->near[k];
    const StrandWater *water = job->water;
    float mass = water->rest_density * water->spacing * water->spacing * water->spacing;
    Vec3 v = water_velocity(water, i), push = vec3_sub(v, job->grid->before[k]);
    const float all[SCATTERED_MOST] = {mass,          mass * v.x,    mass * v.y,   mass * v.z,
                                       mass * push.x, mass * push.y, mass * push.z};
    memcpy(values, all, sizeof all);
    return water_at(water, i);
}

// kg m/s, the part of a push by which water is held up, but for no more than its weight.
static float held_up(const ExchangeJob *job, const float *node, Vec3 push)
{
    float least = 0.0f, most = node[NODE_MASS] * vec3_length(job->gravity) * job->dt;
    return fminf(fmaxf(vec3_dot(push, job->up), least), most);
}

// Pressure acts on all the volume at a node. What holds water up holds up what is in it as much; of what
// else there is strands have their part, and water the rest.
static void share_push(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    float cell = grid->edge * grid->edge * grid->edge, density = job->water->rest_density;
    for (uint32_t n = begin; n < end; n++) {
        float *node = node_at(grid, n), volume = node[NODE_MASS] / density + node[NODE_VOLUME];
        Vec3 push = node_vector(grid, n, NODE_PUSH);
        float held = held_up(job, node, push), whole = fmaxf(volume, cell);
        Vec3 other = vec3_scale(vec3_sub(push, vec3_scale(job->up, held)), 1.0f / whole);
        node[NODE_HELD] = node[NODE_MASS] > 0.0f ? held / node[NODE_MASS] * density * volume / whole : 0.0f;
        set_vector(grid, n, NODE_PUSH, vec3_add(other, vec3_scale(job->up, node[NODE_HELD])));
    }
}

static bool is_free(const Strands *strands, uint32_t particle)
{
    return strands->inverse_mass[particle] > 0.0f;
}

// m/s, of a strand's particle, what it gets from pressure.
static void find_pushes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const Strands *strands = job->strands;
    for (uint32_t i = begin; i < end; i++) {
        Vec3 sum = vec3_make(0, 0, 0);
        Weights w;
        bool inside = is_free(strands, i) && weights_at(job->grid, strands->x[i], &w);
        for (int n = 0; n < 8 && inside; n++)
            sum = vec3_add(sum, vec3_scale(node_vector(job->grid, w.node[n], NODE_PUSH), w.weight[n]));
        job->grid->kick[i] = vec3_scale(sum, 1.0f / strand_def(strands, strands->strand_of[i])->density);
    }
}

// m/s, of a strand's particle, without drag.
static Vec3 falling(const ExchangeJob *job, uint32_t particle)
{
    Vec3 gained = vec3_add(vec3_scale(job->gravity, job->dt), job->grid->kick[particle]);
    return vec3_add(job->strands->v[particle], gained);
}

// By how much of its difference from the water's velocity drag changes that of a strand's particle where
// water is all around: the implicit Euler method.
static float drag_share(const ExchangeJob *job, uint32_t particle)
{
    const Strands *strands = job->strands;
    return job->dt / (job->dt + strand_def(strands, strands->strand_of[particle])->drag_time);
}

static Vec3 strand_dragged(const ExchangeJob *job, uint32_t particle, float values[SCATTERED_MOST])
{
    const Strands *strands = job->strands;
    bool moves = is_free(strands, particle);
    float mass = strands->mass[strands->strand_of[particle]] * drag_share(job, particle);
    Vec3 momentum = vec3_scale(falling(job, particle), mass);
    const float all[] = {volume_of(strands, particle), mass, momentum.x, momentum.y, momentum.z};
    for (int v = 0; v < 5; v++) values[v] = moves ? all[v] : 0.0f;
    return strands->x[particle];
}

// Water gives what pressure does to strands, but for what holds them up, which comes from where the water
// stands on. It goes on with what drag takes along at a common velocity: nothing is brought further than
// there, so that drag never adds energy.
static void solve_nodes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    float full = job->water->rest_density * grid->edge * grid->edge * grid->edge;
    for (uint32_t n = begin; n < end; n++) {
        float *node = node_at(grid, n), mass = node[NODE_MASS], cover = fminf(mass / full, 1.0f);
        Vec3 momentum = node_vector(grid, n, NODE_MOMENTUM), zero = vec3_make(0, 0, 0);
        Vec3 given = vec3_sub(node_vector(grid, n, NODE_PUSH), vec3_scale(job->up, node[NODE_HELD]));
        Vec3 left = vec3_sub(momentum, vec3_scale(given, node[NODE_VOLUME]));
        Vec3 all = vec3_add(left, vec3_scale(node_vector(grid, n, NODE_DRAG), cover));
        Vec3 common = mass > 0.0f ? vec3_scale(all, 1.0f / (mass + cover * node[NODE_DRAGGED])) : zero;
        Vec3 gained = mass > 0.0f ? vec3_sub(common, vec3_scale(momentum, 1.0f / mass)) : zero;
        set_vector(grid, n, NODE_MOMENTUM, gained);
        set_vector(grid, n, NODE_DRAG, common);
        node[NODE_DRAGGED] = cover;
    }
}

static void add_drag(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandExchange *grid = job->grid;
    for (uint32_t i = begin; i < end; i++) {
        Vec3 own = falling(job, i), sum = vec3_make(0, 0, 0);
        Weights w;
        if (!is_free(job->strands, i) || !weights_at(grid, job->strands->x[i], &w)) continue;
        for (int n = 0; n < 8; n++) {
            float weight = w.weight[n] * node_at(grid, w.node[n])[NODE_DRAGGED];
            sum = vec3_add(sum, vec3_scale(vec3_sub(node_vector(grid, w.node[n], NODE_DRAG), own), weight));
        }
        grid->kick[i] = vec3_add(grid->kick[i], vec3_scale(sum, drag_share(job, i)));
    }
}

static void add_to_water(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ExchangeJob *job = context;
    const StrandWater *water = job->water;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = job->grid->near[k];
        Weights w;
        if (!weights_at(job->grid, water_at(water, i), &w)) continue;
        for (int n = 0; n < 8; n++) {
            Vec3 gained = node_vector(job->grid, w.node[n], NODE_MOMENTUM);
            water->vx[i] += w.weight[n] * gained.x;
            water->vy[i] += w.weight[n] * gained.y;
            water->vz[i] += w.weight[n] * gained.z;
        }
    }
}

void strand_exchange_end(StrandExchange *grid, const Strands *strands, const StrandWater *water, Vec3 gravity,
                         double dt)
{
    ExchangeJob job = {.grid = grid,
                       .strands = strands,
                       .water = water,
                       .gravity = gravity,
                       .up = vec3_normalize_or(vec3_scale(gravity, -1.0f), vec3_make(0, 0, 0)),
                       .dt = (float)dt};
    scatter(&job, grid->near_count, NODE_MASS, 7, near_water);
    parallel_for(node_count(grid), 16 * GRAIN, share_push, &job);
    parallel_for(strands->particle_count, GRAIN, find_pushes, &job);
    scatter(&job, strands->particle_count, NODE_VOLUME, 5, strand_dragged);
    parallel_for(node_count(grid), 16 * GRAIN, solve_nodes, &job);
    parallel_for(strands->particle_count, GRAIN, add_drag, &job);
    parallel_for(grid->near_count, GRAIN, add_to_water, &job);
}
