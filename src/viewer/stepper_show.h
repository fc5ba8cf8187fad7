// What the simulation's thread tells the window.
#ifndef PBF_VIEWER_STEPPER_SHOW_H
#define PBF_VIEWER_STEPPER_SHOW_H

#include "viewer/stepper_state.h"

// The scene of the left side.
const SceneDef *stepper_scene(const Stepper *stepper);

// Is a state at this time (s) past its frame, which was the last?
bool stepper_is_between(const Stepper *stepper, double time, uint32_t frame);

// Is the present state that of the last frame that was reached?
bool stepper_is_on_frame(const Stepper *stepper);

// The water cannot go on.
void stepper_fail(Stepper *stepper, Result error);

// Tells the window what the scene is now. same_file: of a new scene, read again.
void stepper_renew_facts(Stepper *stepper, bool new_scene, bool same_file);

// Copies the present state, with a surface and the sides' figures where those are wanted. Errors:
// RESULT_NO_MEMORY.
Result stepper_fill(Stepper *stepper, SimSnapshot *snapshot);

// The same for the window, which is woken.
void stepper_show(Stepper *stepper);

#endif
