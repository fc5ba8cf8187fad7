// Water that nothing holds keeps its momentum, and spray beside water that is held takes its share of moves.
#include "core/memory.h"
#include "fluid/pressure_free.h"
#include "fluid/pressure_walls.h"
#include "fluid_helpers.h"
#include "pressure_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// In free flight, unevenly compressed: neither momentum nor angular momentum.
static void free_water_keeps_its_momentum(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const float d = 0.05f;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
    Water water = water_block(vec3_make(7, -3, 2), 20, 14, 17, d);
    for (uint32_t i = 0; i < water.count; i++) {
        water.at.x[i] += (float)fluid_test_random(&seed) * d;
        water.density[i] = 0.97f + 0.1f * (float)fluid_test_random(&seed) + 0.02f * water.at.x[i];
    }
    PressureGrid grid = {0};
    Water before = water_block(vec3_make(0, 0, 0), 20, 14, 17, d);
    memcpy(before.at.x, water.at.x, water.count * sizeof *water.at.x);
    memcpy(before.at.y, water.at.y, water.count * sizeof *water.at.y);
    memcpy(before.at.z, water.at.z, water.count * sizeof *water.at.z);
    water_project(&grid, obstacles, &water, d);
    double p[3] = {0}, l[3] = {0}, size = 0.0;
    for (uint32_t i = 0; i < water.count; i++) {
        double x[3] = {(double)before.at.x[i] - 7.5, (double)before.at.y[i] + 2.6,
                       (double)before.at.z[i] - 2.4};
        double u[3] = {(double)water.move.x[i], (double)water.move.y[i], (double)water.move.z[i]};
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            p[a] += u[a];
            l[a] += x[b] * u[c] - x[c] * u[b];
            size += fabs(u[a]);
        }
    }
    print_message("moves of %.3g m in all: %.1e of it left over, %.1e m of it as turn\n", size,
                  (fabs(p[0]) + fabs(p[1]) + fabs(p[2])) / size,
                  (fabs(l[0]) + fabs(l[1]) + fabs(l[2])) / size);
    assert_true(size > 0.1);
    for (int a = 0; a < 3; a++) assert_true(fabs(p[a]) < 1e-5 * size && fabs(l[a]) < 1e-5 * size);
    water_free(&water);
    water_free(&before);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// --- waters that nothing holds ---

// Particles of each kind move as a solid body.
enum { FREE, HELD, STANDING, HEAP, LONE, ROD, FEW, ENOUGH, KINDS };

static void put(Water *water, int *kinds, uint32_t *n, int kind, Vec3 at)
{
    kinds[*n] = kind;
    water->at.x[*n] = at.x, water->at.y[*n] = at.y, water->at.z[*n] = at.z;
    water->density[(*n)++] = 1.0f;
}

// A block without a corner, in cells of three spacings.
static void put_block(Water *water, int *kinds, uint32_t *n, int kind, Vec3 corner, float d)
{
    for (uint32_t k = 0; k < 9 * 6 * 6; k++) {
        Vec3 place = vec3_make((float)(k % 9), (float)(k / 9 % 6), (float)(k / 54));
        if (place.x >= 6 && place.y >= 3 && place.z >= 3) continue;
        put(water, kinds, n, kind,
            vec3_add(corner, vec3_scale(vec3_add(place, vec3_make(0.5f, 0.5f, 0.5f)), d)));
    }
}

static const Vec3 turn[KINDS] = {{0.05f, -0.1f, 0.2f},
                                 {0.1f, 0, 0},
                                 {0, 0, 0.1f},
                                 [ROD] = {0.05f, -0.03f, 0.1f},
                                 [FEW] = {0, 0.1f, 0.1f},
                                 [ENOUGH] = {0, 0.1f, 0.1f}};

static Vec3 rigid_move(const Water *water, int kind, uint32_t i)
{
    static const Vec3 drift[KINDS] = {{0.1f, -0.2f, 0.15f}, {0, 0.3f, 0}, {0.1f, 0, 0},
                                      {0.2f, 0.1f, -0.3f},  {1, 0, 0},    {0.2f, 0, 0.1f}};
    Vec3 at = {water->at.x[i], water->at.y[i], water->at.z[i]};
    return vec3_add(drift[kind], vec3_cross(turn[kind], vec3_sub(at, vec3_make(1, 1.5f, 2))));
}

