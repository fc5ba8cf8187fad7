// Text of a comparison's sheets, which show both sides.
#ifndef PBF_SCENE_LOCKSTEP_TEXT_H
#define PBF_SCENE_LOCKSTEP_TEXT_H

#include "fluid/lockstep.h"
#include "measure/quantities.h"
#include "render/split.h"

// Tells whether the states of two fluids may differ by rounding alone: one of them sums pairs in the order of
// clusters and the other in that of lists, and their first difference was no larger than rounding makes it.
bool lockstep_rounding(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right);

// Does the setting in which they differ change the search alone? Then that is the figure that matters, else
// the whole step.
bool lockstep_is_about_search(const FluidDef *left, const FluidDef *right);

// Fills all but the titles: medians and changes over the last rounds. left, right: settings of the sides.
// totals: of both, NULL where they were not measured.
void lockstep_text(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                   const FluidTotals *const totals[2], SplitText *text);

#endif
