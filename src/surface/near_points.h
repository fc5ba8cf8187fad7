// The particles near a box, picked from the sub-cells around it many at a time.
#ifndef PBF_SURFACE_NEAR_POINTS_H
#define PBF_SURFACE_NEAR_POINTS_H

#include "core/cpu.h"
#include "surface/point_bins.h"

#define NEAR_POINTS_MAX 256u
#define NEAR_POINTS_ROOM (NEAR_POINTS_MAX + 16u) // SIMD writes past the end

// Some of the particles, in the order of the bins' rows.
typedef struct NearPoints {
    uint32_t count;
    uint32_t index[NEAR_POINTS_ROOM]; // in the bins
    float at[3][NEAR_POINTS_ROOM];    // grid cells from the first node of the block that was asked about
} NearPoints;

// What is looked for, and how far the search has come.
typedef struct NearQuery {
    const PointBins *bins;
    float low[3], high[3], radius;
    uint32_t row_count, row, next; // next: the first particle of the row that has not been looked at
    PointRow rows[POINT_ROWS_MAX];
} NearQuery;

// Starts a search: as point_bins_rows.
void near_query_start(NearQuery *query, const PointBins *bins, uint64_t key, const float low[3],
                      const float high[3], float radius);

// Finds the next particles that are at most `radius` from the box; returns false when there are no more.
typedef bool NearPointsNext(NearQuery *query, NearPoints *out);

extern NearPointsNext near_points_plain, near_points_avx2, near_points_avx512;

// The variant for a level; scalar gets the plain one.
NearPointsNext *near_points(CpuLevel level);

#endif
