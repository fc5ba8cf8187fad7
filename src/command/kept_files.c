#include "command/kept_files.h"

#include "core/memory.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

// Names do not tell: links, and folders in other spellings.
typedef struct FileId {
    dev_t device;
    ino_t node;
} FileId;

static FileId id_of(const struct stat *info)
{
    return (FileId){info->st_dev, info->st_ino};
}

// False for what is not there.
static bool look_up(const char *path, FileId *out)
{
    struct stat info;
    if (stat(path, &info) != 0) return false;
    *out = id_of(&info);
    return true;
}

static bool same_file(FileId a, FileId b)
{
    return a.device == b.device && a.node == b.node;
}

// --- what is read ---

Result kept_files_add(KeptFiles *kept, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return result_ok(); // devices stay as they are
    TRY(MEMORY_RESERVE(kept->files, kept->capacity, kept->count, kept->count + 1u, "the list of files"));
    kept->files[kept->count++] = id_of(&info);
    return result_ok();
}

Result kept_files_add_scene(KeptFiles *kept, const SceneDef *scene)
{
    const SceneSource *source = &scene->source;
    char path[SCENE_PATH_BYTES];
    TRY(kept_files_add(kept, source->path));
    for (uint32_t k = 0; k < source->file_count; k++) {
        scene_source_path(source, source->files[k].name, path);
        TRY(kept_files_add(kept, path));
    }
    return kept_files_add(kept, scene->output.render.look.environment);
}

Result kept_files_add_inputs(KeptFiles *kept, const Options *options, const pbf_sequence_data *sequence)
{
    for (uint32_t k = 0; k < options->input_count; k++) TRY(kept_files_add(kept, options->inputs[k]));
    for (uint32_t k = 0; sequence && k < sequence->count; k++)
        TRY(kept_files_add(kept, sequence->files[k].path));
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
    FileId file;
    bool found = false;
    if (!look_up(path, &file)) return false;
    for (uint32_t k = 0; k < kept->count && !found; k++) found = same_file(kept->files[k], file);
    return found;
}

// Of paths that nothing is at yet: the same name in the same folder.
static bool same_new_file(const char *a, const char *b)
{
    char folders[2][PATH_MAX];
    FileId x, y;
    if (strlen(a) >= PATH_MAX || strlen(b) >= PATH_MAX) return false;
    if (strcmp(file_path_split(a, folders[0]), file_path_split(b, folders[1])) != 0) return false;
    return look_up(folders[0], &x) && look_up(folders[1], &y) && same_file(x, y);
}

static bool same_output(const OutputFile *a, const OutputFile *b)
{
    FileId x, y;
    if (!is_file(a) || !is_file(b)) return false;
    bool first = look_up(a->path, &x), second = look_up(b->path, &y);
    if (first && second) return same_file(x, y);
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

// Of a folder that is there already.
static Result check_folder(const KeptFiles *kept, const Options *options, ReplacesFile *replaces)
{
    char path[PATH_MAX];
    const OutputFile output = {"--out", path};
    DIR *entries = options->out ? opendir(options->out) : NULL;
    Result result = result_ok();
    if (!entries) return result;
    for (struct dirent *entry; result_is_ok(&result) && (entry = readdir(entries));) {
        if (strlen(entry->d_name) >= FRAME_NAME_BYTES || !replaces(options, entry->d_name)) continue;
        frame_folder_path(options->out, entry->d_name, path);
        result = kept_files_check(kept, &output, 1);
    }
    closedir(entries);
    return result;
}

static Result add_run(KeptFiles *kept, const Options *options, const SceneDef *scene, const char *checkpoint)
{
    TRY(kept_files_add_inputs(kept, options, NULL));
    TRY(kept_files_add_scene(kept, scene));
    return checkpoint ? kept_files_add(kept, checkpoint) : result_ok();
}

Result kept_files_check_run(const Options *options, const SceneDef *scene, const char *checkpoint,
                            ReplacesFile *replaces)
{
    const OutputFile outputs[] = {{"--log", options->log}, {"--video", options->video}};
    KeptFiles kept = {0};
    Result result = add_run(&kept, options, scene, checkpoint);
    if (result_is_ok(&result)) result = kept_files_check(&kept, outputs, sizeof outputs / sizeof *outputs);
    if (result_is_ok(&result)) result = check_folder(&kept, options, replaces);
    kept_files_free(&kept);
    return result;
}
