// Measures steps of a scene by phase, and what the machine can do at most, in one run; prints CSV rows that
// need no other file to be understood. Columns: tools/bench/README.md.
// usage: measure SCENE.yaml SPACING START_SECONDS STEPS THREADS scalar|plain|avx2|avx512 METHOD
#include "benching.h"
#include "ceilings.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES (64u << 20)
#define STEPS_MAX 400
#define TOTAL PHASE_COUNT // the row after the phases

// --- ceilings, of one core, per second of its processor time ---

static double fma_ceiling(CpuLevel level)
{
    // What one float at a time could do is what the plain vectors do.
    CeilingFlops *const functions[] = {ceiling_flops_plain, ceiling_flops_plain, ceiling_flops_avx2,
                                       ceiling_flops_avx512};
    double best = 0.0;
    float sink = 0.0f;
    for (int k = 0; k < 5; k++) {
        double started = clock_processor_seconds();
        double flops = functions[level](4000000, &sink);
        double rate = flops / (clock_processor_seconds() - started);
        best = rate > best ? rate : best;
    }
    return sink > 0.0f ? best : 0.0;
}

static double copy_ceiling(void)
{
    char *from = memory_allocate_zeroed(COPY_BYTES), *to = memory_allocate_zeroed(COPY_BYTES);
    double best = 0.0;
    for (int k = 0; from && to && k < 8; k++) {
        double started = clock_processor_seconds();
        memcpy(to, from, COPY_BYTES);
        double rate = 2.0 * COPY_BYTES / (clock_processor_seconds() - started);
        best = rate > best ? rate : best;
        from[k] = to[k + 1]; // so that no copy is left out
    }
    memory_free(from);
    memory_free(to);
    return best;
}

// --- what a phase does at least ---

// Floating point operations a pair, counted in passes_body.h with fused operations as two and estimates as
// one, and what a pair adds to the second side; bytes a particle that must come from or go to memory once,
// beside the pairs' own.
static double phase_flops(StepPhase phase, const StepReport *report, uint32_t iterations)
{
    double both = (double)report->neighbor.shared, pairs = (double)report->neighbor.evaluated + both;
    switch (phase) {
    case PHASE_DENSITY:
        return (37.0 * pairs + 9.0 * both) * iterations;
    case PHASE_CORRECTION:
        return (40.0 * pairs + 6.0 * both) * iterations;
    case PHASE_FORCES:
        return (53.0 + 79.0) * pairs + (12.0 + 24.0) * both;
    default:
        return 0.0;
    }
}

static double phase_bytes(StepPhase phase, const StepReport *report, bool clustered, uint32_t iterations)
{
    double pairs = (double)(report->neighbor.evaluated + report->neighbor.shared);
    double lists = pairs / (clustered ? 16.0 : 1.0) * sizeof(uint32_t);
    double n = report->particles;
    switch (phase) {
    case PHASE_DENSITY:
        return (32.0 * n + lists) * iterations;
    case PHASE_CORRECTION:
        return (28.0 * n + lists) * iterations;
    case PHASE_FORCES:
        return (28.0 + 28.0 + 68.0) * n + 2.0 * lists;
    case PHASE_REORDER: // keys and places sorted in three rounds, eleven streams gathered
        return (3.0 * 2.0 * 12.0 + 2.0 * 12.0 * 4.0) * n;
    default:
        return 0.0;
    }
}

// --- the run ---

static double load_average(void)
{
    double load = 0.0;
    return getloadavg(&load, 1) == 1 ? load : -1.0;
}

// Of the machine and the build, from the environment that tools/bench/run sets.
static const char *given(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "unknown";
}

static double wall[PHASE_COUNT + 1][STEPS_MAX], processor[PHASE_COUNT + 1][STEPS_MAX];

static void count_step(const StepReport *report, int step)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        wall[phase][step] = report->phase_ms[phase];
        processor[phase][step] = report->processor_ms[phase];
        wall[TOTAL][step] += report->phase_ms[phase];
        processor[TOTAL][step] += report->processor_ms[phase];
    }
}

