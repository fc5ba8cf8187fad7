#include "command/run_needs.h"

#include "command/number.h"
#include "core/memory.h"
#include "export/export.h"
#include "obstacle/solid.h"
#include "photo/photo.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// Bytes of what a run writes. At least: pictures shrink to a tenth of a byte a pixel where most of them is
// sky, and what drains away or splashes is not counted. Expected: what the ten scenes that come along write.
typedef struct Sizes {
    double picture;  // a pixel
    double film;     // a pixel of a film
    double particle; // a particle, in any format
    double surface;  // a particle whose water is in a file of the surface
    double triangle; // a triangle of an obstacle
    double strand;   // a particle of a strand, in any format
    double state;    // a particle in a packed checkpoint
} Sizes;
static const Sizes least = {.picture = 0.1, .particle = 44, .triangle = 32, .strand = 28, .state = 16};
static const Sizes expected = {
    .picture = 0.8, .film = 0.05, .particle = 60, .surface = 200, .triangle = 50, .strand = 40, .state = 24};

#define PIXEL_MEMORY 64.0 // bytes a pixel in buffers, samples included

// Free bytes on the disk where the folder is, or will be.
static uint64_t free_bytes(const char *folder)
{
    char path[4096];
    struct statvfs info;
    snprintf(path, sizeof path, "%s", folder);
    while (statvfs(path, &info) != 0) {
        char *slash = strrchr(path, '/');
        if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) return UINT64_MAX;
        if (slash)
            slash[slash == path] = '\0'; // of "/a" the root stays
        else
            strcpy(path, ".");
    }
    return (uint64_t)info.f_bavail * info.f_frsize;
}

static uint64_t emitted_by(const SceneDef *scene, double time)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < scene->emitter_count; k++)
        count += emitter_total_particles(&scene->emitters[k], scene->fluid.spacing, time);
    return count;
}

// Particles of all frames together, if none drains away.
static double particle_frames(const SceneDef *scene, const SceneCount *count, uint32_t first, uint32_t frames)
{
    double sum = 0;
    for (uint32_t k = first; k < frames; k++)
        sum += (double)(count->initial + emitted_by(scene, k / scene->output.fps));
    return sum;
}

// Triangles of obstacles in all files together. Where nothing moves, all frames share one file; bodies on
// keyframes may be at rest, too.
static double obstacle_triangles(const SceneDef *scene, double frames)
{
    double sum = 0;
    int quarter = solid_quarter(scene->obstacle_count);
    bool moving = false;
    for (uint32_t k = 0; k < scene->obstacle_count; k++) {
        const MotionDef *motion = &scene->obstacles[k].motion;
        moving |= motion->kind == MOTION_OSCILLATION && isinf(motion->stop);
        sum += solid_triangles(&scene->obstacles[k].shape, quarter);
    }
    return moving ? sum * frames : sum;
}

static double strand_particles(const SceneDef *scene)
{
    double sum = 0;
    for (uint32_t k = 0; k < scene->strand_count; k++)
        sum += (double)scene->strands[k].count * (scene->strands[k].segments + 1);
    return sum;
}

static double disk_bytes(const Sizes *sizes, const Options *options, const SceneDef *scene,
                         const SceneCount *count, uint32_t first, uint32_t frames, uint64_t particles)
{
    const RenderDef *render = &scene->output.render;
    double more = frames > first ? frames - first : 0, pixels = (double)render->width * render->height * more;
    double bytes = options->no_pictures ? 0 : (sizes->picture + (options->video ? sizes->film : 0)) * pixels;
    // Nobody knows how much water is left above a drain.
    bool drains = sizes == &least && scene->drain_count > 0;
    double all = drains ? 0 : particle_frames(scene, count, first, frames);
    for (uint32_t k = 0; k < options->format_count; k++) {
        const FileFormat *format = file_format(options->formats[k]);
        if (format->kind == GEOMETRY_PARTICLES) bytes += sizes->particle * all;
        if (format->kind == GEOMETRY_SURFACE) bytes += sizes->surface * all;
        if (format->kind == GEOMETRY_STRANDS) bytes += sizes->strand * strand_particles(scene) * more;
        if (format->kind == GEOMETRY_OBSTACLES) bytes += sizes->triangle * obstacle_triangles(scene, more);
    }
    if (options->checkpoint_every > 0 && !drains) {
        double kept = fmin(options->keep_checkpoints, 1 + more / options->checkpoint_every);
        bytes += sizes->state * (double)particles * (sizes == &least ? 1 : kept);
    }
    return bytes;
}

