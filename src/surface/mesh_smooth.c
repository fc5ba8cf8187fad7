#include "surface/mesh_parts.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

#define GRAIN 4096u

// Part of a piece's volume that may be missing after smoothing and is given back: a drop that collapsed is
// not blown up.
#define VOLUME_SHARE 0.5

// Vertices that move farther than noise does are shape: edges, strands, small drops. There the move is
// applied in part, from all of it at the first distance to nothing at the second, in spacings; the parts are
// evened out a little.
#define ALONG_SHARE 0.4f // of a move along the surface, which hardly changes it, that counts
#define MOVED_FULLY 0.15f
#define MOVED_NOT 0.35f
#define SHARE_STEPS 3u

// x, y, z and 0 in one SIMD register.
typedef float Place __attribute__((vector_size(16)));

static inline Vec3 to_vec3(Place place)
{
    return vec3_make(place[0], place[1], place[2]);
}

static inline Place to_place(Vec3 v)
{
    return (Place){v.x, v.y, v.z, 0};
}

typedef struct Smoothing {
    SurfaceMesh *mesh;
    float spacing;      // m
    uint32_t *begin;    // vertex_count + 1: where a vertex's rows start
    uint32_t *corner;   // rows of 3 * triangle + corner, where the vertex stands in triangles
    uint32_t *neighbor; // rows of neighbors: a closed mesh has one for every triangle of the vertex
    Place *position[2];
    float *sunk[2]; // m, along the normal; negative inward
} Smoothing;

static void make_rows(Smoothing *s)
{
    const uint32_t *flat = &s->mesh->triangle[0][0], corners = 3 * s->mesh->triangle_count;
    uint32_t n = s->mesh->vertex_count;
    memset(s->begin, 0, (n + (size_t)1) * sizeof *s->begin);
    for (uint32_t c = 0; c < corners; c++) s->begin[flat[c]]++;
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= n; v++) {
        sum += s->begin[v];
        s->begin[v] = sum;
    }
    for (uint32_t c = corners; c-- > 0;) s->corner[--s->begin[flat[c]]] = c;
}

static void find_neighbors(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    const uint32_t *flat = &s->mesh->triangle[0][0];
    for (uint32_t k = s->begin[begin]; k < s->begin[end]; k++) {
        uint32_t c = s->corner[k];
        s->neighbor[k] = flat[c % 3 == 2 ? c - 2 : c + 1];
    }
}

static void move_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    const Place *from = s->position[0];
    for (uint32_t v = begin; v < end; v++) {
        Place sum = from[v];
        for (uint32_t k = s->begin[v]; k < s->begin[v + 1]; k++) sum += from[s->neighbor[k]];
        s->position[1][v] = sum * (1.0f / (float)(s->begin[v + 1] - s->begin[v] + 1));
    }
}

static void even_out_sinking(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    const float *from = s->sunk[0];
    for (uint32_t v = begin; v < end; v++) {
        float sum = from[v];
        for (uint32_t k = s->begin[v]; k < s->begin[v + 1]; k++) sum += from[s->neighbor[k]];
        s->sunk[1][v] = sum / (float)(s->begin[v + 1] - s->begin[v] + 1);
    }
}

static void find_normals(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    const uint32_t *flat = &s->mesh->triangle[0][0];
    const Vec3 *at = s->mesh->vertex;
    for (uint32_t v = begin; v < end; v++) {
        Vec3 sum = vec3_make(0, 0, 0);
        for (uint32_t k = s->begin[v]; k < s->begin[v + 1]; k++) {
            uint32_t c = s->corner[k], first = c - c % 3;
            Vec3 a = at[flat[first]], b = at[flat[first + 1]], d = at[flat[first + 2]];
            sum = vec3_add(sum, vec3_cross(vec3_sub(b, a), vec3_sub(d, a)));
        }
        s->mesh->normal[v] = vec3_normalize_or(sum, s->mesh->normal[v]);
    }
}

static void measure_sinking(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    for (uint32_t v = begin; v < end; v++) {
        s->sunk[0][v] =
            vec3_dot(vec3_sub(to_vec3(s->position[0][v]), s->mesh->vertex[v]), s->mesh->normal[v]);
    }
}

static void give_back(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    for (uint32_t v = begin; v < end; v++) {
        Vec3 back = vec3_scale(s->mesh->normal[v], s->sunk[0][v]);
        s->position[0][v] -= to_place(back);
    }
}

static void choose_share(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    for (uint32_t v = begin; v < end; v++) {
        Vec3 move = vec3_sub(to_vec3(s->position[0][v]), s->mesh->vertex[v]);
        float across = fabsf(vec3_dot(move, s->mesh->normal[v])), along = ALONG_SHARE * vec3_length(move);
        float moved = (across > along ? across : along) / s->spacing;
        float t = (moved - MOVED_FULLY) / (MOVED_NOT - MOVED_FULLY);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        s->sunk[0][v] = 1 - t * t * (3 - 2 * t);
    }
}

static void apply_share(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Smoothing *s = context;
    for (uint32_t v = begin; v < end; v++) {
        Vec3 move = vec3_sub(to_vec3(s->position[0][v]), s->mesh->vertex[v]);
        s->mesh->vertex[v] = vec3_add(s->mesh->vertex[v], vec3_scale(move, s->sunk[0][v]));
    }
}

