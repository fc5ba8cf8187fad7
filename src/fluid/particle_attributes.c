#include "fluid/particle_attributes.h"

#include "core/result.h"
#include "fluid/fall.h"
#include "fluid/frame_view.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// --- values that are not stored ---

static float position_value(const FrameView *view, uint32_t i, uint32_t component)
{
    const float at[3] = {view->origin.x + view->x[i], view->origin.y + view->y[i],
                         view->origin.z + view->z[i]};
    return at[component];
}

static float speed_value(const FrameView *view, uint32_t i, uint32_t component)
{
    (void)component;
    return vec3_length(vec3_make(view->vx[i], view->vy[i], view->vz[i]));
}

static float density_error_value(const FrameView *view, uint32_t i, uint32_t component)
{
    (void)component;
    return view->density[i] / view->rest_density - 1.0f;
}

static float height_value(const FrameView *view, uint32_t i, uint32_t component)
{
    (void)component;
    return view->origin.z + view->z[i];
}

static float age_value(const FrameView *view, uint32_t i, uint32_t component)
{
    (void)component;
    return (float)(view->time - (double)view->birth[i]);
}

// The corrections of a step, m/rho0 sum_j (Lambda_i + Lambda_j) grad W_ij with Lambda the sum of lambda over
// its iterations (Macklin and Mueller 2013, eq. 12), move a particle as far as the pressure acceleration
// -m/rho0^2 sum_j (p_i + p_j) grad W_ij does in dt^2: p = -rho0 Lambda / dt^2.
static float pressure_value(const FrameView *view, uint32_t i, uint32_t component)
{
    (void)component;
    double dt = view->report.dt;
    return dt > 0.0 ? (float)((double)view->rest_density / (dt * dt)) * (0.0f - view->lambda_sum[i]) : 0.0f;
}

// --- what narrowest ranges of colors are measured in ---

static float spacing_of(const FrameView *view)
{
    return view->spacing;
}

static float rest_density_of(const FrameView *view)
{
    return view->rest_density;
}

// After a fall by half a spacing.
static float fall_speed(const FrameView *view)
{
    return sqrtf((float)STANDARD_GRAVITY * view->spacing);
}

// Of a layer of water one spacing high.
static float layer_pressure(const FrameView *view)
{
    return (float)STANDARD_GRAVITY * view->rest_density * view->spacing;
}

// --- the table ---

#define STREAM(member) .stored = true, .stream = offsetof(ParticleStreams, member) / sizeof(void *)
#define FLOAT .type = BLOCK_FLOAT, .components = 1
#define UINT32 .type = BLOCK_UINT32, .components = 1
#define VECTOR(a, b, c) .type = BLOCK_FLOAT, .components = 3, .parts = {a, b, c}

// Stages of a step.
#define MADE "emission, when the particle was made"
#define SEARCHED "neighbor search, at predicted positions"
#define ITERATED "last iteration of the density constraint, before its correction"
#define CORRECTED "sum over the iterations of the density constraint"
#define FORCED "forces, before viscosity and vorticity confinement"
#define END "end of the step"

