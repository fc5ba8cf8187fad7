#include "scene/scene_item.h"

#include "core/memory.h"
#include "obstacle/mesh.h"
#include "render/render_params.h"
#include "scene/scene_file.h"

#include <stdio.h>
#include <string.h>

static const float TURN_FINE = 0.01f; // degrees, that angles are rounded to

// A half length along an axis: `share` of component `component` of a key.
typedef struct Extent {
    const char *key; // NULL: it has none
    uint32_t component;
    float share; // 0: of the mesh's half length
} Extent;

// What a variant of a list is placed by.
typedef struct Form {
    const char *list, *variant;
    const char *position, *rotation; // the first is NULL of a box with corners
    ItemShape shape;
    Extent extent[3];
} Form;

// clang-format off
#define NOTHING {NULL, 0, 0}
#define CORNERS {NOTHING, NOTHING, NOTHING}
#define BOX_SIZE {{"box.size", 0, 0.5f}, {"box.size", 1, 0.5f}, {"box.size", 2, 0.5f}}
#define RADIUS(key) {{key, 0, 1}, {key, 0, 1}, {key, 0, 1}}
#define ROUND(name) {{name ".radius", 0, 1}, {name ".radius", 0, 1}, {name ".height", 0, 0.5f}}
#define MESH {{"mesh.scale", 0, 0}, {"mesh.scale", 1, 0}, {"mesh.scale", 2, 0}}

static const Form forms[] = {
    {"water", "box", NULL, NULL, ITEM_BOX, CORNERS},
    {"water", "sphere", "sphere.center", NULL, ITEM_BALL, RADIUS("sphere.radius")},
    {"water", "mesh", "mesh.position", "mesh.rotation", ITEM_BOX, MESH},
    {"obstacles", "box", "position", "rotation", ITEM_BOX, BOX_SIZE},
    {"obstacles", "plate", "position", "rotation", ITEM_BOX,
     {{"plate.size", 0, 0.5f}, {"plate.size", 1, 0.5f}, {"plate.thickness", 0, 0.5f}}},
    {"obstacles", "sphere", "position", "rotation", ITEM_BALL, RADIUS("sphere.radius")},
    {"obstacles", "cylinder", "position", "rotation", ITEM_CYLINDER, ROUND("cylinder")},
    {"obstacles", "capsule", "position", "rotation", ITEM_CYLINDER, ROUND("capsule")},
    {"obstacles", "mesh", "position", "rotation", ITEM_BOX, MESH},
    {"emitters", "rectangle", "position", "rotation", ITEM_BOX,
     {{"rectangle.width", 0, 0.5f}, {"rectangle.height", 0, 0.5f}, NOTHING}},
    {"emitters", "disc", "position", "rotation", ITEM_CYLINDER,
     {{"disc.radius", 0, 1}, {"disc.radius", 0, 1}, NOTHING}},
    {"drains", "box", "position", NULL, ITEM_BOX, BOX_SIZE},
    {"drains", "sphere", "position", NULL, ITEM_BALL, RADIUS("sphere.radius")},
    {"camera", "eye", "camera.eye", NULL, ITEM_POINT, {NOTHING, NOTHING, NOTHING}},
    {"camera", "target", "camera.target", NULL, ITEM_POINT, {NOTHING, NOTHING, NOTHING}},
};
// clang-format on

static const Form *form_of(const SceneItem *item)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (strcmp(forms[k].list, item->list) == 0 && strcmp(forms[k].variant, item->variant) == 0)
            return &forms[k];
    }
    CHECK(!"a variant without a form");
    return NULL;
}

// --- reading ---

// A list of things, and what its items begin with.
typedef struct Kind {
    const char *list, *name;
} Kind;

static const Kind kinds[] = {
    {"water", "water"}, {"obstacles", "obstacle"}, {"emitters", "emitter"}, {"drains", "drain"}};

