// The pressure grid: displacements against analytic ones, what bodies close, and deep water at rest.
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/pressure_cells.h"
#include "fluid/pressure_hold.h"
#include "fluid/pressure_load.h"
#include "fluid/pressure_walls.h"
#include "fluid_helpers.h"
#include "pressure_helpers.h"
#include "surface_helpers.h"
#include "thread_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- displacements ---

#define TARGET 0.004f // of steps as long as WATER_DT
#define FLOW_LEFT 0.02f

static Vec3 move_at(const Flow *flow, uint32_t i)
{
    return water_moved(&flow->water, i);
}

// All that gravity adds to a step is given back, to the particles at the floor and at the surface too.
static void water_at_rest_does_not_fall(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        float d = k ? 0.02f : 0.1f, fall = 0.02f * d;
        for (uint32_t layers = 24; layers < 31; layers++) {
            Flow flow = flow_of(water_block(vec3_make(0, 0, 0), 12, 9, layers, d));
            flow.gravity = vec3_make(0, 0, -fall / (float)(WATER_DT * WATER_DT));
            for (uint32_t i = 0; i < flow.water.count; i++) flow_set(&flow, i, vec3_make(0, 0, -fall));
            flow_project(&flow, vec3_make(12 * d, 9 * d, 60 * d), d);
            for (uint32_t i = 0; i < flow.water.count; i++) {
                Vec3 left = vec3_sub(move_at(&flow, i), vec3_make(0, 0, fall));
                if (vec3_length(left) > 0.08f * fall)
                    fail_msg("%u layers of %g m: particle %u keeps %g of its fall", layers, (double)d, i,
                             (double)(vec3_length(left) / fall));
            }
            flow_free(&flow);
        }
    }
}

// A block on the floor that sinks and spreads as much, while it slides along by nearly a cell, too, or does
// not. Particles are on one side of its surfaces' faces.
static void flow_that_keeps_its_volume_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        float d = k ? 0.02f : 0.1f, rate = 0.004f;
        for (uint32_t layers = 12; layers < 18; layers++) {
            float slide = layers % 2 ? 2.7f * d : 0.0f;
            Flow flow = flow_of(water_block(vec3_make(20 * d, 20 * d, 0), 20, 20, layers, d));
            float most = 0.0f, middle = 30 * d;
            for (uint32_t i = 0; i < flow.water.count; i++) {
                Streams3 at = flow.water.at;
                flow_set(&flow, i,
                         vec3_make(rate * (at.x[i] - middle) + slide, rate * (at.y[i] - middle) - slide,
                                   -2.0f * rate * at.z[i]));
            }
            flow_project(&flow, vec3_make(60 * d, 60 * d, 60 * d), d);
            for (uint32_t i = 0; i < flow.water.count; i++)
                most = fmaxf(most, vec3_length(move_at(&flow, i)) / (rate * (float)layers * d));
            if (k == 0) print_message("%u layers: moved by %.3f of the flow's ways\n", layers, (double)most);
            assert_true(most < FLOW_LEFT);
            flow_free(&flow);
        }
    }
}

// In the air nothing has a weight to carry: such water is left to the iterations. On the floor it is not.
static void what_flies_is_left_alone(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int held = 0; held < 2; held++) {
        Flow flow = flow_of(water_block(vec3_make(20 * d, 20 * d, held ? 0 : 20 * d), 20, 20, 20, d));
        float most = 0.0f;
        for (uint32_t i = 0; i < flow.water.count; i++)
            flow_set(&flow, i, vec3_make(-0.01f * (flow.water.at.x[i] - 30 * d), 0, 0));
        flow_project(&flow, vec3_make(60 * d, 60 * d, 60 * d), d);
        for (uint32_t i = 0; i < flow.water.count; i++) most = fmaxf(most, vec3_length(move_at(&flow, i)));
        assert_true(held ? most > 0.02f * d : most < 1e-6f * d);
        flow_free(&flow);
    }
}

// The mean of what particles keep of a fall, from `low` on.
static float kept_of_fall(const Flow *flow, float fall, float low)
{
    float sum = 0.0f;
    uint32_t count = 0;
    for (uint32_t i = 0; i < flow->water.count; i++) {
        if (flow->water.at.z[i] < low) continue;
        sum += 1.0f - move_at(flow, i).z / fall;
        count++;
    }
    assert_true(count > 0);
    return sum / (float)count;
}

