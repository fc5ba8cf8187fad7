#include "surface/marching_cubes.h"

#include "core/result.h"

#include <stdbool.h>
#include <string.h>

// The first corner of an edge; the second is one step along the edge's axis.
static uint32_t edge_corner(uint32_t edge)
{
    uint32_t axis = edge / 4;
    return (edge & 1u) << (axis + 1) % 3 | (edge >> 1 & 1u) << (axis + 2) % 3;
}

static uint32_t edge_between(uint32_t a, uint32_t b)
{
    uint32_t difference = a ^ b, axis = difference >> 1; // 1, 2, 4 -> 0, 1, 2
    uint32_t low = a & b;
    return 4 * axis + (low >> ((axis + 1) % 3) & 1u) + 2 * (low >> ((axis + 2) % 3) & 1u);
}

// The corners of a face, counter-clockwise as seen from outside of the cell.
static void face_corners(uint32_t axis, uint32_t side, uint32_t out[4])
{
    uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3, base = side << axis;
    out[0] = base;
    out[1] = base | (side ? u : v);
    out[2] = base | u | v;
    out[3] = base | (side ? v : u);
}

// Joins the cut edges of a face. Going around the face, the surface's outline leads from the edge where an
// outside run begins to the edge where it ends; each cut edge begins one run on one of its faces and ends one
// on the other, so that following `next` closes loops.
static void link_face(uint32_t inside, uint32_t axis, uint32_t side, int8_t next[MARCHING_EDGES])
{
    uint32_t corner[4];
    face_corners(axis, side, corner);
    for (uint32_t k = 0; k < 4; k++) {
        if (!(inside >> corner[k] & 1u) || (inside >> corner[(k + 1) % 4] & 1u)) continue;
        uint32_t leave = edge_between(corner[k], corner[(k + 1) % 4]), m = k + 1;
        while (!(inside >> corner[(m + 1) % 4] & 1u)) m++;
        next[edge_between(corner[m % 4], corner[(m + 1) % 4])] = (int8_t)leave;
    }
}

static bool share_a_face(uint32_t e, uint32_t f)
{
    uint32_t a = edge_corner(e), b = edge_corner(f);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (axis != e / 4 && axis != f / 4 && (a >> axis & 1u) == (b >> axis & 1u)) return true;
    }
    return false;
}

// A loop of cut edges and the triangles that fill it.
typedef struct Loop {
    uint8_t edge[MARCHING_EDGES];
    uint32_t length;
    uint8_t (*triangle)[3];
    uint32_t count;
} Loop;

// Fills the part of the loop from place `first` to place `last`, whose chord is there already.
static bool fill(Loop *loop, uint32_t first, uint32_t last)
{
    if (last - first < 2) return true;
    for (uint32_t middle = first + 1; middle < last; middle++) {
        uint8_t a = loop->edge[first], b = loop->edge[middle], c = loop->edge[last];
        if (middle - first > 1 && share_a_face(a, b)) continue;
        if (last - middle > 1 && share_a_face(b, c)) continue;
        uint32_t before = loop->count;
        uint8_t *to = loop->triangle[loop->count++];
        to[0] = a, to[1] = b, to[2] = c;
        if (fill(loop, first, middle) && fill(loop, middle, last)) return true;
        loop->count = before;
    }
    return false;
}

static void make_case(uint32_t inside, MarchingTable *table)
{
    int8_t next[MARCHING_EDGES];
    memset(next, -1, sizeof next);
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t side = 0; side < 2; side++) link_face(inside, axis, side, next);
    }
    Loop loop = {.triangle = table->edge[inside]};
    for (uint32_t start = 0; start < MARCHING_EDGES; start++) {
        if (next[start] < 0) continue;
        loop.length = 0;
        for (uint32_t edge = start; next[edge] >= 0;) {
            loop.edge[loop.length++] = (uint8_t)edge;
            uint32_t following = (uint32_t)next[edge];
            next[edge] = -1;
            edge = following;
        }
        CHECK(fill(&loop, 0, loop.length - 1));
    }
    table->count[inside] = (uint8_t)loop.count;
}

void marching_table_make(MarchingTable *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t inside = 0; inside < 256; inside++) make_case(inside, out);
}
