// `pbf scenes`: the scenes that commands find by name.
#include "command/command.h"
#include "command/number.h"
#include "scene/scene_library.h"

#include <stdio.h>
#include <string.h>

typedef struct Listing {
    char folder[PATH_MAX]; // of the last one
    uint32_t count;
} Listing;

static void print_tank(const TankDef *tank, char text[48])
{
    if (tank->present)
        snprintf(text, 48, "%g x %g x %g m", (double)tank->size.x, (double)tank->size.y,
                 (double)tank->size.z);
    else
        strcpy(text, "no tank");
}

static Result print_scene(const char *name, const char *path, void *context)
{
    Listing *listing = context;
    SceneDef scene;
    SceneCount count;
    char shown[PATH_MAX];
    int length = (int)(strrchr(path, '/') - path);
    if (strncmp(listing->folder, path, (size_t)length) != 0 || listing->folder[length])
        printf("%s%.*s\n", listing->count > 0 ? "\n" : "", length, text_masked(path, shown, sizeof shown));
    snprintf(listing->folder, sizeof listing->folder, "%.*s", length, path);
    text_masked(name, shown, sizeof shown);
    listing->count++;

    Result result = scene_read(path, NULL, 0, &scene);
    if (!result_is_ok(&result)) {
        printf("  %-16s %s\n", shown, result.text);
        return result.code == RESULT_NO_MEMORY ? result : result_ok();
    }
    result = scene_count(&scene, &count);
    if (result_is_ok(&result)) {
        char grouped[27], tank[48];
        print_tank(&scene.tank, tank);
        printf("  %-16s %11s particles  %-18s %s\n", shown,
               number_grouped(count.initial + count.emitted, grouped), tank, scene.description);
    }
    scene_free(&scene);
    return result;
}

Result command_scenes(const Options *options)
{
    Listing listing = {0};
    (void)options;
    TRY(scene_library_list(print_scene, &listing));
    if (listing.count == 0)
        return result_error(RESULT_FAILED, "there are no scenes beside the program (make install puts them "
                                           "into share/pbf/scenes)");
    puts("\npbf view NAME shows one; a file of that name in the current folder comes first");
    return result_ok();
}
