// What the files of a simulation share.
#ifndef PBF_LIBRARY_SIMS_H
#define PBF_LIBRARY_SIMS_H

#include "library/handles.h"

// Loads start from zero, and grow by what a step of dt seconds gave the bodies, if they are measured.
void sim_clear_loads(pbf_sim *sim);
void sim_add_loads(pbf_sim *sim, double dt);

#endif
