#include "scene/mesh_columns.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct Point {
    double x, y, z;
} Point;

typedef struct Lattice {
    double x0, y0, spacing;
    uint32_t nx, ny;
} Lattice;

// Side of the line a-b (seen from above) that p lies on: twice the signed area of a, b, p. The line's ends
// are put in one order first, so that the two triangles that share an edge see exactly opposite values; where
// p is on the line it counts as moved by (e, e^2) with an infinitely small e. So no column slips through
// between two triangles or hits both.
static int edge_side(Point a, Point b, double x, double y, double *area)
{
    bool swap = a.x > b.x || (a.x == b.x && a.y > b.y);
    Point from = swap ? b : a, to = swap ? a : b;
    double value = (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
    int side = value > 0 ? 1 : value < 0 ? -1 : 0;
    if (side == 0) side = to.y > from.y ? -1 : to.y < from.y ? 1 : to.x > from.x ? 1 : 0;
    *area = swap ? -value : value;
    return swap ? -side : side;
}

// Crossing of the vertical line at (x, y) with a triangle; its turn is 0 if they miss each other.
static MeshCrossing cross_triangle(const Point corner[3], double x, double y)
{
    double area[3];
    int side[3];
    for (int k = 0; k < 3; k++) side[k] = edge_side(corner[(k + 1) % 3], corner[(k + 2) % 3], x, y, &area[k]);
    if (side[0] == 0 || side[0] != side[1] || side[1] != side[2]) return (MeshCrossing){0};
    double sum = area[0] + area[1] + area[2];
    double z = corner[0].z;
    if (sum != 0) z = (area[0] * corner[0].z + area[1] * corner[1].z + area[2] * corner[2].z) / sum;
    return (MeshCrossing){
        .z = z, .turn = -side[0]}; // counter-clockwise from above: the surface faces up, the way out
}

static uint32_t first_index(double least, double x0, double spacing, uint32_t n)
{
    double index = floor((least - x0) / spacing) - 1;
    return index <= 0 ? 0 : index >= n ? n : (uint32_t)index;
}

static uint32_t end_index(double most, double x0, double spacing, uint32_t n)
{
    double index = ceil((most - x0) / spacing) + 2;
    return index <= 0 ? 0 : index >= n ? n : (uint32_t)index;
}

// Visits all crossings of one triangle: counts them in begin[column + 1], or writes them from begin[column]
// on.
static void visit_triangle(const Point corner[3], const Lattice *lattice, uint64_t *begin, MeshCrossing *out)
{
    double lo_x = fmin(corner[0].x, fmin(corner[1].x, corner[2].x));
    double hi_x = fmax(corner[0].x, fmax(corner[1].x, corner[2].x));
    double lo_y = fmin(corner[0].y, fmin(corner[1].y, corner[2].y));
    double hi_y = fmax(corner[0].y, fmax(corner[1].y, corner[2].y));
    uint32_t end_i = end_index(hi_x, lattice->x0, lattice->spacing, lattice->nx);
    uint32_t end_j = end_index(hi_y, lattice->y0, lattice->spacing, lattice->ny);
    for (uint32_t j = first_index(lo_y, lattice->y0, lattice->spacing, lattice->ny); j < end_j; j++) {
        for (uint32_t i = first_index(lo_x, lattice->x0, lattice->spacing, lattice->nx); i < end_i; i++) {
            double x = lattice->x0 + i * lattice->spacing, y = lattice->y0 + j * lattice->spacing;
            MeshCrossing crossing = cross_triangle(corner, x, y);
            if (crossing.turn == 0) continue;
            uint64_t column = (uint64_t)j * lattice->nx + i;
            if (out)
                out[begin[column]++] = crossing;
            else
                begin[column + 1]++;
        }
    }
}

static void visit_all(const TriangleMesh *mesh, const Lattice *lattice, uint64_t *begin, MeshCrossing *out)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Point corner[3];
        for (int k = 0; k < 3; k++) {
            Vec3 v = mesh->vertices[mesh->triangles[3 * (size_t)t + k]];
            corner[k] = (Point){v.x, v.y, v.z};
        }
        visit_triangle(corner, lattice, begin, out);
    }
}

