#include "scene/water.h"

#include "core/memory.h"
#include "scene/mesh_columns.h"

#include <math.h>

// Side, in places, down to which blocks of the lattice are halved while a body is near.
#define SMALL_BLOCK 4

typedef struct Lattice {
    double lo[3]; // m, scene coordinates: centers are at lo + (k + 0.5) * spacing
    double spacing;
    uint32_t n[3];
} Lattice;

typedef struct Block {
    uint32_t lo[3], hi[3]; // places, half-open
} Block;

typedef struct Sampler {
    const WaterDef *water;
    Lattice lattice;
    MeshColumns columns; // of a mesh
    const Obstacles *bodies;
    uint32_t *near; // bodies near a block; room for all
    uint32_t near_capacity;
    double origin[3];
    Vec3 *out;
    uint64_t count;
} Sampler;

Box3 water_bounds(const WaterDef *water)
{
    Vec3 r = vec3_make(water->radius, water->radius, water->radius);
    if (water->kind == WATER_MESH) return water->mesh.bounds;
    if (water->kind == WATER_SPHERE) return (Box3){vec3_sub(water->center, r), vec3_add(water->center, r)};
    return (Box3){water->lo, water->hi};
}

// Layers along one axis, as a double.
static double layers(const WaterDef *water, double lo, double hi, double spacing)
{
    double ratio = (hi - lo) / spacing;
    if (water->kind == WATER_BOX) return floor(ratio + WATER_TOLERANCE);
    if (water->kind == WATER_SPHERE) return 2 * ceil(0.5 * ratio - WATER_TOLERANCE);
    return ceil(ratio);
}

double water_places(const WaterDef *water, float spacing)
{
    Box3 box = water_bounds(water);
    return layers(water, box.lo.x, box.hi.x, spacing) * layers(water, box.lo.y, box.hi.y, spacing) *
           layers(water, box.lo.z, box.hi.z, spacing);
}

static Lattice make_lattice(const WaterDef *water, float spacing)
{
    Box3 box = water_bounds(water);
    const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
    const double center[3] = {water->center.x, water->center.y, water->center.z};
    Lattice lattice = {.spacing = spacing};
    for (int a = 0; a < 3; a++) {
        double n = layers(water, lo[a], hi[a], spacing);
        CHECK(n >= 0 && n <= UINT32_MAX);
        lattice.n[a] = (uint32_t)n;
        lattice.lo[a] = water->kind == WATER_SPHERE ? center[a] - 0.5 * n * spacing : lo[a];
    }
    return lattice;
}

static double place(const Lattice *lattice, int axis, uint32_t k)
{
    return lattice->lo[axis] + (k + 0.5) * lattice->spacing;
}

static Vec3 domain_point(const Sampler *sampler, double x, double y, double z)
{
    return vec3_make((float)(x - sampler->origin[0]), (float)(y - sampler->origin[1]),
                     (float)(z - sampler->origin[2]));
}

// Is a place of the lattice inside the shape?
static bool inside_shape(const Sampler *sampler, uint32_t i, uint32_t j, uint32_t k)
{
    const WaterDef *water = sampler->water;
    if (water->kind == WATER_BOX) return true;
    double z = place(&sampler->lattice, 2, k);
    if (water->kind == WATER_MESH) return mesh_columns_inside(&sampler->columns, i, j, z);
    double dx = place(&sampler->lattice, 0, i) - water->center.x,
           dy = place(&sampler->lattice, 1, j) - water->center.y;
    double dz = z - water->center.z, r = water->radius + 1e-4 * sampler->lattice.spacing;
    return dx * dx + dy * dy + dz * dz <= r * r;
}

static bool clear_of_bodies(const Sampler *sampler, uint32_t near, Vec3 point)
{
    float clearance = (float)((0.5 - WATER_TOLERANCE) * sampler->lattice.spacing);
    for (uint32_t b = 0; b < near; b++) {
        if (obstacle_distance(sampler->bodies, sampler->near[b], point) < clearance) return false;
    }
    return true;
}

// Places from k0 to k1 (half-open) of the column at (i, j) that are inside a ball: those within half a chord
// of its center. The ends are tested one by one, as rounding decides them.
static uint32_t count_ball_column(const Sampler *sampler, uint32_t i, uint32_t j, uint32_t k0, uint32_t k1)
{
    const WaterDef *water = sampler->water;
    const Lattice *l = &sampler->lattice;
    double dx = place(l, 0, i) - water->center.x, dy = place(l, 1, j) - water->center.y;
    double r = water->radius + 1e-4 * l->spacing, half2 = r * r - dx * dx - dy * dy;
    double half = half2 > 0 ? sqrt(half2) : 0, middle = (water->center.z - l->lo[2]) / l->spacing - 0.5;
    double reach = half / l->spacing;
    int64_t lo = (int64_t)ceil(middle - reach) - 1, hi = (int64_t)floor(middle + reach) + 2;
    lo = lo > (int64_t)k0 ? lo : (int64_t)k0;
    hi = hi < (int64_t)k1 ? hi : (int64_t)k1;
    while (lo < hi && !inside_shape(sampler, i, j, (uint32_t)lo)) lo++;
    while (lo < hi && !inside_shape(sampler, i, j, (uint32_t)hi - 1)) hi--;
    return lo < hi ? (uint32_t)(hi - lo) : 0;
}

