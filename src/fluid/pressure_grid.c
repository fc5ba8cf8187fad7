#include "fluid/pressure_grid.h"

#include "core/parallel.h"
#include "fluid/fall.h"
#include "fluid/passes.h"
#include "fluid/pressure_free.h"
#include "fluid/pressure_share.h"
#include "fluid/pressure_walls.h"

#include <math.h>
#include <string.h>

#define GRAIN 512u
#define MOVE_ROWS 16u // of cells

// Compression that is left to the local iterations, which need some to hold particles in order, for a step of
// sqrt(spacing / g). What they hold up they also rub against: waves lose their swing with it. Aimed lower,
// gaps open between particles that densities at particles do not show, and a narrow column swells.
#define TARGET 0.0125
#define TARGET_MAX 0.004

// A step of MENDING sqrt(spacing / g) mends all compression beyond the target, a shorter one a share as the
// square of the step: then it is a pressure, whatever the step is. Where what the step itself compresses is
// mended in full, what is left is older and has time.
#define MENDING 0.1
#define MENDING_OLDER 0.3

// Thinner water, rho / rho0, is surface or spray and counts as neither compressed nor thinned out. At 0.95
// waves die a third sooner; at 0.998 films leave a plate a fifth too thick.
#define LEAST_DENSITY 0.98f

// Water that is thinner by less than this is left alone, as is what is less compressed than the target:
// second layers of a lattice at a surface are thinner by 0.004 where all is at rest, and a tank full of water
// that is not compressed yet would shrink as a whole.
#define SLACK 0.005f

// Around bodies at rest a cell inside the water that is filled by a share between these has swollen, whatever
// the densities at its particles say: at edges they read up to 0.005 too much and push in every step. Less is
// spray; behind bodies that move there is room that water still has to fill.
#define SWOLLEN_LEAST 0.94f
#define SWOLLEN_MOST 0.98f

// How near the surface comes to the center of a cell of water, in cells. At 0.1 waves feel where it lies
// among the cells: water that is tilted by 0.05 stands 2 % too flat at some depths.
#define SURFACE_NEAREST 0.03f
#define SURFACE_FURTHEST 1.5f

// Of the equation. Waters that a plate parts need more rounds than one.
#define TOLERANCE 0.03
#define ROUNDS 8

// Fixed point, so that sums do not depend on the order of particles: the low half of a sum is volume, the
// high half the source.
#define VOLUME_ONE 65536.0f
#define SOURCE_ONE 262144.0f
#define SOURCE_MAX 1.0f
#define SOURCE_UNIT INT64_C(0x100000000)
#define WEIGHT_ONE 65536.0f
#define WAY_ONE 0x1p30f // of a cell, and no way counts as longer than that

// --- particles to cells ---

typedef struct GridJob {
    PressureGrid *grid;
    const PressureJob *particles;
    uint32_t axis;
    Vec3 scale;    // 1/m: cells a meter
    float volume;  // of a particle, in cells
    float target;  // compression that stays
    float gain;    // the share of the rest that is mended,
    float older;   // the share of that where what the step compresses is mended in full
    float fall[3]; // m: what gravity adds to the step's way
    CellBox box;   // of moves
} GridJob;

// Four numbers side by side, each with the arithmetic of one alone.
typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourCounts __attribute__((vector_size(16)));

// Where a particle is along an axis: offsets of the cells below and above it, and how far it is from one to
// the other, between their centers or between their lower faces. It is never beyond the outermost ones.
typedef struct Place {
    size_t at[2];
    float part[2]; // 1 and 0 at the one below
} Place;

static inline Place place_along(const PoissonLevel *level, uint32_t axis, float u, float most)
{
    float at = u > 1.0f ? u : 1.0f;
    at = at < most ? at : most;
    uint32_t cell = (uint32_t)at;
    float part = at - (float)cell;
    size_t below = cell * level->stride[axis];
    return (Place){{below, cell < (uint32_t)most ? below + level->stride[axis] : below}, {1.0f - part, part}};
}

static inline Place among_centers(const PoissonLevel *level, uint32_t axis, const float u[3])
{
    return place_along(level, axis, u[axis] + 0.5f, (float)level->n[axis]);
}

