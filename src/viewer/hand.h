// The user's hand in the water: forces, drops, obstacles.
#ifndef PBF_VIEWER_HAND_H
#define PBF_VIEWER_HAND_H

#include "render/gui.h"
#include "viewer/picture.h"

typedef struct Hand {
    Screen *screen;
    const Playback *playback;
    const Picture *picture;
    bool on;          // the left button acts on the water, not on the camera
    bool obstacle;    // an obstacle is held, not water
    bool pushes;      // away from the mouse instead of toward it
    float depth;      // m along the line of sight to what was grabbed
    uint32_t body;    // obstacle that is moved
    FluidForce force; // the last one, or where the next one would act
    bool acts;        // it does now
    double until;     // clock, s, until when one by a key is shown
} Hand;

// The mouse moves over the picture.
void hand_hover(Hand *hand, float px, float py);

// A drag of water, or of an obstacle, begins at a place of the window (px); false if there is none.
bool hand_grab(Hand *hand, float px, float py, bool obstacle, bool pushes);
void hand_move(Hand *hand, float px, float py, float dx, float dy);
void hand_release(Hand *hand);
void hand_drop(Hand *hand, float px, float py); // a ball of water over the place

// The same from the keyboard, at what the camera looks at.
void hand_drop_ahead(Hand *hand);
void hand_push_ahead(Hand *hand, bool pulls);
void hand_next_obstacle(Hand *hand);

// Moves the chosen obstacle a step to the right, away and up as the camera sees it (-1, 0 or 1 each).
void hand_move_obstacle(Hand *hand, int right, int away, int up);

// A ring where and as far as a force acts, with arrows toward its middle or away; without them where one
// would.
void hand_draw(const Hand *hand, Gui *gui);

#endif
