// Meshes of particles, the caller's or a simulation's.
#include "library/surfaces.h"

#include "surface/frame_surface.h"

#include <math.h>

// Takes the surface over. time: s, NaN if nothing is known of it.
static Result wrap(pbf_context *context, SurfaceMesh *surface, const SurfaceDef *def, double time,
                   pbf_mesh **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    if (!*out) {
        surface_mesh_free(surface);
        return result_no_memory("a mesh", sizeof **out);
    }
    (*out)->context = context_hold(context);
    (*out)->surface = *surface;
    (*out)->spacing = (double)def->spacing;
    (*out)->cell = (double)def->cell * (double)def->spacing;
    (*out)->time = time;
    return result_ok();
}

Result surface_cloud_take(const pbf_points *points, const pbf_points *velocities, SurfaceCloud *cloud)
{
    const float *at[3], *moving[3];
    TRY(points_view(points, "points", &cloud->at, at));
    cloud->points = (SurfacePoints){.x = at[0], .y = at[1], .z = at[2], .count = points->count};
    if (!velocities) return result_ok();
    if (velocities->count != points->count)
        return result_error(RESULT_USAGE, "%u points and %u velocities", points->count, velocities->count);
    TRY(points_view(velocities, "velocities", &cloud->moving, moving));
    cloud->points.vx = moving[0];
    cloud->points.vy = moving[1];
    cloud->points.vz = moving[2];
    return result_ok();
}

void surface_cloud_free(SurfaceCloud *cloud)
{
    points_free(&cloud->at);
    points_free(&cloud->moving);
}

Result surface_cloud_spacing(const SurfaceCloud *cloud, double *spacing, bool *certain)
{
    *spacing = (double)surface_estimate_spacing(&cloud->points, certain);
    if (*spacing > 0 && isfinite(*spacing)) return result_ok();
    return result_error(RESULT_USAGE, "spacing: cannot be estimated from %u points", cloud->points.count);
}

static Result reconstruct(const SurfaceCloud *cloud, double spacing, const pbf_setting *settings,
                          size_t count, SurfaceDef *def, SurfaceMesh *out)
{
    bool certain;
    TRY(settings_check(settings, count));
    if (spacing == 0 && cloud->points.count == 0) spacing = 1; // of nothing
    if (spacing == 0) TRY(surface_cloud_spacing(cloud, &spacing, &certain));
    *def = surface_def_default((float)spacing); // surface_reconstruct checks it
    for (size_t k = 0; k < count; k++) {
        SceneOverride one = {settings[k].key, settings[k].value};
        TRY(scene_set_surface(&one, 1, def));
    }
    return surface_reconstruct(def, cloud->points, out);
}

pbf_result pbf_surface(pbf_context *context, const pbf_points *points, const pbf_points *velocities,
                       double spacing, const pbf_setting *settings, size_t count, pbf_mesh **out)
{
    SurfaceCloud cloud = {0};
    SurfaceMesh surface = {0};
    SurfaceDef def;
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    Host *before = call_begin(context);
    Result result = surface_cloud_take(points, velocities, &cloud);
    if (result_is_ok(&result)) result = reconstruct(&cloud, spacing, settings, count, &def, &surface);
    if (result_is_ok(&result)) result = wrap(context, &surface, &def, NAN, out);
    surface_cloud_free(&cloud);
    return call_end(context, before, result);
}

pbf_result pbf_spacing(pbf_context *context, const pbf_points *points, double *spacing, int *certain)
{
    SurfaceCloud cloud = {0};
    bool known = false;
    if (spacing) *spacing = 0;
    if (certain) *certain = 0;
    if (!spacing) return call_refused(context, missing("spacing"));
    Host *before = call_begin(context);
    Result result = surface_cloud_take(points, NULL, &cloud);
    if (result_is_ok(&result)) result = surface_cloud_spacing(&cloud, spacing, &known);
    if (certain) *certain = known;
    surface_cloud_free(&cloud);
    return call_end(context, before, result);
}

Result sim_surface(const pbf_sim *sim, SurfaceMesh *out)
{
    FrameView view = fluid_view(sim->fluid);
    return frame_surface_make(&sim->shared->def.surface, &view, true, out);
}

static Result make(const pbf_sim *sim, pbf_mesh **out)
{
    SurfaceMesh surface = {0};
    FrameView view = fluid_view(sim->fluid);
    TRY(sim_surface(sim, &surface));
    surface_mesh_move(&surface, view.origin);
    return wrap(sim->context, &surface, &sim->shared->def.surface, view.time, out);
}

pbf_result pbf_sim_surface(const pbf_sim *sim, pbf_mesh **out)
{
    if (!out) return call_refused(sim ? sim->context : NULL, missing("out"));
    *out = NULL;
    if (!sim) return call_refused(NULL, missing("sim"));
    RETURN_CALL(sim->context, make(sim, out));
}

pbf_result pbf_mesh_get(const pbf_mesh *mesh, pbf_mesh_data *out)
{
    if (!out) return call_refused(mesh ? mesh->context : NULL, missing("out"));
    *out = (pbf_mesh_data){0};
    if (!mesh) return call_refused(NULL, missing("mesh"));
    const SurfaceMesh *surface = &mesh->surface;
    const SurfaceStats *stats = &surface->stats;
    *out = (pbf_mesh_data){.vertices = (const float *)surface->vertex,
                           .normals = (const float *)surface->normal,
                           .velocities = (const float *)surface->velocity,
                           .triangles = (const uint32_t *)surface->triangle,
                           .vertex_count = surface->vertex_count,
                           .triangle_count = surface->triangle_count,
                           .volume = surface_mesh_volume(surface),
                           .spacing = mesh->spacing,
                           .cell = mesh->cell,
                           .isovalue = (double)stats->isovalue,
                           .pieces = stats->pieces,
                           .blocks = stats->blocks,
                           .points_ms = stats->points_ms,
                           .kernels_ms = stats->kernels_ms,
                           .grid_ms = stats->field_ms,
                           .triangles_ms = stats->mesh_ms,
                           .smoothing_ms = stats->finish_ms};
    return call_refused(mesh->context, result_ok());
}

void pbf_mesh_destroy(pbf_mesh *mesh)
{
    if (!mesh) return;
    pbf_context *context = mesh->context;
    Host *before = call_begin(context);
    surface_mesh_free(&mesh->surface);
    memory_free(mesh);
    call_close(context, before);
}
