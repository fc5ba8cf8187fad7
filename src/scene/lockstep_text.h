// What a comparison says of its sides, for sheets that show both.
#ifndef PBF_SCENE_LOCKSTEP_TEXT_H
#define PBF_SCENE_LOCKSTEP_TEXT_H

#include "render/split.h"
#include "fluid/lockstep.h"

// May the states of two fluids differ by rounding alone, because one of them sums pairs in the order of
// clusters and the other in that of lists, and was their first difference no larger than that?
bool lockstep_rounding(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right);

// Fills all but the titles. left, right: the settings of the sides. cost: of both sides over the steps that
// the numbers are to speak of.
void lockstep_text(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                   const LockstepCost cost[2], SplitText *text);

#endif
