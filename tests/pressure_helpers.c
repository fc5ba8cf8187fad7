#include "pressure_helpers.h"

#include "core/memory.h"
#include "fluid_helpers.h"

float *water_stream(uint32_t count)
{
    float *out = memory_allocate_zeroed(count * sizeof *out);
    assert_non_null(out);
    return out;
}

Water water_of(uint32_t count)
{
    return (Water){count,
                   {water_stream(count), water_stream(count), water_stream(count)},
                   {water_stream(count), water_stream(count), water_stream(count)},
                   water_stream(count),
                   water_stream(count),
                   water_stream(count)};
}

void water_free(Water *water)
{
    float *streams[] = {water->at.x,   water->at.y,    water->at.z,    water->move.x,    water->move.y,
                        water->move.z, water->density, water->release, water->lambda_sum};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) memory_free(streams[k]);
}

Water water_block(Vec3 corner, uint32_t nx, uint32_t ny, uint32_t nz, float spacing)
{
    Water water = water_of(nx * ny * nz);
    for (uint32_t i = 0; i < water.count; i++) {
        water.at.x[i] = corner.x + ((float)(i % nx) + 0.5f) * spacing;
        water.at.y[i] = corner.y + ((float)(i / nx % ny) + 0.5f) * spacing;
        water.at.z[i] = corner.z + ((float)(i / nx / ny) + 0.5f) * spacing;
    }
    return water;
}

Vec3 water_moved(const Water *water, uint32_t i)
{
    return vec3_make(water->move.x[i], water->move.y[i], water->move.z[i]);
}

PressureJob water_job(const Water *water, float spacing)
{
    return (PressureJob){.density = water->density,
                         .release = water->release,
                         .held_after = 1.0f,
                         .move_max = 1.0f,
                         .spacing = spacing,
                         .dt = WATER_DT,
                         .count = water->count,
                         .from = water->at,
                         .at = water->at,
                         .move = water->move,
                         .lambda_sum = water->lambda_sum};
}

void water_project(PressureGrid *grid, const Obstacles *obstacles, Water *water, float spacing)
{
    PressureJob job = water_job(water, spacing);
    ASSERT_OK(pressure_grid_cover(grid, obstacles, spacing, water->at, water->count, NULL));
    pressure_grid_project(grid, &job);
}

Flow flow_of(Water water)
{
    Flow flow = {.water = water,
                 .from = {water_stream(water.count), water_stream(water.count), water_stream(water.count)},
                 .pull = {water_stream(water.count), water_stream(water.count), water_stream(water.count)}};
    for (uint32_t i = 0; i < water.count; i++) water.density[i] = 1.0f;
    return flow;
}

void flow_set(Flow *flow, uint32_t i, Vec3 way)
{
    flow->from.x[i] = flow->water.at.x[i] - way.x;
    flow->from.y[i] = flow->water.at.y[i] - way.y;
    flow->from.z[i] = flow->water.at.z[i] - way.z;
}

void flow_project(Flow *flow, Vec3 tank, float spacing)
{
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = tank}, 0.0f, NULL, 0, &obstacles));
    PressureGrid grid = {.flow = true};
    PressureJob job = water_job(&flow->water, spacing);
    job.from = flow->from, job.pull = (PredictionPull){flow->pull, flow->order}, job.pull_share = 1.0f;
    job.gravity = flow->gravity;
    ASSERT_OK(pressure_grid_cover(&grid, obstacles, spacing, flow->water.at, flow->water.count, NULL));
    pressure_grid_project(&grid, &job);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

void flow_free(Flow *flow)
{
    float *streams[] = {flow->from.x, flow->from.y, flow->from.z, flow->pull.x, flow->pull.y, flow->pull.z};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) memory_free(streams[k]);
    water_free(&flow->water);
}