// Water full of holes falls until they are closed.
static void holes_close_before_pressure_holds_water(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        float d = k ? 0.02f : 0.1f, fall = 0.02f * d;
        for (int loose = 0; loose < 2; loose++) {
            float apart = loose ? 1.077f * d : d; // filled by 0.8, or by 1
            Flow flow = flow_of(water_block(vec3_make(0, 0, 0), 12, 12, 24, apart));
            flow.gravity = vec3_make(0, 0, -fall / (float)(WATER_DT * WATER_DT));
            for (uint32_t i = 0; i < flow.water.count; i++) flow_set(&flow, i, vec3_make(0, 0, -fall));
            flow_project(&flow, vec3_make(12 * apart, 12 * apart, 60 * d), d);
            float kept = kept_of_fall(&flow, fall, 6 * d);
            if (k == 0)
                print_message("filled by %g: keeps %.4f of its fall\n", loose ? 0.8 : 1.0, (double)kept);
            assert_true(loose ? kept > 0.98f : kept < 0.02f);
            flow_free(&flow);
        }
    }
}

// A drop just above the surface, wherever that is among the cells, falls as if no water were there.
static void water_does_not_hold_spray_above_it(void **state)
{
    (void)state;
    const float d = 0.1f, fall = 0.02f * d;
    for (uint32_t layers = 24; layers < 31; layers++) {
        Flow flow = flow_of(water_block(vec3_make(0, 0, 0), 12, 9, layers, d));
        uint32_t drop = flow.water.count - 12 * 4 - 6; // of the top layer, in its middle
        flow.water.at.z[drop] += 2.0f * d;
        flow.gravity = vec3_make(0, 0, -fall / (float)(WATER_DT * WATER_DT));
        for (uint32_t i = 0; i < flow.water.count; i++) flow_set(&flow, i, vec3_make(0, 0, -fall));
        flow_project(&flow, vec3_make(12 * d, 9 * d, 60 * d), d);
        print_message("%u layers: a drop keeps %.3f of its fall\n", layers,
                      (double)(1.0f - move_at(&flow, drop).z / fall));
        assert_true(move_at(&flow, drop).z < 0.2f * fall);
        flow_free(&flow);
    }
}

// What tension adds to ways is left to the iterations. It is told in another order than the ways.
static void tension_is_no_part_of_the_flow(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int told = 0; told < 2; told++) {
        Flow flow = flow_of(water_block(vec3_make(20 * d, 20 * d, 0), 20, 20, 20, d));
        uint32_t count = flow.water.count, *order = calloc(count, sizeof *order);
        assert_non_null(order);
        float most = 0.0f;
        for (uint32_t i = 0; i < count; i++) {
            float way = -0.01f * (flow.water.at.x[i] - 30 * d);
            order[i] = (i + count / 3) % count;
            flow_set(&flow, i, vec3_make(way, 0, 0));
            if (told) flow.pull.x[order[i]] = way / (float)(WATER_DT * WATER_DT);
        }
        flow.order = order;
        flow_project(&flow, vec3_make(60 * d, 60 * d, 60 * d), d);
        for (uint32_t i = 0; i < count; i++) most = fmaxf(most, vec3_length(move_at(&flow, i)));
        assert_true(told ? most < 1e-4f * d : most > 0.02f * d);
        free(order);
        flow_free(&flow);
    }
}

// Drops that nothing holds are as without the key: their surface is a few cells away everywhere.
static void water_without_walls_is_as_without_flow(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int flow = 0; flow < 2; flow++) {
        FluidDef def = fluid_def_default();
        def.pressure_flow = flow;
        Fluid *fluid = fluid_collision(&def);
        fluid_run(fluid, 0.1);
        hash[flow] = fluid_state_hash(fluid);
        fluid_destroy(fluid);
    }
    assert_true(hash[0] == hash[1]);
}

// --- displacements that are known ---

// Water that is too dense by c everywhere has one way out: -phi'' = c, no flow through the floor, phi = 0 at
// the surface, wherever that is between the cells. So it moves by c z, and phi = c (depth^2 - z^2) / 2.
static void evenly_compressed_water_rises(void **state)
{
    (void)state;
    const float c = 0.01f;
    for (int k = 0; k < 2; k++) {
        float d = k ? 0.02f : 0.1f;
        for (uint32_t layers = 24; layers < 31; layers++) {
            Obstacles *obstacles;
            TankDef tank = {.present = true, .size = {12 * d, 9 * d, 60 * d}};
            ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
            Water water = water_block(vec3_make(0, 0, 0), 12, 9, layers, d);
            for (uint32_t i = 0; i < water.count; i++) water.density[i] = 1.0f + TARGET + c;
            PressureGrid grid = {0};
            float *z = water_stream(water.count), depth = (float)layers * d;
            memcpy(z, water.at.z, water.count * sizeof *z);
            water_project(&grid, obstacles, &water, d);
            for (uint32_t i = 0; i < water.count; i++) {
                float move = c * z[i], phi = 0.5f * c * (depth * depth - z[i] * z[i]);
                // The cell at the surface holds less than its share of what is compressed.
                float near = 0.03f * c * depth + 0.3f * c * 3.0f * d;
                if (fabsf(water.move.z[i] - move) > near || fabsf(water.move.x[i]) > near)
                    fail_msg("%u layers of %g m: at %g m moved by %g m, should be %g", layers, (double)d,
                             (double)z[i], (double)water.move.z[i], (double)move);
                if (fabsf(-water.lambda_sum[i] - phi) > 0.05f * 0.5f * c * depth * depth)
                    fail_msg("%u layers of %g m: at %g m phi is %g, should be %g", layers, (double)d,
                             (double)z[i], -(double)water.lambda_sum[i], (double)phi);
                assert_true(water.at.z[i] == z[i] + water.move.z[i]);
            }
            memory_free(z);
            water_free(&water);
            pressure_grid_free(&grid);
            obstacles_destroy(obstacles);
        }
    }
}