static void print_rows(const SceneDef *scene, const StepReport *report, int steps, double load)
{
    CpuLevel level = cpu_level();
    bool clustered = neighbor_method_is_clustered(scene->fluid.neighbor);
    double flops_ceiling = fma_ceiling(level), bytes_ceiling = copy_ceiling();
    for (int phase = 0; phase <= TOTAL; phase++) {
        double wall_ms = median(wall[phase], (uint32_t)steps),
               processor_ms = median(processor[phase], (uint32_t)steps);
        double flops = 0.0, bytes = 0.0;
        for (int k = 0; k < PHASE_COUNT; k++) {
            if (k != phase && phase != TOTAL) continue;
            flops += phase_flops((StepPhase)k, report, scene->fluid.iterations);
            bytes += phase_bytes((StepPhase)k, report, clustered, scene->fluid.iterations);
        }
        double gflops = flops / fmax(processor_ms, 1e-9) * 1e-6,
               gbytes = bytes / fmax(processor_ms, 1e-9) * 1e-6;
        double of_flops = gflops * 1e9 / flops_ceiling, of_bytes = gbytes * 1e9 / bytes_ceiling;
        printf("1,%s,%s,%s,%s,%.1f,%s,%s,%u,%s,%s,%u,%.1f,%d,%s,median,%.3f,%.3f,%.2f,%.2f,%.2f,%.1f,%.1f,%."
               "3f,%.1f\n",
               given("BENCH_COMMIT"), given("BENCH_DATE"), given("BENCH_CPU"), given("BENCH_CORES"), load,
               given("BENCH_COMPILER"), cpu_level_name(level), parallel_workers(), scene->name,
               scene->fluid.neighbor, report->particles,
               (double)report->neighbor.neighbors / report->particles, steps,
               phase == TOTAL ? "total" : step_phase_name((StepPhase)phase), wall_ms, processor_ms,
               processor_ms * 1e6 / report->particles, gflops, gbytes, flops_ceiling * 1e-9,
               bytes_ceiling * 1e-9, of_flops > of_bytes ? of_flops : of_bytes,
               (double)memory_peak_rss() * 1e-6);
    }
}

static void measure(char **argument)
{
    int steps = atoi(argument[4]);
    if (steps < 1 || steps > STEPS_MAX)
        stop_on_error(result_error(RESULT_USAGE, "steps: 1 .. %d", STEPS_MAX));
    parallel_set_workers((uint32_t)atoi(argument[5]));
    int level = 0;
    while (level < CPU_LEVEL_COUNT && strcmp(argument[6], cpu_level_name((CpuLevel)level)) != 0) level++;
    if (level == CPU_LEVEL_COUNT)
        stop_on_error(result_error(RESULT_USAGE, "instruction set %s is unknown", argument[6]));
    cpu_set_level((CpuLevel)level);
    SceneOverride overrides[] = {{"spacing", argument[2]}, {"solver.neighbor", argument[7]}};
    SceneDef scene;
    Fluid *fluid;
    StepReport report = {0};
    stop_on_error(scene_read(argument[1], overrides, 2, &scene));
    stop_on_error(scene_build(&scene, &fluid));
    fluid_time_processor(fluid);
    double start = atof(argument[3]);
    while (fluid_time(fluid) < start) stop_on_error(fluid_step(fluid, start, &report));
    for (int k = 0; k < 2; k++) stop_on_error(fluid_step(fluid, 1e6, &report)); // buffers reach their size
    double load = load_average();
    for (int step = 0; step < steps; step++) {
        stop_on_error(fluid_step(fluid, 1e6, &report));
        count_step(&report, step);
    }
    print_rows(&scene, &report, steps, load);
    fluid_destroy(fluid);
    scene_free(&scene);
}

int main(int count, char **argument)
{
    if (count != 8) {
        fprintf(stderr,
                "usage: measure SCENE.yaml SPACING START STEPS THREADS scalar|plain|avx2|avx512 METHOD\n");
        return 2;
    }
    measure(argument);
    return 0;
}
