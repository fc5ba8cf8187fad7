#include "core/memory.h"
#include "core/parallel.h"
#include "obstacle/bvh.h"
#include "obstacle/mesh.h"

#include <string.h>

#define LEAF_TRIANGLES 4
#define ROW_GRAIN 16
#define NODES_MAX ((uint64_t)1 << 31)

typedef struct Triangle {
    Vec3 a, b, c;
    Vec3 normal; // unit; zero where the triangle is too thin to have one
} Triangle;

typedef struct GridBuild {
    const TriangleMesh *mesh;
    DistanceGrid grid;
    Triangle *triangles; // in the order of the tree's leaves
    BvhNode *nodes;
    Box3 *boxes;
    uint32_t *order;
    uint8_t *votes; // of the three axes for "inside", per node
} GridBuild;

static Triangle make_triangle(const TriangleMesh *mesh, uint32_t index)
{
    const uint32_t *corner = mesh->triangles + 3 * (size_t)index;
    Triangle t = {mesh->vertices[corner[0]], mesh->vertices[corner[1]], mesh->vertices[corner[2]], {0, 0, 0}};
    // In double: the normal of a sliver is a difference of nearly equal products.
    double u[3] = {(double)t.b.x - t.a.x, (double)t.b.y - t.a.y, (double)t.b.z - t.a.z};
    double v[3] = {(double)t.c.x - t.a.x, (double)t.c.y - t.a.y, (double)t.c.z - t.a.z};
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (area > 1e-12 * (uu + vv))
        t.normal = vec3_make((float)(n[0] / area), (float)(n[1] / area), (float)(n[2] / area));
    return t;
}

static float segment_distance_squared(Vec3 a, Vec3 b, Vec3 p)
{
    Vec3 along = vec3_sub(b, a), to = vec3_sub(p, a);
    float length = vec3_dot(along, along);
    float t = length > 0 ? fminf(fmaxf(vec3_dot(to, along) / length, 0), 1) : 0;
    Vec3 away = vec3_sub(to, vec3_scale(along, t));
    return vec3_dot(away, away);
}

// Is p, seen along the normal, on the inner side of the edge from a to b?
static bool within_edge(const Triangle *t, Vec3 a, Vec3 b, Vec3 p)
{
    return vec3_dot(t->normal, vec3_cross(vec3_sub(b, a), vec3_sub(p, a))) > 0;
}

static float triangle_distance_squared(const Triangle *t, Vec3 p)
{
    bool ab = within_edge(t, t->a, t->b, p), bc = within_edge(t, t->b, t->c, p),
         ca = within_edge(t, t->c, t->a, p);
    if (ab && bc && ca) {
        float height = vec3_dot(t->normal, vec3_sub(p, t->a));
        return height * height;
    }
    float nearest = INFINITY;
    if (!ab) nearest = segment_distance_squared(t->a, t->b, p);
    if (!bc) nearest = fminf(nearest, segment_distance_squared(t->b, t->c, p));
    if (!ca) nearest = fminf(nearest, segment_distance_squared(t->c, t->a, p));
    return nearest;
}

// Squared distance to the nearest triangle. *nearest is a guess and becomes the answer: the better the guess,
// the fewer branches of the tree are looked at.
static float nearest_squared(const GridBuild *build, Vec3 p, uint32_t *nearest)
{
    float limit = triangle_distance_squared(&build->triangles[*nearest], p);
    struct {
        uint32_t node;
        float away;
    } stack[BVH_STACK];
    uint32_t depth = 0;
    stack[depth].node = 0;
    stack[depth++].away = 0;
    while (depth > 0) {
        depth--;
        if (stack[depth].away >= limit) continue;
        const BvhNode *node = &build->nodes[stack[depth].node];
        if (node->count > 0) {
            for (uint32_t k = node->first; k < node->first + node->count; k++) {
                float distance = triangle_distance_squared(&build->triangles[k], p);
                if (distance >= limit) continue;
                limit = distance;
                *nearest = k;
            }
            continue;
        }
        float left = box3_distance_squared(build->nodes[node->first].box, p);
        float right = box3_distance_squared(build->nodes[node->first + 1].box, p);
        uint32_t near = left <= right ? 0 : 1;
        stack[depth].node = node->first + 1 - near;
        stack[depth++].away = fmaxf(left, right);
        stack[depth].node = node->first + near;
        stack[depth++].away = fminf(left, right);
    }
    return limit;
}

// Distances of rows of nodes along x; the triangle nearest to a node is usually nearest to the next.
static void measure_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    GridBuild *build = context;
    const DistanceGrid *grid = &build->grid;
    uint32_t row_nearest = 0; // of the row's first node
    for (uint32_t row = begin; row < end; row++) {
        Vec3 p = vec3_make(grid->origin.x, grid->origin.y + (float)(row % grid->ny) * grid->cell,
                           grid->origin.z + (float)(row / grid->ny) * grid->cell);
        size_t first = (size_t)row * grid->nx;
        uint32_t nearest = row_nearest;
        for (uint32_t i = 0; i < grid->nx; i++) {
            p.x = grid->origin.x + (float)i * grid->cell;
            float distance = sqrtf(nearest_squared(build, p, &nearest));
            if (i == 0) row_nearest = nearest;
            grid->distance[first + i] = build->votes[first + i] >= 2 ? -distance : distance;
        }
    }
}

