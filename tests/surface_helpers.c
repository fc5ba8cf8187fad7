#include "surface_helpers.h"

#include "core/hash.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct HalfEdge {
    uint32_t from, to, triangle;
} HalfEdge;

static int compare_edges(const void *a, const void *b)
{
    const HalfEdge *left = a, *right = b;
    if (left->from != right->from) return left->from < right->from ? -1 : 1;
    if (left->to != right->to) return left->to < right->to ? -1 : 1;
    return 0;
}

static const HalfEdge *find_edge(const HalfEdge *edges, size_t count, uint32_t from, uint32_t to)
{
    HalfEdge key = {from, to, 0};
    return bsearch(&key, edges, count, sizeof key, compare_edges);
}

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static Vec3 area_vector(const SurfaceMesh *mesh, const uint32_t t[3])
{
    Vec3 a = mesh->vertex[t[0]], b = mesh->vertex[t[1]], c = mesh->vertex[t[2]];
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

// Walks round a vertex from one of its triangles; the fan must hold all of them.
static uint32_t fan_size(const SurfaceMesh *mesh, const HalfEdge *edges, size_t count, const HalfEdge *start)
{
    const HalfEdge *edge = start;
    uint32_t size = 0;
    do {
        const uint32_t *t = mesh->triangle[edge->triangle];
        uint32_t third = t[0] ^ t[1] ^ t[2] ^ edge->from ^ edge->to;
        edge = find_edge(edges, count, start->from, third);
        size++;
    } while (edge && edge != start && size < 1000);
    return size;
}

static void judge_edges(const SurfaceMesh *mesh, HalfEdge *edges, MeshVerdict *verdict)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t k = 0; k < count; k++) {
        bool twice = k > 0 && compare_edges(&edges[k - 1], &edges[k]) == 0;
        verdict->open_edges += twice || !find_edge(edges, count, edges[k].to, edges[k].from);
    }
    for (size_t k = 0; k < count && verdict->open_edges == 0;) {
        size_t end = k;
        while (end < count && edges[end].from == edges[k].from) end++;
        verdict->pinched += fan_size(mesh, edges, count, &edges[k]) != end - k;
        k = end;
    }
}

static void judge_components(const SurfaceMesh *mesh, uint32_t *parent, double *volume, MeshVerdict *verdict)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) parent[v] = v;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        for (int k = 1; k < 3; k++) parent[find_root(parent, at[0])] = find_root(parent, at[k]);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t root = find_root(parent, mesh->triangle[t][0]);
        Vec3 a = vec3_sub(mesh->vertex[mesh->triangle[t][0]], mesh->vertex[root]);
        double part = (double)vec3_dot(a, area_vector(mesh, mesh->triangle[t])) / 6;
        volume[root] += part;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (find_root(parent, v) != v) continue;
        verdict->components++;
        verdict->hollow += volume[v] < 0;
        verdict->volume += volume[v];
    }
}

MeshVerdict mesh_judge(const SurfaceMesh *mesh)
{
    MeshVerdict verdict = {0};
    size_t n = mesh->vertex_count + (size_t)1;
    HalfEdge *edges = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *edges);
    Vec3 *around = calloc(n, sizeof *around);
    uint32_t *parent = malloc(n * sizeof *parent);
    double *volume = calloc(n, sizeof *volume);
    assert_true(edges && around && parent && volume);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        Vec3 area = area_vector(mesh, at);
        verdict.degenerate += at[0] == at[1] || at[1] == at[2] || at[2] == at[0] || !(vec3_length(area) > 0);
        verdict.area += (double)vec3_length(area) / 2;
        for (int k = 0; k < 3; k++) {
            assert_true(at[k] < mesh->vertex_count);
            edges[3 * (size_t)t + (size_t)k] = (HalfEdge){at[k], at[(k + 1) % 3], t};
            around[at[k]] = vec3_add(around[at[k]], area);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        verdict.unused += vec3_length(around[v]) == 0;
        verdict.inward += !(vec3_dot(around[v], mesh->normal[v]) > 0);
        verdict.not_unit += !(fabsf(vec3_length(mesh->normal[v]) - 1) < 1e-4f);
    }
    judge_edges(mesh, edges, &verdict);
    judge_components(mesh, parent, volume, &verdict);
    verdict.euler =
        (int64_t)mesh->vertex_count - 3 * (int64_t)mesh->triangle_count / 2 + mesh->triangle_count;
    free(edges);
    free(around);
    free(parent);
    free(volume);
    return verdict;
}

