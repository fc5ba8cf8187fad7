// Points for the benchmarks of shape queries: random, uniform or clustered, in a square or cube of edge 1.
#ifndef PBF_TOOLS_BENCH_SHAPE_POINTS_H
#define PBF_TOOLS_BENCH_SHAPE_POINTS_H

#include "benching.h"
#include "core/memory.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <stdbool.h>

#define BLOBS 40u

typedef struct ShapeCloud {
    float *at[3];
    uint32_t count, dimensions;
} ShapeCloud;

static inline double random_unit(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (double)(*random >> 11) * 0x1p-53;
}

static inline double random_normal(uint64_t *random)
{
    double a = 1.0 - random_unit(random);
    return sqrt(-2.0 * log(a)) * cos(2.0 * M_PI * random_unit(random));
}

static inline void *bench_allocate(size_t bytes)
{
    void *block = memory_allocate_zeroed(bytes);
    if (!block) stop_on_error(result_no_memory("the benchmark", bytes));
    return block;
}

static inline float clamp_unit(double value)
{
    return (float)(value < 0.0 ? 0.0 : value > 0.9999 ? 0.9999 : value);
}

// Clustered: half of the points lie in blobs that are 2 % (3D: 4 %) of the edge wide.
static inline ShapeCloud cloud_make(uint32_t count, uint32_t dimensions, bool clustered, uint64_t seed)
{
    ShapeCloud cloud = {.count = count, .dimensions = dimensions};
    double center[BLOBS][3], width = dimensions == 2 ? 0.02 : 0.04;
    for (uint32_t b = 0; b < BLOBS; b++)
        for (int axis = 0; axis < 3; axis++) center[b][axis] = 0.1 + 0.8 * random_unit(&seed);
    for (int axis = 0; axis < 3; axis++) cloud.at[axis] = bench_allocate(count * sizeof(float));
    for (uint32_t k = 0; k < count; k++) {
        const double *blob = center[k / 2 % BLOBS];
        for (uint32_t axis = 0; axis < dimensions; axis++)
            cloud.at[axis][k] = clamp_unit(clustered && k % 2 ? blob[axis] + width * random_normal(&seed)
                                                              : random_unit(&seed));
    }
    return cloud;
}

static inline PointView cloud_view(const ShapeCloud *cloud)
{
    return (PointView){cloud->at[0], cloud->at[1], cloud->at[2], cloud->count};
}

static inline void cloud_free(ShapeCloud *cloud)
{
    for (int axis = 0; axis < 3; axis++) memory_free(cloud->at[axis]);
}

// Radius of a disk or ball that holds `found` of uniform points in the mean.
static inline float cloud_radius(const ShapeCloud *cloud, double found)
{
    double share = found / cloud->count;
    return (float)(cloud->dimensions == 2 ? sqrt(share / M_PI) : cbrt(share * 3.0 / (4.0 * M_PI)));
}

// A CSV file below a folder.
static inline FILE *bench_csv(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) stop_on_error(result_error(RESULT_FAILED, "%s: cannot be written", path));
    return file;
}

#endif
