#include "command/command.h"
#include "command/number.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/param.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/particle_file.h"
#include "surface/surface.h"

#include <string.h>

// A run of the command and its results.
typedef struct MeshRun {
    const Options *options;
    const FileFormat *format;
    SurfaceDef def;
    ParticleFile file;
    const char *spacing_source;
    SurfaceMesh mesh;
    double read_ms, write_ms;
    uint64_t memory; // bytes beyond the particles, at most
} MeshRun;

// Finds the format by the output's suffix.
static Result find_format(const char *path, const FileFormat **out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (uint32_t k = 0; dot && (*out = file_format(k)); k++) {
        if ((*out)->kind == GEOMETRY_SURFACE && strcmp(dot + 1, (*out)->suffix) == 0) return result_ok();
    }
    return result_error(
        RESULT_USAGE, "--out: \"%.100s\" is not a name of a mesh file (.ply, .obj, .vtk, .vtp, .usda)", path);
}

static SurfacePoints points_of(const ParticleFile *file)
{
    return (SurfacePoints){file->x, file->y, file->z, file->vx, file->vy, file->vz, file->count};
}

static Result find_spacing(MeshRun *run)
{
    double meters = run->file.spacing;
    run->spacing_source = "from the file";
    if (run->options->spacing) {
        param_number(run->options->spacing, &meters); // checked when the options were read
        run->spacing_source = "from --spacing";
    } else if (meters == 0 && run->file.count > 0) {
        SurfacePoints points = points_of(&run->file);
        bool certain;
        meters = (double)surface_estimate_spacing(&points, &certain);
        run->spacing_source =
            certain ? "estimated from particles inside the water; --spacing sets it"
                    : "a rough estimate: hardly any particle has neighbors all around; --spacing sets it";
        if (!(meters > 0)) {
            return result_error(RESULT_USAGE,
                                "%s: the spacing cannot be estimated (--spacing METERS gives it)",
                                run->options->scene);
        }
    }
    if (run->file.count > 0) run->def.spacing = (float)meters;
    return result_ok();
}

static Result reconstruct(MeshRun *run)
{
    memory_restart_peak();
    uint64_t before = memory_bytes_in_use();
    TRY(surface_reconstruct(&run->def, points_of(&run->file), &run->mesh));
    run->memory = memory_bytes_peak() - before;
    return result_ok();
}

static void print_report(const MeshRun *run)
{
    const SurfaceMesh *mesh = &run->mesh;
    const SurfaceStats *stats = &mesh->stats;
    double spacing = (double)run->def.spacing;
    char first[27], second[27], bytes[24];
    printf("particles  %s, spacing %.4g m (%s)\n", number_grouped(run->file.count, first), spacing,
           run->spacing_source);
    printf("mesh       %s triangles, %s vertices, %u piece%s, in %s\n",
           number_grouped(mesh->triangle_count, first), number_grouped(mesh->vertex_count, second),
           stats->pieces, stats->pieces == 1 ? "" : "s", run->options->out);
    printf("volume     %.6g m^3, of the particles %.6g m^3\n", surface_mesh_volume(mesh),
           run->file.count * spacing * spacing * spacing);
    printf("grid       cells of %.4g m in %s blocks, isovalue %.3f\n", (double)run->def.cell * spacing,
           number_grouped(stats->blocks, first), (double)stats->isovalue);
    printf("memory     %s beyond the particles\n", number_in_bytes(run->memory, bytes));
    printf("time       %.0f ms on %u threads: reading %.0f, points %.0f, kernels %.0f, grid %.0f, "
           "triangles %.0f, smoothing %.0f, writing %.0f\n",
           run->read_ms + stats->points_ms + stats->kernels_ms + stats->field_ms + stats->mesh_ms +
               stats->finish_ms + run->write_ms,
           parallel_workers(), run->read_ms, stats->points_ms, stats->kernels_ms, stats->field_ms,
           stats->mesh_ms, stats->finish_ms, run->write_ms);
}

static Result mesh_particles(MeshRun *run)
{
    double started = clock_seconds();
    TRY(particle_file_read(run->options->scene, &run->file));
    run->read_ms = 1e3 * (clock_seconds() - started);
    TRY(find_spacing(run));
    TRY(reconstruct(run));
    started = clock_seconds();
    Geometry geometry = geometry_of_surface(&run->mesh);
    TRY(run->format->write(run->options->out, &geometry));
    run->write_ms = 1e3 * (clock_seconds() - started);
    if (!run->options->quiet) print_report(run);
    return result_ok();
}

Result command_mesh(const Options *options)
{
    MeshRun run = {.options = options, .def = surface_def_default(1)};
    if (!options->scene) {
        return result_error(RESULT_USAGE, "mesh: a file of particles is missing (pbf mesh INPUT --out FILE)");
    }
    if (!options->out)
        return result_error(RESULT_USAGE, "mesh: --out is missing (FILE.ply, .obj, .vtk, .vtp or .usda)");
    TRY(find_format(options->out, &run.format));
    SceneOverride overrides[OPTIONS_OVERRIDES_MAX];
    TRY(scene_set_surface(overrides, options_overrides(options, overrides), &run.def));
    TRY(file_target_probe(options->out)); // before minutes of work
    parallel_set_workers(options->threads);
    Result result = mesh_particles(&run);
    surface_mesh_free(&run.mesh);
    particle_file_free(&run.file);
    return result;
}
