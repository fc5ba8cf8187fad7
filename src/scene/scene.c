#include "scene/scene.h"

#include "core/memory.h"
#include "core/path.h"
#include "scene/scatter.h"
#include "scene/scene_check.h"
#include "scene/scene_file.h"
#include "scene/scene_schema.h"
#include "surface/surface_params.h"

#include <stdio.h>
#include <string.h>

// Nodes of all distance grids of meshes: 64 MB. Many meshes share them.
#define MOST_GRID_NODES 16777216u
#define LEAST_GRID_NODES 4096u

SceneDef scene_def_default(void)
{
    return (SceneDef){.fluid = fluid_def_default(),
                      .whitewater = diffuse_def_default(),
                      .surface = surface_def_default(1),
                      .output = {.duration = 5, .fps = 30, .render = render_def_default()}};
}

static void set_defaults(const char *path, SceneDef *scene)
{
    *scene = scene_def_default();
    snprintf(scene->path, sizeof scene->path, "%s", path);
    const char *name = path_name(path);
    snprintf(scene->name, sizeof scene->name, "%.*s", path_stem(name), name);
}

// A cell that the scene asks for is not silently enlarged.
static Result check_cell(const SceneReading *reading, const YamlNode *obstacle, const Shape *shape,
                         float margin)
{
    Vec3 size = vec3_sub(shape->mesh.bounds.hi, shape->mesh.bounds.lo);
    double cell = shape->grid.cell, wide = 2 * (double)margin;
    double cells = (size.x + wide) / cell * ((size.y + wide) / cell) * ((size.z + wide) / cell);
    if (!(cell > 0) || cells <= MOST_GRID_NODES) return result_ok();
    return schema_error(reading, yaml_child(yaml_child(obstacle, "mesh"), "cell"),
                        "makes a grid of %.2g cells (at most %u; a larger cell)", cells, MOST_GRID_NODES);
}

// Distances of obstacle meshes are sampled at half a spacing, so that a surface is placed well within a
// quarter of one; the margin covers the fluid that looks at the surface from an influence radius away.
static Result build_grids(const SceneReading *reading, const YamlNode *root, SceneDef *scene)
{
    float spacing = scene->fluid.spacing, margin = scene->fluid.radius_factor * spacing;
    uint32_t meshes = 0;
    for (uint32_t k = 0; k < scene->obstacle_count; k++)
        meshes += scene->obstacles[k].shape.kind == SHAPE_MESH;
    uint64_t nodes = MOST_GRID_NODES / (meshes > 0 ? meshes : 1);
    if (nodes < LEAST_GRID_NODES)
        return result_error(RESULT_USAGE, "%s: %u obstacles are meshes (at most %u)", scene->name, meshes,
                            MOST_GRID_NODES / LEAST_GRID_NODES);
    for (uint32_t k = 0; k < scene->obstacle_count; k++) {
        Shape *shape = &scene->obstacles[k].shape;
        if (shape->kind != SHAPE_MESH) continue;
        TRY(check_cell(reading, yaml_item(yaml_child(root, "obstacles"), k), shape, margin));
        float cell = shape->grid.cell > 0 ? shape->grid.cell : 0.5f * spacing;
        TRY(distance_grid_build(&shape->mesh, cell, margin, nodes, &shape->grid));
    }
    return result_ok();
}

// The sky's picture lies in the scene's folder, as meshes do; it is read when it is needed.
static Result place_environment(const SceneReading *reading, const YamlNode *root, char *environment)
{
    char path[SCENE_PATH_BYTES];
    if (!*environment) return result_ok();
    scene_source_path(reading->source, environment, path);
    if (strlen(path) < sizeof((LookDef *)0)->environment) {
        strcpy(environment, path);
        return result_ok();
    }
    return schema_error(reading, yaml_child(yaml_child(root, "look"), "environment"), "is too long a path");
}

// There is a tank if the scene has the section; sides that repeat themselves are open.
static void settle_tank(const YamlNode *root, SceneDef *scene)
{
    scene->tank.present = yaml_child(root, "tank") != NULL;
    for (int face = 0; face < TANK_FACE_COUNT; face++)
        scene->tank.open[face] |= scene->tank.periodic[face / 2];
}

static Result read_tree(const SceneReading *reading, YamlDocument *document, YamlNode *root, SceneDef *scene)
{
    const SceneSource *source = reading->source;
    if (!root)
        return result_error(RESULT_USAGE, "%s: is empty (scenes/README.md shows what a scene is)",
                            reading->label);
    if (root->kind != YAML_MAPPING)
        return schema_error(reading, root,
                            "a scene is a mapping of keys and values (for example \"spacing: 0.1\")");
    for (uint32_t k = 0; k < source->override_count; k++)
        TRY(scene_override_apply(document, root, &source->overrides[k]));
    TRY(schema_read(reading, root, SCENE_ROWS, scene));
    scene->surface.spacing = scene->fluid.spacing;
    scene->whitewater.enabled &= yaml_child(root, "whitewater") != NULL;
    settle_tank(root, scene);
    scene->output.render.auto_range =
        scene->output.render.range_lo == 0 && scene->output.render.range_hi == 0;
    scene->output.render.camera.automatic = yaml_child(yaml_child(root, "camera"), "eye") == NULL;
    TRY(place_environment(reading, root, scene->output.render.look.environment));
    TRY(scatter_obstacles(reading, root, scene));
    TRY(scene_check(reading, root, scene));
    return build_grids(reading, root, scene);
}

