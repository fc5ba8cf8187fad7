#include "measure/flux.h"

#include "core/memory.h"

#include <math.h>

FluxGate flux_gate(const ProbeDef *probe, Vec3 origin, double *crossings)
{
    return (FluxGate){.center = vec3_sub(probe->position, origin),
                      .rotation = mat3_from_euler_degrees(probe->rotation),
                      .half_extent = {0.5f * probe->width, 0.5f * probe->height},
                      .crossings = crossings};
}

void flux_track_free(FluxTrack *track)
{
    memory_free(track->at);
    *track = (FluxTrack){0};
}

// 1 along the normal, -1 against it, 0 if the way does not pass the gate.
static double crossing(const FluxGate *gate, Vec3 from, Vec3 to)
{
    Vec3 a = mat3_apply_transposed(gate->rotation, vec3_sub(from, gate->center));
    Vec3 b = mat3_apply_transposed(gate->rotation, vec3_sub(to, gate->center));
    if ((a.z < 0.0f) == (b.z < 0.0f)) return 0.0;
    Vec3 at = vec3_add(a, vec3_scale(vec3_sub(b, a), a.z / (a.z - b.z)));
    if (fabsf(at.x) > gate->half_extent[0] || fabsf(at.y) > gate->half_extent[1]) return 0.0;
    return b.z < 0.0f ? -1.0 : 1.0;
}

// Room for all ids of the view.
static Result reserve(FluxTrack *track, const FrameView *view)
{
    size_t needed = track->count;
    for (uint32_t i = 0; i < view->count; i++) needed = view->id[i] < needed ? needed : view->id[i] + 1u;
    TRY(MEMORY_RESERVE(track->at, track->capacity, track->count, needed, "the flux"));
    for (; track->count < needed; track->count++) track->at[track->count] = vec3_make(NAN, NAN, NAN);
    return result_ok();
}

// Where a particle came from that has left through a periodic side.
static Vec3 unwrapped(const TankDef *tank, Vec3 from, Vec3 to)
{
    if (tank->periodic[0]) from.x += tank->size.x * rintf((to.x - from.x) / tank->size.x);
    if (tank->periodic[1]) from.y += tank->size.y * rintf((to.y - from.y) / tank->size.y);
    if (tank->periodic[2]) from.z += tank->size.z * rintf((to.z - from.z) / tank->size.z);
    return from;
}

Result flux_look(FluxTrack *track, const FrameView *view, const FluxGate *gates, uint32_t gate_count)
{
    TankDef tank = obstacles_tank(view->obstacles);
    TRY(reserve(track, view));
    for (uint32_t i = 0; i < view->count; i++) {
        Vec3 *from = &track->at[view->id[i]], to = {view->x[i], view->y[i], view->z[i]};
        bool known = !isnan(from->x);
        for (uint32_t k = 0; known && k < gate_count; k++)
            *gates[k].crossings += crossing(&gates[k], unwrapped(&tank, *from, to), to);
        *from = to;
    }
    return result_ok();
}
