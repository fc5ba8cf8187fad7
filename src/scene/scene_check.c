#include "scene/scene_check.h"

#include "core/mat3.h"
#include "core/memory.h"
#include "fluid/fluid_params.h"
#include "scene/water.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Positions are floats relative to the domain's corner: past this many spacings they are no longer exact to a
// hundredth of a spacing.
#define MOST_SPACINGS 100000
#define MOST_PARTICLES 2147483647.0

// Shortest tank that repeats itself, in influence radii: nobody is a neighbor of two copies of a particle.
#define LEAST_PERIOD 3.0

typedef struct Check {
    const SceneReading *reading;
    const YamlNode *root;
    const SceneDef *scene;
    float spacing;
} Check;

// The node that set a value, or the nearest one around it.
static const YamlNode *node_of(const YamlNode *around, const char *key)
{
    const YamlNode *child = yaml_child(around, key);
    return child ? child : around;
}

static Result check_size(const Check *check, const YamlNode *node, const char *what, Vec3 size)
{
    double longest = fmax(size.x, fmax(size.y, size.z));
    if (longest / check->spacing <= MOST_SPACINGS) return result_ok(); // false for what is not finite
    return schema_error(check->reading, node, "%s is %.3g spacings long (at most %d)", what,
                        longest / check->spacing, MOST_SPACINGS);
}

static Result check_tank(const Check *check)
{
    const TankDef *tank = &check->scene->tank;
    if (!tank->present) return result_ok();
    const YamlNode *node = node_of(yaml_child(check->root, "tank"), "size");
    float least = fminf(tank->size.x, fminf(tank->size.y, tank->size.z));
    if (least < check->spacing * (1 - (float)WATER_TOLERANCE))
        return schema_error(check->reading, node, "the tank is narrower than a particle (spacing %g m)",
                            check->spacing);
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z};
    double reach = check->scene->fluid.radius_factor * check->spacing;
    for (int axis = 0; axis < 3; axis++) {
        if (tank->periodic[axis] && size[axis] < LEAST_PERIOD * reach)
            return schema_error(check->reading, node_of(yaml_child(check->root, "tank"), "periodic"),
                                "the tank is %.3g influence radii long along %c (at least %g)",
                                size[axis] / reach, "xyz"[axis], LEAST_PERIOD);
    }
    return check_size(check, node, "the tank", tank->size);
}

// Faces that the scene's water may not pass: walls, and sides that repeat themselves.
static bool is_side(const TankDef *tank, TankFace face)
{
    return !tank->open[face] || tank->periodic[face / 2];
}

// Name of the closed face of the tank that a box passes, or NULL. Open faces may be passed.
static const char *passed_face(const Check *check, Box3 box)
{
    const TankDef *tank = &check->scene->tank;
    if (!tank->present) return NULL;
    double tolerance = WATER_TOLERANCE * check->spacing;
    Vec3 lo = check->scene->tank_corner, size = tank->size;
    if (is_side(tank, TANK_X_LO) && box.lo.x < lo.x - tolerance) return "left";
    if (is_side(tank, TANK_X_HI) && box.hi.x > (double)lo.x + size.x + tolerance) return "right";
    if (is_side(tank, TANK_Y_LO) && box.lo.y < lo.y - tolerance) return "front";
    if (is_side(tank, TANK_Y_HI) && box.hi.y > (double)lo.y + size.y + tolerance) return "back";
    if (is_side(tank, TANK_Z_LO) && box.lo.z < lo.z - tolerance) return "bottom";
    if (is_side(tank, TANK_Z_HI) && box.hi.z > (double)lo.z + size.z + tolerance) return "top";
    return NULL;
}

static Result outside_tank(const Check *check, const YamlNode *node, const char *what, const char *face)
{
    Vec3 lo = check->scene->tank_corner, hi = vec3_add(lo, check->scene->tank.size);
    return schema_error(check->reading, node,
                        "%s passes the tank's %s wall (the tank is [%g, %g, %g] to [%g, %g, %g])", what, face,
                        lo.x, lo.y, lo.z, hi.x, hi.y, hi.z);
}

static const YamlNode *water_node(const Check *check, uint32_t k)
{
    return yaml_item(yaml_child(check->root, "water"), k);
}

// Approximate number of particles of a volume: a box has one in every place, other shapes as many as fit
// their volume.
static double particles_of(const WaterDef *water, float spacing)
{
    double cell = pow((double)spacing, 3);
    if (water->kind == WATER_MESH) return mesh_volume(&water->mesh) / cell;
    if (water->kind == WATER_SPHERE) return 4.18879 * pow((double)water->radius, 3) / cell;
    return water_places(water, spacing);
}

