#include "fluid/frame_view.h"

#include "core/parallel.h"
#include "core/result.h"

#include <math.h>

static const char *const phase_names[PHASE_COUNT] = {"reorder", "construction", "search", "contacts",
                                                     "density", "correction",   "forces", "other"};

const char *step_phase_name(StepPhase phase)
{
    CHECK(phase < PHASE_COUNT);
    return phase_names[phase];
}

static const struct {
    const char *name, *unit;
} fields[FIELD_COUNT] = {
    [FIELD_SPEED] = {"speed", "m/s"},
    [FIELD_DENSITY_ERROR] = {"density_error", ""},
    [FIELD_DENSITY] = {"density", "kg/m^3"},
    [FIELD_NEIGHBORS] = {"neighbors", ""},
    [FIELD_VORTICITY] = {"vorticity", "1/s"},
    [FIELD_HEIGHT] = {"height", "m"},
    [FIELD_AGE] = {"age", "s"},
    [FIELD_ID] = {"id", ""},
};

const char *field_name(FieldKey key)
{
    CHECK(key < FIELD_COUNT);
    return fields[key].name;
}

const char *field_unit(FieldKey key)
{
    CHECK(key < FIELD_COUNT);
    return fields[key].unit;
}

float frame_view_age(const FrameView *view, uint32_t particle)
{
    return (float)(view->time - (double)view->birth[particle]);
}

static float field_value(const FrameView *view, FieldKey key, uint32_t i)
{
    switch (key) {
    case FIELD_SPEED:
        return vec3_length(vec3_make(view->vx[i], view->vy[i], view->vz[i]));
    case FIELD_DENSITY_ERROR:
        return view->density[i] / view->rest_density - 1.0f;
    case FIELD_DENSITY:
        return view->density[i];
    case FIELD_NEIGHBORS:
        return (float)view->neighbors[i];
    case FIELD_VORTICITY:
        return view->vorticity[i];
    case FIELD_HEIGHT:
        return view->origin.z + view->z[i];
    case FIELD_AGE:
        return frame_view_age(view, i);
    case FIELD_ID:
        return (float)view->id[i];
    case FIELD_COUNT:
        break;
    }
    return 0.0f;
}

typedef struct FieldJob {
    const FrameView *view;
    FieldKey key;
    float *out;
} FieldJob;

static void write_field(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const FieldJob *job = context;
    for (uint32_t i = begin; i < end; i++) job->out[i] = field_value(job->view, job->key, i);
}

void frame_view_field(const FrameView *view, FieldKey key, float *out)
{
    CHECK(key < FIELD_COUNT);
    FieldJob job = {view, key, out};
    parallel_for(view->count, 16384, write_field, &job);
}