// A plate one spacing thick divides a tank: what is compressed on one side moves nothing on the other. The
// plate stands anywhere between the cells, and is found again after it moved.
static void a_thin_plate_parts_waters(void **state)
{
    (void)state;
    const float d = 0.1f;
    PressureGrid grid = {0};
    for (int k = 0; k < 5; k++) {
        float x = 1.2f + 0.07f * (float)k;
        ObstacleDef plate = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.5f * d, 2.0f, 2.0f}},
                             .position = {x, 0.45f, 0.9f}};
        Obstacles *obstacles;
        TankDef tank = {.present = true, .size = {2.7f, 0.9f, 3.0f}};
        ASSERT_OK(obstacles_create(tank, 0.0f, &plate, 1, &obstacles));
        Water water = water_block(vec3_make(0, 0, 0), 27, 9, 18, d);
        for (uint32_t i = 0; i < water.count; i++)
            water.density[i] = water.at.x[i] < x - 0.05f ? 1.01f + TARGET : 1.0f + TARGET;
        water_project(&grid, obstacles, &water, d);
        double moved[2] = {0, 0};
        int count[2] = {0, 0};
        for (uint32_t i = 0; i < water.count; i++) {
            float from = water.at.x[i] - water.move.x[i] - x;
            if (fabsf(from) < 0.4f) continue; // a cell beside it
            moved[from > 0] += (double)fabsf(water.move.z[i]);
            count[from > 0]++;
        }
        print_message("plate at %.2f m: %.4f m on one side, %.1e m on the other\n", (double)x,
                      moved[0] / count[0], moved[1] / count[1]);
        assert_true(moved[0] / count[0] > 0.007 && moved[1] / count[1] < 5e-4);
        water_free(&water);
        obstacles_destroy(obstacles);
    }
    pressure_grid_free(&grid);
}

