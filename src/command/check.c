#include "command/command.h"
#include "command/number.h"
#include "command/run_cost.h"
#include "command/run_needs.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/water.h"

#include <math.h>
#include <stdio.h>

// Most obstacles to list one by one; a scene may scatter thousands.
#define LISTED_MAX 20

static const char *const water_names[] = {"box", "sphere", "mesh"};
static const char *const shape_names[] = {"box", "sphere", "cylinder", "capsule", "mesh"};

static void print_label(const char *label)
{
    printf("%-18s", label);
}

static void print_count(const char *label, uint64_t count)
{
    char text[27];
    print_label(label);
    printf("%s\n", number_grouped(count, text));
}

static void print_particles(const SceneCount *count)
{
    print_count("particles", count->initial + count->emitted);
    print_count("  at the start", count->initial);
    print_count("  emitted", count->emitted);
}

static void print_domain(const SceneDef *scene)
{
    Vec3 size = scene->tank.size, corner = scene->tank_corner;
    float spacing = scene->fluid.spacing;
    print_label("domain");
    if (scene->tank.present) {
        printf("%g x %g x %g m from (%g, %g, %g)", (double)size.x, (double)size.y, (double)size.z,
               (double)corner.x, (double)corner.y, (double)corner.z);
        printf(", %g x %g x %g spacings\n", round((double)(size.x / spacing) * 100) / 100,
               round((double)(size.y / spacing) * 100) / 100, round((double)(size.z / spacing) * 100) / 100);
    } else {
        puts("unbounded");
    }
}

static void print_fluid(const FluidDef *fluid)
{
    double spacing = (double)fluid->spacing, factor = (double)fluid->radius_factor;
    print_label("spacing");
    printf("%g m\n", spacing);
    print_label("influence radius");
    printf("%g m, %g spacings\n", spacing * factor, factor);
    print_label("particle mass");
    printf("%g kg\n", (double)fluid->rest_density * spacing * spacing * spacing);
    print_label("neighbor search");
    puts(fluid->neighbor);
}

// The rate is that of whole layers of particles, not that of the nozzle's area.
static void print_emitter(const EmitterDef *emitter, float spacing)
{
    char grouped[27];
    double volume = pow(spacing, 3), layers = (double)(emitter->speed / spacing);
    double rate = emitter_layer_particles(emitter, spacing) * layers;
    printf("%s%s%g m/s, %.3g m^3/s, %s particles a second", emitter->name, *emitter->name ? ", " : "",
           (double)emitter->speed, rate * volume, number_grouped_real(rate, grouped));
    if (emitter->volume < INFINITY) printf(", %g m^3 in all", emitter->volume);
    if (emitter->stop < INFINITY)
        printf(", from %g to %g s", emitter->start, emitter->stop);
    else if (emitter->start > 0)
        printf(", from %g s on", emitter->start);
    puts("");
}

static void print_bodies(const SceneDef *scene)
{
    for (uint32_t k = 0; k < scene->water_count; k++) {
        print_label(k == 0 ? "water" : "");
        puts(water_names[scene->water[k].kind]);
    }
    for (uint32_t k = 0; k < scene->emitter_count; k++) {
        print_label(k == 0 ? "emitters" : "");
        print_emitter(&scene->emitters[k], scene->fluid.spacing);
    }
    uint32_t listed = scene->obstacle_count <= LISTED_MAX + 1 ? scene->obstacle_count : LISTED_MAX;
    for (uint32_t k = 0; k < listed; k++) {
        const ObstacleDef *body = &scene->obstacles[k];
        print_label(k == 0 ? "obstacles" : "");
        printf("%s%s%s%s\n", body->name, *body->name ? ", " : "", shape_names[body->shape.kind],
               body->motion.kind == MOTION_NONE ? "" : ", moving");
    }
    if (listed < scene->obstacle_count) {
        char grouped[27];
        print_label("");
        printf("and %s more\n", number_grouped(scene->obstacle_count - listed, grouped));
    }
    if (scene->drain_count > 0) print_count("drains", scene->drain_count);
}

