// What is behind a simulation, for the parts of the program that share it with the library: pictures, films
// and files of frames see the fluid, and the checkpoints of a run hold more than its state.
#ifndef PBF_LIBRARY_INSIDE_H
#define PBF_LIBRARY_INSIDE_H

#include "fluid/fluid.h"
#include "library/pbf.h"

// Good until the simulation is destroyed or restored.
const Fluid *sim_fluid(const pbf_sim *sim);

// Adds the fluid and the means under way (pbf_sim_watch). The blocks refer to the simulation.
void sim_store(const pbf_sim *sim, StateBlocks *blocks);

#endif
