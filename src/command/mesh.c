#include "command/command.h"
#include "command/number.h"
#include "core/clock.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "surface/surface.h"

#include <stdlib.h>
#include <string.h>

// The format that an output's suffix names.
static Result find_format(const char *path, const MeshFormat **out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (uint32_t k = 0; dot && (*out = mesh_format(k)); k++) {
        if (strcmp(dot + 1, (*out)->name) == 0) return result_ok();
    }
    return result_error(RESULT_USAGE, "--out: \"%.100s\" has no suffix of a mesh (.ply, .obj, .vtk)", path);
}

static Result find_spacing(const Options *options, const ParticleFile *file, const SurfacePoints *points,
                           Progress *progress, float *out)
{
    double metres = file->spacing;
    const char *source = "the file";
    if (options->spacing) {
        number_parse(options->spacing, &metres); // checked when the options were read
        source = "--spacing";
    } else if (metres == 0 && points->count > 0) {
        metres = (double)surface_estimate_spacing(points);
        source = "the particles' distances";
        if (!(metres > 0)) {
            return result_error(RESULT_USAGE,
                                "%s: the spacing cannot be estimated (--spacing METRES gives it)",
                                options->scene);
        }
    }
    if (points->count > 0) progress_note(progress, "spacing %.4g m, from %s", metres, source);
    *out = (float)metres;
    return result_ok();
}

static Result mesh_particles(const Options *options, const MeshFormat *format, const ParticleFile *file,
                             Progress *progress)
{
    SurfacePoints points = {file->x, file->y, file->z, file->vx, file->vy, file->vz, file->count};
    float spacing = 1;
    TRY(find_spacing(options, file, &points, progress, &spacing));
    SurfaceDef def = surface_def_default(file->count > 0 ? spacing : 1);
    SurfaceMesh mesh;
    double started = clock_seconds();
    TRY(surface_reconstruct(&def, points, &mesh));
    const SurfaceStats *stats = &mesh.stats;
    progress_note(progress, "surface of %u particles: %u vertices, %u triangles, %.4g m^3, %.0f ms",
                  file->count, mesh.vertex_count, mesh.triangle_count, surface_mesh_volume(&mesh),
                  1e3 * (clock_seconds() - started));
    progress_note(progress, "ms: points %.0f, kernels %.0f, grid %.0f, triangles %.0f, smoothing %.0f",
                  stats->points_ms, stats->kernels_ms, stats->field_ms, stats->mesh_ms, stats->finish_ms);
    Result result = format->write(options->out, &mesh);
    surface_mesh_free(&mesh);
    return result;
}

Result command_mesh(const Options *options)
{
    const MeshFormat *format = NULL;
    if (!options->scene) {
        return result_error(RESULT_USAGE,
                            "mesh: a file with particles is missing (pbf mesh INPUT --out FILE)");
    }
    if (!options->out) return result_error(RESULT_USAGE, "mesh: --out is missing (FILE.ply, .obj or .vtk)");
    TRY(find_format(options->out, &format));
    parallel_set_workers(options->threads);
    Progress progress = progress_begin(options->quiet);
    ParticleFile file;
    Result result = particle_file_read(options->scene, &file);
    if (result_is_ok(&result)) result = mesh_particles(options, format, &file, &progress);
    particle_file_free(&file);
    return result;
}
