#include "core/memory.h"
#include "scene/scene.h"
#include "scene/water.h"

#include <math.h>

#define PAIR_SHARE 0.9 // of the memory that is available, that two fluids may take

// Scene position of the domain's corner: the tank's, else the lowest corner of what holds water at the start
// or lets it in.
static Vec3 domain_origin(const SceneDef *scene)
{
    if (scene->tank.present) return scene->tank_corner;
    Vec3 lo = vec3_make(INFINITY, INFINITY, INFINITY);
    for (uint32_t k = 0; k < scene->water_count; k++) lo = vec3_min(lo, water_bounds(&scene->water[k]).lo);
    for (uint32_t k = 0; k < scene->emitter_count; k++) lo = vec3_min(lo, scene->emitters[k].position);
    return isfinite(lo.x) ? lo : vec3_make(0, 0, 0);
}

// The body with memory of its own, in domain coordinates. Error: RESULT_NO_MEMORY.
static Result copy_body(const ObstacleDef *source, Vec3 origin, ObstacleDef *out)
{
    TRY(obstacle_def_copy(source, out));
    out->position = vec3_sub(out->position, origin);
    for (uint32_t k = 0; k < out->motion.keyframe_count; k++)
        out->motion.keyframes[k].position = vec3_sub(out->motion.keyframes[k].position, origin);
    return result_ok();
}

// The scene's tank and bodies in domain coordinates.
static Result make_obstacles(const SceneDef *scene, Vec3 origin, Obstacles **out)
{
    uint32_t count = scene->obstacle_count, made = 0;
    ObstacleDef *bodies = memory_allocate_zeroed(count * sizeof *bodies);
    Result result = result_ok();
    if (!bodies) return result_no_memory("the obstacles", (unsigned long long)count * sizeof *bodies);
    while (made < count && result_is_ok(&result)) {
        result = copy_body(&scene->obstacles[made], origin, &bodies[made]);
        if (result_is_ok(&result)) made++;
    }
    if (result_is_ok(&result))
        result = obstacles_create(scene->tank, scene->wall_friction, bodies, count, out);
    for (uint32_t k = 0; k < made && !result_is_ok(&result); k++) obstacle_def_free(&bodies[k]);
    memory_free(bodies);
    return result;
}

static Result count_particles(const SceneDef *scene, Vec3 origin, const Obstacles *obstacles, SceneCount *out)
{
    const StateBlocks *stored = scene->start ? &scene->start->state : NULL;
    const StateBlock *x = stored ? blocks_find(stored, "x", BLOCK_FLOAT) : NULL;
    double begin = 0;
    if (stored) TRY(blocks_copy(stored, "time", BLOCK_DOUBLE, 1, &begin));
    *out = (SceneCount){.initial = x ? x->count : 0, .end = fmax(scene->output.duration, begin)};
    for (uint32_t k = 0; k < scene->water_count && !stored; k++) {
        uint64_t count;
        TRY(water_sample(&scene->water[k], scene->fluid.spacing, origin, obstacles, NULL, &count));
        out->initial += count;
        if (count > out->largest) out->largest = count;
    }
    for (uint32_t k = 0; k < scene->emitter_count; k++) {
        const EmitterDef *emitter = &scene->emitters[k];
        out->emitted += emitter_total_particles(emitter, scene->fluid.spacing, out->end) -
                        (stored ? emitter_total_particles(emitter, scene->fluid.spacing, begin) : 0);
    }
    return result_ok();
}

Result scene_count(const SceneDef *scene, SceneCount *out)
{
    Vec3 origin = domain_origin(scene);
    Obstacles *obstacles = NULL;
    if (scene->obstacle_count > 0 && scene->water_count > 0) TRY(make_obstacles(scene, origin, &obstacles));
    Result result = count_particles(scene, origin, obstacles, out);
    if (obstacles) obstacles_destroy(obstacles);
    return result;
}

SceneCount scene_certain_count(const SceneDef *scene, const SceneCount *count)
{
    SceneCount certain = *count;
    if (scene->drain_count > 0) certain.emitted = 0;
    return certain;
}

uint64_t scene_memory_estimate(const SceneDef *scene, const FluidDef *settings, const SceneCount *count)
{
    uint64_t particles = count->initial + count->emitted;
    uint64_t bytes = fluid_memory_estimate(settings, particles) + count->largest * sizeof(Vec3);
    if (scene->whitewater.enabled)
        bytes += diffuse_memory_estimate(&scene->whitewater, particles, count->end);
    return bytes;
}

// Refuses more particles than the memory, or a 31-bit number, holds.
static Result check_memory(const SceneDef *scene, const FluidDef *settings, const SceneCount *count)
{
    SceneCount certain = scene_certain_count(scene, count);
    uint64_t particles = certain.initial + certain.emitted;
    if (particles > INT32_MAX)
        return result_error(RESULT_USAGE, "%s: holds %llu particles at a spacing of %g m (at most %d)",
                            scene->name, (unsigned long long)particles, scene->fluid.spacing, INT32_MAX);
    uint64_t needed = scene_memory_estimate(scene, settings, &certain), available = memory_available();
    if (needed <= available) return result_ok();
    return result_error(
        RESULT_NO_MEMORY,
        "%s: %llu particles need %.3g GB of memory, %.3g GB are free (a larger --spacing needs less)",
        scene->name, (unsigned long long)particles, (double)needed / 1e9, (double)available / 1e9);
}

