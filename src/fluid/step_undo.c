// A step that is stopped while its passes run: what they change is kept before, and brought back after.
#include "core/memory.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <stdatomic.h>
#include <string.h>

// What a pass changes in place, beside the particles' streams: three spins and two potentials.
enum { NUMBERS = 5 };

static void list_numbers(Fluid *fluid, float *numbers[NUMBERS], uint32_t counts[NUMBERS])
{
    const Streams3 *spins = &fluid->spins.now;
    float *all[NUMBERS] = {spins->x, spins->y, spins->z, fluid->trapped_air, fluid->wave_crest};
    for (int k = 0; k < NUMBERS; k++) {
        numbers[k] = all[k];
        counts[k] = k < 3 ? fluid->undo.spins : fluid->undo.potentials;
    }
}

static uint32_t potentials_of(const Fluid *fluid, uint32_t count)
{
    size_t room = fluid->trapped_air_capacity < fluid->wave_crest_capacity ? fluid->trapped_air_capacity
                                                                           : fluid->wave_crest_capacity;
    if (!fluid_has_potentials(fluid)) return 0;
    return count < room ? count : (uint32_t)room;
}

static Result keep(Step *step)
{
    Fluid *fluid = step->fluid;
    StepUndo *undo = &fluid->undo;
    float *numbers[NUMBERS];
    uint32_t counts[NUMBERS];
    undo->spins = fluid->spins.count;
    undo->potentials = potentials_of(fluid, fluid->particles.count);
    TRY(particles_keep(&fluid->particles, fluid->particles.count, &undo->particles));
    TRY(MEMORY_RESERVE(undo->numbers, undo->capacity, 0,
                       3 * (size_t)undo->spins + 2 * (size_t)undo->potentials, "step"));
    list_numbers(fluid, numbers, counts);
    float *to = undo->numbers;
    for (int k = 0; k < NUMBERS; to += counts[k], k++)
        if (counts[k] > 0) memcpy(to, numbers[k], counts[k] * sizeof *to);
    return result_ok();
}

void step_keep(Step *step)
{
    Result kept = step->stop ? keep(step) : result_ok();
    step->kept = step->stop && result_is_ok(&kept);
    if (!step->kept) step->stop = NULL, step_watch_searches(step->fluid, NULL);
}

void step_undo(Step *step)
{
    Fluid *fluid = step->fluid;
    StepUndo *undo = &fluid->undo;
    float *numbers[NUMBERS];
    uint32_t counts[NUMBERS];
    particles_bring_back(&fluid->particles, &undo->particles);
    list_numbers(fluid, numbers, counts);
    const float *from = undo->numbers;
    for (int k = 0; k < NUMBERS; from += counts[k], k++)
        if (counts[k] > 0) memcpy(numbers[k], from, counts[k] * sizeof *from);
}

void step_undo_free(StepUndo *undo)
{
    particles_kept_free(&undo->particles);
    memory_free(undo->numbers);
    *undo = (StepUndo){0};
}

Result step_check(const Step *step)
{
    if (step->stop && atomic_load_explicit(step->stop, memory_order_relaxed))
        return result_error(RESULT_STOPPED, "step %llu was stopped", (unsigned long long)step->report->step);
    return result_ok();
}
