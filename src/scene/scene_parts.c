#include "scene/scene_parts.h"

#include "core/mat3.h"
#include "core/memory.h"
#include "strand/strand_params.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Most bytes of all meshes together, each counted as often as it is named: a short scene may name one often.
#define MESH_BYTES_MAX (1 << 30)

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

static Result read_water(const SceneReading *reading, const YamlNode *node, const ParamRow *row, void *target)
{
    WaterDraft draft = *(const WaterDraft *)row->item;
    WaterDef *def = target;
    TRY(schema_read(reading, node, row->rows, &draft));
    const char *kind = schema_variant(node, WATER_ROWS);
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

// Halves full sizes, and takes a capsule's caps off its height.
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

static Result check_times(const SceneReading *reading, const YamlNode *node, double start, double stop)
{
    return stop > start ? result_ok() : schema_error(reading, node, "stop must be later than start");
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
    return check_times(reading, yaml_child(node, "oscillation"), motion->start, motion->stop);
}

static Result finish_obstacle(const SceneReading *reading, const YamlNode *node, const MeshDraft *mesh,
                              ObstacleDef *def)
{
    const char *kind = schema_variant(node, OBSTACLE_ROWS);
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

static Result read_obstacle(const SceneReading *reading, const YamlNode *node, const ParamRow *row,
                            void *target)
{
    ObstacleDraft draft = *(const ObstacleDraft *)row->item;
    Result result = schema_read(reading, node, row->rows, &draft);
    if (result_is_ok(&result)) result = finish_obstacle(reading, node, &draft.mesh, &draft.def);
    *(ObstacleDef *)target = draft.def; // also after an error: the caller frees it
    return result;
}

static Result finish_scatter(const SceneReading *reading, const YamlNode *node, const ScatterDef *def)
{
    if (def->radius[0] <= def->radius[1]) return result_ok();
    return schema_error(reading, yaml_child(node, "radius"), "the smallest comes first");
}

static Result finish_emitter(const SceneReading *reading, const YamlNode *node, EmitterDef *def)
{
    def->disc = strcmp(schema_variant(node, EMITTER_ROWS), "disc") == 0;
    return check_times(reading, node, def->start, def->stop);
}

static Result finish_drain(const SceneReading *reading, const YamlNode *node, DrainDef *def)
{
    def->sphere = strcmp(schema_variant(node, DRAIN_ROWS), "sphere") == 0;
    def->half_extent = vec3_scale(def->half_extent, 0.5f);
    return check_times(reading, node, def->start, def->stop);
}

static Result finish_probe(const SceneReading *reading, const YamlNode *node, ProbeDef *def)
{
    const char *kind = schema_variant(node, PROBE_ROWS);
    int number = 0;
    while (strcmp(probe_kind((ProbeKind)number)->key, kind) != 0) number++;
    def->kind = (ProbeKind)number;
    if (!def->name[0]) return schema_error(reading, yaml_child(node, "name"), "is empty");
    for (const char *c = def->name; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_')
            return schema_error(reading, yaml_child(node, "name"),
                                "names columns of a table (letters, digits and _)");
    }
    return result_ok();
}

static Result finish_strands(const SceneReading *reading, const YamlNode *node, StrandDef *def)
{
    const char *kind = schema_variant(node, STRAND_ROWS);
    const YamlNode *part = yaml_child(node, kind);
    if (def->length[0] > def->length[1])
        return schema_error(reading, yaml_child(node, "length"), "the shortest comes first");
    if (strcmp(kind, "meadow") == 0) {
        def->layout = STRAND_MEADOW;
        if (def->lo.x <= def->hi.x && def->lo.y <= def->hi.y && def->lo.z <= def->hi.z) return result_ok();
        return schema_error(reading, part, "min must not be above max on any axis");
    }
    if (strcmp(kind, "cap") == 0) {
        def->layout = STRAND_CAP;
        return def->obstacle[0] ? result_ok()
                                : schema_error(reading, node, "needs the key obstacle with a cap");
    }
    def->layout = STRAND_ROPE;
    if (def->count != 1) return schema_error(reading, yaml_child(node, "count"), "is 1 of a rope");
    if (!vec3_equal(def->from, def->to)) return result_ok();
    return schema_error(reading, part, "from must not be where to is");
}

Result parts_read_item(const SceneReading *reading, const YamlNode *node, const ParamRow *row, void *target)
{
    if (row->rows == WATER_ROWS) return read_water(reading, node, row, target);
    if (row->rows == OBSTACLE_ROWS) return read_obstacle(reading, node, row, target);
    memcpy(target, row->item, row->size);
    TRY(schema_read(reading, node, row->rows, target));
    return row->rows == SCATTER_ROWS   ? finish_scatter(reading, node, target)
           : row->rows == EMITTER_ROWS ? finish_emitter(reading, node, target)
           : row->rows == DRAIN_ROWS   ? finish_drain(reading, node, target)
           : row->rows == STRAND_ROWS  ? finish_strands(reading, node, target)
           : row->rows == PROBE_ROWS   ? finish_probe(reading, node, target)
                                       : result_ok();
}
