// Text of a comparison's sheets, which show both sides.
#ifndef PBF_SCENE_LOCKSTEP_TEXT_H
#define PBF_SCENE_LOCKSTEP_TEXT_H

#include "fluid/lockstep.h"
#include "render/split.h"

// Tells whether the states of two fluids may differ by rounding alone: one of them sums pairs in the order of
// clusters and the other in that of lists, and their first difference was no larger than rounding makes it.
bool lockstep_rounding(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right);

// Fills all but the titles. left, right: settings of the sides. cost: of both sides over the steps that the
// numbers are about.
void lockstep_text(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                   const LockstepCost cost[2], SplitText *text);

#endif
