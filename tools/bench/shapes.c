// What a shape query costs by method, shape, dimensions and distribution of the points, and where a narrow
// shape saves time at all. usage: bench_shapes POINTS quick|full FOLDER    queries.. go to FOLDER/shapes.csv
#include "core/clock.h"
#include "core/cpu.h"
#include "core/median.h"
#include "core/parallel.h"
#include "neighbor/reference/shape_reference.h"
#include "neighbor/shape/shape_index.h"
#include "shape_points.h"

#include <string.h>

enum { LANES_SCAN, HASH, TREE, TREE_PRUNED, FILTER, BALL, BOX, CUT, CUT_FINE, METHODS };
static const char *const method_names[METHODS] = {
    "scan16", "hash", "kd_100", "kd_32_pruned", "ball+filter", "grid", "grid_box", "grid_cut", "cut_fine"};

typedef struct Shape {
    const char *name;
    ShapeQueryKind kind;
    double degrees, aspect; // of a cone, of an ellipsoid
    bool same_volume;       // as the ball of radius R (2D: area); else within it
} Shape;

static const Shape shapes[] = {
    {"ball", SHAPE_BALL, 360, 1, false},
    {"cone 30", SHAPE_CONE, 30, 1, false},
    {"cone 60", SHAPE_CONE, 60, 1, false},
    {"cone 90", SHAPE_CONE, 90, 1, false},
    {"cone 120", SHAPE_CONE, 120, 1, false},
    {"cone 180", SHAPE_CONE, 180, 1, false},
    {"cone 270", SHAPE_CONE, 270, 1, false},
    {"ellipsoid 8", SHAPE_ELLIPSOID, 0, 8, false},
    {"cone 30, ball's volume", SHAPE_CONE, 30, 1, true},
    {"cone 60, ball's volume", SHAPE_CONE, 60, 1, true},
    {"cone 90, ball's volume", SHAPE_CONE, 90, 1, true},
    {"ellipsoid 2, ball's volume", SHAPE_ELLIPSOID, 0, 2, true},
    {"ellipsoid 4, ball's volume", SHAPE_ELLIPSOID, 0, 4, true},
    {"ellipsoid 8, ball's volume", SHAPE_ELLIPSOID, 0, 8, true},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

typedef struct Bench {
    ShapeCloud cloud;
    float *axis[3];
    float radius;
    ShapeIndex grid, fine;
    ShapeHash hash;
    ShapeTree tree, small_tree;
    uint32_t *out;
} Bench;

// Length of a shape, times the ball's radius.
static double length_of(const Shape *shape, uint32_t dimensions)
{
    if (!shape->same_volume) return 1.0;
    double half = shape->degrees * M_PI / 360.0;
    if (shape->kind == SHAPE_CONE) return dimensions == 2 ? sqrt(M_PI / half) : cbrt(2.0 / (1.0 - cos(half)));
    return dimensions == 2 ? sqrt(shape->aspect) : pow(shape->aspect, 2.0 / 3.0);
}

static ShapeQuery make_shape(const Bench *bench, const Shape *shape)
{
    Vec3 at = {0.0f, 0.0f, 0.0f}, axis = {1.0f, 0.0f, 0.0f};
    float length = bench->radius * (float)length_of(shape, bench->cloud.dimensions);
    if (shape->kind == SHAPE_BALL) return shape_ball(at, length);
    if (shape->kind == SHAPE_CONE) return shape_cone(at, axis, length, (float)shape->degrees);
    return shape_ellipsoid(at, axis, length, length / (float)shape->aspect);
}

static uint32_t ask(const Bench *bench, int method, const ShapeQuery *query)
{
    const ShapeCloud *cloud = &bench->cloud;
    switch (method) {
    case LANES_SCAN:
        return shape_scan_lanes(cloud_view(cloud), cloud->dimensions, query, bench->out);
    case HASH:
        return shape_hash_find(&bench->hash, query, bench->out);
    case TREE:
        return shape_tree_find(&bench->tree, query, false, bench->out);
    case TREE_PRUNED:
        return shape_tree_find(&bench->small_tree, query, true, bench->out);
    case FILTER: {
        const ShapePoints points = {{cloud->at[0], cloud->at[1], cloud->at[2], NULL}, cloud->dimensions == 2};
        ShapeQuery ball = shape_ball(query->at, query->reach);
        uint32_t found = shape_index_find(&bench->grid, &ball, SHAPE_ROWS_BALL, bench->out, NULL);
        return shape_kernel()->filter_listed(query, &points, bench->out, found, bench->out);
    }
    case CUT_FINE:
        return shape_index_find(&bench->fine, query, SHAPE_ROWS_CUT, bench->out, NULL);
    default:
        return shape_index_find(&bench->grid, query, (ShapeRowChoice)(method - BALL), bench->out, NULL);
    }
}

// Processor time of a query, ns. Pivots are points that lie together in memory from `start` on, as a pass
// over particles meets them.
static double time_run(const Bench *bench, const ShapeQuery *form, int method, uint32_t start, uint32_t run,
                       uint64_t *found)
{
    const ShapeCloud *cloud = &bench->cloud;
    double started = clock_processor_seconds();
    for (uint32_t q = 0; q < run; q++) {
        uint32_t i = start + q < cloud->count ? start + q : cloud->count - 1;
        ShapeQuery query = shape_moved(form, vec3_make(cloud->at[0][i], cloud->at[1][i], cloud->at[2][i]),
                                       vec3_make(bench->axis[0][i], bench->axis[1][i], bench->axis[2][i]));
        *found += ask(bench, method, &query);
    }
    return (clock_processor_seconds() - started) * 1e9 / run;
}

#define RUN 1000u // queries that lie together

// Least time of a query, ns, of three rounds of runs all over the points.
static double time_queries(const Bench *bench, const Shape *shape, int method, uint32_t queries,
                           double *found)
{
    uint32_t run = queries < RUN ? 1 : RUN, runs = queries / run;
    ShapeQuery form = make_shape(bench, shape);
    double best = 1e30;
    for (int round = 0; round < 3; round++) {
        uint64_t sum = 0;
        double ns = 0.0;
        for (uint32_t k = 0; k < runs; k++) {
            uint32_t start = (uint32_t)((uint64_t)k * bench->cloud.count / runs);
            ns += time_run(bench, &form, method, start, run, &sum);
        }
        best = fmin(best, ns / runs);
        *found = (double)sum / queries;
    }
    return best;
}

#define PAIRS 60u

// A shape's time over that of the ball of the same reach: median of runs of the two in turn, each with its
// points in the cache.
static double time_beside_ball(const Bench *bench, const Shape *shape, int method)
{
    ShapeQuery form = make_shape(bench, shape), ball = make_shape(bench, &shapes[0]);
    double ratio[PAIRS];
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint32_t start = (uint32_t)((uint64_t)k * bench->cloud.count / PAIRS);
        uint64_t found = 0;
        time_run(bench, &ball, BALL, start, RUN, &found);
        double of_ball = time_run(bench, &ball, BALL, start, RUN, &found);
        time_run(bench, &form, method, start, RUN, &found);
        ratio[k] = time_run(bench, &form, method, start, RUN, &found) / of_ball;
    }
    return median(ratio, PAIRS);
}

