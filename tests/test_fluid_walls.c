// Which cells and faces of the pressure grid are open to water, and which of them a particle counts for.
#include "fluid/pressure_cells.h"
#include "fluid/pressure_walls.h"
#include "fluid_helpers.h"
#include "obstacle_helpers.h"

#include <math.h>
#include <stdlib.h>

// --- cells and faces ---

// Whether the place with numbers i of 4 x 4 x 4 in a cell, or beyond it, is outside of bodies.
static bool place_is_free(const PressureGrid *grid, const Obstacles *obstacles, const uint32_t at[3],
                          const int i[3])
{
    const double lo[3] = {(double)grid->lo.x, (double)grid->lo.y, (double)grid->lo.z};
    float place[3];
    for (int a = 0; a < 3; a++) place[a] = (float)(lo[a] + grid->size[a] * (at[a] - 1 + (i[a] + 0.5) / 4));
    return obstacles_distance(obstacles, vec3_make(place[0], place[1], place[2])) > 0;
}

// Of eight places in a row across a face: 0 where a body between free places has its middle nearer to this
// face than to the next ones, four places away; else the mean of the two at the face.
static double line_is_open(const bool free[8])
{
    for (int first = 1; first < 7; first++)
        for (int last = first; last < 7; last++) {
            bool body = free[first - 1] && free[last + 1];
            for (int p = first; p <= last; p++) body &= !free[p];
            double off = 0.5 * (first + last) - 3.5;
            if (body && off >= -2 && off < 2) return 0;
        }
    return 0.5 * free[3] + 0.5 * free[4];
}

// The free places of a cell on its side of bodies: the largest of their parts in which one leads to the next.
static void side_of(const PressureGrid *grid, const Obstacles *obstacles, const uint32_t at[3], bool side[64])
{
    int label[64], size[64] = {0}, largest = 0;
    for (int s = 0; s < 64; s++)
        label[s] = place_is_free(grid, obstacles, at, (int[3]){s % 4, s / 4 % 4, s / 16}) ? s : -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int s = 0; s < 64; s++)
            for (int t = 0; t < 64; t++) {
                if (label[t] < 0 || label[s] <= label[t]) continue;
                if (abs(s % 4 - t % 4) + abs(s / 4 % 4 - t / 4 % 4) + abs(s / 16 - t / 16) != 1) continue;
                label[s] = label[t], changed = true;
            }
    }
    for (int s = 0; s < 64; s++) size[label[s] < 0 ? 0 : label[s]] += label[s] >= 0;
    for (int s = 1; s < 64; s++) largest = size[s] > size[largest] ? s : largest;
    for (int s = 0; s < 64; s++) side[s] = label[s] == largest;
}

// The share of the sixteen places of a cell next to a side of the grid that are open.
static double open_at_side(const bool side[64], int axis, int layer)
{
    int open = 0;
    for (int s = 0; s < 64; s++) {
        const int i[3] = {s % 4, s / 4 % 4, s / 16};
        open += i[axis] == layer && side[s];
    }
    return open / 16.0;
}

// The share of the places in a half of a cell that bodies cover.
static void check_halves(const PressureGrid *grid, const Obstacles *obstacles, const uint32_t at[3], size_t k)
{
    int covered[3][2] = {{0}};
    for (int s = 0; s < 64; s++) {
        const int i[3] = {s % 4, s / 4 % 4, s / 16};
        for (int axis = 0; axis < 3; axis++)
            covered[axis][i[axis] / 2] += !place_is_free(grid, obstacles, at, i);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int half = 0; half < 2; half++)
            assert_float_equal(pressure_covered_half(grid, k, axis, half ? 1 : -1),
                               covered[axis][half] / 32.0, 0);
}