// Places of a block that are inside the shape.
static uint64_t count_block(const Sampler *sampler, const Block *block)
{
    const Lattice *l = &sampler->lattice;
    uint64_t count = 0;
    if (sampler->water->kind == WATER_BOX)
        return (uint64_t)(block->hi[0] - block->lo[0]) * (block->hi[1] - block->lo[1]) *
               (block->hi[2] - block->lo[2]);
    for (uint32_t j = block->lo[1]; j < block->hi[1]; j++) {
        for (uint32_t i = block->lo[0]; i < block->hi[0]; i++)
            count += sampler->water->kind == WATER_SPHERE
                         ? count_ball_column(sampler, i, j, block->lo[2], block->hi[2])
                         : mesh_columns_count(&sampler->columns, i, j, l->lo[2], l->spacing, block->lo[2],
                                              block->hi[2]);
    }
    return count;
}

// Fills a block; the first `near` of the sampler's near bodies are tested.
static void fill_block(Sampler *sampler, const Block *block, uint32_t near)
{
    if (near == 0 && !sampler->out) {
        sampler->count += count_block(sampler, block);
        return;
    }
    for (uint32_t k = block->lo[2]; k < block->hi[2]; k++) {
        for (uint32_t j = block->lo[1]; j < block->hi[1]; j++) {
            for (uint32_t i = block->lo[0]; i < block->hi[0]; i++) {
                if (!inside_shape(sampler, i, j, k)) continue;
                const Lattice *lattice = &sampler->lattice;
                Vec3 point =
                    domain_point(sampler, place(lattice, 0, i), place(lattice, 1, j), place(lattice, 2, k));
                if (near > 0 && !clear_of_bodies(sampler, near, point)) continue;
                if (sampler->out) sampler->out[sampler->count] = point;
                sampler->count++;
            }
        }
    }
}

// Bodies whose bounds come within a spacing of a block's places.
static uint32_t find_near(Sampler *sampler, const Block *block)
{
    if (!sampler->bodies) return 0;
    const Lattice *l = &sampler->lattice;
    float s = (float)l->spacing;
    Vec3 lo = domain_point(sampler, place(l, 0, block->lo[0]), place(l, 1, block->lo[1]),
                           place(l, 2, block->lo[2]));
    Vec3 hi = domain_point(sampler, place(l, 0, block->hi[0] - 1), place(l, 1, block->hi[1] - 1),
                           place(l, 2, block->hi[2] - 1));
    Box3 box = {vec3_sub(lo, vec3_make(s, s, s)), vec3_add(hi, vec3_make(s, s, s))};
    uint32_t near = obstacles_touching(sampler->bodies, box, sampler->near, sampler->near_capacity);
    CHECK(near <= sampler->near_capacity);
    return near;
}

// Blocks that no body is near are filled at once; the others are halved until they are small.
static void sample_block(Sampler *sampler, Block block)
{
    uint32_t near = find_near(sampler, &block);
    int longest = 0;
    for (int a = 1; a < 3; a++) {
        if (block.hi[a] - block.lo[a] > block.hi[longest] - block.lo[longest]) longest = a;
    }
    if (near == 0 || block.hi[longest] - block.lo[longest] <= SMALL_BLOCK) {
        fill_block(sampler, &block, near);
        return;
    }
    Block lower = block, upper = block;
    lower.hi[longest] = upper.lo[longest] = block.lo[longest] + (block.hi[longest] - block.lo[longest]) / 2;
    sample_block(sampler, lower);
    sample_block(sampler, upper);
}

