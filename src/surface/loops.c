// Chooses the variants of the hot loops, which loops_plain.c, loops_avx2.c and loops_avx512.c compile.
#include "surface/block_rows.h"
#include "surface/block_vertices.h"
#include "surface/field_sum.h"
#include "surface/near_points.h"
#include "surface/shape_loops.h"

#include <string.h>

FieldSum *field_sum(CpuLevel level)
{
    if (level == CPU_AVX512) return field_sum_avx512;
    return level == CPU_AVX2 ? field_sum_avx2 : field_sum_plain;
}

const ShapeLoops *shape_loops(CpuLevel level)
{
    if (level == CPU_AVX512) return &shape_loops_avx512;
    return level == CPU_AVX2 ? &shape_loops_avx2 : &shape_loops_plain;
}

BlockRowsMake *block_rows(CpuLevel level)
{
    if (level == CPU_AVX512) return block_rows_avx512;
    return level == CPU_AVX2 ? block_rows_avx2 : block_rows_plain;
}

BlockVertices *block_vertices(CpuLevel level)
{
    if (level == CPU_AVX512) return block_vertices_avx512;
    return level == CPU_AVX2 ? block_vertices_avx2 : block_vertices_plain;
}

NearPointsNext *near_points(CpuLevel level)
{
    if (level == CPU_AVX512) return near_points_avx512;
    return level == CPU_AVX2 ? near_points_avx2 : near_points_plain;
}

void near_query_start(NearQuery *query, const PointBins *bins, uint64_t key, const float low[3],
                      const float high[3], float radius)
{
    query->bins = bins;
    query->radius = radius;
    memcpy(query->low, low, sizeof query->low);
    memcpy(query->high, high, sizeof query->high);
    query->row_count = point_bins_rows(bins, key, low, high, radius, query->rows);
    query->row = query->next = 0;
}
