#include "fluid/pressure_free.h"

#include "core/parallel.h"
#include "fluid/pressure_share.h"

#include <math.h>
#include <string.h>

// Where cells around a particle are filled by less than this it is spray, which nothing holds up; by
// PRESSURE_LEAST_FILL or more it is water.
#define SPRAY_MOST 0.25f

// Sums of a water, in fixed point, so that they do not depend on the order of particles. Places are in
// spacings from its origin, moves in parts of the longest move allowed.
enum {
    SUM_COUNT,
    SUM_MOVE,
    SUM_PLACE = 4,
    SUM_SPIN = 7,
    SUM_INERTIA = 10,
    SUM_WAY = 16,
    SUM_SWEEP = 19,
    SUMS = 22
};
#define MOVE_ONE 0x1p30
#define PLACE_ONE 0x1p20
#define SPIN_ONE 0x1p20
#define INERTIA_ONE 0x1p8
// The turning of water is told that has so many particles and turns by so much in a step: rad.
#define TURNING_PARTICLES 64
#define TURNING_LEAST 1e-5f

struct FreeWater {
    bool held; // by a wall or a nozzle
    Vec3 origin;
    int64_t sum[SUMS];
    Vec3 center, drift, turn; // spacings from the origin; of the longest move; that a spacing
    Vec3 turning;             // rad in the step, as the whole of it turns
};

// What processes tell each other of a water.
typedef struct Told {
    int64_t sum[SUMS], held;
} Told;

// What grid->free_water begins: too much for a stack.
typedef struct FreeWaters {
    FreeWater water[FREE_WATER_MAX + 1];
    Told told[FREE_WATER_MAX];
} FreeWaters;

size_t pressure_free_bytes(void)
{
    return sizeof(FreeWaters);
}

// --- connected cells ---

static bool touches_wall(const PressureGrid *grid, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    for (int a = 0; a < 3; a++) {
        size_t above = k + level->stride[a], below = k - level->stride[a];
        if (grid->gate[a][k] < 1.0f || grid->gate[a][above] < 1.0f || pressure_wall(grid, above) ||
            pressure_wall(grid, below))
            return true;
    }
    return false;
}

bool pressure_free_flood(PressureGrid *grid, CellBox among, size_t start, uint32_t name)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    uint32_t waiting = 0;
    bool held = false;
    grid->water[start] = name;
    grid->stack[waiting++] = (uint32_t)start;
    while (waiting > 0) {
        size_t k = grid->stack[--waiting];
        size_t at[3];
        poisson_place(level, k, at);
        held = held || touches_wall(grid, k);
        for (int a = 0; a < 3; a++) {
            size_t side[2] = {k - level->stride[a], k + level->stride[a]};
            const bool there[2] = {at[a] > among.lo[a], at[a] + 1 < among.hi[a]};
            for (int s = 0; s < 2; s++) {
                if (!there[s] || grid->water[side[s]] || !pressure_water(grid, side[s])) continue;
                grid->water[side[s]] = name;
                grid->stack[waiting++] = (uint32_t)side[s];
            }
        }
    }
    return held;
}

static Vec3 cell_center(const PressureGrid *grid, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    size_t at[3];
    poisson_place(level, k, at);
    return vec3_make(grid->lo.x + ((float)at[0] - 0.5f) * (float)grid->size[0],
                     grid->lo.y + ((float)at[1] - 0.5f) * (float)grid->size[1],
                     grid->lo.z + ((float)at[2] - 0.5f) * (float)grid->size[2]);
}

uint32_t pressure_free_next(PressureGrid *grid, size_t first)
{
    if (grid->waters + 1 >= FREE_WATER_MAX) return FREE_WATER_MAX;
    grid->free_water[++grid->waters] = (FreeWater){.origin = cell_center(grid, first)};
    return grid->waters;
}

void pressure_free_hold(PressureGrid *grid, uint32_t name)
{
    grid->free_water[name].held = true;
}

