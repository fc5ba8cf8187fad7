// Chooses the variants of the hot loops, which loops_plain.c, loops_avx2.c and loops_avx512.c compile.
#include "surface/block_rows.h"
#include "surface/block_vertices.h"
#include "surface/field_sum.h"
#include "surface/near_points.h"
#include "surface/shape_loops.h"

#include <string.h>

FieldSum *field_sum(CpuLevel level)
{
    return CPU_VERSION(field_sum, level);
}

const ShapeLoops *shape_loops(CpuLevel level)
{
    return CPU_VERSION(&shape_loops, level);
}

BlockRowsMake *block_rows(CpuLevel level)
{
    return CPU_VERSION(block_rows, level);
}

BlockVertices *block_vertices(CpuLevel level)
{
    return CPU_VERSION(block_vertices, level);
}

NearPointsNext *near_points(CpuLevel level)
{
    return CPU_VERSION(near_points, level);
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
