// Rows are added to the file under its final name as they come, so that others can watch it grow.
#include "command/run_log.h"

#include "core/memory.h"
#include "export/file_writer.h"
#include "measure/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct RunLog {
    const char *path;
    bool every_step;
    Fluid *fluid;
    Measure *measure;
    double *row;
    FILE *file;
    int64_t last_step; // of the last row; -1: there is none
};

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
    for (uint32_t k = 0; k < measure_column_count(log->measure); k++)
        file_writer_print(file, "%s%s", k > 0 ? "," : "", measure_column(log->measure, k));
    file_writer_print(file, "\n");
}

static bool is_header(const RunLog *log, char *line)
{
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    for (uint32_t k = 0; k < measure_column_count(log->measure); k++) {
        const char *name = strsep(&rest, ",");
        if (!name || strcmp(name, measure_column(log->measure, k)) != 0) return false;
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

// Writes the file with its header and the rows that stay.
static Result write_start(RunLog *log, const StateBlocks *state)
{
    FileWriter file;
    uint64_t step = 0;
    if (state) TRY(blocks_copy(state, "step", BLOCK_UINT64, 1, &step));
    TRY(file_writer_open(log->path, &file));
    print_header(log, &file);
    FILE *before = state ? fopen(log->path, "r") : NULL;
    Result result = before ? copy_rows(log, before, &file, (int64_t)step) : result_ok();
    if (before) fclose(before);
    if (result_is_ok(&result)) return file_writer_commit(&file);
    file_writer_discard(&file);
    return result;
}

static Result open_all(RunLog *log, const SceneDef *scene, const StateBlocks *state)
{
    TRY(measure_create(log->fluid, scene->fluid.gravity, scene->probes, scene->probe_count, &log->measure));
    if (state) measure_restore(log->measure, state);
    size_t bytes = measure_column_count(log->measure) * sizeof *log->row;
    log->row = memory_allocate(bytes);
    if (!log->row) return result_no_memory("the log", bytes);
    TRY(write_start(log, state));
    log->file = fopen(log->path, "ae");
    return log->file ? result_ok() : file_error(log);
}

Result run_log_open(const Options *options, const SceneDef *scene, Fluid *fluid, const StateBlocks *state,
                    RunLog **out)
{
    *out = NULL;
    if (!options->log) return result_ok();
    RunLog *log = memory_allocate_zeroed(sizeof *log);
    if (!log) return result_no_memory("the log", sizeof *log);
    *log = (RunLog){.path = options->log,
                    .every_step = options->log_every == LOG_EVERY_STEP,
                    .fluid = fluid,
                    .last_step = -1};
    Result result = open_all(log, scene, state);
    if (result_is_ok(&result)) {
        *out = log;
        return result;
    }
    run_log_close(log);
    return result;
}

static Result add_row(RunLog *log)
{
    int64_t step = (int64_t)fluid_view(log->fluid).report.step;
    if (step == log->last_step) return result_ok();
    TRY(measure_row(log->measure, log->row));
    for (uint32_t k = 0; k < measure_column_count(log->measure); k++)
        fprintf(log->file, "%s%.10g", k > 0 ? "," : "", log->row[k]);
    fputc('\n', log->file);
    log->last_step = step;
    return fflush(log->file) == 0 ? result_ok() : file_error(log);
}

Result run_log_step(RunLog *log)
{
    if (!log) return result_ok();
    TRY(measure_step(log->measure));
    return log->every_step ? add_row(log) : result_ok();
}

Result run_log_frame(RunLog *log)
{
    return log ? add_row(log) : result_ok();
}

Result run_log_store(RunLog *log, StateBlocks *blocks)
{
    if (!log) return result_ok();
    measure_store(log->measure, blocks);
    if (fdatasync(fileno(log->file)) != 0 && errno != EINVAL && errno != EROFS) return file_error(log);
    return result_ok();
}

Result run_log_close(RunLog *log)
{
    if (!log) return result_ok();
    Result result = log->file && fclose(log->file) != 0 ? file_error(log) : result_ok();
    measure_free(log->measure);
    memory_free(log->row);
    memory_free(log);
    return result;
}
