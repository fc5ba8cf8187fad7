#include "surface/polygonize.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/block_rows.h"
#include "surface/block_vertices.h"
#include "surface/marching_cubes.h"
#include "surface/vertex_velocity.h"

#include <string.h>

#define GRAIN 16u
#define NONE UINT32_MAX

// A block whose cells the surface crosses. Vertices are numbered line by line along x; in a line those on
// edges along x come first, then those along y, then those along z.
typedef struct ActiveBlock {
    uint32_t block;
    uint32_t vertex, triangle; // counts, then the numbers of its first ones
    uint32_t upper[8];         // itself and the blocks beyond its upper sides, x fastest
    BlockRows rows;
    uint16_t first[64]; // per line its first vertex, counted from the block's
} ActiveBlock;

// The nodes of a block, before its neighbors are looked at.
enum { STATE_OUT, STATE_IN, STATE_MIXED };

typedef struct Polygonizing {
    Field *field;
    float isovalue;
    bool with_normals; // from the field
    BlockRowsMake *make_rows;
    BlockVertices *make_vertices;
    VelocitySource velocity;
    MarchingTable table;
    uint8_t before[256][16];         // of each mask: set bits below each of eight; [8]: all
    float constant[2][BLOCK_VALUES]; // values of a block outside, inside
    uint8_t *state;                  // per block
    uint8_t *passed;                 // per block: the surface may cross its cells
    uint32_t *active_of;             // per block: place in `active`, or NONE
    uint32_t (*next)[3];             // per block: those beside it in +x, +y and +z, as field_neighbor says
    uint32_t (*last)[3];             // and in -x, -y and -z, NONE unless these are listed
    ActiveBlock *active;
    uint32_t active_count;
    SurfaceMesh *mesh;
} Polygonizing;

static void make_tables(Polygonizing *p)
{
    marching_table_make(&p->table);
    for (uint32_t mask = 0; mask < 256; mask++) {
        p->before[mask][0] = 0;
        for (uint32_t bit = 0; bit < 15; bit++)
            p->before[mask][bit + 1] = (uint8_t)(p->before[mask][bit] + (mask >> bit & 1u));
    }
    for (uint32_t k = 0; k < BLOCK_VALUES; k++) p->constant[0][k] = 0, p->constant[1][k] = 1;
}

// --- which blocks ---

static void find_states(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    const Field *field = p->field;
    for (uint32_t block = begin; block < end; block++) {
        if (block >= field->stored) {
            p->state[block] = field_constant(field, block) >= p->isovalue ? STATE_IN : STATE_OUT;
            continue;
        }
        const float *range = field->range[block];
        p->state[block] = range[1] < p->isovalue    ? STATE_OUT
                          : range[0] >= p->isovalue ? STATE_IN
                                                    : STATE_MIXED;
    }
}

static void find_next(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    for (uint32_t block = begin; block < end; block++) {
        for (int axis = 0; axis < 3; axis++) {
            uint32_t there = field_neighbor(p->field, block, axis == 0, axis == 1, axis == 2);
            p->next[block][axis] = there;
            if (there < p->field->count) p->last[there][axis] = block;
        }
    }
}

// One of BLOCKS_AROUND a block: step by step through listed blocks, which is faster than the table.
static uint32_t find_neighbor(const Polygonizing *p, uint32_t block, uint32_t around)
{
    const uint32_t count = p->field->count;
    const int step[3] = {(int)(around % 3) - 1, (int)(around / 3 % 3) - 1, (int)(around / 9) - 1};
    uint32_t at = block;
    for (int axis = 0; axis < 3 && at < count; axis++) {
        if (step[axis] != 0) at = step[axis] > 0 ? p->next[at][axis] : p->last[at][axis];
    }
    return at < count ? at : field_neighbor(p->field, block, step[0], step[1], step[2]);
}

static uint8_t state_of(const Polygonizing *p, uint32_t block)
{
    return block == BLOCK_NONE ? STATE_OUT : block == FIELD_DEEP ? STATE_IN : p->state[block];
}