static Result read_mesh_bounds(SceneSource *source, const char *name, Box3 *bounds)
{
    char path[SCENE_PATH_BYTES];
    const SceneFile *file;
    TriangleMesh mesh;
    scene_source_path(source, name, path);
    TRY(scene_source_file(source, name, &file));
    TRY(mesh_parse_obj(path, file->text, file->bytes, &mesh));
    *bounds = mesh.bounds;
    mesh_free(&mesh);
    return result_ok();
}

static Result read_item(const SceneReading *reading, const YamlNode *node, const char *list, uint32_t index,
                        SceneItem *item)
{
    const ParamRow *row = param_find(SCENE_ROWS, list).row;
    *item = (SceneItem){.list = list, .index = index, .rows = row->rows, .placed = true};
    // The default is that of what the rows describe.
    bool water = row->rows == WATER_ROWS, obstacle = row->rows == OBSTACLE_ROWS;
    memcpy(&item->def, row->item, water ? sizeof(WaterDraft) : obstacle ? sizeof(ObstacleDraft) : row->size);
    Result result = schema_read(reading, node, row->rows, &item->def);
    if (obstacle) {
        MotionDef *motion = &item->def.obstacle.def.motion;
        item->placed = motion->keyframe_count == 0;
        item->moves = yaml_child(node, "motion") && item->placed;
        memory_free(motion->keyframes);
        motion->keyframes = NULL;
        motion->keyframe_count = 0;
    }
    if (!result_is_ok(&result)) return result;
    item->variant = schema_variant(node, row->rows);
    // The name in the tree does not last as long.
    item->variant = scene_item_row(item, item->variant)->key;
    if (strcmp(item->variant, "mesh") != 0) return result_ok();
    const char *file = obstacle ? item->def.obstacle.mesh.file : item->def.water.mesh.file;
    return read_mesh_bounds(reading->source, file, &item->mesh);
}

// The camera is two things: where it stands, and what it looks at.
static Result read_camera(const SceneReading *reading, YamlNode *root, SceneItem items[2])
{
    static const YamlNode none = {.kind = YAML_MAPPING};
    YamlNode *camera = yaml_child(root, "camera");
    YamlNode alone = none;
    CameraDef def = {.fov = 40};
    if (camera) {
        alone.first = alone.last = camera;
        // Its keys begin with that of its section.
        YamlNode *next = camera->next;
        camera->next = NULL;
        Result result = schema_read(reading, &alone, CAMERA_ROWS, &def);
        camera->next = next;
        TRY(result);
    }
    for (uint32_t k = 0; k < 2; k++)
        items[k] = (SceneItem){.list = "camera",
                               .index = k,
                               .variant = k ? "target" : "eye",
                               .rows = CAMERA_ROWS,
                               .placed = yaml_child(camera, "eye") != NULL,
                               .def.camera = def};
    return result_ok();
}

static Result read_items(const SceneReading *reading, YamlNode *root, SceneItem **out, uint32_t *count)
{
    size_t all = 2;
    uint32_t done = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        all += yaml_child(root, kinds[k].list) ? yaml_count(yaml_child(root, kinds[k].list)) : 0;
    SceneItem *items = memory_allocate(all * sizeof *items);
    if (!items) return result_no_memory("the scene's things", all * sizeof *items);
    Result result = result_ok();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const YamlNode *list = yaml_child(root, kinds[k].list);
        if (!list || list->kind != YAML_LIST) continue;
        uint32_t index = 0;
        for (const YamlNode *node = list->first; node && result_is_ok(&result); node = node->next)
            result = read_item(reading, node, kinds[k].list, index++, &items[done++]);
    }
    if (result_is_ok(&result)) result = read_camera(reading, root, items + done);
    if (!result_is_ok(&result)) memory_free(items);
    *out = result_is_ok(&result) ? items : NULL;
    *count = result_is_ok(&result) ? done + 2 : 0;
    return result;
}

Result scene_items_read(SceneSource *source, SceneItem **items, uint32_t *count)
{
    char label[SCENE_LABEL_BYTES];
    YamlDocument document = {0};
    YamlNode *root;
    *items = NULL;
    *count = 0;
    scene_label(source->path, label);
    Result result = scene_source_tree(source, &document, &root);
    const SceneReading reading = {.label = label, .source = source};
    if (result_is_ok(&result)) result = read_items(&reading, root, items, count);
    yaml_free(&document);
    return result;
}

