// Whitewater of particles that are stored already, of a run or of another program. The fluid holds them and
// does not step.
#include "diffuse/diffuse.h"
#include "export/export.h"
#include "library/fields.h"
#include "library/files.h"
#include "library/surfaces.h"

#include <math.h>
#include <string.h>

// The water moves no further than this many influence radii from one whitewater step to the next, in at most
// so many of them from one call to the next: between calls it goes on as it did before.
#define STEP_REACH 0.4
#define STEPS_MAX 16

struct pbf_foam {
    pbf_context *context;
    SceneDef scene; // defaults, and the caller's settings
    double time;    // s, that it has come to; NaN before the first call
    Fluid *fluid;   // both NULL until there were particles
    Diffuse *diffuse;
    uint64_t steps;
    Vec3 *positions, *velocities; // of a step, domain coordinates
    size_t positions_capacity, velocities_capacity;
};

static Vec3 corner_of(const pbf_foam *foam)
{
    return foam->scene.tank.present ? foam->scene.tank_corner : vec3_make(0, 0, 0);
}

// --- life ---

static void foam_free(pbf_foam *foam)
{
    pbf_context *context = foam->context;
    Host *before = call_begin(context);
    diffuse_destroy(foam->diffuse);
    fluid_destroy(foam->fluid);
    memory_free(foam->positions);
    memory_free(foam->velocities);
    memory_free(foam);
    call_close(context, before);
}

static Result make_fluid(const pbf_foam *foam, double spacing, Fluid **out)
{
    Obstacles *obstacles;
    FluidDef def = foam->scene.fluid;
    def.origin = corner_of(foam);
    def.spacing = (float)spacing;
    TRY(obstacles_create(foam->scene.tank, 0.0f, NULL, 0, &obstacles));
    Result result = fluid_create(&def, obstacles, NULL, 0, NULL, 0, out);
    if (!result_is_ok(&result)) obstacles_destroy(obstacles);
    return result;
}

// All at once: a corner belongs to the tank whose size another one gives.
static Result set(pbf_foam *foam, const pbf_setting *settings, size_t count)
{
    TRY(settings_check(settings, count));
    SceneOverride *overrides = memory_allocate((count + 1) * sizeof *overrides);
    if (!overrides) return result_no_memory("settings", (count + 1) * sizeof *overrides);
    for (size_t k = 0; k < count; k++) overrides[k] = (SceneOverride){settings[k].key, settings[k].value};
    Result result = scene_set_foam(overrides, (uint32_t)count, &foam->scene);
    memory_free(overrides);
    return result;
}

// A fluid that is made and thrown away checks the spacing and the gravity.
static Result fill(pbf_foam *foam, double spacing, const pbf_setting *settings, size_t count)
{
    Fluid *tried;
    TRY(set(foam, settings, count));
    foam->scene.fluid.spacing = (float)spacing;
    if (spacing == 0) return result_ok();
    TRY(make_fluid(foam, spacing, &tried));
    fluid_destroy(tried);
    return result_ok();
}

static Result create(pbf_context *context, double spacing, const pbf_setting *settings, size_t count,
                     pbf_foam **out)
{
    pbf_foam *foam = memory_allocate_zeroed(sizeof *foam);
    if (!foam) return result_no_memory("whitewater", sizeof *foam);
    foam->context = context_hold(context);
    foam->scene = scene_def_default();
    foam->time = (double)NAN;
    Result result = fill(foam, spacing, settings, count);
    if (result_is_ok(&result))
        *out = foam;
    else
        foam_free(foam);
    return result;
}

pbf_result pbf_foam_create(pbf_context *context, double spacing, const pbf_setting *settings, size_t count,
                           pbf_foam **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    RETURN_CALL(context, create(context, spacing, settings, count, out));
}

void pbf_foam_destroy(pbf_foam *foam)
{
    if (foam) foam_free(foam);
}

// --- speeds ---

static Vec3 velocity_at(const SurfacePoints *points, uint32_t k)
{
    return vec3_make(points->vx[k], points->vy[k], points->vz[k]);
}

// The fluid that holds the particles takes faster ones for runaways.
static Result check_speeds(const FluidDef *fluid, const SurfacePoints *points)
{
    double limit = fluid_speed_limit(fluid);
    for (uint32_t k = 0; k < points->count; k++) {
        double speed = (double)vec3_length(velocity_at(points, k));
        if (speed < limit) continue;
        return result_error(RESULT_USAGE,
                            "velocities: number %u is %.3g m/s (below %.3g m/s at a spacing of %.4g m)", k,
                            speed, limit, (double)fluid->spacing);
    }
    return result_ok();
}

