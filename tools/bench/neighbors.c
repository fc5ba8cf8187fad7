// The neighbor searches on the points that others measure: a lattice of 100^3 points, jittered by up to a
// fifth of its spacing and moved a little before every run, with a radius of 2.5 spacings (66.8 neighbors
// each). Every run finds all rows again. Methods and instruction sets take turns, so that whatever else the
// machine does hits all alike. Prints milliseconds of construction and search together, the smallest and the
// median. usage: bench_neighbors [SIDE [RUNS [THREADS [METHOD...]]]]
#include "benching.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 2.5f // spacings
#define JITTER 0.2f
#define STEP 0.05f // how far points move between runs, along each axis
#define METHODS_MAX 16
#define RUNS_MAX 100
#define STRAY (1e6f * RADIUS)

typedef struct Points {
    float *rest[3], *now[3], *spare[3];
    uint32_t count;
} Points;

typedef struct Times {
    double ms[RUNS_MAX];
    NeighborStats stats;
} Times;

typedef struct Choice {
    const char *method[METHODS_MAX];
    uint32_t methods, runs;
} Choice;

// The solver keeps its particles sorted by the cells that they are in now.
typedef enum Order { ORDER_SORTED, ORDER_SORTED_ONCE, ORDER_LATTICE, ORDER_SHUFFLED } Order;
static const char *const order_names[] = {"sorted before every run", "sorted once", "in lattice order",
                                          "shuffled once"};

static uint64_t random_state = 1;

static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static float random_within(float limit)
{
    return limit * (float)((double)random_bits() * 0x1p-31 - 1.0);
}

static float *stream(uint32_t count)
{
    float *out = memory_allocate(count * sizeof(float));
    if (!out) stop_on_error(result_no_memory("points", count * sizeof(float)));
    return out;
}

static void make_lattice(uint32_t side, Points *points)
{
    points->count = side * side * side;
    for (int axis = 0; axis < 3; axis++) {
        points->rest[axis] = stream(points->count);
        points->now[axis] = stream(points->count);
        points->spare[axis] = stream(points->count);
    }
    for (uint32_t k = 0; k < points->count; k++) {
        const uint32_t place[3] = {k % side, k / side % side, k / side / side};
        for (int axis = 0; axis < 3; axis++)
            points->rest[axis][k] = (float)place[axis] + random_within(JITTER);
    }
}

static uint64_t cell_key(float *const at[3], uint32_t k)
{
    uint64_t key = 0;
    for (int axis = 2; axis >= 0; axis--)
        key = key << 16 | (uint64_t)(floor((double)at[axis][k] / (double)(RADIUS * 1.0001f)) + 8.0);
    return key;
}

// Sorts the points by cells, or shuffles them. spare: three streams.
static void arrange(float *points[3], float *spare[3], uint32_t count, bool shuffled)
{
    static SortBuffers sort;
    const uint32_t *from;
    stop_on_error(sort_buffers_reserve(&sort, count));
    for (uint32_t k = 0; k < count; k++) sort.keys[0][k] = shuffled ? random_bits() : cell_key(points, k);
    sort_order(&sort, count, &from);
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < count; k++) spare[axis][k] = points[axis][from[k]];
        memcpy(points[axis], spare[axis], count * sizeof(float));
    }
}

static void move(Points *points, Order order)
{
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < points->count; k++)
            points->now[axis][k] = points->rest[axis][k] + random_within(STEP);
    }
    if (order == ORDER_SORTED) arrange(points->now, points->spare, points->count, false);
}

static void run(NeighborSearch *search, const Points *points, double *ms, NeighborStats *stats)
{
    NeighborPairs pairs;
    PointView view = {points->now[0], points->now[1], points->now[2], points->count};
    double started = clock_seconds();
    stop_on_error(neighbor_search_pairs(search, view, &pairs, stats));
    *ms = 1e3 * (clock_seconds() - started);
}

static NeighborSearch *create(const char *method)
{
    NeighborSearch *search;
    stop_on_error(neighbor_search_create(method, RADIUS, &search));
    return search;
}

static void compare_methods(const Choice *choice, Points *points, Order order)
{
    static Times times[METHODS_MAX];
    NeighborSearch *search[METHODS_MAX];
    for (uint32_t m = 0; m < choice->methods; m++) search[m] = create(choice->method[m]);
    for (uint32_t r = 0; r <= choice->runs; r++) { // the first one grows memory and is not counted
        move(points, order);
        for (uint32_t m = 0; m < choice->methods; m++)
            run(search[m], points, &times[m].ms[r ? r - 1 : 0], &times[m].stats);
    }
    printf("\n%u points %s, %u threads, %s\n%-18s %9s %9s %11s %10s %9s\n", points->count, order_names[order],
           parallel_workers(), cpu_level_name(cpu_level()), "method", "min ms", "median", "candidates",
           "neighbors", "MB");
    for (uint32_t m = 0; m < choice->methods; m++) {
        double middle = median(times[m].ms, choice->runs), each = 1.0 / points->count;
        const NeighborStats *stats = &times[m].stats;
        printf("%-18s %9.1f %9.1f %11.1f %10.1f %9.1f\n", choice->method[m], times[m].ms[0], middle,
               (double)stats->candidates * each, (double)stats->neighbors * each,
               (double)(stats->structure_bytes + stats->list_bytes) / 1e6);
        neighbor_search_destroy(search[m]);
    }
}

