// Two simulations in lockstep, for the pictures of both.
#ifndef PBF_LIBRARY_PAIRS_H
#define PBF_LIBRARY_PAIRS_H

#include "fluid/lockstep.h"
#include "library/handles.h"

struct pbf_pair {
    pbf_context *context;
    Lockstep *lockstep; // whose fluids the sides show
    pbf_sim *side[2];
};

#endif
