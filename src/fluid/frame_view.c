#include "fluid/frame_view.h"

#include "core/parallel.h"
#include "core/result.h"

static const char *const phase_names[PHASE_COUNT] = {"reorder", "construction", "search", "contacts",
                                                     "density", "correction",   "forces", "other"};

const char *step_phase_name(StepPhase phase)
{
    CHECK(phase < PHASE_COUNT);
    return phase_names[phase];
}

const char *field_name(FieldKey key)
{
    return particle_attribute(key)->name;
}

typedef struct FieldJob {
    const FrameView *view;
    const ParticleAttribute *field;
    float *out;
} FieldJob;

static void write_field(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const FieldJob *job = context;
    if (job->field->type == BLOCK_FLOAT) {
        particle_attribute_values(job->field, job->view, begin, end, job->out + begin);
        return;
    }
    const uint32_t *counts = job->view->stream[job->field->stream];
    for (uint32_t i = begin; i < end; i++) job->out[i] = (float)counts[i];
}

void frame_view_field(const FrameView *view, FieldKey key, float *out)
{
    CHECK(key < FIELD_COUNT);
    FieldJob job = {view, particle_attribute(key), out};
    parallel_for(view->count, 16384, write_field, &job);
}
