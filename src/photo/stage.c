#include "photo/stage.h"

#include "core/memory.h"
#include "export/obstacle_mesh.h"
#include "photo/color.h"
#include "photo/look_light.h"

#include <string.h>

#define WATER_INDEX 1.333f
#define GLASS_INDEX 1.5f

// Water reaches up to this many spacings into tank walls, and walls this far into it: between them is neither
// a gap nor a second surface.
#define PANE_LEAST 0.9f
#define PANE_INSET 0.12f
#define PANE_CELL 0.5f   // of the grid that tells where panes are wet, in spacings
#define PANE_PART 0.007f // of the tank's longest side

static const Material water_material = {.matter = MATTER_WATER};

// Water without color and air between it swallow nothing.
static const Material mist_material = {.matter = MATTER_MIST, .surface = {.albedo = {1, 1, 1}}};
static const Material foam_material = {.matter = MATTER_FOAM, .surface = {.albedo = {0.96f, 0.965f, 0.97f}}};

static Box3 bounds_of(const Vec3 *point, uint32_t count)
{
    Box3 box = {color_gray(INFINITY), color_gray(-INFINITY)};
    for (uint32_t k = 0; k < count; k++) {
        box.lo = vec3_min(box.lo, point[k]);
        box.hi = vec3_max(box.hi, point[k]);
    }
    return box;
}

// --- bodies ---

static Result allocate_bodies(const ObstacleMesh *mesh, Stage *stage)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    stage->body_vertex = memory_allocate(vertices * sizeof(Vec3));
    stage->body_velocity = memory_allocate(vertices * sizeof(Vec3));
    stage->body_normal = memory_allocate(vertices * sizeof(Vec3));
    stage->body_triangle = memory_allocate(triangles * sizeof *stage->body_triangle);
    stage->body_part = memory_allocate(triangles * sizeof *stage->body_part);
    stage->material = memory_allocate(mesh->part_count * sizeof *stage->material);
    if (stage->body_vertex && stage->body_velocity && stage->body_normal && stage->body_triangle &&
        stage->body_part && stage->material)
        return result_ok();
    return result_no_memory("the bodies' triangles", vertices * 3 * sizeof(Vec3) + triangles * 16);
}

static Material material_of(const ObstacleDef *body)
{
    static const struct {
        Matter matter;
        float gloss, roughness;
    } kinds[] = {[MATERIAL_GLOSSY] = {MATTER_OPAQUE, 0.04f, 0.1f},
                 [MATERIAL_MATTE] = {MATTER_OPAQUE, 0, 0},
                 [MATERIAL_METAL] = {MATTER_OPAQUE, 1, 0.12f},
                 [MATERIAL_GLASS] = {MATTER_GLASS, 0, 0}};
    return (Material){kinds[body->material].matter,
                      {.albedo = vec3_make(body->color[0], body->color[1], body->color[2]),
                       .gloss = kinds[body->material].gloss,
                       .roughness = kinds[body->material].roughness}};
}

static void join_glass(const GeometryPart *body, Stage *stage)
{
    Box3 box = bounds_of(stage->body_vertex + body->first_vertex, body->vertex_count);
    stage->bending = box3_join(stage->bending, box);
}

static void fill_bodies(const PhotoSubject *subject, const ObstacleMesh *mesh, Stage *stage)
{
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        uint32_t point = mesh->vertex_point[k];
        stage->body_vertex[k] = vec3_sub(mesh->point[point], subject->view->origin);
        stage->body_velocity[k] = mesh->velocity[point];
        stage->body_normal[k] = mesh->normal[k];
    }
    if (mesh->triangle_count > 0)
        memcpy(stage->body_triangle, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
    for (uint32_t part = 0; part < mesh->part_count; part++) {
        const GeometryPart *body = &mesh->parts[part];
        stage->material[part] = material_of(obstacles_body(subject->view->obstacles, part));
        for (uint32_t k = 0; k < body->triangle_count; k++) stage->body_part[body->first_triangle + k] = part;
        if (stage->material[part].matter == MATTER_GLASS) join_glass(body, stage);
    }
}

static Result add_bodies(const PhotoSubject *subject, Stage *stage)
{
    ObstacleMesh mesh;
    if (subject->hide_obstacles || !subject->view->obstacles) return result_ok();
    TRY(obstacle_mesh_make(subject->view, &mesh));
    Result result = allocate_bodies(&mesh, stage);
    if (result_is_ok(&result)) {
        fill_bodies(subject, &mesh, stage);
        stage->mesh[1] = (RayMesh){.vertex = stage->body_vertex,
                                   .normal = stage->body_normal,
                                   .velocity = stage->body_velocity,
                                   .vertex_count = mesh.vertex_count,
                                   .triangle = (const uint32_t(*)[3])stage->body_triangle,
                                   .triangle_count = mesh.triangle_count};
        stage->made_of[1] = (PathMesh){stage->material, stage->body_part};
    }
    obstacle_mesh_free(&mesh);
    return result;
}

