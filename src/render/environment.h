// Light and surroundings: a sun with soft shadows, sky light with darkened corners, the ground under the
// tank, and the pass that turns the geometry buffer into the picture.
#ifndef PBF_RENDER_ENVIRONMENT_H
#define PBF_RENDER_ENVIRONMENT_H

#include "core/result.h"
#include "fluid/frame_view.h"
#include "render/framebuffer.h"
#include "render/view.h"

typedef struct Environment Environment;

// What is lit.
typedef struct LitScene {
    const FrameView *frame;
    Box3 bounds;    // of everything that casts shadows, domain coordinates
    Box3 stage;     // what the camera is about; does not change from frame to frame
    bool hide_tank; // its walls are not drawn
    bool ground;    // there is a floor at z = 0 (domain)
    float grain;    // m, the size of the finest detail: the particles' drawn radius
    uint64_t light; // scenes with the same one are lit the same, whatever the camera; 0: nobody knows
} LitScene;

// For pictures of width x height. Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context
// current.
Result environment_create(uint32_t width, uint32_t height, Environment **out);
void environment_destroy(Environment *environment); // NULL is allowed

// For pictures of another size from now on. After an error the size is what it was. Errors as above.
Result environment_resize(Environment *environment, uint32_t width, uint32_t height);

// Binds the shadow map, emptied, and returns the sun's view for drawing depths into it. *map tells its size;
// NULL if what the sun sees is known from an earlier picture and nothing is to be drawn.
View environment_begin_shadow(Environment *environment, const LitScene *scene, const Framebuffer **map);

// Lights the geometry buffer (`samples` times as large as the picture on each axis) into the picture.
Result environment_shade(Environment *environment, const LitScene *scene, const View *camera,
                         const Framebuffer *geometry, uint32_t samples, const Framebuffer *picture);

#endif
