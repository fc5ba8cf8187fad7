// Results of `bench` and how they are reported.
#ifndef PBF_COMMAND_BENCH_H
#define PBF_COMMAND_BENCH_H

#include "core/result.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum BenchTime {
    BENCH_CONSTRUCTION,
    BENCH_SEARCH,
    BENCH_BEHAVIOR,
    BENCH_TOTAL,
    BENCH_TIME_COUNT
} BenchTime;

typedef struct BenchRow {
    const char *method;
    const char *alias_of; // the measured method whose numbers these are; NULL: this one was measured
    double median_ms[BENCH_TIME_COUNT];
    double mean_ms;               // of the total
    double candidates, neighbors; // summed over particles, averaged over steps
    uint64_t structure_bytes, list_bytes;
    uint64_t cell_bytes; // of the structure, without what grows with the points
    bool compact;        // a grid kept only cells that hold points, in one of the steps or more
    uint64_t state_hash;
} BenchRow;

typedef struct BenchReport {
    const char *scene;
    uint32_t particles, threads, steps; // particles: at the last step
    double mean_particles;              // over the steps, as candidates and neighbors are
    double each;                        // makes such a sum one of a particle
    uint64_t domain_cells;              // of one influence radius, in the tank; 0 without one
    const BenchRow *rows;
    uint32_t row_count;
} BenchReport;

// Prints an aligned table on standard output; percentages are of uniform_grid or, without it, of the first
// method.
void bench_print_table(const BenchReport *report);

// Writes the report as JSON; "-" is standard output. Error: RESULT_FAILED naming the file.
Result bench_write_json(const BenchReport *report, const char *path);

// Draws the report as charts into a file FILE.png, with OpenGL; the numbers go beside it, into FILE.dat.
// Errors: RESULT_FAILED naming the file, or what is wrong with OpenGL (the numbers are then written).
Result bench_plot(const BenchReport *report, const char *path);

// Name of the file of numbers. Error: RESULT_USAGE if it is too long.
Result bench_plot_data_path(const char *png, char out[PATH_MAX]);

// Proves that both files can be made.
Result bench_plot_probe(const char *path);

#endif