static double fastest(const SurfacePoints *points)
{
    double most = 0.0;
    for (uint32_t k = 0; k < points->count; k++) most = fmax(most, vec3_length(velocity_at(points, k)));
    return most;
}

// --- the first particles ---

static Vec3 position_at(const SurfacePoints *points, uint32_t k)
{
    return vec3_make(points->x[k], points->y[k], points->z[k]);
}

// Speed of a fall through the height of the water, from the tank's lower corner if there is a tank.
static float speed_of(const pbf_foam *foam, const SurfacePoints *points)
{
    Vec3 corner = corner_of(foam);
    Vec3 first = vec3_sub(position_at(points, 0), corner);
    Box3 box = {first, first};
    if (foam->scene.tank.present) box = (Box3){vec3_make(0, 0, 0), vec3_make(0, 0, 0)};
    for (uint32_t k = 0; k < points->count; k++) {
        Vec3 at = vec3_sub(position_at(points, k), corner);
        box = box3_join(box, (Box3){at, at});
    }
    return diffuse_fall_speed(foam->scene.fluid.gravity, box);
}

// They decide the spacing and the speed, where these are not given.
static Result begin(pbf_foam *foam, const SurfaceCloud *cloud)
{
    double spacing = (double)foam->scene.fluid.spacing;
    DiffuseDef def = foam->scene.whitewater;
    FluidDef settings = foam->scene.fluid;
    bool certain;
    Fluid *fluid;
    Diffuse *diffuse;
    if (spacing == 0) TRY(surface_cloud_spacing(cloud, &spacing, &certain));
    settings.spacing = (float)spacing;
    TRY(check_speeds(&settings, &cloud->points));
    if (def.speed == 0.0f) def.speed = speed_of(foam, &cloud->points);
    TRY(make_fluid(foam, spacing, &fluid));
    Result result = diffuse_create(&def, &diffuse);
    if (!result_is_ok(&result)) {
        fluid_destroy(fluid);
        return result;
    }
    fluid_measure_potentials(fluid, diffuse_least_speed(&def));
    foam->scene.fluid.spacing = (float)spacing;
    foam->scene.whitewater = def;
    foam->fluid = fluid;
    foam->diffuse = diffuse;
    return result_ok();
}

// --- particles of a time ---

// The water `before` seconds before the particles' time.
static Result place(pbf_foam *foam, const SurfacePoints *points, double before)
{
    uint32_t count = points->count;
    Vec3 corner = corner_of(foam);
    TRY(MEMORY_RESERVE(foam->positions, foam->positions_capacity, 0, count, "the particles"));
    TRY(MEMORY_RESERVE(foam->velocities, foam->velocities_capacity, 0, count, "the particles"));
    for (uint32_t k = 0; k < count; k++) {
        Vec3 back = vec3_scale(velocity_at(points, k), (float)before);
        foam->positions[k] = vec3_sub(vec3_sub(position_at(points, k), corner), back);
        foam->velocities[k] = velocity_at(points, k);
    }
    return result_ok();
}

// One of the steps that lead to the particles' time, `before` seconds before it.
static Result step(pbf_foam *foam, const SurfacePoints *points, double time, double dt, double before)
{
    uint32_t count = points->count;
    TRY(place(foam, points, before));
    TRY(fluid_take(foam->fluid, foam->positions, foam->velocities, count, time - before));
    TRY(fluid_measure_now(foam->fluid));
    TRY(diffuse_prepare(foam->diffuse, count));
    diffuse_step(foam->diffuse, &(DiffuseStep){foam->fluid, dt, ++foam->steps});
    foam->time = time - before; // the last one's is 0
    return result_ok();
}

static Result follow(pbf_foam *foam, const SurfacePoints *points, double time)
{
    const FluidDef *fluid = &foam->scene.fluid;
    double dt = time - foam->time, reach = STEP_REACH * (double)fluid->spacing * (double)fluid->radius_factor;
    double steps = fmin(fmax(ceil(dt * fastest(points) / reach), 1.0), STEPS_MAX);
    for (double k = 1.0; k <= steps; k += 1.0)
        TRY(step(foam, points, time, dt / steps, dt * (1.0 - k / steps)));
    return result_ok();
}