static inline Place among_faces(const PoissonLevel *level, uint32_t axis, const float u[3])
{
    return place_along(level, axis, u[axis] + 1.0f, (float)level->n[axis] + 1.0f);
}

// In cells from the lower corner; false for particles that have left through an open side.
static inline bool place_in_grid(const GridJob *job, uint32_t i, float u[3])
{
    const PressureGrid *grid = job->grid;
    const Streams3 at = job->particles->at;
    const uint32_t *n = grid->poisson.level[0].n;
    u[0] = (at.x[i] - grid->lo.x) * job->scale.x;
    u[1] = (at.y[i] - grid->lo.y) * job->scale.y;
    u[2] = (at.z[i] - grid->lo.z) * job->scale.z;
    bool inside = true;
    for (int a = 0; a < 3; a++) inside &= u[a] > -0.5f && u[a] < (float)n[a] + 0.5f;
    return inside;
}

// Sums for eight cells that particles in a row fall into.
typedef struct Eight {
    size_t cell[8];
    int64_t sum[2][8];
} Eight;

static inline void add_sums(int64_t *sums, const size_t cell[8], int64_t sum[8], bool own)
{
    for (int c = 0; c < 8; c++) {
        if (own)
            sums[cell[c]] += sum[c];
        else if (sum[c])
            __atomic_fetch_add(&sums[cell[c]], sum[c], __ATOMIC_RELAXED);
        sum[c] = 0;
    }
}

// What a particle adds to the right side, in fixed point.
static inline float source_of(const GridJob *job, float density)
{
    float more = density - 1.0f - job->target, less = density - 1.0f + SLACK, source = 0.0f;
    if (more > 0.0f) source = more * job->gain;
    if (less < 0.0f && density >= LEAST_DENSITY) source = less * job->gain;
    return (source < SOURCE_MAX ? source : SOURCE_MAX) * SOURCE_ONE;
}

// The eight cells, or faces along an axis, around a particle, and their shares of it, x fastest.
static inline void share_between(Place x, Place y, Place z, size_t cell[8], Four share[2])
{
    Four plane = (Four){x.part[0], x.part[1], x.part[0], x.part[1]} *
                 (Four){y.part[0], y.part[0], y.part[1], y.part[1]};
    for (uint32_t c = 0; c < 8; c++) cell[c] = x.at[c & 1] + y.at[c >> 1 & 1] + z.at[c >> 2];
    share[0] = plane * z.part[0];
    share[1] = plane * z.part[1];
}

// Where sums go on; those of other cells are added to what particles have told so far.
static inline void go_on_at(Eight *eight, const size_t cell[8], int64_t *first, int64_t *second, bool own)
{
    if (cell[0] == eight->cell[0] && cell[7] == eight->cell[7]) return;
    add_sums(first, eight->cell, eight->sum[0], own);
    if (second) add_sums(second, eight->cell, eight->sum[1], own);
    memcpy(eight->cell, cell, sizeof eight->cell);
}

static inline int64_t *dense_sums(const PressureGrid *grid, int64_t *sums)
{
    return grid->flow ? sums + PRESSURE_DENSE * grid->poisson.level[0].cells : NULL;
}

static inline void deposit_volume(const GridJob *job, uint32_t i, const Place center[3], int64_t *sums,
                                  Eight *eight)
{
    const PressureGrid *grid = job->grid;
    size_t cell[8];
    Four share[2];
    float all = 0.0f;
    share_between(center[0], center[1], center[2], cell, share);
    for (uint32_t c = 0; c < 8 && grid->bodies; c++)
        if (grid->open[cell[c]] < PRESSURE_LEAST_OPEN) share[c >> 2][c & 3] = 0.0f;
    go_on_at(eight, cell, sums, dense_sums(grid, sums), grid->own_sums);
    for (int c = 0; c < 8; c++) all += share[c >> 2][c & 3];
    if (all < 1e-6f) return;
    float source = source_of(job, job->particles->density[i]);
    bool dense = job->particles->density[i] >= LEAST_DENSITY;
    for (int half = 0; half < 2; half++) {
        Four part = share[half] / all;
        FourCounts volumes = __builtin_convertvector(part * VOLUME_ONE, FourCounts);
        FourCounts sources = __builtin_convertvector(part * source, FourCounts);
        for (int c = 0; c < 4; c++) {
            eight->sum[0][4 * half + c] += volumes[c] + sources[c] * SOURCE_UNIT;
            eight->sum[1][4 * half + c] += dense ? volumes[c] : 0;
        }
    }
}