static const ParticleAttribute attributes[ATTRIBUTE_COUNT] = {
    [FIELD_SPEED] = {"speed", "speed", "m/s", FLOAT, .value = speed_value, .probe = "%.3f m/s",
                     .probe_scale = 1, .from_zero = true, .least_span = 3, .span_unit = fall_speed,
                     .stage = END},
    [FIELD_DENSITY_ERROR] = {"density_error", "density error", "", FLOAT, .value = density_error_value,
                             .probe = "%+.2f %%", .probe_scale = 100, .two_sided = true, .least_span = 0.02f,
                             .stage = ITERATED},
    [FIELD_DENSITY] = {"density", "density", "kg/m^3", FLOAT, STREAM(density), .file = 3,
                       .probe = "%.1f kg/m^3", .probe_scale = 1, .least_span = 0.02f,
                       .span_unit = rest_density_of, .stage = ITERATED},
    [FIELD_NEIGHBORS] = {"neighbors", "neighbors", "", UINT32, STREAM(neighbors), .file = 7, .probe = "%.0f",
                         .probe_scale = 1, .least_span = 10, .stage = SEARCHED},
    [FIELD_VORTICITY] = {"vorticity", "vorticity", "1/s", FLOAT, STREAM(vorticity), .file = 5,
                         .probe = "%.2f 1/s", .probe_scale = 1, .from_zero = true, .least_span = 1,
                         .stage = FORCED},
    [FIELD_HEIGHT] = {"height", "height", "m", FLOAT, .value = height_value, .least_span = 10,
                      .span_unit = spacing_of, .stage = END},
    [FIELD_AGE] = {"age", "age", "s", FLOAT, .value = age_value, .file = 6, .probe = "%.3f s",
                   .probe_scale = 1, .from_zero = true, .least_span = 0.1f, .stage = END},
    [FIELD_ID] = {"id", "id", "", UINT32, STREAM(id), .state = true, .file = 4, .least_span = 1,
                  .stage = MADE},
    [FIELD_PRESSURE] = {"pressure", "pressure", "Pa", FLOAT, .value = pressure_value, .file = 8,
                        .probe = "%.0f Pa", .probe_scale = 1, .from_zero = true, .least_span = 10,
                        .span_unit = layer_pressure, .stage = CORRECTED},
    [ATTRIBUTE_POSITION] = {"position", "position", "m", VECTOR("x", "y", "z"), STREAM(x),
                            .value = position_value, .state = true, .file = 1, .stage = END},
    [ATTRIBUTE_VELOCITY] = {"velocity", "velocity", "m/s", VECTOR("vx", "vy", "vz"), STREAM(vx),
                            .state = true, .file = 2, .stage = END},
    [ATTRIBUTE_BIRTH] = {"birth", "birth", "s", FLOAT, STREAM(birth), .state = true, .stage = MADE},
    [ATTRIBUTE_LAMBDA_SUM] = {"lambda_sum", "lambda sum", "m^2", FLOAT, STREAM(lambda_sum), .state = true,
                              .optional = true, .stage = CORRECTED},
    [ATTRIBUTE_RELEASE] = {"release", "release", "s", FLOAT, STREAM(release), .state = true, .optional = true,
                           .stage = MADE},
    // Used up by the prediction, so that it need not move.
    [ATTRIBUTE_TENSION] = {"tension", "surface tension", "m/s^2",
                           VECTOR("tension_x", "tension_y", "tension_z"), STREAM(tension_x), .optional = true,
                           .stage = END},
};

const ParticleAttribute *particle_attribute(FieldKey key)
{
    CHECK(key < ATTRIBUTE_COUNT);
    return &attributes[key];
}

float particle_least_span(const ParticleAttribute *attribute, const FrameView *view)
{
    return attribute->least_span * (attribute->span_unit ? attribute->span_unit(view) : 1);
}

const ParticleAttribute *particle_stream(uint32_t stream, const char **name)
{
    const ParticleAttribute *row = attributes, *end = attributes + ATTRIBUTE_COUNT;
    while (row < end && (!row->stored || stream - row->stream >= row->components)) row++;
    CHECK(row < end);
    *name = row->components == 1 ? row->name : row->parts[stream - row->stream];
    return row;
}

const ParticleAttribute *particle_file_attribute(uint32_t k)
{
    for (int row = 0; row < ATTRIBUTE_COUNT; row++) {
        if (attributes[row].file == k + 1) return &attributes[row];
    }
    return NULL;
}

void particle_attribute_values(const ParticleAttribute *attribute, const FrameView *view, uint32_t begin,
                               uint32_t end, void *out)
{
    uint32_t step = attribute->components;
    for (uint32_t c = 0; c < step; c++) {
        const char *from = attribute->value ? NULL : view->stream[attribute->stream + c];
        char *to = (char *)out + 4 * (size_t)c;
        for (uint32_t i = begin; i < end; i++, to += 4 * (size_t)step) {
            float value = attribute->value ? attribute->value(view, i, c) : 0.0f;
            memcpy(to, attribute->value ? (const void *)&value : from + 4 * (size_t)i, 4);
        }
    }
}