static int compare_crossings(const void *a, const void *b)
{
    double za = ((const MeshCrossing *)a)->z, zb = ((const MeshCrossing *)b)->z;
    return za < zb ? -1 : za > zb;
}

Result mesh_columns_build(const TriangleMesh *mesh, double x0, double y0, double spacing, uint32_t nx,
                          uint32_t ny, MeshColumns *out)
{
    const Lattice lattice = {x0, y0, spacing, nx, ny};
    uint64_t columns = (uint64_t)nx * ny;
    *out = (MeshColumns){.nx = nx, .ny = ny};
    uint64_t bytes = (columns + 1) * sizeof *out->begin;
    if (bytes > memory_available() / 2) return result_no_memory("the lattice over a mesh", bytes);
    out->begin = memory_allocate_zeroed(bytes);
    if (!out->begin) return result_no_memory("the lattice over a mesh", bytes);
    visit_all(mesh, &lattice, out->begin, NULL);
    for (uint64_t c = 0; c < columns; c++) out->begin[c + 1] += out->begin[c];
    bytes = out->begin[columns] * sizeof *out->crossings;
    out->crossings = bytes > memory_available() / 2 ? NULL : memory_allocate(bytes);
    if (!out->crossings) {
        mesh_columns_free(out);
        return result_no_memory("the cuts through a mesh", bytes);
    }
    visit_all(mesh, &lattice, out->begin, out->crossings);
    // Writing has moved every begin to its column's end, which is the next one's begin.
    memmove(out->begin + 1, out->begin, columns * sizeof *out->begin);
    out->begin[0] = 0;
    for (uint64_t c = 0; c < columns; c++) {
        uint64_t count = out->begin[c + 1] - out->begin[c];
        qsort(out->crossings + out->begin[c], count, sizeof *out->crossings, compare_crossings);
    }
    return result_ok();
}

void mesh_columns_free(MeshColumns *columns)
{
    memory_free(columns->begin);
    memory_free(columns->crossings);
    *columns = (MeshColumns){0};
}

bool mesh_columns_inside(const MeshColumns *columns, uint32_t i, uint32_t j, double z)
{
    uint64_t column = (uint64_t)j * columns->nx + i;
    int winding = 0;
    for (uint64_t k = columns->begin[column]; k < columns->begin[column + 1]; k++) {
        if (columns->crossings[k].z >= z) break;
        winding += columns->crossings[k].turn;
    }
    return winding != 0;
}

// The first k of begin .. end whose point is above z; `end` if none is.
static uint32_t first_above(double z, double z0, double spacing, uint32_t begin, uint32_t end)
{
    double guess = floor((z - z0) / spacing - 0.5) + 1;
    uint32_t k = guess <= begin ? begin : guess >= end ? end : (uint32_t)guess;
    while (k > begin && z0 + (k - 1 + 0.5) * spacing > z) k--;
    while (k < end && z0 + (k + 0.5) * spacing <= z) k++;
    return k;
}

uint64_t mesh_columns_count(const MeshColumns *columns, uint32_t i, uint32_t j, double z0, double spacing,
                            uint32_t begin, uint32_t end)
{
    uint64_t column = (uint64_t)j * columns->nx + i, count = 0;
    uint32_t from = begin; // points below it are counted
    int winding = 0;
    for (uint64_t c = columns->begin[column]; c < columns->begin[column + 1]; c++) {
        uint32_t next = first_above(columns->crossings[c].z, z0, spacing, from, end);
        if (winding != 0) count += next - from;
        from = next;
        winding += columns->crossings[c].turn;
    }
    return winding != 0 ? count + (end - from) : count;
}