static Result check_time(const pbf_foam *foam, double time)
{
    if (!isfinite(time)) return result_error(RESULT_USAGE, "time: %g s is not finite", time);
    if (!(time <= foam->time)) return result_ok(); // NaN at first
    return result_error(RESULT_USAGE, "its time, %g s, is not later than that before, %g s", time,
                        foam->time);
}

static Result add(pbf_foam *foam, const pbf_points *positions, const pbf_points *velocities, double time,
                  SurfaceCloud *cloud)
{
    TRY(check_time(foam, time));
    TRY(surface_cloud_take(positions, velocities, cloud));
    const SurfacePoints *points = &cloud->points;
    if (points->count > 0 && !velocities)
        return result_error(RESULT_USAGE, "velocities: there are none, which whitewater comes from");
    if (foam->fluid) TRY(check_speeds(&foam->scene.fluid, points));
    if (points->count > 0 && !foam->fluid) TRY(begin(foam, cloud));
    if (foam->fluid && foam->steps == 0) return step(foam, points, time, 0.0, 0.0);
    if (foam->fluid) return follow(foam, points, time);
    foam->time = time;
    return result_ok();
}

pbf_result pbf_foam_add(pbf_foam *foam, const pbf_points *positions, const pbf_points *velocities,
                        double time)
{
    SurfaceCloud cloud = {0};
    if (!foam) return call_refused(NULL, missing("foam"));
    Host *before = call_begin(foam->context);
    Result result = add(foam, positions, velocities, time, &cloud);
    surface_cloud_free(&cloud);
    return call_end(foam->context, before, result);
}

// --- what there is ---

static FrameView view_of(const pbf_foam *foam)
{
    FrameView view = {.origin = corner_of(foam)};
    if (foam->fluid) view = fluid_view(foam->fluid);
    if (foam->diffuse) view.diffuse = diffuse_particles(foam->diffuse);
    view.time = foam->time;
    return view;
}

pbf_result pbf_foam_get(const pbf_foam *foam, pbf_foam_data *out)
{
    if (!out) return call_refused(foam ? foam->context : NULL, missing("out"));
    *out = (pbf_foam_data){0};
    if (!foam) return call_refused(NULL, missing("foam"));
    *out = (pbf_foam_data){.time = foam->time,
                           .spacing = (double)foam->scene.fluid.spacing,
                           .speed = (double)foam->scene.whitewater.speed,
                           .steps = foam->steps};
    if (foam->diffuse) {
        const DiffuseParticles *particles = diffuse_particles(foam->diffuse);
        out->particles = particles->count;
        out->spray = particles->of_class[DIFFUSE_SPRAY];
        out->foam = particles->of_class[DIFFUSE_FOAM];
        out->bubbles = particles->of_class[DIFFUSE_BUBBLE];
    }
    return call_refused(foam->context, result_ok());
}

static Result read(const pbf_foam *foam, const char *name, void *out, size_t bytes, size_t stride)
{
    static const char group[] = "whitewater.";
    if (strncmp(name, group, sizeof group - 1) != 0)
        return result_error(RESULT_USAGE, "\"%.60s\" is not a field of whitewater (whitewater.position, ...)",
                            name);
    FrameView view = view_of(foam);
    return fields_read(&view, name, out, bytes, stride);
}

pbf_result pbf_foam_read(const pbf_foam *foam, const char *name, void *out, size_t bytes, size_t stride)
{
    if (!foam) return call_refused(NULL, missing("foam"));
    if (!name) return call_refused(foam->context, missing("name"));
    if (!out && bytes > 0) return call_refused(foam->context, missing("out"));
    return call_refused(foam->context, read(foam, name, out, bytes, stride));
}

static Result write(const pbf_foam *foam, const char *path, const char *up)
{
    FrameView view = view_of(foam);
    Geometry geometry = geometry_of_diffuse(&view);
    TRY(files_check_path(path));
    TRY(files_find_axis(up, &geometry.up));
    const FileFormat *format = file_format_of(GEOMETRY_DIFFUSE, path);
    if (format) return format->write(path, &geometry);
    return result_error(RESULT_USAGE, "path: \"%.100s\" is not a name of a whitewater file (.ply, .vtp)",
                        path);
}

pbf_result pbf_foam_write(const pbf_foam *foam, const char *path, const char *up)
{
    if (!foam) return call_refused(NULL, missing("foam"));
    RETURN_CALL(foam->context, write(foam, path, up));
}
