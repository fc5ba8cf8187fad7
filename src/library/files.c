// Files of particles and meshes, in and out.
#include "library/files.h"
#include "export/export.h"
#include "export/obstacle_mesh.h"
#include "export/particle_file.h"
#include "library/surfaces.h"

#include <math.h>
#include <string.h>

// --- in ---

struct pbf_cloud {
    pbf_context *context;
    ParticleFile file;
};

static Result load(pbf_context *context, const char *path, pbf_cloud **out)
{
    pbf_cloud *cloud = memory_allocate_zeroed(sizeof *cloud);
    if (!cloud) return result_no_memory("particles of a file", sizeof *cloud);
    Result result = particle_file_read(path, &cloud->file);
    if (!result_is_ok(&result)) {
        particle_file_free(&cloud->file);
        memory_free(cloud);
        return result;
    }
    cloud->context = context_hold(context);
    *out = cloud;
    return result;
}

pbf_result pbf_cloud_load(pbf_context *context, const char *path, pbf_cloud **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    if (!path) return call_refused(context, missing("path"));
    RETURN_CALL(context, load(context, path, out));
}

pbf_result pbf_cloud_get(const pbf_cloud *cloud, pbf_cloud_data *out)
{
    if (!out) return call_refused(cloud ? cloud->context : NULL, missing("out"));
    *out = (pbf_cloud_data){.velocity_name = ""};
    if (!cloud) return call_refused(NULL, missing("cloud"));
    const ParticleFile *file = &cloud->file;
    const size_t stride = sizeof(float);
    *out = (pbf_cloud_data){.positions = {file->x, file->y, file->z, stride, file->count, PBF_FLOAT},
                            .velocities = {NULL, NULL, NULL, stride, 0, PBF_FLOAT},
                            .spacing = file->spacing,
                            .time = file->timed ? file->time : NAN,
                            .faces = file->faces,
                            .velocity_name = file->velocity};
    if (file->vx)
        out->velocities = (pbf_points){file->vx, file->vy, file->vz, stride, file->count, PBF_FLOAT};
    return call_refused(cloud->context, result_ok());
}

void pbf_cloud_destroy(pbf_cloud *cloud)
{
    if (!cloud) return;
    pbf_context *context = cloud->context;
    Host *before = call_begin(context);
    particle_file_free(&cloud->file);
    memory_free(cloud);
    call_close(context, before);
}

// --- out ---

const char *pbf_format(uint32_t k)
{
    for (uint32_t row = 0; file_format(row); row++) {
        if (file_format(row)->write && k-- == 0) return file_format(row)->name;
    }
    return NULL;
}

Result files_find_axis(const char *up, UpAxis *out)
{
    *out = !up ? UP_DEFAULT : strcmp(up, "y") == 0 ? UP_Y : UP_Z;
    if (!up || *out == UP_Y || strcmp(up, "z") == 0) return result_ok();
    return result_error(RESULT_USAGE, "up: \"%.20s\" is not an axis that points up (y, z)", up);
}

Result files_check_path(const char *path)
{
    if (!path) return missing("path");
    // Which the program's writers take for standard output.
    if (!*path || strcmp(path, "-") == 0)
        return result_error(RESULT_USAGE, "path: \"%s\" is not the name of a file", path);
    return result_ok();
}

static Result find_mesh_format(const char *path, const FileFormat **out)
{
    TRY(files_check_path(path));
    *out = file_format_of(GEOMETRY_SURFACE, path);
    if (*out) return result_ok();
    return result_error(RESULT_USAGE,
                        "path: \"%.100s\" is not a name of a mesh file (.ply, .obj, .vtk, .vtp, .usda, .vdb)",
                        path);
}

static Result write_mesh(const pbf_mesh *mesh, const char *path, const char *up, double time)
{
    Geometry geometry = geometry_of_surface(&mesh->surface);
    const FileFormat *format;
    TRY(find_mesh_format(path, &format));
    TRY(files_find_axis(up, &geometry.up));
    geometry.timed = isfinite(time), geometry.time = time;
    geometry.spacing = mesh->spacing;
    return format->write(path, &geometry);
}

pbf_result pbf_mesh_write(const pbf_mesh *mesh, const char *path, const char *up, double time)
{
    if (!mesh) return call_refused(NULL, missing("mesh"));
    RETURN_CALL(mesh->context, write_mesh(mesh, path, up, isnan(time) ? mesh->time : time));
}

static Result probe_mesh(const char *path)
{
    const FileFormat *format;
    TRY(find_mesh_format(path, &format));
    if (format->write == export_vdb) TRY(export_vdb_probe());
    return file_target_probe(path);
}

pbf_result pbf_mesh_probe(pbf_context *context, const char *path)
{
    RETURN_CALL(context, probe_mesh(path));
}

static Result find_format(const char *name, const FileFormat **out)
{
    *out = file_format(file_format_named(name));
    if (*out && (*out)->write) return result_ok();
    return result_error(RESULT_USAGE, "\"%.40s\" is not a format of one frame (ply, mesh_obj, ...)", name);
}

static Result write_surface(const pbf_sim *sim, const FrameView *view, const FileFormat *format,
                            const char *path, UpAxis up)
{
    SurfaceMesh mesh = {0};
    TRY(sim_surface(sim, &mesh));
    surface_mesh_move(&mesh, view->origin);
    Geometry geometry = geometry_of_surface(&mesh);
    geometry.up = up;
    geometry.timed = true, geometry.time = view->time, geometry.spacing = (double)view->spacing;
    Result result = format->write(path, &geometry);
    surface_mesh_free(&mesh);
    return result;
}

static Result write_obstacles(const FrameView *view, const FileFormat *format, const char *path, UpAxis up)
{
    ObstacleMesh mesh;
    TRY(obstacle_mesh_make(view, &mesh));
    Geometry geometry = geometry_of_obstacles(&mesh);
    geometry.up = up;
    Result result = format->write(path, &geometry);
    obstacle_mesh_free(&mesh);
    return result;
}

static Result write_sim(const pbf_sim *sim, const char *name, const char *path, const char *up)
{
    const FileFormat *format;
    UpAxis axis;
    TRY(find_format(name, &format));
    TRY(files_check_path(path));
    TRY(files_find_axis(up, &axis));
    FrameView view = fluid_view(sim->fluid);
    if (format->kind == GEOMETRY_SURFACE) return write_surface(sim, &view, format, path, axis);
    if (format->kind == GEOMETRY_OBSTACLES) return write_obstacles(&view, format, path, axis);
    Geometry geometry;
    TRY(geometry_of_format(format, &view, &geometry));
    geometry.up = axis;
    return format->write(path, &geometry);
}

pbf_result pbf_sim_write(const pbf_sim *sim, const char *format, const char *path, const char *up)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!format) return call_refused(sim->context, missing("format"));
    RETURN_CALL(sim->context, write_sim(sim, format, path, up));
}