static void name_waters(PressureGrid *grid)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    CellBox all = pressure_share_around(grid, 0);
    memset(grid->water, 0, level->cells * sizeof *grid->water);
    for (uint32_t row = 0; row < level->n[1] * level->n[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->n[0]; k++) {
            if (grid->water[k] || !pressure_water(grid, k)) continue;
            uint32_t name = pressure_free_next(grid, k);
            if (pressure_free_flood(grid, all, k, name)) pressure_free_hold(grid, name);
        }
    }
}

void pressure_free_name(PressureGrid *grid)
{
    grid->waters = 0;
    grid->free_water[FREE_WATER_MAX] = (FreeWater){.held = true};
    if (grid->share)
        pressure_waters_name(grid);
    else
        name_waters(grid);
}

bool pressure_water_held(const PressureGrid *grid, size_t k)
{
    return grid->free_water[grid->water[k]].held;
}

// --- particles ---

// How full cells are around a place, without walls and what is beyond them.
static inline float filling_at(const PressureGrid *grid, const float u[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    Place x = among_centers(level, 0, u), y = among_centers(level, 1, u), z = among_centers(level, 2, u);
    const float part[3] = {x.part[1], y.part[1], z.part[1]};
    size_t cell[8];
    for (int c = 0; c < 8; c++) cell[c] = x.at[c & 1] + y.at[c >> 1 & 1] + z.at[c >> 2];
    uint32_t takers = pressure_takers(grid, cell, pressure_corner(part, u));
    float sum = 0.0f, all = 0.0f;
    for (int c = 0; c < 8; c++) {
        if (!(takers >> c & 1)) continue;
        float weight = x.part[c & 1] * y.part[c >> 1 & 1] * z.part[c >> 2];
        sum += weight * grid->fill[cell[c]];
        all += weight;
    }
    return all > 0.0f ? sum / all : 0.0f;
}

// The share of the water's move that a particle takes.
static inline float share_at(const GridJob *job, uint32_t i)
{
    float u[3];
    pressure_place(job, i, u);
    float share = (filling_at(job->grid, u) - SPRAY_MOST) * (1.0f / (PRESSURE_LEAST_FILL - SPRAY_MOST));
    share = share < 1.0f ? share : 1.0f;
    return share > 0.0f ? share : 0.0f;
}

// The name of the water that a particle is in, or beside; 0: none.
static uint32_t water_at(const GridJob *job, uint32_t i)
{
    const PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    float u[3];
    pressure_place(job, i, u);
    size_t k = 0;
    for (int a = 0; a < 3; a++) {
        float cell = u[a] + 1.0f, most = (float)level->n[a];
        cell = cell > 1.0f ? cell : 1.0f;
        k += (uint32_t)(cell < most ? cell : most) * level->stride[a];
    }
    if (grid->water[k]) return grid->water[k];
    uint32_t name = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                size_t beside = k + (size_t)z * level->stride[2] + (size_t)y * level->stride[1] + (size_t)x;
                name = grid->water[beside] > name ? grid->water[beside] : name;
            }
    return name;
}

static Vec3 place_of(const GridJob *job, const FreeWater *water, uint32_t i)
{
    Streams3 at = job->particles->at;
    return vec3_scale(vec3_sub(vec3_make(at.x[i], at.y[i], at.z[i]), water->origin),
                      1.0f / job->particles->spacing);
}

// In longest moves: what the grid moves a particle by, and where it goes in the step without it.
static Vec3 move_of(const GridJob *job, uint32_t i)
{
    Streams3 move = job->particles->move;
    return vec3_scale(vec3_make(move.x[i], move.y[i], move.z[i]), 1.0f / job->particles->move_max);
}

static Vec3 way_of(const GridJob *job, uint32_t i)
{
    Streams3 at = job->particles->at, from = job->particles->from;
    Vec3 way = vec3_make(at.x[i] - from.x[i], at.y[i] - from.y[i], at.z[i] - from.z[i]);
    return vec3_scale(way, 1.0f / job->particles->move_max);
}