// The projection of a mesh along one axis onto rays through the nodes. The rays are moved off the nodes by a
// hundred-thousandth of a cell, so that none runs along an edge that lies on the lattice.
typedef struct RayGrid {
    int axis, u, v;         // cyclic: normals along +axis run counter-clockwise in (u, v)
    double origin[3], cell; // of the rays
    uint32_t n[3];
    size_t stride[3];
} RayGrid;

static const double ray_offset[3] = {1.2360680e-5, 0.9142136e-5, 1.1803399e-5};

static RayGrid ray_grid(const DistanceGrid *grid, int axis)
{
    RayGrid rays = {.axis = axis,
                    .u = (axis + 1) % 3,
                    .v = (axis + 2) % 3,
                    .cell = grid->cell,
                    .n = {grid->nx, grid->ny, grid->nz},
                    .stride = {1, grid->nx, (size_t)grid->nx * grid->ny}};
    const float origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    for (int k = 0; k < 3; k++) rays.origin[k] = origin[k] + ray_offset[k] * grid->cell;
    return rays;
}

typedef struct RayTriangle {
    const uint32_t *corner; // vertex numbers
    double p[3][3];
} RayTriangle;

// Twice the signed area of (a, b, ray); neighbors that share an edge get the same number with opposite signs,
// because it is computed from the lower vertex number to the higher: no ray slips between them.
static double edge_side(const RayTriangle *t, int from, int to, const RayGrid *rays, double u, double v)
{
    bool forward = t->corner[from] < t->corner[to];
    const double *a = t->p[forward ? from : to], *b = t->p[forward ? to : from];
    double side = (b[rays->u] - a[rays->u]) * (v - a[rays->v]) - (b[rays->v] - a[rays->v]) * (u - a[rays->u]);
    if (side == 0) side = 1e-300;
    return forward ? side : -side;
}

// Adds to the node behind the crossing of a ray with a triangle: 1 where the ray enters, -1 where it leaves.
static void cross_ray(float *winding, const RayGrid *rays, const RayTriangle *t, uint32_t iu, uint32_t iv)
{
    double u = rays->origin[rays->u] + iu * rays->cell, v = rays->origin[rays->v] + iv * rays->cell;
    double c = edge_side(t, 0, 1, rays, u, v), a = edge_side(t, 1, 2, rays, u, v);
    double b = edge_side(t, 2, 0, rays, u, v);
    if ((a > 0) != (b > 0) || (b > 0) != (c > 0)) return;
    double x = (a * t->p[0][rays->axis] + b * t->p[1][rays->axis] + c * t->p[2][rays->axis]) / (a + b + c);
    double behind = floor((x - rays->origin[rays->axis]) / rays->cell) + 1;
    if (!(behind < rays->n[rays->axis])) return;
    size_t node = behind > 0 ? (size_t)behind : 0;
    winding[node * rays->stride[rays->axis] + iu * rays->stride[rays->u] + iv * rays->stride[rays->v]] +=
        a > 0 ? -1 : 1;
}

// The first and one past the last ray on axis k that meets [lo, hi].
static void ray_range(const RayGrid *rays, int k, double lo, double hi, uint32_t *begin, uint32_t *end)
{
    double first = fmax(floor((lo - rays->origin[k]) / rays->cell), 0);
    double last = fmin(ceil((hi - rays->origin[k]) / rays->cell), rays->n[k] - 1.0);
    *begin = (uint32_t)first;
    *end = last >= first ? (uint32_t)last + 1 : *begin;
}

static void cross_triangle(float *winding, const RayGrid *rays, const TriangleMesh *mesh, uint32_t triangle)
{
    RayTriangle t = {.corner = mesh->triangles + 3 * (size_t)triangle};
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        Vec3 vertex = mesh->vertices[t.corner[k]];
        t.p[k][0] = vertex.x, t.p[k][1] = vertex.y, t.p[k][2] = vertex.z;
    }
    for (int k = 0; k < 3; k++) {
        lo[k] = fmin(t.p[0][k], fmin(t.p[1][k], t.p[2][k]));
        hi[k] = fmax(t.p[0][k], fmax(t.p[1][k], t.p[2][k]));
    }
    uint32_t u_begin, u_end, v_begin, v_end;
    ray_range(rays, rays->u, lo[rays->u], hi[rays->u], &u_begin, &u_end);
    ray_range(rays, rays->v, lo[rays->v], hi[rays->v], &v_begin, &v_end);
    for (uint32_t iv = v_begin; iv < v_end; iv++) {
        for (uint32_t iu = u_begin; iu < u_end; iu++) cross_ray(winding, rays, &t, iu, iv);
    }
}

