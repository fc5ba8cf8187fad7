#include "scene_helpers.h"

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char names[16][64]; // files that were written
static int name_count;

const char CUBE_OBJ[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                        "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
                        "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";

int scene_folder_make(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/pbf_scene_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int scene_folder_remove(void **state)
{
    (void)state;
    for (int k = 0; k < name_count; k++) {
        char path[160];
        snprintf(path, sizeof path, "%.60s/%.60s", folder, names[k]);
        unlink(path);
    }
    name_count = 0;
    return rmdir(folder);
}

const char *scene_write(const char *name, const void *bytes, size_t count)
{
    static char path[160];
    int k = 0;
    while (k < name_count && strcmp(names[k], name) != 0) k++;
    if (k == name_count) {
        assert_true(name_count < 16 && strlen(name) < 64);
        strcpy(names[name_count++], name);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    fclose(file);
    return path;
}

Result scene_read_text(const char *text, const char *set, SceneDef *out)
{
    char key[128] = "";
    SceneOverride override = {key, ""};
    if (set) {
        const char *equals = strchr(set, '=');
        assert_non_null(equals);
        memcpy(key, set, (size_t)(equals - set));
        override.value = equals + 1;
    }
    return scene_read(scene_write("scene.yaml", text, strlen(text)), &override, set ? 1 : 0, out);
}

void assert_scene_refused(const char *text, const char *set, const char *message)
{
    SceneDef scene;
    uint64_t before = memory_bytes_in_use();
    Result result = scene_read_text(text, set, &scene);
    const char *found = result.text;
    size_t length = strlen(folder);
    if (strncmp(found, folder, length) == 0) found += length + 1;
    assert_string_equal(found, message);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_int_equal(memory_bytes_in_use(), before);
}

SceneDef scene_from_text(const char *text, const char *set)
{
    SceneDef scene;
    Result result = scene_read_text(text, set, &scene);
    assert_string_equal(result.text, "");
    assert_int_equal(result.code, RESULT_OK);
    return scene;
}