Result water_sample(const WaterDef *water, float spacing, Vec3 origin, const Obstacles *bodies, Vec3 *out,
                    uint64_t *count)
{
    Sampler sampler = {
        .water = water, .bodies = bodies, .origin = {origin.x, origin.y, origin.z}, .out = out};
    sampler.lattice = make_lattice(water, spacing);
    const Lattice *l = &sampler.lattice;
    *count = 0;
    if (l->n[0] == 0 || l->n[1] == 0 || l->n[2] == 0) return result_ok();
    if (water->kind == WATER_MESH)
        TRY(mesh_columns_build(&water->mesh, place(l, 0, 0), place(l, 1, 0), spacing, l->n[0], l->n[1],
                               &sampler.columns));
    Result result = result_ok();
    if (bodies) {
        sampler.near_capacity = obstacles_count(bodies);
        sampler.near = memory_allocate(sampler.near_capacity * sizeof *sampler.near);
        if (!sampler.near)
            result = result_no_memory("the list of near obstacles", sampler.near_capacity * 4ull);
    }
    if (result_is_ok(&result)) sample_block(&sampler, (Block){.hi = {l->n[0], l->n[1], l->n[2]}});
    memory_free(sampler.near);
    mesh_columns_free(&sampler.columns);
    *count = sampler.count;
    return result;
}

// --- overlap ---

static bool boxes_overlap(Box3 a, Box3 b, double tolerance)
{
    return fmin(a.hi.x, b.hi.x) - fmax(a.lo.x, b.lo.x) > tolerance &&
           fmin(a.hi.y, b.hi.y) - fmax(a.lo.y, b.lo.y) > tolerance &&
           fmin(a.hi.z, b.hi.z) - fmax(a.lo.z, b.lo.z) > tolerance;
}

// Distance of a value from [lo, hi].
static double excess(double value, double lo, double hi)
{
    return fmax(0, fmax(lo - value, value - hi));
}

static double distance_to_box(const double p[3], Box3 box)
{
    double dx = excess(p[0], box.lo.x, box.hi.x), dy = excess(p[1], box.lo.y, box.hi.y);
    double dz = excess(p[2], box.lo.z, box.hi.z);
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// Does any lattice place of a mesh lie in the other volume, further than the tolerance behind its surface?
static Result mesh_overlap(const WaterDef *mesh, const WaterDef *other, float spacing, bool *out)
{
    Lattice l = make_lattice(mesh, spacing);
    double tolerance = WATER_TOLERANCE * spacing;
    Sampler sampler = {.water = mesh, .lattice = l};
    MeshColumns theirs = {0};
    double x0 = place(&l, 0, 0), y0 = place(&l, 1, 0);
    if (l.n[0] == 0 || l.n[1] == 0 || l.n[2] == 0) return result_ok();
    TRY(mesh_columns_build(&mesh->mesh, x0, y0, spacing, l.n[0], l.n[1], &sampler.columns));
    Result result = result_ok();
    if (other->kind == WATER_MESH)
        result = mesh_columns_build(&other->mesh, x0, y0, spacing, l.n[0], l.n[1], &theirs);
    for (uint32_t k = 0; result_is_ok(&result) && k < l.n[2] && !*out; k++) {
        for (uint32_t j = 0; j < l.n[1] && !*out; j++) {
            for (uint32_t i = 0; i < l.n[0] && !*out; i++) {
                const double p[3] = {place(&l, 0, i), place(&l, 1, j), place(&l, 2, k)};
                const double center[3] = {other->center.x, other->center.y, other->center.z};
                bool in = false;
                if (other->kind == WATER_MESH)
                    in = mesh_columns_inside(&theirs, i, j, p[2]);
                else if (other->kind == WATER_BOX)
                    in = distance_to_box(p, water_bounds(other)) == 0;
                else
                    in = hypot(hypot(p[0] - center[0], p[1] - center[1]), p[2] - center[2]) <
                         other->radius - tolerance;
                *out = in && inside_shape(&sampler, i, j, k);
            }
        }
    }
    mesh_columns_free(&sampler.columns);
    mesh_columns_free(&theirs);
    return result;
}

Result water_overlap(const WaterDef *a, const WaterDef *b, float spacing, bool *out)
{
    double tolerance = WATER_TOLERANCE * spacing;
    *out = boxes_overlap(water_bounds(a), water_bounds(b), tolerance);
    if (!*out || (a->kind == WATER_BOX && b->kind == WATER_BOX)) return result_ok();
    *out = false;
    if (a->kind == WATER_MESH) return mesh_overlap(a, b, spacing, out);
    if (b->kind == WATER_MESH) return mesh_overlap(b, a, spacing, out);
    const WaterDef *sphere = a->kind == WATER_SPHERE ? a : b, *other = sphere == a ? b : a;
    const double center[3] = {sphere->center.x, sphere->center.y, sphere->center.z};
    if (other->kind == WATER_BOX) {
        *out = distance_to_box(center, water_bounds(other)) < sphere->radius - tolerance;
        return result_ok();
    }
    double distance =
        hypot(hypot(center[0] - other->center.x, center[1] - other->center.y), center[2] - other->center.z);
    *out = distance < (double)sphere->radius + other->radius - tolerance;
    return result_ok();
}
