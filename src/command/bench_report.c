#include "command/bench.h"

#include "command/number.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "export/file_writer.h"
#include "neighbor/neighbor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const BenchRow *reference_row(const BenchReport *report)
{
    for (uint32_t k = 0; k < report->row_count; k++) {
        if (strcmp(report->rows[k].method, "uniform_grid") == 0) return &report->rows[k];
    }
    return &report->rows[0];
}

// Methods that make lists give the same state bit for bit; those that pair clusters sum in another order.
static void print_hashes(const BenchReport *report)
{
    const BenchRow *first = NULL;
    bool equal = true;
    uint32_t listing = 0;
    for (uint32_t k = 0; k < report->row_count; k++) {
        const BenchRow *row = &report->rows[k];
        if (neighbor_method_is_clustered(row->method)) {
            printf("state hash %016" PRIx64 " (%s)\n", row->state_hash, row->method);
            continue;
        }
        if (!first) first = row;
        equal &= row->state_hash == first->state_hash;
        listing++;
    }
    if (!first) return;
    bool all = listing == report->row_count;
    printf("state hash %016" PRIx64 "%s%s\n", first->state_hash,
           listing == 1 ? ""
           : equal      ? ", the same for all methods"
                        : ", NOT the same for all methods",
           listing == 1 || all ? "" : " that make lists");
}

void bench_print_table(const BenchReport *report)
{
    char particles[27];
    const BenchRow *reference = reference_row(report);
    bool compact = false;
    printf("%s: %s particles, %u steps, %u threads, %s; medians in ms a step\n\n", report->scene,
           number_grouped(report->particles, particles), report->steps, report->threads,
           cpu_level_name(cpu_level()));
    printf("%-18s %12s %9s %9s %9s %7s %11s %10s %9s %12s\n", "method", "construction", "search", "behavior",
           "total", "%", "candidates", "neighbors", "MB", "cells kB");
    for (uint32_t k = 0; k < report->row_count; k++) {
        const BenchRow *row = &report->rows[k];
        printf("%-18s %12.2f %9.2f %9.2f %9.2f %7.1f %11.1f %10.1f %9.1f %12.1f%s\n", row->method,
               row->median_ms[BENCH_CONSTRUCTION], row->median_ms[BENCH_SEARCH],
               row->median_ms[BENCH_BEHAVIOR], row->median_ms[BENCH_TOTAL],
               100 * row->median_ms[BENCH_TOTAL] / reference->median_ms[BENCH_TOTAL],
               row->candidates * report->each, row->neighbors * report->each,
               (double)(row->structure_bytes + row->list_bytes) / 1e6, (double)row->cell_bytes / 1e3,
               row->compact ? " *" : "");
        compact |= row->compact;
    }
    printf("\ncandidates and neighbors: of a particle; %%: total against %s; MB: structure and lists; "
           "cells: of the structure, without what grows with the points\n",
           reference->method);
    if (compact)
        printf(
            "*: the water's box has too many cells for a table, so the grid lists those that hold water\n");
    if (report->domain_cells > 0)
        printf("a table of all %s cells of the tank would take %.1f kB\n",
               number_grouped(report->domain_cells, particles), 4e-3 * (double)report->domain_cells);
    for (uint32_t k = 0; k < report->row_count; k++) {
        if (report->rows[k].alias_of)
            printf("%s is an alias of %s: measured once\n", report->rows[k].method, report->rows[k].alias_of);
    }
    print_hashes(report);
}

static void put_row(FileWriter *file, const BenchRow *row)
{
    file_writer_print(file, "   {\"name\": ");
    file_writer_print_json(file, row->method);
    if (row->alias_of) {
        file_writer_print(file, ", \"alias_of\": ");
        file_writer_print_json(file, row->alias_of);
    }
    file_writer_print(
        file,
        ",\n    \"construction_ms\": %.4f, \"search_ms\": %.4f, \"behavior_ms\": %.4f,"
        " \"total_ms\": %.4f, \"mean_ms\": %.4f,\n    \"candidates\": %.0f, \"neighbors\": %.0f,"
        " \"structure_bytes\": %" PRIu64 ", \"list_bytes\": %" PRIu64 ", \"cell_bytes\": %" PRIu64
        ", \"compact\": %s,\n"
        "    \"state_hash\": \"%016" PRIx64 "\"}",
        row->median_ms[BENCH_CONSTRUCTION], row->median_ms[BENCH_SEARCH], row->median_ms[BENCH_BEHAVIOR],
        row->median_ms[BENCH_TOTAL], row->mean_ms, row->candidates, row->neighbors, row->structure_bytes,
        row->list_bytes, row->cell_bytes, row->compact ? "true" : "false", row->state_hash);
}

Result bench_write_json(const BenchReport *report, const char *path)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "{\"version\": 1, \"scene\": ");
    file_writer_print_json(&file, report->scene);
    file_writer_print(&file,
                      ", \"particles\": %u, \"mean_particles\": %.10g, \"threads\": %u, \"steps\": %u, "
                      "\"simd\": \"%s\",\n \"methods\": [\n",
                      report->particles, report->mean_particles, report->threads, report->steps,
                      cpu_level_name(cpu_level()));
    for (uint32_t k = 0; k < report->row_count; k++) {
        put_row(&file, &report->rows[k]);
        file_writer_print(&file, k + 1 < report->row_count ? ",\n" : "],\n");
    }
    file_writer_print(&file, " \"peak_rss_bytes\": %" PRIu64 "}\n", memory_peak_rss());
    return file_writer_commit(&file);
}