// A node is inside where the surface winds around it (Jacobson, Kavan and Sorkine-Hornung 2013, "Robust
// inside-outside segmentation using generalized winding numbers"; for a closed mesh the number is whole and
// can be counted along any ray). Each axis has a vote, so that a ray lost to rounding does not decide alone.
// The pseudonormal of the nearest triangle would need a surface without self-intersections.
static void vote_inside(GridBuild *build)
{
    DistanceGrid *grid = &build->grid;
    float *winding = grid->distance; // not in use yet
    size_t count = (size_t)grid->nx * grid->ny * grid->nz;
    memset(build->votes, 0, count);
    for (int axis = 0; axis < 3; axis++) {
        RayGrid rays = ray_grid(grid, axis);
        memset(winding, 0, count * sizeof *winding);
        for (uint32_t k = 0; k < build->mesh->triangle_count; k++)
            cross_triangle(winding, &rays, build->mesh, k);
        size_t stride = rays.stride[axis], node = 0;
        for (uint32_t z = 0; z < grid->nz; z++) {
            for (uint32_t y = 0; y < grid->ny; y++) {
                for (uint32_t x = 0; x < grid->nx; x++, node++) {
                    if ((axis == 0 ? x : axis == 1 ? y : z) > 0) winding[node] += winding[node - stride];
                    if (winding[node] != 0) build->votes[node]++;
                }
            }
        }
    }
}

static uint32_t nodes_along(double extent, double cell)
{
    double nodes = ceil(extent / cell) + 1;
    return nodes < 2 ? 2 : nodes > (double)NODES_MAX ? (uint32_t)NODES_MAX : (uint32_t)nodes;
}

// Lays the grid around the bounds; the cell grows until the nodes are few enough.
static void lay_grid(DistanceGrid *grid, Box3 bounds, double cell, double margin, uint64_t max_nodes)
{
    double x = (double)bounds.hi.x - bounds.lo.x + 2 * margin,
           y = (double)bounds.hi.y - bounds.lo.y + 2 * margin,
           z = (double)bounds.hi.z - bounds.lo.z + 2 * margin;
    for (;;) {
        grid->nx = nodes_along(x, cell), grid->ny = nodes_along(y, cell), grid->nz = nodes_along(z, cell);
        double nodes = (double)grid->nx * grid->ny * grid->nz;
        if (nodes <= (double)max_nodes) break;
        cell *= fmax(1.01, cbrt(nodes / (double)max_nodes));
    }
    grid->cell = (float)cell;
    // The overhang of the last cells is split between both sides.
    grid->origin = vec3_make((float)(((double)bounds.lo.x + bounds.hi.x - (grid->nx - 1) * cell) / 2),
                             (float)(((double)bounds.lo.y + bounds.hi.y - (grid->ny - 1) * cell) / 2),
                             (float)(((double)bounds.lo.z + bounds.hi.z - (grid->nz - 1) * cell) / 2));
}

static void build_tree(GridBuild *build)
{
    const TriangleMesh *mesh = build->mesh;
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        Triangle t = make_triangle(mesh, k);
        build->boxes[k] = (Box3){vec3_min(t.a, vec3_min(t.b, t.c)), vec3_max(t.a, vec3_max(t.b, t.c))};
    }
    bvh_build(build->boxes, mesh->triangle_count, LEAF_TRIANGLES, build->nodes, build->order);
    for (uint32_t k = 0; k < mesh->triangle_count; k++)
        build->triangles[k] = make_triangle(mesh, build->order[k]);
}

static void release_scratch(GridBuild *build)
{
    memory_free(build->triangles);
    memory_free(build->nodes);
    memory_free(build->boxes);
    memory_free(build->order);
    memory_free(build->votes);
}

Result distance_grid_build(const TriangleMesh *mesh, float cell, float margin, uint64_t max_nodes,
                           DistanceGrid *out)
{
    CHECK(mesh->triangle_count > 0 && cell > 0 && margin >= 0 && max_nodes >= 64);
    *out = (DistanceGrid){0};
    GridBuild build = {.mesh = mesh};
    lay_grid(&build.grid, mesh->bounds, cell, margin, max_nodes < NODES_MAX ? max_nodes : NODES_MAX);
    size_t count = (size_t)build.grid.nx * build.grid.ny * build.grid.nz, triangles = mesh->triangle_count;
    build.grid.distance = memory_allocate(count * sizeof(float));
    build.votes = memory_allocate(count);
    build.triangles = memory_allocate(triangles * sizeof(Triangle));
    build.boxes = memory_allocate(triangles * sizeof(Box3));
    build.nodes = memory_allocate(2 * triangles * sizeof(BvhNode));
    build.order = memory_allocate(triangles * sizeof(uint32_t));
    if (!build.grid.distance || !build.votes || !build.triangles || !build.boxes || !build.nodes ||
        !build.order) {
        release_scratch(&build);
        distance_grid_free(&build.grid);
        size_t per_triangle = sizeof(Triangle) + sizeof(Box3) + 2 * sizeof(BvhNode) + sizeof(uint32_t);
        return result_no_memory("the distance grid of a mesh", count * 5 + triangles * per_triangle);
    }
    build_tree(&build);
    vote_inside(&build);
    parallel_for(build.grid.ny * build.grid.nz, ROW_GRAIN, measure_rows, &build);
    release_scratch(&build);
    *out = build.grid;
    return result_ok();
}