float scene_whitewater_speed(const SceneDef *scene)
{
    Vec3 low = domain_origin(scene);
    Box3 box = {low, low};
    float speed = 0.0f;
    for (uint32_t k = 0; k < scene->water_count; k++) {
        box = box3_join(box, water_bounds(&scene->water[k]));
        speed = fmaxf(speed, vec3_length(scene->water[k].velocity));
    }
    for (uint32_t k = 0; k < scene->emitter_count; k++) {
        Vec3 at = scene->emitters[k].position;
        box = box3_join(box, (Box3){at, at});
        speed = fmaxf(speed, scene->emitters[k].speed);
    }
    if (scene->whitewater.speed > 0.0f) return scene->whitewater.speed;
    return fmaxf(speed, diffuse_fall_speed(scene->fluid.gravity, box));
}

// Lets whitewater follow the fluid, where the scene has it.
static Result add_whitewater(const SceneDef *scene, Fluid *fluid)
{
    DiffuseDef def = scene->whitewater;
    def.speed = scene_whitewater_speed(scene);
    return def.enabled ? diffuse_attach(&def, fluid) : result_ok();
}

static Result add_water(const SceneDef *scene, Vec3 origin, Vec3 *positions, Fluid *fluid)
{
    const Obstacles *obstacles = fluid_view(fluid).obstacles;
    for (uint32_t k = 0; k < scene->water_count; k++) {
        const WaterDef *water = &scene->water[k];
        uint64_t count;
        TRY(water_sample(water, scene->fluid.spacing, origin, obstacles, positions, &count));
        TRY(fluid_add(fluid, positions, (uint32_t)count, water->velocity));
    }
    return result_ok();
}

// The scene's strands in domain coordinates; NULL where it has none.
static Result make_strands(const SceneDef *scene, Vec3 origin, const Obstacles *obstacles, Strands **out)
{
    size_t bytes = scene->strand_count * sizeof(StrandDef);
    *out = NULL;
    if (scene->strand_count == 0) return result_ok();
    StrandDef *defs = memory_allocate(bytes);
    if (!defs) return result_no_memory("the strands", bytes);
    for (uint32_t k = 0; k < scene->strand_count; k++) {
        defs[k] = scene->strands[k];
        Vec3 *places[] = {&defs[k].from, &defs[k].to, &defs[k].lo, &defs[k].hi};
        for (int n = 0; n < 4; n++) *places[n] = vec3_sub(*places[n], origin);
    }
    Result result = strands_create(defs, scene->strand_count, obstacles, out);
    memory_free(defs);
    return result;
}

// Nozzles and drains are moved to domain coordinates on the way.
static Result make_water(const SceneDef *scene, const FluidDef *settings, Vec3 origin, Obstacles *obstacles,
                         Fluid **out)
{
    FluidDef def = *settings;
    def.origin = origin;
    size_t emitter_bytes = scene->emitter_count * sizeof(EmitterDef);
    size_t drain_bytes = scene->drain_count * sizeof(DrainDef);
    EmitterDef *emitters = memory_allocate(emitter_bytes);
    DrainDef *drains = memory_allocate(drain_bytes);
    Result result = result_no_memory("emitters and drains", emitter_bytes + drain_bytes);
    if (emitters && drains) {
        for (uint32_t k = 0; k < scene->emitter_count; k++) {
            emitters[k] = scene->emitters[k];
            emitters[k].position = vec3_sub(emitters[k].position, origin);
        }
        for (uint32_t k = 0; k < scene->drain_count; k++) {
            drains[k] = scene->drains[k];
            drains[k].position = vec3_sub(drains[k].position, origin);
        }
        result =
            fluid_create(&def, obstacles, emitters, scene->emitter_count, drains, scene->drain_count, out);
    }
    memory_free(emitters);
    memory_free(drains);
    return result;
}

static Result make_fluid(const SceneDef *scene, const FluidDef *settings, Vec3 origin, Obstacles *obstacles,
                         Fluid **out)
{
    Strands *strands;
    TRY(make_strands(scene, origin, obstacles, &strands));
    Result result = make_water(scene, settings, origin, obstacles, out);
    if (result_is_ok(&result) && strands) fluid_take_strands(*out, strands);
    if (!result_is_ok(&result)) strands_destroy(strands);
    return result;
}

