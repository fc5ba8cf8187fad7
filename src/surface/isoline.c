#include "surface/isoline.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

// What follows each grid edge on its line, and a bit for edges that something leads to. Edges along a row
// come first, then those along a column; each has the number of its first node.
#define NEXT_NONE 0x7fffffffu
#define LED_TO 0x80000000u

typedef struct Tracer {
    const float *value, *defined;
    uint32_t columns, rows;
    float level;
    uint32_t *next;
    uint32_t segments;
} Tracer;

// The four edges of a cell in the order of a walk around it, counterclockwise from the lower left node.
static void edges_of(const Tracer *tracer, uint32_t node, uint32_t edge[4])
{
    uint32_t upright = tracer->columns * tracer->rows;
    edge[0] = node;
    edge[1] = upright + node + 1;
    edge[2] = node + tracer->columns;
    edge[3] = upright + node;
}

static void link_edges(Tracer *tracer, uint32_t from, uint32_t to)
{
    tracer->next[from] = (tracer->next[from] & LED_TO) | to;
    tracer->next[to] |= LED_TO;
    tracer->segments++;
}

// A line enters the cell where the walk leaves the inside, and leaves it where the walk comes back.
static void trace_cell(Tracer *tracer, uint32_t node)
{
    const uint32_t corner[4] = {node, node + 1, node + 1 + tracer->columns, node + tracer->columns};
    bool inside[4];
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        if (tracer->defined && tracer->defined[corner[k]] < 0.5f) return;
        inside[k] = tracer->value[corner[k]] >= tracer->level;
        sum += 0.25f * tracer->value[corner[k]];
    }
    uint32_t edge[4];
    edges_of(tracer, node, edge);
    bool saddle = inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1];
    for (int k = 0; k < 4; k++) {
        if (!inside[k] || inside[(k + 1) % 4]) continue; // the walk stays where it is, or comes back
        int back = (k + 1) % 4;
        if (saddle)
            back = sum >= tracer->level ? (k + 1) % 4 : (k + 3) % 4;
        else
            while (inside[back] || !inside[(back + 1) % 4]) back = (back + 1) % 4;
        link_edges(tracer, edge[k], edge[back]);
    }
}

static void put_point(const Tracer *tracer, uint32_t edge, float point[2])
{
    uint32_t upright = tracer->columns * tracer->rows, node = edge % upright;
    uint32_t other = node + (edge < upright ? 1 : tracer->columns);
    float a = tracer->value[node], b = tracer->value[other], part = (tracer->level - a) / (b - a);
    point[0] = (float)(node % tracer->columns) + (edge < upright ? part : 0.0f);
    point[1] = (float)(node / tracer->columns) + (edge < upright ? 0.0f : part);
}

// Takes the line that starts at an edge out of the links.
static void follow(const Tracer *tracer, uint32_t start, Isolines *out)
{
    uint32_t edge = start, begin = out->point_count;
    do {
        uint32_t next = tracer->next[edge] & ~LED_TO;
        put_point(tracer, edge, out->point[out->point_count++]);
        tracer->next[edge] = NEXT_NONE;
        edge = next;
    } while (edge != NEXT_NONE && edge != start);
    if (edge == start) memcpy(out->point[out->point_count++], out->point[begin], sizeof *out->point);
    out->first[++out->count] = out->point_count;
}

static Result follow_all(const Tracer *tracer, Isolines *out)
{
    uint32_t edges = 2 * tracer->columns * tracer->rows;
    out->point = memory_allocate((2 * (size_t)tracer->segments + 1) * sizeof *out->point);
    out->first = memory_allocate(((size_t)tracer->segments + 2) * sizeof *out->first);
    if (!out->point || !out->first) return result_no_memory("isolines", 20ull * tracer->segments);
    out->first[0] = 0;
    for (uint32_t edge = 0; edge < edges; edge++) { // lines with two ends
        if (!(tracer->next[edge] & LED_TO) && tracer->next[edge] != NEXT_NONE) follow(tracer, edge, out);
    }
    for (uint32_t edge = 0; edge < edges; edge++) {
        if ((tracer->next[edge] & ~LED_TO) != NEXT_NONE) follow(tracer, edge, out);
    }
    return result_ok();
}

Result isolines_find(const float *value, const float *defined, uint32_t columns, uint32_t rows, float level,
                     Isolines *out)
{
    *out = (Isolines){0};
    CHECK((uint64_t)columns * rows <= ISOLINE_NODES_MAX);
    size_t edges = 2 * (size_t)columns * rows;
    Tracer tracer = {value, defined, columns, rows, level, memory_allocate(edges * sizeof(uint32_t)), 0};
    if (!tracer.next) return result_no_memory("isolines", edges * sizeof(uint32_t));
    for (size_t k = 0; k < edges; k++) tracer.next[k] = NEXT_NONE;
    for (uint32_t row = 0; row + 1 < rows; row++) {
        for (uint32_t column = 0; column + 1 < columns; column++) trace_cell(&tracer, row * columns + column);
    }
    Result result = follow_all(&tracer, out);
    memory_free(tracer.next);
    if (!result_is_ok(&result)) isolines_free(out);
    return result;
}

void isolines_free(Isolines *lines)
{
    memory_free(lines->point);
    memory_free(lines->first);
    *lines = (Isolines){0};
}

bool isoline_is_closed(const Isolines *lines, uint32_t k)
{
    return memcmp(lines->point[lines->first[k]], lines->point[lines->first[k + 1] - 1],
                  sizeof *lines->point) == 0;
}

double isolines_area(const Isolines *lines)
{
    double area = 0.0;
    for (uint32_t k = 0; k < lines->count; k++) {
        for (uint32_t i = lines->first[k]; i + 1 < lines->first[k + 1]; i++) {
            const float *a = lines->point[i], *b = lines->point[i + 1];
            area += 0.5 * ((double)a[0] * b[1] - (double)a[1] * b[0]);
        }
    }
    return area;
}

double isolines_length(const Isolines *lines)
{
    double length = 0.0;
    for (uint32_t k = 0; k < lines->count; k++) {
        for (uint32_t i = lines->first[k]; i + 1 < lines->first[k + 1]; i++) {
            const float *a = lines->point[i], *b = lines->point[i + 1];
            length += hypot((double)b[0] - a[0], (double)b[1] - a[1]);
        }
    }
    return length;
}
