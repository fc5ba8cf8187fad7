#include "fluid/pressure_grid.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/pressure_free.h"
#include "fluid/pressure_share.h"
#include "fluid/pressure_walls.h"

#include <math.h>
#include <string.h>

#define GRAIN 512u

// Edge of a cell, in spacings. 2 and 4 leave the same density errors; long waves are nearer to theory with
// smaller ones, but plates a spacing thick do not close them.
#define CELL 3.0

// Cells beyond this many a particle are too many: cells grow then.
#define CELLS_A_PARTICLE 1.0
#define CELLS_FREE 65536.0

// Where cells are few, or few for the particles, each thread has sums of its own: adding to shared ones takes
// longer than all else that a particle costs there. So many sums a particle, of all threads, or in all.
#define OWN_SUMS 5.0
#define OWN_SUMS_FREE 65536.0

// --- memory ---

void pressure_grid_free(PressureGrid *grid)
{
    poisson_free(&grid->poisson);
    pressure_share_free(grid);
    memory_free(grid->memory);
    memory_free(grid->free_water);
    memory_free(grid->poses);
    memory_free(grid->boxes);
    memory_free(grid->moves);
    memory_free(grid->bounds);
    *grid = (PressureGrid){0};
}

static Result reserve_cells(PressureGrid *grid, const uint32_t n[3], uint32_t count, const Links *links)
{
    pressure_share_divide(grid, n, links);
    TRY(poisson_reserve(&grid->poisson, n, pressure_share_cells(grid)));
    size_t cells = round_up(grid->poisson.level[0].cells, 16);
    enum { FLOATS = 11, UINTS = 2, MASKS = 4 };
    uint32_t workers = parallel_workers();
    grid->sum_kinds = grid->flow ? PRESSURE_SUMS : 1;
    double sums = (double)grid->sum_kinds * (double)cells;
    grid->own_sums = !grid->share && (double)workers * sums <= fmax(OWN_SUMS * (double)count, OWN_SUMS_FREE);
    grid->sum_copies = grid->own_sums ? workers : 1;
    size_t numbers =
        cells * (FLOATS + UINTS + MASKS + (size_t)2 * grid->sum_kinds * grid->sum_copies) + cells / 2;
    TRY(MEMORY_RESERVE(grid->memory, grid->capacity, 0, numbers, "pressure grid"));
    if (!grid->free_water) grid->free_water = memory_allocate_zeroed(pressure_free_bytes());
    if (!grid->free_water) return result_no_memory("pressure grid", pressure_free_bytes());
    float *memory = grid->memory;
    float **stream[FLOATS] = {&grid->fill,    &grid->surface, &grid->open,    &grid->full,
                              &grid->gate[0], &grid->gate[1], &grid->gate[2], &grid->move[0],
                              &grid->move[1], &grid->move[2], &grid->ghost};
    for (int s = 0; s < FLOATS; s++, memory += cells) *stream[s] = memory;
    if (!grid->flow) grid->surface = grid->fill;
    grid->water = (uint32_t *)(void *)memory;
    grid->stack = grid->water + cells;
    memory += UINTS * cells;
    grid->outside = (uint64_t *)(void *)memory;
    grid->side = grid->outside + cells;
    memory += MASKS * cells;
    for (int s = 0; s < 2; s++) grid->known[s] = (uint8_t *)memory + (size_t)s * cells;
    // Last, since how many there are changes while what is known of walls stays.
    grid->sums = (int64_t *)(void *)(memory + cells / 2);
    return result_ok();
}

// --- which cells ---

typedef struct BoundsJob {
    Streams3 at;
    Box3 *bounds;
} BoundsJob;

