// Marching cubes alone, on two fields that fill a grid of 221^3 nodes: a sphere, and three sines whose
// surface is everywhere. tools/bench/contours compares with VTK. usage: bench_contours [THREADS [REPEATS]]
#include "benching.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "surface/polygonize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 221u
#define BLOCKS 28u // that hold them, along an axis
#define PLACES 30u // with a border
#define REPEATS_MAX 100u

static float sphere(uint32_t x, uint32_t y, uint32_t z)
{
    double a = x - 110.0, b = y - 110.0, c = z - 110.0;
    return (float)(0.5 + 0.02 * (100.3 - sqrt(a * a + b * b + c * c)));
}

static float three_sines(uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t last = NODES - 1;
    if (x == 0 || y == 0 || z == 0 || x == last || y == last || z == last) return 0; // closed
    double k = 2 * 3.14159265358979 * 5 / 220;
    return (float)(0.5 + 0.16 * (sin(k * x + 0.1) + sin(k * y + 0.2) + sin(k * z + 0.3)));
}

typedef float Value(uint32_t x, uint32_t y, uint32_t z);

// Blocks with values first, then those that only their lower sides look at.
static void list_blocks(Field *field)
{
    for (uint32_t stored = 1; stored <= 2; stored++) {
        for (uint32_t k = 0; k < (BLOCKS + 1) * (BLOCKS + 1) * (BLOCKS + 1); k++) {
            uint32_t x = k % (BLOCKS + 1), y = k / (BLOCKS + 1) % (BLOCKS + 1),
                     z = k / (BLOCKS + 1) / (BLOCKS + 1);
            if ((x && y && z) != (stored == 1)) continue;
            uint32_t *value;
            field->key[field->count] = x + PLACES * (y + PLACES * (uint64_t)z);
            stop_on_error(block_table_insert(&field->table, field->key[field->count], field->count, &value));
            field->count++;
        }
        if (stored == 1) field->stored = field->count;
    }
}

static void fill(const Field *field, Value *value, float *values)
{
    for (uint32_t block = 0; block < field->stored; block++) {
        int64_t place[3];
        point_bins_place(field->bins, field->key[block], place);
        float *to = values + (size_t)block * BLOCK_VALUES;
        for (uint32_t k = 0; k < BLOCK_VALUES; k++) {
            uint32_t x = 8 * (uint32_t)(place[0] - 1) + (k & 7),
                     y = 8 * (uint32_t)(place[1] - 1) + (k >> 3 & 7),
                     z = 8 * (uint32_t)(place[2] - 1) + (k >> 6);
            to[k] = x < NODES && y < NODES && z < NODES ? value(x, y, z) : 0;
        }
    }
}

// Blocks know the range of their values when they are summed; here it is part of the time.
static void find_ranges(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Field *field = context;
    for (uint32_t block = begin; block < end; block++) field_find_range(field, block);
}

// Triangulating frees the values.
static void copy_values(Field *field, const float *from)
{
    size_t bytes = (size_t)field->stored * BLOCK_VALUES * sizeof(float);
    field->values = memory_allocate(bytes);
    if (!field->values) stop_on_error(result_no_memory("the field", bytes));
    memcpy(field->values, from, bytes);
}

static void measure(const char *name, Field *field, const float *values, uint32_t repeats)
{
    double ms[REPEATS_MAX], processor[REPEATS_MAX];
    uint32_t triangles = 0;
    SurfaceDef def = surface_def_default(1); // its smoothing would make the normals
    SurfacePoints points = {0};
    for (uint32_t k = 0; k < repeats; k++) {
        SurfaceMesh mesh = {0};
        copy_values(field, values);
        double started = clock_seconds(), worked = clock_processor_seconds();
        parallel_for(field->stored, 16, find_ranges, field);
        stop_on_error(polygonize(&def, field, 0.5f, &points, &mesh));
        ms[k] = 1e3 * (clock_seconds() - started);
        processor[k] = 1e3 * (clock_processor_seconds() - worked);
        triangles = mesh.triangle_count;
        surface_mesh_free(&mesh);
    }
    printf("%s %u %.2f %.2f\n", name, triangles, median(ms, repeats), median(processor, repeats));
}

int main(int count, char **arguments)
{
    uint32_t repeats = count > 2 ? (uint32_t)atoi(arguments[2]) : 9;
    if (repeats < 1 || repeats > REPEATS_MAX) repeats = 9;
    parallel_set_workers(count > 1 ? (uint32_t)atoi(arguments[1]) : 0);
    PointBins bins = {
        .cell = 1, .edge = 8, .low = {-1, -1, -1}, .blocks = {PLACES, PLACES, PLACES}, .reach = 1};
    const size_t most = PLACES * PLACES * PLACES;
    Field field = {.bins = &bins,
                   .key = memory_allocate(most * sizeof(uint64_t)),
                   .range = memory_allocate(most * sizeof *field.range),
                   .constant = memory_allocate_zeroed(most * sizeof(float))};
    float *values = memory_allocate(most * BLOCK_VALUES * sizeof(float));
    if (!field.key || !values || !field.range || !field.constant)
        stop_on_error(result_no_memory("the fields", most * (BLOCK_VALUES + 5) * sizeof(float)));
    list_blocks(&field);
    fill(&field, sphere, values);
    measure("sphere", &field, values, repeats);
    fill(&field, three_sines, values);
    measure("three_sines", &field, values, repeats);
    memory_free(values);
    field_free(&field);
    return 0;
}