// way: along the axis, in cells.
static inline void deposit_way(const GridJob *job, uint32_t axis, float way, const Place place[3],
                               int64_t *sums, Eight *eight)
{
    const PressureGrid *grid = job->grid;
    size_t cells = grid->poisson.level[0].cells, cell[8];
    Four share[2];
    way = way > -1.0f ? way : -1.0f;
    way = way < 1.0f ? way : 1.0f;
    share_between(place[0], place[1], place[2], cell, share);
    go_on_at(eight, cell, sums + (PRESSURE_WAY + axis) * cells, sums + (PRESSURE_WEIGHT + axis) * cells,
             grid->own_sums);
    for (int half = 0; half < 2; half++) {
        FourCounts ways = __builtin_convertvector(share[half] * (way * WAY_ONE), FourCounts);
        FourCounts weights = __builtin_convertvector(share[half] * WEIGHT_ONE, FourCounts);
        for (int c = 0; c < 4; c++) {
            eight->sum[0][4 * half + c] += ways[c];
            eight->sum[1][4 * half + c] += weights[c];
        }
    }
}

// The way without what surface tension adds to it: cells are too coarse for the pressure in a drop.
static inline Vec3 way_of(const PressureJob *particles, uint32_t i)
{
    Streams3 at = particles->at, from = particles->from, pull = particles->pull;
    Vec3 way = {at.x[i] - from.x[i], at.y[i] - from.y[i], at.z[i] - from.z[i]};
    float time2 = (float)(particles->dt * particles->dt) * particles->pull_share;
    return time2 > 0.0f ? vec3_sub(way, vec3_scale(vec3_make(pull.x[i], pull.y[i], pull.z[i]), time2)) : way;
}

static void deposit(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const GridJob *job = context;
    const PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    bool own = grid->own_sums;
    int64_t *sums = grid->sums + (own ? worker * grid->sum_kinds * level->cells : 0);
    Eight volume = {0}, ways[3] = {0};
    for (uint32_t i = begin; i < end; i++) {
        float u[3];
        if (!place_in_grid(job, i, u)) continue;
        Place center[3], face[3];
        for (uint32_t a = 0; a < 3; a++) center[a] = among_centers(level, a, u);
        deposit_volume(job, i, center, sums, &volume);
        if (!grid->flow) continue;
        Vec3 way = way_of(job->particles, i);
        for (uint32_t a = 0; a < 3; a++) face[a] = among_faces(level, a, u);
        deposit_way(job, 0, way.x * job->scale.x, (Place[3]){face[0], center[1], center[2]}, sums, &ways[0]);
        deposit_way(job, 1, way.y * job->scale.y, (Place[3]){center[0], face[1], center[2]}, sums, &ways[1]);
        deposit_way(job, 2, way.z * job->scale.z, (Place[3]){center[0], center[1], face[2]}, sums, &ways[2]);
    }
    add_sums(sums, volume.cell, volume.sum[0], own);
    if (!grid->flow) return;
    add_sums(dense_sums(grid, sums), volume.cell, volume.sum[1], own);
    for (size_t a = 0; a < 3; a++) {
        add_sums(sums + (PRESSURE_WAY + a) * level->cells, ways[a].cell, ways[a].sum[0], own);
        add_sums(sums + (PRESSURE_WEIGHT + a) * level->cells, ways[a].cell, ways[a].sum[1], own);
    }
}

// One copy of the sums, of the particles of all processes.
static void join_sums(PressureGrid *grid, const Links *links)
{
    size_t sums = grid->sum_kinds * grid->poisson.level[0].cells;
    for (uint32_t copy = 1; copy < grid->sum_copies; copy++)
        for (size_t k = 0; k < sums; k++) grid->sums[k] += grid->sums[copy * sums + k];
    grid->sum_copies = 1;
    if (grid->share)
        pressure_share_tell(grid);
    else if (links)
        links->sum(links->self, grid->sums, sums);
}

