#include "command/bench.h"

#include "command/checkpoint.h"
#include "command/command.h"
#include "command/number.h"
#include "command/options_stored.h"
#include "command/run.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "export/file_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BRUTE_FORCE_MAX 200000 // particles; beyond, `all` would take hours
#define MEMORY_SHARE 0.8       // of what is available, that all fluids together may take

// A method and the fluid that it steps.
typedef struct BenchLane {
    const char *method;
    Fluid *fluid;
    uint64_t frame;               // the next frame that steps lead up to
    double *ms[BENCH_TIME_COUNT]; // of the counted steps
    uint32_t steps;               // counted so far
    NeighborStats sum;     // candidates and neighbors summed over the counted steps, bytes at their largest
    uint64_t cell_bytes;   // at their largest
    uint32_t particles;    // at the last step
    uint64_t particle_sum; // over the steps
    uint64_t state_hash;
} BenchLane;

typedef struct Bench {
    const Options *options;
    const SceneDef *scene;
    BenchLane lanes[OPTIONS_METHODS_MAX];
    uint32_t lane_count;
    // Rows of the report: an alias of a method that has a lane shows that lane's numbers.
    struct {
        const char *method;
        uint32_t lane;
    } rows[OPTIONS_METHODS_MAX];
    uint32_t row_count;
    uint32_t steps, warmup;
    Progress progress;
} Bench;

// The lane that runs the same search under another name; one behind the last if there is none.
static uint32_t lane_of_alias(const Bench *bench, const char *method)
{
    uint32_t k = 0;
    for (; k < bench->lane_count; k++) {
        const char *other = bench->lanes[k].method;
        if (strcmp(method, other) != 0 &&
            strcmp(neighbor_method_itself(method), neighbor_method_itself(other)) == 0)
            break;
    }
    return k;
}

static void add_row(Bench *bench, const char *method)
{
    uint32_t lane = lane_of_alias(bench, method), row = bench->row_count++;
    bench->rows[row].method = method;
    bench->rows[row].lane = lane;
    if (lane == bench->lane_count)
        bench->lanes[bench->lane_count++] = (BenchLane){.method = method, .frame = 1};
}

static void choose_methods(Bench *bench, uint64_t particles)
{
    const Options *options = bench->options;
    for (uint32_t k = 0; k < options->method_count; k++) add_row(bench, options->methods[k]);
    for (uint32_t k = 0; options->all_methods && neighbor_method_name(k); k++) {
        const char *method = neighbor_method_name(k);
        if (strcmp(method, "brute_force") == 0 && particles > BRUTE_FORCE_MAX) {
            progress_note(&bench->progress,
                          "brute_force is left out above %d particles (name it to measure it)",
                          BRUTE_FORCE_MAX);
        } else {
            add_row(bench, method);
        }
    }
    if (bench->row_count == 0) add_row(bench, bench->scene->fluid.neighbor);
}

static Result allocate_times(Bench *bench)
{
    size_t bytes = bench->steps * sizeof(double);
    for (uint32_t k = 0; k < bench->lane_count; k++) {
        for (int time = 0; time < BENCH_TIME_COUNT; time++) {
            bench->lanes[k].ms[time] = memory_allocate(bytes);
            if (!bench->lanes[k].ms[time]) return result_no_memory("the steps' times", bytes);
        }
    }
    return result_ok();
}

static Result build_fluid(const Bench *bench, BenchLane *lane)
{
    SceneDef scene = *bench->scene; // a shallow copy: building only reads it
    strcpy(scene.fluid.neighbor, lane->method);
    return scene_build(&scene, &lane->fluid);
}

// End of the frame that a fluid is in: steps are cut as `render` cuts them.
static double frame_end(const Bench *bench, BenchLane *lane)
{
    double fps = bench->scene->output.fps;
    double time = fluid_time(lane->fluid);
    uint64_t reached = (uint64_t)(time * fps); // a state may begin millions of frames in
    if (reached > lane->frame) lane->frame = reached;
    while (time >= (double)lane->frame / fps) lane->frame++;
    return (double)lane->frame / fps;
}

