#include "diffuse/velocity_field.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <string.h>

#define GRAIN 16384u
#define PI 3.14159265358979323846

Result velocity_field_reserve(VelocityField *field, uint32_t particles)
{
    size_t padded = (size_t)particles + SHAPE_LANES;
    TRY(shape_index_reserve(&field->index, particles, 3));
    TRY(MEMORY_RESERVE(field->vx, field->vx_capacity, 0, padded, "whitewater"));
    TRY(MEMORY_RESERVE(field->vy, field->vy_capacity, 0, padded, "whitewater"));
    return MEMORY_RESERVE(field->vz, field->vz_capacity, 0, padded, "whitewater");
}

void velocity_field_free(VelocityField *field)
{
    shape_index_free(&field->index);
    memory_free(field->vx);
    memory_free(field->vy);
    memory_free(field->vz);
    *field = (VelocityField){0};
}

typedef struct SortJob {
    const FrameView *view;
    VelocityField *field;
} SortJob;

static void sort_velocities(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SortJob *job = context;
    const uint32_t *index = job->field->index.index;
    for (uint32_t k = begin; k < end; k++) {
        job->field->vx[k] = job->view->vx[index[k]];
        job->field->vy[k] = job->view->vy[index[k]];
        job->field->vz[k] = job->view->vz[index[k]];
    }
}

void velocity_field_build(VelocityField *field, const FrameView *view)
{
    double spacings = (double)view->radius / (double)view->spacing;
    Result built = shape_index_build(&field->index, (PointView){view->x, view->y, view->z, view->count}, 3,
                                     view->radius);
    CHECK(result_is_ok(&built)); // room was made, and a step leaves only what is finite
    field->radius = view->radius;
    field->full = (float)(PI / 3.0 * spacings * spacings * spacings);
    SortJob job = {view, field};
    parallel_for(view->count, GRAIN, sort_velocities, &job);
    // The last vector reaches beyond them, with weights of 0.
    memset(field->vx + view->count, 0, SHAPE_LANES * sizeof *field->vx);
    memset(field->vy + view->count, 0, SHAPE_LANES * sizeof *field->vy);
    memset(field->vz + view->count, 0, SHAPE_LANES * sizeof *field->vz);
}

static FieldLoop *field_loop(void)
{
    return CPU_VERSION(field_loop, cpu_level());
}

FieldSums velocity_field_at(const VelocityField *field, Vec3 at)
{
    PlaceRange ranges[SHAPE_ROWS_MAX];
    uint32_t count = shape_index_rows(&field->index, at, field->radius, ranges);
    if (count == 0) return (FieldSums){0};
    const ShapeIndex *index = &field->index;
    FieldStreams streams = {index->x, index->y, index->z, field->vx, field->vy, field->vz};
    return field_loop()(&streams, ranges, count, at, field->radius);
}