static void take_sums_of(PressureGrid *grid, float volume, size_t begin, size_t end)
{
    PoissonLevel *level = &grid->poisson.level[0];
    for (size_t k = begin; k < end; k++) {
        int64_t sum = grid->sums[k];
        uint32_t low = (uint32_t)sum;
        int32_t high = (int32_t)((sum - (int64_t)low) / SOURCE_UNIT);
        float open = grid->open[k];
        grid->fill[k] = open >= PRESSURE_LEAST_OPEN ? (float)low * (volume / VOLUME_ONE) / open : 0.0f;
        level->b[k] = (float)high * (volume / SOURCE_ONE);
    }
}

// The source and fill of the cells, with those around them: air, or walls.
static void take_sums(PressureGrid *grid, float volume)
{
    PoissonLevel *level = &grid->poisson.level[0];
    if (!grid->share) {
        take_sums_of(grid, volume, 0, level->cells);
        return;
    }
    cell_box_clear(level, pressure_share_around(grid, GRID_SHARE_REACH), 0, grid->fill, sizeof *grid->fill);
    for (uint32_t row = 0; level->count[0] > 0 && row < level->count[1] * level->count[2]; row++) {
        size_t first = poisson_row(level, row);
        take_sums_of(grid, volume, first, first + level->count[0]);
    }
    grid_share_border(pressure_share_cells(grid), level, 0, &grid->fill, 1, GRID_SHARE_REACH, GRID_ALL);
}

// --- the equation ---

// How open a face is from a cell that is not a wall to another.
static inline float gate_to(const PressureGrid *grid, int axis, size_t face, size_t other)
{
    return pressure_wall(grid, other) ? 0.0f : grid->gate[axis][face];
}

// How far the surface is from a cell of water, on the way to a cell of air, in cells.
static inline float surface_distance(const PressureGrid *grid, size_t water, size_t air)
{
    float distance = grid->fill[water] + grid->fill[air] - 0.5f;
    distance = distance > SURFACE_NEAREST ? distance : SURFACE_NEAREST;
    return distance < SURFACE_FURTHEST ? distance : SURFACE_FURTHEST;
}

// Particles of the cells around it fill a cell too: it is inside if none of them is air.
static bool inside_water(const PressureGrid *grid, size_t k)
{
    const size_t *stride = grid->poisson.level[0].stride;
    for (size_t z = k - stride[2]; z <= k + stride[2]; z += stride[2])
        for (size_t y = z - stride[1]; y <= z + stride[1]; y += stride[1])
            for (size_t x = y - 1; x <= y + 1; x++)
                if (!pressure_wall(grid, x) && !pressure_water(grid, x)) return false;
    return grid->open[k] == 1.0f;
}

// By how much less a cell is filled than water that has not swollen, 0 where that is unknown.
static float swelling(const PressureGrid *grid, size_t k)
{
    float fill = grid->fill[k];
    if (!grid->resting || !(fill > SWOLLEN_LEAST && fill < SWOLLEN_MOST)) return 0.0f;
    return inside_water(grid, k) ? SWOLLEN_MOST - fill : 0.0f;
}

// Whether bodies that move, or may, reach into a cell or lie beside it.
static bool beside_moving(const PressureGrid *grid, size_t k)
{
    const size_t *stride = grid->poisson.level[0].stride;
    if (!grid->bodies || grid->resting) return false;
    bool open = grid->open[k] >= 1.0f;
    for (int a = 0; a < 3; a++) open &= grid->gate[a][k] >= 1.0f && grid->gate[a][k + stride[a]] >= 1.0f;
    return !open;
}

// The way that water at a face goes in this step, in cells along the face's axis.
static inline float way_at(const PressureGrid *grid, int axis, size_t face)
{
    size_t cells = grid->poisson.level[0].cells;
    int64_t way = grid->sums[(size_t)(PRESSURE_WAY + axis) * cells + face];
    int64_t weight = grid->sums[(size_t)(PRESSURE_WEIGHT + axis) * cells + face];
    return weight > 0 ? (float)((double)way / (double)weight) * (WEIGHT_ONE / WAY_ONE) : 0.0f;
}