Result run_needs(const Options *options, const SceneDef *scene, uint32_t first, uint32_t frames,
                 RunNeeds *out)
{
    SceneCount count;
    const RenderDef *render = &scene->output.render;
    *out = (RunNeeds){.memory_free = memory_available()};
    TRY(scene_count(scene, &count));
    if (!options->no_pictures && render->style == STYLE_PHOTO) TRY(photo_check_environment(&render->look));
    count.end = frames > 0 ? (frames - 1) / scene->output.fps : 0;
    count.emitted = emitted_by(scene, count.end);
    out->particles = count.initial + count.emitted;
    SceneCount certain = scene_certain_count(scene, &count);
    uint64_t pictures = options->no_pictures ? 0 : (uint64_t)(PIXEL_MEMORY * render->width * render->height);
    out->memory = scene_memory_estimate(scene, &scene->fluid, &certain) + pictures;
    out->memory_most = scene_memory_estimate(scene, &scene->fluid, &count) + pictures;
    out->disk_expected =
        (uint64_t)disk_bytes(&expected, options, scene, &count, first, frames, out->particles);
    if (!options->out) return result_ok();
    out->disk = (uint64_t)disk_bytes(&least, options, scene, &count, first, frames, out->particles);
    out->disk_free = free_bytes(options->out);
    return result_ok();
}

Result run_needs_check(const Options *options, const RunNeeds *needs)
{
    char need[24], there[24];
    if (needs->memory > needs->memory_free)
        return result_error(RESULT_NO_MEMORY,
                            "%llu particles need %s of memory, %s are free (a larger --spacing needs less)",
                            (unsigned long long)needs->particles, number_in_bytes(needs->memory, need),
                            number_in_bytes(needs->memory_free, there));
    if (needs->disk > needs->disk_free)
        return result_error(
            RESULT_FAILED,
            "%.150s: the run writes %s or more, %s are free (fewer --frames, a smaller --size)", options->out,
            number_in_bytes(needs->disk, need), number_in_bytes(needs->disk_free, there));
    return result_ok();
}

void run_memory_print(uint64_t most, uint64_t certain)
{
    char bytes[24], fewest[24];
    fputs(number_in_bytes(most, bytes), stdout);
    if (most > certain) printf(" if nothing drains away, %s at least", number_in_bytes(certain, fewest));
}

bool run_strands_too_thick(const SceneDef *scene, char *text, size_t size)
{
    float spacing = scene->fluid.spacing;
    uint32_t k = 0;
    while (k < scene->strand_count && 2.0f * scene->strands[k].radius <= 1.0001f * spacing) k++;
    if (k == scene->strand_count) return false;
    snprintf(text, size,
             "strands.%u.radius: strands of %g m are thicker than the spacing of %g m: water makes room for "
             "a part of them only, and is stirred",
             k, 2.0 * (double)scene->strands[k].radius, (double)spacing);
    return true;
}

bool run_tension_too_weak(const SceneDef *scene, char *text, size_t size)
{
    const FluidDef *fluid = &scene->fluid;
    double asked = fluid_tension_step(fluid), shortest = fluid->time_step / fluid->max_substeps;
    if (asked >= 0.99 * shortest) return false;
    snprintf(
        text, size,
        "fluid.surface_tension asks for %.2g ms, solver.max_substeps allows %.2g ms: it acts as %.2g N/m",
        1e3 * asked, 1e3 * shortest, fluid->surface_tension * pow(asked / shortest, 2));
    return true;
}

void run_needs_print(const Options *options, const SceneDef *scene, const RunNeeds *needs,
                     const RunCost *cost, uint32_t first, uint32_t frames)
{
    const RenderDef *render = &scene->output.render;
    char grouped[27], need[24], there[24], roughly[24];
    printf("frames             %u to %u", first < frames ? first : frames - 1, frames - 1);
    if (!options->no_pictures) printf(", %ux%u pixels", render->width, render->height);
    putchar('\n');
    printf("particles          %s at the end%s\n", number_grouped(needs->particles, grouped),
           scene->drain_count > 0 ? ", less what drains away" : "");
    printf("memory             ");
    run_memory_print(needs->memory_most, needs->memory);
    printf(", %s are free\n", number_in_bytes(needs->memory_free, there));
    if (options->out)
        printf("disk, roughly      %s, %s at least, %s are free in %s\n",
               number_in_bytes(needs->disk_expected, roughly), number_in_bytes(needs->disk, need),
               number_in_bytes(needs->disk_free, there), options->out);
    printf("time, roughly      ");
    run_cost_print(cost);
    puts("nothing was written (--dry-run)");
}
