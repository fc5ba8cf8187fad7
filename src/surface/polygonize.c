#include "surface/polygonize.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/marching_cubes.h"

#include <string.h>

#define GRAIN 16u
#define NONE UINT32_MAX

// A vertex keeps this part of its edge away from the ends: where the field is the isovalue at a node, all
// vertices round it would fall together and their triangles would have no area.
#define END_DISTANCE 0.02f

#define CROSSING_STEPS 3 // Newton's; the third moves a vertex by less than a thousandth of an edge

// Where a block's vertices and triangles begin, and its place in `nodes`, NONE if it has no vertices.
typedef struct BlockMesh {
    uint32_t vertex, triangle, nodes;
} BlockMesh;

typedef struct Polygonizing {
    const SurfaceDef *def;
    const Field *field;
    const SurfacePoints *points;
    float isovalue;
    MarchingTable table;
    BlockMesh *blocks;
    // Per node of a block with vertices: which of its three edges have one (bits 0 to 2), and the first one's
    // number in the block (the bits above).
    uint16_t (*nodes)[BLOCK_VALUES];
    SurfaceMesh *mesh;
} Polygonizing;

#define CELL_VALUES (CELL_NODES * CELL_NODES * CELL_NODES)

static const uint32_t cell_step[3] = {1, CELL_NODES, CELL_NODES *CELL_NODES};

// Returns false if the block's cells are all inside or all outside.
static bool load_inside(const Polygonizing *p, uint32_t block, float values[CELL_VALUES],
                        uint8_t inside[CELL_VALUES])
{
    field_load(p->field, block, 0, CELL_NODES, values);
    uint32_t count = 0;
    for (uint32_t k = 0; k < CELL_VALUES; k++) {
        inside[k] = values[k] >= p->isovalue;
        count += inside[k];
    }
    return count != 0 && count != CELL_VALUES;
}

static uint32_t cell_node(uint32_t x, uint32_t y, uint32_t z)
{
    return x + CELL_NODES * (y + CELL_NODES * z);
}

static uint32_t edge_mask(const uint8_t *inside)
{
    uint32_t mask = 0;
    for (uint32_t axis = 0; axis < 3; axis++) mask |= (uint32_t)(inside[0] ^ inside[cell_step[axis]]) << axis;
    return mask;
}

static uint32_t cell_case(const uint8_t *inside)
{
    uint32_t bits = 0;
    for (uint32_t c = 0; c < 8; c++) {
        bits |= (uint32_t)inside[(c & 1) + (c >> 1 & 1) * cell_step[1] + (c >> 2) * cell_step[2]] << c;
    }
    return bits;
}

static void count_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    float values[CELL_VALUES];
    uint8_t inside[CELL_VALUES];
    for (uint32_t block = begin; block < end; block++) {
        BlockMesh *mesh = &p->blocks[block];
        *mesh = (BlockMesh){0};
        if (!load_inside(p, block, values, inside)) continue;
        for (uint32_t node = 0; node < BLOCK_VALUES; node++) {
            const uint8_t *at = inside + cell_node(node & 7, node >> 3 & 7, node >> 6);
            mesh->vertex += (uint32_t)__builtin_popcount(edge_mask(at));
            mesh->triangle += p->table.count[cell_case(at)];
        }
    }
}

// Counts become first numbers.
static Result number_blocks(Polygonizing *p)
{
    uint64_t vertices = 0, triangles = 0;
    uint32_t with_nodes = 0;
    for (uint32_t block = 0; block < p->field->count; block++) {
        BlockMesh here = p->blocks[block];
        p->blocks[block] =
            (BlockMesh){(uint32_t)vertices, (uint32_t)triangles, here.vertex ? with_nodes++ : NONE};
        vertices += here.vertex;
        triangles += here.triangle;
    }
    if (triangles > UINT32_MAX / 4) return result_no_memory("the surface's triangles", triangles * 12ull);
    SurfaceMesh *mesh = p->mesh;
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = (uint32_t)triangles;
    mesh->vertex = memory_allocate(vertices * sizeof(Vec3));
    mesh->normal = memory_allocate(vertices * sizeof(Vec3));
    mesh->triangle = memory_allocate(triangles * sizeof *mesh->triangle);
    if (p->points->vx) mesh->velocity = memory_allocate(vertices * sizeof(Vec3));
    p->nodes = memory_allocate(with_nodes * sizeof *p->nodes);
    if (!mesh->vertex || !mesh->normal || !mesh->triangle || !p->nodes ||
        (p->points->vx && !mesh->velocity)) {
        return result_no_memory("the surface's mesh", vertices * 36 + triangles * 12 + with_nodes * 1024ull);
    }
    return result_ok();
}

// The field falls outward, so the outward normal is against its gradient.
static Vec3 downhill(const float *at)
{
    const int y = HALO_NODES, z = HALO_NODES * HALO_NODES;
    return vec3_make(at[-1] - at[1], at[-y] - at[y], at[-z] - at[z]);
}

