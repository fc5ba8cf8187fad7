#include "command/run_cost.h"

#include "core/clock.h"
#include "core/parallel.h"
#include "scene/water.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// The block that is timed, in particles along an edge, and the steps that count: at least so many, and until
// the processor's time has grown by so much (s), which some systems count in hundredths of a second alone.
#define BLOCK_EDGE 16
#define WARM_STEPS 2
#define TIMED_STEPS 6
#define TIMED_STEPS_MAX 60
#define TIMED_SECONDS 0.04

// Particles in the cache are faster than a million that are not.
#define MEMORY_FACTOR 1.3

// Share of the cores that loops make use of.
#define PARALLEL_SHARE 0.9

// Processor time of a picture, s: of any, of a pixel, of a particle. Software OpenGL; of it, a graphics card
// does all but reading pixels, packing them, and the mesh.
static const struct {
    double any, pixel, particle;
} picture_costs[STYLE_COUNT] = {
    [STYLE_PARTICLES] = {0.02, 0.3e-6, 0.7e-6},
    [STYLE_SURFACE] = {0.35, 0.9e-6, 7e-6},
    [STYLE_SCREEN_SPACE] = {0.4, 0.8e-6, 1e-6},
    [STYLE_PHOTO] = {0.4, 0.3e-6, 7e-6},
};
#define PHOTO_SAMPLE 2.5e-6  // s of a path of light
#define CARD_PIXEL 0.15e-6   // s of a pixel, where a graphics card draws
#define MESH_PARTICLE 6.5e-6 // s of a particle, to make a mesh

// Depth of the deepest volume of water at the start, in m.
static double depth_at_start(const SceneDef *scene)
{
    double depth = 0;
    Vec3 up = vec3_normalize_or(scene->fluid.gravity, vec3_make(0, 0, 0));
    for (uint32_t k = 0; k < scene->water_count; k++) {
        const WaterDef *water = &scene->water[k];
        Box3 box = water_bounds(water);
        Vec3 size = vec3_sub(box.hi, box.lo);
        double deep =
            fabs((double)(up.x * size.x)) + fabs((double)(up.y * size.y)) + fabs((double)(up.z * size.z));
        depth = fmax(depth, water->kind == WATER_SPHERE ? 2.0 * (double)water->radius : deep);
    }
    return depth;
}

static void count_steps(const SceneDef *scene, double frames, RunCost *cost)
{
    const FluidDef *fluid = &scene->fluid;
    double fps = scene->output.fps;
    cost->waves = fluid_wave_step(fluid, depth_at_start(scene));
    cost->shortest = fluid->time_step / fluid->max_substeps;
    double longest = fmin(fluid->time_step, fmin(fluid_tension_step(fluid), fluid_wave_step(fluid, 0)));
    cost->longest = fmax(cost->shortest, longest);
    cost->first = fmax(cost->shortest, fmin(cost->longest, cost->waves));
    cost->steps = frames * ceil(1.0 / fps / cost->longest - 1e-9);
    cost->deep_steps = frames * ceil(1.0 / fps / cost->first - 1e-9);
}

// A block of the scene's fluid that stands in a tank of its size.
static Result make_block(const SceneDef *scene, Fluid **fluid)
{
    SceneDef block = scene_def_default();
    float edge = BLOCK_EDGE * scene->fluid.spacing;
    WaterDef water = {.kind = WATER_BOX, .hi = vec3_make(edge, edge, edge)};
    block.fluid = scene->fluid;
    block.tank = (TankDef){.present = true, .size = vec3_make(edge, edge, 2 * edge)};
    block.water = &water;
    block.water_count = 1;
    snprintf(block.name, sizeof block.name, "%.40s, a block to time", scene->name);
    return scene_build(&block, fluid);
}