// The share of 64 places that are open in a cell, how open sixteen lines through a face are, and where that
// is.
static void check_cell(const PressureGrid *grid, const Obstacles *obstacles, const uint32_t at[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
    bool side[2][64]; // of the cell below, of this one
    int open = 0;
    check_halves(grid, obstacles, at, k);
    side_of(grid, obstacles, at, side[1]);
    for (int s = 0; s < 64; s++) open += side[1][s];
    assert_float_equal(grid->open[k], open / 64.0, 0);
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0, center[3];
        bool touch = false; // somewhere, both places at the face are free
        for (int a = 0; a < 3; a++) center[a] = (at[a] - (a == axis ? 1.0 : 0.5)) * grid->size[a];
        obstacle_assert_near(
            pressure_face_center(grid, k, axis),
            vec3_add(grid->lo, vec3_make((float)center[0], (float)center[1], (float)center[2])), 1e-5);
        if (at[axis] == level->n[axis])
            assert_float_equal(grid->gate[axis][k + level->stride[axis]], open_at_side(side[1], axis, 3), 0);
        if (at[axis] == 1) {
            assert_float_equal(grid->gate[axis][k], open_at_side(side[1], axis, 0), 0);
            continue;
        }
        uint32_t below[3] = {at[0], at[1], at[2]};
        below[axis]--;
        side_of(grid, obstacles, below, side[0]);
        for (int line = 0; line < 16; line++) {
            bool free[8];
            for (int p = 0; p < 8; p++) {
                int i[3];
                i[axis] = p % 4, i[(axis + 1) % 3] = line % 4, i[(axis + 2) % 3] = line / 4;
                free[p] = side[p / 4][i[0] + 4 * i[1] + 16 * i[2]];
            }
            touch |= free[3] && free[4];
            sum += line_is_open(free);
        }
        assert_float_equal(grid->gate[axis][k], touch ? sum / 16 : 0, 0);
    }
}

// Bodies that go, stand and come back, in a grid that looks only at what has changed.
static void walls_of_the_grid_are_where_bodies_are(void **state)
{
    (void)state;
    const float d = 0.1f;
    ObstacleDef bodies[3] = {
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.3f, 0.5f, 0.07f}}, .position = {1.5f, 1.5f, 0.8f}},
        {.shape = {.kind = SHAPE_SPHERE, .radius = 0.4f}, .position = {0.6f, 2.2f, 1.4f}},
        {.shape = {.kind = SHAPE_CYLINDER, .radius = 0.2f, .half_height = 0.5f},
         .position = {2.4f, 0.6f, 0.6f}}};
    bodies[0].motion = (MotionDef){
        .kind = MOTION_OSCILLATION, .amplitude = {0.9f, 0.3f, 0.5f}, .period = 1, .stop = INFINITY};
    bodies[2].motion =
        (MotionDef){.kind = MOTION_OSCILLATION, .amplitude = {0, 0.5f, 0.2f}, .period = 0.4, .stop = 0.45};
    Obstacles *obstacles;
    TankDef tank = {.present = true, .size = {2.9f, 2.9f, 2.32f}};
    ASSERT_OK(obstacles_create(tank, 0.0f, bodies, 3, &obstacles));
    float corners[3][2] = {{0.05f, 2.85f}, {0.05f, 2.85f}, {0.05f, 2.25f}}; // cells cover what is between
    const Streams3 at = {corners[0], corners[1], corners[2]};
    PressureGrid grid = {0};
    const double times[] = {0, 0.25, 0.25, 0.3, 0.75, 1, 1.25, 1.3, 1.3, 0.25};
    double before = 0;
    for (size_t t = 0; t < sizeof times / sizeof *times; before = times[t++]) {
        ASSERT_OK(obstacles_move(obstacles, before, times[t]));
        PressureGrid anew = {0};
        ASSERT_OK(pressure_grid_cover(&grid, obstacles, d, at, 2, NULL));
        ASSERT_OK(pressure_grid_cover(&anew, obstacles, d, at, 2, NULL));
        assert_memory_equal(grid.full, anew.full, grid.poisson.level[0].cells * sizeof *grid.full);
        pressure_grid_free(&anew);
        const uint32_t *n = grid.poisson.level[0].n;
        assert_true(n[0] == 10 && n[1] == 10 && n[2] == 8 && grid.bodies);
        for (uint32_t k = 0; k < n[0] * n[1] * n[2]; k++)
            check_cell(&grid, obstacles,
                       (uint32_t[]){1 + k % n[0], 1 + k / n[0] % n[1], 1 + k / n[0] / n[1]});
    }
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// A closed face parts two cells if of all pairs of places that meet at it one is covered.
static void cells_are_parted_where_a_body_lies_at_the_whole_face(void **state)
{
    (void)state;
    const size_t step[3] = {1, 4, 16};
    for (int axis = 0; axis < 3; axis++)
        for (int open = -1; open < 32; open++) { // the one pair that is open, on which side
            float gate[2] = {0, 0};
            uint64_t side[2] = {UINT64_MAX, UINT64_MAX};
            PressureGrid grid = {.side = side};
            PoissonLevel level = {.stride = {1, 1, 1}};
            grid.gate[axis] = gate;
            grid.poisson.level[0] = level;
            for (size_t b = 0; b < 4; b++)
                for (size_t c = 0; c < 4; c++) {
                    size_t across = b * step[(axis + 1) % 3] + c * step[(axis + 2) % 3];
                    if ((int)(4 * b + c) == open % 16 && open >= 0) continue;
                    if ((b + c + (size_t)(open + 1)) % 2)
                        side[0] &= ~(1ull << (across + 3 * step[axis]));
                    else
                        side[1] &= ~(1ull << across);
                }
            assert_int_equal(pressure_parts_at(&grid, axis, 1), open < 0);
            gate[1] = 0.25f;
            assert_false(pressure_parts_at(&grid, axis, 1));
        }
}

