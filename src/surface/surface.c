#include "surface/surface.h"

#include "core/clock.h"
#include "core/memory.h"
#include "surface/mesh_parts.h"
#include "surface/polygonize.h"
#include "surface/surface_params.h"

#define COOKIE 0x5f2face5u

// The field at a plane surface is half of that inside, whatever the kernel. Volumes are matched near this
// isovalue only: farther off, single kernels begin to show.
#define ISOVALUE_LOW 0.45f
#define ISOVALUE_HIGH 0.55f

// Part of the particles' volume that may be corrected on the finished mesh: more than the error of the grid's
// estimate, except in spray.
#define MISSING_SHARE 0.01

// A bubble is a speck up to this many times a drop's volume: particles cannot keep smaller hollows open, but
// where they are stretched the field may have some.
#define BUBBLE_SPECKS 8

SurfaceDef surface_def_default(float spacing)
{
    return (SurfaceDef){
        .spacing = spacing,
        .cell = 0.5f,
        .support = 2.25f,
        .anisotropic = true,
        .covariance_radius = 2.5f,
        .kernel_min = 0.6f,
        .kernel_lone = 0.45f,
        .center_smoothing = 0.4f,
        .isovalue = 0,
        .smoothing = 35,
        .speck_volume = 0.25f,
        .clip = true,
        .cookie = COOKIE,
    };
}

static Result check_def(const SurfaceDef *def)
{
    CHECK(def->cookie == COOKIE);
    if (!(def->spacing >= 1e-6f && def->spacing <= 1e6f))
        return result_error(RESULT_USAGE, "surface: a spacing of %g m is out of range (1e-6 to 1e6 m)",
                            (double)def->spacing);
    return param_check(SURFACE_ROWS, def);
}

static double elapsed(double *since)
{
    double now = clock_seconds(), ms = 1e3 * (now - *since);
    *since = now;
    return ms;
}

static Result make_mesh(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points,
                        Field *field, SurfaceMesh *out)
{
    double spacing = (double)def->spacing, clock = clock_seconds();
    Kernels kernels;
    Result result = kernels_make(def, bins, points, &kernels);
    out->stats.kernels_ms = elapsed(&clock);
    if (result_is_ok(&result)) result = field_make(def, bins, &kernels, field);
    kernels_free(&kernels);
    TRY(result);
    out->stats.blocks = field->stored;
    out->stats.isovalue = def->isovalue;
    out->stats.particle_volume = bins->count * spacing * spacing * spacing;
    if (def->isovalue == 0) {
        TRY(field_isovalue(field, out->stats.particle_volume, ISOVALUE_LOW, ISOVALUE_HIGH,
                           &out->stats.isovalue));
    }
    out->stats.field_ms = elapsed(&clock);
    TRY(polygonize(def, field, out->stats.isovalue, points, out));
    out->stats.mesh_ms = elapsed(&clock);
    return result_ok();
}

// Volume that the grid's estimate missed, m^3.
static double missing_volume(const SurfaceDef *def, const SurfaceMesh *mesh)
{
    if (def->isovalue != 0) return 0;
    double limit = MISSING_SHARE * mesh->stats.particle_volume;
    double missing = mesh->stats.particle_volume - surface_mesh_volume(mesh);
    return missing > limit ? limit : missing < -limit ? -limit : missing;
}

static Result finish_pieces(const SurfaceDef *def, MeshPieces *pieces, SurfaceMesh *mesh)
{
    double spacing = (double)def->spacing, speck = (double)def->speck_volume * spacing * spacing * spacing;
    double missing = missing_volume(def, mesh);
    if (speck > 0) TRY(mesh_drop_specks(mesh, pieces, speck, BUBBLE_SPECKS * speck));
    mesh->stats.pieces = pieces->count;
    if (def->smoothing == 0) return mesh_check_normals(mesh);
    return mesh_smooth(mesh, pieces, def->spacing, def->smoothing, missing);
}

static Result finish(const SurfaceDef *def, SurfaceMesh *mesh)
{
    MeshPieces pieces;
    TRY(mesh_find_pieces(mesh, &pieces));
    Result result = finish_pieces(def, &pieces, mesh);
    mesh_pieces_free(&pieces);
    return result;
}

static Result reconstruct(const SurfaceDef *def, const SurfacePoints *points, SurfaceMesh *out)
{
    double clock = clock_seconds();
    PointBins bins;
    Field field = {0};
    Result result = point_bins_make(def, points, &bins);
    out->stats.points_ms = elapsed(&clock);
    if (result_is_ok(&result)) result = make_mesh(def, &bins, points, &field, out);
    field_free(&field);
    point_bins_free(&bins);
    TRY(result);
    clock = clock_seconds();
    TRY(finish(def, out));
    out->stats.finish_ms = elapsed(&clock);
    return result_ok();
}

Result surface_reconstruct(const SurfaceDef *def, SurfacePoints points, SurfaceMesh *out)
{
    *out = (SurfaceMesh){0};
    TRY(check_def(def));
    if (points.count == 0) return result_ok();
    Result result = reconstruct(def, &points, out);
    if (!result_is_ok(&result)) surface_mesh_free(out);
    return result;
}

void surface_mesh_move(SurfaceMesh *mesh, Vec3 by)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) mesh->vertex[v] = vec3_add(mesh->vertex[v], by);
}

// Moves a coordinate onto the box; returns the normal's part along it.
static float clip(float *at, float lo, float hi, float reach)
{
    bool below = *at<lo && * at> lo - reach, above = *at > hi && *at < hi + reach;
    if (below) *at = lo;
    if (above) *at = hi;
    return below ? -1.0f : above ? 1.0f : 0.0f;
}

void surface_mesh_clip(SurfaceMesh *mesh, Box3 box, float reach)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        Vec3 *at = &mesh->vertex[v];
        Vec3 outward = {clip(&at->x, box.lo.x, box.hi.x, reach), clip(&at->y, box.lo.y, box.hi.y, reach),
                        clip(&at->z, box.lo.z, box.hi.z, reach)};
        mesh->normal[v] = vec3_normalize_or(outward, mesh->normal[v]);
    }
}

void surface_mesh_free(SurfaceMesh *mesh)
{
    memory_free(mesh->vertex);
    memory_free(mesh->normal);
    memory_free(mesh->velocity);
    memory_free(mesh->triangle);
    *mesh = (SurfaceMesh){0};
}

double surface_mesh_volume(const SurfaceMesh *mesh)
{
    double volume = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 origin = mesh->vertex[0]; // near the mesh, so that few digits cancel
        Vec3 a = vec3_sub(mesh->vertex[mesh->triangle[t][0]], origin);
        Vec3 b = vec3_sub(mesh->vertex[mesh->triangle[t][1]], origin);
        Vec3 c = vec3_sub(mesh->vertex[mesh->triangle[t][2]], origin);
        volume += (double)vec3_dot(a, vec3_cross(b, c)) / 6;
    }
    return volume;
}
