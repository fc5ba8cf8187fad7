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
    job.from = flow.from, job.water = names, job.move_max = 0.7f;
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
    enum { ROOM = 1930 };
    Water water = water_of(ROOM);
    static int kinds[ROOM];
    uint32_t n = 0;
    put_block(&water, kinds, &n, FREE, vec3_make(0.9f, 0.9f, 0.9f), d);
    put(&water, kinds, &n, FREE, vec3_make(1.35f, 1.15f, 1.65f)); // in the cell above
    put_block(&water, kinds, &n, HELD, vec3_make(2.7f, 2.7f, 0.9f), d);
    water.release[n - 5] = 2;
    put_block(&water, kinds, &n, STANDING, vec3_make(2.7f, 0.6f, 0), d);
    for (int k = 0; k < 70; k++) put(&water, kinds, &n, HEAP, vec3_make(0.75f, 3.15f, 3.15f));
    put(&water, kinds, &n, LONE, vec3_make(3.5f, 3.5f, 3.5f));
    for (int k = 0; k < 3 * 3 * 60; k++)
        put(&water, kinds, &n, ROD,
            vec3_make(0.35f + 0.1f * (float)(k % 3), 3.95f + 0.1f * (float)(k / 3 % 3),
                      1.25f + 0.1f * (float)(k / 9)));
    for (int k = 0; k < 63 + 64; k++) { // two cells full, and some of a third
        int kind = k < 63 ? FEW : ENOUGH, m = k < 63 ? k : k - 63;
        put(&water, kinds, &n, kind,
            vec3_make(1.85f + 0.1f * (float)(m / 9), (kind == FEW ? 0.95f : 2.75f) + 0.1f * (float)(m % 3),
                      6.05f + 0.1f * (float)(m / 3 % 3)));
    }
    water.count = n;
    PressureGrid grid = {0};
    PressureJob job = water_job(&water, d);
    job.move_max = 0.7f;
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
    assert_true(pressure_free_turning(&grid, FREE_WATER_MAX).held);
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

// Water in cells of a tank of fifteen along each axis, as much in each: near its middle, so that others get
// little of it.
static Water fill_cells(const int (*at)[3], uint32_t cells, float d)
{
    Water water = water_of(27 * cells);
    for (uint32_t i = 0; i < water.count; i++) {
        const int *cell = at[i / 27], k = (int)i % 27;
        const float in[3] = {0.5f * (float)(k % 3), 0.5f * (float)(k / 3 % 3), 0.5f * (float)(k / 9)};
        water.at.x[i] = d * ((float)(3 * cell[0] + 1) + in[0]);
        water.at.y[i] = d * ((float)(3 * cell[1] + 1) + in[1]);
        water.at.z[i] = d * ((float)(3 * cell[2] + 1) + in[2]);
        water.density[i] = 1.0f;
    }
    return water;
}

// Moves each cell's particles as one of the solid bodies, and takes the waters' own motion out of that.
// Returns how many waters there are.
static uint32_t move_cells(Water *water, const int *kinds, const Obstacles *obstacles, float d)
{
    PressureGrid grid = {0};
    PressureJob job = water_job(water, d);
    water_project(&grid, obstacles, water, d);
    for (uint32_t i = 0; i < water->count; i++) {
        Vec3 move = rigid_move(water, kinds[i / 27], i);
        water->move.x[i] = move.x, water->move.y[i] = move.y, water->move.z[i] = move.z;
    }
    free_moves(&grid, &job);
    uint32_t waters = grid.waters;
    pressure_grid_free(&grid);
    return waters;
}

static Obstacles *tank_of_cells(float d, ObstacleDef *bodies, uint32_t count)
{
    TankDef tank = {.present = true, .size = {45 * d, 45 * d, 45 * d}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, bodies, count, &obstacles));
    return obstacles;
}

