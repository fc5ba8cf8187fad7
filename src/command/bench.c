#include "command/bench.h"

#include "command/checkpoint.h"
#include "command/command.h"
#include "command/kept_files.h"
#include "command/library_call.h"
#include "command/number.h"
#include "command/options_stored.h"
#include "command/run.h"
#include "core/clock.h"
#include "core/median.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "export/file_writer.h"
#include "library/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BRUTE_FORCE_MAX 200000 // particles; beyond, `all` would take hours
#define WAITED_SHARE 0.1       // of the steps' time, from which on the machine counts as shared
#define MEMORY_SHARE 0.8       // of what is available, that all fluids together may take

// A method and the simulation that it steps.
typedef struct BenchLane {
    const char *method;
    pbf_sim *sim;
    double time;                                      // s, of the simulation
    uint64_t frame;                                   // the next frame that steps lead up to
    double *ms[BENCH_TIME_COUNT];                     // of the counted steps
    uint32_t steps;                                   // counted so far
    uint64_t candidates, neighbors;                   // summed over the counted steps
    uint64_t structure_bytes, list_bytes, cell_bytes; // at their largest
    bool compact;                                     // in any of them
    uint32_t particles;                               // at the last step
    uint64_t particle_sum;                            // over the steps
    uint64_t state_hash;
} BenchLane;

