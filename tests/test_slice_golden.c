// Planes through particles and their isolines, number by number: tests/golden/slices.txt. `make golden`
// rewrites the file.
#include "golden_helpers.h"
#include "surface_helpers.h"

#include "core/hash.h"
#include "surface/isoline.h"
#include "surface/slice.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char HEAD[] =
    "# Planes through some particles (tests/test_slice_golden.c): particles within reach, size of the grid, "
    "range\n"
    "# of the field in water, hashes of the fraction that water fills, of the field and of samples between "
    "nodes;\n"
    "# the border's lines, their area and length in cells and a hash of them. The same on all instruction "
    "sets,\n"
    "# compilers and processors. `make golden` rewrites it on purpose.\n"
    "# plane field sector particles columns rows least most fraction field samples lines area length "
    "points\n";

// A wave with a cavity and spray, turning and shearing.
static TestCloud make_cloud(void)
{
    TestCloud cloud = test_cloud_make(4000);
    test_cloud_add_box(&cloud, vec3_make(-9, -5, -6), 18, 11, 9, 0.2);
    test_cloud_add_box(&cloud, vec3_make(-9, -5, 3), 7, 11, 5, 0.3);
    for (int k = 0; k < 40; k++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, 9 * at[0], 5 * at[1], 8 + 4 * at[2]);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cloud.count; i++) {
        float x = cloud.x[i], y = cloud.y[i], z = cloud.z[i];
        if (x * x + y * y + z * z < 6) continue;
        cloud.x[kept] = x, cloud.y[kept] = y, cloud.z[kept] = z;
        cloud.vx[kept] = 2 - 0.3f * z, cloud.vy[kept] = 0.1f * x * z, cloud.vz[kept] = 0.5f * x - 0.2f * y;
        kept++;
    }
    cloud.count = kept;
    cloud.vx[7] = cloud.vy[7] = cloud.vz[7] = 0; // one at rest
    return cloud;
}

static uint64_t hash_of_samples(const Slice *slice)
{
    uint64_t hash = HASH_START;
    for (int k = -2; k < 30; k++) {
        float column = 0.07f * (float)k * (float)slice->columns, row = 0.05f * (float)k * (float)slice->rows;
        const float found[] = {slice_sample(slice, slice->value, column, row),
                               slice_sample(slice, slice->fraction, row, column),
                               slice_place(slice, column, row).x, slice_place(slice, column, row).y,
                               slice_place(slice, column, row).z};
        hash = hash_bytes(hash, found, sizeof found);
    }
    return hash;
}

static void measure(FILE *out, const TestCloud *cloud, int plane, SliceField field, float sector)
{
    static const Vec3 normals[] = {{0, 0, -2}, {0, 1, 0}, {1, 2, -0.5f}};
    SliceDef def = slice_def_default(1);
    def.point = vec3_make(0.3f, -0.2f, 0.6f);
    def.normal = normals[plane];
    def.field = field;
    def.sector = sector;
    if (plane == 2) def.cell = 0.8f, def.support = 2;
    Slice slice;
    Isolines lines;
    Result result = slice_make(&def, (SurfacePoints[]){test_cloud_points(cloud, true)}, &slice);
    if (result_is_ok(&result)) {
        const float *defined = field == SLICE_DENSITY ? NULL : slice.fraction;
        float level = field == SLICE_DENSITY ? 0.5f : 0.5f * (slice.least + slice.most);
        result = isolines_find(slice.value, defined, slice.columns, slice.rows, level, &lines);
    }
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    size_t bytes = (size_t)slice.columns * slice.rows * sizeof(float);
    fprintf(out,
            "%d %-10s %3.0f %5" PRIu32 " %3" PRIu32 " %3" PRIu32 " %9.6g %9.6g %016" PRIx64 " %016" PRIx64
            " %016" PRIx64 " %3" PRIu32 " %8.6g %8.6g %016" PRIx64 "\n",
            plane, slice_field_name((uint32_t)field, NULL), (double)sector, slice.particles, slice.columns,
            slice.rows, (double)slice.least, (double)slice.most,
            hash_bytes(HASH_START, slice.fraction, bytes), hash_bytes(HASH_START, slice.value, bytes),
            hash_of_samples(&slice), lines.count, isolines_area(&lines), isolines_length(&lines),
            hash_bytes(hash_bytes(HASH_START, lines.point, lines.point_count * sizeof *lines.point),
                       lines.first, (lines.count + 1) * sizeof *lines.first));
    isolines_free(&lines);
    slice_free(&slice);
}

static void measure_all(FILE *out)
{
    TestCloud cloud = make_cloud();
    for (int plane = 0; plane < 3; plane++) {
        for (int field = 0; field < SLICE_FIELDS; field++) measure(out, &cloud, plane, (SliceField)field, 0);
        measure(out, &cloud, plane, SLICE_VORTICITY, 120);
    }
    test_cloud_free(&cloud);
}

int main(int argc, char **argv)
{
    return golden_main(argc, argv, "tests/golden/slices.txt", HEAD, measure_all);
}
