// The experiments of Kim and Lee 2025 (adaptive disk sector, PLoS ONE 20(3) e0311163), in their protocol:
// random points in two dimensions that have just moved, so that every frame builds the structure and asks ONE
// query. Then what the paper does not show: the number of queries from which on a structure pays. usage:
// bench_sector quick|full FOLDER    CSV files go to FOLDER
#include "core/clock.h"
#include "core/cpu.h"
#include "core/parallel.h"
#include "neighbor/reference/shape_reference.h"
#include "neighbor/shape/shape_index.h"
#include "shape_points.h"

#include <string.h>

enum { SCAN, SCAN_LANES, GRID, HASH15, HASH30, HASH120, KD10, KD100, METHODS };
static const char *const method_names[METHODS] = {
    "sector scan",           "sector scan by sixteens", "dense grid",           "hash table (res.: 15)",
    "hash table (res.: 30)", "hash table (res.: 120)",  "k-d tree (bucket 10)", "k-d tree (bucket 100)"};

// us; 0: not in the paper. Tables 1 and 2, 10,000 and 500,000 points each.
static const double paper_us[2][METHODS][2] = {
    {{120, 8000}, {0, 0}, {0, 0}, {310, 15000}, {362, 16000}, {621, 17000}, {3368, 130000}, {2049, 80000}},
    {{205.6, 5039.3},
     {0, 0},
     {0, 0},
     {0, 0},
     {581.2, 13882.3},
     {722.6, 16885.6},
     {4279.6, 127097.4},
     {2466.3, 90300.6}}};

// The points and every structure over them.
typedef struct Bench {
    ShapeCloud cloud;
    ShapePlace *places;
    ShapeIndex grid;
    ShapeHash hash[3];
    ShapeTree tree[2];
    uint32_t *out;
    float radius;
} Bench;

static Bench bench_make(ShapeCloud cloud, double found)
{
    Bench bench = {.cloud = cloud, .radius = cloud_radius(&cloud, found)};
    bench.places = bench_allocate(cloud.count * sizeof *bench.places);
    bench.out = bench_allocate((cloud.count + SHAPE_LANES) * sizeof *bench.out);
    for (uint32_t k = 0; k < cloud.count; k++) bench.places[k] = (ShapePlace){cloud.at[0][k], cloud.at[1][k]};
    return bench;
}

static void bench_free(Bench *bench)
{
    shape_index_free(&bench->grid);
    for (int k = 0; k < 3; k++) shape_hash_free(&bench->hash[k]);
    for (int k = 0; k < 2; k++) shape_tree_free(&bench->tree[k]);
    memory_free(bench->places);
    memory_free(bench->out);
    cloud_free(&bench->cloud);
}

static void build(Bench *bench, int method)
{
    const float resolution[3] = {15.0f, 30.0f, 120.0f};
    PointView view = cloud_view(&bench->cloud);
    if (method == GRID) stop_on_error(shape_index_build(&bench->grid, view, 2, bench->radius));
    if (method >= HASH15 && method <= HASH120)
        stop_on_error(
            shape_hash_build(&bench->hash[method - HASH15], view, 2, 1.0f / resolution[method - HASH15]));
    if (method == KD10 || method == KD100)
        stop_on_error(shape_tree_build(&bench->tree[method - KD10], view, 2, method == KD10 ? 10 : 100));
}

static uint32_t ask(const Bench *bench, int method, const ShapeQuery *query)
{
    PointView view = cloud_view(&bench->cloud);
    switch (method) {
    case SCAN:
        if (query->kind == SHAPE_CONE && query->cosine > 0.01f)
            return shape_scan_published(bench->places, view.count, query, bench->out);
        return shape_scan(view, query, bench->out);
    case SCAN_LANES:
        return shape_scan_lanes(view, 2, query, bench->out);
    case GRID:
        return shape_index_find(&bench->grid, query, SHAPE_ROWS_BALL, bench->out, NULL);
    case KD10:
    case KD100:
        return shape_tree_find(&bench->tree[method - KD10], query, false, bench->out);
    default:
        return shape_hash_find(&bench->hash[method - HASH15], query, bench->out);
    }
}

