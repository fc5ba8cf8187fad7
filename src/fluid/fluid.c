#include "fluid/fluid.h"

#include "core/hash.h"
#include "core/memory.h"
#include "fluid/emitter_run.h"
#include "fluid/fluid_params.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <math.h>
#include <string.h>

FluidDef fluid_def_default(void)
{
    return (FluidDef){
        .spacing = 0.1f,
        .radius_factor = 2.5f,
        .rest_density = 998.0f,
        .gravity = {0.0f, 0.0f, -9.81f},
        .time_step = 0.02,
        .cfl = 0.8,
        .wave_cfl = 0.1,
        .max_substeps = 32,
        .iterations = 2,
        .divergence_iterations = 0,
        .global_pressure = true,
        .pressure_flow = true,
        .relaxation = 1.0f,
        .warm_start = 0.0f,
        .scorr_strength = 0.2f,
        .scorr_distance = 0.2f,
        .scorr_power = 4,
        .viscosity = 1e-6f,
        .xsph = 1.5f,
        .micropolar_inertia = 1.0f,
        .velocity_kernels_limit = 1.5f,
        .viscosity_error = 1e-3,
        .viscosity_iterations = 100,
        .surface_tension = 0.0728f,
        .contact_angle = 90.0f,
        .boundary = BOUNDARY_DENSITY,
        .neighbor = "cluster_grid",
    };
}

static Result check_def(const FluidDef *def)
{
    TRY(param_check(FLUID_ROWS, def));
    if (def->micropolar > 0.0f && def->angular_momentum > 0.0f)
        return result_error(RESULT_USAGE, "solver.angular_momentum: %s", FLUID_ONE_SPIN);
    if (isfinite(def->origin.x) && isfinite(def->origin.y) && isfinite(def->origin.z)) return result_ok();
    return result_error(RESULT_USAGE, "the fluid's origin is not finite");
}

static void *copy_of(const void *source, size_t bytes)
{
    void *copy = memory_allocate(bytes);
    if (copy && bytes) memcpy(copy, source, bytes);
    return copy;
}

Result fluid_create(const FluidDef *def, Obstacles *obstacles, const EmitterDef *emitters,
                    uint32_t emitter_count, const DrainDef *drains, uint32_t drain_count, Fluid **out)
{
    *out = NULL;
    TRY(check_def(def));
    if (!obstacles)
        return result_error(RESULT_USAGE, "a fluid needs obstacles (obstacles_create makes none, too)");
    Fluid *fluid = memory_allocate_zeroed(sizeof *fluid);
    if (!fluid) return result_no_memory("fluid", sizeof *fluid);
    fluid->def = *def;
    fluid->h = def->radius_factor * def->spacing;
    fluid->lattice = rest_lattice(def->spacing, fluid->h);
    fluid->tension = tension_lattice(def->spacing, fluid->h);
    fluid->potential_speed = INFINITY;
    fluid->emitters = copy_of(emitters, emitter_count * sizeof *emitters);
    fluid->emitter_count = emitter_count;
    fluid->drains = copy_of(drains, drain_count * sizeof *drains);
    fluid->drain_count = drain_count;
    Result result = result_ok();
    if (!fluid->emitters || !fluid->drains)
        result = result_no_memory("emitters and drains",
                                  emitter_count * sizeof *emitters + drain_count * sizeof *drains);
    if (result_is_ok(&result)) result = neighbor_search_create(def->neighbor, fluid->h, &fluid->search);
    if (result_is_ok(&result)) result = stretch_set(&fluid->stretch, def, fluid->h);
    if (result_is_ok(&result)) result = obstacles_set_broad_phase(obstacles, def->broad_phase);
    if (result_is_ok(&result)) result = obstacles_move(obstacles, 0.0, 0.0);
    if (!result_is_ok(&result)) {
        fluid_destroy(fluid);
        return result;
    }
    fluid->obstacles = obstacles;
    *out = fluid;
    return result_ok();
}

void fluid_take_strands(Fluid *fluid, Strands *strands)
{
    CHECK(!fluid->strands);
    fluid->strands = strands;
}

