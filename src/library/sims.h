// What the files of a simulation share.
#ifndef PBF_LIBRARY_SIMS_H
#define PBF_LIBRARY_SIMS_H

#include "library/handles.h"

// Wraps a fluid of the scene, which it takes over, also after an error. Error: RESULT_NO_MEMORY.
Result sim_wrap(pbf_context *context, SharedScene *shared, Fluid *fluid, pbf_sim **out);

// Makes the fluids of two scenes as a checkpoint file has them. Errors: as of pbf_sim_resume.
Result states_build_pair(const SceneDef *const scenes[2], const char *path, Fluid *out[2]);

// Loads start from zero, and grow by what a step of dt seconds gave the bodies, if they are measured.
void sim_clear_loads(pbf_sim *sim);
void sim_add_loads(pbf_sim *sim, double dt);

// Has the fluid measure loads if anything needs them.
void sim_settle_loads(pbf_sim *sim);

// Takes notice of a step in what pbf_sim_row tells. Error: RESULT_NO_MEMORY.
Result sim_watch_step(pbf_sim *sim);

// Makes the watch of a restored fluid, which has the means under way that the blocks store; NULL if there are
// none and nothing is watched. Error: RESULT_NO_MEMORY.
Result sim_restore_watch(const pbf_sim *sim, Fluid *fluid, const StateBlocks *blocks, Measure **out);

#endif
