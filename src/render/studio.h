// Studio for pictures of water: a sky to reflect, a sun whose light the water refracts onto the floor
// (caustics), a glass tank on a tiled floor. Colors are linear light until water_picture.c turns them into a
// picture.
#ifndef PBF_RENDER_STUDIO_H
#define PBF_RENDER_STUDIO_H

#include "core/result.h"
#include "render/environment.h"
#include "render/obstacles_draw.h"
#include "render/view.h"
#include "render/water_layers.h"

typedef struct Studio Studio;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result studio_create(Studio **out);
void studio_destroy(Studio *studio); // NULL is allowed

// Starts a picture: its camera, the geometry buffer of solids with `samples` samples per pixel along each
// axis, and whether the water's back faces are known.
Result studio_begin(Studio *studio, const LitScene *scene, const View *camera, const Framebuffer *geometry,
                    uint32_t samples, bool with_back);

// The tank's inner walls, far away for open faces and without a tank.
Box3 studio_walls(const LitScene *scene);

// The sun's view of the scene and its layers of water, to be drawn by the caller before studio_light_floor.
const View *studio_sun(const Studio *studio);
const WaterLayers *studio_sun_layers(const Studio *studio);

// Do the sun's layers and the lit floor of an earlier picture still hold?
bool studio_is_lit(const Studio *studio, const LitScene *scene);

// Lights the floor: shadows of solids, the water's color and caustics.
Result studio_light_floor(Studio *studio, ObstacleDrawer *obstacles, const LitScene *scene);

// Shades solids, ground and sky into `target`: linear color with alpha 1 on solids, and distance (m,
// along the camera's forward direction). geometry: the solids; target has one pixel for all its samples.
void studio_draw_scene(Studio *studio, const Framebuffer *geometry, const Framebuffer *target);

// Sets what shaders/studio.glsl declares for the program, which becomes the one in use.
void studio_use(const Studio *studio, const GlProgram *program);
// Draws a full-screen triangle with the program in use.
void studio_fill(const Studio *studio);

#endif