Result fluid_change(Fluid *fluid, const FluidDef *def)
{
    TRY(check_def(def));
    if (def->spacing != fluid->def.spacing || def->radius_factor != fluid->def.radius_factor)
        return result_error(RESULT_USAGE,
                            "spacing, solver.radius_factor: cannot change (the fluid keeps %g m, %g)",
                            (double)fluid->def.spacing, (double)fluid->def.radius_factor);
    if (def->broad_phase != obstacles_broad_phase(fluid->obstacles))
        TRY(obstacles_set_broad_phase(fluid->obstacles, def->broad_phase));
    bool other_search = strcmp(def->neighbor, fluid->def.neighbor) != 0;
    NeighborSearch *search = NULL;
    if (other_search) TRY(neighbor_search_create(def->neighbor, fluid->h, &search));
    if (other_search || stretch_reach(def, fluid->h) != fluid->stretch.reach) {
        Result result = stretch_set(&fluid->stretch, def, fluid->h);
        if (!result_is_ok(&result)) {
            neighbor_search_destroy(search);
            return result;
        }
    }
    if (other_search) {
        neighbor_search_destroy(fluid->search);
        fluid->search = search;
    }
    if (def->surface_tension == 0.0f) particles_clear(&fluid->particles, ATTRIBUTE_TENSION);
    if (!fluid_spins(def)) spins_free(&fluid->spins);
    Vec3 origin = fluid->def.origin;
    fluid->def = *def;
    fluid->def.origin = origin;
    return result_ok();
}

void fluid_watch(Fluid *fluid, const atomic_bool *stop)
{
    fluid->stop = stop;
}

void fluid_time_processor(Fluid *fluid)
{
    fluid->times_processor = true;
}

void fluid_destroy(Fluid *fluid)
{
    if (!fluid) return;
    share_free(fluid->share);
    if (fluid->follower.destroy) fluid->follower.destroy(fluid->follower.self);
    memory_free(fluid->trapped_air);
    memory_free(fluid->wave_crest);
    particles_free(&fluid->particles);
    contact_rows_free(&fluid->contacts);
    ghosts_free(&fluid->ghosts);
    pressure_grid_free(&fluid->pressure);
    step_undo_free(&fluid->undo);
    spins_free(&fluid->spins);
    stretch_free(&fluid->stretch);
    neighbor_search_destroy(fluid->search);
    if (fluid->obstacles) obstacles_destroy(fluid->obstacles);
    strands_destroy(fluid->strands);
    strand_exchange_free(&fluid->exchange);
    memory_free(fluid->emitters);
    memory_free(fluid->drains);
    memory_free(fluid->shifts);
    memory_free(fluid->emitted);
    memory_free(fluid->mouths);
    memory_free(fluid->scratch);
    memory_free(fluid->viscous);
    memory_free(fluid->viscous_sums);
    memory_free(fluid->swirl_sums);
    memory_free(fluid->partials);
    memory_free(fluid);
}

Result fluid_insert(Fluid *fluid, const Vec3 *positions, uint32_t count, const Vec3 *velocities,
                    uint32_t velocity_step, double birth, const float *release)
{
    Particles *p = &fluid->particles;
    if (count > UINT32_MAX / 2 - p->count || count > UINT32_MAX - fluid->next_id)
        return result_error(RESULT_FAILED, "more than %u particles were made (the limit of their ids)",
                            UINT32_MAX);
    uint32_t needed = p->count + count;
    if (needed > p->capacity) {
        // A fluid that is poured grows by an eighth at a time; one that is filled once gets what it asks for.
        uint32_t grown = p->count ? p->capacity + p->capacity / 8 : 0;
        TRY(particles_reserve(p, grown > needed ? grown : needed));
    }
    if (fluid->spins.count > 0) TRY(spins_reserve(&fluid->spins, needed, 0));
    for (int s = 0; s < PARTICLE_STREAM_COUNT && count > 0; s++)
        memset((float *)p->stream[s] + p->count, 0, count * sizeof(float));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = p->count + k;
        p->x[i] = positions[k].x;
        p->y[i] = positions[k].y;
        p->z[i] = positions[k].z;
        Vec3 velocity = velocities[k * velocity_step];
        p->vx[i] = velocity.x;
        p->vy[i] = velocity.y;
        p->vz[i] = velocity.z;
        fluid->speed_max = fmax(fluid->speed_max, vec3_length(velocity));
        if (release) p->release[i] = release[k];
        p->birth[i] = (float)birth;
        p->id[i] = fluid->next_id + k;
        p->density[i] = fluid->def.rest_density;
    }
    p->count = needed;
    fluid->next_id += count;
    return result_ok();
}

Result fluid_add(Fluid *fluid, const Vec3 *positions, uint32_t count, Vec3 velocity)
{
    fluid->settled = false;
    return fluid_insert(fluid, positions, count, &velocity, 0, fluid->time, NULL);
}

Result fluid_take(Fluid *fluid, const Vec3 *positions, const Vec3 *velocities, uint32_t count, double time)
{
    const Vec3 rest = {0};
    fluid->particles.count = fluid->next_id = 0;
    spins_cut(&fluid->spins, 0);
    fluid->settled = false;
    fluid->speed_max = 0.0;
    fluid->step_begin = fluid->time = fluid->counted = time;
    return fluid_insert(fluid, positions, count, velocities ? velocities : &rest, velocities ? 1 : 0, time,
                        NULL);
}