// --- what particles tell cells ---

#define SPACING 0.1f
#define CELLS 8
#define SIDE (CELLS * 3 * SPACING)
#define PLACES (CELLS * CELLS * CELLS * 64)

// A plate a spacing thick through all of the tank, or a ball.
typedef struct Case {
    Vec3 rotation; // degrees
    Vec3 place;    // m, from the middle of the tank
    bool ball;
} Case;

static const Case cases[] = {
    {{0, 0, 0}, {0, 0, 0}, false},       {{0, 0, 0}, {0, 0, 0.04f}, false},
    {{0, 0, 0}, {0, 0, 0.11f}, false},   {{0, 0, 0}, {0, 0, -0.09f}, false},
    {{0, 20, 0}, {0, 0, 0.02f}, false},  {{0, 45, 0}, {0, 0, 0.1f}, false},
    {{90, 0, 0}, {0, 0.07f, 0}, false},  {{0, 90, 0}, {-1.0f, 0, 0}, false},
    {{0, 90, 0}, {1.0f, 0, 0}, false},   {{0, 10, 0}, {0, 0, 0.02f}, false},
    {{30, 20, 0}, {0.05f, 0, 0}, false}, {{0, 0, 0}, {0, 0, 0.05f}, true},
};

static Obstacles *body_of(const Case *c)
{
    ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = {4, 4, 0.5f * SPACING}},
                        .position = vec3_add(vec3_make(SIDE / 2, SIDE / 2, SIDE / 2), c->place),
                        .rotation = c->rotation};
    if (c->ball) body.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5f};
    TankDef tank = {.present = true, .size = {SIDE, SIDE, SIDE}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, &body, 1, &obstacles));
    return obstacles;
}

// Which side of a plate a point is on, in m.
static float beyond_plate(const Obstacles *obstacles, Vec3 at)
{
    return pose_to_local(obstacles_pose(obstacles, 0), at).z;
}

// Particles that are each a 64th of a cell.
typedef struct Dust {
    float axis[3][PLACES], density[PLACES];
    uint32_t count;
} Dust;

static Dust dust;

static void dust_add(Vec3 at)
{
    dust.axis[0][dust.count] = at.x, dust.axis[1][dust.count] = at.y, dust.axis[2][dust.count] = at.z;
    dust.density[dust.count++] = 1.0f;
}

// What the cells get of it.
static void dust_deposit(PressureGrid *grid)
{
    PressureJob on = {
        .density = dust.density, .count = dust.count, .at = {dust.axis[0], dust.axis[1], dust.axis[2]}};
    GridJob job = {.grid = grid, .particles = &on, .scale = pressure_scale(grid), .volume = 1.0f / 64.0f};
    pressure_deposit(&job);
}

static void cover(PressureGrid *grid, const Obstacles *obstacles)
{
    float corners[2] = {0.01f, SIDE - 0.01f};
    ASSERT_OK(pressure_grid_cover(grid, obstacles, SPACING, (Streams3){corners, corners, corners}, 2, NULL));
    for (int a = 0; a < 3; a++) assert_int_equal(grid->poisson.level[0].n[a], CELLS);
}

