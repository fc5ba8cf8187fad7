#include "surface/polygonize.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/block_rows.h"
#include "surface/marching_cubes.h"
#include "surface/vertex_velocity.h"

#include <string.h>

#define GRAIN 16u
#define NONE UINT32_MAX

// A vertex keeps this part of its edge away from the ends: where the field is the isovalue at a node, all
// vertices round it would fall together and their triangles would have no area.
#define END_DISTANCE 0.02f

#define CROSSING_STEPS 2 // Newton's; a third would move a vertex by less than a thousandth of an edge

// A block whose cells the surface passes.
typedef struct ActiveBlock {
    uint32_t block;
    uint32_t vertex, triangle; // how many; then the number of its first
    BlockRows rows;
    // Per node which of its three edges have a vertex (bits 0 to 2) and the number of the first in the block
    // (the bits above); not set where there is none.
    uint16_t node[BLOCK_VALUES];
} ActiveBlock;

// What a block's nodes are, before its neighbors are looked at.
enum { STATE_OUT, STATE_IN, STATE_MIXED };

typedef struct Polygonizing {
    const Field *field;
    float isovalue;
    bool with_normals; // from the field
    VelocitySource velocity;
    MarchingTable table;
    uint8_t edge_count[256]; // edges with a vertex, by case, and which
    uint8_t edge[256][MARCHING_EDGES];
    float constant[2][BLOCK_VALUES]; // values of a block outside, inside
    uint8_t *state;                  // per block
    uint8_t *passed;                 // per block: the surface may pass its cells
    uint32_t *active_of;             // per block: place in `active`, or NONE
    ActiveBlock *active;
    uint32_t active_count;
    SurfaceMesh *mesh;
} Polygonizing;

static void make_tables(Polygonizing *p)
{
    marching_table_make(&p->table);
    for (uint32_t which = 0; which < 256; which++) {
        p->edge_count[which] = 0;
        for (uint8_t edge = 0; edge < MARCHING_EDGES; edge++) {
            uint32_t corner = marching_edge_corner(edge), other = corner | 1u << edge / 4;
            if ((which >> corner & 1u) != (which >> other & 1u))
                p->edge[which][p->edge_count[which]++] = edge;
        }
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
            p->state[block] = field->constant[block - field->stored] >= p->isovalue ? STATE_IN : STATE_OUT;
            continue;
        }
        const float *range = field->range[block];
        p->state[block] = range[1] < p->isovalue    ? STATE_OUT
                          : range[0] >= p->isovalue ? STATE_IN
                                                    : STATE_MIXED;
    }
}

static uint32_t find_neighbor(const Field *field, uint32_t block, uint32_t around)
{
    if (around == BLOCK_ITSELF) return block;
    int64_t x = (int64_t)(around % 3) - 1, y = (int64_t)(around / 3 % 3) - 1, z = (int64_t)(around / 9) - 1;
    return block_table_find(&field->table, field->key[block] + point_bins_offset(field->bins, x, y, z));
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
            p->passed[block] = state_of(p, find_neighbor(p->field, block, around)) != p->state[block];
        }
    }
}

// Which blocks round a block are of interest, as bits.
#define AROUND_ALL 0x7ffffffu
#define AROUND_UPPER 0x6c36000u // itself and those that its cells' nodes lie in
#define AROUND_FACES 0x417410u  // itself and those beside its faces

// The values of those blocks; the others are NULL.
static void find_around(const Polygonizing *p, uint32_t block, uint32_t which,
                        const float *around[BLOCKS_AROUND])
{
    const Field *field = p->field;
    for (uint32_t k = 0; k < BLOCKS_AROUND; k++) {
        around[k] = NULL;
        if (!(which >> k & 1u)) continue;
        uint32_t other = find_neighbor(field, block, k);
        around[k] = other < field->stored ? field->values + (size_t)other * BLOCK_VALUES
                                          : p->constant[state_of(p, other)];
    }
}

// --- counting ---

