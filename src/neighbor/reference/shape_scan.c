// The adaptive disk sector as it was published: no structure, every point tested. O(points) a query, and the
// fastest way to ask a single question about points that have just moved.
#include "neighbor/reference/shape_reference.h"

uint32_t shape_scan(PointView points, const ShapeQuery *query, uint32_t *out)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < points.count; k++) {
        if (shape_inside(query, points.x[k], points.y[k], points.z[k])) out[found++] = k;
    }
    return found;
}

uint32_t shape_scan_lanes(PointView points, uint32_t dimensions, const ShapeQuery *query, uint32_t *out)
{
    const ShapePoints all = {{points.x, points.y, points.z, NULL}, dimensions == 2};
    const PlaceRange range = {0, points.count};
    return shape_kernel()->filter(query, &all, &range, 1, out);
}

uint32_t shape_scan_published(const ShapePlace *points, uint32_t count, const ShapeQuery *query,
                              uint32_t *out)
{
    float c = query->cosine, s = query->sine, l = query->reach;
    float v1x = l * (query->axis.x * c - query->axis.y * s),
          v1y = l * (query->axis.y * c + query->axis.x * s);
    float v2x = l * (query->axis.x * c + query->axis.y * s),
          v2y = l * (query->axis.y * c - query->axis.x * s);
    float inverse = 1.0f / (v1x * v2y - v1y * v2x);
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) {
        float dx = points[k].x - query->at.x, dy = points[k].y - query->at.y;
        if (dx * dx + dy * dy > query->reach_squared) continue;
        float alpha = (dx * v2y - dy * v2x) * inverse, beta = (v1x * dy - v1y * dx) * inverse;
        if (alpha >= 0.0f && beta >= 0.0f) out[found++] = k;
    }
    return found;
}