static bool out_of_frames(const Bench *bench, BenchLane *lane)
{
    frame_end(bench, lane);
    return bench->options->frames > 0 && lane->frame >= bench->options->frames;
}

static void count_step(BenchLane *lane, const StepReport *report, double total_ms)
{
    const NeighborStats *now = &report->neighbor;
    uint32_t k = lane->steps++;
    lane->ms[BENCH_CONSTRUCTION][k] = now->construction_ms;
    lane->ms[BENCH_SEARCH][k] = now->search_ms;
    lane->ms[BENCH_BEHAVIOR][k] = total_ms - now->construction_ms - now->search_ms;
    lane->ms[BENCH_TOTAL][k] = total_ms;
    lane->sum.candidates += now->candidates;
    lane->sum.neighbors += now->neighbors;
    if (now->structure_bytes > lane->sum.structure_bytes) lane->sum.structure_bytes = now->structure_bytes;
    if (now->list_bytes > lane->sum.list_bytes) lane->sum.list_bytes = now->list_bytes;
    uint64_t cells = now->structure_bytes - now->point_bytes;
    if (cells > lane->cell_bytes) lane->cell_bytes = cells;
    lane->sum.compact |= now->compact;
    lane->particles = report->particles;
    lane->particle_sum += report->particles;
}

static Result step_lane(Bench *bench, BenchLane *lane, bool counted)
{
    StepReport report;
    TRY(run_interrupted());
    double until = frame_end(bench, lane), started = clock_seconds();
    TRY(fluid_step(lane->fluid, until, &report));
    if (counted) count_step(lane, &report, 1e3 * (clock_seconds() - started));
    return result_ok();
}

static Result simulate_to_start(Bench *bench, BenchLane *lane)
{
    double start = bench->options->start;
    while (fluid_time(lane->fluid) < start) {
        TRY(run_interrupted());
        double end = frame_end(bench, lane);
        TRY(fluid_step(lane->fluid, end < start ? end : start, NULL));
        progress_show(&bench->progress, 0.0, "%s: to the start, %.2f of %.2f s", lane->method,
                      fluid_time(lane->fluid), start);
    }
    return result_ok();
}

// Steps some lanes in turn, so that whatever else the machine does hits all alike.
static Result measure(Bench *bench, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; k++) {
        TRY(build_fluid(bench, &bench->lanes[k]));
        TRY(simulate_to_start(bench, &bench->lanes[k]));
    }
    uint32_t steps = bench->warmup + bench->steps;
    for (uint32_t step = 0; step < steps && !out_of_frames(bench, &bench->lanes[begin]); step++) {
        for (uint32_t k = begin; k < end; k++) TRY(step_lane(bench, &bench->lanes[k], step >= bench->warmup));
        double done = (begin + (end - begin) * (step + 1.0) / steps) / bench->lane_count;
        progress_show(&bench->progress, done, "%s: step %u/%u",
                      end - begin > 1 ? "all methods in turn" : bench->lanes[begin].method, step + 1, steps);
    }
    for (uint32_t k = begin; k < end; k++) {
        BenchLane *lane = &bench->lanes[k];
        lane->state_hash = fluid_state_hash(lane->fluid);
        fluid_destroy(lane->fluid);
        lane->fluid = NULL;
    }
    return result_ok();
}