// The share of a cell's volume by which water comes in more than it leaves in this step. Spray does not
// count.
static float inflow(const PressureGrid *grid, size_t k)
{
    uint32_t volume = (uint32_t)grid->sums[k];
    if (volume == 0) return 0.0f;
    float dense = (float)dense_sums(grid, grid->sums)[k] / (float)volume;
    const size_t *stride = grid->poisson.level[0].stride;
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        size_t below = k - stride[a], above = k + stride[a];
        sum += gate_to(grid, a, k, below) * way_at(grid, a, k);
        sum -= gate_to(grid, a, above, above) * way_at(grid, a, above);
    }
    return dense * sum;
}

// By how much water in a cell has to expand.
static float source_in(const GridJob *job, size_t k)
{
    const PressureGrid *grid = job->grid;
    float mended = grid->poisson.level[0].b[k] - job->gain * swelling(grid, k);
    if (!grid->flow || beside_moving(grid, k)) return mended;
    return job->older * mended + inflow(grid, k);
}

// Between two cells of water.
static inline float face_between(const GridJob *job, int axis, size_t k)
{
    const PressureGrid *grid = job->grid;
    const float scale[3] = {job->scale.x * job->scale.x, job->scale.y * job->scale.y,
                            job->scale.z * job->scale.z};
    bool water = pressure_water(grid, k) && pressure_water(grid, k - grid->poisson.level[0].stride[axis]);
    return water ? grid->gate[axis][k] * scale[axis] : 0.0f;
}

// Of cells beside own ones, too.
static void write_faces(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PoissonLevel *level = &job->grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            for (int a = 0; a < 3; a++) level->face[a][k] = face_between(job, a, k);
    }
}

static void write_equation(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    const float scale[3] = {job->scale.x * job->scale.x, job->scale.y * job->scale.y,
                            job->scale.z * job->scale.z};
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            float air = 0.0f;
            bool water = pressure_water(grid, k);
            for (int a = 0; a < 3; a++) {
                size_t below = k - level->stride[a], above = k + level->stride[a];
                bool water_below = pressure_water(grid, below);
                level->face[a][k] = face_between(job, a, k);
                if (!water) continue;
                if (!water_below)
                    air += gate_to(grid, a, k, below) * scale[a] / surface_distance(grid, k, below);
                if (!pressure_water(grid, above))
                    air += gate_to(grid, a, above, above) * scale[a] / surface_distance(grid, k, above);
            }
            level->air[k] = air;
            level->b[k] = water ? source_in(job, k) : 0.0f;
        }
    }
}

// --- cells to particles ---

// Whether a cell that is not water is a wall at rest: of the tank, or of a body if all rest.
static bool still_wall(const PressureGrid *grid, size_t k)
{
    const PoissonLevel *level = &grid->poisson.level[0];
    if (!pressure_wall(grid, k)) return false;
    size_t at[3] = {k % level->stride[1], k % level->stride[2] / level->stride[1], k / level->stride[2]};
    bool outside = false;
    for (int a = 0; a < 3; a++) outside |= at[a] == 0 || at[a] > level->n[a];
    return outside || grid->resting;
}

// -grad phi at the faces of all cells, known where water is on a side. At walls it is what holds water up: so
// much that what gravity adds to a step does not go on between the wall and the centers of the cells there.
static void find_moves(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const CellBox *box = &job->box;
    uint32_t high = box->hi[1] - box->lo[1];
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    uint32_t a = job->axis;
    const float scale[3] = {job->scale.x, job->scale.y, job->scale.z};
    const float *phi = grid->poisson.phi;
    for (uint32_t row = begin; row < end; row++) {
        uint32_t at[3] = {box->lo[0], box->lo[1] + row % high, box->lo[2] + row / high};
        for (; at[0] < box->hi[0]; at[0]++) {
            size_t k = at[0] + at[1] * level->stride[1] + at[2] * level->stride[2];
            grid->known[0][k] = grid->known[1][k] = 0;
            grid->move[a][k] = 0.0f;
            if (at[a] == 0) continue;
            size_t below = k - level->stride[a];
            bool water = pressure_water(grid, k), water_below = pressure_water(grid, below);
            if (!water && !water_below) continue;
            grid->known[0][k] = 1;
            if (pressure_wall(grid, k) || pressure_wall(grid, below) || grid->gate[a][k] <= 0.0f) {
                bool down = job->fall[a] < 0.0f;
                if (grid->flow && still_wall(grid, down ? below : k)) grid->move[a][k] = -job->fall[a];
                continue;
            }
            float difference = phi[k] - phi[below];
            if (!water) difference /= surface_distance(grid, below, k);
            if (!water_below) difference /= surface_distance(grid, k, below);
            grid->move[a][k] = -difference * scale[a];
        }
    }
}