// --- whitewater ---

static Result add_whitewater(const PhotoSubject *subject, Stage *stage)
{
    const FrameView *view = subject->view;
    float size = vec3_length(vec3_sub(subject->stage.hi, subject->stage.lo));
    TRY(mist_make(view->diffuse, subject->mesh, view->spacing, &stage->mist));
    for (int kind = 0; kind < DIFFUSE_CLASS_COUNT; kind++) {
        stage->mesh[STAGE_MIST + kind] = mist_mesh(&stage->mist, (DiffuseClass)kind, view->spacing, size);
        stage->made_of[STAGE_MIST + kind] =
            (PathMesh){kind == DIFFUSE_FOAM ? &foam_material : &mist_material, NULL};
    }
    return result_ok();
}

// --- water, tank and light ---

static bool copy(const void *from, size_t bytes, void *to)
{
    void **block = to;
    *block = from ? memory_allocate(bytes) : NULL;
    if (*block) memcpy(*block, from, bytes);
    return !from || *block;
}

// The mesh may be gone while its picture is still being refined.
static Result add_water(const SurfaceMesh *mesh, Stage *stage)
{
    stage->made_of[0] = (PathMesh){&water_material, NULL};
    stage->bending = bounds_of(NULL, 0);
    if (!mesh || mesh->triangle_count == 0) return result_ok();
    size_t bytes = mesh->vertex_count * sizeof(Vec3), faces = mesh->triangle_count * sizeof *mesh->triangle;
    if (!copy(mesh->vertex, bytes, &stage->water_vertex) ||
        !copy(mesh->normal, bytes, &stage->water_normal) ||
        !copy(mesh->velocity, bytes, &stage->water_velocity) ||
        !copy(mesh->triangle, faces, &stage->water_triangle))
        return result_no_memory("the water's triangles", 3 * bytes + faces);
    stage->mesh[0] = (RayMesh){.vertex = stage->water_vertex,
                               .normal = stage->water_normal,
                               .velocity = stage->water_velocity,
                               .vertex_count = mesh->vertex_count,
                               .triangle = (const uint32_t(*)[3])stage->water_triangle,
                               .triangle_count = mesh->triangle_count};
    stage->bending = bounds_of(mesh->vertex, mesh->vertex_count);
    return result_ok();
}

// Absorption and scattering that give the look's color and haze after its depth.
static Medium water_of(const LookDef *look, float radius)
{
    float depth = look->water_depth > 0 ? look->water_depth : 1.3f * radius;
    const float *color = look->water_color;
    Vec3 light = vec3_max(vec3_make(color[0], color[1], color[2]), color_gray(1e-3f));
    Vec3 absorption = vec3_make(-logf(light.x) / depth, -logf(light.y) / depth, -logf(light.z) / depth);
    return (Medium){WATER_INDEX, absorption, -logf(fmaxf(1 - look->water_haze, 1e-3f)) / depth};
}

static Panes panes_of(const TankDef *tank, float spacing)
{
    float thick = fmaxf(PANE_PART * fmaxf(tank->size.x, tank->size.y), PANE_LEAST * spacing);
    float inset = PANE_INSET * spacing;
    Vec3 size = tank->size;
    Panes panes = {
        .present = true,
        .outer = {vec3_make(-thick, -thick, -size.z), vec3_make(size.x + thick, size.y + thick, size.z)},
        .inner = {vec3_make(inset, inset, -2 * size.z),
                  vec3_make(size.x - inset, size.y - inset, 2 * size.z)},
        .tint = vec3_make(0.965f, 0.985f, 0.98f)};
    // An inner face outside of the glass leaves none on that side.
    if (tank->open[TANK_X_LO]) panes.inner.lo.x = -2 * thick;
    if (tank->open[TANK_X_HI]) panes.inner.hi.x = size.x + 2 * thick;
    if (tank->open[TANK_Y_LO]) panes.inner.lo.y = -2 * thick;
    if (tank->open[TANK_Y_HI]) panes.inner.hi.y = size.y + 2 * thick;
    return panes;
}

// Seen along the plates, glass is green.
static Medium glass_of(const Panes *panes)
{
    float thick = panes->inner.lo.x - panes->outer.lo.x;
    Vec3 tint = panes->present ? panes->tint : color_gray(0.98f);
    float depth = panes->present ? fabsf(thick) : 1;
    return (Medium){GLASS_INDEX,
                    vec3_make(-logf(tint.x) / depth, -logf(tint.y) / depth, -logf(tint.z) / depth), 0};
}