// By the rows that serve it best.
static double best_beside_ball(const Bench *bench, const Shape *shape)
{
    double best = time_beside_ball(bench, shape, BALL);
    for (int method = BOX; method <= CUT_FINE; method++)
        best = fmin(best, time_beside_ball(bench, shape, method));
    return best;
}

// Brings the points into the order of cells, as the program keeps its particles.
static void sort_cloud(ShapeCloud *cloud, float cell)
{
    ShapeIndex index = {0};
    stop_on_error(shape_index_build(&index, cloud_view(cloud), cloud->dimensions, cell));
    size_t bytes = cloud->count * sizeof(float);
    memcpy(cloud->at[0], index.x, bytes);
    memcpy(cloud->at[1], index.y, bytes);
    if (cloud->dimensions == 3) memcpy(cloud->at[2], index.z, bytes);
    shape_index_free(&index);
}

static Bench bench_make(uint32_t count, uint32_t dimensions, bool clustered)
{
    Bench bench = {.cloud = cloud_make(count, dimensions, clustered, 2025)};
    bench.radius = cloud_radius(&bench.cloud, dimensions == 2 ? 20.0 : 67.0);
    if (clustered) bench.radius *= 0.5f;
    sort_cloud(&bench.cloud, bench.radius);
    uint64_t random = 31;
    for (int axis = 0; axis < 3; axis++) bench.axis[axis] = bench_allocate(count * sizeof(float));
    for (uint32_t k = 0; k < count; k++) {
        Vec3 axis = {(float)random_normal(&random), (float)random_normal(&random), 0.0f};
        if (dimensions == 3) axis.z = (float)random_normal(&random);
        axis = vec3_normalize_or(axis, vec3_make(1.0f, 0.0f, 0.0f));
        bench.axis[0][k] = axis.x;
        bench.axis[1][k] = axis.y;
        bench.axis[2][k] = axis.z;
    }
    bench.out = bench_allocate((count + SHAPE_LANES) * sizeof *bench.out);
    PointView view = cloud_view(&bench.cloud);
    stop_on_error(shape_index_build(&bench.grid, view, dimensions, bench.radius));
    stop_on_error(shape_index_build(&bench.fine, view, dimensions, 0.5f * bench.radius));
    stop_on_error(shape_hash_build(&bench.hash, view, dimensions, bench.radius));
    stop_on_error(shape_tree_build(&bench.tree, view, dimensions, 100));
    stop_on_error(shape_tree_build(&bench.small_tree, view, dimensions, 32));
    return bench;
}