// Least processor time of a frame, us: build and one query.
static double frame_us(Bench *bench, int method, const ShapeQuery *query, int repeats)
{
    double best = 1e30;
    for (int r = 0; r < repeats; r++) {
        double started = clock_processor_seconds();
        build(bench, method);
        ask(bench, method, query);
        best = fmin(best, clock_processor_seconds() - started);
    }
    return best * 1e6;
}

// What moves a target at most one radius a frame sees: the sector's range of speeds, in radii a frame.
static AdaptiveSector sector_of(const Bench *bench)
{
    return adaptive_sector(bench->radius, 0.05f * bench->radius, bench->radius);
}

// The target goes once around the circle of Figure 16; before the first frame it has no velocity.
static ShapeQuery circle_query(const Bench *bench, uint32_t frame, uint32_t frames)
{
    AdaptiveSector sector = sector_of(bench);
    double angle = 2.0 * M_PI * frame / frames, before = 2.0 * M_PI * (frame - 1.0) / frames;
    Vec3 at = {0.5f + 0.3f * (float)cos(angle), 0.5f + 0.3f * (float)sin(angle), 0.0f};
    Vec3 last = {0.5f + 0.3f * (float)cos(before), 0.5f + 0.3f * (float)sin(before), 0.0f};
    Vec3 velocity = frame == 0 ? (Vec3){0.0f, 0.0f, 0.0f} : vec3_sub(at, last);
    return adaptive_sector_query(&sector, at, velocity);
}

// A target somewhere with some velocity, as a mouse would move it.
static ShapeQuery mouse_query(const Bench *bench, uint64_t *random)
{
    AdaptiveSector sector = sector_of(bench);
    Vec3 at = {(float)random_unit(random), (float)random_unit(random), 0.0f};
    double angle = 2.0 * M_PI * random_unit(random), speed = bench->radius * random_unit(random);
    return adaptive_sector_query(&sector, at,
                                 vec3_make((float)(speed * cos(angle)), (float)(speed * sin(angle)), 0.0f));
}

// --- Tables 1 and 2, Figures 14 and 15 ---

static double measured_us[2][METHODS][2]; // mean over frames: table, method, size

static void measure_frames(int table, int size, uint32_t frames, FILE *csv)
{
    static const uint32_t counts[2] = {10000, 500000};
    Bench bench = bench_make(cloud_make(counts[size], 2, false, 2025), 20.0);
    uint64_t random = 77;
    for (uint32_t frame = 0; frame < frames; frame++) {
        ShapeQuery query = table ? circle_query(&bench, frame, frames) : mouse_query(&bench, &random);
        for (int method = 0; method < METHODS; method++) {
            double us = frame_us(&bench, method, &query, 3);
            measured_us[table][method][size] += us / frames;
            if (table) fprintf(csv, "%u,%u,%s,%.2f\n", counts[size], frame, method_names[method], us);
        }
    }
    bench_free(&bench);
}

static void print_table(int table, FILE *csv)
{
    printf("\nTable %d: build and one query, us (%s)\n%-28s %30s   %30s\n", table + 1,
           table ? "target on a circle, Figure 16" : "target moved by hand, Figures 12 and 13", "",
           "10,000 points", "500,000 points");
    printf("%-28s %9s %9s %10s   %9s %9s %10s\n", "", "paper", "here", "x sector", "paper", "here",
           "x sector");
    for (int method = 0; method < METHODS; method++) {
        printf("%-28s", method_names[method]);
        for (int size = 0; size < 2; size++) {
            double paper = paper_us[table][method][size], here = measured_us[table][method][size];
            double sector = measured_us[table][SCAN][size];
            if (paper > 0.0)
                printf(" %9.0f", paper);
            else
                printf(" %9s", "");
            printf(" %9.1f %4.1f", here, here / sector);
            if (paper > 0.0)
                printf(" (%4.1f)", paper / paper_us[table][SCAN][size]);
            else
                printf("%7s", "");
            printf("  ");
            fprintf(csv, "%d,%s,%d,%.1f,%.2f,%.2f\n", table + 1, method_names[method], size ? 500000 : 10000,
                    paper, here, here / sector);
        }
        printf("\n");
    }
    printf("x sector: times the sector's time, the paper's factor in brackets\n");
}