// What is beyond an open side by more than half a cell is not water of the tank any more: nothing moves it.
static void what_has_left_through_an_open_side_is_let_go(void **state)
{
    (void)state;
    const float d = 0.1f, cell = 3 * d, side = 9 * cell;
    TankDef tank = {.present = true, .size = {side, side, side}};
    for (int face = 0; face < TANK_FACE_COUNT; face++) tank.open[face] = face != TANK_Z_LO; // which holds it
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    Water water = water_block(vec3_make(0, 0, 0), 27, 27, 27, d);
    float *at[3] = {water.at.x, water.at.y, water.at.z};
    for (uint32_t i = 0; i < water.count; i++) water.density[i] = 1.01f + TARGET;
    for (uint32_t i = 0; i < 2 * TANK_FACE_COUNT; i++) { // in front of a side's middle, here and there
        uint32_t face = i / 2;
        float beyond = (i % 2 ? 0.51f : 0.49f) * cell;
        for (uint32_t a = 0; a < 3; a++) at[a][i] = 0.5f * side;
        at[face / 2][i] = face % 2 ? side + beyond : -beyond;
    }
    PressureGrid grid = {0};
    water_project(&grid, obstacles, &water, d);
    for (uint32_t i = 0; i < 2 * TANK_FACE_COUNT; i++) {
        if (i / 2 == TANK_Z_LO) continue;
        bool moved = water.move.x[i] != 0 || water.move.y[i] != 0 || water.move.z[i] != 0;
        if (moved != (i % 2 == 0)) fail_msg("side %u: %s", i / 2, moved ? "is moved" : "is not moved");
    }
    water_free(&water);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// A drop far away makes cells larger, not more than memory holds; water that fills its tank has small ones.
static void cells_grow_where_there_are_too_many(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int far = 0; far < 2; far++) {
        Obstacles *obstacles;
        ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
        Water water = water_block(vec3_make(0, 0, 0), 20, 20, 20, d);
        if (far) water.at.x[7] = 400, water.at.y[7] = -300, water.at.z[7] = 200;
        PressureGrid grid = {0};
        ASSERT_OK(pressure_grid_cover(&grid, obstacles, d, water.at, water.count, NULL));
        const PoissonLevel *level = &grid.poisson.level[0];
        const float *at[3] = {water.at.x, water.at.y, water.at.z}, lo[3] = {grid.lo.x, grid.lo.y, grid.lo.z};
        assert_true(far ? level->cells > 30000 && level->cells < 80000 : level->cells < 2000);
        for (int a = 0; a < 3; a++) {
            assert_true(far ? grid.size[a] > 5 : fabs(grid.size[a] / (3 * (double)d) - 1) < 1e-6);
            for (uint32_t i = 0; i < water.count; i++) { // with one cell around them
                double cell = ((double)at[a][i] - (double)lo[a]) / grid.size[a];
                assert_true(cell > 0.99 && cell < level->n[a] - 0.99);
            }
        }
        water_free(&water);
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
}

// The same particles in another order, on other numbers of threads, move by the same bits.
static void moves_depend_neither_on_order_nor_on_threads(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const float d = 0.1f;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = {4, 3, 3}}, 0.0f, NULL, 0, &obstacles));
    Water one = water_block(vec3_make(0, 0, 0), 30, 24, 20, d),
          other = water_block(vec3_make(0, 0, 0), 30, 24, 20, d);
    for (uint32_t i = 0; i < one.count; i++) {
        one.at.z[i] += 0.3f * d * (float)fluid_test_random(&seed);
        one.density[i] = 0.97f + 0.05f * (float)fluid_test_random(&seed);
    }
    uint32_t step = 7919; // prime to the count
    for (uint32_t i = 0; i < one.count; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * step % one.count);
        other.at.x[i] = one.at.x[k], other.at.y[i] = one.at.y[k], other.at.z[i] = one.at.z[k];
        other.density[i] = one.density[k];
    }
    PressureGrid grids[2] = {0};
    parallel_set_workers(1);
    water_project(&grids[0], obstacles, &one, d);
    parallel_set_workers(3);
    water_project(&grids[1], obstacles, &other, d);
    parallel_set_workers(0);
    for (uint32_t i = 0; i < one.count; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * step % one.count);
        assert_true(other.at.x[i] == one.at.x[k] && other.at.z[i] == one.at.z[k] &&
                    other.lambda_sum[i] == one.lambda_sum[k]);
    }
    water_free(&one);
    water_free(&other);
    for (int k = 0; k < 2; k++) pressure_grid_free(&grids[k]);
    obstacles_destroy(obstacles);
}

// Particles `first` to last - 1 of a water.
static Water part_of(const Water *all, uint32_t first, uint32_t last)
{
    Water part = water_of(last - first);
    float *from[] = {all->at.x, all->at.y, all->at.z, all->density};
    float *to[] = {part.at.x, part.at.y, part.at.z, part.density};
    for (int s = 0; s < 4; s++) memcpy(to[s], from[s] + first, part.count * sizeof(float));
    return part;
}

// Leaves drops of a few spacings, with as much room between them.
static void leave_drops(Water *water, float wide)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < water->count; i++) {
        float at[3] = {water->at.x[i], water->at.y[i], water->at.z[i]};
        if ((int)(at[0] / wide) % 2 || (int)(at[1] / wide) % 2 || (int)(at[2] / wide) % 2) continue;
        water->at.x[count] = at[0], water->at.y[count] = at[1], water->at.z[count++] = at[2];
    }
    water->count = count;
}

typedef struct WayDown {
    int along; // the axis along which the water is long
    bool drops;
} WayDown;

// Water that falls past a ball to the floor, a part of it with each process. A grid that has been elsewhere
// moves it as one does that is new and not divided.
static void project_on_the_way_down(const Links *links, void *context)
{
    const WayDown *way = context;
    const float d = 0.1f;
    uint32_t n[3] = {12, 12, 12}, divided = 0, stays = 0;
    n[way->along] = 36;
    float size[3] = {(float)n[0] * d, (float)n[1] * d, (float)n[2] * d + 1.8f};
    ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.3f},
                        .position = {0.5f * size[0], 0.5f * size[1], 0.9f}};
    TankDef tank = {.present = true, .size = {size[0], size[1], size[2]}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, &ball, 1, &obstacles));
    PressureGrid grid = {.divide_least = 16};
    for (int step = 0; step < 6; step++) {
        Water all =
            water_block(vec3_make(0, 0, 0.3f * (float)(step < 5 ? 5 - step : 0)), n[0], n[1], n[2], d);
        if (way->drops) leave_drops(&all, 3 * d);
        for (uint32_t i = 0; i < all.count; i++) all.density[i] = 1.1f + 0.1f * sinf(9 * all.at.x[i]);
        uint32_t first = all.count * links->rank / links->ranks;
        Water own = part_of(&all, first, all.count * (links->rank + 1) / links->ranks);
        PressureGrid alone = {0};
        water_project(&alone, obstacles, &all, d);
        PressureJob job = water_job(&own, d);
        job.links = links;
        int64_t before = grid.first[2];
        uint32_t cells = grid.poisson.level[0].n[2];
        ASSERT_OK(pressure_grid_cover(&grid, obstacles, d, own.at, own.count, links));
        pressure_grid_project(&grid, &job);
        stays += grid.first[2] != before && grid.poisson.level[0].n[2] == cells;
        divided += grid.share != NULL;
        for (uint32_t i = 0; i < own.count; i++)
            assert_true(vec3_length(vec3_sub(water_moved(&own, i), water_moved(&all, first + i))) == 0.0f);
        pressure_grid_free(&alone);
        water_free(&all);
        water_free(&own);
    }
    if (links->rank == 0) assert_true(stays > 1 && divided == (links->ranks > 1 ? 6 : 0));
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

