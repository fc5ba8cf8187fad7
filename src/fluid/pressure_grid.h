// The share of the pressure that reaches far: a displacement from a coarse grid that mends the compression
// which a few local iterations cannot carry through deep water. It is a projection of the predicted positions
// as of particle-in-cell methods (Zhu and Bridson 2005, "Animating Sand as a Fluid"), with the particles'
// own densities as the source (as Losasso et al. 2008, "Two-Way Coupled SPH and Particle Level Set Fluid
// Simulation", correct densities).
#ifndef PBF_FLUID_PRESSURE_GRID_H
#define PBF_FLUID_PRESSURE_GRID_H

#include "fluid/grid_share.h"
#include "fluid/links.h"
#include "fluid/particles.h"
#include "fluid/poisson.h"
#include "obstacle/obstacle.h"

typedef struct FreeWater FreeWater;
typedef struct PressureShare PressureShare; // pressure_share.h

// What particles add to cells: their volume and source; where their flow is projected, to faces along each
// axis their ways, and weights with offsets, and to cells their volume where the step began.
enum { PRESSURE_CELL, PRESSURE_WAY, PRESSURE_WEIGHT = 4, PRESSURE_BEFORE = 7, PRESSURE_SUMS };

// A range of cells of a lattice that covers the tank (or, without one, space).
typedef struct PressureGrid {
    Poisson poisson;
    double size[3]; // m, of a cell
    int64_t first[3];
    Vec3 lo;           // m, lower corner of cell (1, 1, 1)
    float *fill;       // of each cell: volume that particles give it / full
    float *surface;    // fill where the step began, of which the surface is made; without flow it is fill
    float *open;       // share of a cell's volume outside all bodies and closed walls, on its side of them
    float *full;       // what particles give a cell where all that is open is full of water, in cells
    float *gate[3];    // share of a face's area that is
    uint64_t *outside; // of each cell: a bit for each place in it that no body covers
    uint64_t *side;    // the largest connected part of these: the cell's side of thin bodies
    float *move[3];    // m, -d phi / d axis at faces
    float *ghost;      // m^2, phi as particles between cells see it
    uint8_t *known[2];
    int64_t *sums; // of particles, in fixed point: of all cells, `sum_kinds` x `sum_copies` times
    uint32_t sum_copies, sum_kinds;
    bool flow;     // the caller's: what particles' ways compress is mended in full
    bool own_sums; // each worker has a copy
    float *memory;
    size_t capacity;
    Pose *poses; // of the bodies that `open` and `gate` were made for
    size_t pose_capacity;
    Box3 *boxes;
    size_t box_capacity;
    bool *moves; // of each body, in the last step
    size_t moves_capacity;
    Box3 *bounds; // of blocks of particles
    size_t bounds_capacity;
    float fall[3];        // m: what gravity adds to the step's way, where walls hold it up
    double push[3];       // m^4, of the last projection: volume x moves, where they are measured
    bool bodies, covered; // there are some, and closed cells
    bool resting;         // there are bodies, and none of them moves
    uint32_t *water;      // of each cell: the connected water that it belongs to, 0: none
    uint32_t *stack;      // of cells
    uint32_t waters;      // named ones
    FreeWater *free_water;
    const Obstacles *obstacles; // of the last cover
    float spacing;
    // Where processes divide the cells, share is there: numbers of cells are those of the whole grid, but
    // only own cells, those near them and those that own particles reach have anything in them. Memory
    // elsewhere is not touched.
    PressureShare *share, *room;
    CellBox look[2];       // where there is to be seen what is wall
    bool looked;           // and has been seen
    uint32_t divide_least; // for tests: grids of so many cells are divided; 0: as usual
} PressureGrid;

void pressure_grid_free(PressureGrid *grid);

// Covers the particles at positions `at` (finite), with cells of about three spacings, and finds out where
// bodies stand. links: of processes that have further particles, or NULL; they divide grids that are large,
// and of smaller ones every one has the whole. Obstacles are looked at again when particles are moved.
// Errors: RESULT_NO_MEMORY.
Result pressure_grid_cover(PressureGrid *grid, const Obstacles *obstacles, float spacing, Streams3 at,
                           uint32_t count, const Links *links);

// A box around particles; nothing (lo > hi) without any. Errors: RESULT_NO_MEMORY.
Result pressure_bound_particles(PressureGrid *grid, Streams3 at, uint32_t count, Box3 *out);

// What a displacement is made of and where it goes.
typedef struct PressureJob {
    const float *density; // rho / rho0 at `at`
    const float *filled;  // the part of the place of each that something else fills, or NULL
    const float *release; // s; particles that are released after held_after stay where they are
    float held_after;     // s
    double dt;            // s
    float move_max;       // m
    float spacing;        // m
    bool measured;        // what moves add up to
    uint32_t count;
    Vec3 gravity;        // m/s^2; this and the next two are for grid->flow
    Streams3 from;       // m, where the step began
    PredictionPull pull; // of the surface tension,
    float pull_share;    // and the share of it in `at`
    Streams3 at;         // m, moved
    Streams3 move;       // m, by how much
    float *lambda_sum;   // m^2, gains -phi
    float *water;        // gets the number of the water that each particle is in or beside, 0: none; or NULL
    const Links *links;  // as of pressure_grid_cover
} PressureJob;

// Moves the particles. Of water that nothing holds, momentum and angular momentum stay what they were.
void pressure_grid_project(PressureGrid *grid, const PressureJob *job);

// rad, the most that water is taken to turn by in a step: what turns further is a splash.
#define PRESSURE_TURN_MOST 0.1f

// What a water does in this step as a whole.
typedef struct FreeTurning {
    bool held;    // by a wall or a nozzle
    Vec3 turning; // rad; 0 of water that something holds, and of few particles
} FreeTurning;

// water: a number that pressure_grid_project has given.
FreeTurning pressure_free_turning(const PressureGrid *grid, uint32_t water);

#endif