// Where between two nodes the field passes the isovalue, as a part of the edge. at: the first node; the field
// is taken as the cubic through the nodes -1, 0, 1 and 2 on the edge's line, because with a straight line
// through the two inner ones the surface would show the grid: kernels are only a few nodes wide.
static float find_crossing(const float *at, uint32_t step, float isovalue)
{
    float before = *(at - step), f = at[0], next = at[step], after = at[2 * step];
    float b = 0.5f * (before + next) - f;
    float a = (after - before) / 6 + 0.5f * (f - next);
    float c = next - f - a - b;
    float low = 0, high = 1, t = (isovalue - f) / (next - f);
    for (int k = 0; k < CROSSING_STEPS; k++) {
        float value = ((a * t + b) * t + c) * t + f - isovalue, slope = (3 * a * t + 2 * b) * t + c;
        if ((value < 0) == (f < isovalue))
            low = t;
        else
            high = t;
        float better = t - value / slope;
        t = better < high ? better > low ? better : low : high;
    }
    return t < END_DISTANCE ? END_DISTANCE : t > 1 - END_DISTANCE ? 1 - END_DISTANCE : t;
}

static void place_vertices(const Polygonizing *p, uint32_t block, const float *halo, const uint8_t *inside)
{
    const PointBins *bins = p->field->bins;
    const uint32_t halo_step[3] = {1, HALO_NODES, HALO_NODES * HALO_NODES};
    int64_t place[3];
    point_bins_place(bins, p->field->key[block], place);
    double corner[3];
    for (int axis = 0; axis < 3; axis++) corner[axis] = point_bins_corner(bins, place[axis], axis);
    uint32_t first = p->blocks[block].vertex, next = first;
    uint16_t *nodes = p->nodes[p->blocks[block].nodes];
    for (uint32_t node = 0; node < BLOCK_VALUES; node++) {
        uint32_t at[3] = {node & 7, node >> 3 & 7, node >> 6};
        uint32_t mask = edge_mask(inside + cell_node(at[0], at[1], at[2]));
        nodes[node] = (uint16_t)((next - first) << 3 | mask);
        const float *here = halo + (at[0] + 1) + HALO_NODES * ((at[1] + 1) + HALO_NODES * (at[2] + 1));
        for (uint32_t axis = 0; axis < 3; axis++) {
            if (!(mask >> axis & 1u)) continue;
            const float *there = here + halo_step[axis];
            float part = find_crossing(here, halo_step[axis], p->isovalue);
            double x[3];
            for (uint32_t a = 0; a < 3; a++) {
                x[a] = corner[a] + ((double)at[a] + (a == axis ? (double)part : 0)) * bins->cell;
            }
            p->mesh->vertex[next] = vec3_make((float)x[0], (float)x[1], (float)x[2]);
            Vec3 slope = vec3_add(vec3_scale(downhill(here), 1 - part), vec3_scale(downhill(there), part));
            p->mesh->normal[next++] = vec3_normalize_or(slope, vec3_make(0, 0, 1));
        }
    }
}

static void make_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    float halo[HALO_NODES * HALO_NODES * HALO_NODES];
    uint8_t inside[CELL_VALUES];
    for (uint32_t block = begin; block < end; block++) {
        if (p->blocks[block].nodes == NONE) continue;
        field_load(p->field, block, -1, HALO_NODES, halo);
        for (uint32_t k = 0; k < CELL_VALUES; k++) {
            uint32_t x = k % CELL_NODES + 1, y = k / CELL_NODES % CELL_NODES + 1,
                     z = k / CELL_NODES / CELL_NODES + 1;
            inside[k] = halo[x + HALO_NODES * (y + HALO_NODES * z)] >= p->isovalue;
        }
        place_vertices(p, block, halo, inside);
    }
}

static void make_triangles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    float values[CELL_VALUES];
    uint8_t inside[CELL_VALUES];
    for (uint32_t block = begin; block < end; block++) {
        if (!load_inside(p, block, values, inside)) continue;
        uint32_t owner[8]; // of nodes in this block and beyond its upper sides
        for (int k = 0; k < 8; k++) {
            uint64_t step = point_bins_offset(p->field->bins, k & 1, k >> 1 & 1, k >> 2);
            owner[k] = block_table_find(&p->field->table, p->field->key[block] + step);
        }
        uint32_t(*to)[3] = p->mesh->triangle + p->blocks[block].triangle;
        for (uint32_t cell = 0; cell < BLOCK_VALUES; cell++) {
            uint32_t x = cell & 7, y = cell >> 3 & 7, z = cell >> 6;
            uint32_t which = cell_case(inside + cell_node(x, y, z));
            for (uint32_t t = 0; t < p->table.count[which]; t++, to++) {
                for (int k = 0; k < 3; k++) {
                    uint32_t edge = p->table.edge[which][t][k], corner = marching_edge_corner(edge);
                    uint32_t nx = x + (corner & 1), ny = y + (corner >> 1 & 1), nz = z + (corner >> 2);
                    const BlockMesh *mesh = &p->blocks[owner[nx >> 3 | (ny >> 3) << 1 | (nz >> 3) << 2]];
                    uint32_t node = p->nodes[mesh->nodes][(nx & 7) + 8 * ((ny & 7) + 8 * (nz & 7))];
                    uint32_t before = (uint32_t)__builtin_popcount(node & 7u & ((1u << edge / 4) - 1));
                    (*to)[k] = mesh->vertex + (node >> 3) + before;
                }
            }
        }
    }
}