static void even_out(Smoothing *s, uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        parallel_for(s->mesh->vertex_count, GRAIN, even_out_sinking, s);
        float *sunk = s->sunk[1];
        s->sunk[1] = s->sunk[0];
        s->sunk[0] = sunk;
    }
}

static void run(Smoothing *s, uint32_t steps)
{
    uint32_t n = s->mesh->vertex_count;
    make_rows(s);
    parallel_for(n, GRAIN, find_neighbors, s);
    for (uint32_t v = 0; v < n; v++) s->position[0][v] = to_place(s->mesh->vertex[v]);
    // Normals of the mesh as it was: a drop that shrinks to a point has none later.
    parallel_for(n, GRAIN, find_normals, s);
    for (uint32_t step = 0; step < steps; step++) {
        parallel_for(n, GRAIN, move_vertices, s);
        Place *moved = s->position[1];
        s->position[1] = s->position[0];
        s->position[0] = moved;
    }
    parallel_for(n, GRAIN, measure_sinking, s);
    even_out(s, steps);
    parallel_for(n, GRAIN, give_back, s);
    parallel_for(n, GRAIN, choose_share, s);
    even_out(s, SHARE_STEPS);
    parallel_for(n, GRAIN, apply_share, s);
}

static void renew_normals(Smoothing *s)
{
    parallel_for(s->mesh->vertex_count, GRAIN, find_normals, s);
}

// before: sizes of the pieces before smoothing. missing_before: m^3 that the mesh lacked even then.
static Result keep_volumes(Smoothing *s, const MeshPieces *pieces, PieceSize *before, double missing_before)
{
    SurfaceMesh *mesh = s->mesh;
    PieceSize *now;
    double area = 0;
    TRY(mesh_measure_pieces(mesh, pieces, &now));
    for (uint32_t k = 0; k < pieces->count; k++) area += now[k].area;
    double everywhere = area > 0 ? missing_before / area : 0;
    for (uint32_t k = 0; k < pieces->count; k++) {
        double missing = before[k].volume - now[k].volume;
        double limit = VOLUME_SHARE * fabs(before[k].volume);
        missing = fmax(-limit, fmin(missing, limit));
        // From here on, how far to move.
        now[k].volume = everywhere + (now[k].area > 0 ? missing / now[k].area : 0);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        Vec3 move = vec3_scale(mesh->normal[v], (float)now[pieces->of[v]].volume);
        mesh->vertex[v] = vec3_add(mesh->vertex[v], move);
    }
    memory_free(now);
    return result_ok();
}

static Result smooth_and_keep(Smoothing *s, const MeshPieces *pieces, uint32_t steps, double missing)
{
    PieceSize *before;
    TRY(mesh_measure_pieces(s->mesh, pieces, &before));
    run(s, steps);
    renew_normals(s);
    Result result = keep_volumes(s, pieces, before, missing);
    renew_normals(s);
    memory_free(before);
    return result;
}

Result mesh_smooth(SurfaceMesh *mesh, const MeshPieces *pieces, float spacing, uint32_t steps, double missing)
{
    size_t n = mesh->vertex_count, rows = 3 * (size_t)mesh->triangle_count;
    if (n == 0) return result_ok();
    Result result = result_ok();
    Smoothing s = {.mesh = mesh, .spacing = spacing};
    s.begin = memory_allocate((n + 1) * sizeof(uint32_t));
    s.corner = memory_allocate(rows * sizeof(uint32_t));
    s.neighbor = memory_allocate(rows * sizeof(uint32_t));
    mesh->normal = memory_allocate(n * sizeof(Vec3));
    bool enough = s.begin && s.corner && s.neighbor && mesh->normal;
    for (size_t v = 0; mesh->normal && v < n; v++) mesh->normal[v] = vec3_make(0, 0, 1);
    for (int k = 0; k < 2; k++) {
        s.position[k] = memory_allocate(n * sizeof(Place));
        s.sunk[k] = memory_allocate(n * sizeof(float));
        enough &= s.position[k] && s.sunk[k];
    }
    if (enough) result = smooth_and_keep(&s, pieces, steps, missing);
    memory_free(s.begin);
    memory_free(s.corner);
    memory_free(s.neighbor);
    for (int k = 0; k < 2; k++) {
        memory_free(s.position[k]);
        memory_free(s.sunk[k]);
    }
    return enough ? result : result_no_memory("smoothing the surface", n * 56 + rows * 8);
}

Result mesh_check_normals(SurfaceMesh *mesh)
{
    Vec3 *around = memory_allocate_zeroed(mesh->vertex_count * sizeof *around);
    if (!around) return result_no_memory("the surface's normals", mesh->vertex_count * sizeof *around);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        Vec3 a = mesh->vertex[at[0]], b = mesh->vertex[at[1]], c = mesh->vertex[at[2]];
        Vec3 area = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        for (int k = 0; k < 3; k++) around[at[k]] = vec3_add(around[at[k]], area);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (vec3_dot(around[v], mesh->normal[v]) <= 0)
            mesh->normal[v] = vec3_normalize_or(around[v], mesh->normal[v]);
    }
    memory_free(around);
    return result_ok();
}
