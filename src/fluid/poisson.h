// Poisson's equation -laplace phi = b on a box of cells with walls and free surfaces: conjugate gradients
// preconditioned by a multigrid V-cycle (Tatebe 1993; McAdams, Sifakis and Teran 2010, "A Parallel Multigrid
// Poisson Solver for Fluids Simulation on Large Grids"). Bits do not depend on the number of threads.
#ifndef PBF_FLUID_POISSON_H
#define PBF_FLUID_POISSON_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

// A field over the cells (1..n[0]) x (1..n[1]) x (1..n[2]) with one layer of cells around them, x fastest:
// cell (x, y, z) is element x + stride[1] y + stride[2] z. A face's number is that of the cell above it.
typedef struct PoissonLevel {
    uint32_t n[3];
    size_t stride[3], cells;  // cells with those around them
    uint32_t lo[3], count[3]; // the box of cells that loops run over: all n from 1, or a process's own
    float *face[3];           // coefficient between a cell and the one below it along the axis; 0: a wall
    float *air;               // coefficient to where phi is 0
    float *sum, *inverse;     // of a cell's coefficients; 1 / sum, 0: the cell is not part of the equation
    float *x, *b, *r;         // of the V-cycle
} PoissonLevel;

#define POISSON_LEVELS 20

typedef struct GridShare GridShare; // grid_share.h

// The caller writes face, air and b of level[0] (0 around the cells, and b 0 where no coefficient is), then
// solves.
typedef struct Poisson {
    PoissonLevel level[POISSON_LEVELS];
    uint32_t levels;
    float *phi; // the solution
    float *residual, *direction, *image;
    float *memory;
    size_t capacity;
    GridShare *share; // of processes that solve it together, or NULL
} Poisson;

// Makes room for n[0] x n[1] x n[2] cells, at least one along each axis. share: where processes divide them,
// or NULL: memory away from a process's own cells is not touched. Errors: RESULT_NO_MEMORY; poisson is then
// as it was.
Result poisson_reserve(Poisson *poisson, const uint32_t n[3], GridShare *share);
void poisson_free(Poisson *poisson);

// Solves from 0 until the residual's length is `tolerance` of b's, in at most `rounds` of conjugate
// gradients. Regions without free surface, whose equations have no solution unless b sums up to 0 in them,
// are solved for b without its mean if they are all there is.
void poisson_solve(Poisson *poisson, double tolerance, uint32_t rounds);

// Runs a body over blocks of the rows (y, z) of a level's box: row k is y = k % count[1] + lo[1],
// z = k / count[1] + lo[2].
typedef void PoissonRows(uint32_t begin, uint32_t end, uint32_t worker, void *context);
void poisson_for_rows(const PoissonLevel *level, PoissonRows *body, void *context);

// Makes loops run over the cells lo <= cell < hi that the level has, without those around them.
void poisson_set_box(PoissonLevel *level, const uint32_t lo[3], const uint32_t hi[3]);

// The first cell, x = lo[0], of a row.
static inline size_t poisson_row(const PoissonLevel *level, uint32_t row)
{
    return level->lo[0] + (row % level->count[1] + level->lo[1]) * level->stride[1] +
           (row / level->count[1] + level->lo[2]) * level->stride[2];
}

// The numbers along the axes of the cell at offset k.
static inline void poisson_place(const PoissonLevel *level, size_t k, size_t at[3])
{
    at[0] = k % level->stride[1];
    at[1] = k % level->stride[2] / level->stride[1];
    at[2] = k / level->stride[2];
}

#endif
