#include "command/compare.h"

#include "command/number.h"
#include "core/memory.h"
#include "core/pair_figure.h"
#include "core/parallel.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"
#include "render/chart.h"
#include "render/gl_context.h"

#include <math.h>
#include <string.h>

#define CHART_WIDTH 1280
#define CHART_HEIGHT 720

struct CompareReport {
    const char *folder; // NULL: nothing is written
    const SceneDef *scene;
    const SideName *names;
    FileWriter csv;
    bool csv_open;
    double *reductions; // percent, of each round
    double mean;        // percent, of all rounds' times
    size_t capacity;
    uint32_t count;
};

// --- compare.csv ---

// Parts of a step that have columns of their own.
static bool is_search(uint32_t phase)
{
    return strcmp(pbf_phase(phase), "construction") == 0 || strcmp(pbf_phase(phase), "search") == 0;
}

static void write_side_header(FileWriter *csv, char side)
{
    file_writer_print(csv, ",%c_steps,%c_construction_ms,%c_search_ms,%c_behavior_ms,%c_total_ms", side, side,
                      side, side, side);
    for (uint32_t phase = 0; pbf_phase(phase); phase++) {
        if (!is_search(phase)) file_writer_print(csv, ",%c_%s_ms", side, pbf_phase(phase));
    }
    file_writer_print(csv, ",%c_candidates,%c_neighbors,%c_structure_bytes,%c_list_bytes,%c_particles", side,
                      side, side, side, side);
}

static void write_side(FileWriter *csv, const pbf_cost *cost)
{
    file_writer_print(csv, ",%u,%.6f,%.6f,%.6f,%.6f", cost->steps, cost->build_ms, cost->search_ms,
                      cost->rest_ms, cost->wall_ms);
    for (uint32_t phase = 0; pbf_phase(phase); phase++) {
        if (!is_search(phase)) file_writer_print(csv, ",%.6f", cost->phase_ms[phase]);
    }
    file_writer_print(csv, ",%llu,%llu,%llu,%llu,%u", (unsigned long long)cost->candidates,
                      (unsigned long long)cost->neighbors, (unsigned long long)cost->structure_bytes,
                      (unsigned long long)cost->list_bytes, cost->particles);
}

static void write_header(FileWriter *csv)
{
    file_writer_print(csv, "step,time_s,dt_s");
    write_side_header(csv, 'a');
    write_side_header(csv, 'b');
    file_writer_print(csv, ",reduction_percent,identical,differing,farthest_particle,distance_m,velocity_m_s,"
                           "distance_rms_m\n");
}

static void write_round(FileWriter *csv, const pbf_pair_data *data, double reduction)
{
    const pbf_difference *difference = &data->difference;
    file_writer_print(csv, "%llu,%.9g,%.9g", (unsigned long long)data->round, data->end,
                      data->end - data->start);
    for (int side = 0; side < 2; side++) write_side(csv, &data->round_cost[side]);
    file_writer_print(csv, ",%.4f,%d,%u,", reduction, difference->identical,
                      difference->differing + difference->only[0] + difference->only[1]);
    if (difference->differing > 0) file_writer_print(csv, "%u", difference->particle);
    file_writer_print(csv, ",%.9g,%.9g,%.9g\n", difference->distance, difference->velocity,
                      difference->distance_rms);
}

Result compare_report_open(const Options *options, const SceneDef *scene, const SideName names[2],
                           CompareReport **out)
{
    CompareReport *report = memory_allocate_zeroed(sizeof *report);
    if (!report) return result_no_memory("the report", sizeof *report);
    *report = (CompareReport){.folder = options->out, .scene = scene, .names = names};
    Result result = result_ok();
    if (report->folder) {
        char path[PATH_MAX];
        frame_folder_path(report->folder, "compare.csv", path);
        result = file_writer_open(path, &report->csv);
        report->csv_open = result_is_ok(&result);
        if (report->csv_open) write_header(&report->csv);
    }
    if (result_is_ok(&result))
        *out = report;
    else
        memory_free(report);
    return result;
}

Result compare_report_add(CompareReport *report, const pbf_pair_data *data)
{
    double reduction = 100 * data->round_spared;
    if (!report->folder) return result_ok();
    TRY(MEMORY_RESERVE(report->reductions, report->capacity, report->count, (size_t)report->count + 1,
                       "the report"));
    report->reductions[report->count++] = reduction;
    // As Takeshita's Table 1: of the mean times. A mean of shares would be that of the shortest steps.
    report->mean = 100 * data->spared;
    write_round(&report->csv, data, reduction);
    if (report->csv.error == 0) return result_ok();
    report->csv_open = false;
    return file_writer_commit(&report->csv); // tells what went wrong
}

// --- reduction.png ---