// --- keys ---

// Has the item's variant this key?
static bool has(const SceneItem *item, const ParamRow *row)
{
    char part[40];
    const char *dot = strchr(row->key, '.');
    snprintf(part, sizeof part, "%.*s", (int)(dot ? dot - row->key : 39), row->key);
    if (strcmp(part, "motion") == 0) return item->moves && strncmp(row->key, "motion.keyframes", 16) != 0;
    if (!item->placed && (strcmp(row->key, "position") == 0 || strcmp(row->key, "rotation") == 0))
        return false;
    const ParamRow *outer = param_find(item->rows, part).row;
    return !outer || !outer->variant || !item->variant || strcmp(part, item->variant) == 0;
}

const ParamRow *scene_item_row(const SceneItem *item, const char *key)
{
    const ParamRow *row = param_find(item->rows, key).row;
    return row && has(item, row) ? row : NULL;
}

const ParamRow *scene_item_row_at(const SceneItem *item, uint32_t k)
{
    for (const ParamRow *row = item->rows; row->key; row++) {
        bool value = row->kind != PARAM_SECTION && row->kind != PARAM_LIST;
        if (value && has(item, row) && k-- == 0) return row;
    }
    return NULL;
}

void *scene_item_member(const SceneItem *item, const ParamRow *row)
{
    return (unsigned char *)(uintptr_t)&item->def + row->offset;
}

void scene_item_name(const SceneItem *item, char *name, size_t size)
{
    const ParamRow *row = scene_item_row(item, "name");
    const char *given = row ? scene_item_member(item, row) : "";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].list, item->list) == 0)
            snprintf(name, size, "%s %u: %s", kinds[k].name, item->index + 1, *given ? given : item->variant);
    }
    if (strcmp(item->list, "camera") == 0)
        snprintf(name, size, item->index ? "what the camera looks at" : "camera");
}

// --- place and size ---

static Vec3 get_vector(const SceneItem *item, const char *key)
{
    const ParamRow *row = key ? param_find(item->rows, key).row : NULL;
    if (!row) return vec3_make(0, 0, 0);
    const void *member = scene_item_member(item, row);
    return vec3_make((float)param_get(row, member, 0), (float)param_get(row, member, 1),
                     (float)param_get(row, member, 2));
}

static void set_vector(SceneItem *item, const char *key, Vec3 v)
{
    const ParamRow *row = param_find(item->rows, key).row;
    void *member = scene_item_member(item, row);
    param_set(row, member, 0, (double)v.x);
    param_set(row, member, 1, (double)v.y);
    param_set(row, member, 2, (double)v.z);
}