void fluid_measure_potentials(Fluid *fluid, float least_speed)
{
    fluid->potential_speed = least_speed;
}

void fluid_follow(Fluid *fluid, FluidFollower follower)
{
    CHECK(!fluid->follower.self);
    fluid->follower = follower;
}

const FluidDef *fluid_settings(const Fluid *fluid)
{
    return &fluid->def;
}

bool fluid_drains(const Fluid *fluid, Vec3 position)
{
    for (uint32_t k = 0; k < fluid->drain_count; k++) {
        if (drain_removes(&fluid->drains[k], position, fluid->time)) return true;
    }
    return false;
}

double fluid_time(const Fluid *fluid)
{
    return fmax(fluid->time, fluid->counted);
}

const StepReport *fluid_report(const Fluid *fluid)
{
    return &fluid->report;
}

static Box3 around_emitters(const Fluid *fluid)
{
    Box3 box = {0};
    for (uint32_t k = 0; k < fluid->emitter_count; k++) {
        Box3 one = emitter_bounds(&fluid->emitters[k]);
        box = k == 0 ? one : box3_join(box, one);
    }
    return box;
}

const Particles *fluid_particles(const Fluid *fluid)
{
    bool gathers = fluid->share && fluid->share->links->rank == 0;
    return gathers ? share_whole(fluid->share, &fluid->particles) : &fluid->particles;
}

FrameView fluid_view(const Fluid *fluid)
{
    const Particles *p = fluid_particles(fluid);
    FrameView view = {
        .time = fluid_time(fluid),
        .origin = fluid->def.origin,
        .spacing = fluid->def.spacing,
        .radius = fluid->h,
        .rest_density = fluid->def.rest_density,
        .count = p->count,
        .obstacles = fluid->obstacles,
        .strands = fluid->strands,
        .emitter_count = fluid->emitter_count,
        .emitters = around_emitters(fluid),
        .report = fluid->report,
    };
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++) view.stream[k] = p->stream[k];
    if (fluid_has_potentials(fluid))
        view.trapped_air = fluid->trapped_air, view.wave_crest = fluid->wave_crest;
    const Spins *spins = &fluid->spins;
    if (spins->count > 0 && spins->count == p->count)
        view.spin_x = spins->now.x, view.spin_y = spins->now.y, view.spin_z = spins->now.z;
    if (fluid->follower.show) fluid->follower.show(fluid->follower.self, &view);
    return view;
}

uint64_t fluid_state_hash(const Fluid *fluid)
{
    const Particles *p = fluid_particles(fluid);
    SortBuffers sort = {0};
    Result result = sort_buffers_reserve(&sort, p->count);
    if (!result_is_ok(&result)) {
        sort_buffers_free(&sort);
        return 0;
    }
    for (uint32_t i = 0; i < p->count; i++) sort.keys[0][i] = p->id[i];
    const uint32_t *order;
    sort_order(&sort, p->count, &order);
    uint64_t hash = HASH_START;
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t i = order[k];
        float state[6] = {p->x[i], p->y[i], p->z[i], p->vx[i], p->vy[i], p->vz[i]};
        hash = hash_bytes(hash, state, sizeof state);
    }
    sort_buffers_free(&sort);
    if (fluid->strands) hash = strands_hash(fluid->strands, hash);
    return hash;
}

// Bytes a particle of neighbors within a radius in spacings: a list holds what the ball holds at rest, a list
// of partner clusters 0.65 times as many entries a particle divided by four; splashes and the growth of
// buffers ask for a quarter more.
static double pair_bytes(const FluidDef *def, double radius)
{
    double entries = 4.18879 * radius * radius * radius * 1.02;
    if (neighbor_method_is_clustered(def->neighbor)) entries *= 0.65 / NEIGHBOR_CLUSTER;
    return entries * 1.25 * sizeof(uint32_t);
}

uint64_t fluid_memory_estimate(const FluidDef *def, uint64_t particles)
{
    // Offsets, contacts of the particles at walls and the search structure: about 60 bytes; the pressure
    // grid: a hundred a cell, of which water that fills a fifth of its box has one for five particles.
    double pairs = pair_bytes(def, def->radius_factor), reach = stretch_reach(def, def->radius_factor);
    if (reach > (double)def->radius_factor) pairs += STRETCH_BYTES + pair_bytes(def, reach);
    uint64_t spins = fluid_spins(def) ? SPINS_BYTES : 0;
    return particles * (particles_bytes_each() + fluid_viscosity_bytes(def) + spins + 60 + (uint64_t)pairs);
}