static Result check_volume(const Check *check, uint32_t k)
{
    const WaterDef *water = &check->scene->water[k];
    const YamlNode *node = water_node(check, k);
    Box3 box = water_bounds(water);
    const char *face = passed_face(check, box);
    if (face) return outside_tank(check, node, "the water", face);
    TRY(check_size(check, node, "the water", vec3_sub(box.hi, box.lo)));
    // Only small meshes and spheres can have places but no particle.
    double places = water_places(water, check->spacing), particles = particles_of(water, check->spacing);
    uint64_t count = 1;
    if (particles > MOST_PARTICLES)
        return schema_error(check->reading, node, "holds %.3g particles at a spacing of %g m (at most %.0f)",
                            particles, check->spacing, MOST_PARTICLES);
    if (water->kind != WATER_BOX && places < 1e6)
        TRY(water_sample(water, check->spacing, vec3_make(0, 0, 0), NULL, NULL, &count));
    if (places < 1 || count == 0)
        return schema_error(check->reading, node, "holds no particle (spacing %g m)", check->spacing);
    return result_ok();
}

typedef struct Extent {
    float lo, hi; // m along x
    uint32_t water;
} Extent;

static int compare_extents(const void *a, const void *b)
{
    const Extent *ea = a, *eb = b;
    if (ea->lo != eb->lo) return ea->lo < eb->lo ? -1 : 1;
    return ea->water < eb->water ? -1 : 1;
}

// Volumes in order of x, each compared with those that start before it ends.
static Result check_overlaps(const Check *check, Extent *extents, uint32_t count)
{
    const WaterDef *water = check->scene->water;
    for (uint32_t k = 0; k < count; k++) {
        Box3 box = water_bounds(&water[k]);
        extents[k] = (Extent){box.lo.x, box.hi.x, k};
    }
    qsort(extents, count, sizeof *extents, compare_extents);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a + 1; b < count && extents[b].lo < extents[a].hi; b++) {
            uint32_t first = extents[a].water, second = extents[b].water;
            bool overlap;
            TRY(water_overlap(&water[first], &water[second], check->spacing, &overlap));
            uint32_t earlier = first < second ? first : second, later = first < second ? second : first;
            if (overlap)
                return schema_error(check->reading, water_node(check, later),
                                    "overlaps water.%u (volumes may touch)", earlier);
        }
    }
    return result_ok();
}

static Result check_water(const Check *check)
{
    uint32_t count = check->scene->water_count;
    double particles = 0;
    for (uint32_t k = 0; k < count; k++) {
        TRY(check_volume(check, k));
        particles += particles_of(&check->scene->water[k], check->spacing);
    }
    if (particles > MOST_PARTICLES)
        return schema_error(check->reading, node_of(check->root, "water"),
                            "holds %.3g particles at a spacing of %g m (at most %.0f)", particles,
                            check->spacing, MOST_PARTICLES);
    if (count < 2) return result_ok();
    Extent *extents = memory_allocate(count * sizeof *extents);
    if (!extents) return result_no_memory("the list of water", count * sizeof *extents);
    Result result = check_overlaps(check, extents, count);
    memory_free(extents);
    return result;
}

// Box around a nozzle's opening.
static Box3 nozzle_bounds(const EmitterDef *emitter)
{
    Mat3 rotation = mat3_from_euler_degrees(emitter->rotation);
    float half[3];
    for (int a = 0; a < 3; a++) {
        Vec3 row = rotation.row[a]; // this axis' share of the nozzle's own x, y and z
        half[a] = emitter->disc ? emitter->radius * sqrtf(row.x * row.x + row.y * row.y)
                                : 0.5f * (fabsf(row.x) * emitter->width + fabsf(row.y) * emitter->height);
    }
    Vec3 reach = vec3_make(half[0], half[1], half[2]);
    return (Box3){vec3_sub(emitter->position, reach), vec3_add(emitter->position, reach)};
}

static Result check_emitters(const Check *check)
{
    for (uint32_t k = 0; k < check->scene->emitter_count; k++) {
        const EmitterDef *emitter = &check->scene->emitters[k];
        const YamlNode *node = yaml_item(yaml_child(check->root, "emitters"), k);
        Box3 box = nozzle_bounds(emitter);
        const char *face = passed_face(check, box);
        if (face) return outside_tank(check, node, "the nozzle", face);
        TRY(check_size(check, node, "the nozzle", vec3_sub(box.hi, box.lo)));
        float s = check->spacing;
        double area = emitter->disc ? 4.0 * emitter->radius * emitter->radius
                                    : (double)emitter->width * emitter->height;
        if (area / ((double)s * s) > 1e7)
            return schema_error(check->reading, node, "a layer holds %.3g particles (at most 1e7)",
                                area / s / s);
        if (emitter_layer_particles(emitter, s) == 0)
            return schema_error(check->reading, node, "the nozzle is too small for a particle (spacing %g m)",
                                s);
    }
    return result_ok();
}