// --- Figures 5 and 6: all points by distance alone, and the sector ---

static void compare_with_brute_force(void)
{
    Bench bench = bench_make(cloud_make(10000, 2, false, 5), 20.0);
    double disk = 0.0, sector = 0.0;
    uint64_t random = 3;
    for (int k = 0; k < 100; k++) {
        ShapeQuery narrow = mouse_query(&bench, &random), round = shape_ball(narrow.at, bench.radius);
        disk += frame_us(&bench, SCAN, &round, 3) / 100.0;
        sector += frame_us(&bench, SCAN, &narrow, 3) / 100.0;
    }
    printf("\nFigures 5 and 6: 10,000 points, us a query\n  brute force   paper 3000, here %.1f\n"
           "  sector        paper  160, here %.1f\n  Both test every point: a sector cannot be 18.7 times as "
           "fast as a disk (here %.2f times).\n",
           disk, sector, disk / sector);
    bench_free(&bench);
}

// --- Figure 9: how many are found ---

// Points of four densities: left bottom 2, left top 0.5, right bottom 1, right top 4 of the mean.
static ShapeCloud quadrants(uint32_t count)
{
    ShapeCloud cloud = cloud_make(count, 2, false, 9);
    uint64_t random = 19;
    const double share[4] = {2.0 / 7.5, 2.5 / 7.5, 3.5 / 7.5, 1.0};
    for (uint32_t k = 0; k < count; k++) {
        double pick = random_unit(&random);
        int quadrant = 0;
        while (pick > share[quadrant]) quadrant++;
        const float corner[4][2] = {{0, 0}, {0, 0.5f}, {0.5f, 0}, {0.5f, 0.5f}};
        for (int axis = 0; axis < 2; axis++)
            cloud.at[axis][k] = corner[quadrant][axis] + 0.5f * cloud.at[axis][k];
    }
    return cloud;
}

// Frames 0 to 10 in the left bottom, 50 to 230 in the left top, 240 to 320 through left and right bottom to
// the right top, as the paper says.
static Vec3 figure_9_place(double frame)
{
    static const double way[][3] = {{0, 0.2, 0.2},    {10, 0.3, 0.25},  {50, 0.15, 0.6},  {110, 0.4, 0.85},
                                    {170, 0.1, 0.9},  {230, 0.25, 0.6}, {240, 0.25, 0.3}, {270, 0.6, 0.2},
                                    {290, 0.8, 0.35}, {320, 0.75, 0.8}};
    int k = 0;
    while (k < 8 && frame > way[k + 1][0]) k++;
    double part = (frame - way[k][0]) / (way[k + 1][0] - way[k][0]);
    double wobble = 0.012 * sin(0.9 * frame) * sin(0.13 * frame); // a hand is not even
    return vec3_make((float)(way[k][1] + part * (way[k + 1][1] - way[k][1]) + wobble),
                     (float)(way[k][2] + part * (way[k + 1][2] - way[k][2]) - wobble), 0.0f);
}

static void count_found(const char *folder)
{
    Bench bench = bench_make(quadrants(10000), 20.0);
    FILE *csv = bench_csv(folder, "figure_9.csv");
    double mean[3] = {0};
    fprintf(csv, "frame,sector,disk,hash_30\n");
    build(&bench, HASH30);
    for (uint32_t frame = 0; frame <= 320; frame++) {
        Vec3 at = figure_9_place(frame), before = figure_9_place(frame > 0 ? frame - 1.0 : 0.0);
        AdaptiveSector sector = sector_of(&bench);
        ShapeQuery narrow = adaptive_sector_query(&sector, at, vec3_sub(at, before));
        ShapeQuery round = shape_ball(at, bench.radius);
        // The cells that touch the disk: what a hash table takes for neighbors before it measures distances.
        ShapeQuery cells = shape_ball(at, 1.0f / 30.0f);
        uint32_t found[3] = {ask(&bench, SCAN, &narrow), ask(&bench, SCAN, &round),
                             ask(&bench, SCAN, &cells)};
        for (int k = 0; k < 3; k++) mean[k] += found[k] / 321.0;
        fprintf(csv, "%u,%u,%u,%u\n", frame, found[0], found[1], found[2]);
    }
    fclose(csv);
    printf("\nFigure 9: neighbors a frame, mean of 321: sector %.1f, disk of the same radius %.1f, within a "
           "cell "
           "of 1/30 %.1f\n",
           mean[0], mean[1], mean[2]);
    bench_free(&bench);
}

