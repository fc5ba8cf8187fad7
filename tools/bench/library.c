// What calls through pbf.h cost beside the functions behind them: steps of a scene, and searches of neighbors
// on points as other programs have them. Sides alternate, on one thread, and are compared by its processor
// time, so that what else the machine does hits both alike. Prints medians of the ratios of neighbors in
// time. usage: bench_library [SCENE [STEPS [SIDE [RUNS]]]], or bench_library --serve FILE, which searches the
// points of the file (x, y, z as floats) for each line that it reads, and answers with its milliseconds:
// library.py has it beside its own searches.
#include "benching.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "library/pbf.h"
#include "neighbor/neighbor.h"
#include "scene/scene.h"
#include "scene/scene_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RADIUS 2.5f // spacings
#define RUNS_MAX 10000

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void stop_on_code(pbf_result result)
{
    if (result.code != PBF_OK) stop_on_error(result_error(RESULT_FAILED, "%s", result.text));
}

// Medians of the times of either side, and of their ratios.
typedef struct Pairs {
    double behind[RUNS_MAX], through[RUNS_MAX], ratio[RUNS_MAX];
    uint32_t count;
} Pairs;

static void add(Pairs *pairs, double behind, double through)
{
    uint32_t k = pairs->count++;
    pairs->behind[k] = behind, pairs->through[k] = through, pairs->ratio[k] = through / behind;
}

static void print_pairs(const char *what, Pairs *pairs)
{
    printf("%-34s %10.3f ms behind pbf.h, %10.3f ms through it: %+.2f %%\n", what,
           median(pairs->behind, pairs->count), median(pairs->through, pairs->count),
           100 * (median(pairs->ratio, pairs->count) - 1));
}

// --- steps ---