// Refuses meshes that a scale has blown up beyond all numbers.
static Result check_obstacles(const Check *check)
{
    for (uint32_t k = 0; k < check->scene->obstacle_count; k++) {
        const ObstacleDef *body = &check->scene->obstacles[k];
        if (body->shape.kind != SHAPE_MESH) continue;
        Vec3 size = vec3_sub(body->shape.mesh.bounds.hi, body->shape.mesh.bounds.lo);
        TRY(check_size(check, yaml_item(yaml_child(check->root, "obstacles"), k), "the mesh", size));
    }
    return result_ok();
}

static bool is_body(const SceneDef *scene, const char *name)
{
    for (uint32_t k = 0; k < scene->obstacle_count; k++) {
        if (strcmp(scene->obstacles[k].name, name) == 0) return true;
    }
    return false;
}

static bool has_obstacle(const SceneDef *scene, const char *name)
{
    return (strcmp(name, PROBE_TANK) == 0 && scene->tank.present) || is_body(scene, name);
}

static Result check_probes(const Check *check)
{
    const SceneDef *scene = check->scene;
    for (uint32_t k = 0; k < scene->probe_count; k++) {
        const ProbeDef *probe = &scene->probes[k];
        const YamlNode *node = yaml_item(yaml_child(check->root, "probes"), k);
        for (uint32_t j = 0; j < k; j++) {
            if (strcmp(scene->probes[j].name, probe->name) == 0)
                return schema_error(check->reading, yaml_child(node, "name"), "is the name of probe %u, too",
                                    j);
        }
        if (probe->kind == PROBE_FORCE && !has_obstacle(scene, probe->obstacle))
            return schema_error(check->reading, yaml_child(yaml_child(node, "force"), "obstacle"),
                                "\"%s\" is not the name of an obstacle (or tank, where there is one)",
                                probe->obstacle);
    }
    return result_ok();
}

static Result check_strands(const Check *check)
{
    const SceneDef *scene = check->scene;
    double particles = 0;
    for (uint32_t k = 0; k < scene->strand_count; k++) {
        const StrandDef *def = &scene->strands[k];
        const YamlNode *node = yaml_item(yaml_child(check->root, "strands"), k);
        if (def->obstacle[0] && !is_body(scene, def->obstacle))
            return schema_error(check->reading, yaml_child(node, "obstacle"),
                                "\"%s\" is not the name of an obstacle", def->obstacle);
        particles += (double)def->count * (def->segments + 1);
        if (particles > MOST_PARTICLES)
            return schema_error(check->reading, node, "makes %.3g particles in all (at most %.0f)", particles,
                                MOST_PARTICLES);
    }
    return result_ok();
}

static Result check_output(const Check *check)
{
    const OutputDef *output = &check->scene->output;
    const YamlNode *node = node_of(check->root, "output"), *camera = yaml_child(check->root, "camera");
    if (output->duration * output->fps >= SCENE_FRAMES_MAX)
        return schema_error(check->reading, node, "duration times fps are %.3g frames (fewer than %d)",
                            output->duration * output->fps, SCENE_FRAMES_MAX);
    const YamlNode *range = yaml_child(node, "range");
    if (range && range->kind == YAML_LIST && output->render.range_lo >= output->render.range_hi)
        return schema_error(check->reading, range, "its first value must be below its second");
    const YamlNode *eye = yaml_child(camera, "eye"), *target = yaml_child(camera, "target");
    if (!eye != !target)
        return schema_error(check->reading, camera,
                            "needs both eye and target (or neither: the scene is framed)");
    Vec3 sight = vec3_sub(output->render.camera.target, output->render.camera.eye);
    if (eye && vec3_length(sight) < 1e-6f) return schema_error(check->reading, eye, "is where target is");
    return result_ok();
}

static Result check_solver(const Check *check)
{
    const FluidDef *fluid = &check->scene->fluid;
    const YamlNode *node = node_of(yaml_child(check->root, "solver"), "angular_momentum");
    if (fluid->micropolar > 0.0f && fluid->angular_momentum > 0.0f)
        return schema_error(check->reading, node, FLUID_ONE_SPIN);
    return result_ok();
}

Result scene_check(const SceneReading *reading, const YamlNode *root, const SceneDef *scene)
{
    const Check check = {reading, root, scene, scene->fluid.spacing};
    if (scene->water_count == 0 && scene->emitter_count == 0 && !reading->source->may_be_dry)
        return schema_error(reading, root, "the scene holds no water (it needs water or emitters)");
    TRY(check_solver(&check));
    TRY(check_output(&check));
    TRY(check_tank(&check));
    TRY(check_water(&check));
    TRY(check_obstacles(&check));
    TRY(check_probes(&check));
    TRY(check_strands(&check));
    return check_emitters(&check);
}