static void compare_instruction_sets(const Choice *choice, Points *points, Order order)
{
    static Times times[CPU_LEVEL_COUNT][METHODS_MAX];
    CpuLevel best = cpu_level();
    NeighborSearch *search[METHODS_MAX];
    for (uint32_t m = 0; m < choice->methods; m++) search[m] = create(choice->method[m]);
    for (uint32_t r = 0; r <= choice->runs; r++) {
        move(points, order);
        for (uint32_t m = 0; m < choice->methods; m++) {
            for (CpuLevel level = CPU_PLAIN; level <= best; level++) {
                cpu_set_level(level);
                run(search[m], points, &times[level][m].ms[r ? r - 1 : 0], &times[level][m].stats);
            }
        }
    }
    printf("\n%u points %s, %u threads, median ms by instruction set\n%-18s", points->count,
           order_names[order], parallel_workers(), "method");
    for (CpuLevel level = CPU_PLAIN; level <= best; level++) printf(" %9s", cpu_level_name(level));
    for (uint32_t m = 0; m < choice->methods; m++) {
        printf("\n%-18s", choice->method[m]);
        for (CpuLevel level = CPU_PLAIN; level <= best; level++)
            printf(" %9.1f", median(times[level][m].ms, choice->runs));
        neighbor_search_destroy(search[m]);
    }
    printf("\n");
}

static void compare_stray(const Choice *choice, Points *points)
{
    static Times times[2];
    printf("\none point a million radii away\n%-18s %9s %9s %9s %9s %9s %9s\n", "method", "ms", "with it",
           "more %", "MB", "with it", "more %");
    for (uint32_t m = 0; m < choice->methods; m++) {
        NeighborSearch *search[2] = {create(choice->method[m]), create(choice->method[m])};
        for (uint32_t r = 0; r <= choice->runs; r++) {
            move(points, ORDER_SORTED);
            float kept = points->now[0][points->count - 1];
            for (int with = 0; with < 2; with++) {
                if (with) points->now[0][points->count - 1] = STRAY;
                run(search[with], points, &times[with].ms[r ? r - 1 : 0], &times[with].stats);
            }
            points->now[0][points->count - 1] = kept;
        }
        double ms[2], mb[2];
        for (int with = 0; with < 2; with++) {
            ms[with] = median(times[with].ms, choice->runs);
            mb[with] = (double)(times[with].stats.structure_bytes + times[with].stats.list_bytes) / 1e6;
            neighbor_search_destroy(search[with]);
        }
        printf("%-18s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", choice->method[m], ms[0], ms[1],
               100 * (ms[1] / ms[0] - 1), mb[0], mb[1], 100 * (mb[1] / mb[0] - 1));
    }
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // rows appear as they are measured
    Choice choice = {.runs = number(count, arguments, 2, 10, RUNS_MAX)};
    parallel_set_workers(count > 3 ? number(count, arguments, 3, 0, 1024) : 0);
    for (int k = 4; k < count && choice.methods < METHODS_MAX; k++)
        choice.method[choice.methods++] = arguments[k];
    for (uint32_t k = 0; count <= 4 && neighbor_method_name(k); k++) {
        if (strcmp(neighbor_method_name(k), "brute_force") != 0)
            choice.method[choice.methods++] = neighbor_method_name(k);
    }
    Points points;
    make_lattice(number(count, arguments, 1, 100, 400), &points);
    compare_methods(&choice, &points, ORDER_LATTICE);
    arrange(points.rest, points.spare, points.count, false);
    compare_methods(&choice, &points, ORDER_SORTED_ONCE);
    compare_methods(&choice, &points, ORDER_SORTED);
    compare_instruction_sets(&choice, &points, ORDER_SORTED);
    compare_stray(&choice, &points);
    arrange(points.rest, points.spare, points.count, true);
    compare_methods(&choice, &points, ORDER_SHUFFLED);
    for (int axis = 0; axis < 3; axis++) {
        memory_free(points.rest[axis]);
        memory_free(points.now[axis]);
        memory_free(points.spare[axis]);
    }
    return 0;
}