// Water turns as a solid body does though it is flat, whichever way it faces, or lies across all axes.
static void flat_and_slanted_waters_lose_their_turning(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int kind = 0; kind < 7; kind++) {
        int at[16][3], kinds[16];
        uint32_t n = 0;
        for (int k = 0; k < 16; k++, n++) {
            int axis = kind % 3, b = (axis + 1) % 3, c = (axis + 2) % 3;
            at[k][axis] = 6, at[k][b] = 5 + k % 4, at[k][c] = 5 + k / 4; // one cell thick
            kinds[k] = FREE;
            // Stairs, up or down.
            for (int a = 0; a < 3 && kind > 2; a++)
                at[k][a] = (kind - 3) >> a & 1 ? 9 - (k + a) / 3 : 4 + (k + a) / 3;
        }
        Obstacles *obstacles = tank_of_cells(d, NULL, 0);
        Water water = fill_cells((const int(*)[3])at, n, d);
        if (kind < 3) { // one particle thick
            float *across[3] = {water.at.x, water.at.y, water.at.z};
            for (uint32_t i = 0; i < water.count; i++) across[kind][i] = 19.5f * d;
        }
        assert_int_equal(move_cells(&water, kinds, obstacles, d), 1);
        for (uint32_t i = 0; i < water.count; i++)
            if (vec3_length(water_moved(&water, i)) > 2e-4f)
                fail_msg("particle %u of water %d keeps a move of %g m", i, kind,
                         (double)vec3_length(water_moved(&water, i)));
        water_free(&water);
        obstacles_destroy(obstacles);
    }
}

// Each of them loses its own motion.
static void waters_that_share_an_edge_are_two(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int axis = 0; axis < 3; axis++)
        for (int down = 0; down < 2; down++) {
            int at[4][3];
            const int kinds[4] = {FREE, FREE, ROD, ROD};
            for (int k = 0; k < 4; k++) {
                at[k][axis] = 6 + k % 2;
                at[k][(axis + 1) % 3] = 6 + k / 2;
                at[k][(axis + 2) % 3] = down ? 6 - k / 2 : 6 + k / 2;
            }
            Obstacles *obstacles = tank_of_cells(d, NULL, 0);
            Water water = fill_cells((const int(*)[3])at, 4, d);
            assert_int_equal(move_cells(&water, kinds, obstacles, d), 2);
            for (uint32_t i = 0; i < water.count; i++)
                assert_true(vec3_length(water_moved(&water, i)) < 2e-4f);
            water_free(&water);
            obstacles_destroy(obstacles);
        }
}

// Whether a wall holds a cell of water.
static bool is_held(const int at[3], ObstacleDef *body, float d)
{
    const int cell[1][3] = {{at[0], at[1], at[2]}}, kinds[1] = {FREE};
    Obstacles *obstacles = tank_of_cells(d, body, body ? 1 : 0);
    Water water = fill_cells(cell, 1, d);
    assert_int_equal(move_cells(&water, kinds, obstacles, d), 1);
    bool held = vec3_length(water_moved(&water, 0)) > 0.01f;
    water_free(&water);
    obstacles_destroy(obstacles);
    return held;
}

// By the tank, by a body that fills the cell beside it, and by one that covers part of a face; not by any a
// cell away.
static void walls_hold_water_that_touches_them_from_any_side(void **state)
{
    (void)state;
    const float d = 0.1f;
    for (int side = 0; side < 6; side++)
        for (int away = 0; away < 2; away++) {
            int axis = side / 2, sign = side % 2 ? 1 : -1, at[3] = {6, 6, 6}, edge[3] = {6, 6, 6};
            edge[axis] = sign < 0 ? away : 14 - away;
            assert_int_equal(is_held(edge, NULL, d), !away);
            for (int part = 0; part < 2; part++) {
                float middle[3] = {19.5f * d, 19.5f * d, 19.5f * d}, half[3] = {0.9f * d, 0.9f * d, 0.9f * d};
                middle[axis] += (float)sign * (part ? 1.5f + 3 * (float)away : 3 + 3 * (float)away) * d;
                for (int a = 0; a < 3 && !part; a++) half[a] = 1.5f * d;
                ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = {half[0], half[1], half[2]}},
                                    .position = {middle[0], middle[1], middle[2]}};
                assert_int_equal(is_held(at, &body, d), !away);
            }
        }
}

