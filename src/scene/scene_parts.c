#include "scene/scene_parts.h"

#include "core/mat3.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

// Obstacles that name no colour: a light grey, linear.
static const float OBSTACLE_COLOR[3] = {0.50f, 0.52f, 0.55f};

// Of all meshes together, one that is named twice counted twice: a short scene may name a large one often.
#define MESH_BYTES_MAX (1 << 30)

// --- values ---

static const char *faces(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[TANK_FACE_COUNT] = {
        [TANK_X_LO] = "left", [TANK_X_HI] = "right",  [TANK_Y_LO] = "front",
        [TANK_Y_HI] = "back", [TANK_Z_LO] = "bottom", [TANK_Z_HI] = "top",
    };
    return k < TANK_FACE_COUNT ? names[k] : NULL;
}

Result parts_read_faces(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    const SchemaField name = {.choice = faces};
    bool *open = target;
    (void)field;
    if (node->kind != YAML_LIST)
        return schema_wrong_kind(reading, node, "a list of faces, for example [top]");
    for (const YamlNode *item = node->first; item; item = item->next) {
        uint32_t face;
        TRY(schema_choice(reading, item, &name, &face));
        open[face] = true;
    }
    return result_ok();
}

Result parts_read_scale(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    double factor[3];
    if (node->kind == YAML_LIST) {
        TRY(schema_numbers(reading, node, field, 3, factor));
    } else {
        TRY(schema_number(reading, node, field, &factor[0]));
        factor[1] = factor[2] = factor[0];
    }
    *(Vec3 *)target = vec3_make((float)factor[0], (float)factor[1], (float)factor[2]);
    return result_ok();
}

Result parts_read_plate(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    double sides[2];
    TRY(schema_numbers(reading, node, field, 2, sides));
    ((Vec3 *)target)->x = (float)sides[0];
    ((Vec3 *)target)->y = (float)sides[1];
    return result_ok();
}

Result parts_read_radii(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    double radii[2];
    TRY(schema_numbers(reading, node, field, 2, radii));
    if (radii[0] > radii[1]) return schema_error(reading, node, "the smallest comes first");
    for (int k = 0; k < 2; k++) ((float *)target)[k] = (float)radii[k];
    return result_ok();
}

// IEC 61966-2-1.
static double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

Result parts_read_color(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    double rgb[3];
    TRY(schema_numbers(reading, node, field, 3, rgb));
    for (int k = 0; k < 3; k++) ((float *)target)[k] = (float)linear_from_srgb(rgb[k]);
    return result_ok();
}

Result parts_read_size(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                       void *target)
{
    SchemaField whole = *field;
    double pixels[2];
    whole.kind = SCHEMA_COUNT;
    TRY(schema_numbers(reading, node, &whole, 2, pixels));
    ((RenderDef *)target)->width = (uint32_t)pixels[0];
    ((RenderDef *)target)->height = (uint32_t)pixels[1];
    return result_ok();
}

Result parts_read_range(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    RenderDef *render = target;
    double ends[2];
    if (node->kind == YAML_SCALAR && strcmp(node->text, "auto") == 0) {
        render->auto_range = true;
        return result_ok();
    }
    if (node->kind != YAML_LIST) return schema_wrong_kind(reading, node, "auto or a list of two numbers");
    TRY(schema_numbers(reading, node, field, 2, ends));
    if ((float)ends[0] >= (float)ends[1])
        return schema_error(reading, node, "its start must be below its end");
    render->auto_range = false;
    render->range_lo = (float)ends[0];
    render->range_hi = (float)ends[1];
    return result_ok();
}

Result parts_read_isovalue(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                           void *target)
{
    double value = 0;
    bool scalar = node->kind == YAML_SCALAR, automatic = scalar && strcmp(node->text, "auto") == 0;
    bool word = scalar && strchr("0123456789.+-", node->text[0]) == NULL;
    if (!automatic && (!scalar || word)) return schema_wrong_kind(reading, node, "auto or a number");
    if (!automatic) TRY(schema_number(reading, node, field, &value));
    *(float *)target = (float)value;
    return result_ok();
}