// Continues what is known at faces by one face into the air.
static void continue_moves(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    const uint8_t *known = grid->known[0];
    float *move = grid->move[job->axis];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row), last = first + level->count[0];
        for (size_t k = first; k < last; k++) {
            grid->known[1][k] = known[k];
            if (known[k]) continue;
            float sum = 0.0f;
            int count = 0;
            for (int a = 0; a < 3; a++) {
                size_t side[2] = {k - level->stride[a], k + level->stride[a]};
                for (int s = 0; s < 2; s++)
                    if (known[side[s]] == 1) sum += move[side[s]], count++;
            }
            if (count == 0) continue;
            move[k] = sum / (float)count;
            grid->known[1][k] = 2;
        }
    }
}

static void keep_known(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureGrid *grid = ((const GridJob *)context)->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) grid->known[0][k] |= grid->known[1][k] != 0;
    }
}

// The moves along an axis at the faces of own cells; those of others that they go by are found here, too.
static void find_moves_along(GridJob *job)
{
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    job->box = pressure_share_around(grid, 2);
    uint32_t rows = (job->box.hi[1] - job->box.lo[1]) * (job->box.hi[2] - job->box.lo[2]);
    if (cell_box_cells(job->box) == 0) return;
    parallel_for(rows, MOVE_ROWS, find_moves, job);
    for (uint32_t sweep = 0; sweep < 2; sweep++) {
        pressure_share_widen(grid, 1 - sweep);
        poisson_for_rows(level, continue_moves, job);
        poisson_for_rows(level, keep_known, job);
    }
}

// phi beyond the surface and behind walls, so that it can be read between cells.
static void find_ghosts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    const float *phi = grid->poisson.phi;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            grid->ghost[k] = phi[k];
            if (pressure_water(grid, k)) continue;
            bool wall = pressure_wall(grid, k);
            float sum = 0.0f;
            int count = 0;
            for (int a = 0; a < 3; a++) {
                size_t side[2] = {k - level->stride[a], k + level->stride[a]};
                for (int s = 0; s < 2; s++) {
                    if (!pressure_water(grid, side[s])) continue;
                    float distance = surface_distance(grid, side[s], k);
                    distance = distance > 0.5f ? distance : 0.5f;
                    sum += wall ? phi[side[s]] : phi[side[s]] * (1.0f - 1.0f / distance);
                    count++;
                }
            }
            if (count) grid->ghost[k] = sum / (float)count;
        }
    }
}

// The moves along the axes between faces, and phi between centers.
static inline Four read_grid(const PressureGrid *grid, const float u[3])
{
    const PoissonLevel *level = &grid->poisson.level[0];
    Place x = among_centers(level, 0, u), y = among_centers(level, 1, u), z = among_centers(level, 2, u);
    Place face_x = among_faces(level, 0, u), face_y = among_faces(level, 1, u),
          face_z = among_faces(level, 2, u);
    Four sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t c = 0; c < 8; c++) {
        uint32_t i = c & 1, j = c >> 1 & 1, k = c >> 2;
        Four weight = (Four){face_x.part[i], x.part[i], x.part[i], x.part[i]} *
                      (Four){y.part[j], face_y.part[j], y.part[j], y.part[j]} *
                      (Four){z.part[k], z.part[k], face_z.part[k], z.part[k]};
        sum += weight * (Four){grid->move[0][face_x.at[i] + y.at[j] + z.at[k]],
                               grid->move[1][x.at[i] + face_y.at[j] + z.at[k]],
                               grid->move[2][x.at[i] + y.at[j] + face_z.at[k]],
                               grid->ghost[x.at[i] + y.at[j] + z.at[k]]};
    }
    return sum;
}

