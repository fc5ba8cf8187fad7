#include "fluid/edit.h"

#include "core/memory.h"
#include "fluid/fluid_state.h"

#include <math.h>
#include <string.h>

#define SPEED_MAX 1000.0f // m/s, as of water in scenes
#define FAR 1e5f          // m, as of coordinates in scenes

static bool is_near(Vec3 v, float limit)
{
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit; // not so for NaN
}

static bool in_tank(const TankDef *tank, Vec3 at)
{
    const float from_face[TANK_FACE_COUNT] = {[TANK_X_LO] = at.x, [TANK_X_HI] = tank->size.x - at.x,
                                              [TANK_Y_LO] = at.y, [TANK_Y_HI] = tank->size.y - at.y,
                                              [TANK_Z_LO] = at.z, [TANK_Z_HI] = tank->size.z - at.z};
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (tank->present && !tank->open[face] && !(from_face[face] >= 0.0f)) return false;
    }
    return true;
}

static Result check_positions(const Fluid *fluid, const Vec3 *positions, uint32_t count)
{
    TankDef tank = obstacles_tank(fluid->obstacles);
    for (uint32_t k = 0; positions && k < count; k++) {
        Vec3 at = vec3_add(positions[k], fluid->def.origin);
        if (!is_near(positions[k], FAR))
            return result_error(RESULT_USAGE, "position %u is [%g, %g, %g] (finite, at most 1e5 m)", k, at.x,
                                at.y, at.z);
        if (!in_tank(&tank, positions[k]))
            return result_error(RESULT_USAGE, "position %u is [%g, %g, %g], behind a wall of the tank", k,
                                at.x, at.y, at.z);
    }
    return result_ok();
}

static Result check_velocities(const Vec3 *velocities, uint32_t count)
{
    for (uint32_t k = 0; velocities && k < count; k++) {
        Vec3 v = velocities[k];
        if (!is_near(v, SPEED_MAX) || vec3_length(v) > SPEED_MAX)
            return result_error(RESULT_USAGE, "velocity %u is [%g, %g, %g] (finite, at most %g m/s)", k, v.x,
                                v.y, v.z, SPEED_MAX);
    }
    return result_ok();
}

Result fluid_add_each(Fluid *fluid, const Vec3 *positions, const Vec3 *velocities, uint32_t count,
                      uint32_t *first_id)
{
    const Vec3 rest = {0};
    TRY(check_positions(fluid, positions, count));
    TRY(check_velocities(velocities, count));
    uint32_t first = fluid->next_id;
    fluid->settled = false;
    TRY(fluid_insert(fluid, positions, count, velocities ? velocities : &rest, velocities ? 1 : 0,
                     fluid->time, NULL));
    if (first_id) *first_id = first;
    return result_ok();
}

// --- particles by their ids ---

static Result no_particle(uint32_t id)
{
    return result_error(RESULT_USAGE, "no particle has the id %u", id);
}

// Slots by id, of all ids that were ever given; UINT32_MAX without a particle.
static Result slots_by_id(const Fluid *fluid, uint32_t **out)
{
    size_t bytes = (size_t)fluid->next_id * sizeof **out;
    *out = memory_allocate(bytes);
    if (!*out) return result_no_memory("a map of particles", bytes);
    memset(*out, 0xff, bytes);
    for (uint32_t i = 0; i < fluid->particles.count; i++) (*out)[fluid->particles.id[i]] = i;
    return result_ok();
}

// As slots_by_id, and makes sure that all of these ids are there.
static Result find_all(const Fluid *fluid, const uint32_t *ids, uint32_t count, uint32_t **out)
{
    TRY(slots_by_id(fluid, out));
    for (uint32_t k = 0; k < count; k++) {
        if (ids[k] < fluid->next_id && (*out)[ids[k]] != UINT32_MAX) continue;
        memory_free(*out);
        return no_particle(ids[k]);
    }
    return result_ok();
}

Result fluid_remove(Fluid *fluid, const uint32_t *ids, uint32_t count)
{
    Particles *p = &fluid->particles;
    uint32_t *slots, kept = 0;
    TRY(find_all(fluid, ids, count, &slots));
    for (uint32_t k = 0; k < count; k++) slots[ids[k]] = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        if (slots[p->id[i]] == UINT32_MAX) continue;
        for (int s = 0; s < PARTICLE_STREAM_COUNT && kept < i; s++)
            memcpy((float *)p->stream[s] + kept, (float *)p->stream[s] + i, sizeof(float));
        spins_move(&fluid->spins, kept, i);
        kept++;
    }
    p->count = kept;
    spins_cut(&fluid->spins, kept);
    memory_free(slots);
    return result_ok();
}

static void put(Fluid *fluid, uint32_t i, const Vec3 *position, const Vec3 *velocity)
{
    Particles *p = &fluid->particles;
    if (position) p->x[i] = position->x, p->y[i] = position->y, p->z[i] = position->z;
    if (!velocity) return;
    p->vx[i] = velocity->x, p->vy[i] = velocity->y, p->vz[i] = velocity->z;
    fluid->speed_max = fmax(fluid->speed_max, vec3_length(*velocity));
}

static Result change_by_id(Fluid *fluid, const uint32_t *ids, uint32_t count, const Vec3 *positions,
                           const Vec3 *velocities)
{
    uint32_t *slots;
    TRY(find_all(fluid, ids, count, &slots));
    for (uint32_t k = 0; k < count; k++)
        put(fluid, slots[ids[k]], positions ? positions + k : NULL, velocities ? velocities + k : NULL);
    memory_free(slots);
    return result_ok();
}

Result fluid_change_particles(Fluid *fluid, const uint32_t *ids, uint32_t count, const Vec3 *positions,
                              const Vec3 *velocities)
{
    TRY(check_positions(fluid, positions, count));
    TRY(check_velocities(velocities, count));
    fluid->settled &= !positions;
    if (ids) return change_by_id(fluid, ids, count, positions, velocities);
    if (count != fluid->particles.count)
        return result_error(RESULT_USAGE, "%u values for %u particles", count, fluid->particles.count);
    for (uint32_t i = 0; i < count; i++)
        put(fluid, i, positions ? positions + i : NULL, velocities ? velocities + i : NULL);
    return result_ok();
}
