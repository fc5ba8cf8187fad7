#include "render/spray.h"

#include "core/memory.h"
#include "surface/mesh_parts.h"

#include <math.h>
#include <string.h>

// Pieces up to this many particles' volumes are one particle.
static const double ONE_PARTICLE = 1.5;
// Spacings: the largest distance between a piece's center and its particle.
static const float REACH = 0.9f;

#define NONE UINT32_MAX

// A sphere of `rings` rows of `around` vertices between two poles.
typedef struct Globe {
    uint32_t around, rings;
} Globe;

// The largest drop is finely tessellated, the others are a few pixels wide.
static const Globe globes[DROPS] = {{8, 3}, {7, 3}, {6, 2}, {6, 2}};

static uint32_t globe_vertices(Globe globe)
{
    return globe.around * globe.rings + 2;
}

static uint32_t globe_triangles(Globe globe)
{
    return 2 * globe.around * globe.rings;
}

static Vec3 globe_vertex(Globe globe, uint32_t k)
{
    const float pi = 3.14159265f;
    if (k == globe_vertices(globe) - 1) return vec3_make(0, 0, -1);
    if (k == 0) return vec3_make(0, 0, 1);
    uint32_t ring = (k - 1) / globe.around, at = (k - 1) % globe.around;
    float down = pi * (float)(ring + 1) / (float)(globe.rings + 1);
    float turn = 2 * pi * ((float)at + 0.5f * (float)(ring & 1)) / (float)globe.around;
    return vec3_make(sinf(down) * cosf(turn), sinf(down) * sinf(turn), cosf(down));
}

// Writes the triangles' corners, counted from `first`.
static void globe_faces(Globe globe, uint32_t first, uint32_t (*out)[3])
{
    uint32_t n = globe.around, last = globe_vertices(globe) - 1, t = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = (k + 1) % n, low = 1 + (globe.rings - 1) * n;
        memcpy(out[t++], (uint32_t[3]){first, first + 1 + k, first + 1 + next}, sizeof *out);
        memcpy(out[t++], (uint32_t[3]){first + last, first + low + next, first + low + k}, sizeof *out);
    }
    for (uint32_t ring = 0; ring + 1 < globe.rings; ring++) {
        // Odd rows are turned by half a step.
        uint32_t upper = first + 1 + ring * n, lower = upper + n, odd = ring & 1;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t next = (k + 1) % n, below = odd ? next : k, before = odd ? k : (k + n - 1) % n;
            memcpy(out[t++], (uint32_t[3]){upper + k, lower + before, lower + below}, sizeof *out);
            memcpy(out[t++], (uint32_t[3]){upper + k, lower + below, upper + next}, sizeof *out);
        }
    }
}

// Volume of the polyhedron with corners on the unit sphere.
static double globe_volume(Globe globe)
{
    uint32_t faces[64][3];
    double volume = 0;
    globe_faces(globe, 0, faces);
    for (uint32_t t = 0; t < globe_triangles(globe); t++) {
        Vec3 a = globe_vertex(globe, faces[t][0]), b = globe_vertex(globe, faces[t][1]);
        volume += (double)vec3_dot(a, vec3_cross(b, globe_vertex(globe, faces[t][2]))) / 6;
    }
    return volume;
}

// A piece that is one particle.
typedef struct Lone {
    Vec3 middle;
    double volume; // m^3
    uint32_t piece, particle;
    float off; // m, from the particle to the middle
} Lone;

typedef struct Lones {
    Lone *lone;
    uint32_t count;
    uint32_t *of_piece; // NONE for larger ones
} Lones;

static void lones_free(Lones *lones)
{
    memory_free(lones->lone);
    memory_free(lones->of_piece);
}

static void find_middles(const SurfaceMesh *mesh, const MeshPieces *pieces, const PieceSize *size,
                         Lones *lones, float spacing)
{
    // Sums of vertices; volume holds their count for now.
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t at = lones->of_piece[pieces->of[v]];
        if (at == NONE) continue;
        Lone *lone = &lones->lone[at];
        lone->middle = vec3_add(lone->middle, vec3_sub(mesh->vertex[v], size[lone->piece].corner));
        lone->volume += 1;
    }
    for (uint32_t k = 0; k < lones->count; k++) {
        Lone *lone = &lones->lone[k];
        lone->middle = vec3_add(vec3_scale(lone->middle, 1 / (float)lone->volume), size[lone->piece].corner);
        lone->volume = size[lone->piece].volume;
        lone->off = REACH * spacing;
    }
}