static void find_moves_of_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const GridJob *job = context;
    const PressureJob *particles = job->particles;
    for (uint32_t i = begin; i < end; i++) {
        float u[3];
        Vec3 move = {0};
        particles->lambda_sum[i] = 0.0f;
        if (particles->release[i] <= particles->held_after && place_in_grid(job, i, u)) {
            Four read = read_grid(job->grid, u);
            move = vec3_make(read[0], read[1], read[2]);
            particles->lambda_sum[i] = -read[3];
        }
        float length = vec3_length(move);
        if (length > particles->move_max) move = vec3_scale(move, particles->move_max / length);
        particles->move.x[i] = move.x;
        particles->move.y[i] = move.y;
        particles->move.z[i] = move.z;
    }
}

static void measure_push(PressureGrid *grid, const PressureJob *particles)
{
    const float *move[3] = {particles->move.x, particles->move.y, particles->move.z};
    double volume = pow((double)particles->spacing, 3.0);
    for (int a = 0; a < 3; a++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < particles->count; i++) sum += (double)move[a][i];
        grid->push[a] = volume * sum;
    }
}

static void move_particles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureJob *particles = ((const GridJob *)context)->particles;
    Streams3 at = particles->at, move = particles->move;
    for (uint32_t i = begin; i < end; i++) {
        at.x[i] += move.x[i];
        at.y[i] += move.y[i];
        at.z[i] += move.z[i];
    }
}

// --- all of it ---

static float mending_share(double ratio)
{
    return (float)fmin(ratio * ratio, 1.0);
}

static void solve(GridJob *job)
{
    PressureGrid *grid = job->grid;
    PoissonLevel *level = &grid->poisson.level[0];
    if (grid->share) {
        pressure_share_widen(grid, 1);
        poisson_for_rows(level, write_faces, job);
        pressure_share_widen(grid, 0);
    }
    poisson_for_rows(level, write_equation, job);
    poisson_solve(&grid->poisson, TOLERANCE, ROUNDS);
    // Moves are continued by two faces, and each lies between two cells.
    if (grid->share)
        grid_share_border(pressure_share_cells(grid), level, 0, &grid->poisson.phi, 1, 3, GRID_ALL);
}

void pressure_grid_project(PressureGrid *grid, const PressureJob *particles)
{
    if (particles->count == 0 && !particles->links) return;
    PoissonLevel *level = &grid->poisson.level[0];
    double d = (double)particles->spacing, fall = particles->dt / fall_time(d);
    double cell = grid->size[0] * grid->size[1] * grid->size[2];
    GridJob job = {.grid = grid,
                   .particles = particles,
                   .scale = vec3_make((float)(1.0 / grid->size[0]), (float)(1.0 / grid->size[1]),
                                      (float)(1.0 / grid->size[2])),
                   .volume = (float)(d * d * d / cell),
                   .target = (float)fmin(TARGET * fall, TARGET_MAX),
                   .gain = mending_share(fall / MENDING),
                   .older = 1.0f};
    if (grid->flow) job.older = mending_share(fall / MENDING_OLDER) / job.gain;
    const float gravity[3] = {particles->gravity.x, particles->gravity.y, particles->gravity.z};
    for (int a = 0; a < 3; a++) job.fall[a] = gravity[a] * (float)(particles->dt * particles->dt);
    if (grid->share)
        pressure_share_begin(grid, particles);
    else
        memset(grid->sums, 0, grid->sum_kinds * grid->sum_copies * level->cells * sizeof *grid->sums);
    parallel_for(particles->count, GRAIN, deposit, &job);
    join_sums(grid, particles->links);
    take_sums(grid, job.volume);
    pressure_free_name(grid);
    solve(&job);
    for (job.axis = 0; job.axis < 3; job.axis++) find_moves_along(&job);
    poisson_for_rows(level, find_ghosts, &job);
    if (grid->share) pressure_share_give(grid);
    parallel_for(particles->count, GRAIN, find_moves_of_particles, &job);
    pressure_free(grid, particles);
    if (particles->measured) measure_push(grid, particles);
    parallel_for(particles->count, GRAIN, move_particles, &job);
}
