// Water for tests of the pressure grid: particles with all that a projection reads and writes.
#ifndef PBF_TESTS_PRESSURE_HELPERS_H
#define PBF_TESTS_PRESSURE_HELPERS_H

#include "fluid/pressure_cells.h"

#define WATER_DT 0.1 // s, of a step

typedef struct Water {
    uint32_t count;
    Streams3 at, move;
    float *density, *release, *lambda_sum;
} Water;

// Zeros; free with memory_free.
float *water_stream(uint32_t count);

// Particles at 0, of no density.
Water water_of(uint32_t count);
void water_free(Water *water);

// nx x ny x nz particles on a lattice.
Water water_block(Vec3 corner, uint32_t nx, uint32_t ny, uint32_t nz, float spacing);

Vec3 water_moved(const Water *water, uint32_t i);

// A step in which the particles stay where they are, until something else is set.
PressureJob water_job(const Water *water, float spacing);

// Moves the particles by what such a step asks for. The grid must still be freed.
void water_project(PressureGrid *grid, const Obstacles *obstacles, Water *water, float spacing);

// Ways that particles have come, as of a step, in water at rest density.
typedef struct Flow {
    Water water;
    Streams3 from, pull;
    const uint32_t *order; // of pull
    Vec3 gravity;
} Flow;

// Takes the water over.
Flow flow_of(Water water);
void flow_free(Flow *flow);

// The way that a particle has come.
void flow_set(Flow *flow, uint32_t i, Vec3 way);

// Projects it in a closed tank.
void flow_project(Flow *flow, Vec3 tank, float spacing);

#endif
