// Where the surface lies between cells of the pressure grid.
#ifndef PBF_FLUID_PRESSURE_SURFACE_H
#define PBF_FLUID_PRESSURE_SURFACE_H

#include "fluid/pressure_cells.h"

#include <math.h>

// How near the surface comes to the center of a cell of water, in cells. At 0.1 waves feel where it lies
// among the cells: water that is tilted by 0.05 stands 2 % too flat at some depths. Above the center of the
// next cell that would be water, too: surfaces further up, by cells a little fuller than full, come and go,
// and water with its surface there stirs itself.
#define PRESSURE_SURFACE_NEAREST 0.03f
#define PRESSURE_SURFACE_FURTHEST 1.0f

// How much deeper a cell's center is than the next one's, at least, in cells. Surfaces that lean less, by up
// to 17 degrees, are lost in what particles in disorder fill: at 0.16 the periods of waves 10 layers deep are
// 0.3 % shorter and scatter twice as much.
#define PRESSURE_LEAST_SLOPE 0.3f

// A surface is level where the next cell is that much less deep, and leans as far as it is this much less. By
// depths alone water 7.5 d deep still stirs at 0.5 % of sqrt(g depth) 90 s after a dam break, so at 0.07 %.
#define PRESSURE_LEVEL 0.95f
#define PRESSURE_LEANING 0.65f

// Of waves on the surface linear weights take a share of (k cell)^2 / 12, and differences between cells, of
// the pressure's gradient, as much: both are made up for where the surface bends.
#define PRESSURE_FLATTENING (1.0f / 6.0f)

// By how much the surface is flatter between a cell of water and one of air than beside them. Beside walls it
// is level; where it goes on like that on one side alone, it leans.
static inline float pressure_bend_beside(const PressureGrid *grid, size_t water, size_t air)
{
    const size_t *stride = grid->poisson.level[0].stride;
    size_t across = water > air ? water - air : air - water;
    float here = grid->surface[water] + grid->surface[air], bend = 0.0f;
    for (int a = 0; a < 3; a++) {
        if (stride[a] == across) continue;
        size_t side[2][2] = {{water - stride[a], air - stride[a]}, {water + stride[a], air + stride[a]}};
        bool alike = true;
        float more = 0.0f;
        for (int s = 0; s < 2; s++) {
            size_t low = side[s][0], high = side[s][1];
            if (pressure_wall(grid, low) && pressure_wall(grid, high)) continue;
            alike &= pressure_water(grid, low) && !pressure_water(grid, high) && !pressure_wall(grid, high);
            more += grid->surface[low] + grid->surface[high] - here;
        }
        if (alike) bend += more;
    }
    return PRESSURE_FLATTENING * bend;
}

// How far a cell's center is below the surface, in cells, negative above it: linear weights fill a cell that
// is s below by 1 - (1 - s)^2 / 2, and nearly so where the surface leans.
static inline float pressure_depth_by_fill(float fill)
{
    fill = fill > 0.0f ? fill < 1.0f ? fill : 1.0f : 0.0f;
    return fill > 0.5f ? 1.0f - sqrtf(2.0f * (1.0f - fill)) : sqrtf(2.0f * fill) - 1.0f;
}

// How far the surface is from a cell of water, on the way to a cell of air, in cells. Level surfaces are
// where the sum of both fillings says, with little of the disorder of particles in it; of those that lean it
// would always say the middle, and water would circle under its weight. Without weight the sum keeps more of
// the angular momentum of a ball that turns.
static inline float pressure_surface_distance(const PressureGrid *grid, size_t water, size_t air)
{
    float distance = grid->surface[water] + grid->surface[air] - 0.5f;
    if (grid->fall[0] != 0.0f || grid->fall[1] != 0.0f || grid->fall[2] != 0.0f) {
        float here = pressure_depth_by_fill(grid->surface[water]),
              there = pressure_depth_by_fill(grid->surface[air]), deeper = here - there;
        float lean = (PRESSURE_LEVEL - deeper) / (PRESSURE_LEVEL - PRESSURE_LEANING);
        lean = lean > 0.0f ? lean < 1.0f ? lean : 1.0f : 0.0f;
        deeper = deeper > PRESSURE_LEAST_SLOPE ? deeper : PRESSURE_LEAST_SLOPE;
        distance += lean * (0.5f + 0.5f * (here + there) / deeper - distance);
    }
    if (grid->flow) distance -= pressure_bend_beside(grid, water, air);
    distance = distance > PRESSURE_SURFACE_NEAREST ? distance : PRESSURE_SURFACE_NEAREST;
    return distance < PRESSURE_SURFACE_FURTHEST ? distance : PRESSURE_SURFACE_FURTHEST;
}

#endif
