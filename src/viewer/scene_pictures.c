#include "viewer/scene_pictures.h"

#include "export/export.h"
#include "render/gui_texture.h"

#include <stdio.h>
#include <string.h>

void scene_pictures_free(ScenePictures *pictures)
{
    for (uint32_t k = 0; k < SCENE_FILES_MAX; k++) gui_texture_free(pictures->texture[k]);
    *pictures = (ScenePictures){0};
}

static uint32_t load(const char *folder, const char *scene)
{
    char path[4300];
    uint8_t rgb[3 * SCENE_PICTURE_WIDTH * SCENE_PICTURE_HEIGHT];
    int name = (int)(strlen(scene) - strlen(".yaml"));
    snprintf(path, sizeof path, "%s/pictures/%.*s.png", folder, name, scene);
    Result result = export_png_read(path, SCENE_PICTURE_WIDTH, SCENE_PICTURE_HEIGHT, rgb);
    return result_is_ok(&result) ? gui_texture_create(rgb, SCENE_PICTURE_WIDTH, SCENE_PICTURE_HEIGHT) : 0;
}

void scene_pictures_load(ScenePictures *pictures, const SceneFiles *files)
{
    uint64_t number = files->playback->facts.number;
    if (pictures->loaded == number) return;
    scene_pictures_free(pictures);
    pictures->loaded = number;
    for (uint32_t k = 0; k < files->count; k++) pictures->texture[k] = load(files->folder, files->name[k]);
}
