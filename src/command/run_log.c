// Rows are added to the file under its final name as they come, so that others can watch it grow.
#include "command/run_log.h"

#include "command/library_call.h"
#include "core/c_locale.h"
#include "core/memory.h"
#include "export/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct RunLog {
    const Options *options;
    const char *path;
    bool every_step;
    pbf_sim *sim;
    uint32_t columns;
    double *row;
    char *text;        // of a row
    int fd;            // -1: not open
    int64_t last_step; // of the last row; -1: there is none
};

#define FIRST_COLUMN "time," // pbf_sim_column(0)
#define NUMBER_BYTES 32      // of one and what parts it from the next

const char *log_every_name(uint32_t k)
{
    static const char *const names[] = {[LOG_EVERY_FRAME] = "frame", [LOG_EVERY_STEP] = "step"};
    return k < sizeof names / sizeof *names ? names[k] : NULL;
}

static Result file_error(const RunLog *log)
{
    return result_error(RESULT_FAILED, "%.200s: %s", log->path, strerror(errno));
}

static void print_header(const RunLog *log, FileWriter *file)
{
    pbf_column column;
    for (uint32_t k = 0; pbf_sim_column(log->sim, k, &column); k++)
        file_writer_print(file, "%s%s", k > 0 ? "," : "", column.name);
    file_writer_print(file, "\n");
}

static bool is_header(const RunLog *log, char *line)
{
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    pbf_column column;
    for (uint32_t k = 0; pbf_sim_column(log->sim, k, &column); k++) {
        const char *name = strsep(&rest, ",");
        if (!name || strcmp(name, column.name) != 0) return false;
    }
    return rest == NULL;
}

// Copies the rows up to step `last`; a row whose end is missing is left out.
static Result copy_rows(RunLog *log, FILE *from, FileWriter *to, int64_t last)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, from);
    Result result = result_ok();
    if (length > 0 && !is_header(log, line))
        result = result_error(RESULT_USAGE, "--log: %.200s has other columns (another file, or remove it)",
                              log->path);
    while (result_is_ok(&result) && (length = getline(&line, &room, from)) > 0) {
        char *comma = strchr(line, ','); // behind the time comes the step
        if (!comma || line[length - 1] != '\n') continue;
        int64_t step = atoll(comma + 1);
        if (step > last) continue;
        file_writer_write(to, line, (size_t)length);
        log->last_step = step;
    }
    free(line); // getline's own
    return result;
}

// The file's header and the rows that stay.
static Result put_start(RunLog *log, bool resumed, FileWriter *file)
{
    pbf_info info;
    if (!file_target_take(&file->target, file->fd))
        return result_error(RESULT_FAILED,
                            "%.200s: another run writes this log (wait for it, or another name)", log->path);
    TRY(library_result(log->options, pbf_sim_info(log->sim, &info)));
    print_header(log, file);
    FILE *before = resumed ? fopen(log->path, "r") : NULL;
    Result result = before ? copy_rows(log, before, file, (int64_t)info.steps) : result_ok();
    if (before) fclose(before);
    return result;
}

// Writes the file, and keeps it open, so that it stays this run's.
static Result write_start(RunLog *log, bool resumed)
{
    FileWriter file;
    TRY(file_writer_open(log->path, &file));
    Result result = put_start(log, resumed, &file);
    if (result_is_ok(&result)) {
        log->fd = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
        if (log->fd < 0 || fcntl(log->fd, F_SETFL, O_APPEND) != 0) result = file_error(log);
    }
    if (result_is_ok(&result)) return file_writer_commit(&file);
    file_writer_discard(&file);
    return result;
}

static Result open_all(RunLog *log, bool resumed)
{
    pbf_column column;
    TRY(library_result(log->options, pbf_sim_watch(log->sim, 1)));
    while (pbf_sim_column(log->sim, log->columns, &column)) log->columns++;
    size_t bytes = log->columns * (sizeof *log->row + NUMBER_BYTES);
    log->row = memory_allocate(bytes);
    if (!log->row) return result_no_memory("the log", bytes);
    log->text = (char *)(log->row + log->columns);
    return write_start(log, resumed);
}

Result run_log_open(const Options *options, pbf_sim *sim, bool resumed, RunLog **out)
{
    *out = NULL;
    if (!options->log) return result_ok();
    RunLog *log = memory_allocate_zeroed(sizeof *log);
    if (!log) return result_no_memory("the log", sizeof *log);
    *log = (RunLog){.options = options,
                    .path = options->log,
                    .every_step = options->log_every == LOG_EVERY_STEP,
                    .sim = sim,
                    .fd = -1,
                    .last_step = -1};
    Result result = open_all(log, resumed);
    if (result_is_ok(&result)) {
        *out = log;
        return result;
    }
    run_log_close(log);
    return result;
}

double run_log_end(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return -1.0;
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, file);
    bool other = length > 0 && strncmp(line, FIRST_COLUMN, strlen(FIRST_COLUMN)) != 0;
    double last = other ? INFINITY : -1.0;
    while (!other && (length = getline(&line, &room, file)) > 0) {
        char *end;
        double time = c_strtod(line, &end);
        if (end > line && *end == ',' && line[length - 1] == '\n') last = time;
    }
    free(line); // getline's own
    fclose(file);
    return last;
}

static Result write_all(const RunLog *log, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t written = write(log->fd, log->text + done, length - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            return file_error(log);
    }
    return result_ok();
}

static Result add_row(RunLog *log)
{
    pbf_info info;
    TRY(library_result(log->options, pbf_sim_info(log->sim, &info)));
    int64_t step = (int64_t)info.steps;
    if (step == log->last_step) return result_ok();
    TRY(library_result(log->options, pbf_sim_row(log->sim, log->row, log->columns)));
    size_t length = 0;
    for (uint32_t k = 0; k < log->columns; k++)
        length += (size_t)snprintf(log->text + length, NUMBER_BYTES, "%.10g%c", log->row[k],
                                   k + 1 < log->columns ? ',' : '\n');
    log->last_step = step;
    return write_all(log, length);
}

Result run_log_step(RunLog *log)
{
    return log && log->every_step ? add_row(log) : result_ok();
}

Result run_log_frame(RunLog *log)
{
    return log ? add_row(log) : result_ok();
}

Result run_log_sync(RunLog *log)
{
    if (!log) return result_ok();
    if (fsync(log->fd) != 0 && errno != EINVAL && errno != EROFS) return file_error(log);
    return result_ok();
}

Result run_log_close(RunLog *log)
{
    if (!log) return result_ok();
    Result result = log->fd >= 0 && close(log->fd) != 0 ? file_error(log) : result_ok();
    memory_free(log->row);
    memory_free(log);
    return result;
}
