#include "render/photo_picture.h"

#include "core/memory.h"

struct PhotoPicture {
    Photo *photo;
    PhotoReport report; // of the last picture
    uint8_t *rgb;
    size_t capacity; // bytes
};

Result photo_picture_create(PhotoPicture **out)
{
    *out = NULL;
    PhotoPicture *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the path tracer", sizeof *self);
    Result result = photo_create(&self->photo);
    if (result_is_ok(&result))
        *out = self;
    else
        photo_picture_destroy(self);
    return result;
}

void photo_picture_destroy(PhotoPicture *picture)
{
    if (!picture) return;
    photo_destroy(picture->photo);
    memory_free(picture->rgb);
    memory_free(picture);
}

// What is sharp: what the camera looks at, or the middle of the stage.
static float focus_of(const CameraDef *def, const FrameView *frame, const View *view, Box3 stage)
{
    if (def->focus > 0) return def->focus;
    Vec3 target = vec3_scale(vec3_add(stage.lo, stage.hi), 0.5f);
    if (!def->automatic) target = vec3_sub(def->target, frame->origin);
    return fmaxf(vec3_dot(vec3_sub(target, view->eye), view->forward), 10 * view->near);
}

bool photo_picture_is_done(const PhotoPicture *picture)
{
    return picture->report.done;
}

Result photo_picture_draw(PhotoPicture *picture, const RenderDef *def, const FrameView *frame,
                          const SurfaceMesh *mesh, const View *camera, Box3 stage, const Framebuffer *target)
{
    size_t bytes = (size_t)def->width * def->height * 3;
    PhotoSubject subject = {.view = frame,
                            .mesh = mesh,
                            .stage = stage,
                            .hide_tank = def->hide_tank,
                            .hide_obstacles = def->hide_obstacles,
                            .shutter = def->camera.shutter};
    PhotoCamera lens = {.eye = camera->eye,
                        .right = camera->right,
                        .up = camera->up,
                        .forward = camera->forward,
                        .tan_x = camera->tan_x,
                        .tan_y = camera->tan_y,
                        .lens = 0.5f * def->camera.aperture,
                        .focus = focus_of(&def->camera, frame, camera, stage)};
    TRY(MEMORY_RESERVE(picture->rgb, picture->capacity, 0, bytes, "the picture"));
    TRY(photo_take(picture->photo, &def->photo, &def->look, &subject, &lens, def->width, def->height,
                   picture->rgb, &picture->report));
    framebuffer_bind(target);
    return framebuffer_write(target, picture->rgb);
}
