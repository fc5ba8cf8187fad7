// Charts of what `bench` measured. The numbers go into a file beside the picture, so that they can be drawn
// again in another way.
#include "command/bench.h"

#include "command/options.h"
#include "core/memory.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "render/bar_chart.h"
#include "render/gl_context.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 1560, HEIGHT = 560 }; // pixels

Result bench_plot_data_path(const char *png, char out[PATH_MAX])
{
    size_t stem = strlen(png) - strlen(".png");
    if ((size_t)snprintf(out, PATH_MAX, "%.*s.dat", (int)stem, png) >= PATH_MAX)
        return result_error(RESULT_USAGE, "--plot: the path is too long");
    return result_ok();
}

Result bench_plot_probe(const char *path)
{
    char data[PATH_MAX];
    TRY(bench_plot_data_path(path, data));
    TRY(file_target_probe(path));
    return file_target_probe(data);
}

static Result write_data(const BenchReport *report, const char *path)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "# %s, %u particles, %u threads, medians of %u steps\n", report->scene,
                      report->particles, report->threads, report->steps);
    file_writer_print(&file,
                      "# method construction_ms search_ms behavior_ms candidates neighbors structure_MB "
                      "lists_MB (candidates and neighbors of a particle)\n");
    for (uint32_t k = 0; k < report->row_count; k++) {
        const BenchRow *row = &report->rows[k];
        file_writer_print(
            &file, "%s %.4f %.4f %.4f %.2f %.2f %.4f %.4f\n", row->method, row->median_ms[BENCH_CONSTRUCTION],
            row->median_ms[BENCH_SEARCH], row->median_ms[BENCH_BEHAVIOR], row->candidates * report->each,
            row->neighbors * report->each, (double)row->structure_bytes / 1e6, (double)row->list_bytes / 1e6);
    }
    return file_writer_commit(&file);
}

enum { VALUES = 6 }; // of a row that the charts show

static void list_values(const BenchReport *report, double *values)
{
    uint32_t n = report->row_count;
    for (uint32_t k = 0; k < n; k++) {
        const BenchRow *row = &report->rows[k];
        const double of_row[VALUES] = {row->median_ms[BENCH_SEARCH],   row->median_ms[BENCH_CONSTRUCTION],
                                       row->candidates * report->each, row->neighbors * report->each,
                                       (double)row->list_bytes / 1e6,  (double)row->structure_bytes / 1e6};
        for (int v = 0; v < VALUES; v++) values[v * n + k] = of_row[v];
    }
}

static Result draw_chart(const BenchReport *report, const char *path, double *values, uint8_t *rgb)
{
    uint32_t n = report->row_count;
    const char *labels[OPTIONS_METHODS_MAX];
    char title[120];
    for (uint32_t k = 0; k < n; k++) labels[k] = report->rows[k].method;
    snprintf(title, sizeof title, "%.60s: %u particles, %u threads", report->scene, report->particles,
             report->threads);
    list_values(report, values);
    const BarPanel panels[] = {
        {"construction and search, ms a step", {{"search", values}, {"construction", values + n}}, 2, true},
        {"of a particle",
         {{"distances tested", values + 2 * n}, {"neighbors found", values + 3 * n}},
         2,
         false},
        {"memory, MB", {{"lists", values + 4 * n}, {"structure", values + 5 * n}}, 2, true}};
    const BarChartDef def = {WIDTH, HEIGHT, title, labels, n, panels, sizeof panels / sizeof *panels};
    GlContext *context;
    TRY(gl_context_open_headless(&context));
    Result result = bar_chart_draw(&def, rgb);
    gl_context_close(context);
    return result_is_ok(&result) ? export_png(path, rgb, WIDTH, HEIGHT) : result;
}

Result bench_plot(const BenchReport *report, const char *path)
{
    char data[PATH_MAX];
    size_t pixels = (size_t)WIDTH * HEIGHT * 3, values = VALUES * report->row_count * sizeof(double);
    TRY(bench_plot_data_path(path, data));
    TRY(write_data(report, data));
    double *room = memory_allocate(values + pixels);
    if (!room) return result_no_memory("a chart", values + pixels);
    Result result = draw_chart(report, path, room, (uint8_t *)room + values);
    memory_free(room);
    return result;
}