static Vec3 center_of(const PressureGrid *grid, const int at[3], float x, float y, float z)
{
    float edge = (float)grid->size[0];
    return vec3_make(((float)at[0] - 0.5f + x) * edge, ((float)at[1] - 0.5f + y) * edge,
                     ((float)at[2] - 0.5f + z) * edge);
}

// With a particle at every free place all cells are full, whatever bodies cover of them and of those beside.
static void cells_are_full_where_all_that_is_open_is_water(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        Obstacles *obstacles = body_of(&cases[n]);
        PressureGrid grid = {0};
        cover(&grid, obstacles);
        dust.count = 0;
        int at[3];
        for (at[2] = 1; at[2] <= CELLS; at[2]++)
            for (at[1] = 1; at[1] <= CELLS; at[1]++)
                for (at[0] = 1; at[0] <= CELLS; at[0]++)
                    for (int p = 0; p < 64; p++) {
                        const float part[3] = {(float)(p % 4), (float)(p / 4 % 4), (float)(p / 16)};
                        Vec3 place = center_of(&grid, at, (part[0] - 1.5f) / 4, (part[1] - 1.5f) / 4,
                                               (part[2] - 1.5f) / 4);
                        if (obstacles_distance(obstacles, place) > 0) dust_add(place);
                    }
        dust_deposit(&grid);
        const PoissonLevel *level = &grid.poisson.level[0];
        double least = 2, most = 0;
        for (size_t k = 0; k < level->cells; k++) {
            bool inside = true;
            size_t place[3];
            poisson_place(level, k, place);
            for (int a = 0; a < 3; a++) inside &= place[a] >= 1 && place[a] <= CELLS;
            if (!inside || pressure_wall(&grid, k)) continue;
            least = fmin(least, (double)grid.fill[k]), most = fmax(most, (double)grid.fill[k]);
        }
        print_message("case %zu: %.4f to %.4f full\n", n, least, most);
        assert_true(least > 0.999 && most < 1.001);
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
}

// A ball that reaches into the cell beside the last one at an open side, but covers no place of it.
static void a_body_takes_nothing_from_cells_two_away(void **state)
{
    (void)state;
    TankDef tank = {.present = true, .size = {SIDE, SIDE, SIDE}};
    for (int k = 0; k < 6; k++) tank.open[k] = true;
    for (int side = 0; side < 6; side++) {
        float place[3] = {SIDE / 2, SIDE / 2, SIDE / 2};
        place[side / 2] = side % 2 ? SIDE - 0.71f : 0.71f;
        ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.12f},
                            .position = {place[0], place[1], place[2]}};
        Obstacles *obstacles;
        PressureGrid grid = {0};
        ASSERT_OK(obstacles_create(tank, 0.0f, &ball, 1, &obstacles));
        cover(&grid, obstacles);
        uint32_t covered = 0;
        for (size_t k = 0; k < grid.poisson.level[0].cells; k++) {
            size_t at[3];
            poisson_place(&grid.poisson.level[0], k, at);
            size_t from_side = side % 2 ? CELLS + 1 - at[side / 2] : at[side / 2];
            if (from_side == 1) assert_true(grid.full[k] == 1.0f);
            if (from_side == 2) assert_true(grid.outside[k] == UINT64_MAX);
            covered += from_side == 3 && grid.outside[k] != UINT64_MAX;
        }
        assert_true(covered > 0);
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
}

// Which side of a plate the open places of a cell are on that are its own.
static bool cell_is_above(const PressureGrid *grid, const Obstacles *obstacles, const int at[3], size_t k)
{
    int above = 0, all = 0;
    for (int p = 0; p < 64; p++) {
        if (!(grid->side[k] >> p & 1)) continue;
        Vec3 place = center_of(grid, at, ((float)(p % 4) - 1.5f) / 4, ((float)(p / 4 % 4) - 1.5f) / 4,
                               ((float)(p / 16) - 1.5f) / 4);
        above += beyond_plate(obstacles, place) > 0, all++;
    }
    assert_true(above == 0 || above == all);
    return above > 0;
}