static void a_grid_forgets_where_walls_were(void **state)
{
    (void)state;
    for (uint32_t ranks = 1; ranks <= 3; ranks++)
        for (int k = 0; k < 6; k++)
            thread_links_run(ranks, project_on_the_way_down, &(WayDown){.along = k / 2, .drops = k % 2});
}

// --- water at rest ---

// A column 120 layers deep rests in steps that know nothing of its depth: no error anywhere, no speed, and
// energy that never rises above the start.
static void deep_water_rests_in_long_steps(void **state)
{
    (void)state;
    for (int k = 0; k < (test_is_quick() ? 1 : 4); k++) {
        FluidDef def = fluid_def_default();
        def.spacing = k & 1 ? 0.05f : 0.1f;
        def.surface_tension = 0.0f;
        def.time_step = k & 2 ? 0.003 : 0.012;
        float d = def.spacing;
        uint32_t layers = 120;
        Fluid *fluid = fluid_for_test(&def, vec3_make(6 * d, 6 * d, 200 * d), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 6, layers, 0, vec3_make(0, 0, 0));
        FluidSums sums = fluid_sums(fluid, 9.81);
        double start = sums.kinetic + sums.potential, most = 0.0, unit = sqrt((double)d / 0.1);
        StepReport report = {0};
        for (int n = 1; n <= 20; n++) {
            report = fluid_run(fluid, 0.15 * n * unit);
            sums = fluid_sums(fluid, 9.81);
            most = fmax(most, (sums.kinetic + sums.potential) / start);
        }
        double wave = sqrt(9.81 * layers * (double)d);
        print_message(
            "%g m, %.1f ms: rms %.2f %% of sqrt(g H), density error %.2f and %.1f %%, energy %.5f\n",
            (double)d, 1e3 * report.dt, 100 * sums.rms_speed / wave, 100 * report.density_error_mean,
            100 * report.density_error_max, most);
        assert_true(report.dt > 0.7 * fmin(def.time_step, 0.1 * sqrt((double)d / 9.81)));
        // In short steps the start is a little denser than they leave it, and bounces.
        assert_true(sums.rms_speed < 0.005 * wave && most < (k & 2 ? 1.01 : 1.001));
        assert_true(report.density_error_mean < 0.004 && report.density_error_max < 0.04);
        fluid_destroy(fluid);
    }
}

// --- what water does to bodies ---

// A step in which all water where no bodies are falls as far, and the grid holds it up.
static void fall_around(PressureGrid *grid, const Obstacles *obstacles, Flow *flow, Vec3 fallen, float d)
{
    Streams3 at = flow->water.at;
    uint32_t count = 0;
    for (uint32_t i = 0; i < flow->water.count; i++) {
        Vec3 place = {at.x[i], at.y[i], at.z[i]};
        if (obstacles_distance(obstacles, place) < 0.25f * d) continue;
        at.x[count] = place.x, at.y[count] = place.y, at.z[count] = place.z;
        flow_set(flow, count++, fallen);
    }
    flow->water.count = count;
    PressureJob job = water_job(&flow->water, d);
    job.from = flow->from, job.pull = (PredictionPull){flow->pull, NULL}, job.pull_share = 1.0f;
    job.gravity = vec3_scale(fallen, 1.0f / (float)(WATER_DT * WATER_DT));
    job.measured = true;
    ASSERT_OK(pressure_grid_cover(grid, obstacles, d, at, count, NULL));
    pressure_grid_project(grid, &job);
}

