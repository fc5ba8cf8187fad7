// Light and surroundings: a sun with soft shadows, sky light with ambient occlusion, the ground under the
// tank, and the pass that lights the geometry buffer (deferred shading).
#ifndef PBF_RENDER_ENVIRONMENT_H
#define PBF_RENDER_ENVIRONMENT_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/framebuffer.h"
#include "render/view.h"

typedef struct Environment Environment;

// The scene to light.
typedef struct LitScene {
    const FrameView *frame;
    Box3 bounds;    // of everything that casts shadows, domain coordinates
    Box3 stage;     // what the camera frames; does not change from frame to frame
    bool hide_tank; // its walls are not drawn
    bool ground;    // there is a floor at z = 0 (domain)
    float grain;    // m, the size of the finest detail: the particles' drawn radius
    uint64_t light; // equal non-zero values mean equal light, whatever the camera; 0: unknown
} LitScene;

// For pictures of width x height. Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context
// current.
Result environment_create(uint32_t width, uint32_t height, Environment **out);
void environment_destroy(Environment *environment); // NULL is allowed

// Changes the size of pictures. After an error the size is as before. Errors as above.
Result environment_resize(Environment *environment, uint32_t width, uint32_t height);

// Binds and clears the shadow map and returns the sun's view for drawing depths into it. *map gives its size.
// Returns NULL if the map of an earlier picture still holds, so that nothing has to be drawn.
View environment_begin_shadow(Environment *environment, const LitScene *scene, const Framebuffer **map);

// Lights the geometry buffer (`samples` times as large as the picture on each axis) into the picture.
Result environment_shade(Environment *environment, const LitScene *scene, const View *camera,
                         const Framebuffer *geometry, uint32_t samples, const Framebuffer *picture);

#endif