// --- water that is held ---

// Cells of a tank, of which bodies fill the lowest ones along x and z; a plate parts them along y.
enum { ALONG_X = 9, ALONG_Y = 7, ALONG_Z = 9, PLATE = 2, PROBES = 20000 };
static const int along[3] = {ALONG_X, ALONG_Y, ALONG_Z};

static bool is_open(const int at[3])
{
    return at[0] >= 1 && at[2] >= 1;
}

// Cells in one part of the tank are filled at random, others not at all; a drop in the furthest one makes the
// grid reach there.
static Water patches(float d, uint64_t *seed)
{
    Water water = water_of(3 * 4 * 4 * 27 + 1);
    water.count = 1, water.density[0] = 1.0f;
    water.at.x[0] = (ALONG_X - 0.5f) * 3 * d;
    water.at.y[0] = (ALONG_Y - 0.5f) * 3 * d;
    water.at.z[0] = (ALONG_Z - 0.5f) * 3 * d;
    for (int k = 0; k < 3 * 4 * 4; k++) {
        uint32_t n = fluid_test_random(seed) < 0.5 ? 0 : (uint32_t)(28 * fluid_test_random(seed));
        for (uint32_t i = water.count; i < water.count + n; i++) {
            water.at.x[i] = 3 * d * (1.5f + (float)(k % 3));
            water.at.y[i] = 3 * d * (0.5f + (float)(k / 3 % 4));
            water.at.z[i] = 3 * d * (1.5f + (float)(k / 12));
            water.density[i] = 1.0f;
        }
        water.count += n;
    }
    return water;
}

static float fill_at(const PressureGrid *grid, const int at[3])
{
    size_t k = 0;
    for (int a = 0; a < 3; a++) k += (size_t)(at[a] + 1) * grid->poisson.level[0].stride[a];
    return grid->fill[k];
}

// How full cells are between whose centers a place is, without those that bodies fill or part from it; 0
// where there are no others.
static double filling(const PressureGrid *grid, const double u[3])
{
    const int own[3] = {(int)u[0], (int)u[1], (int)u[2]};
    double sum = 0, all = 0;
    for (int c = 0; c < 8; c++) {
        int at[3];
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            double from = fmin(fmax(u[a] - 0.5, 0), along[a] - 1), part = from - floor(from);
            bool upper = c >> a & 1;
            at[a] = (int)floor(from) + upper;
            weight *= at[a] == along[a] ? 0 : upper ? part : 1 - part;
        }
        bool parted = is_open(own) && (at[1] < PLATE) != (u[1] < PLATE);
        if (weight == 0 || !is_open(at) || parted) continue;
        sum += weight * (double)fill_at(grid, at), all += weight;
    }
    return all > 0 ? sum / all : 0;
}

// Whether there is water in a place's cell or in one of those around it.
static bool is_beside_water(const PressureGrid *grid, const double u[3])
{
    bool found = false;
    for (int n = 0; n < 27; n++) {
        const int offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        int at[3];
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            at[a] = (int)fmin(fmax(floor(u[a]), 0), along[a] - 1) + offset[a];
            inside &= at[a] >= 0 && at[a] < along[a];
        }
        found |= inside && is_open(at) && fill_at(grid, at) > 0.5f;
    }
    return found;
}