static void flush(FreeWater *water, int64_t sum[SUMS])
{
    for (int s = 0; s < SUMS && water; s++) __atomic_fetch_add(&water->sum[s], sum[s], __ATOMIC_RELAXED);
    memset(sum, 0, SUMS * sizeof *sum);
}

static void add_vector(int64_t *sum, Vec3 v, double one)
{
    sum[0] += (int64_t)((double)v.x * one);
    sum[1] += (int64_t)((double)v.y * one);
    sum[2] += (int64_t)((double)v.z * one);
}

static void sum_moves(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const PressureJob *particles = job->particles;
    FreeWater *water = NULL;
    int64_t sum[SUMS] = {0};
    for (uint32_t i = begin; i < end; i++) {
        uint32_t name = water_at(job, i);
        if (name == 0) particles->move.x[i] = particles->move.y[i] = particles->move.z[i] = 0.0f;
        FreeWater *now = name ? &job->grid->free_water[name] : NULL;
        if (now != water) flush(water, sum);
        water = now;
        if (!water || __atomic_load_n(&water->held, __ATOMIC_RELAXED)) continue;
        if (particles->release[i] > particles->held_after) {
            __atomic_store_n(&water->held, true, __ATOMIC_RELAXED);
            continue;
        }
        Vec3 place = place_of(job, water, i), move = move_of(job, i), way = way_of(job, i);
        Vec3 squares = vec3_make(place.x * place.x, place.y * place.y, place.z * place.z);
        Vec3 products = vec3_make(place.y * place.z, place.z * place.x, place.x * place.y);
        sum[SUM_COUNT]++;
        add_vector(&sum[SUM_MOVE], move, MOVE_ONE);
        add_vector(&sum[SUM_PLACE], place, PLACE_ONE);
        add_vector(&sum[SUM_SPIN], vec3_cross(place, move), SPIN_ONE);
        add_vector(&sum[SUM_INERTIA], squares, INERTIA_ONE);
        add_vector(&sum[SUM_INERTIA + 3], products, INERTIA_ONE);
        add_vector(&sum[SUM_WAY], way, MOVE_ONE);
        add_vector(&sum[SUM_SWEEP], vec3_cross(place, way), SPIN_ONE);
    }
    flush(water, sum);
}

static void vector_of(const int64_t *sum, double one, double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = (double)sum[a] / one;
}

// Moments of inertia, in spacings^2, that sums in fixed point may give to particles at one place.
#define INERTIA_NOISE 0.1

// x of m x = b by Cramer's rule; 0 where m is nearly singular.
static Vec3 solve_turn(double m[3][3], const double b[3])
{
    double c[3][3];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            c[r][k] = m[(r + 1) % 3][(k + 1) % 3] * m[(r + 2) % 3][(k + 2) % 3] -
                      m[(r + 1) % 3][(k + 2) % 3] * m[(r + 2) % 3][(k + 1) % 3];
    double determinant = m[0][0] * c[0][0] + m[0][1] * c[0][1] + m[0][2] * c[0][2];
    double size = m[0][0] + m[1][1] + m[2][2];
    if (!(size > INERTIA_NOISE && determinant > 1e-6 * size * size * size)) return (Vec3){0};
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = (c[0][k] * b[0] + c[1][k] * b[1] + c[2][k] * b[2]) / determinant;
    return vec3_make((float)x[0], (float)x[1], (float)x[2]);
}

// What a rigid body of this inertia would turn by: moves are those of its particles, their means `move`,
// those of place x move `spin`.
static Vec3 turn_of(double inertia[3][3], const double place[3], const double move[3], double spin[3])
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        spin[a] -= place[b] * move[c] - place[c] * move[b];
    }
    return solve_turn(inertia, spin);
}

