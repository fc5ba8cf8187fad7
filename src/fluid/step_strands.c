// Strands in a step: what they fill counts as density, and they move when the water has moved.
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

#define GRAIN 1024u

static StrandWater water_of(const Step *step, Streams3 at)
{
    Particles *p = &step->fluid->particles;
    return (StrandWater){.x = at.x,
                         .y = at.y,
                         .z = at.z,
                         .vx = p->vx,
                         .vy = p->vy,
                         .vz = p->vz,
                         .count = p->count,
                         .spacing = step->fluid->def.spacing,
                         .rest_density = step->fluid->def.rest_density};
}

Result step_reserve_strands(Fluid *fluid, uint32_t count)
{
    if (!fluid->strands) return result_ok();
    TRY(strands_reserve(fluid->strands));
    return strand_exchange_reserve(&fluid->exchange, fluid->strands, count, fluid->def.spacing);
}

void step_begin_strands(Step *step)
{
    if (!step->fluid->strands) return;
    StrandWater water = water_of(step, step->at);
    strand_exchange_begin(&step->fluid->exchange, step->fluid->strands, &water);
}

// The density's pass without strands has left a lambda of -max(density - 1, 0) over a sum.
static void fill(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PassView *view = ((void **)context)[0];
    const StrandExchange *exchange = ((void **)context)[1];
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = exchange->near[k];
        float before = fmaxf(view->density[i] - 1.0f, 0.0f), density = view->density[i] + exchange->filled[i];
        float sum = view->gradient_sum[i] + view->constants.relaxation + 1e-20f;
        float change = (before - fmaxf(density - 1.0f, 0.0f)) / sum;
        view->density[i] = density;
        view->volume[i] = 1.0f / density;
        view->lambda[i] += change;
        view->lambda_sum[i] += change;
    }
}

void step_fill_strands(const Step *step, const PassView *view)
{
    if (!step->fluid->strands) return;
    const void *context[] = {view, &step->fluid->exchange};
    parallel_for(step->fluid->exchange.near_count, GRAIN, fill, context);
}

Result step_move_strands(Step *step)
{
    Fluid *fluid = step->fluid;
    if (!fluid->strands) return result_ok();
    const Particles *p = &fluid->particles;
    StrandWater water = water_of(step, (Streams3){p->x, p->y, p->z});
    strand_exchange_end(&fluid->exchange, fluid->strands, &water, fluid->def.gravity, step->dt);
    StrandStep own = {.dt = step->dt,
                      .gravity = fluid->def.gravity,
                      .obstacles = fluid->obstacles,
                      .kick = fluid->exchange.kick};
    return strands_step(fluid->strands, &own);
}