static void count_block(const Polygonizing *p, ActiveBlock *active)
{
    for (uint32_t line = 0; line < 64; line++) {
        uint32_t y = line & 7, z = line >> 3, mask[3];
        block_rows_edges(&active->rows, y, z, mask);
        for (uint32_t nodes = mask[0] | mask[1] | mask[2]; nodes; nodes &= nodes - 1) {
            uint32_t x = (uint32_t)__builtin_ctz(nodes);
            uint32_t edges = (mask[0] >> x & 1u) | (mask[1] >> x & 1u) << 1 | (mask[2] >> x & 1u) << 2;
            active->node[x + 8 * line] = (uint16_t)(active->vertex << 3 | edges);
            active->vertex += (edges & 1u) + (edges >> 1 & 1u) + (edges >> 2);
        }
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
    const float *around[BLOCKS_AROUND];
    for (uint32_t k = begin; k < end; k++) {
        ActiveBlock *active = &p->active[k];
        active->vertex = active->triangle = 0;
        find_around(p, active->block, AROUND_UPPER, around);
        if (block_rows_make(around, p->isovalue, &active->rows)) count_block(p, active);
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

// Counts become first numbers.
static Result number_blocks(Polygonizing *p, bool with_velocities)
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
    if (triangles > UINT32_MAX / 4) return result_no_memory("the surface's triangles", triangles * 12ull);
    SurfaceMesh *mesh = p->mesh;
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = (uint32_t)triangles;
    mesh->vertex = memory_allocate(vertices * sizeof(Vec3));
    mesh->normal = memory_allocate(vertices * sizeof(Vec3));
    mesh->triangle = memory_allocate(triangles * sizeof *mesh->triangle);
    if (with_velocities) mesh->velocity = memory_allocate(vertices * sizeof(Vec3));
    if (mesh->vertex && mesh->normal && mesh->triangle && (mesh->velocity || !with_velocities))
        return result_ok();
    return result_no_memory("the surface's mesh", vertices * 36 + triangles * 12);
}

static uint32_t end_vertex(const Polygonizing *p, uint32_t k)
{
    return k + 1 < p->active_count ? p->active[k + 1].vertex : p->mesh->vertex_count;
}

// --- vertices ---

// A node's value; coordinates from -1 to 9.
static inline float value_at(const float *const around[BLOCKS_AROUND], int x, int y, int z)
{
    int block = (x + 8) >> 3, line = (y + 8) >> 3, slice = (z + 8) >> 3;
    return around[block + 3 * (line + 3 * slice)][(x & 7) + 8 * ((y & 7) + 8 * (z & 7))];
}

// Where between two nodes the field passes the isovalue, as a part of the edge. f: the nodes -1, 0, 1 and 2
// on the edge's line. The field is taken as the cubic through them, because with a straight line through the
// two inner ones the surface would show the grid: kernels are only a few nodes wide.
static float find_crossing(const float f[4], float isovalue)
{
    float b = 0.5f * (f[0] + f[2]) - f[1];
    float a = (f[3] - f[0]) / 6 + 0.5f * (f[1] - f[2]);
    float c = f[2] - f[1] - a - b;
    float low = 0, high = 1, t = (isovalue - f[1]) / (f[2] - f[1]);
    for (int k = 0; k < CROSSING_STEPS; k++) {
        float value = ((a * t + b) * t + c) * t + f[1] - isovalue, slope = (3 * a * t + 2 * b) * t + c;
        if ((value < 0) == (f[1] < isovalue))
            low = t;
        else
            high = t;
        float better = t - value / slope;
        t = better < high ? better > low ? better : low : high;
    }
    return t < END_DISTANCE ? END_DISTANCE : t > 1 - END_DISTANCE ? 1 - END_DISTANCE : t;
}

// The field falls outward, so the outward normal is against its gradient.
static Vec3 downhill(const float *const around[BLOCKS_AROUND], const int at[3])
{
    int x = at[0], y = at[1], z = at[2];
    return vec3_make(value_at(around, x - 1, y, z) - value_at(around, x + 1, y, z),
                     value_at(around, x, y - 1, z) - value_at(around, x, y + 1, z),
                     value_at(around, x, y, z - 1) - value_at(around, x, y, z + 1));
}

// Four nodes on a line along an axis, the second one at `at`.
static inline void load_line(const float *const around[BLOCKS_AROUND], const int at[3], int axis, float f[4])
{
    const int step = axis == 0 ? 1 : axis == 1 ? 8 : 64;
    if (at[axis] >= 1 && at[axis] <= 5) {
        const float *here = around[BLOCK_ITSELF] + at[0] + 8 * (at[1] + 8 * at[2]);
        for (int k = 0; k < 4; k++) f[k] = here[(k - 1) * step];
        return;
    }
    int there[3] = {at[0], at[1], at[2]};
    for (int k = 0; k < 4; k++) {
        there[axis] = at[axis] + k - 1;
        f[k] = value_at(around, there[0], there[1], there[2]);
    }
}

static Vec3 field_normal(const float *const around[BLOCKS_AROUND], const int at[3], int axis, float part)
{
    int there[3] = {at[0], at[1], at[2]};
    there[axis]++;
    Vec3 slope =
        vec3_add(vec3_scale(downhill(around, at), 1 - part), vec3_scale(downhill(around, there), part));
    return vec3_normalize_or(slope, vec3_make(0, 0, 1));
}

// A block's nodes in space, m.
typedef struct NodePlaces {
    double corner[3], cell;
    float at[3][8]; // per axis
} NodePlaces;

static void find_places(const PointBins *bins, uint64_t key, NodePlaces *out)
{
    int64_t place[3];
    point_bins_place(bins, key, place);
    out->cell = bins->cell;
    for (int axis = 0; axis < 3; axis++) {
        out->corner[axis] = point_bins_corner(bins, place[axis], axis);
        for (int k = 0; k < 8; k++) out->at[axis][k] = (float)(out->corner[axis] + k * bins->cell);
    }
}

static void place_vertex(const Polygonizing *p, const float *const around[BLOCKS_AROUND],
                         const NodePlaces *places, const int at[3], int axis, uint32_t vertex)
{
    float f[4];
    load_line(around, at, axis, f);
    float part = find_crossing(f, p->isovalue);
    float position[3] = {places->at[0][at[0]], places->at[1][at[1]], places->at[2][at[2]]};
    position[axis] = (float)(places->corner[axis] + (at[axis] + (double)part) * places->cell);
    p->mesh->vertex[vertex] = vec3_make(position[0], position[1], position[2]);
    p->mesh->normal[vertex] = p->with_normals ? field_normal(around, at, axis, part) : vec3_make(0, 0, 1);
}

static void make_vertices(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Polygonizing *p = context;
    const float *around[BLOCKS_AROUND];
    NodePlaces places;
    for (uint32_t k = begin; k < end; k++) {
        const ActiveBlock *active = &p->active[k];
        uint32_t next = active->vertex;
        if (end_vertex(p, k) == next) continue;
        find_around(p, active->block, p->with_normals ? AROUND_ALL : AROUND_FACES, around);
        find_places(p->field->bins, p->field->key[active->block], &places);
        for (uint32_t line = 0; line < 64; line++) {
            uint32_t mask[3];
            block_rows_edges(&active->rows, line & 7, line >> 3, mask);
            for (uint32_t nodes = mask[0] | mask[1] | mask[2]; nodes; nodes &= nodes - 1) {
                int at[3] = {__builtin_ctz(nodes), (int)(line & 7), (int)(line >> 3)};
                for (int axis = 0; axis < 3; axis++) {
                    if (mask[axis] >> at[0] & 1u) place_vertex(p, around, &places, at, axis, next++);
                }
            }
        }
    }
}

// --- triangles ---

// The number of the vertex on an edge of a cell.
static uint32_t vertex_on(const ActiveBlock *const owner[8], uint32_t x, uint32_t y, uint32_t z,
                          uint32_t edge)
{
    // Vertices of a node before that of an axis, by the node's edges.
    static const uint8_t before[3][8] = {{0}, {0, 1, 0, 1, 0, 1, 0, 1}, {0, 1, 1, 2, 0, 1, 1, 2}};
    uint32_t corner = marching_edge_corner(edge);
    x += corner & 1, y += corner >> 1 & 1, z += corner >> 2;
    const ActiveBlock *active = owner[x >> 3 | (y >> 3) << 1 | (z >> 3) << 2];
    uint32_t node = active->node[(x & 7) + 8 * ((y & 7) + 8 * (z & 7))];
    return active->vertex + (node >> 3) + before[edge / 4][node & 7];
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
            uint32_t around = BLOCK_ITSELF + (o & 1) + 3 * (o >> 1 & 1) + 9 * (o >> 2);
            uint32_t block = find_neighbor(p->field, active->block, around);
            uint32_t place = block < p->field->count ? p->active_of[block] : NONE;
            owner[o] = place == NONE ? NULL : &p->active[place];
        }
        uint32_t(*to)[3] = p->mesh->triangle + active->triangle;
        for (uint32_t line = 0; line < 64; line++) {
            uint32_t y = line & 7, z = line >> 3;
            for (uint32_t cells = block_rows_cells(&active->rows, y, z); cells; cells &= cells - 1) {
                uint32_t x = (uint32_t)__builtin_ctz(cells), which = block_rows_case(&active->rows, x, y, z);
                uint32_t vertex[MARCHING_EDGES];
                for (uint32_t e = 0; e < p->edge_count[which]; e++)
                    vertex[p->edge[which][e]] = vertex_on(owner, x, y, z, p->edge[which][e]);
                for (uint32_t t = 0; t < p->table.count[which]; t++, to++) {
                    for (int c = 0; c < 3; c++) (*to)[c] = vertex[p->table.edge[which][t][c]];
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

static Result run(Polygonizing *p)
{
    bool with_velocities = p->velocity.points->vx != NULL;
    uint32_t count = p->field->count;
    parallel_for(count, GRAIN, find_states, p);
    parallel_for(count, GRAIN, find_passed, p);
    TRY(list_active(p));
    parallel_for(p->active_count, GRAIN, count_blocks, p);
    TRY(number_blocks(p, with_velocities));
    parallel_for(p->active_count, GRAIN, make_vertices, p);
    parallel_for(p->active_count, GRAIN, make_triangles, p);
    if (with_velocities) parallel_for(p->active_count, GRAIN, make_velocities, p);
    return result_ok();
}

Result polygonize(const SurfaceDef *def, const Field *field, float isovalue, const SurfacePoints *points,
                  SurfaceMesh *out)
{
    size_t count = field->count;
    Polygonizing p = {.field = field, .isovalue = isovalue, .mesh = out, .with_normals = def->smoothing == 0};
    p.velocity = (VelocitySource){field->bins, points, def->support / def->cell};
    make_tables(&p);
    p.state = memory_allocate(count);
    p.passed = memory_allocate(count);
    p.active_of = memory_allocate(count * sizeof *p.active_of);
    bool enough = p.state && p.passed && p.active_of;
    Result result = enough ? run(&p) : result_no_memory("the surface's blocks", count * 6);
    memory_free(p.state);
    memory_free(p.passed);
    memory_free(p.active_of);
    memory_free(p.active);
    return result;
}
