#include "scene/shared_scene.h"

#include "core/memory.h"

Result shared_scene_create(SceneDef *scene, SharedScene **out)
{
    *out = memory_allocate(sizeof **out);
    if (!*out) {
        scene_free(scene);
        return result_no_memory("the scene", sizeof **out);
    }
    (*out)->def = *scene;
    atomic_init(&(*out)->holders, 1);
    *scene = (SceneDef){0};
    return result_ok();
}

SharedScene *shared_scene_hold(SharedScene *scene)
{
    atomic_fetch_add(&scene->holders, 1);
    return scene;
}

void shared_scene_release(SharedScene *scene)
{
    if (!scene || atomic_fetch_sub(&scene->holders, 1) > 1) return;
    scene_free(&scene->def);
    memory_free(scene);
}