static Result time_steps(Fluid *fluid, double longest, double *seconds)
{
    double started = 0, started_wall = 0, passed = 0;
    int steps = 0;
    for (int k = -WARM_STEPS; k < TIMED_STEPS || (passed < TIMED_SECONDS && k < TIMED_STEPS_MAX); k++) {
        if (k == 0) started = clock_processor_seconds(), started_wall = clock_seconds();
        TRY(fluid_step(fluid, fluid_time(fluid) + longest, NULL));
        if (k >= 0) passed = clock_processor_seconds() - started, steps = k + 1;
    }
    // A system without such a clock has another.
    *seconds = (passed > 0 ? passed : clock_seconds() - started_wall) / steps;
    return result_ok();
}

// Processor time of a particle in a step, s.
static Result measure_particle(const SceneDef *scene, double longest, double *seconds)
{
    Fluid *fluid;
    uint32_t workers = parallel_workers();
    *seconds = 0;
    TRY(make_block(scene, &fluid));
    parallel_set_workers(1);
    Result result = time_steps(fluid, longest, seconds);
    parallel_set_workers(workers);
    fluid_destroy(fluid);
    // A fluid of settings that cannot work says so when it runs.
    if (result.code == RESULT_NO_MEMORY) return result;
    *seconds *= MEMORY_FACTOR / (BLOCK_EDGE * BLOCK_EDGE * BLOCK_EDGE);
    return result_ok();
}

// Is there one that this process may use?
static bool has_graphics_card(void)
{
    return access("/dev/dri/renderD128", R_OK | W_OK) == 0 || access("/dev/nvidiactl", R_OK | W_OK) == 0;
}

// Paths that are clear early are not counted.
static double photo_seconds(const PhotoDef *photo, double pixels)
{
    double all = PHOTO_SAMPLE * photo->samples * pixels, limit = photo->time_limit * parallel_workers();
    return limit > 0 ? fmin(all, limit) : all;
}

static double picture_seconds(const Options *options, const RenderDef *render, double particles, bool card)
{
    double pixels = (double)render->width * render->height;
    bool mesh = render_style_needs_mesh(render->style) || options_export_surfaces(options);
    double making = mesh ? MESH_PARTICLE * particles : 0;
    if (options->no_pictures) return making;
    if (card && render->style != STYLE_PHOTO) return CARD_PIXEL * pixels + making;
    double drawing = picture_costs[render->style].any + picture_costs[render->style].pixel * pixels +
                     picture_costs[render->style].particle * particles;
    if (render->style == STYLE_PHOTO) drawing += photo_seconds(&render->photo, pixels);
    return render_style_needs_mesh(render->style) ? drawing : drawing + making;
}

Result run_cost_estimate(const Options *options, const SceneDef *scene, const SceneCount *count,
                         uint32_t first, uint32_t frames, RunCost *out)
{
    double particles = (double)count->initial + 0.5 * (double)count->emitted, particle;
    double left = frames > first ? frames - first : 0, share = PARALLEL_SHARE * parallel_workers();
    *out = (RunCost){.draws = !options->no_pictures, .graphics_card = has_graphics_card()};
    count_steps(scene, first > 0 ? left : left - 1, out);
    TRY(measure_particle(scene, out->longest, &particle));
    out->simulation = out->deep_steps * particles * particle / fmax(1, share);
    out->pictures = left * picture_seconds(options, &scene->output.render, particles, out->graphics_card) /
                    fmax(1, PARALLEL_SHARE * parallel_cores());
    return result_ok();
}

static void print_duration(double seconds)
{
    if (seconds < 90)
        printf("%.0f s", fmax(seconds, 1));
    else if (seconds < 5400)
        printf("%.0f min", seconds / 60);
    else
        printf(seconds < 3.6e9 ? "%.1f h" : "%.2g h", seconds / 3600);
}

void run_cost_print(const RunCost *cost)
{
    uint32_t workers = parallel_workers();
    if (cost->draws) {
        print_duration(cost->simulation);
        fputs(" without pictures, ", stdout);
    }
    print_duration(cost->simulation + cost->pictures);
    if (cost->draws)
        printf(" with them (drawn by %s),", cost->graphics_card ? "a graphics card" : "the processor");
    printf(" on %u thread%s\n", workers, workers == 1 ? "" : "s");
}
