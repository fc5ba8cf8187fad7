// What the two directions between particles and cells of the pressure grid share: where particles are among
// cells, and what one projection works with.
#ifndef PBF_FLUID_PRESSURE_CELLS_H
#define PBF_FLUID_PRESSURE_CELLS_H

#include "fluid/pressure_walls.h"

#include <math.h>

#define PRESSURE_GRAIN 512u

typedef struct GridJob {
    PressureGrid *grid;
    const PressureJob *particles;
    uint32_t axis;
    Vec3 scale;   // 1/m, pressure_scale
    float volume; // of a particle, in cells
    float target; // compression that stays
    float gain;   // the share of the rest that is mended,
    float older;  // the share of that where what the step compresses is mended in full
    float slow;   // the most that motion beside bodies counts for, as pressure_inflow
    CellBox box;  // of moves
} GridJob;

// Four numbers side by side, each with the arithmetic of one alone.
typedef float Four __attribute__((vector_size(16)));

// Where a particle is along an axis: offsets of the cells below and above it, and how far it is from one to
// the other, between their centers or between their lower faces. It is never beyond the outermost ones.
typedef struct Place {
    size_t at[2];
    float part[2]; // 1 and 0 at the one below
} Place;

static inline float place_clamped(float u, float most)
{
    float at = u > 1.0f ? u : 1.0f;
    return at < most ? at : most;
}

