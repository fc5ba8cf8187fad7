// What is behind a simulation, for the parts of the program that share it with the library: processes that
// have parts of the fluid, and the checkpoints of a run, which hold more than its state.
#ifndef PBF_LIBRARY_INSIDE_H
#define PBF_LIBRARY_INSIDE_H

#include "core/blocks.h"
#include "library/pbf.h"
#include "scene/scene.h"

// Its fluid, for who shares it with other processes, and the scene that it was made of. Good until the
// simulation is destroyed or restored.
Fluid *sim_fluid(pbf_sim *sim);
const SceneDef *sim_scene(const pbf_sim *sim);

// Adds the fluid and the means under way (pbf_sim_watch). The blocks refer to the simulation.
void sim_store(const pbf_sim *sim, StateBlocks *blocks);

#endif
