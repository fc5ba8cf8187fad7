#include "render/photo_picture.h"

#include "core/memory.h"
#include "photo/photographer.h"

struct PhotoPicture {
    Photo *photo; // NULL until a picture is taken at once
    uint8_t *rgb;
    size_t capacity;            // bytes
    Photographer *photographer; // NULL until one is asked for
    const uint8_t *round;       // the last one of that; NULL: none
};

Result photo_picture_create(PhotoPicture **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    return *out ? result_ok() : result_no_memory("the path tracer", sizeof **out);
}

void photo_picture_destroy(PhotoPicture *picture)
{
    if (!picture) return;
    photographer_destroy(picture->photographer);
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

static PhotoSubject subject_of(const RenderDef *def, const PhotoScene *scene)
{
    return (PhotoSubject){.view = scene->frame,
                          .mesh = scene->mesh,
                          .stage = scene->stage,
                          .hide_tank = def->hide_tank,
                          .hide_obstacles = def->hide_obstacles,
                          .shutter = def->camera.shutter};
}

static PhotoCamera lens_of(const RenderDef *def, const PhotoScene *scene)
{
    const View *camera = scene->camera;
    return (PhotoCamera){.eye = camera->eye,
                         .right = camera->right,
                         .up = camera->up,
                         .forward = camera->forward,
                         .tan_x = camera->tan_x,
                         .tan_y = camera->tan_y,
                         .lens = 0.5f * def->camera.aperture,
                         .focus = focus_of(&def->camera, scene->frame, camera, scene->stage)};
}

Result photo_picture_ask(PhotoPicture *picture, const RenderDef *def, const PhotoScene *scene,
                         void (*wake)(void), PhotoReport *report)
{
    PhotoSubject subject = subject_of(def, scene);
    PhotoCamera lens = lens_of(def, scene);
    picture->round = NULL;
    if (!picture->photographer) TRY(photographer_create(wake, &picture->photographer));
    TRY(photographer_ask(picture->photographer, &def->photo, &def->look, &subject, &lens, def->width,
                         def->height));
    return photographer_look(picture->photographer, &picture->round, report);
}

bool photo_picture_has_news(const PhotoPicture *picture)
{
    return picture->photographer && photographer_has_news(picture->photographer);
}

void photo_picture_rest(PhotoPicture *picture)
{
    if (picture->photographer) photographer_rest(picture->photographer);
}

static Result take(PhotoPicture *picture, const RenderDef *def, const PhotoScene *scene)
{
    size_t bytes = (size_t)def->width * def->height * 3;
    PhotoSubject subject = subject_of(def, scene);
    PhotoCamera lens = lens_of(def, scene);
    if (!picture->photo) TRY(photo_create(&picture->photo));
    TRY(MEMORY_RESERVE(picture->rgb, picture->capacity, 0, bytes, "the picture"));
    return photo_take(picture->photo, &def->photo, &def->look, &subject, &lens, def->width, def->height,
                      picture->rgb, NULL);
}

Result photo_picture_draw(PhotoPicture *picture, const RenderDef *def, const PhotoScene *scene,
                          const Framebuffer *target)
{
    bool rounds = def->photo.round > 0;
    CHECK(!rounds || picture->round);
    if (!rounds) TRY(take(picture, def, scene));
    framebuffer_bind(target);
    return framebuffer_write(target, rounds ? picture->round : picture->rgb);
}