static void free_moves(PressureGrid *grid, const PressureJob *particles)
{
    GridJob job = {.grid = grid, .particles = particles, .scale = pressure_scale(grid)};
    pressure_free_name(grid);
    pressure_free(&job);
}

// Particles come a share of their moves' way. Only water in the air is said to turn, if it has 64 particles,
// by 1e-5 rad or more, and by 0.1 rad at most.
static void check_turning(PressureGrid *grid, Water *water, const int *kinds, float d, float share)
{
    Flow flow = flow_of(*water);
    float *names = water_stream(water->count);
    for (uint32_t i = 0; i < water->count; i++)
        flow_set(&flow, i, vec3_scale(rigid_move(water, kinds[i], i), share));
    PressureJob job = water_job(water, d);
    job.from = flow.from, job.water = names;
    free_moves(grid, &job);
    for (uint32_t i = 0; i < water->count; i++) {
        FreeTurning told_of = pressure_free_turning(grid, (uint32_t)names[i]);
        assert_int_equal(told_of.held, kinds[i] == HELD || kinds[i] == STANDING);
        Vec3 found = told_of.turning;
        bool told = kinds[i] == FREE || kinds[i] == ROD || kinds[i] == ENOUGH;
        float size = vec3_length(turn[kinds[i]]), most = 0.1f / size;
        told = told && share * size >= 1e-5f;
        Vec3 should = vec3_scale(turn[kinds[i]], !told ? 0.0f : share < most ? share : most);
        if (!(vec3_length(vec3_sub(found, should)) <= 5e-3f * vec3_length(should) + 2e-6f))
            fail_msg("particle %u of kind %d turns by %g rad, should be %g", i, kinds[i],
                     (double)vec3_length(found), (double)vec3_length(should));
    }
    float *streams[] = {flow.from.x, flow.from.y, flow.from.z, flow.pull.x, flow.pull.y, flow.pull.z, names};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) memory_free(streams[k]);
}

// Drift and turning are taken out of water in the air, of a drop beside it, and of a slender rod; a heap of
// particles at one place does not turn. What a wall or a nozzle holds keeps its moves, and what is far from
// water gets none.
static void free_waters_lose_all_of_a_solid_bodys_motion(void **state)
{
    (void)state;
    const float d = 0.1f;
    Obstacles *obstacles;
    ASSERT_OK(
        obstacles_create((TankDef){.present = true, .size = {4.5f, 4.5f, 9.0f}}, 0.0f, NULL, 0, &obstacles));
    enum { ROOM = 1900 };
    Water water = water_of(ROOM);
    static int kinds[ROOM];
    uint32_t n = 0;
    put_block(&water, kinds, &n, FREE, vec3_make(0.9f, 0.9f, 0.9f), d);
    put(&water, kinds, &n, FREE, vec3_make(1.35f, 1.15f, 1.65f)); // in the cell above
    put_block(&water, kinds, &n, HELD, vec3_make(2.7f, 2.7f, 0.9f), d);
    water.release[n - 5] = 2;
    put_block(&water, kinds, &n, STANDING, vec3_make(2.7f, 0.6f, 0), d);
    for (int k = 0; k < 40; k++) put(&water, kinds, &n, HEAP, vec3_make(0.75f, 3.15f, 3.15f));
    put(&water, kinds, &n, LONE, vec3_make(3.5f, 3.5f, 3.5f));
    for (int k = 0; k < 3 * 3 * 60; k++)
        put(&water, kinds, &n, ROD,
            vec3_make(0.35f + 0.1f * (float)(k % 3), 3.95f + 0.1f * (float)(k / 3 % 3),
                      1.25f + 0.1f * (float)(k / 9)));
    for (int k = 0; k < 54 + 81; k++) { // two cells full, and three
        int kind = k < 54 ? FEW : ENOUGH, m = k < 54 ? k : k - 54;
        put(&water, kinds, &n, kind,
            vec3_make(1.85f + 0.1f * (float)(m / 9), (kind == FEW ? 0.95f : 2.75f) + 0.1f * (float)(m % 3),
                      6.05f + 0.1f * (float)(m / 3 % 3)));
    }
    water.count = n;
    PressureGrid grid = {0};
    PressureJob job = water_job(&water, d);
    water_project(&grid, obstacles, &water, d);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(water.move.x[i] == 0 && water.move.y[i] == 0 && water.move.z[i] == 0); // at rest
        Vec3 move = rigid_move(&water, kinds[i], i);
        water.move.x[i] = move.x, water.move.y[i] = move.y, water.move.z[i] = move.z;
    }
    free_moves(&grid, &job);
    for (uint32_t i = 0; i < n; i++) {
        Vec3 left = {water.move.x[i], water.move.y[i], water.move.z[i]};
        bool kept = kinds[i] == HELD || kinds[i] == STANDING;
        if (kept) assert_true(vec3_equal(left, rigid_move(&water, kinds[i], i)));
        if (!kept && !(vec3_length(left) < (kinds[i] == LONE ? 1e-30f : 2e-4f)))
            fail_msg("particle %u of kind %d keeps a move of %g m", i, kinds[i], (double)vec3_length(left));
    }
    static const float shares[] = {0.02f, 2e-4f, 4e-5f, 0.4f, 2.0f};
    for (int k = 0; k < 5; k++) check_turning(&grid, &water, kinds, d, shares[k]);
    water.count = ROOM;
    water_free(&water);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// In a block of water that is wider on all sides.