// --- what the paper does not show: many queries a frame ---

static double query_us(const Bench *bench, int method, uint32_t queries)
{
    double best = 1e30;
    for (int r = 0; r < 3; r++) {
        uint64_t random = 5;
        double started = clock_processor_seconds();
        for (uint32_t k = 0; k < queries; k++) {
            ShapeQuery query = mouse_query(bench, &random);
            ask(bench, method, &query);
        }
        best = fmin(best, clock_processor_seconds() - started);
    }
    return best * 1e6 / queries;
}

static void break_even(uint32_t count, FILE *csv)
{
    Bench bench = bench_make(cloud_make(count, 2, false, 4), 20.0);
    double build_us[METHODS] = {0}, each_us[METHODS];
    for (int method = 0; method < METHODS; method++) {
        double best = 1e30;
        for (int r = 0; r < 3; r++) {
            double started = clock_processor_seconds();
            build(&bench, method);
            best = fmin(best, clock_processor_seconds() - started);
        }
        build_us[method] = method <= SCAN_LANES ? 0.0 : best * 1e6;
        each_us[method] = query_us(&bench, method, method <= SCAN_LANES ? 2000000 / count + 2 : 10000);
        for (double queries = 1.0; queries <= count; queries *= 2.0)
            fprintf(csv, "%u,%s,%.0f,%.3f\n", count, method_names[method], queries,
                    build_us[method] + queries * each_us[method]);
    }
    printf("%9u", count);
    const int rivals[] = {GRID, HASH120, KD100};
    for (int scan = SCAN; scan <= SCAN_LANES; scan++) {
        for (int k = 0; k < 3; k++)
            printf(" %9.1f", build_us[rivals[k]] / (each_us[scan] - each_us[rivals[k]]));
    }
    printf("   %10.0f %10.1f %8.0f\n", each_us[SCAN] * count * 1e-3,
           (build_us[GRID] + each_us[GRID] * count) * 1e-3,
           each_us[SCAN] * count / (build_us[GRID] + each_us[GRID] * count));
    bench_free(&bench);
}

static void find_break_even(bool full, const char *folder)
{
    FILE *csv = bench_csv(folder, "queries.csv");
    fprintf(csv, "points,method,queries,us\n");
    printf("\nQueries a frame from which on a structure is faster than the scan\n%9s %29s %29s   %s\n%9s %9s "
           "%9s "
           "%9s %9s %9s %9s   %10s %10s %8s\n",
           "", "scan", "scan, 16 at a time", "every point asks, ms", "points", "grid", "hash 120", "k-d 100",
           "grid", "hash 120", "k-d 100", "scan", "grid", "times");
    for (uint32_t count = 10000; count <= (full ? 1000000 : 100000); count *= 10) break_even(count, csv);
    fclose(csv);
}

int main(int count, char **arguments)
{
    if (count != 3 || (strcmp(arguments[1], "quick") != 0 && strcmp(arguments[1], "full") != 0)) {
        fprintf(stderr, "usage: bench_sector quick|full FOLDER\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool full = strcmp(arguments[1], "full") == 0;
    parallel_set_workers(1);
    FILE *frames = bench_csv(arguments[2], "figures_14_15.csv"),
         *tables = bench_csv(arguments[2], "tables.csv");
    fprintf(frames, "points,frame,method,us\n");
    fprintf(tables, "table,method,points,paper_us,us,times_sector\n");
    printf("Kim and Lee 2025, one thread, processor time, %s\n", cpu_level_name(cpu_level()));
    for (int table = 0; table < 2; table++) {
        measure_frames(table, 0, full ? 120 : 40, frames);
        measure_frames(table, 1, full ? 60 : 8, frames);
        print_table(table, tables);
    }
    fclose(frames);
    fclose(tables);
    compare_with_brute_force();
    count_found(arguments[2]);
    find_break_even(full, arguments[2]);
    return 0;
}