static Result measure_all(Bench *bench, uint64_t particles)
{
    double each = (double)fluid_memory_estimate(&bench->scene->fluid, particles);
    if (bench->lane_count * each <= MEMORY_SHARE * (double)memory_available())
        return measure(bench, 0, bench->lane_count);
    if (bench->lane_count > 1)
        progress_note(&bench->progress, "memory does not hold %u fluids: the methods run one after another",
                      bench->lane_count);
    for (uint32_t k = 0; k < bench->lane_count; k++) TRY(measure(bench, k, k + 1));
    return result_ok();
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static BenchRow summarize(const BenchLane *lane, const char *method)
{
    BenchRow row = {
        .method = method,
        .alias_of = strcmp(method, lane->method) != 0 ? lane->method : NULL,
        .candidates = (double)lane->sum.candidates / lane->steps,
        .neighbors = (double)lane->sum.neighbors / lane->steps,
        .structure_bytes = lane->sum.structure_bytes,
        .list_bytes = lane->sum.list_bytes,
        .cell_bytes = lane->cell_bytes,
        .compact = lane->sum.compact,
        .state_hash = lane->state_hash,
    };
    for (int time = 0; time < BENCH_TIME_COUNT; time++)
        row.median_ms[time] = median(lane->ms[time], lane->steps);
    return row;
}

// Cells of a table over the whole tank, as in the grids of Takeshita and Ryu.
static uint64_t domain_cells(const SceneDef *scene)
{
    if (!scene->tank.present) return 0;
    double h = (double)scene->fluid.spacing * (double)scene->fluid.radius_factor;
    return (uint64_t)(ceil((double)scene->tank.size.x / h - 1e-6) *
                      ceil((double)scene->tank.size.y / h - 1e-6) *
                      ceil((double)scene->tank.size.z / h - 1e-6));
}

static Result report_all(const Bench *bench)
{
    BenchRow rows[OPTIONS_METHODS_MAX];
    const char *json = bench->options->json;
    const BenchLane *first = &bench->lanes[0];
    for (uint32_t k = 0; k < bench->lane_count; k++) {
        // Checked for each: steps whose sums round differently may also be cut differently.
        if (bench->lanes[k].steps == 0)
            return result_error(RESULT_USAGE,
                                "--frames: no step is left to count (more frames, or a smaller --warmup)");
    }
    for (uint32_t k = 0; k < bench->row_count; k++)
        rows[k] = summarize(&bench->lanes[bench->rows[k].lane], bench->rows[k].method);
    BenchReport report = {
        .scene = bench->scene->name,
        .particles = first->particles,
        .mean_particles = (double)first->particle_sum / first->steps,
        .threads = parallel_workers(),
        .steps = first->steps,
        .domain_cells = domain_cells(bench->scene),
        .rows = rows,
        .row_count = bench->row_count,
    };
    if (!json || strcmp(json, "-") != 0) bench_print_table(&report);
    if (json) TRY(bench_write_json(&report, json));
    return bench->options->plot ? bench_plot(&report, bench->options->plot) : result_ok();
}

static Result bench_scene(Bench *bench)
{
    SceneCount count;
    // A path that cannot be written should fail before the measurement, not after it.
    if (bench->options->json) TRY(file_target_probe(bench->options->json));
    if (bench->options->plot) TRY(bench_plot_probe(bench->options->plot));
    TRY(scene_count(bench->scene, &count));
    choose_methods(bench, count.initial + count.emitted);
    TRY(allocate_times(bench));
    TRY(measure_all(bench, count.initial + count.emitted));
    progress_end(&bench->progress);
    return report_all(bench);
}

static void release(Bench *bench)
{
    progress_end(&bench->progress);
    for (uint32_t k = 0; k < bench->lane_count; k++) {
        fluid_destroy(bench->lanes[k].fluid);
        for (int time = 0; time < BENCH_TIME_COUNT; time++) memory_free(bench->lanes[k].ms[time]);
    }
}

static Result bench_options(const Options *options, Checkpoint *from, Progress *progress)
{
    SceneDef scene;
    parallel_set_workers(options->threads);
    TRY(options_read_scene(options, &scene));
    Bench bench = {
        .options = options,
        .scene = &scene,
        .steps = options->steps,
        .warmup = options->warmup,
        .progress = *progress,
    };
    Result result = from ? checkpoint_start_scene(from, &scene, &bench.progress) : result_ok();
    if (result_is_ok(&result)) result = bench_scene(&bench);
    release(&bench);
    scene_free(&scene);
    return result;
}

Result command_bench(const Options *options)
{
    return checkpoint_start_command(options, bench_options);
}