static void a_flood_stays_among_the_cells_it_is_given(void **state)
{
    (void)state;
    const float d = 0.1f;
    const CellBox among = {{2, 3, 2}, {4, 5, 5}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
    Water water = water_block(vec3_make(0, 0, 0), 18, 18, 18, d);
    for (uint32_t i = 0; i < water.count; i++) water.density[i] = 1.0f;
    PressureGrid grid = {0};
    water_project(&grid, obstacles, &water, d);
    const PoissonLevel *level = &grid.poisson.level[0];
    size_t start = among.lo[0] + among.lo[1] * level->stride[1] + among.lo[2] * level->stride[2];
    memset(grid.water, 0, level->cells * sizeof *grid.water);
    assert_false(pressure_free_flood(&grid, among, start, 1));
    for (size_t k = 0; k < level->cells; k++) {
        size_t at[3];
        bool inside = true;
        poisson_place(level, k, at);
        for (int a = 0; a < 3; a++) inside &= at[a] >= among.lo[a] && at[a] < among.hi[a];
        assert_int_equal(grid.water[k], inside);
        if (inside) assert_true(pressure_water(&grid, k + 1) && pressure_water(&grid, k + level->stride[1]));
    }
    water_free(&water);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// The first waters of a splash, and no more.
static void so_many_waters_are_free(void **state)
{
    (void)state;
    enum { WATERS = 11 * 10 * 10, EACH = 18 };
    const float d = 0.1f;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
    Water water = water_of(WATERS * EACH);
    for (uint32_t i = 0; i < water.count; i++) {
        uint32_t k = i / EACH;
        water.at.x[i] = 0.15f + 0.6f * (float)(k % 11);
        water.at.y[i] = 0.15f + 0.6f * (float)(k / 11 % 10);
        water.at.z[i] = 0.15f + 0.6f * (float)(k / 110);
        water.density[i] = 1.0f;
    }
    PressureGrid grid = {0};
    PressureJob job = water_job(&water, d);
    water_project(&grid, obstacles, &water, d);
    for (uint32_t i = 0; i < water.count; i++) water.move.y[i] = 0.25f;
    free_moves(&grid, &job);
    for (uint32_t i = 0; i < water.count; i++) {
        float left = i / EACH + 1 < FREE_WATER_MAX ? 0 : 0.25f;
        if (!(fabsf(water.move.y[i] - left) <= 1e-6f))
            fail_msg("water %u keeps a move of %g m, should be %g", i / EACH, (double)water.move.y[i],
                     (double)left);
    }
    water_free(&water);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_water_keeps_its_momentum),
        cmocka_unit_test(free_waters_lose_all_of_a_solid_bodys_motion),
        cmocka_unit_test(a_flood_stays_among_the_cells_it_is_given),
        cmocka_unit_test(so_many_waters_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
