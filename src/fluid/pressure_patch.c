#include "fluid/pressure_patch.h"

#include <string.h>

// Thinner water, rho / rho0, is surface or spray and counts as neither compressed nor thinned out. At 0.95
// waves die a third sooner; at 0.998 films leave a plate a fifth too thick.
#define LEAST_DENSITY 0.98f

// Water that is thinner by less than this is left alone, as is what is less compressed than the target:
// second layers of a lattice at a surface are thinner by 0.004 where all is at rest, and a tank full of water
// that is not compressed yet would shrink as a whole.
#define SLACK 0.005f

#define SOURCE_MAX 1.0f

typedef int32_t FourCounts __attribute__((vector_size(16)));

// Where particles are along the axes: the cell, or face, below, and how far they are to the one above.
typedef struct Places {
    int32_t cell[3][PRESSURE_TOGETHER];
    float part[3][PRESSURE_TOGETHER];
    int32_t inside[PRESSURE_TOGETHER]; // among all cells: not 0
} Places;

// What particles add to: what cells held before, cells, and faces below cells along an axis.
enum { TO_BEFORE, TO_CELLS, TO_FACES, TARGETS = TO_FACES + 3 };

// What they add: two sums that share a number, and one.
enum { LOW, HIGH, ALONE };

// Sums of particles that are near each other, in a box of cells that fits into a core's first cache.
enum { PATCH_CELLS = 512 };
typedef struct Patch {
    const GridJob *job;
    Streams3 at;        // the positions of all particles that count
    uint32_t begin;     // of those that it is of
    int first, targets; // of TO_CELLS etc.
    int32_t lo[3], size[3], stride[3];
    bool walls; // some of the cells are walls, or of their faces closed
    Places center, face;
    FourCounts sum[TARGETS][PATCH_CELLS];
} Patch;

// --- where particles are ---

// Behind `begin`, among centers (past = 0.5) or faces (1) of cells.
static void find_places(const GridJob *job, Streams3 at, uint32_t begin, uint32_t count, float past,
                        Places *places)
{
    const float *axis[3] = {at.x + begin, at.y + begin, at.z + begin};
    const float lo[3] = {job->grid->lo.x, job->grid->lo.y, job->grid->lo.z};
    const float scale[3] = {job->scale.x, job->scale.y, job->scale.z};
    int32_t *restrict inside = places->inside;
    for (uint32_t k = 0; k < count; k++) inside[k] = -1;
    for (uint32_t a = 0; a < 3; a++) {
        uint32_t n = job->grid->poisson.level[0].n[a];
        float most = past == 1.0f ? (float)n + 1.0f : (float)n;
        int32_t *restrict cell = places->cell[a];
        float *restrict part = places->part[a];
        for (uint32_t k = 0; k < count; k++) {
            float u = (axis[a][k] - lo[a]) * scale[a], in = place_clamped(u + past, most);
            inside[k] &= pressure_within(u, n) ? -1 : 0;
            cell[k] = (int32_t)in;
            part[k] = in - (float)(int32_t)in;
        }
    }
}

static void bound_places(const Places *places, uint32_t count, int32_t lo[3], int32_t hi[3])
{
    for (int a = 0; a < 3; a++) {
        int32_t least = lo[a], most = hi[a];
        for (uint32_t k = 0; k < count; k++) {
            least = places->cell[a][k] < least ? places->cell[a][k] : least;
            most = places->cell[a][k] > most ? places->cell[a][k] : most;
        }
        lo[a] = least, hi[a] = most;
    }
}

static void count_from(const int32_t lo[3], Places *places, uint32_t count)
{
    for (int a = 0; a < 3; a++)
        for (uint32_t k = 0; k < count; k++) places->cell[a][k] -= lo[a];
}

static inline size_t cell_of_grid(const Patch *patch, int32_t x, int32_t y, int32_t z)
{
    const size_t *stride = patch->job->grid->poisson.level[0].stride;
    return (size_t)(patch->lo[0] + x) + (size_t)(patch->lo[1] + y) * stride[1] +
           (size_t)(patch->lo[2] + z) * stride[2];
}

static bool has_walls(const Patch *patch)
{
    const PressureGrid *grid = patch->job->grid;
    bool walls = false;
    for (int32_t z = 0; z < patch->size[2]; z++)
        for (int32_t y = 0; y < patch->size[1]; y++) {
            size_t first = cell_of_grid(patch, 0, y, z);
            for (size_t k = first; k < first + (size_t)patch->size[0]; k++) {
                walls |= pressure_wall(grid, k);
                for (int a = 0; a < 3 && grid->bodies; a++) walls |= grid->gate[a][k] <= 0.0f;
            }
        }
    return walls;
}