static float *component(Vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// m of half a length per unit of its key.
static float share_of(const SceneItem *item, const Extent *extent)
{
    Vec3 half = vec3_scale(vec3_sub(item->mesh.hi, item->mesh.lo), 0.5f);
    return extent->share > 0 ? extent->share : *component(&half, (int)extent->component);
}

static float get_extent(const SceneItem *item, const Extent *extent)
{
    if (!extent->key) return 0;
    const ParamRow *row = param_find(item->rows, extent->key).row;
    double value = param_get(row, scene_item_member(item, row), extent->component);
    return (float)value * share_of(item, extent);
}

ItemPlace scene_item_place(const SceneItem *item)
{
    const Form *form = form_of(item);
    ItemPlace place = {.shape = form->shape, .rotation = mat3_from_euler_degrees(vec3_make(0, 0, 0))};
    if (!form->position) {
        Vec3 lo = get_vector(item, "box.min"), hi = get_vector(item, "box.max");
        place.center = place.pivot = vec3_scale(vec3_add(lo, hi), 0.5f);
        place.half = vec3_scale(vec3_sub(hi, lo), 0.5f);
        place.scales[0] = place.scales[1] = place.scales[2] = true;
        return place;
    }
    place.center = place.pivot = get_vector(item, form->position);
    place.turns = form->rotation != NULL;
    place.degrees = get_vector(item, form->rotation);
    if (place.turns) place.rotation = mat3_from_euler_degrees(place.degrees);
    for (int axis = 0; axis < 3; axis++) {
        *component(&place.half, axis) = get_extent(item, &form->extent[axis]);
        place.scales[axis] = form->extent[axis].key && *component(&place.half, axis) > 0;
    }
    if (strcmp(item->variant, "mesh") != 0) return place;
    Vec3 middle = vec3_scale(vec3_add(item->mesh.lo, item->mesh.hi), 0.5f);
    middle = vec3_mul(middle, get_vector(item, "mesh.scale"));
    place.center = vec3_add(place.pivot, mat3_apply(place.rotation, middle));
    return place;
}

void scene_item_move(SceneItem *item, Vec3 offset)
{
    const Form *form = form_of(item);
    const char *const keys[] = {form->position, form->position ? NULL : "box.min",
                                form->position ? NULL : "box.max"};
    for (int k = 0; k < 3; k++) {
        if (keys[k]) set_vector(item, keys[k], vec3_add(get_vector(item, keys[k]), offset));
    }
}

static float rounded(float value, float step)
{
    float multiple = step > 0 ? roundf(value / step) * step : value;
    return multiple == 0 ? 0 : multiple; // not -0
}

void scene_item_turn(SceneItem *item, Vec3 degrees)
{
    const char *key = form_of(item)->rotation;
    Vec3 round = vec3_make(rounded(degrees.x, TURN_FINE), rounded(degrees.y, TURN_FINE),
                           rounded(degrees.z, TURN_FINE));
    if (key) set_vector(item, key, round);
}

void scene_item_scale(SceneItem *item, int axis, int side, float half, float step)
{
    const Form *form = form_of(item);
    ItemPlace place = scene_item_place(item);
    const Extent *extent = &form->extent[axis];
    if (!form->position) {
        const char *key = side > 0 ? "box.max" : "box.min";
        Vec3 corner = get_vector(item, key), other = get_vector(item, side > 0 ? "box.min" : "box.max");
        float *at = component(&corner, axis), way = half - *component(&place.half, axis);
        float goal = rounded(*at + (float)side * way, step);
        // The other side stays where it is, and behind this one.
        if ((goal - *component(&other, axis)) * (float)side > 0) *at = goal;
        set_vector(item, key, corner);
        return;
    }
    if (!extent->key) return;
    const ParamRow *row = param_find(item->rows, extent->key).row;
    param_set(row, scene_item_member(item, row), extent->component, (double)(half / share_of(item, extent)));
}

// --- as settings of the source ---

// A text in quotes.
static void quote(const char *text, char *out, size_t size)
{
    size_t used = 0;
    out[used++] = '"';
    for (; *text && used + 4 < size; text++) {
        if (*text == '"' || *text == '\\') out[used++] = '\\';
        out[used++] = *text;
    }
    out[used++] = '"';
    out[used] = '\0';
}

Result scene_item_set(const SceneItem *before, const SceneItem *now, SceneSource *source, uint32_t *changed)
{
    *changed = 0;
    bool camera = strcmp(now->list, "camera") == 0;
    for (uint32_t k = 0; scene_item_row_at(now, k); k++) {
        char key[120], old[1100], text[1100], quoted[1200];
        const ParamRow *row = scene_item_row_at(now, k);
        param_value(row, scene_item_member(before, row), old, sizeof old);
        param_value(row, scene_item_member(now, row), text, sizeof text);
        if (strcmp(old, text) == 0) continue;
        quote(text, quoted, sizeof quoted);
        if (camera)
            snprintf(key, sizeof key, "%s", row->key);
        else
            snprintf(key, sizeof key, "%s.%u.%s", now->list, now->index, row->key);
        const char *value = row->kind == PARAM_TEXT ? quoted : text;
        TRY(scene_source_set(source, &(SceneOverride){key, value}, 1));
        ++*changed;
    }
    return result_ok();
}
