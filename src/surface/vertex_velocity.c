#include "surface/vertex_velocity.h"

#define BUNCH 32u

// A few vertices that are near each other, as streams which the compiler turns into vectors, and sums over
// the particles near each.
typedef struct BunchVelocities {
    const VelocitySource *source;
    uint32_t count;
    Vec3 low, high; // the vertices' box, widened by the radius
    float x[BUNCH], y[BUNCH], z[BUNCH], weight[BUNCH], sum[3][BUNCH];
} BunchVelocities;

static void add_particle(BunchVelocities *v, Vec3 at, Vec3 velocity)
{
    const float *restrict px = v->x, *restrict py = v->y, *restrict pz = v->z;
    float *restrict weight = v->weight, *restrict sx = v->sum[0], *restrict sy = v->sum[1],
                    *restrict sz = v->sum[2];
    float inverse = 1 / (v->source->radius * v->source->radius);
    for (uint32_t k = 0; k < BUNCH; k++) { // also those that are not there: a fixed length is faster
        float x = px[k] - at.x, y = py[k] - at.y, z = pz[k] - at.z;
        float w = 1 - (x * x + y * y + z * z) * inverse;
        w = 0.5f * (w + fabsf(w)); // the larger of w and 0; a comparison would not become a vector
        w *= w;
        weight[k] += w;
        sx[k] += w * velocity.x;
        sy[k] += w * velocity.y;
        sz[k] += w * velocity.z;
    }
}

static void add_bin(BunchVelocities *v, uint32_t bin)
{
    const PointBins *bins = v->source->bins;
    const SurfacePoints *points = v->source->points;
    for (uint32_t i = bins->begin[bin]; i < bins->begin[bin + 1]; i++) {
        Vec3 at = vec3_make(bins->x[i], bins->y[i], bins->z[i]);
        if (at.x < v->low.x || at.y < v->low.y || at.z < v->low.z || at.x > v->high.x || at.y > v->high.y ||
            at.z > v->high.z)
            continue;
        uint32_t from = bins->source[i];
        add_particle(v, at, vec3_make(points->vx[from], points->vy[from], points->vz[from]));
    }
}

static void start_bunch(BunchVelocities *v, const VelocitySource *source, const Vec3 *vertex, uint32_t count)
{
    *v = (BunchVelocities){.source = source, .count = count, .low = vertex[0], .high = vertex[0]};
    for (uint32_t k = 0; k < count; k++) {
        v->low = vec3_min(v->low, vertex[k]);
        v->high = vec3_max(v->high, vertex[k]);
        v->x[k] = vertex[k].x, v->y[k] = vertex[k].y, v->z[k] = vertex[k].z;
    }
    Vec3 r = vec3_make(source->radius, source->radius, source->radius);
    v->low = vec3_sub(v->low, r);
    v->high = vec3_add(v->high, r);
}

// Does a block have a part in [low, high] along an axis?
static bool overlaps(const PointBins *bins, int64_t place, int axis, float low, float high)
{
    double corner = point_bins_corner(bins, place, axis);
    return corner <= (double)high && corner + bins->edge >= (double)low;
}

static void add_bins_around(BunchVelocities *v, uint64_t key)
{
    const PointBins *bins = v->source->bins;
    int64_t place[3], reach = bins->reach;
    point_bins_place(bins, key, place);
    for (int64_t z = -reach; z <= reach; z++) {
        if (!overlaps(bins, place[2] + z, 2, v->low.z, v->high.z)) continue;
        for (int64_t y = -reach; y <= reach; y++) {
            if (!overlaps(bins, place[1] + y, 1, v->low.y, v->high.y)) continue;
            for (int64_t x = -reach; x <= reach; x++) {
                if (!overlaps(bins, place[0] + x, 0, v->low.x, v->high.x)) continue;
                uint32_t bin = block_table_find(&bins->table, key + point_bins_offset(bins, x, y, z));
                if (bin != BLOCK_NONE) add_bin(v, bin);
            }
        }
    }
}

void vertex_velocities(const VelocitySource *source, uint64_t key, uint32_t first, uint32_t last,
                       SurfaceMesh *mesh)
{
    BunchVelocities v;
    for (; first < last; first += BUNCH) {
        start_bunch(&v, source, mesh->vertex + first, last - first < BUNCH ? last - first : BUNCH);
        add_bins_around(&v, key);
        for (uint32_t k = 0; k < v.count; k++) {
            float inverse = v.weight[k] > 0 ? 1 / v.weight[k] : 0;
            mesh->velocity[first + k] = vec3_scale(vec3_make(v.sum[0][k], v.sum[1][k], v.sum[2][k]), inverse);
        }
    }
}