// Empty, around the particles behind `begin`; false if they are too far apart.
static bool start_patch(Patch *patch, uint32_t begin, uint32_t count)
{
    const GridJob *job = patch->job;
    const PoissonLevel *level = &job->grid->poisson.level[0];
    bool faces = patch->first + patch->targets > TO_FACES;
    patch->begin = begin;
    int32_t lo[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, hi[3] = {0};
    find_places(job, patch->at, begin, count, 0.5f, &patch->center);
    bound_places(&patch->center, count, lo, hi);
    if (faces) find_places(job, patch->at, begin, count, 1.0f, &patch->face);
    if (faces) bound_places(&patch->face, count, lo, hi);
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) {
        patch->stride[a] = (int32_t)cells;
        cells *= hi[a] - lo[a] + 2;
        if (cells > PATCH_CELLS) return false;
    }
    for (int a = 0; a < 3; a++) {
        // Beyond the outermost cells nothing is added, but zeros.
        int32_t all = (int32_t)level->n[a] + 2 - lo[a], size = hi[a] - lo[a] + 2;
        patch->lo[a] = lo[a], patch->size[a] = size < all ? size : all;
    }
    count_from(lo, &patch->center, count);
    if (faces) count_from(lo, &patch->face, count);
    patch->walls = job->grid->bodies && has_walls(patch);
    for (int t = 0; t < patch->targets; t++)
        memset(patch->sum[patch->first + t], 0, (size_t)cells * sizeof patch->sum[0][0]);
    return true;
}

// --- what they add ---

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
    return (source < SOURCE_MAX ? source : SOURCE_MAX) * PRESSURE_SOURCE_ONE;
}

