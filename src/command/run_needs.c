#include "command/run_needs.h"

#include "command/number.h"
#include "core/memory.h"
#include "export/export.h"
#include "obstacle/solid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// Lower bounds: pictures shrink to a tenth of a byte a pixel where most of them is sky, meshes of splashes
// are larger than those of still water, which are not counted at all.
#define PICTURE_BYTES 0.1   // a pixel
#define PARTICLE_BYTES 44.0 // a particle in the smallest format
#define TRIANGLE_BYTES 32.0 // a triangle of an obstacle, likewise
#define STAGE_BYTES 90.0    // a particle and its part of the surface, kept and in one file that plays
#define STATE_BYTES 16.0    // a particle in a packed checkpoint
#define PIXEL_MEMORY 64.0   // bytes a pixel in buffers, samples included

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

// Particles of all frames together; 0 where water drains away, as nobody knows how much is left.
static double particle_frames(const SceneDef *scene, const SceneCount *count, uint32_t first, uint32_t frames)
{
    double sum = 0;
    for (uint32_t k = first; k < frames && scene->drain_count == 0; k++)
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

static double disk_bytes(const Options *options, const SceneDef *scene, const SceneCount *count,
                         uint32_t first, uint32_t frames, uint64_t particles)
{
    const RenderDef *render = &scene->output.render;
    double more = frames > first ? frames - first : 0;
    double bytes = options->no_pictures ? 0 : PICTURE_BYTES * render->width * render->height * more;
    double all = particle_frames(scene, count, first, frames);
    for (uint32_t k = 0; k < options->format_count; k++) {
        const FileFormat *format = file_format(options->formats[k]);
        if (format->kind == GEOMETRY_PARTICLES) bytes += PARTICLE_BYTES * all;
        if (format->kind == GEOMETRY_STAGE) bytes += STAGE_BYTES * all;
        if (format->kind == GEOMETRY_OBSTACLES) bytes += TRIANGLE_BYTES * obstacle_triangles(scene, more);
    }
    if (options->checkpoint_every > 0 && scene->drain_count == 0) bytes += STATE_BYTES * (double)particles;
    return bytes;
}

Result run_needs(const Options *options, const SceneDef *scene, uint32_t first, uint32_t frames,
                 RunNeeds *out)
{
    SceneCount count;
    const RenderDef *render = &scene->output.render;
    *out = (RunNeeds){.memory_free = memory_available()};
    TRY(scene_count(scene, &count));
    out->particles = count.initial + emitted_by(scene, frames > 0 ? (frames - 1) / scene->output.fps : 0);
    uint64_t held = scene->drain_count > 0 ? count.initial : out->particles;
    out->memory = fluid_memory_estimate(&scene->fluid, held);
    if (!options->no_pictures) out->memory += (uint64_t)(PIXEL_MEMORY * render->width * render->height);
    if (!options->out) return result_ok();
    out->disk = (uint64_t)disk_bytes(options, scene, &count, first, frames, out->particles);
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

void run_needs_print(const Options *options, const SceneDef *scene, const RunNeeds *needs, uint32_t first,
                     uint32_t frames)
{
    const RenderDef *render = &scene->output.render;
    char grouped[27], need[24], there[24];
    printf("frames             %u to %u", first < frames ? first : frames - 1, frames - 1);
    if (!options->no_pictures) printf(", %ux%u pixels", render->width, render->height);
    putchar('\n');
    printf("particles          %s at the end%s\n", number_grouped(needs->particles, grouped),
           scene->drain_count > 0 ? ", less what drains away" : "");
    printf("memory             %s, %s are free\n", number_in_bytes(needs->memory, need),
           number_in_bytes(needs->memory_free, there));
    if (options->out)
        printf("disk               %s at least, %s are free in %s\n", number_in_bytes(needs->disk, need),
               number_in_bytes(needs->disk_free, there), options->out);
    puts("nothing was written (--dry-run)");
}
