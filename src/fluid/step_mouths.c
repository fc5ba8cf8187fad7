// Nozzles in water. What they send finds water in its place, which the solver moves away within a step: as a
// velocity that would be a spacing a step, and short steps would throw the water about.
#include "core/memory.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

Result step_find_mouths(Fluid *fluid, double t0, double t1)
{
    fluid->mouth_count = 0;
    TRY(MEMORY_RESERVE(fluid->mouths, fluid->mouth_capacity, 0, fluid->emitter_count, "emitter"));
    for (uint32_t k = 0; k < fluid->emitter_count; k++) {
        const EmitterDef *emitter = &fluid->emitters[k];
        if (!emitter_blows(emitter, fluid->def.spacing, t0, t1)) continue;
        fluid->mouths[fluid->mouth_count++] = emitter_mouth(emitter, fluid->def.spacing);
    }
    return result_ok();
}

// most: m, that the solver moves it by.
static void hold(const Step *step, uint32_t i, float most)
{
    Particles *p = &step->fluid->particles;
    float dt = (float)step->dt;
    Vec3 at = {step->at.x[i], step->at.y[i], step->at.z[i]};
    Vec3 way = vec3_add(vec3_make(p->x[i], p->y[i], p->z[i]),
                        vec3_scale(vec3_make(p->vx[i], p->vy[i], p->vz[i]), dt));
    Vec3 push = vec3_sub(at, way);
    float length = vec3_length(push);
    if (length <= most) return;
    Vec3 more = vec3_scale(push, 1.0f - most / length);
    p->x[i] += more.x, p->y[i] += more.y, p->z[i] += more.z;
}

void step_hold_at_mouths(const Step *step, uint32_t begin, uint32_t end)
{
    const Fluid *fluid = step->fluid;
    float dt = (float)step->dt, weight = dt * dt * vec3_length(fluid->def.gravity);
    for (uint32_t k = 0; k < fluid->mouth_count; k++) {
        const EmitterMouth *mouth = &fluid->mouths[k];
        for (uint32_t i = begin; i < end; i++) {
            if (fluid->particles.release[i] > step->constants.held_after) continue;
            Vec3 at = {step->at.x[i], step->at.y[i], step->at.z[i]};
            if (emitter_at_mouth(mouth, at)) hold(step, i, mouth->speed * dt + weight);
        }
    }
}