static void bench_free(Bench *bench)
{
    shape_index_free(&bench->grid);
    shape_index_free(&bench->fine);
    shape_hash_free(&bench->hash);
    shape_tree_free(&bench->tree);
    shape_tree_free(&bench->small_tree);
    for (int axis = 0; axis < 3; axis++) memory_free(bench->axis[axis]);
    memory_free(bench->out);
    cloud_free(&bench->cloud);
}

static double best_rows(const double ns[METHODS])
{
    return fmin(fmin(ns[BALL], ns[BOX]), fmin(ns[CUT], ns[CUT_FINE]));
}

static double ns_of[SHAPES][METHODS]; // of the last set
static double beside_ball[SHAPES];    // of it: times the ball's time, of shapes within the ball's radius

static void measure(uint32_t count, uint32_t dimensions, bool clustered, bool full, FILE *csv)
{
    Bench bench = bench_make(count, dimensions, clustered);
    const char *set = clustered ? "clustered" : "uniform";
    printf("\n%uD, %u points, %s: ns a query\n%-27s %7s", dimensions, count, set, "shape", "found");
    for (int method = 0; method < METHODS; method++) printf(" %12s", method_names[method]);
    printf(" %13s %11s\n", "filter / best", "best / ball");
    for (uint32_t s = 0; s < SHAPES; s++) {
        double found = 0.0;
        for (int method = 0; method < METHODS; method++) {
            uint32_t queries = method == LANES_SCAN ? 40 : method <= TREE_PRUNED ? 4000 : 20000;
            if (full && method != LANES_SCAN) queries *= 5;
            ns_of[s][method] = time_queries(&bench, &shapes[s], method, queries, &found);
            fprintf(csv, "%u,%s,%u,\"%s\",%s,%.2f,%.1f\n", dimensions, set, count, shapes[s].name,
                    method_names[method], found, ns_of[s][method]);
        }
        printf("%-27s %7.1f", shapes[s].name, found);
        for (int method = 0; method < METHODS; method++) printf(" %12.0f", ns_of[s][method]);
        printf(" %13.1f", ns_of[s][FILTER] / best_rows(ns_of[s]));
        beside_ball[s] = shapes[s].same_volume ? 0.0 : best_beside_ball(&bench, &shapes[s]);
        if (beside_ball[s] > 0.0) printf(" %11.2f", beside_ball[s]);
        printf("\n");
    }
    bench_free(&bench);
}

static void conclude(void)
{
    double narrow = fmax(fmax(beside_ball[1], beside_ball[2]), fmax(beside_ball[3], beside_ball[4]));
    printf(
        "\nUniform in 3D, beside a ball's list that is then filtered: cone of 30 degrees and the ball's "
        "volume "
        "%.1f times\nas fast, ellipsoid 8:1 %.1f times. Within the ball's radius cones of up to 120 degrees "
        "take %.2f of the ball's\ntime at most, of 180 %.2f, of 270 %.2f, the ellipsoid %.2f.\n",
        ns_of[8][FILTER] / best_rows(ns_of[8]), ns_of[13][FILTER] / best_rows(ns_of[13]), narrow,
        beside_ball[5], beside_ball[6], beside_ball[7]);
}

int main(int count, char **arguments)
{
    uint32_t points = count == 4 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 0;
    if (points < 1000 || points > 100000000) {
        fprintf(stderr, "usage: bench_shapes POINTS quick|full FOLDER (1000 points or more)\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    parallel_set_workers(1);
    bool full = strcmp(arguments[2], "full") == 0;
    FILE *csv = bench_csv(arguments[3], "shapes.csv");
    fprintf(csv, "dimensions,set,points,shape,method,found,ns\n");
    printf("Shape queries, one thread, processor time, %s\n", cpu_level_name(cpu_level()));
    measure(points, 2, true, full, csv);
    measure(points, 2, false, full, csv);
    measure(points, 3, true, full, csv);
    measure(points, 3, false, full, csv);
    conclude();
    fclose(csv);
    return 0;
}
