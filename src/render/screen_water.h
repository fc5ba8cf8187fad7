// Screen-space fluid: the water's surface from particles alone, as sphere depths smoothed until single
// spheres no longer show (van der Laan, Green and Sainz 2009, with the narrow-range filter of Truong and
// Yuksel 2018).
#ifndef PBF_RENDER_SCREEN_WATER_H
#define PBF_RENDER_SCREEN_WATER_H

#include "core/result.h"
#include "render/drop_draw.h"
#include "render/particles.h"
#include "render/water_layers.h"

typedef struct ScreenWater ScreenWater;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result screen_water_create(ScreenWater **out);
void screen_water_destroy(ScreenWater *water); // NULL is allowed

// Fills a camera's layers (without a back). room: walls at which the water ends, far away where there are
// none. solids: depth texture of this view; water behind it does not count. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY.
Result screen_water_draw(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                         const View *camera, Box3 room, GLuint solids);

// Camera under water: fills its back with the places where rays leave the last water on their way.
Result screen_water_draw_back(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                              const View *camera, Box3 room);

// Fills the sun's front and thickness, drops included; drops do not bend light.
Result screen_water_draw_sun(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                             const DropDrawer *drops, const View *sun, Box3 room);

#endif
