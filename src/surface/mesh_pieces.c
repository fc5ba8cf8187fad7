#include "surface/mesh_parts.h"

#include "core/memory.h"
#include "core/parallel.h"

#define DROPPED UINT32_MAX

static uint32_t find_root(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex) {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    return vertex;
}

// Union-find: a piece's root is its first vertex, so the number of a piece depends on nothing else.
static void join_pieces(const SurfaceMesh *mesh, uint32_t *parent)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) parent[v] = v;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t root = find_root(parent, mesh->triangle[t][0]);
        for (int k = 1; k < 3; k++) {
            uint32_t other = find_root(parent, mesh->triangle[t][k]);
            uint32_t low = root < other ? root : other;
            parent[root] = parent[other] = low;
            root = low;
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) parent[v] = find_root(parent, v);
}

Result mesh_find_pieces(const SurfaceMesh *mesh, MeshPieces *out)
{
    uint32_t n = mesh->vertex_count;
    *out = (MeshPieces){.of = memory_allocate(n * sizeof(uint32_t))};
    if (!out->of) return result_no_memory("the surface's pieces", n * 4ull);
    join_pieces(mesh, out->of);
    for (uint32_t v = 0; v < n; v++) out->of[v] = out->of[v] == v ? out->count++ : out->of[out->of[v]];
    return result_ok();
}

void mesh_pieces_free(MeshPieces *pieces)
{
    memory_free(pieces->of);
    *pieces = (MeshPieces){0};
}

// Triangles are measured in this many parts, whatever the number of threads, if there are not too many
// pieces.
#define PARTS 16u
#define PIECES_MAX 8192u

typedef struct Measuring {
    const SurfaceMesh *mesh;
    const MeshPieces *pieces;
    uint32_t parts;
    PieceSize *size; // per part of every piece
} Measuring;

static void measure_parts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Measuring *m = context;
    const SurfaceMesh *mesh = m->mesh;
    for (uint32_t part = begin; part < end; part++) {
        PieceSize *sizes = m->size + (size_t)part * m->pieces->count;
        uint32_t last = (uint32_t)((uint64_t)mesh->triangle_count * (part + 1) / m->parts);
        for (uint32_t t = (uint32_t)((uint64_t)mesh->triangle_count * part / m->parts); t < last; t++) {
            const uint32_t *at = mesh->triangle[t];
            uint32_t piece = m->pieces->of[at[0]];
            // Tetrahedra with a vertex of the piece: far from the origin a common corner would lose digits.
            Vec3 corner = m->size[piece].corner, a = vec3_sub(mesh->vertex[at[0]], corner);
            Vec3 b = vec3_sub(mesh->vertex[at[1]], corner), c = vec3_sub(mesh->vertex[at[2]], corner);
            sizes[piece].volume += (double)vec3_dot(a, vec3_cross(b, c)) / 6;
            sizes[piece].area += (double)vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
        }
    }
}

Result mesh_measure_pieces(const SurfaceMesh *mesh, const MeshPieces *pieces, PieceSize **out)
{
    Measuring m = {mesh, pieces, pieces->count < PIECES_MAX ? PARTS : 1, NULL};
    size_t bytes = (size_t)m.parts * pieces->count * sizeof *m.size;
    *out = m.size = memory_allocate_zeroed(bytes);
    if (!m.size) return result_no_memory("the surface's pieces", bytes);
    for (uint32_t v = mesh->vertex_count; v-- > 0;) m.size[pieces->of[v]].corner = mesh->vertex[v];
    parallel_for(m.parts, 1, measure_parts, &m);
    for (size_t k = pieces->count; k < (size_t)m.parts * pieces->count; k++) {
        m.size[k % pieces->count].volume += m.size[k].volume;
        m.size[k % pieces->count].area += m.size[k].area;
    }
    return result_ok();
}

static void drop_triangles(SurfaceMesh *mesh, const uint32_t *number)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *from = mesh->triangle[t];
        if (number[from[0]] == DROPPED) continue;
        uint32_t *to = mesh->triangle[kept++];
        for (int k = 0; k < 3; k++) to[k] = number[from[k]];
    }
    mesh->triangle_count = kept;
}

// keep: the new number of each piece, or DROPPED. number: scratch, one for each vertex.
static void drop_pieces(SurfaceMesh *mesh, MeshPieces *pieces, const uint32_t *keep, uint32_t *number)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t piece = keep[pieces->of[v]];
        number[v] = piece == DROPPED ? DROPPED : kept;
        if (piece == DROPPED) continue;
        mesh->vertex[kept] = mesh->vertex[v];
        if (mesh->normal) mesh->normal[kept] = mesh->normal[v];
        if (mesh->velocity) mesh->velocity[kept] = mesh->velocity[v];
        pieces->of[kept++] = piece;
    }
    mesh->vertex_count = kept;
    drop_triangles(mesh, number);
}

Result mesh_drop_specks(SurfaceMesh *mesh, MeshPieces *pieces, double drop, double bubble)
{
    PieceSize *size;
    TRY(mesh_measure_pieces(mesh, pieces, &size));
    uint32_t *keep = memory_allocate(pieces->count * sizeof *keep), kept = 0;
    uint32_t *number = memory_allocate(mesh->vertex_count * sizeof *number);
    bool enough = keep && number;
    if (enough) {
        for (uint32_t k = 0; k < pieces->count; k++)
            keep[k] = size[k].volume < drop && size[k].volume > -bubble ? DROPPED : kept++;
        if (kept < pieces->count) drop_pieces(mesh, pieces, keep, number);
        pieces->count = kept;
    }
    memory_free(keep);
    memory_free(number);
    memory_free(size);
    return enough ? result_ok() : result_no_memory("the surface's pieces", mesh->vertex_count * 4ull);
}