// Water 16 spacings deep and 12 wide at the far end of a tank, where gravity points to and a box stands,
// wider than the water or not; cut into two where it is `cut` high, unless that is 0. Returns what the box
// does to the water along gravity in a step, over what carries the water above it; of two the upper one.
static double push_of_standing_box(int axis, float length, float height, float across, float cut, float d)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const float fall = 0.02f * d, wide = 12 * d, deep = 16 * d, edge = fminf(across, wide);
    float size[3], middle[3], half[3], corner[3] = {0}, way[3] = {0};
    uint32_t n[3] = {12, 12, 12};
    size[axis] = length, size[b] = size[c] = wide;
    half[b] = half[c] = 0.5f * across, middle[b] = middle[c] = 0.5f * wide;
    corner[axis] = length - deep, way[axis] = fall, n[axis] = 16;
    ObstacleDef box[2];
    for (int k = 0; k < 2; k++) {
        half[axis] = 0.5f * (k ? cut : height - cut);
        middle[axis] = length - (k ? 0 : cut) - half[axis];
        box[k] = (ObstacleDef){.shape = {.kind = SHAPE_BOX, .half_extent = {half[0], half[1], half[2]}},
                               .position = {middle[0], middle[1], middle[2]}};
    }
    TankDef tank = {.present = true, .size = {size[0], size[1], size[2]}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, box, cut > 0 ? 2 : 1, &obstacles));
    PressureGrid grid = {.flow = true};
    Flow flow = flow_of(water_block(vec3_make(corner[0], corner[1], corner[2]), n[0], n[1], n[2], d));
    fall_around(&grid, obstacles, &flow, vec3_make(way[0], way[1], way[2]), d);
    double push[3] = {0}, torque[3] = {0}, carried = (double)((deep - height) * edge * edge * fall);
    pressure_load(&grid, obstacles, 0, push, torque);
    // Along gravity, through the middle.
    ASSERT_WITHIN(push[b], 0, 1e-3 * carried);
    ASSERT_WITHIN(push[c], 0, 1e-3 * carried);
    ASSERT_WITHIN(torque[b], (double)middle[c] * push[axis], 1e-3 * carried * (double)wide);
    ASSERT_WITHIN(torque[c], -(double)middle[b] * push[axis], 1e-3 * carried * (double)wide);
    if (cut > 0) {
        double below[3] = {0}, turned[3] = {0};
        pressure_load(&grid, obstacles, 1, below, turned);
        print_message("below it %.4f\n", -below[axis] / carried);
        ASSERT_WITHIN(below[axis], 0, 0.02 * carried);
    }
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
    flow_free(&flow);
    return -push[axis] / carried;
}

// What stands on the ground carries the water above it, wherever the ground is: nothing presses from below.
// The cube is larger or smaller than the places that it covers in the grid.
static void what_stands_carries_the_water_above_it(void **state)
{
    (void)state;
    const float d = 0.05f, heights[] = {5.8f, 6.05f};
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 2; k++) {
            float height = heights[k] * d;
            double here = push_of_standing_box(axis, 21 * d, height, height, 0, d);
            double there = push_of_standing_box(axis, 210 * d, height, height, 0, d);
            print_message("axis %d, %g spacings: carries %.4f and %.4f of the water above it\n", axis,
                          (double)heights[k], here, there);
            ASSERT_WITHIN(here, 1, 0.1);
            ASSERT_WITHIN(there, here, 1e-3);
        }
}

// What a body does to water around it that a step of gravity along an axis would have fallen, over the weight
// of as much water as it takes the place of: along that axis and the next ones, and times its arm, in
// spacings.
static void push_of_immersed_body(int axis, const Shape *shape, float off, float d, double push[6])
{
    float way[3] = {0}, middle = (9 + off) * d, corner[3] = {0}, size[3] = {21 * d, 21 * d, 21 * d};
    uint32_t n[3] = {21, 21, 21};
    n[axis] = 18, way[axis] = 0.02f * d, corner[axis] = 12 * d, size[axis] = 30 * d;
    ObstacleDef body = {.shape = *shape,
                        .position = {middle + corner[0], middle + corner[1], middle + corner[2]}};
    TankDef tank = {.present = true, .size = {size[0], size[1], size[2]}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, &body, 1, &obstacles));
    PressureGrid grid = {.flow = true};
    Flow flow = flow_of(water_block(vec3_make(corner[0], corner[1], corner[2]), n[0], n[1], n[2], d));
    fall_around(&grid, obstacles, &flow, vec3_make(way[0], way[1], way[2]), d);
    double force[3] = {0}, torque[3] = {0}, weight = obstacle_volume(obstacles, 0) * (double)way[axis];
    pressure_load(&grid, obstacles, 0, force, torque);
    for (int a = 0; a < 3; a++) {
        push[a] = force[(axis + a) % 3] / weight;
        push[3 + a] = torque[(axis + a) % 3] / weight / (double)d;
    }
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
    flow_free(&flow);
}