void mesh_assert_sound(const SurfaceMesh *mesh)
{
    MeshVerdict verdict = mesh_judge(mesh);
    assert_int_equal(verdict.open_edges, 0);
    assert_int_equal(verdict.degenerate, 0);
    assert_int_equal(verdict.pinched, 0);
    assert_int_equal(verdict.unused, 0);
    assert_int_equal(verdict.inward, 0);
    assert_int_equal(verdict.not_unit, 0);
}

// Solid angles by Van Oosterom and Strackee 1983, eq. 8.
double mesh_winding(const SurfaceMesh *mesh, Vec3 point)
{
    double sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double r[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            Vec3 d = vec3_sub(mesh->vertex[mesh->triangle[t][k]], point);
            r[k][0] = (double)d.x, r[k][1] = (double)d.y, r[k][2] = (double)d.z;
            length[k] = sqrt(r[k][0] * r[k][0] + r[k][1] * r[k][1] + r[k][2] * r[k][2]);
        }
        double dot[3] = {0}, volume = 0;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            for (int k = 0; k < 3; k++) dot[k] += r[(k + 1) % 3][a] * r[(k + 2) % 3][a];
            volume += r[0][a] * (r[1][b] * r[2][c] - r[1][c] * r[2][b]);
        }
        double below =
            length[0] * length[1] * length[2] + dot[0] * length[0] + dot[1] * length[1] + dot[2] * length[2];
        sum += 2 * atan2(volume, below);
    }
    return sum / (4 * 3.14159265358979);
}

uint64_t test_mesh_hash(const SurfaceMesh *mesh)
{
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, mesh->vertex, mesh->vertex_count * sizeof *mesh->vertex);
    hash = hash_bytes(hash, mesh->normal, mesh->vertex_count * sizeof *mesh->normal);
    if (mesh->velocity) hash = hash_bytes(hash, mesh->velocity, mesh->vertex_count * sizeof *mesh->velocity);
    return hash_bytes(hash, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
}

TestCloud test_cloud_make(uint32_t capacity)
{
    TestCloud cloud = {.capacity = capacity, .random = 1};
    float **streams[6] = {&cloud.x, &cloud.y, &cloud.z, &cloud.vx, &cloud.vy, &cloud.vz};
    for (int k = 0; k < 6; k++) {
        *streams[k] = memory_allocate_zeroed(capacity * sizeof(float));
        assert_non_null(*streams[k]);
    }
    return cloud;
}

void test_cloud_add(TestCloud *cloud, double x, double y, double z)
{
    assert_true(cloud->count < cloud->capacity);
    cloud->x[cloud->count] = (float)x;
    cloud->y[cloud->count] = (float)y;
    cloud->z[cloud->count++] = (float)z;
}

void test_cloud_free(TestCloud *cloud)
{
    float *streams[6] = {cloud->x, cloud->y, cloud->z, cloud->vx, cloud->vy, cloud->vz};
    for (int k = 0; k < 6; k++) memory_free(streams[k]);
}

SurfacePoints test_cloud_points(const TestCloud *cloud, bool with_velocity)
{
    SurfacePoints points = {.x = cloud->x, .y = cloud->y, .z = cloud->z, .count = cloud->count};
    if (with_velocity) points.vx = cloud->vx, points.vy = cloud->vy, points.vz = cloud->vz;
    return points;
}

double test_cloud_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

void test_cloud_add_box(TestCloud *cloud, Vec3 low, uint32_t nx, uint32_t ny, uint32_t nz, double jitter)
{
    for (uint32_t k = 0; k < nx * ny * nz; k++) {
        double at[3] = {k % nx + 0.5, k / nx % ny + 0.5, k / nx / ny + 0.5};
        for (int axis = 0; axis < 3; axis++) at[axis] += jitter * test_cloud_random(&cloud->random);
        test_cloud_add(cloud, (double)low.x + at[0], (double)low.y + at[1], (double)low.z + at[2]);
    }
}