static void print_strands(const SceneDef *scene)
{
    uint64_t count = 0;
    if (scene->strand_count == 0) return;
    for (uint32_t k = 0; k < scene->strand_count; k++) count += scene->strands[k].count;
    print_count("strands", count);
}

static void print_memory(const SceneDef *scene, const SceneCount *count)
{
    char there[24];
    SceneCount certain = scene_certain_count(scene, count);
    uint64_t least = scene_memory_estimate(scene, &scene->fluid, &certain), available = memory_available();
    uint64_t most = scene_memory_estimate(scene, &scene->fluid, count);
    print_label("memory");
    run_memory_print(most, least);
    printf("%s of %s available%s\n", least < most ? "," : "", number_in_bytes(available, there),
           least > available ? ": too little here" : "");
}

// Warns where the water will not be what was asked for, as where max_substeps does not allow steps as short
// as they should be.
static void print_limits(const SceneDef *scene, const RunCost *cost, const RunNeeds *needs)
{
    const FluidDef *fluid = &scene->fluid;
    double waves = cost->waves, shortest = cost->shortest, viscosity = fluid_acting_viscosity(fluid);
    char words[RUN_WARNING_BYTES];
    if (viscosity > (double)fluid->viscosity) {
        print_label("");
        printf("solver.xsph acts as a viscosity of %.2g m^2/s, more than fluid.viscosity\n", viscosity);
    }
    if (waves < 0.99 * shortest) {
        print_label("");
        printf("waves ask for %.2g ms, solver.max_substeps allows %.2g ms: water is compressed more\n",
               1e3 * waves, 1e3 * shortest);
    }
    for (uint32_t k = 0; run_warning(scene, needs, &k, words);) {
        print_label("");
        puts(words);
    }
}

static void print_cost(const SceneDef *scene, const RunCost *cost, const RunNeeds *needs, uint32_t frames)
{
    const FluidDef *fluid = &scene->fluid;
    char grouped[27];
    print_label("time");
    printf("%g s, %u frames at %g a second\n", (frames - 1) / scene->output.fps, frames, scene->output.fps);
    print_label("steps");
    printf("%s at least, %.3g ms at most each, %u iterations\n", number_grouped_real(cost->steps, grouped),
           1e3 * cost->longest, fluid->iterations);
    if (cost->deep_steps > cost->steps) {
        print_label("");
        printf("%s, %.3g ms each, if water stays as deep as at the start\n",
               number_grouped_real(cost->deep_steps, grouped), 1e3 * cost->first);
    }
    print_limits(scene, cost, needs);
    print_label("cost, roughly");
    run_cost_print(cost);
}

static void print_disk(const RenderDef *render, const RunNeeds *needs)
{
    char expected[24];
    print_label("disk, roughly");
    printf("%s for frames of %ux%u pixels\n", number_in_bytes(needs->disk_expected, expected), render->width,
           render->height);
}

static Result check_scene(const Options *options, const SceneDef *scene)
{
    SceneCount count;
    RunCost cost;
    RunNeeds needs;
    uint32_t frames;
    TRY(options_frame_count(options, scene, &frames));
    TRY(scene_count(scene, &count));
    TRY(run_needs(options, scene, 0, frames, &needs));
    TRY(run_cost_estimate(options, scene, &count, 0, frames, &cost));
    print_label("scene");
    puts(scene->name);
    if (*scene->description) {
        print_label("");
        puts(scene->description);
    }
    print_particles(&count);
    print_domain(scene);
    print_fluid(&scene->fluid);
    print_bodies(scene);
    print_strands(scene);
    print_cost(scene, &cost, &needs, frames);
    print_disk(&scene->output.render, &needs);
    print_memory(scene, &count);
    return result_ok();
}

Result command_check(const Options *options)
{
    SceneDef scene;
    parallel_set_workers(options->threads);
    TRY(options_read_scene(options, &scene));
    Result result = check_scene(options, &scene);
    scene_free(&scene);
    return result;
}