// Anywhere but in the plate, and in what bodies cover next to open water; some lie outside of the tank, by as
// little as rounding takes them there.
static void scatter(Water *probes, float cell, uint64_t *seed)
{
    float *at[3] = {probes->at.x, probes->at.y, probes->at.z};
    for (uint32_t i = 0; i < probes->count; i++)
        for (int a = 0; a < 3; a++) {
            double u = (along[a] + 0.2) * fluid_test_random(seed) - 0.1;
            if (fabs(u - (a == 1 ? PLATE : 0.85)) < (a == 1 ? 0.25 : 0.15)) u -= 0.5;
            at[a][i] = (float)fmin(fmax(u, -1e-5), along[a] + 1e-5) * cell;
        }
}

static void check_shares(PressureGrid *grid, float d, uint64_t *seed)
{
    Water probes = water_of(PROBES);
    scatter(&probes, 3 * d, seed);
    for (uint32_t i = 0; i < PROBES; i++)
        probes.move.x[i] = 0.1f, probes.move.y[i] = -0.2f, probes.move.z[i] = 0.3f;
    PressureJob particles = water_job(&probes, d);
    GridJob job = {.grid = grid, .particles = &particles, .scale = pressure_scale(grid)};
    pressure_free(&job);
    uint32_t parts = 0, far = 0;
    for (uint32_t i = 0; i < PROBES; i++) {
        const Vec3 u = vec3_scale(vec3_make(probes.at.x[i], probes.at.y[i], probes.at.z[i]), 1 / (3 * d));
        const double at[3] = {(double)u.x, (double)u.y, (double)u.z};
        bool beside = is_beside_water(grid, at);
        double share = beside ? fmin(fmax(4 * filling(grid, at) - 1, 0), 1) : 0;
        Vec3 taken = vec3_scale(water_moved(&probes, i), 10), all = {1, -2, 3};
        if (vec3_length(vec3_sub(taken, vec3_scale(all, (float)share))) > 1e-4f)
            fail_msg("a particle at %.4f %.4f %.4f cells takes %.5f of the moves, should take %.5f", at[0],
                     at[1], at[2], (double)taken.x, share);
        parts += share > 0 && share < 1, far += !beside;
    }
    assert_true(parts > PROBES / 100 && far > PROBES / 10);
    water_free(&probes);
}

// Of what moves water that is held, particles take all where cells around them are half full, and nothing
// where these are filled by a quarter; nor do any further than a cell from water.
static void particles_take_their_share_of_held_waters_moves(void **state)
{
    (void)state;
    const float d = 0.1f;
    const Vec3 wide = {ALONG_X * 3 * d, ALONG_Y * 3 * d, ALONG_Z * 3 * d};
    uint64_t seed = 17;
    ObstacleDef slab[3];
    for (int k = 0; k < 3; k++)
        slab[k] = (ObstacleDef){.shape = {.kind = SHAPE_BOX, .half_extent = wide}, .position = wide};
    slab[0].position.x = 3 * d - wide.x, slab[1].position.z = 3 * d - wide.z;
    slab[2].position.y = 3 * PLATE * d, slab[2].shape.half_extent.y = 0.5f * d;
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = wide}, 0.0f, slab, 3, &obstacles));
    for (int n = 0; n < 3; n++) {
        Water water = patches(d, &seed);
        PressureGrid grid = {.flow = true};
        water_project(&grid, obstacles, &water, d);
        pressure_free_name(&grid);
        for (uint32_t name = 1; name <= grid.waters; name++) pressure_free_hold(&grid, name);
        check_shares(&grid, d, &seed);
        water_free(&water);
        pressure_grid_free(&grid);
    }
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_water_keeps_its_momentum),
        cmocka_unit_test(free_waters_lose_all_of_a_solid_bodys_motion),
        cmocka_unit_test(a_flood_stays_among_the_cells_it_is_given),
        cmocka_unit_test(so_many_waters_are_free),
        cmocka_unit_test(flat_and_slanted_waters_lose_their_turning),
        cmocka_unit_test(waters_that_share_an_edge_are_two),
        cmocka_unit_test(walls_hold_water_that_touches_them_from_any_side),
        cmocka_unit_test(particles_take_their_share_of_held_waters_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
