#include "command/kept_files.h"

#include "core/memory.h"
#include "export/file_writer.h"

#include <string.h>
#include <sys/stat.h>

// Names do not tell: links, and folders in other spellings.
struct KeptFile {
    dev_t device;
    ino_t node;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// --- what is read ---

Result kept_files_add(KeptFiles *kept, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return result_ok();
    TRY(MEMORY_RESERVE(kept->files, kept->capacity, kept->count, kept->count + 1u, "the list of files"));
    kept->files[kept->count++] = (struct KeptFile){info.st_dev, info.st_ino};
    return result_ok();
}

Result kept_files_add_source(KeptFiles *kept, const SceneSource *source)
{
    char path[SCENE_PATH_BYTES];
    TRY(kept_files_add(kept, source->path));
    for (uint32_t k = 0; k < source->file_count; k++) {
        scene_source_path(source, source->files[k].name, path);
        TRY(kept_files_add(kept, path));
    }
    return result_ok();
}

Result kept_files_add_inputs(KeptFiles *kept, const Options *options)
{
    for (uint32_t k = 0; k < options->input_count; k++) TRY(kept_files_add(kept, options->inputs[k]));
    return result_ok();
}

Result kept_files_add_sequence(KeptFiles *kept, const pbf_sequence_data *sequence)
{
    for (uint32_t k = 0; k < sequence->count; k++) TRY(kept_files_add(kept, sequence->files[k].path));
    return result_ok();
}

void kept_files_free(KeptFiles *kept)
{
    memory_free(kept->files);
    *kept = (KeptFiles){0};
}

// --- what is written ---

static bool is_file(const OutputFile *output)
{
    return output->path && strcmp(output->path, "-") != 0;
}

static bool is_kept(const KeptFiles *kept, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return false;
    for (uint32_t k = 0; k < kept->count; k++) {
        if (kept->files[k].device == info.st_dev && kept->files[k].node == info.st_ino) return true;
    }
    return false;
}

// Of paths that nothing is at yet: the same name in the same folder.
static bool same_new_file(const char *a, const char *b)
{
    char folders[2][PATH_MAX];
    struct stat x, y;
    if (strlen(a) >= PATH_MAX || strlen(b) >= PATH_MAX) return false;
    if (strcmp(file_path_split(a, folders[0]), file_path_split(b, folders[1])) != 0) return false;
    return stat(folders[0], &x) == 0 && stat(folders[1], &y) == 0 && same_file(&x, &y);
}

static bool same_output(const OutputFile *a, const OutputFile *b)
{
    struct stat x, y;
    if (!is_file(a) || !is_file(b)) return false;
    bool first = stat(a->path, &x) == 0, second = stat(b->path, &y) == 0;
    if (first && second) return same_file(&x, &y);
    return !first && !second && same_new_file(a->path, b->path);
}

Result kept_files_check(const KeptFiles *kept, const OutputFile *outputs, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const OutputFile *output = &outputs[k];
        if (is_file(output) && is_kept(kept, output->path))
            return result_error(RESULT_USAGE,
                                "%s: %.200s is one of the files that are read (another name or folder)",
                                output->option, output->path);
        for (uint32_t other = 0; other < k; other++) {
            if (same_output(output, &outputs[other]))
                return result_error(RESULT_USAGE,
                                    "%s: %.200s is a file that %s writes (another name or folder)",
                                    output->option, output->path, outputs[other].option);
        }
    }
    return result_ok();
}

static Result add_run(KeptFiles *kept, const Options *options, const SceneSource *source,
                      const char *checkpoint)
{
    TRY(kept_files_add_inputs(kept, options));
    TRY(kept_files_add_source(kept, source));
    return checkpoint ? kept_files_add(kept, checkpoint) : result_ok();
}

Result kept_files_check_run(const Options *options, const SceneSource *source, const char *checkpoint)
{
    const OutputFile outputs[] = {{"--log", options->log}, {"--video", options->video}};
    KeptFiles kept = {0};
    Result result = add_run(&kept, options, source, checkpoint);
    if (result_is_ok(&result)) result = kept_files_check(&kept, outputs, sizeof outputs / sizeof *outputs);
    kept_files_free(&kept);
    return result;
}