// Water as near to a plate as contact lets it gives nothing to cells on the other side.
static void particles_tell_cells_on_their_own_side_alone(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        if (cases[n].ball) continue;
        Obstacles *obstacles = body_of(&cases[n]);
        PressureGrid grid = {0};
        cover(&grid, obstacles);
        for (int upper = 0; upper < 2; upper++) {
            uint64_t seed = 5 + n;
            dust.count = 0;
            while (dust.count < 8000) {
                float u[3];
                for (int a = 0; a < 3; a++) u[a] = SIDE * (float)fluid_test_random(&seed);
                Vec3 at = vec3_make(u[0], u[1], u[2]);
                float beyond = beyond_plate(obstacles, at) * (upper ? 1.0f : -1.0f) - 0.5f * SPACING;
                if (beyond > 0.25f * SPACING && beyond < 4.0f * SPACING) dust_add(at);
            }
            dust_deposit(&grid);
            const PoissonLevel *level = &grid.poisson.level[0];
            double own = 0, other = 0;
            int at[3];
            for (at[2] = 1; at[2] <= CELLS; at[2]++)
                for (at[1] = 1; at[1] <= CELLS; at[1]++)
                    for (at[0] = 1; at[0] <= CELLS; at[0]++) {
                        size_t k = (size_t)at[0] + (size_t)at[1] * level->stride[1] +
                                   (size_t)at[2] * level->stride[2];
                        if (pressure_wall(&grid, k)) continue;
                        double volume = (double)(grid.fill[k] * grid.full[k]);
                        *(cell_is_above(&grid, obstacles, at, k) == upper ? &own : &other) += volume;
                    }
            print_message("case %zu, %s: %.2g of it beyond\n", n, upper ? "above" : "below",
                          other / (own + other));
            assert_true(own > 0.95 * dust.count / 64 && other < 0.015 * own);
        }
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
}

