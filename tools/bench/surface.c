// What a surface costs wherever the water stands on the grid: the particles are moved by random ways of up to
// a block of the grid, and each place's mesh is made again. The particles are a jittered block of a million,
// or those of a file of spacing SPACING. Rounds take turns with places, and the least time of each place
// counts: other programs only ever add. Prints the fastest, the median and the slowest place: processor time,
// wall time and memory beyond the particles. usage: bench_surface [FILE SPACING] [PLACES [THREADS [SMOOTHING
// [ROUNDS]]]]
#include "surface/surface.h"
#include "benching.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "export/particle_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 100u // of the block
#define SIDE_SPACING 0.05
#define JITTER 0.2
#define BLOCK_EDGE 4 // spacings, of the grid by default
#define PLACES_MAX 100u
#define ROUNDS_MAX 100u

typedef struct Water {
    ParticleFile file;
    double spacing;
} Water;

// The least of each place.
typedef struct Costs {
    double processor[PLACES_MAX], wall[PLACES_MAX]; // ms
    double megabytes[PLACES_MAX], blocks[PLACES_MAX];
} Costs;

static uint64_t random_state = 1;

static double random_part(void) // 0 to 1
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static void make_block(Water *water)
{
    ParticleFile *file = &water->file;
    water->spacing = SIDE_SPACING;
    stop_on_error(particle_file_allocate(file, SIDE * SIDE * SIDE, true));
    for (uint32_t k = 0; k < file->count; k++) {
        const uint32_t place[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        for (int axis = 0; axis < 3; axis++) {
            double jitter = JITTER * (2 * random_part() - 1);
            file->stream[axis][k] = (float)(SIDE_SPACING * (place[axis] + 0.5 + jitter));
            file->stream[3 + axis][k] = 0;
        }
    }
}

static void move(const Water *water, const double by[3], ParticleFile *to)
{
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < to->count; k++)
            to->stream[axis][k] = (float)((double)water->file.stream[axis][k] + by[axis]);
    }
}

static void measure(const SurfaceDef *def, const ParticleFile *file, uint32_t place, Costs *costs)
{
    SurfacePoints points = {file->x, file->y, file->z, file->vx, file->vy, file->vz, file->count};
    SurfaceMesh mesh;
    memory_restart_peak();
    uint64_t before = memory_bytes_in_use();
    double wall = clock_seconds(), processor = clock_processor_seconds();
    stop_on_error(surface_reconstruct(def, points, &mesh));
    costs->processor[place] = fmin(costs->processor[place], 1e3 * (clock_processor_seconds() - processor));
    costs->wall[place] = fmin(costs->wall[place], 1e3 * (clock_seconds() - wall));
    costs->megabytes[place] = (double)(memory_bytes_peak() - before) / 1e6;
    costs->blocks[place] = mesh.stats.blocks;
    surface_mesh_free(&mesh);
}

static void print_row(const char *name, double *values, uint32_t count)
{
    double middle = median(values, count), low = INFINITY, high = 0;
    for (uint32_t k = 0; k < count; k++) {
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    printf("%-14s least %7.1f  median %7.1f  most %7.1f  most/least %.3f\n", name, low, middle, high,
           high / low);
}

// Every round has the same places.
static void measure_places(const SurfaceDef *def, const Water *water, ParticleFile *moved, uint32_t places,
                           Costs *costs)
{
    random_state = 7;
    for (uint32_t place = 0; place < places; place++) {
        double by[3];
        for (int axis = 0; axis < 3; axis++) by[axis] = BLOCK_EDGE * water->spacing * random_part();
        move(water, by, moved);
        measure(def, moved, place, costs);
    }
}

int main(int count, char **arguments)
{
    Water water = {0};
    ParticleFile moved = {0};
    static Costs costs;
    int next = 1;
    if (count > 2 && !isdigit((unsigned char)arguments[1][0])) {
        stop_on_error(particle_file_read(arguments[1], &water.file));
        water.spacing = strtod(arguments[2], NULL);
        next = 3;
    } else {
        make_block(&water);
    }
    uint32_t places = number(count, arguments, next, 20, PLACES_MAX);
    uint32_t rounds = number(count, arguments, next + 3, 3, ROUNDS_MAX);
    parallel_set_workers(next + 1 < count ? (uint32_t)atoi(arguments[next + 1]) : 0);
    SurfaceDef def = surface_def_default((float)water.spacing);
    if (next + 2 < count) def.smoothing = (uint32_t)atoi(arguments[next + 2]);
    stop_on_error(particle_file_allocate(&moved, water.file.count, water.file.vx));
    for (int stream = 3; stream < 6 && moved.vx; stream++)
        memcpy(moved.stream[stream], water.file.stream[stream], moved.count * sizeof(float));
    for (uint32_t place = 0; place < places; place++) costs.processor[place] = costs.wall[place] = INFINITY;
    for (uint32_t round = 0; round < rounds; round++) measure_places(&def, &water, &moved, places, &costs);
    printf("%u particles, %u threads, %s, %u places, %u steps of smoothing\n", water.file.count,
           parallel_workers(), cpu_level_name(cpu_level()), places, def.smoothing);
    print_row("processor ms", costs.processor, places);
    print_row("wall ms", costs.wall, places);
    print_row("MB", costs.megabytes, places);
    print_row("blocks", costs.blocks, places);
    particle_file_free(&water.file);
    particle_file_free(&moved);
    return 0;
}