// Small bodies, which cover fewer places of the grid than they fill, displace water as well as large ones
// (Archimedes), and which axis is which does not matter, wherever they are among cells.
static void bodies_displace_water_along_every_axis_alike(void **state)
{
    (void)state;
    const float d = 0.05f, offs[] = {0, 0.4f, 1.2f};
    const Shape shapes[] = {{.kind = SHAPE_SPHERE, .radius = 1.6f * d},
                            {.kind = SHAPE_BOX, .half_extent = {1.7f * d, 1.7f * d, 1.7f * d}},
                            {.kind = SHAPE_SPHERE, .radius = 3.3f * d},
                            {.kind = SHAPE_BOX, .half_extent = {1.3f * d, 1.3f * d, 1.3f * d}}};
    for (int k = 0; k < 12; k++) {
        double push[3][6];
        for (int axis = 0; axis < 3; axis++) {
            push_of_immersed_body(axis, &shapes[k / 3], offs[k % 3], d, push[axis]);
            for (int a = 0; a < 6; a++) ASSERT_WITHIN(push[axis][a], push[0][a], 2e-3);
        }
        print_message("shape %d, %g spacings off: %.4f of the weight\n", k / 3, (double)offs[k % 3],
                      push[0][0]);
        if (k / 3 == 2 || k % 3 > 0) continue;
        const double expected[6] = {1, 0, 0, 0, 9, -9};
        for (int a = 0; a < 6; a++) ASSERT_WITHIN(push[0][a], expected[a], a < 3 ? 0.05 : 0.5);
    }
}

// No water comes between two of which one stands on the other, wherever in a cell they touch: the upper one
// carries the water alone. Cells beside them are half covered.
static void nothing_pushes_bodies_apart_that_touch(void **state)
{
    (void)state;
    const float d = 0.05f;
    for (int axis = 0; axis < 3; axis++)
        for (float cut = 3; cut < 6; cut += 0.75f) {
            double share = push_of_standing_box(axis, 21 * d, 7.5f * d, 9 * d, cut * d, d);
            print_message("axis %d, cut %g spacings high: carries %.4f of the water\n", axis, (double)cut,
                          share);
            ASSERT_WITHIN(share, 1, 0.15);
            ASSERT_WITHIN(share, push_of_standing_box(axis, 21 * d, 7.5f * d, 9 * d, 0, d), 0.02);
        }
}

// One so wide that to look at all places in it would take years.
static void a_wide_ground_carries_all_the_water(void **state)
{
    (void)state;
    const float d = 0.05f;
    for (int axis = 0; axis < 3; axis++) {
        double share = push_of_standing_box(axis, 21 * d, 6 * d, 1e6f * d, 0, d);
        print_message("axis %d: carries %.4f of the water\n", axis, share);
        ASSERT_WITHIN(share, 1, 0.01);
    }
}

// --- what hangs ---

// Whether something that does not move is right above a cell's upper face, or reaches across a part of it.
static bool is_below_roof(const PressureGrid *grid, const Obstacles *obstacles, const size_t at[3], int axis)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    bool down = grid->fall[axis] < 0;
    if (at[axis] == (down ? level->n[axis] : 1)) return true;
    size_t k = at[0] + level->stride[1] * at[1] + level->stride[2] * at[2];
    size_t upper = down ? k + level->stride[axis] : k - level->stride[axis];
    if (!pressure_wall(grid, upper) && grid->gate[axis][down ? upper : k] == 1) return false;
    float place[3], far = INFINITY;
    for (int a = 0; a < 3; a++) place[a] = ((float)at[a] - 0.5f) * (float)grid->size[a];
    uint32_t nearest = 0;
    for (uint32_t body = 0; body < obstacles_count(obstacles); body++) {
        float distance = obstacle_distance(obstacles, body, vec3_make(place[0], place[1], place[2]));
        if (distance < far) far = distance, nearest = body;
    }
    return obstacles_body(obstacles, nearest)->motion.kind == MOTION_NONE;
}

// Suction that speeds water up, and other pairs of signs, in cells at random; then what hangs is let go:
// water right below a roof, that suction holds against what pulls it away, if something can take its place.
static void check_letting_go(PressureGrid *grid, const Obstacles *obstacles, int axis, bool free_surface)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    float *b = malloc(level->cells * sizeof *b);
    uint64_t random = 1;
    uint32_t hanging = 0, other = 0;
    for (size_t k = 0; k < level->cells; k++) {
        b[k] = level->b[k] = (float)test_cloud_random(&random);
        grid->poisson.phi[k] = (float)test_cloud_random(&random);
    }
    assert_int_equal(pressure_let_go(grid, NULL), free_surface);
    for (size_t z = 1; z <= level->n[2]; z++)
        for (size_t y = 1; y <= level->n[1]; y++)
            for (size_t x = 1; x <= level->n[0]; x++) {
                const size_t at[3] = {x, y, z};
                size_t k = x + level->stride[1] * y + level->stride[2] * z;
                bool hangs = pressure_water(grid, k) && grid->poisson.phi[k] < 0 && b[k] < 0 &&
                             is_below_roof(grid, obstacles, at, axis);
                assert_true(level->b[k] == (hangs && free_surface ? 0 : b[k]));
                hanging += hangs, other += !hangs && pressure_water(grid, k) && b[k] < 0;
            }
    assert_true(hanging > 3 && other > 30);
    free(b);
}