// Boxes along the axes in one cell, which all move. Of more than are looked at none is taken for straight,
// and one of those that are looked at moves the cell.
static void sides_are_straight_where_few_boxes_are(void **state)
{
    (void)state;
    enum { BOXES = 64, LOOKED_AT = 16 };
    ObstacleDef boxes[BOXES];
    TankDef tank = {.present = true, .size = {SIDE, SIDE, SIDE}};
    for (uint32_t count = 1; count <= BOXES; count *= 2) {
        for (uint32_t b = 0; b < count; b++)
            boxes[b] = (ObstacleDef){
                .shape = {.kind = SHAPE_BOX, .half_extent = {0.01f, 0.01f, 0.01f}},
                .position = {1.2f - 0.001f * (float)b, 1.2f, 1.2f},
                .motion = {
                    .kind = MOTION_OSCILLATION, .amplitude = {0, 0.001f, 0}, .period = 1, .stop = INFINITY}};
        Obstacles *obstacles;
        PressureGrid grid = {0};
        ASSERT_OK(obstacles_create(tank, 0.0f, boxes, count, &obstacles));
        ASSERT_OK(obstacles_move(obstacles, 0, 0.1));
        cover(&grid, obstacles);
        size_t stride[3] = {1, grid.poisson.level[0].stride[1], grid.poisson.level[0].stride[2]};
        size_t k = 4 * (stride[0] + stride[1] + stride[2]);
        assert_int_equal(pressure_sides_straight(&grid, k), count <= LOOKED_AT);
        uint32_t nearest = (count < LOOKED_AT ? count : LOOKED_AT) - 1;
        assert_int_equal(pressure_mover(&grid, k), nearest);
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
}

// --- grids that change ---

// In space, a grid covers other cells of the same or another size from one step to the next, around a body
// that stays: it has the walls of a new grid.
static void a_grid_of_other_cells_is_looked_at_anew(void **state)
{
    (void)state;
    const struct {
        float spacing;
        int first[3], last[3]; // cells with particles
    } covers[] = {{0.1f, {0, 0, 0}, {5, 5, 5}},   {0.05f, {0, 0, 0}, {5, 5, 5}},
                  {0.05f, {1, 0, 0}, {6, 5, 5}},  {0.05f, {1, 2, 0}, {6, 7, 5}},
                  {0.05f, {1, 2, -2}, {6, 7, 3}}, {0.05f, {1, 2, -2}, {7, 7, 3}},
                  {0.05f, {1, 2, -2}, {7, 8, 3}}, {0.05f, {1, 2, -2}, {7, 8, 4}},
                  {0.1f, {1, 2, -2}, {7, 8, 4}},  {0.1f, {0, 0, 0}, {5, 5, 5}}};
    ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.5f}, .position = {0.7f, 0.8f, 0.6f}};
    Obstacles *obstacles = obstacle_test_set(&ball, 1);
    PressureGrid grid = {0};
    for (size_t c = 0; c < sizeof covers / sizeof *covers; c++) {
        float place[3][2], edge = 3 * covers[c].spacing;
        PressureGrid anew = {0};
        for (int a = 0; a < 3; a++) {
            place[a][0] = ((float)covers[c].first[a] + 0.5f) * edge;
            place[a][1] = ((float)covers[c].last[a] + 0.5f) * edge;
        }
        const Streams3 at = {place[0], place[1], place[2]};
        ASSERT_OK(pressure_grid_cover(&grid, obstacles, covers[c].spacing, at, 2, NULL));
        ASSERT_OK(pressure_grid_cover(&anew, obstacles, covers[c].spacing, at, 2, NULL));
        const float lo[3] = {grid.lo.x, grid.lo.y, grid.lo.z};
        for (int a = 0; a < 3; a++) { // and a cell around the particles'
            assert_float_equal(lo[a], (float)(covers[c].first[a] - 1) * edge, 1e-5);
            assert_int_equal(grid.poisson.level[0].n[a], covers[c].last[a] - covers[c].first[a] + 3);
        }
        size_t cells = anew.poisson.level[0].cells, walls = 0;
        for (size_t k = 0; k < cells; k++) walls += pressure_wall(&anew, k);
        assert_true(walls > 0);
        const uint32_t *n = grid.poisson.level[0].n;
        for (uint32_t k = 0; k < n[0] * n[1] * n[2]; k += 1 + k % 3)
            check_cell(&grid, obstacles,
                       (uint32_t[]){1 + k % n[0], 1 + k / n[0] % n[1], 1 + k / n[0] / n[1]});
        assert_int_equal(grid.poisson.level[0].cells, cells);
        assert_memory_equal(grid.open, anew.open, cells * sizeof *anew.open);
        assert_memory_equal(grid.full, anew.full, cells * sizeof *anew.full);
        for (int a = 0; a < 3; a++)
            assert_memory_equal(grid.gate[a], anew.gate[a], cells * sizeof *anew.gate[a]);
        pressure_grid_free(&anew);
        if (c % 4 == 3) pressure_grid_free(&grid);
    }
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// Along each axis a whole number of cells fills a tank; those that water needs begin at one of them.
static void cells_fit_the_tank_along_every_axis(void **state)
{
    (void)state;
    const float size[3] = {2.9f, 3.5f, 4.3f};
    const uint32_t cells[3] = {10, 12, 14};
    float place[3][2];
    for (int a = 0; a < 3; a++)
        for (int end = 0; end < 2; end++) place[a][end] = size[a] * (4.5f + 3 * (float)end) / (float)cells[a];
    TankDef tank = {.present = true, .size = {size[0], size[1], size[2]}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    PressureGrid grid = {0};
    ASSERT_OK(
        pressure_grid_cover(&grid, obstacles, SPACING, (Streams3){place[0], place[1], place[2]}, 2, NULL));
    const float lo[3] = {grid.lo.x, grid.lo.y, grid.lo.z};
    for (int a = 0; a < 3; a++) {
        assert_int_equal(grid.poisson.level[0].n[a], 6); // those of the particles, between, and around
        assert_float_equal(grid.size[a], (double)size[a] / cells[a], 1e-6);
        assert_float_equal(lo[a], 3 * size[a] / (float)cells[a], 1e-5);
    }
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

// --- turned grids ---

static Vec3 turned(Vec3 v, int axis)
{
    const float at[3] = {v.x, v.y, v.z};
    return vec3_make(at[(3 - axis) % 3], at[(4 - axis) % 3], at[(5 - axis) % 3]);
}

// A tank of three different sides, with a box that stands out of its floor, a rod and a ball, so that x
// becomes `axis`.
static Obstacles *turned_bodies(int axis, const float side[3])
{
    ObstacleDef bodies[3] = {
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.4f, 0.7f, 0.5f}}, .position = {1.2f, 2.1f, 0.41f}},
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.04f, 0.06f, 1}}, .position = {0.71f, 0.5f, 2.2f}},
        {.shape = {.kind = SHAPE_SPHERE, .radius = 0.4f}, .position = {1.17f, 1.9f, 3.3f}}};
    for (int b = 0; b < 3; b++) {
        bodies[b].shape.half_extent = turned(bodies[b].shape.half_extent, axis);
        bodies[b].position = turned(bodies[b].position, axis);
    }
    TankDef tank = {.present = true, .size = turned(vec3_make(side[0], side[1], side[2]), axis)};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, bodies, 3, &obstacles));
    return obstacles;
}