// The volume that a particle takes, in its own, with its part of what strands fill.
static inline float taken_by(const PressureJob *particles, uint32_t i)
{
    if (!particles->filled) return 1.0f;
    return 1.0f / (1.0f - particles->filled[i]);
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

// What the eight cells, or faces, around a particle share of it, x fastest.
static inline void share_between(const Places *x, const Places *y, const Places *z, uint32_t k,
                                 float share[8])
{
    float px = x->part[0][k], py = y->part[1][k], pz = z->part[2][k];
    Four plane = (Four){1.0f - px, px, 1.0f - px, px} * (Four){1.0f - py, 1.0f - py, py, py};
    Four low = plane * (1.0f - pz), high = plane * pz;
    memcpy(share, &low, sizeof low);
    memcpy(share + 4, &high, sizeof high);
}

// The sums of the lowest of these eight.
static inline FourCounts *sums_at(Patch *patch, int target, const Places *x, const Places *y, const Places *z,
                                  uint32_t k)
{
    return &patch->sum[target]
                      [x->cell[0][k] + y->cell[1][k] * patch->stride[1] + z->cell[2][k] * patch->stride[2]];
}

static inline int32_t to_corner(const Patch *patch, int c)
{
    return (c & 1) + (c >> 1 & 1) * patch->stride[1] + (c >> 2) * patch->stride[2];
}

// Cells that are walls, or beyond one, take nothing: the others share it.
static void share_among_open(const Patch *patch, uint32_t k, float share[8])
{
    const Places *at = &patch->center;
    const PressureGrid *grid = patch->job->grid;
    size_t cell[8];
    for (int c = 0; c < 8; c++)
        cell[c] = cell_of_grid(patch, at->cell[0][k] + (c & 1), at->cell[1][k] + (c >> 1 & 1),
                               at->cell[2][k] + (c >> 2));
    const float part[3] = {at->part[0][k], at->part[1][k], at->part[2][k]};
    const float *axis[3] = {patch->at.x, patch->at.y, patch->at.z};
    const float lo[3] = {grid->lo.x, grid->lo.y, grid->lo.z};
    const float scale[3] = {patch->job->scale.x, patch->job->scale.y, patch->job->scale.z};
    float u[3];
    for (int a = 0; a < 3; a++) u[a] = (axis[a][patch->begin + k] - lo[a]) * scale[a];
    uint32_t takers = pressure_takers(grid, cell, pressure_corner(part, u));
    bool closed = false;
    float all = 0.0f;
    for (int c = 0; c < 8; c++) {
        if (share[c] == 0.0f) continue;
        if (takers >> c & 1)
            all += share[c];
        else
            share[c] = 0.0f, closed = true;
    }
    if (!closed) return;
    float by = all < 1e-6f ? 0.0f : 1.0f / all;
    for (int c = 0; c < 8; c++) share[c] *= by;
}

static inline void add_volume(Patch *patch, int target, uint32_t k, float taken, float source)
{
    const Places *at = &patch->center;
    float share[8];
    share_between(at, at, at, k, share);
    if (patch->walls) share_among_open(patch, k, share);
    Four what = {PRESSURE_VOLUME_ONE * taken, source, 0.0f, 0.0f};
    FourCounts *sum = sums_at(patch, target, at, at, at, k);
    for (int c = 0; c < 8; c++) sum[to_corner(patch, c)] += counts_of(what * share[c]);
}

// way: along the axis, in cells. With it goes where, off the face, it was met.
static inline void add_way(Patch *patch, int axis, uint32_t k, float way)
{
    const Places *x = axis == 0 ? &patch->face : &patch->center,
                 *y = axis == 1 ? &patch->face : &patch->center,
                 *z = axis == 2 ? &patch->face : &patch->center;
    float share[8], past = patch->face.part[axis][k];
    share_between(x, y, z, k, share);
    way = way > -1.0f ? way : -1.0f;
    way = way < 1.0f ? way : 1.0f;
    Four below = {PRESSURE_WEIGHT_ONE, PRESSURE_WEIGHT_ONE * past, way * PRESSURE_WAY_ONE, 0.0f};
    Four above = {PRESSURE_WEIGHT_ONE, PRESSURE_WEIGHT_ONE * (past - 1.0f), way * PRESSURE_WAY_ONE, 0.0f};
    FourCounts *sum = sums_at(patch, TO_FACES + axis, x, y, z, k);
    for (int c = 0; c < 8; c++)
        sum[to_corner(patch, c)] += counts_of((c >> axis & 1 ? above : below) * share[c]);
}

static void add_particles(Patch *patch, uint32_t begin, uint32_t count)
{
    const GridJob *job = patch->job;
    for (uint32_t k = 0; k < count; k++) {
        if (!patch->center.inside[k]) continue;
        bool before = patch->first == TO_BEFORE;
        float source = before ? 0.0f : source_of(job, job->particles->density[begin + k]);
        add_volume(patch, patch->first, k, taken_by(job->particles, begin + k), source);
        if (before || !job->grid->flow) continue;
        Vec3 way = way_of(job->particles, begin + k);
        add_way(patch, 0, k, way.x * job->scale.x);
        add_way(patch, 1, k, way.y * job->scale.y);
        add_way(patch, 2, k, way.z * job->scale.z);
    }
}

// --- from the patch to all cells ---

static inline void add_to(int64_t *sum, int64_t more, bool own)
{
    if (own)
        *sum += more;
    else if (more)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

static void give_row(const Patch *patch, int target, int32_t y, int32_t z, int64_t *pair, int64_t *alone)
{
    const FourCounts *sum = &patch->sum[target][y * patch->stride[1] + z * patch->stride[2]];
    size_t first = cell_of_grid(patch, 0, y, z);
    bool own = patch->job->grid->own_sums;
    for (int32_t x = 0; x < patch->size[0]; x++)
        add_to(&pair[first + (size_t)x], sum[x][LOW] + sum[x][HIGH] * PRESSURE_HIGH_HALF, own);
    for (int32_t x = 0; x < patch->size[0] && alone; x++)
        add_to(&alone[first + (size_t)x], sum[x][ALONE], own);
}

static void give_patch(const Patch *patch, int64_t *sums)
{
    const size_t cells = patch->job->grid->poisson.level[0].cells;
    for (int t = patch->first; t < patch->first + patch->targets; t++) {
        size_t axis = t >= TO_FACES ? (size_t)(t - TO_FACES) : 0;
        size_t kind = t == TO_CELLS    ? PRESSURE_CELL
                      : t == TO_BEFORE ? PRESSURE_BEFORE
                                       : PRESSURE_WEIGHT + axis;
        int64_t *alone = t >= TO_FACES ? sums + (PRESSURE_WAY + axis) * cells : NULL;
        for (int32_t z = 0; z < patch->size[2]; z++)
            for (int32_t y = 0; y < patch->size[1]; y++) give_row(patch, t, y, z, sums + kind * cells, alone);
    }
}

// Halves find room where particles are too far apart for one patch; a lone one always does.
static void add_together(Patch *patch, uint32_t begin, uint32_t end, int64_t *sums)
{
    if (!start_patch(patch, begin, end - begin)) {
        uint32_t middle = begin + (end - begin) / 2;
        add_together(patch, begin, middle, sums);
        add_together(patch, middle, end, sums);
        return;
    }
    add_particles(patch, begin, end - begin);
    give_patch(patch, sums);
}

void pressure_patch_add(const GridJob *job, uint32_t begin, uint32_t end, int64_t *sums)
{
    bool flow = job->grid->flow;
    Patch patch;
    patch.job = job;
    if (flow) {
        patch.at = job->particles->from, patch.first = TO_BEFORE, patch.targets = 1;
        add_together(&patch, begin, end, sums);
    }
    patch.at = job->particles->at, patch.first = TO_CELLS, patch.targets = flow ? TARGETS - TO_CELLS : 1;
    add_together(&patch, begin, end, sums);
}
