// A picture of water: refraction, reflection, colour by thickness, in a studio with a glass tank.
#ifndef PBF_RENDER_WATER_PICTURE_H
#define PBF_RENDER_WATER_PICTURE_H

#include "core/result.h"
#include "render/environment.h"
#include "render/framebuffer.h"
#include "render/mesh_draw.h"
#include "render/obstacles_draw.h"
#include "render/view.h"

typedef struct WaterPicture WaterPicture;

// For pictures of width x height. Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context
// current.
Result water_picture_create(uint32_t width, uint32_t height, WaterPicture **out);
void water_picture_destroy(WaterPicture *water); // NULL is allowed

// For pictures of another size from now on. After an error the size is what it was.
Result water_picture_resize(WaterPicture *water, uint32_t width, uint32_t height);

// What a picture is made of.
typedef struct WaterScene {
    const LitScene *lit;
    const MeshDrawer *mesh;
    ObstacleDrawer *obstacles;
} WaterScene;

Result water_picture_draw(WaterPicture *water, const WaterScene *scene, const View *camera,
                          const Framebuffer *picture);

#endif