static void find_passed(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    for (uint32_t block = begin; block < end; block++) {
        p->passed[block] = p->state[block] == STATE_MIXED;
        for (uint32_t k = 1; k < 8 && !p->passed[block]; k++) {
            uint32_t around = BLOCK_ITSELF + (k & 1) + 3 * (k >> 1 & 1) + 9 * (k >> 2);
            p->passed[block] = state_of(p, find_neighbor(p, block, around)) != p->state[block];
        }
    }
}

static const float *values_of(const Polygonizing *p, uint32_t block)
{
    return block < p->field->stored ? p->field->values + (size_t)block * BLOCK_VALUES
                                    : p->constant[state_of(p, block)];
}

// --- counting ---

static uint32_t bit_count(const Polygonizing *p, uint32_t mask)
{
    return p->before[mask][8];
}

static void count_block(const Polygonizing *p, ActiveBlock *active)
{
    for (uint32_t line = 0; line < 64; line++) {
        uint32_t y = line & 7, z = line >> 3, mask[3];
        active->first[line] = (uint16_t)active->vertex;
        block_rows_edges(&active->rows, y, z, mask);
        if (mask[0] | mask[1] | mask[2])
            active->vertex += bit_count(p, mask[0]) + bit_count(p, mask[1]) + bit_count(p, mask[2]);
        for (uint32_t cells = block_rows_cells(&active->rows, y, z); cells; cells &= cells - 1) {
            uint32_t x = (uint32_t)__builtin_ctz(cells);
            active->triangle += p->table.count[block_rows_case(&active->rows, x, y, z)];
        }
    }
}

static void count_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    const float *around[BLOCKS_AROUND] = {NULL};
    for (uint32_t k = begin; k < end; k++) {
        ActiveBlock *active = &p->active[k];
        active->vertex = active->triangle = 0;
        for (uint32_t o = 0; o < 8; o++) {
            uint32_t at = BLOCK_ITSELF + (o & 1) + 3 * (o >> 1 & 1) + 9 * (o >> 2);
            active->upper[o] = find_neighbor(p, active->block, at);
            around[at] = values_of(p, active->upper[o]);
        }
        if (p->make_rows(around, p->isovalue, &active->rows)) count_block(p, active);
    }
}

static Result list_active(Polygonizing *p)
{
    uint32_t count = p->field->count;
    for (uint32_t block = 0; block < count; block++) {
        p->active_of[block] = p->passed[block] ? p->active_count++ : NONE;
    }
    size_t bytes = p->active_count * sizeof *p->active;
    p->active = memory_allocate(bytes);
    if (!p->active) return result_no_memory("the surface's blocks", bytes);
    for (uint32_t block = 0; block < count; block++) {
        if (p->active_of[block] != NONE) p->active[p->active_of[block]].block = block;
    }
    return result_ok();
}

// Prefix sums: counts become first numbers.
static Result number_blocks(Polygonizing *p)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t k = 0; k < p->active_count; k++) {
        ActiveBlock *active = &p->active[k];
        uint32_t vertex = active->vertex, triangle = active->triangle;
        active->vertex = (uint32_t)vertices;
        active->triangle = (uint32_t)triangles;
        vertices += vertex;
        triangles += triangle;
    }
    if (triangles > SURFACE_TRIANGLES_MAX)
        return result_error(RESULT_FAILED, "the surface has more than %u triangles (a larger surface.cell)",
                            SURFACE_TRIANGLES_MAX);
    p->mesh->vertex_count = (uint32_t)vertices;
    p->mesh->triangle_count = (uint32_t)triangles;
    return result_ok();
}

static uint32_t end_vertex(const Polygonizing *p, uint32_t k)
{
    return k + 1 < p->active_count ? p->active[k + 1].vertex : p->mesh->vertex_count;
}

// --- vertices ---

