// From the sums of particles to cells of the pressure grid, and the flow through their faces.
#include "core/parallel.h"
#include "fluid/pressure_cells.h"
#include "fluid/pressure_patch.h"
#include "fluid/pressure_share.h"

#include <string.h>

// Nearer than this, in cells, faces' ways do not tell how they change: a face that hardly any particle is
// near is told of by those of its neighbor.
#define LEAST_APART 0.3f

#define CELLS_GRAIN 4096u

static void deposit(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const GridJob *job = context;
    const PressureGrid *grid = job->grid;
    pressure_patch_add(job, begin, end, pressure_sums(grid, grid->own_sums ? worker : 0, 0));
}

static void clear_sums(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureGrid *grid = context;
    for (uint32_t k = 0; k < grid->sum_copies * grid->sum_kinds; k++)
        memset(pressure_sums(grid, 0, k) + begin, 0, (end - begin) * sizeof *grid->sums);
}

static void join_copies(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const PressureGrid *grid = context;
    for (uint32_t k = grid->sum_kinds; k < grid->sum_copies * grid->sum_kinds; k++) {
        const int64_t *from = pressure_sums(grid, 0, k);
        int64_t *to = pressure_sums(grid, 0, k % grid->sum_kinds);
        for (uint32_t cell = begin; cell < end; cell++) to[cell] += from[cell];
    }
}

// One copy of the sums, of the particles of all processes.
static void join_sums(PressureGrid *grid, const Links *links)
{
    size_t cells = grid->poisson.level[0].cells;
    if (grid->sum_copies > 1) parallel_for((uint32_t)cells, CELLS_GRAIN, join_copies, grid);
    if (grid->share)
        pressure_share_tell(grid);
    else if (links)
        links->sum(links->self, grid->sums, grid->sum_kinds * cells);
}

static inline int32_t high_half(int64_t sum)
{
    return (int32_t)((sum - (int64_t)(uint32_t)sum) / PRESSURE_HIGH_HALF);
}

// How full a cell is by a sum of volumes.
static inline float fill_of(const PressureGrid *grid, size_t k, int64_t sum, float volume)
{
    return pressure_wall(grid, k) ? 0.0f
                                  : (float)(uint32_t)sum * (volume / PRESSURE_VOLUME_ONE) / grid->full[k];
}

// Beside bodies that move the surface is made where the step ends: where it began, they were elsewhere.
static void take_sums_of(PressureGrid *grid, float volume, size_t begin, size_t end)
{
    PoissonLevel *level = &grid->poisson.level[0];
    const int64_t *before = pressure_sums(grid, 0, PRESSURE_BEFORE);
    for (size_t k = begin; k < end; k++) {
        int64_t sum = grid->sums[k];
        grid->fill[k] = fill_of(grid, k, sum, volume);
        if (grid->flow) {
            bool moves = pressure_mover(grid, k) != PRESSURE_NO_MOVER;
            grid->surface[k] = moves ? grid->fill[k] : fill_of(grid, k, before[k], volume);
        }
        level->b[k] = (float)high_half(sum) * (volume / PRESSURE_SOURCE_ONE);
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
    float *fills[2] = {grid->fill, grid->surface};
    uint32_t kinds = grid->flow ? 2 : 1;
    for (uint32_t s = 0; s < kinds; s++)
        cell_box_clear(level, pressure_share_around(grid, GRID_SHARE_REACH), 0, fills[s], sizeof *fills[s]);
    for (uint32_t row = 0; level->count[0] > 0 && row < level->count[1] * level->count[2]; row++) {
        size_t first = poisson_row(level, row);
        take_sums_of(grid, volume, first, first + level->count[0]);
    }
    // What is continued looks for the surface beside it.
    uint32_t depth = 3 + pressure_line(grid);
    grid_share_border(pressure_share_cells(grid), level, 0, fills, kinds, depth, GRID_ALL);
}

void pressure_deposit(const GridJob *job)
{
    PressureGrid *grid = job->grid;
    if (grid->share)
        pressure_share_begin(grid, job->particles);
    else
        parallel_for((uint32_t)grid->poisson.level[0].cells, CELLS_GRAIN, clear_sums, grid);
    parallel_for(job->particles->count, PRESSURE_TOGETHER, deposit, (void *)job);
    join_sums(grid, job->particles->links);
    take_sums(grid, job->volume);
}

// --- the flow through faces ---

// The mean way of the particles around a face, and how far off the face they are on average, in cells along
// its axis. Through closed faces nothing goes.
typedef struct FaceWay {
    bool known;
    float way, offset, gate;
} FaceWay;

static FaceWay way_at(const PressureGrid *grid, int axis, size_t face, float gate)
{
    int64_t pair = pressure_sums(grid, 0, PRESSURE_WEIGHT + (size_t)axis)[face];
    int64_t way = pressure_sums(grid, 0, PRESSURE_WAY + (size_t)axis)[face];
    double weight = (double)(uint32_t)pair;
    if (weight <= 0.0) return (FaceWay){.gate = gate};
    return (FaceWay){true, (float)((double)way / weight) * (PRESSURE_WEIGHT_ONE / PRESSURE_WAY_ONE),
                     (float)((double)high_half(pair) / weight), gate};
}

// Particles are on one side of faces at the surface: what they do there is continued to the face. Not at
// walls, where what gravity adds to all ways ends at once.
static float inflow_along(FaceWay low, FaceWay high)
{
    if (low.gate < 1.0f || high.gate < 1.0f) return low.gate * low.way - high.gate * high.way;
    if (!low.known || !high.known) return 0.0f;
    float apart = 1.0f + high.offset - low.offset;
    float slope = (high.way - low.way) / (apart > LEAST_APART ? apart : LEAST_APART);
    return low.way - low.offset * slope - (high.way - high.offset * slope);
}

float pressure_inflow(const PressureGrid *grid, size_t k, const FaceWays *body)
{
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        size_t below = k - grid->poisson.level[0].stride[a], above = k + grid->poisson.level[0].stride[a];
        FaceWay low = way_at(grid, a, k, pressure_gate_to(grid, a, k, below));
        FaceWay high = way_at(grid, a, above, pressure_gate_to(grid, a, above, above));
        if (body && low.known) low.way -= body->way[a][0];
        if (body && high.known) high.way -= body->way[a][1];
        sum += inflow_along(low, high);
    }
    return sum;
}