static void compare_steps(const char *scene_name, uint32_t steps)
{
    static Pairs pairs;
    char path[PATH_MAX];
    SceneDef scene;
    Fluid *fluid;
    pbf_scene *handle;
    pbf_sim *sim;
    stop_on_error(scene_library_find(scene_name, path));
    stop_on_error(scene_read(path, NULL, 0, &scene));
    stop_on_error(scene_build(&scene, &fluid));
    stop_on_code(pbf_scene_load(NULL, path, NULL, 0, &handle));
    stop_on_code(pbf_sim_create(handle, &sim));
    for (uint32_t k = 0; k < steps; k++) {
        StepReport behind;
        pbf_report through;
        double times[3] = {processor_ms()};
        bool first = k % 2 == 0; // who finds the caches as the other left them
        if (first) stop_on_error(fluid_step(fluid, 1e3, &behind));
        if (!first) stop_on_code(pbf_sim_step(sim, 1e3, &through));
        times[1] = processor_ms();
        if (!first) stop_on_error(fluid_step(fluid, 1e3, &behind));
        if (first) stop_on_code(pbf_sim_step(sim, 1e3, &through));
        times[2] = processor_ms();
        double one = times[1] - times[0], other = times[2] - times[1];
        if (k >= 2) add(&pairs, first ? one : other, first ? other : one); // the first ones make room
    }
    if (fluid_state_hash(fluid) != pbf_sim_hash(sim))
        stop_on_error(result_error(RESULT_FAILED, "the states differ"));
    char what[80];
    snprintf(what, sizeof what, "a step of %.20s, %u particles", scene_name, fluid_view(fluid).count);
    print_pairs(what, &pairs);
    pbf_sim_destroy(sim);
    pbf_scene_destroy(handle);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// --- searches ---

typedef struct Points {
    float *stream[3];   // as neighbor.h takes them
    float (*packed)[3]; // as programs have them
    double (*doubles)[3];
    uint32_t count;
} Points;

static void *room(size_t bytes)
{
    void *out = memory_allocate(bytes);
    if (!out) stop_on_error(result_no_memory("points", bytes));
    return out;
}

static void make_points(uint32_t side, Points *points)
{
    uint64_t state = 1;
    points->count = side * side * side;
    for (int axis = 0; axis < 3; axis++) points->stream[axis] = room(points->count * sizeof(float));
    points->packed = room(points->count * sizeof *points->packed);
    points->doubles = room(points->count * sizeof *points->doubles);
    for (uint32_t k = 0; k < points->count; k++) {
        const uint32_t place[3] = {k % side, k / side % side, k / side / side};
        for (int axis = 0; axis < 3; axis++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            float at = (float)place[axis] + 0.2f * ((float)(state >> 40) / (float)(1 << 23) - 1);
            points->stream[axis][k] = points->packed[k][axis] = at;
            points->doubles[k][axis] = (double)at;
        }
    }
}

static double search_behind(NeighborSearch *search, const Points *points, uint64_t *found)
{
    NeighborLists lists;
    NeighborStats stats;
    PointView view = {points->stream[0], points->stream[1], points->stream[2], points->count};
    double started = processor_ms();
    stop_on_error(neighbor_search_run(search, view, &lists, &stats));
    *found = stats.neighbors;
    return processor_ms() - started;
}

static double search_through(pbf_search *search, const pbf_points *points, uint64_t *found)
{
    pbf_rows rows;
    double started = processor_ms();
    stop_on_code(pbf_search_run(search, points, &rows));
    *found = rows.neighbors;
    return processor_ms() - started;
}

static void compare_searches(const Points *points, const char *what, const pbf_points *given, uint32_t runs)
{
    static Pairs pairs;
    NeighborSearch *behind;
    pbf_search *through;
    stop_on_error(neighbor_search_create("uniform_grid", RADIUS, &behind));
    stop_on_code(pbf_search_create(NULL, "uniform_grid", (double)RADIUS, &through));
    pairs.count = 0;
    for (uint32_t k = 0; k <= runs; k++) {
        uint64_t found[2];
        bool first = k % 2 == 0;
        double one = first ? search_behind(behind, points, &found[0]) : 0;
        double other = search_through(through, given, &found[1]);
        if (!first) one = search_behind(behind, points, &found[0]);
        if (found[0] != found[1]) stop_on_error(result_error(RESULT_FAILED, "the neighbors differ"));
        if (k > 0) add(&pairs, one, other);
    }
    print_pairs(what, &pairs);
    neighbor_search_destroy(behind);
    pbf_search_destroy(through);
}

static void serve(const char *path)
{
    FILE *file = fopen(path, "rb");
    NeighborSearch *search;
    Points points = {0};
    uint64_t found;
    float at[3];
    if (!file || fseek(file, 0, SEEK_END) != 0)
        stop_on_error(result_error(RESULT_FAILED, "%s: cannot be read", path));
    uint32_t room_for = (uint32_t)((size_t)ftell(file) / sizeof at);
    rewind(file);
    for (int axis = 0; axis < 3; axis++) points.stream[axis] = room(room_for * sizeof(float));
    for (; points.count < room_for && fread(at, sizeof at, 1, file) == 1; points.count++) {
        for (int axis = 0; axis < 3; axis++) points.stream[axis][points.count] = at[axis];
    }
    fclose(file);
    stop_on_error(neighbor_search_create("uniform_grid", RADIUS, &search));
    while (getchar() != EOF) printf("%.6f\n", search_behind(search, &points, &found));
    neighbor_search_destroy(search);
    for (int axis = 0; axis < 3; axis++) memory_free(points.stream[axis]);
}

int main(int count, char **arguments)
{
    Points points;
    setvbuf(stdout, NULL, _IOLBF, 0);
    parallel_set_workers(1);
    if (count == 3 && strcmp(arguments[1], "--serve") == 0) {
        serve(arguments[2]);
        return 0;
    }
    compare_steps(count > 1 ? arguments[1] : "dam_break", number(count, arguments, 2, 40, RUNS_MAX));
    make_points(number(count, arguments, 3, 100, 400), &points);
    uint32_t runs = number(count, arguments, 4, 10, RUNS_MAX - 1);
    pbf_points packed = pbf_points_of(&points.packed[0][0], points.count), doubles;
    doubles = (pbf_points){&points.doubles[0][0],  &points.doubles[0][1], &points.doubles[0][2],
                           sizeof *points.doubles, points.count,          PBF_DOUBLE};
    char what[80];
    snprintf(what, sizeof what, "neighbors of %u points, floats", points.count);
    compare_searches(&points, what, &packed, runs);
    snprintf(what, sizeof what, "neighbors of %u points, doubles", points.count);
    compare_searches(&points, what, &doubles, runs);
    for (int axis = 0; axis < 3; axis++) memory_free(points.stream[axis]);
    memory_free(points.packed);
    memory_free(points.doubles);
    return 0;
}