// --- meshes ---

static Result read_mesh(const SceneReading *reading, const YamlNode *node, const MeshDraft *draft,
                        TriangleMesh *out)
{
    char path[SCENE_PATH_BYTES];
    const SceneFile *file;
    scene_source_path(reading->source, draft->file, path);
    Result result = scene_source_file(reading->source, draft->file, &file);
    if (result_is_ok(&result) && (reading->source->parsed_bytes += file->bytes) > MESH_BYTES_MAX)
        result =
            result_error(RESULT_USAGE, "all meshes of the scene hold more than %d MB", MESH_BYTES_MAX >> 20);
    if (result_is_ok(&result)) result = mesh_parse_obj(path, file->text, file->bytes, out);
    if (result_is_ok(&result) || result.code == RESULT_NO_MEMORY) return result;
    return schema_error(reading, yaml_child(node, "file"), "%s", result.text);
}

// Scales, rotates and moves a mesh to where the scene wants it.
static void place_mesh(const MeshDraft *draft, TriangleMesh *mesh)
{
    Mat3 rotation = mat3_from_euler_degrees(draft->rotation);
    mesh_scale(mesh, draft->scale);
    Box3 bounds = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        Vec3 vertex = vec3_add(mat3_apply(rotation, mesh->vertices[i]), draft->position);
        bounds.lo = vec3_min(bounds.lo, vertex);
        bounds.hi = vec3_max(bounds.hi, vertex);
        mesh->vertices[i] = vertex;
    }
    mesh->bounds = bounds;
}

// --- elements of lists ---

Result parts_read_water(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    WaterDraft draft = {.mesh.scale = {1, 1, 1}};
    WaterDef *def = target;
    (void)field;
    TRY(schema_read(reading, node, &WATER_SCHEMA, &draft));
    const char *kind = schema_variant(node, &WATER_SCHEMA);
    const YamlNode *shape = yaml_child(node, kind);
    *def = draft.def;
    def->line = node->line;
    def->column = node->column;
    if (strcmp(kind, "sphere") == 0) {
        def->kind = WATER_SPHERE;
        return result_ok();
    }
    if (strcmp(kind, "mesh") == 0) {
        def->kind = WATER_MESH;
        TRY(read_mesh(reading, shape, &draft.mesh, &def->mesh));
        place_mesh(&draft.mesh, &def->mesh);
        return result_ok();
    }
    def->kind = WATER_BOX;
    if (def->lo.x < def->hi.x && def->lo.y < def->hi.y && def->lo.z < def->hi.z) return result_ok();
    return schema_error(reading, shape, "min must be below max on every axis");
}

// Full sizes to half ones, and what a capsule's caps take of its height.
static Result finish_shape(const SceneReading *reading, const YamlNode *node, const char *kind, Shape *shape)
{
    shape->half_extent = vec3_scale(shape->half_extent, 0.5f);
    shape->half_height *= 0.5f;
    if (strcmp(kind, "sphere") == 0)
        shape->kind = SHAPE_SPHERE;
    else if (strcmp(kind, "cylinder") == 0)
        shape->kind = SHAPE_CYLINDER;
    else if (strcmp(kind, "mesh") == 0)
        shape->kind = SHAPE_MESH;
    else
        shape->kind = SHAPE_BOX; // a plate is a thin box
    if (strcmp(kind, "capsule") != 0) return result_ok();
    shape->kind = SHAPE_CAPSULE;
    if (shape->half_height < shape->radius)
        return schema_error(reading, yaml_child(node, kind),
                            "height is the whole height (at least twice the radius)");
    shape->half_height -= shape->radius;
    return result_ok();
}