static Result find_lones(const SurfaceMesh *mesh, const MeshPieces *pieces, float spacing, Lones *lones)
{
    PieceSize *size;
    TRY(mesh_measure_pieces(mesh, pieces, &size));
    double most = ONE_PARTICLE * pow((double)spacing, 3);
    lones->of_piece = memory_allocate((size_t)pieces->count * sizeof(uint32_t));
    lones->lone = memory_allocate_zeroed((size_t)pieces->count * sizeof *lones->lone);
    bool enough = lones->of_piece && lones->lone;
    for (uint32_t k = 0; k < pieces->count && enough; k++) {
        bool small = size[k].volume > 0 && size[k].volume < most;
        lones->of_piece[k] = small ? lones->count : NONE;
        if (small) lones->lone[lones->count++] = (Lone){.piece = k, .particle = NONE};
    }
    if (enough) find_middles(mesh, pieces, size, lones, spacing);
    memory_free(size);
    return enough ? result_ok() : result_no_memory("the spray", pieces->count * (sizeof(Lone) + 4ull));
}

// Spatial hash of lone pieces: chains over cells of two reaches, each piece in all cells within its reach.
typedef struct Places {
    uint32_t *first;       // a link, or NONE
    uint32_t (*link)[2];   // lone, next link
    uint32_t slots, links; // slots is a power of two
    float cell;
} Places;

static uint32_t slot_of(const Places *places, int32_t x, int32_t y, int32_t z)
{
    uint32_t mixed = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (mixed ^ mixed >> 15) & (places->slots - 1);
}

static int32_t cell_of(const Places *places, float x)
{
    return (int32_t)floorf(x / places->cell);
}

static void add_place(Places *places, uint32_t lone, Vec3 at, float reach)
{
    int32_t x[2] = {cell_of(places, at.x - reach), cell_of(places, at.x + reach)};
    int32_t y[2] = {cell_of(places, at.y - reach), cell_of(places, at.y + reach)};
    int32_t z[2] = {cell_of(places, at.z - reach), cell_of(places, at.z + reach)};
    for (int k = 0; k < 8; k++) {
        int a = k & 1, b = k >> 1 & 1, c = k >> 2;
        bool again = (a && x[1] == x[0]) || (b && y[1] == y[0]) || (c && z[1] == z[0]);
        if (again) continue;
        uint32_t slot = slot_of(places, x[a], y[b], z[c]), link = places->links++;
        places->link[link][0] = lone;
        places->link[link][1] = places->first[slot];
        places->first[slot] = link;
    }
}

// For every lone piece the particle nearest to its middle.
static void match(const Places *places, const FrameView *view, Lones *lones)
{
    for (uint32_t i = 0; i < view->count; i++) {
        Vec3 at = vec3_make(view->x[i], view->y[i], view->z[i]);
        uint32_t slot = slot_of(places, cell_of(places, at.x), cell_of(places, at.y), cell_of(places, at.z));
        for (uint32_t link = places->first[slot]; link != NONE; link = places->link[link][1]) {
            Lone *lone = &lones->lone[places->link[link][0]];
            float off = vec3_length(vec3_sub(at, lone->middle));
            if (off >= lone->off) continue;
            lone->off = off;
            lone->particle = i;
        }
    }
}

static Result find_particles(const FrameView *view, Lones *lones)
{
    float reach = REACH * view->spacing;
    Places places = {.slots = 1024, .cell = 2.001f * reach};
    while (places.slots < 8 * lones->count) places.slots *= 2;
    places.first = memory_allocate(places.slots * sizeof(uint32_t));
    places.link = memory_allocate(8ull * lones->count * sizeof *places.link);
    bool enough = places.first && places.link;
    if (enough) {
        memset(places.first, 0xff, places.slots * sizeof(uint32_t));
        for (uint32_t k = 0; k < lones->count; k++) add_place(&places, k, lones->lone[k].middle, reach);
        match(&places, view, lones);
    }
    memory_free(places.first);
    memory_free(places.link);
    return enough ? result_ok() : result_no_memory("the spray", 8ull * lones->count * 8);
}