// Two boxes that cover some cells and reach half into those beside them. The second one moves, by next to
// nothing.
static void two_boxes(ObstacleDef boxes[2], int axis, float height)
{
    for (int k = 0; k < 2; k++) {
        float half[3], middle[3];
        half[axis] = 0.15f, middle[axis] = height;
        half[(axis + 1) % 3] = 0.1875f, middle[(axis + 1) % 3] = 0.1875f;
        half[(axis + 2) % 3] = 0.1875f, middle[(axis + 2) % 3] = k ? 1.2f - 0.1875f : 0.1875f;
        boxes[k] = (ObstacleDef){.shape = {.kind = SHAPE_BOX, .half_extent = {half[0], half[1], half[2]}},
                                 .position = {middle[0], middle[1], middle[2]}};
    }
    boxes[1].motion = (MotionDef){
        .kind = MOTION_OSCILLATION, .amplitude = {1e-3f, 1e-3f, 1e-3f}, .period = 1, .stop = INFINITY};
}

// A tank that is half full, beside its air, or full; in it nothing, or boxes in the middle or a cell below
// the upper end, of which the one at rest is a roof.
static void water_that_suction_alone_holds_below_a_roof_is_let_go(void **state)
{
    (void)state;
    const float d = 0.05f;
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < 6; n++) {
            bool full = n % 2, bodies = n / 2 > 0;
            Obstacles *obstacles;
            ObstacleDef boxes[2];
            TankDef tank = {.present = true, .size = {1.2f, 1.2f, 1.2f}};
            two_boxes(boxes, axis, n / 2 == 1 ? 0.6f : 0.9f);
            ASSERT_OK(obstacles_create(tank, 0.0f, boxes, bodies ? 2 : 0, &obstacles));
            ASSERT_OK(obstacles_move(obstacles, 0, 0.1));
            uint32_t count[3] = {24, 24, 24};
            count[(axis + 1) % 3] = full ? 24 : 12;
            Flow flow = flow_of(water_block(vec3_make(0, 0, 0), count[0], count[1], count[2], d));
            for (uint32_t i = 0; i < flow.water.count; i++) flow_set(&flow, i, vec3_make(0, 0, 0));
            PressureGrid grid = {.flow = true};
            PressureJob job = water_job(&flow.water, d);
            job.from = flow.from, job.pull = (PredictionPull){flow.pull, NULL};
            ASSERT_OK(pressure_grid_cover(&grid, obstacles, d, flow.water.at, flow.water.count, NULL));
            pressure_grid_project(&grid, &job);
            for (int sign = -1; sign < 2; sign += 2) {
                grid.fall[axis] = 0.01f * (float)sign;
                check_letting_go(&grid, obstacles, axis, !full);
            }
            pressure_grid_free(&grid);
            obstacles_destroy(obstacles);
            flow_free(&flow);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evenly_compressed_water_rises),
        cmocka_unit_test(water_at_rest_does_not_fall),
        cmocka_unit_test(flow_that_keeps_its_volume_goes_on),
        cmocka_unit_test(what_flies_is_left_alone),
        cmocka_unit_test(holes_close_before_pressure_holds_water),
        cmocka_unit_test(water_does_not_hold_spray_above_it),
        cmocka_unit_test(tension_is_no_part_of_the_flow),
        cmocka_unit_test(water_without_walls_is_as_without_flow),
        cmocka_unit_test(a_thin_plate_parts_waters),
        cmocka_unit_test(what_has_left_through_an_open_side_is_let_go),
        cmocka_unit_test(cells_grow_where_there_are_too_many),
        cmocka_unit_test(moves_depend_neither_on_order_nor_on_threads),
        cmocka_unit_test(a_grid_forgets_where_walls_were),
        cmocka_unit_test(what_stands_carries_the_water_above_it),
        cmocka_unit_test(bodies_displace_water_along_every_axis_alike),
        cmocka_unit_test(nothing_pushes_bodies_apart_that_touch),
        cmocka_unit_test(a_wide_ground_carries_all_the_water),
        cmocka_unit_test(water_that_suction_alone_holds_below_a_roof_is_let_go),
        cmocka_unit_test(deep_water_rests_in_long_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