static Result draw_chart(const CompareReport *report, uint8_t *rgb)
{
    char title[200], subtitle[200], threads[40];
    snprintf(title, sizeof title, "%.60s: %.60s instead of %.60s", report->scene->name, report->names[1].text,
             report->names[0].text);
    snprintf(threads, sizeof threads, "%u thread%s", parallel_workers(), parallel_workers() == 1 ? "" : "s");
    snprintf(subtitle, sizeof subtitle,
             "spacing %g m, %s; thick: running median; straight: of the mean times",
             (double)report->scene->fluid.spacing, threads);
    ChartDef def = {.width = CHART_WIDTH,
                    .height = CHART_HEIGHT,
                    .title = title,
                    .subtitle = subtitle,
                    .x_title = "step",
                    .y_title = "time saved in construction + search (%)",
                    .unit = "%",
                    .mean = report->mean,
                    .values = report->reductions,
                    .count = report->count};
    GlContext *context;
    TRY(gl_context_open_headless(&context));
    Result result = chart_draw(&def, rgb);
    gl_context_close(context);
    TRY(result);
    char path[PATH_MAX];
    frame_folder_path(report->folder, "reduction.png", path);
    return export_png(path, rgb, def.width, def.height);
}

static Result write_chart(const CompareReport *report)
{
    size_t bytes = (size_t)CHART_WIDTH * CHART_HEIGHT * 3;
    uint8_t *rgb = memory_allocate(bytes);
    if (!rgb) return result_no_memory("the chart", bytes);
    Result result = draw_chart(report, rgb);
    memory_free(rgb);
    return result;
}

Result compare_report_close(CompareReport *report)
{
    if (!report) return result_ok();
    Result result = result_ok();
    if (report->csv_open) result = file_writer_commit(&report->csv);
    if (report->folder && report->count > 0) {
        Result chart = write_chart(report);
        if (result_is_ok(&result)) result = chart;
    }
    memory_free(report->reductions);
    memory_free(report);
    return result;
}

// --- in words ---

static void print_line(const char *name, int decimals, double a, double b)
{
    printf("  %-24s %22.*f %22.*f\n", name, decimals, a, decimals, b);
}

static void print_lines(const pbf_cost *a, const pbf_cost *b)
{
    double x = 1.0 / (a->steps > 0 ? a->steps : 1), y = 1.0 / (b->steps > 0 ? b->steps : 1);
    print_line("construction, ms a step", 3, a->build_ms * x, b->build_ms * y);
    print_line("search, ms a step", 3, a->search_ms * x, b->search_ms * y);
    print_line("behavior, ms a step", 3, a->rest_ms * x, b->rest_ms * y);
    print_line("total, ms a step", 3, a->wall_ms * x, b->wall_ms * y);
    print_line("candidates a step", 0, (double)a->candidates * x, (double)b->candidates * y);
    print_line("neighbors a step", 0, (double)a->neighbors * x, (double)b->neighbors * y);
    print_line("search structure, MB", 3, 1e-6 * (double)a->structure_bytes,
               1e-6 * (double)b->structure_bytes);
    print_line("neighbor lists, MB", 3, 1e-6 * (double)a->list_bytes, 1e-6 * (double)b->list_bytes);
    print_line("steps", 0, a->steps, b->steps);
}

// Medians of the last pairs of steps, which single slow ones do not move, with what they leave open.
static void print_figure(const char *what, const pbf_change *change, const SideName names[2])
{
    const PairFigure figure = {change->pairs, change->median, change->low, change->high};
    char text[48], bounds[56];
    const char *a = names[0].text, *b = names[1].text;
    pair_figure_text(&figure, "time", text, sizeof text);
    pair_figure_bounds(&figure, bounds, sizeof bounds);
    if (pair_figure_differs(&figure))
        printf("%s: %s takes %s than %s (%s)\n", what, b, text, a, bounds);
    else if (pair_figure_is_known(&figure))
        printf("%s: %s between %s and %s (%s)\n", what, text, a, b, bounds);
    else
        printf("%s: %s %s beside %s (%s)\n", what, text, a, b, bounds);
}

// First what the setting changes in which the sides differ.
static void print_figures(const pbf_pair_data *data, const SideName names[2])
{
    for (int k = 0; k < 2; k++) {
        bool lookup = (k == 0) == data->about_search;
        print_figure(lookup ? "construction + search" : "whole step", lookup ? &data->search : &data->whole,
                     names);
    }
}

void compare_print_summary(const pbf_pair_data *data, const SceneDef *scene, const SideName names[2])
{
    const pbf_cost *a = &data->cost[0], *b = &data->cost[1];
    char particles[27];
    printf("%s to %.3f s, %s particles, %u threads\n", scene->name, data->time,
           number_grouped(a->particles, particles), parallel_workers());
    printf("  %-24s %22s %22s\n", "", names[0].text, names[1].text);
    print_lines(a, b);
    print_figures(data, names);
    if (!data->parted) {
        printf("states: identical after every step\n");
        return;
    }
    const pbf_difference *first = &data->parting, *largest = &data->largest;
    printf("states: differ from step %llu (%.6f s) on: %u particles", (unsigned long long)data->parting_step,
           data->parting_time, first->differing);
    if (first->differing > 0)
        printf(", most of all particle %u by %.3g m and %.3g m/s", first->particle, first->distance,
               first->velocity);
    if (first->only[0] + first->only[1] > 0)
        printf(", %u only in the first and %u only in the second", first->only[0], first->only[1]);
    if (largest->distance > 0)
        printf("; at %.3f s particle %u by %.3g m", data->largest_time, largest->particle, largest->distance);
    if (data->rounding) printf(" (at first by rounding: clusters are summed in another order than lists)");
    printf("\n");
}