#define BUNCH 32u

// A few vertices that are near each other, as streams which the compiler turns into vectors, and sums over
// the particles near each.
typedef struct BunchVelocities {
    const Polygonizing *p;
    uint32_t count;
    Vec3 low, high; // the vertices' box, widened by the radius
    float radius;   // m
    float x[BUNCH], y[BUNCH], z[BUNCH], weight[BUNCH], sum[3][BUNCH];
} BunchVelocities;

static void add_particle(BunchVelocities *v, Vec3 at, Vec3 velocity)
{
    const float *restrict px = v->x, *restrict py = v->y, *restrict pz = v->z;
    float *restrict weight = v->weight, *restrict sx = v->sum[0], *restrict sy = v->sum[1],
                    *restrict sz = v->sum[2];
    float inverse = 1 / (v->radius * v->radius);
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
    const PointBins *bins = v->p->field->bins;
    const SurfacePoints *points = v->p->points;
    for (uint32_t i = bins->begin[bin]; i < bins->begin[bin + 1]; i++) {
        Vec3 at = vec3_make(bins->x[i], bins->y[i], bins->z[i]);
        if (at.x < v->low.x || at.y < v->low.y || at.z < v->low.z || at.x > v->high.x || at.y > v->high.y ||
            at.z > v->high.z)
            continue;
        uint32_t from = bins->source[i];
        add_particle(v, at, vec3_make(points->vx[from], points->vy[from], points->vz[from]));
    }
}

static void start_bunch(BunchVelocities *v, const Polygonizing *p, uint32_t first, uint32_t count)
{
    const Vec3 *vertex = p->mesh->vertex + first;
    *v = (BunchVelocities){.p = p, .count = count, .low = vertex[0], .high = vertex[0]};
    v->radius = p->def->support * p->def->spacing;
    for (uint32_t k = 0; k < count; k++) {
        v->low = vec3_min(v->low, vertex[k]);
        v->high = vec3_max(v->high, vertex[k]);
        v->x[k] = vertex[k].x, v->y[k] = vertex[k].y, v->z[k] = vertex[k].z;
    }
    Vec3 r = vec3_make(v->radius, v->radius, v->radius);
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
    const PointBins *bins = v->p->field->bins;
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

static void make_velocities(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    BunchVelocities v;
    for (uint32_t block = begin; block < end; block++) {
        if (p->blocks[block].nodes == NONE) continue;
        uint32_t last = block + 1 < p->field->count ? p->blocks[block + 1].vertex : p->mesh->vertex_count;
        for (uint32_t first = p->blocks[block].vertex; first < last; first += BUNCH) {
            start_bunch(&v, p, first, last - first < BUNCH ? last - first : BUNCH);
            add_bins_around(&v, p->field->key[block]);
            for (uint32_t k = 0; k < v.count; k++) {
                float inverse = v.weight[k] > 0 ? 1 / v.weight[k] : 0;
                p->mesh->velocity[first + k] =
                    vec3_scale(vec3_make(v.sum[0][k], v.sum[1][k], v.sum[2][k]), inverse);
            }
        }
    }
}

Result polygonize(const SurfaceDef *def, const Field *field, float isovalue, const SurfacePoints *points,
                  SurfaceMesh *out)
{
    size_t bytes = field->count * sizeof(BlockMesh);
    Polygonizing p = {.def = def, .field = field, .points = points, .isovalue = isovalue, .mesh = out};
    marching_table_make(&p.table);
    p.blocks = memory_allocate(bytes);
    Result result = p.blocks ? result_ok() : result_no_memory("the surface's blocks", bytes);
    if (result_is_ok(&result)) {
        parallel_for(field->count, GRAIN, count_blocks, &p);
        result = number_blocks(&p);
    }
    if (result_is_ok(&result)) {
        parallel_for(field->count, GRAIN, make_vertices, &p);
        parallel_for(field->count, GRAIN, make_triangles, &p);
        if (points->vx) parallel_for(field->count, GRAIN, make_velocities, &p);
    }
    memory_free(p.blocks);
    memory_free(p.nodes);
    return result;
}
