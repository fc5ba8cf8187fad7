// A picture of water: refraction, reflection, color by thickness, in a studio with a glass tank.
#ifndef PBF_RENDER_WATER_PICTURE_H
#define PBF_RENDER_WATER_PICTURE_H

#include "core/result.h"
#include "render/drop_draw.h"
#include "render/environment.h"
#include "render/framebuffer.h"
#include "render/mesh_draw.h"
#include "render/obstacles_draw.h"
#include "render/particles.h"
#include "render/view.h"

typedef struct WaterPicture WaterPicture;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result water_picture_create(WaterPicture **out);
void water_picture_destroy(WaterPicture *water); // NULL is allowed

// The contents of a picture.
typedef struct WaterScene {
    const LitScene *lit;
    const MeshDrawer *mesh;    // the water's surface, or
    ParticleDrawer *particles; // NULL, or the particles for screen-space water; mesh is then NULL
    const DropDrawer *drops;   // of the spray, in addition to particles
    ObstacleDrawer *obstacles;
    float shutter; // s; whitewater is drawn out along its way in it
} WaterScene;

// Draws into a picture of any size. Errors as above.
Result water_picture_draw(WaterPicture *water, const WaterScene *scene, const View *camera,
                          const Framebuffer *picture);

#endif