static Result build_filled(const SceneDef *scene, const FluidDef *settings, Vec3 origin,
                           Obstacles **obstacles, Fluid **out)
{
    SceneCount count;
    TRY(count_particles(scene, origin, *obstacles, &count));
    TRY(check_memory(scene, settings, &count));
    Vec3 *positions = memory_allocate(count.largest * sizeof *positions);
    if (!positions) return result_no_memory("the water at the start", count.largest * sizeof *positions);
    Result result = make_fluid(scene, settings, origin, *obstacles, out);
    if (result_is_ok(&result)) {
        *obstacles = NULL; // the fluid's now
        result = add_water(scene, origin, positions, *out);
        if (result_is_ok(&result)) result = add_whitewater(scene, *out);
    }
    memory_free(positions);
    return result;
}

// Positions are relative to the domain's corner and as far apart as the spacing says: a state fits no other.
static Result check_state(const SceneDef *scene, Vec3 origin, const StateBlocks *state)
{
    float spacing;
    Vec3 corner;
    TRY(blocks_copy(state, "spacing", BLOCK_FLOAT, 1, &spacing));
    TRY(blocks_copy(state, "origin", BLOCK_FLOAT, 3, &corner));
    if (spacing != scene->fluid.spacing)
        return result_error(RESULT_USAGE, "spacing: the particles are %.9g m apart, the scene says %.9g m",
                            spacing, scene->fluid.spacing);
    if (corner.x != origin.x || corner.y != origin.y || corner.z != origin.z)
        return result_error(RESULT_USAGE,
                            "tank.corner: the state's is [%g, %g, %g], the scene's is [%g, %g, %g]", corner.x,
                            corner.y, corner.z, origin.x, origin.y, origin.z);
    return result_ok();
}

Result scene_restore_with(const SceneDef *scene, const FluidDef *settings, const StateBlocks *state,
                          Fluid **out)
{
    Vec3 origin = domain_origin(scene);
    Obstacles *obstacles;
    *out = NULL;
    TRY(check_state(scene, origin, state));
    TRY(make_obstacles(scene, origin, &obstacles));
    Result result = make_fluid(scene, settings, origin, obstacles, out);
    if (!result_is_ok(&result)) {
        obstacles_destroy(obstacles);
        return result;
    }
    result = add_whitewater(scene, *out);
    if (result_is_ok(&result)) result = fluid_restore(*out, state);
    if (result_is_ok(&result)) return result;
    fluid_destroy(*out);
    *out = NULL;
    return result;
}

Result scene_restore(const SceneDef *scene, const StateBlocks *state, Fluid **out)
{
    return scene_restore_with(scene, &scene->fluid, state, out);
}

static Result build_stored(const SceneDef *scene, const FluidDef *settings, Fluid **out)
{
    Result result = scene_restore_with(scene, settings, &scene->start->state, out);
    if (result_is_ok(&result)) return result;
    return result_error(result.code, "%s: %.200s", scene->start->path, result.text);
}

Result scene_build_with(const SceneDef *scene, const FluidDef *settings, Fluid **out)
{
    Vec3 origin = domain_origin(scene);
    Obstacles *obstacles;
    *out = NULL;
    if (scene->start) return build_stored(scene, settings, out);
    TRY(make_obstacles(scene, origin, &obstacles));
    Result result = build_filled(scene, settings, origin, &obstacles, out);
    if (!result_is_ok(&result)) {
        fluid_destroy(*out);
        *out = NULL;
        if (obstacles) obstacles_destroy(obstacles);
    }
    return result;
}

Result scene_build_empty(const SceneDef *scene, Fluid **out)
{
    Vec3 origin = domain_origin(scene);
    Obstacles *obstacles;
    *out = NULL;
    TRY(make_obstacles(scene, origin, &obstacles));
    Result result = make_fluid(scene, &scene->fluid, origin, obstacles, out);
    if (!result_is_ok(&result)) obstacles_destroy(obstacles);
    return result;
}

Result scene_build(const SceneDef *scene, Fluid **out)
{
    return scene_build_with(scene, &scene->fluid, out);
}

static Result memory_for_both(const SceneDef *const scenes[2], const FluidDef *const settings[2])
{
    double bytes = 0;
    for (int side = 0; side < 2; side++) {
        SceneCount count;
        TRY(scene_count(scenes[side], &count));
        count = scene_certain_count(scenes[side], &count);
        bytes += (double)scene_memory_estimate(scenes[side], settings[side], &count);
    }
    double available = (double)memory_available();
    if (bytes <= PAIR_SHARE * available) return result_ok();
    return result_error(RESULT_NO_MEMORY,
                        "%s: two fluids need about %.1f GB, and %.1f GB are free (a larger --spacing)",
                        scenes[0]->path, 1e-9 * bytes, 1e-9 * available);
}

Result scene_build_pair(const SceneDef *const scenes[2], const FluidDef *const settings[2], Fluid *out[2])
{
    out[0] = out[1] = NULL;
    TRY(memory_for_both(scenes, settings));
    TRY(scene_build_with(scenes[0], settings[0], &out[0]));
    Result result = scene_build_with(scenes[1], settings[1], &out[1]);
    if (result_is_ok(&result)) return result;
    fluid_destroy(out[0]);
    out[0] = NULL;
    return result;
}