// Which axis is which does not matter, to grids of any shape.
static void walls_turn_with_the_axes(void **state)
{
    (void)state;
    enum { NX = 5, NY = 8, NZ = 13 };
    const float edge = 3 * SPACING, side[3] = {NX * edge, NY * edge, NZ * edge};
    float corners[3][2] = {{0.01f, side[0] - 0.01f}, {0.01f, side[1] - 0.01f}, {0.01f, side[2] - 0.01f}};
    PressureGrid grids[3];
    Obstacles *obstacles[3];
    for (int t = 0; t < 3; t++) {
        obstacles[t] = turned_bodies(t, side), grids[t] = (PressureGrid){0};
        const Streams3 at = {corners[(3 - t) % 3], corners[(4 - t) % 3], corners[(5 - t) % 3]};
        ASSERT_OK(pressure_grid_cover(&grids[t], obstacles[t], SPACING, at, 2, NULL));
    }
    uint32_t partly = 0, lost = 0;
    for (int t = 1; t < 3; t++)
        for (uint32_t z = 0; z < NZ + 2; z++)
            for (uint32_t y = 0; y < NY + 2; y++)
                for (uint32_t x = 0; x < NX + 2; x++) {
                    const uint32_t at[3] = {x, y, z};
                    size_t k[2] = {0};
                    for (int a = 0; a < 3; a++) {
                        k[0] += at[a] * grids[0].poisson.level[0].stride[a];
                        k[1] += at[a] * grids[t].poisson.level[0].stride[(a + t) % 3];
                    }
                    assert_float_equal(grids[t].open[k[1]], grids[0].open[k[0]], 0);
                    assert_float_equal(grids[t].full[k[1]], grids[0].full[k[0]], 1e-5);
                    for (int a = 0; a < 3; a++)
                        assert_float_equal(grids[t].gate[(a + t) % 3][k[1]], grids[0].gate[a][k[0]], 0);
                    partly += grids[0].open[k[0]] > 0 && grids[0].open[k[0]] < 1;
                    lost += grids[0].full[k[0]] < 0.9f;
                }
    assert_true(partly > 50 && lost > 50);
    for (int t = 0; t < 3; t++) {
        pressure_grid_free(&grids[t]);
        obstacles_destroy(obstacles[t]);
    }
}

// --- bodies near a cell ---

enum { NEAR = 7 };

// Boxes along the axes or not, balls and cylinders at random places, every other one of which moves.
static Obstacles *random_bodies(ShapeRandom *random)
{
    ObstacleDef bodies[NEAR];
    for (int b = 0; b < NEAR; b++) {
        Vec3 middle = {SIDE / 2, SIDE / 2, SIDE / 2}, turn = shape_random_vector(random, 90);
        bodies[b] = (ObstacleDef){.shape = shape_random(random, (ShapeKind)(b % 3)),
                                  .position = vec3_add(middle, shape_random_vector(random, 0.6f * SIDE)),
                                  .rotation = b % 2 ? turn : vec3_make(0, 0, 0)};
        if (b == 0) bodies[b].shape.half_extent = vec3_make(1, 0.03f, 0.03f), bodies[b].rotation = turn;
        if (b == 3 || b == 6) bodies[b].rotation = vec3_make(0, 0, 90.0f * (float)(b % 4));
        if (random->state % 2)
            bodies[b].motion = (MotionDef){.kind = MOTION_OSCILLATION,
                                           .amplitude = shape_random_vector(random, 0.1f),
                                           .period = 1,
                                           .stop = INFINITY};
    }
    TankDef tank = {.present = true, .size = {SIDE, SIDE, SIDE}};
    Obstacles *obstacles;
    ASSERT_OK(obstacles_create(tank, 0.0f, bodies, NEAR, &obstacles));
    ASSERT_OK(obstacles_move(obstacles, 0, 0.05));
    return obstacles;
}