typedef struct Bench {
    const Options *options;
    const char *checkpoint; // that all simulations begin with, or NULL
    pbf_scene *scene;
    pbf_count count;
    char name[64], method[32]; // of the scene
    double fps;
    BenchLane lanes[OPTIONS_METHODS_MAX];
    uint32_t lane_count;
    // Rows of the report: an alias of a method that has a lane shows that lane's numbers.
    struct {
        const char *method;
        uint32_t lane;
    } rows[OPTIONS_METHODS_MAX];
    uint32_t row_count;
    uint32_t steps, warmup;
    double seconds, waited; // of all steps, and how much of that others had the core
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

static void choose_methods(Bench *bench)
{
    uint64_t particles = bench->count.particles + bench->count.emitted;
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
    if (bench->row_count == 0) add_row(bench, bench->method);
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

static Result build_sim(const Bench *bench, BenchLane *lane)
{
    const Options *options = bench->options;
    const pbf_setting method = {"solver.neighbor", lane->method};
    pbf_info info;
    TRY(library_result(options, pbf_scene_set(bench->scene, &method, 1)));
    TRY(library_result(options, bench->checkpoint
                                    ? pbf_sim_resume(bench->scene, bench->checkpoint, &lane->sim)
                                    : pbf_sim_create(bench->scene, &lane->sim)));
    TRY(library_result(options, pbf_sim_info(lane->sim, &info)));
    lane->time = info.time;
    return result_ok();
}

// End of the frame that a simulation is in: steps are cut as `render` cuts them.
static double frame_end(const Bench *bench, BenchLane *lane)
{
    double fps = bench->fps;
    uint64_t reached = (uint64_t)(lane->time * fps); // a state may begin millions of frames in
    if (reached > lane->frame) lane->frame = reached;
    while (lane->time >= (double)lane->frame / fps) lane->frame++;
    return (double)lane->frame / fps;
}

static bool out_of_frames(const Bench *bench, BenchLane *lane)
{
    frame_end(bench, lane);
    return bench->options->frames > 0 && lane->frame >= bench->options->frames;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void count_step(BenchLane *lane, const pbf_report *report, double total_ms)
{
    uint32_t k = lane->steps++;
    lane->ms[BENCH_CONSTRUCTION][k] = report->build_ms;
    lane->ms[BENCH_SEARCH][k] = report->search_ms;
    lane->ms[BENCH_BEHAVIOR][k] = total_ms - report->build_ms - report->search_ms;
    lane->ms[BENCH_TOTAL][k] = total_ms;
    lane->candidates += report->candidates;
    lane->neighbors += report->neighbors;
    lane->structure_bytes = larger(lane->structure_bytes, report->structure_bytes);
    lane->list_bytes = larger(lane->list_bytes, report->list_bytes);
    lane->cell_bytes = larger(lane->cell_bytes, report->cell_bytes);
    lane->compact |= report->compact != 0;
    lane->particles = report->particles;
    lane->particle_sum += report->particles;
}

static Result step_to(const Bench *bench, BenchLane *lane, double until, pbf_report *report)
{
    TRY(run_interrupted());
    TRY(library_result(bench->options, pbf_sim_step(lane->sim, until, report)));
    lane->time = report->time;
    return result_ok();
}

static Result step_lane(Bench *bench, BenchLane *lane, bool counted)
{
    pbf_report report;
    double until = frame_end(bench, lane), started = clock_seconds();
    TRY(step_to(bench, lane, until, &report));
    double took = clock_seconds() - started;
    if (counted) count_step(lane, &report, 1e3 * took);
    bench->seconds += took;
    return result_ok();
}

static Result simulate_to_start(Bench *bench, BenchLane *lane)
{
    double start = bench->options->start;
    while (lane->time < start) {
        pbf_report report;
        double end = frame_end(bench, lane);
        TRY(step_to(bench, lane, end < start ? end : start, &report));
        progress_show(&bench->progress, 0.0, "%s: to the start, %.2f of %.2f s", lane->method, lane->time,
                      start);
    }
    return result_ok();
}

// Steps some lanes in turn, so that whatever else the machine does hits all alike.
static Result measure(Bench *bench, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; k++) {
        TRY(build_sim(bench, &bench->lanes[k]));
        TRY(simulate_to_start(bench, &bench->lanes[k]));
    }
    uint32_t steps = bench->warmup + bench->steps;
    double waited = clock_waited_seconds();
    for (uint32_t step = 0; step < steps && !out_of_frames(bench, &bench->lanes[begin]); step++) {
        for (uint32_t k = begin; k < end; k++) TRY(step_lane(bench, &bench->lanes[k], step >= bench->warmup));
        double done = (begin + (end - begin) * (step + 1.0) / steps) / bench->lane_count;
        progress_show(&bench->progress, done, "%s: step %u/%u",
                      end - begin > 1 ? "all methods in turn" : bench->lanes[begin].method, step + 1, steps);
    }
    bench->waited += clock_waited_seconds() - waited;
    for (uint32_t k = begin; k < end; k++) {
        BenchLane *lane = &bench->lanes[k];
        lane->state_hash = pbf_sim_hash(lane->sim);
        pbf_sim_destroy(lane->sim);
        lane->sim = NULL;
    }
    return result_ok();
}

static Result measure_all(Bench *bench)
{
    double each = (double)bench->count.memory;
    if (bench->lane_count * each <= MEMORY_SHARE * (double)memory_available())
        return measure(bench, 0, bench->lane_count);
    if (bench->lane_count > 1)
        progress_note(&bench->progress, "memory does not hold %u fluids: the methods run one after another",
                      bench->lane_count);
    for (uint32_t k = 0; k < bench->lane_count; k++) TRY(measure(bench, k, k + 1));
    return result_ok();
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < count; k++) sum += values[k];
    return sum / count;
}

static BenchRow summarize(const BenchLane *lane, const char *method)
{
    BenchRow row = {
        .method = method,
        .alias_of = strcmp(method, lane->method) != 0 ? lane->method : NULL,
        .candidates = (double)lane->candidates / lane->steps,
        .neighbors = (double)lane->neighbors / lane->steps,
        .structure_bytes = lane->structure_bytes,
        .list_bytes = lane->list_bytes,
        .cell_bytes = lane->cell_bytes,
        .compact = lane->compact,
        .state_hash = lane->state_hash,
    };
    for (int time = 0; time < BENCH_TIME_COUNT; time++)
        row.median_ms[time] = median(lane->ms[time], lane->steps);
    row.mean_ms = mean(lane->ms[BENCH_TOTAL], lane->steps);
    return row;
}

// Cells of a table over the whole tank, as in the grids of Takeshita and Ryu.
static uint64_t domain_cells(const pbf_count *count)
{
    uint64_t cells = 1;
    for (int axis = 0; axis < 3; axis++) cells *= (uint64_t)ceil(count->tank[axis] / count->radius - 1e-6);
    return cells;
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
    double particles = (double)first->particle_sum / first->steps;
    BenchReport report = {
        .scene = bench->name,
        .particles = first->particles,
        .mean_particles = particles,
        .each = particles > 0 ? 1.0 / particles : 0.0,
        .threads = parallel_workers(),
        .steps = first->steps,
        .domain_cells = domain_cells(&bench->count),
        .rows = rows,
        .row_count = bench->row_count,
    };
    if (!json || strcmp(json, "-") != 0) bench_print_table(&report);
    if (json) TRY(bench_write_json(&report, json));
    return bench->options->plot ? bench_plot(&report, bench->options->plot) : result_ok();
}

// Medians forgive single steps that were interrupted, not a machine that is shared.
static void tell_waited(Bench *bench)
{
    double share = bench->seconds > 0.0 ? bench->waited / bench->seconds : 0.0;
    if (share < WAITED_SHARE) return;
    progress_note(&bench->progress,
                  "other programs had the core for %.0f %% of the time: steps are faster on a quiet machine",
                  100 * fmin(share, 1.0));
}

static Result open_scene(Bench *bench)
{
    const Options *options = bench->options;
    TRY(library_read_scene(options, bench->checkpoint, &bench->scene));
    TRY(library_result(options, pbf_scene_count(bench->scene, &bench->count)));
    if (bench->count.particles + bench->count.emitted == 0 && !bench->checkpoint)
        return result_error(RESULT_USAGE, "%.200s: the scene holds no water (it needs water or emitters)",
                            options->scene);
    TRY(library_result(options, pbf_scene_get(bench->scene, "name", bench->name, sizeof bench->name)));
    TRY(library_result(options,
                       pbf_scene_get(bench->scene, "solver.neighbor", bench->method, sizeof bench->method)));
    return library_number(options, bench->scene, "output.fps", &bench->fps);
}

static Result check_outputs(const Options *options, const KeptFiles *kept)
{
    char data[PATH_MAX];
    if (options->plot) TRY(bench_plot_data_path(options->plot, data));
    const OutputFile outputs[] = {
        {"--json", options->json}, {"--plot", options->plot}, {"--plot", options->plot ? data : NULL}};
    return kept_files_check(kept, outputs, sizeof outputs / sizeof *outputs);
}

// Nothing that is read is written over.
static Result keep_inputs(const Bench *bench)
{
    KeptFiles kept = {0};
    Result result = kept_files_add_scene(&kept, scene_inside(bench->scene));
    if (result_is_ok(&result) && bench->checkpoint) result = kept_files_add(&kept, bench->checkpoint);
    if (result_is_ok(&result)) result = check_outputs(bench->options, &kept);
    kept_files_free(&kept);
    return result;
}

static Result bench_scene(Bench *bench)
{
    TRY(keep_inputs(bench));
    // A path that cannot be written should fail before the measurement, not after it.
    if (bench->options->json) TRY(file_target_probe(bench->options->json));
    if (bench->options->plot) TRY(bench_plot_probe(bench->options->plot));
    choose_methods(bench);
    TRY(allocate_times(bench));
    TRY(measure_all(bench));
    progress_end(&bench->progress);
    tell_waited(bench);
    return report_all(bench);
}

static void release(Bench *bench)
{
    progress_end(&bench->progress);
    for (uint32_t k = 0; k < bench->lane_count; k++) {
        pbf_sim_destroy(bench->lanes[k].sim);
        for (int time = 0; time < BENCH_TIME_COUNT; time++) memory_free(bench->lanes[k].ms[time]);
    }
    pbf_scene_destroy(bench->scene);
}

static Result bench_options(const Options *options, Checkpoint *from, Progress *progress)
{
    parallel_set_workers(options->threads);
    Bench bench = {
        .options = options,
        .checkpoint = from ? from->path : NULL,
        .steps = options->steps,
        .warmup = options->warmup,
        .progress = *progress,
    };
    Result result = open_scene(&bench);
    if (result_is_ok(&result) && from) checkpoint_tell_instructions(from, bench.method, &bench.progress);
    if (result_is_ok(&result)) result = bench_scene(&bench);
    release(&bench);
    return result;
}

Result command_bench(const Options *options)
{
    return checkpoint_start_command(options, bench_options);
}
