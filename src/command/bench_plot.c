// Charts of what `bench` measured, drawn by gnuplot as a child process. The numbers go into a file beside the
// picture, so that they can be drawn again in another way.
#include "command/bench.h"

#include "core/memory.h"
#include "export/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A chart whose largest value is so many times its smallest is logarithmic.
#define LINEAR_RANGE 20.0

extern char **environ;

// FILE.dat for FILE.png.
static Result data_path(const char *png, char *out, size_t size)
{
    size_t stem = strlen(png) - strlen(".png");
    if ((size_t)snprintf(out, size, "%.*s.dat", (int)stem, png) >= size)
        return result_error(RESULT_USAGE, "--plot: the path is too long");
    return result_ok();
}

Result bench_plot_probe(const char *path)
{
    char data[PATH_MAX];
    TRY(data_path(path, data, sizeof data));
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
    double each = report->mean_particles > 0 ? 1.0 / report->mean_particles : 0.0;
    for (uint32_t k = 0; k < report->row_count; k++) {
        const BenchRow *row = &report->rows[k];
        file_writer_print(&file, "%s %.4f %.4f %.4f %.2f %.2f %.4f %.4f\n", row->method,
                          row->median_ms[BENCH_CONSTRUCTION], row->median_ms[BENCH_SEARCH],
                          row->median_ms[BENCH_BEHAVIOR], row->candidates * each, row->neighbors * each,
                          (double)row->structure_bytes / 1e6, (double)row->list_bytes / 1e6);
    }
    return file_writer_commit(&file);
}

// A quoted string of gnuplot's.
static void quote(const char *text, char *out, size_t size)
{
    size_t at = 0;
    out[at++] = '\'';
    for (; *text && at + 3 < size; text++) {
        if (*text == '\'') out[at++] = '\'';
        out[at++] = *text;
    }
    out[at++] = '\'';
    out[at] = 0;
}

static bool is_wide(const BenchReport *report, double (*value)(const BenchRow *row))
{
    double least = value(&report->rows[0]), most = least;
    for (uint32_t k = 1; k < report->row_count; k++) {
        double here = value(&report->rows[k]);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    return most > LINEAR_RANGE * least && least > 0;
}

static double time_of(const BenchRow *row)
{
    return row->median_ms[BENCH_CONSTRUCTION] + row->median_ms[BENCH_SEARCH];
}

static double candidates_of(const BenchRow *row)
{
    return row->candidates;
}

static Result write_script(const BenchReport *report, const char *data, const char *picture, char *script,
                           size_t size)
{
    char from[2 * PATH_MAX], to[2 * PATH_MAX], title[120], heading[240];
    quote(data, from, sizeof from);
    quote(picture, to, sizeof to);
    // The name is the scene file's, which must not reach gnuplot as commands.
    snprintf(title, sizeof title, "%.60s: %u particles, %u threads", report->scene, report->particles,
             report->threads);
    for (char *at = title; *at; at++) {
        if ((unsigned char)*at < 0x20) *at = ' ';
    }
    quote(title, heading, sizeof heading);
    int length = snprintf(
        script, size,
        "set terminal pngcairo size 1560,560 noenhanced font 'sans,11'; set output %s; d=%s;"
        "set multiplot layout 1,3 title %s;"
        "set style fill solid 0.9 noborder; set boxwidth 0.7; set grid ytics lc rgb '#d8d8d8'; set border 3;"
        "set xtics rotate by -40 nomirror; set ytics nomirror; set key tmargin center horizontal; set "
        "bmargin 9;"
        "set style data histograms; set yrange [%s:*];%s"
        "set title 'construction and search, ms a step';"
        "%s;"
        "unset logscale; set yrange [%s:*];%s set style histogram clustered gap 1;"
        "set title 'distances tested and neighbors found, of a particle';"
        "plot d using 5:xtic(1) lc rgb '#e08a3c' title 'tested', d using 6 lc rgb '#4c9a6a' title 'found';"
        "unset logscale; set yrange [0:*]; set style histogram rowstacked;"
        "set title 'memory, MB';"
        "plot d using 8:xtic(1) lc rgb '#9aa7b4' title 'lists', d using 7 lc rgb '#b0413e' title 'structure'",
        to, from, heading, is_wide(report, time_of) ? "*" : "0",
        is_wide(report, time_of) ? " set logscale y;" : "",
        // Stacks mean nothing on a logarithmic axis.
        is_wide(report, time_of)
            ? "set style histogram clustered gap 1; plot d using ($2+$3):xtic(1) lc rgb '#3a6ea5' notitle"
            : "set style histogram rowstacked; plot d using 3:xtic(1) lc rgb '#3a6ea5' title 'search',"
              " d using 2 lc rgb '#e0b13c' title 'construction'",
        is_wide(report, candidates_of) ? "*" : "0", is_wide(report, candidates_of) ? " set logscale y;" : "");
    if (length < 0 || (size_t)length >= size)
        return result_error(RESULT_USAGE, "--plot: the path is too long");
    return result_ok();
}

// Runs gnuplot on a script; what it says goes nowhere, its exit status tells.
static Result run_gnuplot(char *script, const char *data)
{
    char *const arguments[] = {"gnuplot", "-e", script, NULL};
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&child, "gnuplot", &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error == ENOENT)
        return result_error(
            RESULT_FAILED,
            "--plot: gnuplot is not installed (apt-get install gnuplot-nox); the numbers are in "
            "%.200s",
            data);
    if (error != 0) return result_error(RESULT_FAILED, "--plot: gnuplot: %s", strerror(error));
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return result_error(RESULT_FAILED, "--plot: gnuplot: %s", strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return result_ok();
    return result_error(RESULT_FAILED,
                        "--plot: gnuplot failed (its pngcairo terminal is needed); the numbers "
                        "are in %.200s",
                        data);
}

Result bench_plot(const BenchReport *report, const char *path)
{
    enum { SCRIPT = 8 * PATH_MAX };
    char data[PATH_MAX];
    FileTarget target;
    int fd;
    TRY(data_path(path, data, sizeof data));
    TRY(write_data(report, data));
    TRY(file_target_open(path, &target, &fd));
    close(fd);
    char *script = memory_allocate(SCRIPT);
    Result result = script ? write_script(report, data, target.temporary, script, SCRIPT)
                           : result_no_memory("a chart", SCRIPT);
    if (result_is_ok(&result)) result = run_gnuplot(script, data);
    memory_free(script);
    if (result_is_ok(&result)) return file_target_commit(&target);
    file_target_discard(&target);
    return result;
}
