#include "surface/vertex_velocity.h"

#include "surface/near_points.h"

#define BUNCH 32u

// A few vertices that are near each other, as a structure of arrays for SIMD, and sums over the particles
// near each. In grid cells from their block's first node.
typedef struct BunchVelocities {
    uint32_t count;
    float radius;
    float low[3], high[3]; // the vertices' box
    float at[3][BUNCH], weight[BUNCH], sum[3][BUNCH];
} BunchVelocities;

static void add_particle(BunchVelocities *v, const float at[3], Vec3 velocity)
{
    const float *restrict px = v->at[0], *restrict py = v->at[1], *restrict pz = v->at[2];
    float *restrict weight = v->weight, *restrict sx = v->sum[0], *restrict sy = v->sum[1],
                    *restrict sz = v->sum[2];
    float inverse = 1 / (v->radius * v->radius);
    for (uint32_t k = 0; k < BUNCH; k++) { // also missing ones: a fixed length is faster
        float x = px[k] - at[0], y = py[k] - at[1], z = pz[k] - at[2];
        float w = 1 - (x * x + y * y + z * z) * inverse;
        w = 0.5f * (w + fabsf(w)); // the larger of w and 0; a comparison would not become a vector
        w *= w;
        weight[k] += w;
        sx[k] += w * velocity.x;
        sy[k] += w * velocity.y;
        sz[k] += w * velocity.z;
    }
}

static void start_bunch(BunchVelocities *v, const PointBins *bins, uint64_t key, const Vec3 *vertex,
                        uint32_t count, float radius)
{
    int64_t place[3];
    double corner[3];
    *v = (BunchVelocities){.count = count, .radius = radius};
    point_bins_place(bins, key, place);
    for (int axis = 0; axis < 3; axis++) {
        corner[axis] = point_bins_corner(bins, place[axis], axis);
        v->low[axis] = INFINITY, v->high[axis] = -INFINITY;
    }
    for (uint32_t k = 0; k < count; k++) {
        const float meters[3] = {vertex[k].x, vertex[k].y, vertex[k].z};
        for (int axis = 0; axis < 3; axis++) {
            float at = v->at[axis][k] = (float)((meters[axis] - corner[axis]) / bins->cell);
            v->low[axis] = at < v->low[axis] ? at : v->low[axis];
            v->high[axis] = at > v->high[axis] ? at : v->high[axis];
        }
    }
}

void vertex_velocities(const VelocitySource *source, uint64_t key, uint32_t first, uint32_t last,
                       SurfaceMesh *mesh)
{
    BunchVelocities v;
    const SurfacePoints *points = source->points;
    NearPointsNext *next = near_points(cpu_level());
    NearQuery query;
    NearPoints near;
    for (; first < last; first += BUNCH) {
        uint32_t count = last - first < BUNCH ? last - first : BUNCH;
        start_bunch(&v, source->bins, key, mesh->vertex + first, count, source->radius);
        near_query_start(&query, source->bins, key, v.low, v.high, v.radius);
        while (next(&query, &near)) {
            for (uint32_t k = 0; k < near.count; k++) {
                const float at[3] = {near.at[0][k], near.at[1][k], near.at[2][k]};
                uint32_t from = source->bins->source[near.index[k]];
                add_particle(&v, at, vec3_make(points->vx[from], points->vy[from], points->vz[from]));
            }
        }
        for (uint32_t k = 0; k < count; k++) {
            float inverse = v.weight[k] > 0 ? 1 / v.weight[k] : 0;
            mesh->velocity[first + k] = vec3_scale(vec3_make(v.sum[0][k], v.sum[1][k], v.sum[2][k]), inverse);
        }
    }
}