static void make_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    // Bits of the blocks that are looked at: all, or those beside the faces.
    const uint32_t wanted = p->with_normals ? 0x7ffffffu : 0x417410u;
    VertexBlock block = {.isovalue = p->isovalue, .mesh = p->mesh};
    for (uint32_t k = begin; k < end; k++) {
        const ActiveBlock *active = &p->active[k];
        if (end_vertex(p, k) == active->vertex) continue;
        for (uint32_t at = 0; at < BLOCKS_AROUND; at++) {
            if (wanted >> at & 1u) block.around[at] = values_of(p, find_neighbor(p, active->block, at));
        }
        block.rows = &active->rows;
        p->make_vertices(&block, p->field->bins, p->field->key[active->block], active->vertex);
    }
}

// --- triangles ---

// Where the vertices on one of a cell's edges are, along a line of cells: in cell x it is first + before[x].
typedef struct EdgeLine {
    uint32_t first;
    const uint8_t *before;
} EdgeLine;

// The three edge lines that begin at the nodes of a line: along x, y and z.
static void find_lines(const Polygonizing *p, const ActiveBlock *owner, uint32_t y, uint32_t z,
                       EdgeLine out[3])
{
    uint32_t mask[3], line = (y & 7) + 8 * (z & 7);
    if (!owner) { // the surface does not come near
        for (int axis = 0; axis < 3; axis++) out[axis] = (EdgeLine){0, p->before[0]};
        return;
    }
    block_rows_edges(&owner->rows, y & 7, z & 7, mask);
    uint32_t first = owner->vertex + owner->first[line];
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = (EdgeLine){first, p->before[mask[axis]]};
        first += bit_count(p, mask[axis]);
    }
}

// Finds the edge lines of all cells of a line.
static void find_edges(const Polygonizing *p, const ActiveBlock *const owner[8], uint32_t y, uint32_t z,
                       EdgeLine edge[MARCHING_EDGES])
{
    EdgeLine at[4][3]; // lines of nodes: y + 2 z
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t there_y = y + (k & 1), there_z = z + (k >> 1);
        find_lines(p, owner[(there_y >> 3) << 1 | (there_z >> 3) << 2], there_y, there_z, at[k]);
        edge[k] = at[k][0];
    }
    edge[4] = edge[6] = at[0][1], edge[5] = edge[7] = at[2][1];
    edge[8] = edge[9] = at[0][2], edge[10] = edge[11] = at[1][2];
    edge[6].before++, edge[7].before++, edge[9].before++, edge[11].before++; // those at x + 1
}

// The last cell of a line: its edges at x + 1 belong to the next block.
static void find_last_edges(const Polygonizing *p, const ActiveBlock *const owner[8], uint32_t y, uint32_t z,
                            EdgeLine edge[MARCHING_EDGES])
{
    EdgeLine at[3][3]; // as above; (1, 1) has no such edges
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t there_y = y + (k & 1), there_z = z + (k >> 1);
        find_lines(p, owner[1 | (there_y >> 3) << 1 | (there_z >> 3) << 2], there_y, there_z, at[k]);
    }
    const uint8_t *none = p->before[0];
    edge[6] = (EdgeLine){at[0][1].first, none}, edge[7] = (EdgeLine){at[2][1].first, none};
    edge[9] = (EdgeLine){at[0][2].first, none}, edge[11] = (EdgeLine){at[1][2].first, none};
}

