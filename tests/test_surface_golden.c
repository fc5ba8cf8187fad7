// What surfaces are made of, number by number and bit for bit: tests/golden/surfaces.txt. `make golden`
// rewrites the file.
#include "golden_helpers.h"
#include "surface_helpers.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char HEAD[] =
    "# Surfaces of some particles with some settings (tests/test_surface_golden.c): blocks of the grid, "
    "pieces,\n"
    "# isovalue, vertices, triangles and a hash of the mesh; the spacing that is estimated. The same on all\n"
    "# instruction sets, compilers and processors. `make golden` rewrites it on purpose.\n"
    "# cloud setting blocks pieces  isovalue vertices triangles             mesh\n";

enum { POOL, SHEET, STRAND, SPRAY, CLOUDS };
static const char *const CLOUD_NAMES[CLOUDS] = {"pool", "sheet", "strand", "spray"};

// Moved by up to these distances. One draw after another: arguments are evaluated in any order.
static void add_near(TestCloud *cloud, uint64_t *random, const double at[3], const double away[3])
{
    double place[3];
    for (int axis = 0; axis < 3; axis++) place[axis] = at[axis] + away[axis] * test_cloud_random(random);
    test_cloud_add(cloud, place[0], place[1], place[2]);
}

// With a bubble, and drops above it.
static void add_pool(TestCloud *cloud, uint64_t *random)
{
    for (int k = 0; k < 20 * 16 * 16; k++) {
        double at[3] = {k % 20, k / 20 % 16, k / (20 * 16)};
        if (fabs(at[0] - 4) + fabs(at[1] - 4) + fabs(at[2] - 4) < 4) continue;
        add_near(cloud, random, at, (double[]){0.2, 0.2, 0.2});
    }
    for (int k = 0; k < 60; k++) add_near(cloud, random, (double[]){10, 8, 20}, (double[]){10, 8, 4});
}

static TestCloud make_cloud(int which)
{
    TestCloud cloud = test_cloud_make(6000);
    uint64_t random = 3;
    if (which == POOL) {
        add_pool(&cloud, &random);
    } else if (which == SHEET) {
        for (int k = 0; k < 400; k++)
            test_cloud_add(&cloud, 0.9 * (k % 20), 0.9 * (k / 20) - 9, 0.02 * (k / 20) * (k / 20));
    } else if (which == STRAND) {
        for (int k = 0; k < 80; k++)
            test_cloud_add(&cloud, 0.4 * k, 8 + 0.01 * (k - 40) * (k - 40), -26 + 0.1 * k);
    } else {
        for (int k = 0; k < 120; k++) add_near(&cloud, &random, (double[3]){0}, (double[]){400, 30, 4});
    }
    for (uint32_t i = 0; i < cloud.count; i++)
        cloud.vx[i] = 2 * cloud.z[i], cloud.vy[i] = 1, cloud.vz[i] = -cloud.x[i];
    return cloud;
}

#define SETTINGS 11

static SurfaceDef make_def(int setting)
{
    SurfaceDef def = surface_def_default(1);
    if (setting == 1) def.smoothing = 0, def.speck_volume = 0;
    if (setting == 2) def.anisotropic = false;
    if (setting == 3) def.cell = 0.25f;
    if (setting == 4) def.cell = 1.5f;
    if (setting == 5) def.center_smoothing = 0.95f, def.isovalue = 0.3f;
    if (setting == 6) def.center_smoothing = 0, def.support = 1, def.kernel_min = 1, def.isovalue = 0.9f;
    if (setting == 8) def.smoothing = 0;
    if (setting == 9) def.shutter = 0.01f;
    if (setting == 10) def.shutter = 0.1f, def.kernel_lone = 0.9f, def.cell = 0.3f;
    if (setting == 7) def.covariance_radius = 4, def.speck_volume = 20, def.smoothing = 3;
    return def;
}

static void measure(FILE *out, int which, const TestCloud *cloud, int setting)
{
    SurfaceDef def = make_def(setting);
    SurfaceMesh mesh;
    Result result = surface_reconstruct(&def, test_cloud_points(cloud, setting != 2), &mesh);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    fprintf(out, "%-7s %7d %6" PRIu32 " %6" PRIu32 " %9.6f %8" PRIu32 " %9" PRIu32 " %016" PRIx64 "\n",
            CLOUD_NAMES[which], setting, mesh.stats.blocks, mesh.stats.pieces, (double)mesh.stats.isovalue,
            mesh.vertex_count, mesh.triangle_count, test_mesh_hash(&mesh));
    surface_mesh_free(&mesh);
}

static void measure_all(FILE *out)
{
    for (int which = 0; which < CLOUDS; which++) {
        TestCloud cloud = make_cloud(which);
        for (int setting = 0; setting < SETTINGS; setting++) measure(out, which, &cloud, setting);
        SurfacePoints points = test_cloud_points(&cloud, false);
        bool certain;
        double spacing = (double)surface_estimate_spacing(&points, &certain);
        fprintf(out, "%-7s spacing %.5f %s\n", CLOUD_NAMES[which], spacing, certain ? "certain" : "a guess");
        test_cloud_free(&cloud);
    }
}

int main(int argc, char **argv)
{
    return golden_main(argc, argv, "tests/golden/surfaces.txt", HEAD, measure_all);
}
