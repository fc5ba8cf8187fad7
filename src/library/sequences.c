// Files that show one run: those of particles, in, and indices that play them, out.
#include "core/path.h"
#include "export/export.h"
#include "export/file_sequence.h"
#include "library/files.h"
#include "library/handles.h"

#include <math.h>
#include <string.h>

// --- in ---

struct pbf_sequence {
    pbf_context *context;
    FileSequence found;
    pbf_sequence_file *files; // as callers see them
};

static void sequence_free(pbf_sequence *sequence)
{
    pbf_context *context = sequence->context;
    Host *before = call_begin(context);
    file_sequence_free(&sequence->found);
    memory_free(sequence->files);
    memory_free(sequence);
    call_close(context, before);
}

static Result check_paths(const char *const *paths, uint32_t count)
{
    if (!paths || count == 0) return result_error(RESULT_USAGE, "paths: there are none");
    for (uint32_t k = 0; k < count; k++) {
        if (!paths[k]) return result_error(RESULT_USAGE, "paths: number %u is NULL", k);
        if (!*paths[k]) return result_error(RESULT_USAGE, "paths: number %u is empty", k);
    }
    return result_ok();
}

static Result fill(pbf_sequence *sequence, const char *const *paths, uint32_t count)
{
    TRY(check_paths(paths, count));
    TRY(file_sequence_find((char *const *)paths, count, &sequence->found));
    const FileSequence *found = &sequence->found;
    sequence->files = memory_allocate(found->count * sizeof *sequence->files);
    if (!sequence->files)
        return result_no_memory("the list of files", found->count * sizeof *sequence->files);
    for (uint32_t k = 0; k < found->count; k++) {
        const SequenceFile *file = &found->files[k];
        sequence->files[k] = (pbf_sequence_file){
            .path = file->path, .number = file->number, .time = found->timed ? file->time : (double)NAN};
    }
    return result_ok();
}

static Result find(pbf_context *context, const char *const *paths, uint32_t count, pbf_sequence **out)
{
    pbf_sequence *sequence = memory_allocate_zeroed(sizeof *sequence);
    if (!sequence) return result_no_memory("the list of files", sizeof *sequence);
    sequence->context = context_hold(context);
    Result result = fill(sequence, paths, count);
    if (result_is_ok(&result))
        *out = sequence;
    else
        sequence_free(sequence);
    return result;
}

pbf_result pbf_sequence_find(pbf_context *context, const char *const *paths, uint32_t count,
                             pbf_sequence **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    RETURN_CALL(context, find(context, paths, count, out));
}

pbf_result pbf_sequence_get(const pbf_sequence *sequence, pbf_sequence_data *out)
{
    if (!out) return call_refused(sequence ? sequence->context : NULL, missing("out"));
    *out = (pbf_sequence_data){0};
    if (!sequence) return call_refused(NULL, missing("sequence"));
    *out = (pbf_sequence_data){
        .files = sequence->files, .count = sequence->found.count, .alone = sequence->found.alone};
    return call_refused(sequence->context, result_ok());
}

void pbf_sequence_destroy(pbf_sequence *sequence)
{
    if (sequence) sequence_free(sequence);
}

// --- out ---

static const struct {
    const char *ending;
    Result (*write)(const char *path, FileSeries series);
} indices[] = {{".pvd", export_series_pvd}, {".series", export_series_vtk}, {".usda", export_series_usda}};

static Result check_files(const char *const *files, const double *times, uint32_t count)
{
    if (count > 0 && !files) return missing("files");
    if (count > 0 && !times) return missing("times");
    for (uint32_t k = 0; k < count; k++) {
        if (!files[k] || !*files[k])
            return result_error(RESULT_USAGE, "files: number %u is %s", k, files[k] ? "empty" : "NULL");
        if (!isfinite(times[k]))
            return result_error(RESULT_USAGE, "times: number %u is %g (finite)", k, times[k]);
    }
    return result_ok();
}

static Result write_index(const char *path, const char *const *files, const double *times, uint32_t count,
                          const char *up)
{
    FileSeries series = {.files = files, .times = times, .count = count};
    TRY(files_check_path(path));
    TRY(files_find_axis(up, &series.up));
    TRY(check_files(files, times, count));
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++) {
        if (path_has_ending(path, indices[k].ending)) return indices[k].write(path, series);
    }
    return result_error(RESULT_USAGE, "path: \"%.100s\" is not a name of an index (.pvd, .series, .usda)",
                        path);
}

pbf_result pbf_index_write(pbf_context *context, const char *path, const char *const *files,
                           const double *times, uint32_t count, const char *up)
{
    RETURN_CALL(context, write_index(path, files, times, count, up));
}