static void add_globe(SurfaceMesh *out, Globe globe, Drop drop, Vec3 velocity)
{
    uint32_t first = out->vertex_count;
    for (uint32_t k = 0; k < globe_vertices(globe); k++) {
        Vec3 outward = globe_vertex(globe, k);
        if (out->velocity) out->velocity[out->vertex_count] = velocity;
        out->normal[out->vertex_count] = outward;
        out->vertex[out->vertex_count++] = vec3_add(drop.middle, vec3_scale(outward, drop.radius));
    }
    globe_faces(globe, first, &out->triangle[out->triangle_count]);
    out->triangle_count += globe_triangles(globe);
}

static void add_drops(const Lone *lone, const FrameView *view, const double *unit_volume, SurfaceMesh *out)
{
    Drop drops[DROPS];
    drops_make(view, lone->particle, lone->middle, lone->volume, unit_volume, drops);
    uint32_t i = lone->particle;
    Vec3 velocity = out->velocity ? vec3_make(view->vx[i], view->vy[i], view->vz[i]) : vec3_make(0, 0, 0);
    for (uint32_t k = 0; k < DROPS; k++) add_globe(out, globes[k], drops[k], velocity);
}

// number: per vertex its new one.
static void copy_rest(const SurfaceMesh *mesh, const MeshPieces *pieces, const Lones *lones, uint32_t *number,
                      SurfaceMesh *out)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t at = lones->of_piece[pieces->of[v]];
        bool goes = at != NONE && lones->lone[at].particle != NONE;
        number[v] = goes ? NONE : out->vertex_count;
        if (goes) continue;
        if (out->velocity) out->velocity[out->vertex_count] = mesh->velocity[v];
        out->normal[out->vertex_count] = mesh->normal[v];
        out->vertex[out->vertex_count++] = mesh->vertex[v];
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *from = mesh->triangle[t];
        if (number[from[0]] == NONE) continue;
        uint32_t *to = out->triangle[out->triangle_count++];
        for (int k = 0; k < 3; k++) to[k] = number[from[k]];
    }
}

static Result build(const SurfaceMesh *mesh, const MeshPieces *pieces, const Lones *lones,
                    const FrameView *view, SurfaceMesh *out)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    double unit_volume[DROPS];
    for (int k = 0; k < DROPS; k++) {
        vertices += (size_t)lones->count * globe_vertices(globes[k]);
        triangles += (size_t)lones->count * globe_triangles(globes[k]);
        unit_volume[k] = globe_volume(globes[k]);
    }
    out->vertex = memory_allocate(vertices * sizeof(Vec3));
    out->normal = memory_allocate(vertices * sizeof(Vec3));
    out->triangle = memory_allocate(triangles * sizeof *out->triangle);
    if (mesh->velocity) out->velocity = memory_allocate(vertices * sizeof(Vec3));
    uint32_t *number = memory_allocate((size_t)mesh->vertex_count * sizeof(uint32_t));
    bool enough = out->vertex && out->normal && out->triangle && number && !out->velocity == !mesh->velocity;
    if (enough) {
        copy_rest(mesh, pieces, lones, number, out);
        for (uint32_t k = 0; k < lones->count; k++) {
            if (lones->lone[k].particle != NONE) add_drops(&lones->lone[k], view, unit_volume, out);
        }
    }
    memory_free(number);
    if (enough) return result_ok();
    surface_mesh_free(out);
    return result_no_memory("the spray", vertices * 24 + triangles * 12);
}

static Result make(const SurfaceMesh *mesh, const MeshPieces *pieces, const FrameView *view, Lones *lones,
                   SurfaceMesh *out)
{
    TRY(find_lones(mesh, pieces, view->spacing, lones));
    if (lones->count == 0) return result_ok();
    TRY(find_particles(view, lones));
    return build(mesh, pieces, lones, view, out);
}

Result spray_make(const SurfaceMesh *mesh, const FrameView *view, SurfaceMesh *out)
{
    *out = (SurfaceMesh){0};
    if (mesh->vertex_count == 0) return result_ok();
    MeshPieces pieces;
    Lones lones = {0};
    TRY(mesh_find_pieces(mesh, &pieces));
    Result result = make(mesh, &pieces, view, &lones, out);
    lones_free(&lones);
    mesh_pieces_free(&pieces);
    return result;
}

Result spray_replace(SurfaceMesh *mesh, const FrameView *view)
{
    SurfaceMesh spray;
    TRY(spray_make(mesh, view, &spray));
    if (spray.vertex_count == 0) return result_ok();
    surface_mesh_free(mesh);
    *mesh = spray;
    return result_ok();
}
