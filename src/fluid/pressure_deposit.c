// From particles to cells of the pressure grid.
#include "core/parallel.h"
#include "fluid/pressure_cells.h"
#include "fluid/pressure_share.h"

#include <string.h>

// Thinner water, rho / rho0, is surface or spray and counts as neither compressed nor thinned out. At 0.95
// waves die a third sooner; at 0.998 films leave a plate a fifth too thick.
#define LEAST_DENSITY 0.98f

// Water that is thinner by less than this is left alone, as is what is less compressed than the target:
// second layers of a lattice at a surface are thinner by 0.004 where all is at rest, and a tank full of water
// that is not compressed yet would shrink as a whole.
#define SLACK 0.005f

// Fixed point, so that sums do not depend on the order of particles. Two sums lie in the halves of one
// number: volume or weight below, source or offset above.
#define VOLUME_ONE 65536.0f
#define SOURCE_ONE 262144.0f
#define SOURCE_MAX 1.0f
#define WEIGHT_ONE 65536.0f
#define WAY_ONE 0x1p22f // of a cell, and no way counts as longer than that
#define HIGH_HALF INT64_C(0x100000000)

// Nearer than this, in cells, faces' ways do not tell how they change: a face that hardly any particle is
// near is told of by those of its neighbor.
#define LEAST_APART 0.3f

typedef int32_t FourCounts __attribute__((vector_size(16)));

// Sums for eight cells, or faces, that particles in a row fall between: two that share a number, and one.
enum { LOW, HIGH, ALONE };
typedef struct Run {
    size_t cell[8];
    uint32_t particles;
    FourCounts sum[3][2];
} Run;

// So many particles do not reach beyond 32 bits.
#define RUN_MAX 256u

