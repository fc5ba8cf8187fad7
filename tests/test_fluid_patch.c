// What particles add to cells and faces of the pressure grid, beside sums in double precision.
#include "core/parallel.h"
#include "fluid/pressure_patch.h"
#include "fluid_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 700u
#define SPACING 0.1f
#define TARGET 0.004f
#define GAIN 0.7f
#define SLACK 0.005 // as in pressure_patch.c

typedef struct Scatter {
    float at[3][COUNT], from[3][COUNT], density[COUNT];
} Scatter;

static Streams3 streams_of(float axis[3][COUNT])
{
    return (Streams3){axis[0], axis[1], axis[2]};
}

// The cells around a place u in cells (3), or the faces across an axis: the lowest one, and how far it is on
// the way to the next ones.
static void place(const PressureGrid *grid, const double u[3], uint32_t axis, uint32_t low[3], double part[3])
{
    for (uint32_t a = 0; a < 3; a++) {
        double n = grid->poisson.level[0].n[a], past = a == axis ? 1.0 : 0.5, most = a == axis ? n + 1.0 : n;
        double in = fmin(fmax(u[a] + past, 1.0), most);
        low[a] = (uint32_t)in, part[a] = in - low[a];
    }
}

// Adds what a particle at u shares out of `what`, for a number a cell.
static void share_out(const PressureGrid *grid, const double u[3], uint32_t axis, double what[2][3],
                      double (*sums)[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    uint32_t low[3];
    double part[3], share[8], all = 0.0;
    size_t cell[8];
    place(grid, u, axis, low, part);
    for (uint32_t c = 0; c < 8; c++) {
        share[c] = 1.0, cell[c] = 0;
        for (uint32_t a = 0; a < 3; a++) {
            bool above = c >> a & 1;
            share[c] *= above ? part[a] : 1.0 - part[a];
            cell[c] += (low[a] + (above && part[a] > 0.0)) * level->stride[a];
        }
        if (axis == 3 && pressure_wall(grid, cell[c])) share[c] = 0.0;
        all += share[c];
    }
    for (uint32_t c = 0; c < 8 && all > 1e-6; c++)
        for (int k = 0; k < 3; k++)
            sums[cell[c]][k] += what[axis < 3 ? c >> axis & 1 : 0][k] * share[c] / (axis == 3 ? all : 1.0);
}

static bool has_left(uint32_t i)
{
    return i % 10 == 9;
}

// By more than half a cell.
static bool is_gone(uint32_t i)
{
    return i % 40 > 25 && has_left(i);
}

static void add_particle(const GridJob *job, const Scatter *particles, uint32_t i, double (*sums[5])[3])
{
    const PressureGrid *grid = job->grid;
    const float lo[3] = {grid->lo.x, grid->lo.y, grid->lo.z};
    double u[3], from[3], part[3];
    uint32_t low[3];
    for (int a = 0; a < 3; a++) {
        u[a] = (double)(particles->at[a][i] - lo[a]) / grid->size[a];
        from[a] = (double)(particles->from[a][i] - lo[a]) / grid->size[a];
    }
    double off = (double)particles->density[i] - 1.0, source = 0.0;
    if (off > (double)TARGET) source = (off - (double)TARGET) * (double)GAIN;
    if (off < -SLACK && off >= -0.02) source = (off + SLACK) * (double)GAIN;
    share_out(grid, from, 3, (double[2][3]){{1.0}}, sums[0]);
    if (is_gone(i)) return;
    share_out(grid, u, 3, (double[2][3]){{1.0, fmin(source, 1.0)}}, sums[1]);
    for (uint32_t a = 0; a < 3; a++) {
        place(grid, u, a, low, part);
        double way = fmax(-1.0, fmin(1.0, u[a] - from[a]));
        share_out(grid, u, a, (double[2][3]){{1.0, part[a], way}, {1.0, part[a] - 1.0, way}}, sums[2 + a]);
    }
}

// Whether a particle is in a place that a body covers, at either end of its step.
static bool is_covered(const Scatter *particles, uint32_t i, const Obstacles *obstacles)
{
    const float(*ends[2])[COUNT] = {particles->at, particles->from};
    bool within = false;
    for (int e = 0; e < 2; e++)
        within |= obstacles_within(obstacles, vec3_make(ends[e][0][i], ends[e][1][i], ends[e][2][i]), 0.08f);
    return within;
}

// A cluster, where many share a cell; some all over the tank, in no order; a few that came from far, and a
// few that have left through a side, some by more than half a cell, which do not count any more.
static void scatter(Scatter *particles, const Obstacles *obstacles)
{
    uint64_t seed = 11;
    const float size[3] = {6.0f, 3.0f, 3.0f};
    for (uint32_t i = 0; i < COUNT; i++) {
        bool near = i < COUNT / 2, far = i % 50 == 7;
        do {
            for (int a = 0; a < 3; a++) {
                float u = (float)fluid_test_random(&seed), v = (float)fluid_test_random(&seed) - 0.5f;
                particles->at[a][i] = near ? 1.2f + 0.3f * u : size[a] * u;
                particles->from[a][i] = far ? size[a] * (v + 0.5f) : particles->at[a][i] + 0.1f * v;
            }
        } while (is_covered(particles, i, obstacles));
        float away = is_gone(i) ? 0.17f : 0.13f;
        if (has_left(i)) particles->at[i % 3][i] = i % 20 == 19 ? size[i % 3] + away : -away;
        particles->density[i] = i % 90 == 3 ? 2.7f : 0.97f + 0.05f * (float)fluid_test_random(&seed);
    }
}

static double high_half(int64_t sum)
{
    return (double)((sum - (int64_t)(uint32_t)sum) / PRESSURE_HIGH_HALF);
}

static void check_sums(const PressureGrid *grid, double (*sums[5])[3])
{
    const size_t kinds[5] = {PRESSURE_BEFORE, PRESSURE_CELL, PRESSURE_WEIGHT, PRESSURE_WEIGHT + 1,
                             PRESSURE_WEIGHT + 2};
    double seen = 0.0, expected = 0.0, off[3] = {0};
    for (size_t k = 0; k < grid->poisson.level[0].cells; k++)
        for (int t = 0; t < 5; t++) {
            int64_t pair = pressure_sums(grid, 0, kinds[t])[k];
            int64_t way = t < 2 ? 0 : pressure_sums(grid, 0, PRESSURE_WAY + (size_t)t - 2)[k];
            double one = (double)(t == 1 ? PRESSURE_SOURCE_ONE : PRESSURE_WEIGHT_ONE);
            double found[3] = {(uint32_t)pair / (double)PRESSURE_VOLUME_ONE, high_half(pair) / one,
                               (double)way / (double)PRESSURE_WAY_ONE};
            for (int s = 0; s < 3; s++) off[s] = fmax(off[s], fabs(found[s] - sums[t][k][s]));
            seen += found[0];
        }
    print_message("off by at most %.1e, %.1e and %.1e\n", off[0], off[1], off[2]);
    // Half of the particles share a few cells, and each adds whole units.
    const double unit[3] = {1.0 / (double)PRESSURE_VOLUME_ONE, 1.0 / (double)PRESSURE_WEIGHT_ONE,
                            1.0 / (double)PRESSURE_WAY_ONE};
    for (int s = 0; s < 3; s++) assert_true(off[s] < 0.6 * COUNT * unit[s] + 1e-5);
    for (uint32_t i = 0; i < COUNT; i++) expected += is_gone(i) ? 1.0 : 5.0;
    ASSERT_WITHIN(seen, expected, 0.5);
}

// Whether particles are together or far apart, stay or come from afar, stand free or at a body: cells and
// faces get what linear weights say, with sums of each worker's own and with shared ones.
static void sums_are_what_linear_weights_say(void **state)
{
    (void)state;
    static Scatter particles;
    ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.5f, 0.62f, 0.7f}},
                        .position = {2.1f, 1.5f, 1.4f}};
    Obstacles *obstacles;
    TankDef tank = {.present = true, .size = {6, 3, 3}};
    ASSERT_OK(obstacles_create(tank, 0.0f, &body, 1, &obstacles));
    scatter(&particles, obstacles);
    PressureGrid grid = {.flow = true};
    ASSERT_OK(pressure_grid_cover(&grid, obstacles, SPACING, streams_of(particles.at), COUNT, NULL));
    PressureJob on = {.density = particles.density,
                      .count = COUNT,
                      .dt = 0.01,
                      .at = streams_of(particles.at),
                      .from = streams_of(particles.from)};
    GridJob job = {
        .grid = &grid, .particles = &on, .scale = pressure_scale(&grid), .target = TARGET, .gain = GAIN};
    size_t cells = grid.poisson.level[0].cells;
    double(*sums[5])[3];
    for (int t = 0; t < 5; t++) {
        sums[t] = calloc(cells, sizeof *sums[t]);
        assert_non_null(sums[t]);
    }
    for (uint32_t i = 0; i < COUNT; i++) add_particle(&job, &particles, i, sums);
    for (int own = 0; own < 2; own++) {
        grid.own_sums = own;
        memset(grid.sums, 0, PRESSURE_SUMS * cells * sizeof *grid.sums);
        for (uint32_t i = 0; i < COUNT; i += PRESSURE_TOGETHER)
            pressure_patch_add(&job, i, i + PRESSURE_TOGETHER < COUNT ? i + PRESSURE_TOGETHER : COUNT,
                               pressure_sums(&grid, 0, 0));
        check_sums(&grid, sums);
    }
    for (int t = 0; t < 5; t++) free(sums[t]);
    pressure_grid_free(&grid);
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_what_linear_weights_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