Result scene_read_source(SceneSource *source, SceneDef *out)
{
    char label[SCENE_LABEL_BYTES];
    scene_label(source->path, label);
    set_defaults(source->path, out);
    out->source = *source;
    *source = (SceneSource){0};
    const SceneReading reading = {.label = label, .source = &out->source};
    YamlDocument document = {0};
    YamlNode *root;
    Result result = yaml_parse(&document, label, NULL, out->source.text, out->source.bytes, &root);
    if (result_is_ok(&result)) result = read_tree(&reading, &document, root, out);
    yaml_free(&document);
    if (!result_is_ok(&result)) scene_free(out);
    return result;
}

Result scene_read(const char *path, const SceneOverride *overrides, uint32_t override_count, SceneDef *out)
{
    SceneSource source;
    *out = (SceneDef){0};
    TRY(scene_source_read(path, &source));
    Result result = scene_source_set(&source, overrides, override_count);
    if (result_is_ok(&result)) return scene_read_source(&source, out);
    scene_source_free(&source);
    return result;
}

// Is a key one of a section, or the section?
static bool is_within(const char *section, const char *key)
{
    size_t length = strlen(section);
    return strncmp(key, section, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

// Reads overrides of a few sections, up to NULL, that belong to no file. The tree is freed with *document.
static Result read_settings(const SceneOverride *overrides, uint32_t count, const char *const *sections,
                            const char *wanted, const ParamRow *rows, void *target, YamlDocument *document,
                            YamlNode **root)
{
    const SceneReading reading = {.label = "--set"};
    *root = yaml_new_node(document, YAML_MAPPING);
    if (!*root) return result_no_memory("settings", sizeof **root);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t s = 0;
        while (sections[s] && !is_within(sections[s], overrides[k].key)) s++;
        if (!sections[s])
            return result_error(RESULT_USAGE, "--set %.80s: is not a setting of %s", overrides[k].key,
                                wanted);
        TRY(scene_override_apply(document, *root, &overrides[k]));
    }
    return schema_read(&reading, *root, rows, target);
}

Result scene_set_surface(const SceneOverride *overrides, uint32_t override_count, SurfaceDef *surface)
{
    YamlDocument document = {0};
    YamlNode *root;
    Result result =
        read_settings(overrides, override_count, (const char *const[]){"surface", NULL},
                      "the surface (as surface.cell=0.3 is)", SURFACE_ROWS, surface, &document, &root);
    yaml_free(&document);
    return result;
}

Result scene_set_foam(const SceneOverride *overrides, uint32_t override_count, SceneDef *scene)
{
    YamlDocument document = {0};
    YamlNode *root;
    const char *const sections[] = {"whitewater", "tank", "fluid.gravity", NULL};
    Result result = read_settings(overrides, override_count, sections,
                                  "whitewater, the tank or the gravity (as whitewater.max=100000 is)",
                                  SCENE_ROWS, scene, &document, &root);
    if (result_is_ok(&result)) settle_tank(root, scene);
    yaml_free(&document);
    return result;
}

Result scene_start_from(SceneDef *scene, StateBlocks *state, uint32_t frame, const char *path)
{
    SceneStart *start = memory_allocate_zeroed(sizeof *start);
    if (!start) {
        blocks_free(state);
        return result_no_memory("the state at the start", sizeof *start);
    }
    start->state = *state;
    start->frame = frame;
    start->scenes = 1;
    snprintf(start->path, sizeof start->path, "%s", path);
    scene->start = start;
    *state = (StateBlocks){0};
    return result_ok();
}

void scene_share_start(const SceneDef *from, SceneDef *to)
{
    to->start = from->start;
    if (to->start) to->start->scenes++;
}

// Makes the scene begin with its water again. Fluids made from the state stay.
static void forget_start(SceneDef *scene)
{
    SceneStart *start = scene->start;
    scene->start = NULL;
    if (!start || --start->scenes > 0) return;
    blocks_free(&start->state);
    memory_free(start);
}

void scene_free(SceneDef *scene)
{
    forget_start(scene);
    for (uint32_t k = 0; k < scene->water_count; k++) mesh_free(&scene->water[k].mesh);
    for (uint32_t k = 0; k < scene->obstacle_count; k++) obstacle_def_free(&scene->obstacles[k]);
    memory_free(scene->water);
    memory_free(scene->obstacles);
    memory_free(scene->scatter);
    memory_free(scene->emitters);
    memory_free(scene->drains);
    memory_free(scene->probes);
    memory_free(scene->strands);
    scene_source_free(&scene->source);
    *scene = (SceneDef){0};
}