// longest: spacings, of a move.
static void find_motion(FreeWater *water, float longest)
{
    double n = (double)water->sum[SUM_COUNT], place[3], square[3], product[3], move[3], spin[3], way[3],
           sweep[3];
    if (n == 0.0) return;
    vector_of(&water->sum[SUM_PLACE], PLACE_ONE * n, place);
    vector_of(&water->sum[SUM_INERTIA], INERTIA_ONE * n, square);
    vector_of(&water->sum[SUM_INERTIA + 3], INERTIA_ONE * n, product);
    vector_of(&water->sum[SUM_MOVE], MOVE_ONE * n, move);
    vector_of(&water->sum[SUM_SPIN], SPIN_ONE * n, spin);
    vector_of(&water->sum[SUM_WAY], MOVE_ONE * n, way);
    vector_of(&water->sum[SUM_SWEEP], SPIN_ONE * n, sweep);
    double inertia[3][3];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        inertia[a][a] = square[b] - place[b] * place[b] + square[c] - place[c] * place[c];
        inertia[b][c] = inertia[c][b] = place[b] * place[c] - product[a];
    }
    water->turn = turn_of(inertia, place, move, spin);
    water->center = vec3_make((float)place[0], (float)place[1], (float)place[2]);
    water->drift = vec3_make((float)move[0], (float)move[1], (float)move[2]);
    Vec3 turning = vec3_scale(turn_of(inertia, place, way, sweep), longest);
    float size = vec3_length(turning);
    if (water->sum[SUM_COUNT] < TURNING_PARTICLES || size < TURNING_LEAST) return;
    water->turning = size > PRESSURE_TURN_MOST ? vec3_scale(turning, PRESSURE_TURN_MOST / size) : turning;
}

// Water in the air loses what its moves have in common; spray beside water that is held is not held with it.
static void take_motion(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const PressureJob *particles = job->particles;
    Streams3 move = particles->move;
    for (uint32_t i = begin; i < end; i++) {
        const FreeWater *water = &job->grid->free_water[water_at(job, i)];
        if (particles->water) particles->water[i] = (float)(water - job->grid->free_water);
        if (water == job->grid->free_water) continue;
        if (water->held) {
            float share = job->grid->flow ? share_at(job, i) : 1.0f;
            move.x[i] *= share, move.y[i] *= share, move.z[i] *= share;
            continue;
        }
        Vec3 arm = vec3_sub(place_of(job, water, i), water->center);
        Vec3 motion = vec3_scale(vec3_add(water->drift, vec3_cross(water->turn, arm)), particles->move_max);
        move.x[i] -= motion.x;
        move.y[i] -= motion.y;
        move.z[i] -= motion.z;
    }
}

// What the particles of all processes have told.
static void join_ranks(PressureGrid *grid, uint32_t count, const Links *links)
{
    Told *told = ((FreeWaters *)grid->free_water)->told;
    for (uint32_t k = 0; k < count; k++) {
        const FreeWater *water = &grid->free_water[k + 1];
        memcpy(told[k].sum, water->sum, sizeof water->sum);
        told[k].held = water->held;
    }
    links->sum(links->self, (int64_t *)told, count * (sizeof *told / sizeof(int64_t)));
    for (uint32_t k = 0; k < count; k++) {
        FreeWater *water = &grid->free_water[k + 1];
        memcpy(water->sum, told[k].sum, sizeof water->sum);
        water->held = told[k].held > 0;
    }
}

FreeTurning pressure_free_turning(const PressureGrid *grid, uint32_t name)
{
    const FreeWater *water = &grid->free_water[name];
    return (FreeTurning){water->held, water->turning};
}

void pressure_free(GridJob *job)
{
    PressureGrid *grid = job->grid;
    const PressureJob *particles = job->particles;
    uint32_t count = grid->waters;
    parallel_for(particles->count, PRESSURE_GRAIN, sum_moves, job);
    if (particles->links) join_ranks(grid, count, particles->links);
    for (uint32_t k = 1; k <= count; k++) {
        if (!grid->free_water[k].held)
            find_motion(&grid->free_water[k], particles->move_max / particles->spacing);
    }
    parallel_for(particles->count, PRESSURE_GRAIN, take_motion, job);
}
