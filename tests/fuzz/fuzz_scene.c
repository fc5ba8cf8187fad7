// Scene files. Lines that begin with "#--set KEY=VALUE" are also given as overrides of a command line. A
// scene of a few particles is built and stepped.
#include "core/memory.h"
#include "fluid/fluid.h"
#include "fuzz_input.h"
#include "scene/scene.h"
#include "scene/scene_file.h"

#include <stdlib.h>
#include <string.h>

#define OVERRIDES_MAX 16
#define PARTICLES_MAX 200
#define STEPS 2

// Cuts the overrides out of a copy of the text; returns their number.
static uint32_t find_overrides(char *text, SceneOverride *overrides)
{
    static const char mark[] = "#--set ";
    uint32_t count = 0;
    for (char *line = text; line && count < OVERRIDES_MAX;) {
        char *end = strchr(line, '\n'), *equals;
        if (end) *end = '\0';
        if (strncmp(line, mark, sizeof mark - 1) == 0 && (equals = strchr(line, '='))) {
            *equals = '\0';
            overrides[count++] = (SceneOverride){line + sizeof mark - 1, equals + 1};
        }
        line = end ? end + 1 : NULL;
    }
    return count;
}

// Volumes that say little when read can hold millions of places.
static int is_small(const SceneDef *scene)
{
    double volume = 0, cell = (double)scene->fluid.spacing * scene->fluid.spacing * scene->fluid.spacing;
    for (uint32_t k = 0; k < scene->water_count; k++) {
        const WaterDef *water = &scene->water[k];
        Vec3 size = vec3_sub(water->hi, water->lo);
        if (water->kind == WATER_SPHERE) size.x = size.y = size.z = 2 * water->radius;
        if (water->kind == WATER_MESH) return 0;
        volume += (double)size.x * size.y * size.z;
    }
    for (uint32_t k = 0; k < scene->emitter_count; k++)
        volume += cell * emitter_total_particles(&scene->emitters[k], scene->fluid.spacing, 0.1);
    return volume <= PARTICLES_MAX * cell && scene->obstacle_count <= 16;
}

static void simulate(const SceneDef *scene)
{
    Fluid *fluid;
    Result result = scene_build(scene, &fluid);
    for (int k = 0; k < STEPS && result_is_ok(&result); k++)
        result = fluid_step(fluid, fluid_time(fluid) + 0.01, NULL);
    fluid_destroy(fluid);
}

// The source of a scene of that text; false if it is not text.
static bool make_source(const uint8_t *data, size_t size, SceneSource *source)
{
    *source = (SceneSource){.path = "input.yaml"};
    source->text = memory_allocate(size + 1);
    if (!source->text) abort();
    if (size > 0) memcpy(source->text, data, size);
    source->text[size] = '\0';
    source->bytes = size;
    return size <= YAML_MAX_BYTES && scene_text_check(source->text, size) == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SceneOverride overrides[OVERRIDES_MAX];
    SceneSource source;
    SceneDef scene;
    char *text = fuzz_copy(data, size);
    bool is_text = make_source(data, size, &source);
    Result result = scene_source_set(&source, overrides, find_overrides(text, overrides));
    free(text);
    if (!is_text || !result_is_ok(&result)) {
        scene_source_free(&source);
        return 0;
    }
    result = scene_read_source(&source, &scene);
    if (!result_is_ok(&result)) return 0;
    if (fuzz_goes_on(data, size) && is_small(&scene)) simulate(&scene);
    scene_free(&scene);
    return 0;
}