static inline void add_to(int64_t *sum, int64_t more, bool own)
{
    if (own)
        *sum += more;
    else if (more)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

// alone: NULL where nobody wants it.
static void end_run(Run *run, int64_t *pair, int64_t *alone, bool own)
{
    for (int c = 0; c < 8; c++) {
        int half = c >> 2, at = c & 3;
        add_to(&pair[run->cell[c]], run->sum[LOW][half][at] + run->sum[HIGH][half][at] * HIGH_HALF, own);
        if (alone) add_to(&alone[run->cell[c]], run->sum[ALONE][half][at], own);
    }
    memset(run->sum, 0, sizeof run->sum);
    run->particles = 0;
}

// place: along x, y and z.
static inline void go_on_at(Run *run, const Place place[3], int64_t *pair, int64_t *alone, bool own)
{
    size_t first = place[0].at[0] + place[1].at[0] + place[2].at[0];
    size_t last = place[0].at[1] + place[1].at[1] + place[2].at[1];
    if (run->particles > 0) {
        if (first == run->cell[0] && last == run->cell[7] && run->particles++ < RUN_MAX) return;
        end_run(run, pair, alone, own);
    }
    for (uint32_t c = 0; c < 8; c++)
        run->cell[c] = place[0].at[c & 1] + place[1].at[c >> 1 & 1] + place[2].at[c >> 2];
    run->particles = 1;
}

static inline FourCounts counts_of(Four numbers)
{
    return __builtin_convertvector(numbers, FourCounts);
}

// What a particle adds to the right side, in fixed point.
static inline float source_of(const GridJob *job, float density)
{
    float more = density - 1.0f - job->target, less = density - 1.0f + SLACK, source = 0.0f;
    if (more > 0.0f) source = more * job->gain;
    if (less < 0.0f && density >= LEAST_DENSITY) source = less * job->gain;
    return (source < SOURCE_MAX ? source : SOURCE_MAX) * SOURCE_ONE;
}

// What the eight cells, or faces along an axis, around a particle share of it, x fastest.
static inline void share_between(const Place place[3], Four share[2])
{
    const float *x = place[0].part, *y = place[1].part, *z = place[2].part;
    Four plane = (Four){x[0], x[1], x[0], x[1]} * (Four){y[0], y[0], y[1], y[1]};
    share[0] = plane * z[0];
    share[1] = plane * z[1];
}

static inline int64_t *sums_of(const PressureGrid *grid, int64_t *sums, size_t kind)
{
    return sums + kind * grid->poisson.level[0].cells;
}

// source: what goes with the volume.
static inline void deposit_volume(const PressureGrid *grid, const Place center[3], float source,
                                  int64_t *sums, Run *run)
{
    Four share[2];
    float all = 0.0f;
    share_between(center, share);
    go_on_at(run, center, sums, NULL, grid->own_sums);
    for (uint32_t c = 0; c < 8 && grid->bodies; c++)
        if (grid->open[run->cell[c]] < PRESSURE_LEAST_OPEN) share[c >> 2][c & 3] = 0.0f;
    for (int c = 0; c < 8; c++) all += share[c >> 2][c & 3];
    if (all < 1e-6f) return;
    for (int half = 0; half < 2; half++) {
        Four part = share[half] / all;
        run->sum[LOW][half] += counts_of(part * VOLUME_ONE);
        run->sum[HIGH][half] += counts_of(part * source);
    }
}

// way: along the axis, in cells. With it goes where, off the face, it was met.
static inline void deposit_way(const PressureGrid *grid, uint32_t axis, float way, const Place place[3],
                               int64_t *sums, Run *run)
{
    float below = place[axis].part[1], above = below - 1.0f;
    Four share[2],
        offset = axis == 0 ? (Four){below, above, below, above} : (Four){below, below, above, above};
    Four offsets[2] = {axis == 2 ? (Four){below, below, below, below} : offset,
                       axis == 2 ? (Four){above, above, above, above} : offset};
    way = way > -1.0f ? way : -1.0f;
    way = way < 1.0f ? way : 1.0f;
    share_between(place, share);
    go_on_at(run, place, sums_of(grid, sums, PRESSURE_WEIGHT + axis),
             sums_of(grid, sums, PRESSURE_WAY + axis), grid->own_sums);
    for (int half = 0; half < 2; half++) {
        Four weight = share[half] * WEIGHT_ONE;
        run->sum[LOW][half] += counts_of(weight);
        run->sum[HIGH][half] += counts_of(weight * offsets[half]);
        run->sum[ALONE][half] += counts_of(share[half] * (way * WAY_ONE));
    }
}

// The way without what surface tension adds to it: cells are too coarse for the pressure in a drop.
static inline Vec3 way_of(const PressureJob *particles, uint32_t i)
{
    Streams3 at = particles->at, from = particles->from, pull = particles->pull.at;
    Vec3 way = {at.x[i] - from.x[i], at.y[i] - from.y[i], at.z[i] - from.z[i]};
    if (!pull.x) return way;
    float time2 = (float)(particles->dt * particles->dt) * particles->pull_share;
    uint32_t k = particles->pull.order ? particles->pull.order[i] : i;
    return vec3_sub(way, vec3_scale(vec3_make(pull.x[k], pull.y[k], pull.z[k]), time2));
}

static inline void centers_around(const PoissonLevel *level, const float u[3], Place center[3])
{
    for (uint32_t a = 0; a < 3; a++) center[a] = among_centers(level, a, u);
}

// The volume where the step began.
static inline void deposit_before(const GridJob *job, uint32_t i, int64_t *sums, Run *run)
{
    const PressureGrid *grid = job->grid;
    float u[3];
    if (!pressure_place_of(job, job->particles->from, i, u)) return;
    Place center[3];
    centers_around(&grid->poisson.level[0], u, center);
    deposit_volume(grid, center, 0.0f, sums_of(grid, sums, PRESSURE_BEFORE), run);
}

static void deposit(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const GridJob *job = context;
    const PressureGrid *grid = job->grid;
    const PoissonLevel *level = &grid->poisson.level[0];
    bool own = grid->own_sums, flow = grid->flow;
    int64_t *sums = grid->sums + (own ? worker * grid->sum_kinds * level->cells : 0);
    Run volume = {0}, before = {0}, ways[3] = {0};
    for (uint32_t i = begin; i < end; i++) {
        float u[3];
        if (flow) deposit_before(job, i, sums, &before);
        if (!pressure_place(job, i, u)) continue;
        Place center[3], face[3];
        centers_around(level, u, center);
        deposit_volume(grid, center, source_of(job, job->particles->density[i]), sums, &volume);
        if (!flow) continue;
        Vec3 way = way_of(job->particles, i);
        for (uint32_t a = 0; a < 3; a++) face[a] = among_faces(level, a, u);
        deposit_way(grid, 0, way.x * job->scale.x, (Place[3]){face[0], center[1], center[2]}, sums, &ways[0]);
        deposit_way(grid, 1, way.y * job->scale.y, (Place[3]){center[0], face[1], center[2]}, sums, &ways[1]);
        deposit_way(grid, 2, way.z * job->scale.z, (Place[3]){center[0], center[1], face[2]}, sums, &ways[2]);
    }
    end_run(&volume, sums, NULL, own);
    if (flow) end_run(&before, sums_of(grid, sums, PRESSURE_BEFORE), NULL, own);
    for (size_t a = 0; a < 3 && flow; a++)
        end_run(&ways[a], sums_of(grid, sums, PRESSURE_WEIGHT + a), sums_of(grid, sums, PRESSURE_WAY + a),
                own);
}

// One copy of the sums, of the particles of all processes.
static void join_sums(PressureGrid *grid, const Links *links)
{
    size_t sums = grid->sum_kinds * grid->poisson.level[0].cells;
    for (uint32_t copy = 1; copy < grid->sum_copies; copy++)
        for (size_t k = 0; k < sums; k++) grid->sums[k] += grid->sums[copy * sums + k];
    if (grid->share)
        pressure_share_tell(grid);
    else if (links)
        links->sum(links->self, grid->sums, sums);
}

static inline int32_t high_half(int64_t sum)
{
    return (int32_t)((sum - (int64_t)(uint32_t)sum) / HIGH_HALF);
}

// How full a cell is by a sum of volumes.
static inline float fill_of(const PressureGrid *grid, size_t k, int64_t sum, float volume)
{
    return pressure_wall(grid, k) ? 0.0f : (float)(uint32_t)sum * (volume / VOLUME_ONE) / grid->open[k];
}

static void take_sums_of(PressureGrid *grid, float volume, size_t begin, size_t end)
{
    PoissonLevel *level = &grid->poisson.level[0];
    const int64_t *before = sums_of(grid, grid->sums, PRESSURE_BEFORE);
    for (size_t k = begin; k < end; k++) {
        int64_t sum = grid->sums[k];
        grid->fill[k] = fill_of(grid, k, sum, volume);
        if (grid->flow) grid->surface[k] = fill_of(grid, k, before[k], volume);
        level->b[k] = (float)high_half(sum) * (volume / SOURCE_ONE);
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
    size_t sums = grid->sum_kinds * grid->sum_copies * grid->poisson.level[0].cells;
    if (grid->share)
        pressure_share_begin(grid, job->particles);
    else
        memset(grid->sums, 0, sums * sizeof *grid->sums);
    parallel_for(job->particles->count, PRESSURE_GRAIN, deposit, (void *)job);
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
    if (gate <= 0.0f) return (FaceWay){.known = true};
    int64_t pair = sums_of(grid, grid->sums, (size_t)(PRESSURE_WEIGHT + axis))[face];
    int64_t way = sums_of(grid, grid->sums, (size_t)(PRESSURE_WAY + axis))[face];
    double weight = (double)(uint32_t)pair;
    if (weight <= 0.0) return (FaceWay){.gate = gate};
    return (FaceWay){true, (float)((double)way / weight) * (WEIGHT_ONE / WAY_ONE),
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

float pressure_inflow(const PressureGrid *grid, size_t k)
{
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        size_t below = k - grid->poisson.level[0].stride[a], above = k + grid->poisson.level[0].stride[a];
        FaceWay low = way_at(grid, a, k, pressure_gate_to(grid, a, k, below));
        FaceWay high = way_at(grid, a, above, pressure_gate_to(grid, a, above, above));
        sum += inflow_along(low, high);
    }
    return sum;
}