// How far (in cells, along the axis where it is farthest) a box is from being in a cell.
static double cells_apart(const int at[3], Box3 box)
{
    double edge = (double)SIDE / CELLS, most = 0;
    const double lo[3] = {(double)box.lo.x, (double)box.lo.y, (double)box.lo.z};
    const double hi[3] = {(double)box.hi.x, (double)box.hi.y, (double)box.hi.z};
    for (int a = 0; a < 3; a++) most = fmax(most, fmax(lo[a] / edge - at[a], at[a] - 1 - hi[a] / edge));
    return most;
}

static bool is_as_good_as(double a, double b)
{
    return fabs(a - b) < 1e-5;
}

// The nearest of the bodies that reach into a cell or those around it says how what is there moves, and
// whether sides are straight all those that reach half a cell beyond it.
static void the_nearest_body_moves_a_cell(void **state)
{
    (void)state;
    ShapeRandom random = {9};
    uint32_t moved = 0, rests = 0, none = 0, straight = 0;
    for (int n = 0; n < 12; n++) {
        Obstacles *obstacles = random_bodies(&random);
        PressureGrid grid = {0};
        cover(&grid, obstacles);
        for (size_t k = 0; k < grid.poisson.level[0].cells; k++) {
            size_t place[3];
            poisson_place(&grid.poisson.level[0], k, place);
            const int at[3] = {(int)place[0], (int)place[1], (int)place[2]};
            Vec3 center = center_of(&grid, at, 0, 0, 0);
            double least = INFINITY, corner = 1.5 * sqrt(3.0) * grid.size[0];
            uint32_t nearest = NEAR;
            bool all_straight = true, any = false, unsure = false;
            for (uint32_t b = 0; b < NEAR; b++) {
                double apart = cells_apart(at, obstacles_bounds(obstacles, b));
                double distance = (double)obstacle_distance(obstacles, b, center);
                unsure |= is_as_good_as(apart, 0.5) || is_as_good_as(apart, 1) ||
                          is_as_good_as(distance, least) || is_as_good_as(distance, corner);
                if (apart < 0.5) all_straight &= obstacle_is_straight(obstacles, b), any = true;
                if (apart < 1 && distance < least) least = distance, nearest = b;
            }
            if (unsure) continue;
            assert_int_equal(pressure_sides_straight(&grid, k), all_straight);
            straight += any && all_straight;
            bool moves = nearest < NEAR && least < corner && obstacles_body(obstacles, nearest)->motion.kind;
            assert_int_equal(pressure_mover(&grid, k), moves ? nearest : PRESSURE_NO_MOVER);
            moved += moves, rests += !moves && nearest < NEAR, none += nearest == NEAR;
        }
        pressure_grid_free(&grid);
        obstacles_destroy(obstacles);
    }
    print_message("%u cells beside bodies that move, %u beside ones at rest, %u beside none; %u straight\n",
                  moved, rests, none, straight);
    assert_true(moved > 1000 && rests > 1000 && none > 1000 && straight > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_of_the_grid_are_where_bodies_are),
        cmocka_unit_test(cells_are_parted_where_a_body_lies_at_the_whole_face),
        cmocka_unit_test(cells_are_full_where_all_that_is_open_is_water),
        cmocka_unit_test(a_body_takes_nothing_from_cells_two_away),
        cmocka_unit_test(sides_are_straight_where_few_boxes_are),
        cmocka_unit_test(a_grid_of_other_cells_is_looked_at_anew),
        cmocka_unit_test(cells_fit_the_tank_along_every_axis),
        cmocka_unit_test(walls_turn_with_the_axes),
        cmocka_unit_test(the_nearest_body_moves_a_cell),
        cmocka_unit_test(particles_tell_cells_on_their_own_side_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
