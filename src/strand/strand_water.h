// What strands and water do to each other, both ways, so that their momentum together stays.
//
// Strands are thinner than the distance of water particles, so that they do not push single ones: on a grid
// with cells of two spacings, water and strands leave mass, momentum and volume at the nodes by linear weights
// (as unresolved couplings of particles and fluids do: Robinson, Ramaioli and Luding 2014, "Fluid-particle
// flow simulations using two-way-coupled mesoscale SPH-DEM and validation").
//
//   volume    what strands fill of a place counts as density of the water there, a fifth of it at most
//   pressure  rho0 V (Du/Dt - g): buoyancy in water at rest, none in water that falls. What holds water up
//             against gravity comes from walls, for strands as for the water; the rest is taken from the water
//   drag      a strand takes on the water's velocity with the time constant of its definition, implicitly: at
//             a node both come no nearer than to a common velocity, which takes energy and never gives any
#ifndef PBF_STRAND_STRAND_WATER_H
#define PBF_STRAND_STRAND_WATER_H

#include "strand/strand.h"

// Water particles as structure of arrays.
typedef struct StrandWater {
    const float *x, *y, *z; // m
    float *vx, *vy, *vz;    // m/s
    uint32_t count;
    float spacing;      // m
    float rest_density; // kg/m^3; a particle weighs rest_density x spacing^3
} StrandWater;

// The water near strands in a step. All zero before the first; free with strand_exchange_free.
typedef struct StrandExchange {
    // shown to others after strand_exchange_begin
    uint32_t *near; // water particles that strands share nodes with, ascending
    uint32_t near_count;
    float *filled; // of each water particle: the part of its place that strands fill
    Vec3 *kick;    // m/s, of each particle of the strands, after strand_exchange_end
    // inside
    Vec3 *before; // m/s, of the near water
    Vec3 lo;      // m, of the grid
    float edge;   // m
    uint32_t size[3], chunks;
    float *nodes; // for each chunk and node
    size_t near_capacity, filled_capacity, kick_capacity, before_capacity, nodes_capacity;
} StrandExchange;

// Room for an exchange with so much water, around the strands as they are now. Errors: RESULT_NO_MEMORY.
Result strand_exchange_reserve(StrandExchange *exchange, const Strands *strands, uint32_t water,
                               float spacing);
void strand_exchange_free(StrandExchange *exchange);

// Finds the water near strands where it is predicted to be, and what they fill of it.
void strand_exchange_begin(StrandExchange *exchange, const Strands *strands, const StrandWater *water);

// After the water's step of dt seconds, which began with the velocities it had at strand_exchange_begin: what
// water does to the velocity of strands that gravity (m/s^2) will accelerate, and the opposite to the water.
void strand_exchange_end(StrandExchange *exchange, const Strands *strands, const StrandWater *water,
                         Vec3 gravity, double dt);

#endif