static inline Place place_along(const PoissonLevel *level, uint32_t axis, float u, float most)
{
    float at = place_clamped(u, most);
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

// Cells a meter.
static inline Vec3 pressure_scale(const PressureGrid *grid)
{
    return vec3_make((float)(1.0 / grid->size[0]), (float)(1.0 / grid->size[1]),
                     (float)(1.0 / grid->size[2]));
}

// Not left through an open side, along an axis of n cells.
static inline bool pressure_within(float u, uint32_t n)
{
    return (u > -0.5f) & (u < (float)n + 0.5f);
}

// In cells from the lower corner; false for particles that have left through an open side.
static inline bool pressure_place(const GridJob *job, uint32_t i, float u[3])
{
    const PressureGrid *grid = job->grid;
    Streams3 at = job->particles->at;
    const uint32_t *n = grid->poisson.level[0].n;
    u[0] = (at.x[i] - grid->lo.x) * job->scale.x;
    u[1] = (at.y[i] - grid->lo.y) * job->scale.y;
    u[2] = (at.z[i] - grid->lo.z) * job->scale.z;
    bool inside = true;
    for (int a = 0; a < 3; a++) inside &= pressure_within(u[a], n[a]);
    return inside;
}

// From how many faces in a line moves are continued.
static inline uint32_t pressure_line(const PressureGrid *grid)
{
    return grid->flow ? 2 : 1;
}

// Adds up what particles tell cells and faces: fill and source of cells, and what pressure_inflow reads.
void pressure_deposit(const GridJob *job);

// Ways in a step, in cells, at a cell's lower and upper faces along each axis.
typedef struct FaceWays {
    float way[3][2];
} FaceWays;

// The share of a cell's volume by which water comes in more than it leaves in this step, where grid->flow.
// body: ways of a body, from which those of the water are counted, or NULL.
float pressure_inflow(const PressureGrid *grid, size_t k, const FaceWays *body);

// How open a face is from a cell that is not a wall to another.
static inline float pressure_gate_to(const PressureGrid *grid, int axis, size_t face, size_t other)
{
    return pressure_wall(grid, other) ? 0.0f : grid->gate[axis][face];
}

// Which of the eight cells around a place it is in, x fastest, by its parts of the way from the lower centers
// to the upper ones.
static inline int pressure_own_corner(float x, float y, float z)
{
    return (x >= 0.5f) | (y >= 0.5f) << 1 | (z >= 0.5f) << 2;
}

// Among the eight cells around a point, x fastest: which one it is in, and how far it is into that from its
// lower faces, in cells.
typedef struct Corner {
    int own;
    float within[3];
} Corner;

// part: of the way from the lowest center to the next ones; u: in cells from the lower corner of all.
static inline Corner pressure_corner(const float part[3], const float u[3])
{
    Corner corner = {.own = pressure_own_corner(part[0], part[1], part[2])};
    for (int a = 0; a < 3; a++) corner.within[a] = u[a] - floorf(u[a]);
    return corner;
}

// The one whose side a point is on: the own, or where its place there is covered or beyond a thin body that
// of an open place beside it.
static inline int pressure_home_corner(const PressureGrid *grid, const size_t cell[8], Corner corner)
{
    int own = corner.own, at[3], bit = 0;
    for (int a = 0; a < 3; a++) {
        float place = (float)PRESSURE_PLACES * corner.within[a];
        at[a] = place < (float)PRESSURE_PLACES ? (int)place : PRESSURE_PLACES - 1;
        bit |= at[a] << 2 * a;
    }
    if (grid->side[cell[own]] >> bit & 1) return own;
    for (int a = 0; a < 3; a++) {
        for (int step = -1; step <= 1; step += 2) {
            bool across = at[a] + step < 0 || at[a] + step == PRESSURE_PLACES;
            // Beyond the eight cells. gcc 12 gets `(own >> a & 1) != (step < 0)` wrong at -O1 and -O2.
            if (across && step != (own >> a & 1 ? -1 : 1)) continue;
            int next = across ? own ^ 1 << a : own;
            int beside = bit + (across ? -step * (PRESSURE_PLACES - 1) : step) * (1 << 2 * a);
            // Nothing is at home in the tank's walls.
            if (grid->open[cell[next]] > 0.0f && grid->side[cell[next]] >> beside & 1) return next;
        }
    }
    return own;
}

// Whether a body closes a face below a cell and lies at it everywhere, so that what is on one side of the
// face is on that side of the body.
static inline bool pressure_parts_at(const PressureGrid *grid, int axis, size_t face)
{
    const uint64_t lowest[3] = {0x1111111111111111u, 0x000f000f000f000fu, 0x000000000000ffffu};
    if (grid->gate[axis][face] > 0.0f) return false;
    size_t below = face - grid->poisson.level[0].stride[axis];
    uint64_t highest = grid->side[below] >> (PRESSURE_PLACES - 1) * (1 << 2 * axis);
    return (highest & grid->side[face] & lowest[axis]) == 0;
}

// Whether a body parts one of the eight cells around a place from its home, which is `cell` and not a wall.
static inline bool pressure_parted(const PressureGrid *grid, size_t cell, int own, int corner)
{
    for (int a = 0; a < 3; a++) {
        bool upper = own >> a & 1;
        if (upper == (corner >> a & 1)) continue;
        size_t face = upper ? cell : cell + grid->poisson.level[0].stride[a];
        if (pressure_parts_at(grid, a, face)) return true;
    }
    return false;
}

// Which of the eight cells around a point take a share of what is there: a bit for each. Walls take none, nor
// does what bodies part from the point's home, the `home`th.
static inline uint32_t pressure_takers_beside(const PressureGrid *grid, const size_t cell[8], int home)
{
    bool parts = grid->bodies && !pressure_wall(grid, cell[home]);
    uint32_t takers = 0;
    for (int c = 0; c < 8; c++) {
        bool takes = !pressure_wall(grid, cell[c]) && !(parts && pressure_parted(grid, cell[home], home, c));
        takers |= (uint32_t)takes << c;
    }
    return takers;
}

// The same of a point.
static inline uint32_t pressure_takers(const PressureGrid *grid, const size_t cell[8], Corner corner)
{
    return pressure_takers_beside(grid, cell, grid->bodies ? pressure_home_corner(grid, cell, corner) : 0);
}

#endif
