// What a comparison says of its sides, for sheets that show both.
#ifndef PBF_SCENE_LOCKSTEP_TEXT_H
#define PBF_SCENE_LOCKSTEP_TEXT_H

#include "render/split.h"
#include "scene/lockstep.h"

// Fills all but the titles. cost: of both sides over the steps that the numbers are to speak of.
void lockstep_text(const Lockstep *lockstep, const LockstepCost cost[2], SplitText *text);

#endif
