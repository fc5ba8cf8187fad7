// Particles that come, go and change.
#include "fluid/edit.h"
#include "library/sims.h"

// The caller's vectors less an origin, in a new block; NULL if there are none.
static Result take_vectors(const pbf_points *points, const char *what, Vec3 origin, Vec3 **out)
{
    PointStreams copies = {0};
    const float *at[3];
    *out = NULL;
    if (!points) return result_ok();
    Result result = points_view(points, what, &copies, at);
    if (result_is_ok(&result)) *out = memory_allocate((size_t)points->count * sizeof **out);
    if (result_is_ok(&result) && !*out)
        result = result_no_memory(what, (unsigned long long)points->count * sizeof **out);
    for (uint32_t k = 0; *out && k < points->count; k++)
        (*out)[k] = vec3_sub(vec3_make(at[0][k], at[1][k], at[2][k]), origin);
    points_free(&copies);
    return result;
}

typedef struct Vectors {
    Vec3 *positions, *velocities; // NULL: none
    uint32_t count;
} Vectors;

static void free_vectors(Vectors *vectors)
{
    memory_free(vectors->positions);
    memory_free(vectors->velocities);
}

// Positions become those of the domain.
static Result take_both(const pbf_sim *sim, const pbf_points *positions, const pbf_points *velocities,
                        Vectors *out)
{
    *out = (Vectors){.count = positions ? positions->count : velocities ? velocities->count : 0};
    if (velocities && velocities->count != out->count)
        return result_error(RESULT_USAGE, "%u positions and %u velocities", out->count, velocities->count);
    TRY(take_vectors(positions, "positions", fluid_view(sim->fluid).origin, &out->positions));
    Result result = take_vectors(velocities, "velocities", vec3_make(0, 0, 0), &out->velocities);
    if (!result_is_ok(&result)) free_vectors(out);
    return result;
}

static pbf_result changed(pbf_sim *sim, Host *before, Result result)
{
    if (result_is_ok(&result)) sim->version++;
    return call_end(sim->context, before, result);
}

static Result add(pbf_sim *sim, const pbf_points *positions, const pbf_points *velocities, uint32_t *first_id)
{
    Vectors vectors;
    if (!positions) return missing("positions");
    TRY(take_both(sim, positions, velocities, &vectors));
    Result result =
        fluid_add_each(sim->fluid, vectors.positions, vectors.velocities, vectors.count, first_id);
    free_vectors(&vectors);
    return result;
}

pbf_result pbf_sim_add(pbf_sim *sim, const pbf_points *positions, const pbf_points *velocities,
                       uint32_t *first_id)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    Host *before = call_begin(sim->context);
    return changed(sim, before, add(sim, positions, velocities, first_id));
}

pbf_result pbf_sim_remove(pbf_sim *sim, const uint32_t *ids, uint32_t count)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!ids && count > 0) return call_refused(sim->context, missing("ids"));
    Host *before = call_begin(sim->context);
    return changed(sim, before, fluid_remove(sim->fluid, ids, count));
}

static Result change(pbf_sim *sim, const uint32_t *ids, const pbf_points *positions,
                     const pbf_points *velocities)
{
    Vectors vectors;
    if (!positions && !velocities) return missing("positions and velocities");
    TRY(take_both(sim, positions, velocities, &vectors));
    Result result =
        fluid_change_particles(sim->fluid, ids, vectors.count, vectors.positions, vectors.velocities);
    free_vectors(&vectors);
    return result;
}

pbf_result pbf_sim_change(pbf_sim *sim, const uint32_t *ids, const pbf_points *positions,
                          const pbf_points *velocities)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    Host *before = call_begin(sim->context);
    return changed(sim, before, change(sim, ids, positions, velocities));
}