static void make_triangles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    for (uint32_t k = begin; k < end; k++) {
        const ActiveBlock *active = &p->active[k], *owner[8]; // of nodes here and beyond the upper sides
        uint32_t last = k + 1 < p->active_count ? p->active[k + 1].triangle : p->mesh->triangle_count;
        if (last == active->triangle) continue;
        for (uint32_t o = 0; o < 8; o++) {
            uint32_t block = active->upper[o], place = block < p->field->count ? p->active_of[block] : NONE;
            owner[o] = place == NONE ? NULL : &p->active[place];
        }
        uint32_t(*to)[3] = p->mesh->triangle + active->triangle;
        for (uint32_t line = 0; line < 64; line++) {
            uint32_t y = line & 7, z = line >> 3, cells = block_rows_cells(&active->rows, y, z);
            if (!cells) continue;
            EdgeLine edge[MARCHING_EDGES];
            find_edges(p, owner, y, z, edge);
            for (; cells; cells &= cells - 1) {
                uint32_t x = (uint32_t)__builtin_ctz(cells), which = block_rows_case(&active->rows, x, y, z);
                if (x == 7) find_last_edges(p, owner, y, z, edge);
                uint8_t(*corner)[3] = p->table.edge[which];
                for (uint32_t t = 0; t < p->table.count[which]; t++, to++) {
                    for (int c = 0; c < 3; c++)
                        (*to)[c] = edge[corner[t][c]].first + edge[corner[t][c]].before[x];
                }
            }
        }
    }
}

static void make_velocities(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Polygonizing *p = context;
    for (uint32_t k = begin; k < end; k++) {
        uint64_t key = p->field->key[p->active[k].block];
        vertex_velocities(&p->velocity, key, p->active[k].vertex, end_vertex(p, k), p->mesh);
    }
}

// Allocates one vector for each vertex.
static Result allocate_vectors(const SurfaceMesh *mesh, Vec3 **out)
{
    size_t bytes = mesh->vertex_count * sizeof **out;
    *out = memory_allocate(bytes);
    return *out ? result_ok() : result_no_memory("the surface's vertices", bytes);
}

static Result run(Polygonizing *p)
{
    SurfaceMesh *mesh = p->mesh;
    uint32_t count = p->field->count;
    memset(p->last, 0xff, count * sizeof *p->last);
    parallel_for(count, GRAIN, find_next, p);
    parallel_for(count, GRAIN, find_states, p);
    parallel_for(count, GRAIN, find_passed, p);
    TRY(list_active(p));
    parallel_for(p->active_count, GRAIN, count_blocks, p);
    TRY(number_blocks(p));
    TRY(allocate_vectors(mesh, &mesh->vertex));
    if (p->with_normals) TRY(allocate_vectors(mesh, &mesh->normal));
    parallel_for(p->active_count, GRAIN, make_vertices, p);
    field_free_values(p->field); // so that the mesh grows where the values were
    size_t bytes = mesh->triangle_count * sizeof *mesh->triangle;
    mesh->triangle = memory_allocate(bytes);
    if (!mesh->triangle) return result_no_memory("the surface's triangles", bytes);
    parallel_for(p->active_count, GRAIN, make_triangles, p);
    if (!p->velocity.points->vx) return result_ok();
    TRY(allocate_vectors(mesh, &mesh->velocity));
    parallel_for(p->active_count, GRAIN, make_velocities, p);
    return result_ok();
}

Result polygonize(const SurfaceDef *def, Field *field, float isovalue, const SurfacePoints *points,
                  SurfaceMesh *out)
{
    size_t count = field->count;
    Polygonizing p = {.field = field, .isovalue = isovalue, .mesh = out, .with_normals = def->smoothing == 0};
    p.velocity = (VelocitySource){field->bins, points, def->support / def->cell};
    p.make_rows = block_rows(cpu_level());
    p.make_vertices = block_vertices(cpu_level());
    make_tables(&p);
    p.state = memory_allocate(count);
    p.passed = memory_allocate(count);
    p.active_of = memory_allocate(count * sizeof *p.active_of);
    p.next = memory_allocate(count * sizeof *p.next);
    p.last = memory_allocate(count * sizeof *p.last);
    bool enough = p.state && p.passed && p.active_of && p.next && p.last;
    Result result = enough ? run(&p) : result_no_memory("the surface's blocks", count * 30);
    memory_free(p.state);
    memory_free(p.passed);
    memory_free(p.active_of);
    memory_free(p.next);
    memory_free(p.last);
    memory_free(p.active);
    return result;
}
