// What is behind a simulation, for the parts of the program that share it with the library: the checkpoints of
// a run hold more than its state.
#ifndef PBF_LIBRARY_INSIDE_H
#define PBF_LIBRARY_INSIDE_H

#include "core/blocks.h"
#include "library/pbf.h"

// Adds the fluid and the means under way (pbf_sim_watch). The blocks refer to the simulation.
void sim_store(const pbf_sim *sim, StateBlocks *blocks);

#endif
