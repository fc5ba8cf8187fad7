// Pictures of the style `photo` in a renderer's framebuffer.
#ifndef PBF_RENDER_PHOTO_PICTURE_H
#define PBF_RENDER_PHOTO_PICTURE_H

#include "render/framebuffer.h"
#include "render/render.h"
#include "render/view.h"

typedef struct PhotoPicture PhotoPicture;

// Errors: RESULT_FAILED where the program cannot trace rays, RESULT_NO_MEMORY.
Result photo_picture_create(PhotoPicture **out);
void photo_picture_destroy(PhotoPicture *picture); // NULL is allowed

// Has the last picture all its samples? See PhotoDef.round.
bool photo_picture_is_done(const PhotoPicture *picture);

// Takes the picture that def, frame and camera describe and puts it into `target`. stage: m, what light and
// floor are arranged around. Errors: as photo_take.
Result photo_picture_draw(PhotoPicture *picture, const RenderDef *def, const FrameView *frame,
                          const SurfaceMesh *mesh, const View *camera, Box3 stage, const Framebuffer *target);

#endif
