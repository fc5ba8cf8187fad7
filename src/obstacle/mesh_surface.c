#include "obstacle/mesh.h"

#include "core/memory.h"

#include <stdbool.h>
#include <string.h>

#define NONE UINT32_MAX

// An edge between vertices lo < hi: how often triangles run along it from lo to hi, less how often from hi to
// lo.
typedef struct Edge {
    uint32_t lo, hi;
    int32_t balance;
    uint32_t triangle; // the first that uses it; NONE in an empty slot
} Edge;

void mesh_free(TriangleMesh *mesh)
{
    memory_free(mesh->vertices);
    memory_free(mesh->triangles);
    *mesh = (TriangleMesh){0};
}

static size_t table_size(size_t entries)
{
    size_t size = 16;
    while (size < entries + entries / 2) size *= 2;
    return size;
}

static uint64_t mix_bits(uint64_t a, uint64_t b)
{
    uint64_t h =
        (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2))) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ (h >> 32);
}

static uint64_t vertex_hash(Vec3 v)
{
    uint32_t bits[3];
    memcpy(bits, &v, sizeof bits);
    return mix_bits(mix_bits(bits[0], bits[1]), bits[2]);
}

// first[k] becomes the number of the first vertex at the place of vertex k.
static Result find_twins(const TriangleMesh *mesh, uint32_t *first)
{
    size_t size = table_size(mesh->vertex_count);
    uint32_t *table = memory_allocate(size * sizeof *table);
    if (!table) return result_no_memory("a mesh", size * sizeof *table);
    for (size_t k = 0; k < size; k++) table[k] = NONE;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        size_t slot = vertex_hash(mesh->vertices[k]) & (size - 1);
        while (table[slot] != NONE && !vec3_equal(mesh->vertices[table[slot]], mesh->vertices[k]))
            slot = (slot + 1) & (size - 1);
        if (table[slot] == NONE) table[slot] = k;
        first[k] = table[slot];
    }
    memory_free(table);
    return result_ok();
}

// Renumbers the triangles to the first vertices and drops those whose corners coincide.
static void use_first_twins(TriangleMesh *mesh, const uint32_t *first, uint32_t *lines)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)k;
        uint32_t a = first[corner[0]], b = first[corner[1]], c = first[corner[2]];
        if (a == b || b == c || c == a) continue;
        uint32_t *to = mesh->triangles + 3 * (size_t)kept;
        to[0] = a, to[1] = b, to[2] = c;
        lines[kept++] = lines[k];
    }
    mesh->triangle_count = kept;
}

// Drops vertices that no triangle uses; number: scratch, one for each vertex.
static void drop_unused_vertices(TriangleMesh *mesh, uint32_t *number)
{
    memset(number, 0, mesh->vertex_count * sizeof *number);
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) number[mesh->triangles[k]] = 1;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) {
        if (!number[k]) continue;
        mesh->vertices[kept] = mesh->vertices[k];
        number[k] = kept++;
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        mesh->triangles[k] = number[mesh->triangles[k]];
    mesh->vertex_count = kept;
}

static Result join_vertices(TriangleMesh *mesh, uint32_t *lines)
{
    uint32_t *number = memory_allocate(mesh->vertex_count * sizeof *number);
    if (!number) return result_no_memory("a mesh", mesh->vertex_count * sizeof *number);
    Result result = find_twins(mesh, number);
    if (result_is_ok(&result)) {
        use_first_twins(mesh, number, lines);
        drop_unused_vertices(mesh, number);
    }
    memory_free(number);
    return result;
}

static void count_edge(Edge *table, size_t size, uint32_t from, uint32_t to, uint32_t triangle)
{
    uint32_t lo = from < to ? from : to, hi = from < to ? to : from;
    size_t slot = mix_bits(lo, hi) & (size - 1);
    while (table[slot].triangle != NONE && (table[slot].lo != lo || table[slot].hi != hi))
        slot = (slot + 1) & (size - 1);
    if (table[slot].triangle == NONE) table[slot] = (Edge){lo, hi, 0, triangle};
    table[slot].balance += from < to ? 1 : -1;
}

