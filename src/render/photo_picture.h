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

// What a picture shows. stage: m, what light and floor are arranged around.
typedef struct PhotoScene {
    const FrameView *frame;
    const SurfaceMesh *mesh; // NULL: none
    const View *camera;
    Box3 stage;
} PhotoScene;

// Asks for the picture of a definition with rounds, which is taken meanwhile; as renderer_ask_photo.
Result photo_picture_ask(PhotoPicture *picture, const RenderDef *def, const PhotoScene *scene,
                         void (*wake)(void), PhotoReport *report);
bool photo_picture_has_news(const PhotoPicture *picture);
void photo_picture_rest(PhotoPicture *picture);

// Puts the picture into `target`: the last round of what was asked for, or one that is taken now if the
// definition has no rounds. Errors: as photo_take.
Result photo_picture_draw(PhotoPicture *picture, const RenderDef *def, const PhotoScene *scene,
                          const Framebuffer *target);

#endif