static Result finish_motion(const SceneReading *reading, const YamlNode *node, MotionDef *motion)
{
    if (yaml_child(node, "keyframes")) {
        const YamlNode *frames = yaml_child(node, "keyframes");
        motion->kind = MOTION_KEYFRAMES;
        if (motion->keyframe_count < 2) return schema_error(reading, frames, "needs at least two keyframes");
        const YamlNode *frame = frames->first->next;
        for (uint32_t k = 1; k < motion->keyframe_count; k++, frame = frame->next) {
            if (motion->keyframes[k].time <= motion->keyframes[k - 1].time)
                return schema_error(reading, frame, "time must be later than that of the keyframe before");
        }
        return result_ok();
    }
    motion->kind = MOTION_OSCILLATION;
    if (isnan(motion->ramp)) motion->ramp = 0.5 * motion->period;
    if (motion->stop > motion->start) return result_ok();
    return schema_error(reading, yaml_child(node, "oscillation"), "stop must be later than start");
}

static Result finish_obstacle(const SceneReading *reading, const YamlNode *node, const MeshDraft *mesh,
                              ObstacleDef *def)
{
    const char *kind = schema_variant(node, &OBSTACLE_SCHEMA);
    if (!def->name[0]) snprintf(def->name, sizeof def->name, "%s", kind);
    TRY(finish_shape(reading, node, kind, &def->shape));
    const YamlNode *motion = yaml_child(node, "motion");
    if (motion) TRY(finish_motion(reading, motion, &def->motion));
    const char *placed = yaml_child(node, "position")   ? "position"
                         : yaml_child(node, "rotation") ? "rotation"
                                                        : NULL;
    if (placed && yaml_child(motion, "keyframes"))
        return schema_error_at_key(reading, yaml_child(node, placed),
                                   "cannot be together with keyframes (they place the "
                                   "obstacle)");
    if (def->shape.kind != SHAPE_MESH) return result_ok();
    TRY(read_mesh(reading, yaml_child(node, kind), mesh, &def->shape.mesh));
    mesh_scale(&def->shape.mesh, mesh->scale);
    def->shape.grid.cell = mesh->cell;
    return result_ok();
}

Result parts_read_obstacle(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                           void *target)
{
    ObstacleDraft draft = {.mesh.scale = {1, 1, 1}, .def.motion = {.stop = INFINITY, .ramp = NAN}};
    (void)field;
    memcpy(draft.def.color, OBSTACLE_COLOR, sizeof OBSTACLE_COLOR);
    Result result = schema_read(reading, node, &OBSTACLE_SCHEMA, &draft);
    if (result_is_ok(&result)) result = finish_obstacle(reading, node, &draft.mesh, &draft.def);
    *(ObstacleDef *)target = draft.def; // also after an error: the caller frees it
    return result;
}

Result parts_read_scatter(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                          void *target)
{
    ScatterDef *def = target;
    (void)field;
    *def = (ScatterDef){.name = "ball"};
    memcpy(def->color, OBSTACLE_COLOR, sizeof OBSTACLE_COLOR);
    return schema_read(reading, node, &SCATTER_SCHEMA, def);
}

Result parts_read_keyframe(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                           void *target)
{
    (void)field;
    return schema_read(reading, node, &KEYFRAME_SCHEMA, target);
}

Result parts_read_emitter(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                          void *target)
{
    EmitterDef *def = target;
    (void)field;
    *def = (EmitterDef){.name = "emitter", .stop = INFINITY, .volume = INFINITY};
    TRY(schema_read(reading, node, &EMITTER_SCHEMA, def));
    def->disc = strcmp(schema_variant(node, &EMITTER_SCHEMA), "disc") == 0;
    if (def->stop > def->start) return result_ok();
    return schema_error(reading, node, "stop must be later than start");
}

Result parts_read_drain(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *target)
{
    DrainDef *def = target;
    (void)field;
    *def = (DrainDef){.name = "drain", .stop = INFINITY};
    TRY(schema_read(reading, node, &DRAIN_SCHEMA, def));
    def->sphere = strcmp(schema_variant(node, &DRAIN_SCHEMA), "sphere") == 0;
    def->half_extent = vec3_scale(def->half_extent, 0.5f);
    if (def->stop > def->start) return result_ok();
    return schema_error(reading, node, "stop must be later than start");
}
