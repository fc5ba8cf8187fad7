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
#define MOST_FULL 1.02    // of a tank's places: more particles are visibly compressed
#define SIDE_POINTS 12    // along an edge of what a body takes of a periodic side
#define LEAST_CUT 0.25f   // influence radii by which distances at two periodic sides differ

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
    out->initial = count.initial;
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

// --- warnings ---

static bool strands_are_too_thick(const SceneDef *scene, const RunNeeds *needs, char *text)
{
    float spacing = scene->fluid.spacing;
    uint32_t k = 0;
    (void)needs;
    while (k < scene->strand_count && 2.0f * scene->strands[k].radius <= 1.0001f * spacing) k++;
    if (k == scene->strand_count) return false;
    snprintf(text, RUN_WARNING_BYTES,
             "strands.%u.radius: strands of %g m are thicker than the spacing of %g m: water makes room for "
             "a part of them only, and is stirred",
             k, 2.0 * (double)scene->strands[k].radius, (double)spacing);
    return true;
}

static bool tension_is_too_weak(const SceneDef *scene, const RunNeeds *needs, char *text)
{
    const FluidDef *fluid = &scene->fluid;
    double asked = fluid_tension_step(fluid), shortest = fluid->time_step / fluid->max_substeps;
    (void)needs;
    if (asked >= 0.99 * shortest) return false;
    snprintf(
        text, RUN_WARNING_BYTES,
        "fluid.surface_tension asks for %.2g ms, solver.max_substeps allows %.2g ms: it acts as %.2g N/m",
        1e3 * asked, 1e3 * shortest, fluid->surface_tension * pow(asked / shortest, 2));
    return true;
}

static bool water_is_missing(const SceneDef *scene, const RunNeeds *needs, char *text)
{
    if (needs->initial > 0 || scene->water_count == 0) return false;
    snprintf(
        text, RUN_WARNING_BYTES,
        "water: none is there at the start: it is inside obstacles or nearer than half a spacing to them, "
        "or smaller than the spacing");
    return true;
}

static bool is_closed(const SceneDef *scene)
{
    const TankDef *tank = &scene->tank;
    for (int face = 0; face < TANK_FACE_COUNT; face++) {
        if (tank->open[face] && !tank->periodic[face / 2]) return false;
    }
    return tank->present && scene->drain_count == 0;
}

static bool water_is_too_much(const SceneDef *scene, const RunNeeds *needs, char *text)
{
    char grouped[27], room[27];
    double spacing = (double)scene->fluid.spacing;
    Vec3 size = scene->tank.size;
    double places = (double)size.x * (double)size.y * (double)size.z / pow(spacing, 3);
    if (scene->emitter_count == 0 || !is_closed(scene) || (double)needs->particles <= MOST_FULL * places)
        return false;
    snprintf(
        text, RUN_WARNING_BYTES,
        "emitters: %s particles do not fit into the closed tank, which holds %s: they are compressed (stop, "
        "volume, drains and tank.open prevent it)",
        number_grouped(needs->particles, grouped), number_grouped((uint64_t)llround(places), room));
    return true;
}

// What water feels of a body at a point: the distance to it, within the influence radius.
static float felt(const ObstacleDef *body, Vec3 at, float radius)
{
    return fminf(fmaxf(obstacle_def_distance(body, at), 0), radius);
}

// Whether water at one of two sides of the tank feels more of the body than at the other, where it flows on.
// part: of the side, that is near the body; period: from this side to the other.
static bool differs(const ObstacleDef *body, Box3 part, Vec3 period, float radius)
{
    const float step = 1.0f / (SIDE_POINTS - 1);
    Vec3 extent = vec3_sub(part.hi, part.lo);
    for (int k = 0; k < SIDE_POINTS * SIDE_POINTS; k++) {
        float u = (float)(k % SIDE_POINTS) * step, v = (float)(k / SIDE_POINTS) * step;
        Vec3 at = vec3_add(part.lo, vec3_mul(extent, vec3_make(u, period.x > 0 ? u : v, v)));
        float here = felt(body, at, radius), there = felt(body, vec3_add(at, period), radius);
        if (fabsf(here - there) > LEAST_CUT * radius) return true;
    }
    return false;
}

static bool is_cut(const ObstacleDef *body, const SceneDef *scene, Vec3 axis)
{
    float radius = scene->fluid.spacing * scene->fluid.radius_factor;
    Vec3 reach = vec3_make(radius, radius, radius), size = scene->tank.size, period = vec3_mul(size, axis);
    Box3 tank = {scene->tank_corner, vec3_add(scene->tank_corner, size)}, box = obstacle_def_bounds(body);
    Box3 near = {vec3_sub(box.lo, reach), vec3_add(box.hi, reach)};
    bool inside =
        vec3_dot(vec3_sub(near.lo, tank.lo), axis) >= 0 && vec3_dot(vec3_sub(tank.hi, near.hi), axis) >= 0;
    if (inside || !box3_touches(near, tank)) return false;
    Box3 part = {vec3_max(near.lo, tank.lo), vec3_min(near.hi, tank.hi)};
    part.lo = vec3_add(part.lo, vec3_mul(vec3_sub(tank.lo, part.lo), axis));
    part.hi = vec3_add(part.hi, vec3_mul(vec3_sub(tank.lo, part.hi), axis));
    return differs(body, part, period, radius);
}

static bool body_is_at_a_periodic_side(const SceneDef *scene, const RunNeeds *needs, char *text)
{
    static const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const TankDef *tank = &scene->tank;
    (void)needs;
    for (uint32_t k = 0; k < scene->obstacle_count && tank->present; k++) {
        bool cut = false;
        for (int a = 0; a < 3; a++) cut |= tank->periodic[a] && is_cut(&scene->obstacles[k], scene, axes[a]);
        if (!cut) continue;
        snprintf(text, RUN_WARNING_BYTES,
                 "obstacles.%u: ends at a periodic side of the tank: water beyond it does not feel the body "
                 "(keep it an influence radius away)",
                 k);
        return true;
    }
    return false;
}

bool run_warning(const SceneDef *scene, const RunNeeds *needs, uint32_t *k, char text[RUN_WARNING_BYTES])
{
    static bool (*const warnings[])(const SceneDef *, const RunNeeds *,
                                    char *) = {strands_are_too_thick, tension_is_too_weak, water_is_missing,
                                               water_is_too_much, body_is_at_a_periodic_side};
    while (*k < sizeof warnings / sizeof *warnings) {
        if (warnings[(*k)++](scene, needs, text)) return true;
    }
    return false;
}

void run_needs_print(const Options *options, const SceneDef *scene, const RunNeeds *needs,
                     const RunCost *cost, uint32_t first, uint32_t frames)
{
    const RenderDef *render = &scene->output.render;
    char grouped[27], need[24], there[24], roughly[24], shown[PATH_MAX];
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
               number_in_bytes(needs->disk_free, there), text_masked(options->out, shown, sizeof shown));
    printf("time, roughly      ");
    run_cost_print(cost);
    puts("nothing was written (--dry-run)");
}