static void bound_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const BoundsJob *job = context;
    const float *axis[3] = {job->at.x, job->at.y, job->at.z};
    float lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = hi[a] = axis[a][begin];
        for (uint32_t i = begin; i < end; i++) {
            lo[a] = axis[a][i] < lo[a] ? axis[a][i] : lo[a];
            hi[a] = axis[a][i] > hi[a] ? axis[a][i] : hi[a];
        }
    }
    job->bounds[begin / GRAIN] = (Box3){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

Result pressure_bound_particles(PressureGrid *grid, Streams3 at, uint32_t count, Box3 *out)
{
    uint32_t blocks = groups_of(count, GRAIN);
    TRY(MEMORY_RESERVE(grid->bounds, grid->bounds_capacity, 0, blocks, "pressure grid"));
    BoundsJob job = {at, grid->bounds};
    parallel_for(count, GRAIN, bound_block, &job);
    *out = (Box3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 0; k < blocks; k++) *out = box3_join(*out, grid->bounds[k]);
    return result_ok();
}

// Around the particles of all processes; returns how many there are.
static uint64_t join_ranks(const Links *links, Box3 *box, uint32_t count)
{
    double most[6] = {-(double)box->lo.x, -(double)box->lo.y, -(double)box->lo.z,
                      (double)box->hi.x,  (double)box->hi.y,  (double)box->hi.z};
    int64_t all = count;
    links->most(links->self, most, 6);
    links->sum(links->self, &all, 1);
    box->lo = vec3_make((float)-most[0], (float)-most[1], (float)-most[2]);
    box->hi = vec3_make((float)most[3], (float)most[4], (float)most[5]);
    return (uint64_t)all;
}

static void axis_of(Vec3 v, double out[3])
{
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

// The cells of edge about `edge` that particles between lo and hi fall into and one around them, no further
// than the tank. Returns how many there are.
static double choose_cells(PressureGrid *grid, TankDef tank, Box3 box, double edge, uint32_t n[3])
{
    double lo[3], hi[3], inside[3], all = 1.0;
    axis_of(box.lo, lo), axis_of(box.hi, hi), axis_of(tank.size, inside);
    for (int a = 0; a < 3; a++) {
        double size = tank.present ? inside[a] / fmax(1.0, round(inside[a] / edge)) : edge;
        double first = floor(lo[a] / size) - 1.0, last = floor(hi[a] / size) + 1.0;
        if (tank.present) {
            double count = round(inside[a] / size);
            first = fmin(fmax(first, 0.0), count - 1.0), last = fmin(fmax(last, first), count - 1.0);
        }
        grid->size[a] = size;
        grid->first[a] = (int64_t)fmax(fmin(first, 9e18), -9e18);
        n[a] = (uint32_t)fmin(last - first + 1.0, 4e9);
        all *= last - first + 3.0;
    }
    return all;
}

Result pressure_grid_cover(PressureGrid *grid, const Obstacles *obstacles, float spacing, Streams3 at,
                           uint32_t count, const Links *links)
{
    Box3 box;
    TRY(pressure_bound_particles(grid, at, count, &box));
    uint64_t all = links ? join_ranks(links, &box, count) : count;
    if (all == 0) return result_ok();
    TankDef tank = obstacles_tank(obstacles);
    double edge = CELL * (double)spacing;
    int64_t before[3] = {grid->first[0], grid->first[1], grid->first[2]};
    double size[3] = {grid->size[0], grid->size[1], grid->size[2]};
    uint32_t n[3];
    while (choose_cells(grid, tank, box, edge, n) > CELLS_A_PARTICLE * (double)all + CELLS_FREE) edge *= 1.25;
    const float *memory = grid->memory;
    bool same = grid->covered && memcmp(before, grid->first, sizeof before) == 0 &&
                memcmp(size, grid->size, sizeof size) == 0 &&
                memcmp(n, grid->poisson.level[0].n, sizeof n) == 0;
    grid->covered = false;
    TRY(reserve_cells(grid, n, count, links));
    grid->lo = vec3_make((float)((double)grid->first[0] * grid->size[0]),
                         (float)((double)grid->first[1] * grid->size[1]),
                         (float)((double)grid->first[2] * grid->size[2]));
    grid->obstacles = obstacles, grid->spacing = spacing;
    same = same && memory == grid->memory;
    grid->looked = grid->looked && same;
    if (!grid->share) {
        grid->look[0] = pressure_share_around(grid, 0);
        grid->look[1] = (CellBox){0};
        TRY(pressure_walls(grid, obstacles, same));
    }
    grid->covered = true;
    return result_ok();
}
