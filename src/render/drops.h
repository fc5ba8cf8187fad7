// Spray: a particle that flies alone stands for more water than holds together in the air, and as one sphere
// it looks like a bead; pictures show a few drops of different sizes with the same total volume (a small part
// of it in frames with whitewater, which is mist), spread along its flight. The drops depend on the
// particle's id alone, so they are stable from frame to frame.
#ifndef PBF_RENDER_DROPS_H
#define PBF_RENDER_DROPS_H

#include "fluid/frame_view.h"

enum { DROPS = 4 };

typedef struct Drop {
    Vec3 middle;
    float radius; // m
} Drop;

// The drops of the view's particle i, the largest first. middle: of the water that it stands for; volume: of
// that, m^3. unit_volume: of each drop's shape at a radius of 1. Drops stay inside the tank.
void drops_make(const FrameView *view, uint32_t i, Vec3 middle, double volume,
                const double unit_volume[DROPS], Drop out[DROPS]);

#endif