static void furnish(const LookDef *look, const PhotoSubject *subject, Stage *stage)
{
    const FrameView *view = subject->view;
    Vec3 size = vec3_sub(subject->stage.hi, subject->stage.lo);
    Vec3 center = vec3_scale(vec3_add(subject->stage.hi, subject->stage.lo), 0.5f);
    float radius = fmaxf(0.5f * vec3_length(size), view->spacing);
    PathScene *scene = &stage->scene;
    TankDef tank = view->obstacles ? obstacles_tank(view->obstacles) : (TankDef){.present = false};
    scene->ground = look_ground(look, subject->stage.lo.z + PANE_INSET * view->spacing, radius);
    scene->lights = look_lights(look, center, radius);
    scene->water = water_of(look, radius);
    if (tank.present && look->glass && !subject->hide_tank) scene->panes = panes_of(&tank, view->spacing);
    scene->glass = glass_of(&scene->panes);
    scene->epsilon = 1e-5f * radius;
    scene->events_max = 40;
    scene->diffuse_max = 4;
    scene->mist_max = 4;
    float scale = look_exposure(look->exposure);
    scene->direct_max = 50 / scale;
    scene->indirect_max = 10 / scale;
    stage->shutter = subject->shutter;
    stage->spacing = view->spacing;
}

static Result add_strands(const PhotoSubject *subject, Stage *stage)
{
    TRY(stage_strands_make(subject->view->strands, &stage->strands));
    stage->mesh[STAGE_STRANDS] = stage->strands.mesh;
    stage->made_of[STAGE_STRANDS] = stage->strands.made_of;
    return result_ok();
}

Result stage_gather(const LookDef *look, const PhotoSubject *subject, Stage *out)
{
    *out = (Stage){0};
    Result result = add_water(subject->mesh, out);
    if (result_is_ok(&result)) result = add_bodies(subject, out);
    if (result_is_ok(&result)) result = add_whitewater(subject, out);
    if (result_is_ok(&result)) result = add_strands(subject, out);
    if (result_is_ok(&result))
        furnish(look, subject, out);
    else
        stage_free(out);
    return result;
}

void stage_free(Stage *stage)
{
    ray_scene_destroy(stage->rays);
    pane_water_destroy(stage->pane_water);
    caustics_destroy(stage->caustics);
    memory_free(stage->water_vertex);
    memory_free(stage->water_velocity);
    memory_free(stage->water_normal);
    memory_free(stage->water_triangle);
    memory_free(stage->body_vertex);
    memory_free(stage->body_velocity);
    memory_free(stage->body_normal);
    memory_free(stage->body_triangle);
    memory_free(stage->body_part);
    memory_free(stage->material);
    stage_strands_free(&stage->strands);
    mist_free(&stage->mist);
    *stage = (Stage){0};
}

// The part of the floor that light through the water reaches: its shadow, and some more.
static Box3 lit_floor(const Stage *stage)
{
    Box3 box = stage->bending;
    Vec3 sun = stage->scene.lights.sun.toward;
    float top = fmaxf(box.hi.z - stage->scene.ground.height, 0), reach = top / fmaxf(sun.z, 0.2f);
    Vec3 shift = vec3_make(-sun.x * reach, -sun.y * reach, 0);
    Box3 moved = {vec3_add(box.lo, shift), vec3_add(box.hi, shift)};
    Vec3 margin = color_gray(0.5f * top);
    box = box3_join(box, moved);
    return (Box3){vec3_sub(box.lo, margin), vec3_add(box.hi, margin)};
}

static Result add_caustics(Stage *stage, const LookDef *look, StagePhotons photons, const atomic_bool *stop)
{
    double wanted = (double)look->caustics * photons.count;
    bool bends = stage->bending.lo.x < stage->bending.hi.x;
    const Lights *lights = &stage->scene.lights;
    if ((!lights->sun.shines && lights->lamp_count == 0) || !bends || !(wanted >= 1)) return result_ok();
    CausticsDef def = {.photons = wanted < 1e9 ? (uint32_t)wanted : 1000000000,
                       .seconds = photons.seconds,
                       .target = stage->bending,
                       .floor = lit_floor(stage),
                       .grain = 0.12f * stage->spacing,
                       .bodies =
                           stage->mesh[1].triangle_count > 0 || stage->mesh[STAGE_STRANDS].triangle_count > 0,
                       .stop = stop};
    TRY(caustics_make(&stage->scene, &def, &stage->caustics));
    stage->scene.caustics = stage->caustics;
    return result_ok();
}

Result stage_light(Stage *stage, const LookDef *look, const Sky *sky, StagePhotons photons,
                   const atomic_bool *stop)
{
    if (!stage->rays) TRY(ray_scene_create(stage->mesh, STAGE_MESHES, stage->shutter, stop, &stage->rays));
    stage->scene.rays = stage->rays;
    stage->scene.meshes = stage->made_of;
    stage->scene.lights.sky = sky;
    if (!stage->pane_water)
        TRY(pane_water_make(&stage->scene, stage->mesh, STAGE_MESHES, stage->shutter,
                            PANE_CELL * stage->spacing, &stage->pane_water));
    stage->scene.pane_water = stage->pane_water;
    return stage->caustics ? result_ok() : add_caustics(stage, look, photons, stop);
}