static Result check_closed(const TriangleMesh *mesh, const char *path, const uint32_t *lines)
{
    size_t size = table_size(3 * (size_t)mesh->triangle_count);
    Edge *table = memory_allocate(size * sizeof *table);
    if (!table) return result_no_memory("a mesh", size * sizeof *table);
    for (size_t k = 0; k < size; k++) table[k].triangle = NONE;
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)k;
        for (int side = 0; side < 3; side++) count_edge(table, size, corner[side], corner[(side + 1) % 3], k);
    }
    uint32_t open = NONE; // the first triangle at a hole
    for (size_t k = 0; k < size; k++) {
        if (table[k].triangle != NONE && table[k].balance != 0 && table[k].triangle < open)
            open = table[k].triangle;
    }
    memory_free(table);
    if (open == NONE) return result_ok();
    return result_error(
        RESULT_USAGE,
        "%s:%u: the mesh is not closed at this face (each of its edges must be shared with a face "
        "that runs along it in the opposite direction)",
        path, lines[open]);
}

static Box3 bounds_of(const TriangleMesh *mesh)
{
    Box3 box = {mesh->vertices[0], mesh->vertices[0]};
    for (uint32_t k = 1; k < mesh->vertex_count; k++) {
        box.lo = vec3_min(box.lo, mesh->vertices[k]);
        box.hi = vec3_max(box.hi, mesh->vertices[k]);
    }
    return box;
}

// Sum of the signed volumes of the tetrahedra between the triangles and the middle of the bounds.
double mesh_volume(const TriangleMesh *mesh)
{
    double middle[3] = {((double)mesh->bounds.lo.x + mesh->bounds.hi.x) / 2,
                        ((double)mesh->bounds.lo.y + mesh->bounds.hi.y) / 2,
                        ((double)mesh->bounds.lo.z + mesh->bounds.hi.z) / 2};
    double volume = 0;
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        double p[3][3];
        for (int c = 0; c < 3; c++) {
            Vec3 v = mesh->vertices[mesh->triangles[3 * (size_t)k + c]];
            p[c][0] = v.x - middle[0], p[c][1] = v.y - middle[1], p[c][2] = v.z - middle[2];
        }
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                  p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return volume / 6;
}

static void turn_inside_out(TriangleMesh *mesh)
{
    for (uint32_t k = 0; k < mesh->triangle_count; k++) {
        uint32_t *corner = mesh->triangles + 3 * (size_t)k;
        uint32_t swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
}

Result mesh_close_surface(TriangleMesh *mesh, const char *path, uint32_t *lines)
{
    if (mesh->triangle_count > 0) TRY(join_vertices(mesh, lines));
    if (mesh->triangle_count == 0)
        return result_error(RESULT_USAGE, "%s: the file holds no face with an area (a closed mesh is needed)",
                            path);
    TRY(check_closed(mesh, path, lines));
    mesh->bounds = bounds_of(mesh);
    Vec3 extent = vec3_sub(mesh->bounds.hi, mesh->bounds.lo);
    double size = fmax(extent.x, fmax(extent.y, extent.z)), volume = mesh_volume(mesh);
    // Rounding alone makes about 1e-7 of the cube.
    if (!(fabs(volume) > 1e-7 * size * size * size))
        return result_error(RESULT_USAGE, "%s: the mesh encloses no volume (a solid is needed)", path);
    if (volume < 0) turn_inside_out(mesh);
    return result_ok();
}

void mesh_scale(TriangleMesh *mesh, Vec3 factor)
{
    if (mesh->vertex_count == 0) return;
    for (uint32_t k = 0; k < mesh->vertex_count; k++) mesh->vertices[k] = vec3_mul(mesh->vertices[k], factor);
    mesh->bounds = bounds_of(mesh);
    if ((factor.x < 0) != ((factor.y < 0) != (factor.z < 0))) turn_inside_out(mesh);
}
