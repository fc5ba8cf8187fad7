#include "command/run_record.h"

#include "command/checkpoint.h"
#include "command/options_stored.h"
#include "core/cpu.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/regular_file.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/frame_folder.h"
#include "neighbor/neighbor.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "pbf " PBF_VERSION
#define RECORD_BYTES_MAX ((size_t)64 << 20)
#define SETTINGS_MAX (2 * OPTIONS_OVERRIDES_MAX)
#define MESHES_MAX 4096u

// --- writing ---

// With JSON's escapes, to stand in double quotes.
static void print_escaped(FileWriter *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            file_writer_write(file, "\\n", 2);
        else if (*text == '"' || *text == '\\')
            file_writer_print(file, "\\%c", *text);
        else
            file_writer_write(file, text, 1);
    }
}

static void print_pair(FileWriter *file, const char *left, const char *between, const char *right)
{
    file_writer_print(file, "  - \"");
    print_escaped(file, left);
    print_escaped(file, between);
    print_escaped(file, right);
    file_writer_print(file, "\"\n");
}

static uint64_t file_hash(const SceneFile *file)
{
    return hash_bytes(HASH_START, file->text, file->bytes);
}

static void print_text(FileWriter *file, const char *text, size_t bytes)
{
    file_writer_print(file, "scene_text: |%s\n", bytes > 0 && text[bytes - 1] == '\n' ? "+" : "-");
    for (size_t at = 0; at < bytes;) {
        const char *newline = memchr(text + at, '\n', bytes - at);
        size_t length = newline ? (size_t)(newline - (text + at)) : bytes - at;
        file_writer_write(file, "  ", 2);
        file_writer_write(file, text + at, length);
        file_writer_write(file, "\n", 1);
        at += length + 1;
    }
}

Result run_record_write(const char *folder, const Options *options, const SceneDef *scene,
                        uint32_t first_frame)
{
    const SceneSource *source = &scene->source;
    char path[PATH_MAX];
    FileWriter file;
    frame_folder_path(folder, RUN_RECORD_NAME, path);
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "# What made the frames in this folder. pbf reads it before it adds to them.\n");
    file_writer_print(&file, "program: \"%s\"\ninstructions: \"%s\"\nfirst_frame: %u\nscene: \"", PROGRAM,
                      cpu_instructions(), first_frame);
    print_escaped(&file, source->path);
    file_writer_print(&file, "\"\nsettings:\n");
    for (uint32_t k = 0; k < source->override_count; k++)
        print_pair(&file, source->overrides[k].key, "=", source->overrides[k].value);
    file_writer_print(&file, "options:\n");
    for (uint32_t k = 0; k < options->given_count; k++)
        print_pair(&file, options->given[k].name, " ", options->given[k].value);
    file_writer_print(&file, "files:\n");
    for (uint32_t k = 0; k < source->file_count; k++) {
        char hash[40];
        snprintf(hash, sizeof hash, "%016llx ", (unsigned long long)file_hash(&source->files[k]));
        print_pair(&file, hash, "", source->files[k].name);
    }
    print_text(&file, source->text, source->bytes);
    return file_writer_commit(&file);
}

// --- reading ---

typedef struct RunRecord {
    char *bytes; // the file, cut into texts in place
    char *program;
    uint32_t first_frame;
    SceneSource source;
    OptionGiven options[SETTINGS_MAX];
    uint32_t option_count;
    char *files[MESHES_MAX]; // "HASH NAME"
    uint32_t file_count;
} RunRecord;

static void record_free(RunRecord *record)
{
    if (!record) return;
    scene_source_free(&record->source);
    memory_free(record->bytes);
    memory_free(record);
}

// The text in quotes, unescaped in place; NULL if it is none.
static char *unquote(char *text)
{
    char *start = strchr(text, '"'), *end = strrchr(text, '"');
    if (!start || end == start) return NULL;
    char *to = start + 1;
    for (char *from = start + 1; from < end; from++, to++) {
        *to = *from;
        if (*from == '\\' && from + 1 < end) *to = *++from == 'n' ? '\n' : *from;
    }
    *to = '\0';
    return start + 1;
}

// Splits "LEFT<separator>RIGHT".
static char *split(char *text, char separator)
{
    char *at = strchr(text, separator);
    if (at) *at = '\0';
    return at ? at + 1 : NULL;
}

static bool take_entry(RunRecord *record, const char *section, char *line)
{
    char *text = unquote(line), *right;
    if (!text) return false;
    if (strcmp(section, "settings") == 0) {
        right = split(text, '=');
        const SceneOverride override = {text, right};
        if (!right) return false;
        Result result = scene_source_set(&record->source, &override, 1);
        return result_is_ok(&result);
    }
    if (strcmp(section, "options") == 0) {
        right = split(text, ' ');
        if (!right || record->option_count == SETTINGS_MAX) return false;
        record->options[record->option_count++] = (OptionGiven){text, right};
        return true;
    }
    if (record->file_count == MESHES_MAX) return false;
    record->files[record->file_count++] = text;
    return true;
}

// The scene's text: the rest of the file without the two blanks before each line.
static bool take_text(RunRecord *record, char *at, const char *head)
{
    char *to = record->source.text = memory_allocate(strlen(at) + 1);
    if (!to) return false;
    while (*at) {
        size_t length = strcspn(at, "\n");
        if (length < 2) return false;
        memcpy(to, at + 2, length - 2);
        to += length - 2;
        *to++ = '\n';
        at += length + (at[length] == '\n');
    }
    if (strchr(head, '-') && to > record->source.text) to--;
    *to = '\0';
    record->source.bytes = (size_t)(to - record->source.text);
    return true;
}

static bool parse_record(RunRecord *record)
{
    const char *section = "";
    for (char *line = record->bytes; *line;) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (strncmp(line, "scene_text: |", 13) == 0) return take_text(record, next, line);
        if (strncmp(line, "program: ", 9) == 0) {
            record->program = unquote(line);
            if (!record->program) return false;
        } else if (strncmp(line, "first_frame: ", 13) == 0) {
            if (sscanf(line + 13, "%9u", &record->first_frame) != 1) return false;
        } else if (strncmp(line, "scene: ", 7) == 0) {
            char *path = unquote(line);
            if (!path || strlen(path) >= sizeof record->source.path) return false;
            strcpy(record->source.path, path);
        } else if (line[0] == ' ') {
            if (!take_entry(record, section, line)) return false;
        } else if (line[0] != '#') {
            section = line;
            line[strcspn(line, ":")] = '\0';
        }
        line = next;
    }
    return false;
}

// *out: NULL without a note.
static Result read_record(const char *folder, RunRecord **out)
{
    char path[PATH_MAX];
    FILE *file;
    *out = NULL;
    frame_folder_path(folder, RUN_RECORD_NAME, path);
    if (access(path, F_OK) != 0)
        return result_ok(); // what is wrong with the folder shows when it is written to
    TRY(regular_file_open_stream(path, path, &file));
    RunRecord *record = memory_allocate_zeroed(sizeof *record);
    size_t capacity = 0, used = 0, got = 1;
    Result result = record ? result_ok() : result_no_memory(RUN_RECORD_NAME, sizeof *record);
    while (got > 0 && result_is_ok(&result) && used < RECORD_BYTES_MAX) {
        result = MEMORY_RESERVE(record->bytes, capacity, used, used + 65536, RUN_RECORD_NAME);
        if (!result_is_ok(&result)) break;
        got = fread(record->bytes + used, 1, capacity - used - 1, file);
        used += got;
        record->bytes[used] = '\0';
    }
    fclose(file);
    if (result_is_ok(&result) && (strlen(record->bytes) != used || !parse_record(record)))
        result =
            result_error(RESULT_USAGE, "%s: is not a note that pbf wrote (--overwrite replaces it)", path);
    if (result_is_ok(&result))
        *out = record;
    else
        record_free(record);
    return result;
}

// --- comparing ---

typedef struct Difference {
    const char *folder;
} Difference;

// name: of a method, or that none is given.
static bool is_clustered(const char *name)
{
    bool given = strcmp(name, "not given") != 0;
    const FluidDef def = fluid_def_default();
    return neighbor_method_is_clustered(given ? name : def.neighbor);
}

// Keys and options that change no frame. Methods that share their arithmetic give the same states.
static bool leaves_frames_alone(const char *key, const char *a, const char *b)
{
    if (strcmp(key, "solver.neighbor") == 0 || strcmp(key, "--neighbor") == 0)
        return is_clustered(a) == is_clustered(b);
    return strcmp(key, "output.duration") == 0 || strcmp(key, "description") == 0;
}

static Result refuse(const char *key, const char *a, const char *b, void *context)
{
    const Difference *difference = context;
    if (leaves_frames_alone(key, a, b)) return result_ok();
    return result_error(
        RESULT_USAGE,
        "%.100s: holds frames of another run: %.60s is %.40s there, %.40s here (--overwrite replaces them)",
        difference->folder, key, a, b);
}

static Result compare_meshes(const RunRecord *record, const SceneSource *source, Difference *difference)
{
    for (uint32_t k = 0; k < record->file_count; k++) {
        char *name = split(record->files[k], ' ');
        for (uint32_t j = 0; name && j < source->file_count; j++) {
            char hash[20];
            snprintf(hash, sizeof hash, "%016llx", (unsigned long long)file_hash(&source->files[j]));
            if (strcmp(source->files[j].name, name) == 0 && strcmp(record->files[k], hash) != 0)
                return refuse(name, "another file", "changed", difference);
        }
    }
    return result_ok();
}

static Result compare_record(RunRecord *record, const Options *options, const SceneDef *scene,
                             Difference *difference)
{
    if (!record->program || strcmp(record->program, PROGRAM) != 0)
        TRY(refuse("the program", record->program ? record->program : "unknown", PROGRAM, difference));
    TRY(scene_source_compare(&record->source, &scene->source, refuse, difference));
    TRY(options_compare(record->options, record->option_count, options->given, options->given_count, true,
                        refuse, difference));
    return compare_meshes(record, &scene->source, difference);
}

static bool has_frames(const char *folder)
{
    char path[PATH_MAX];
    frame_folder_picture(folder, 0, path);
    return access(path, F_OK) == 0;
}

Result run_record_compare(const char *folder, const Options *options, const SceneDef *scene, FolderState *out)
{
    RunRecord *record;
    Difference difference = {folder};
    *out = FOLDER_FREE;
    TRY(read_record(folder, &record));
    if (!record && has_frames(folder))
        return result_error(RESULT_USAGE,
                            "%.150s: holds frames of an unknown run (no " RUN_RECORD_NAME
                            "; --overwrite replaces them)",
                            folder);
    if (!record) return result_ok();
    *out = FOLDER_SAME;
    Result result = compare_record(record, options, scene, &difference);
    record_free(record);
    return result;
}

uint32_t run_record_first_frame(const char *folder)
{
    RunRecord *record;
    Result result = read_record(folder, &record);
    uint32_t first = result_is_ok(&result) && record ? record->first_frame : 0;
    if (result_is_ok(&result)) record_free(record);
    return first;
}

// Is a name in a list with commas?
static bool lists(const char *list, const char *name)
{
    for (size_t length; *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (length == strlen(name) && strncmp(list, name, length) == 0) return true;
    }
    return false;
}

Result run_record_exports(const char *folder, const char *format, bool *out)
{
    RunRecord *record;
    *out = false;
    TRY(read_record(folder, &record));
    for (uint32_t k = 0; record && k < record->option_count; k++)
        *out |= strcmp(record->options[k].name, "--export") == 0 && lists(record->options[k].value, format);
    record_free(record);
    return result_ok();
}

// --- removing ---

// STEM_NNNN.SUFFIX of a frame from `first` on.
static bool is_numbered(const char *name, const char *stem, const char *suffix, uint32_t first)
{
    size_t length = strlen(stem);
    unsigned number;
    int used = 0;
    if (strncmp(name, stem, length) != 0 || sscanf(name + length, "_%9u%n", &number, &used) != 1)
        return false;
    return number >= first && name[length + (size_t)used] == '.' &&
           strcmp(name + length + (size_t)used + 1, suffix) == 0;
}

static bool is_of_format(const char *name, const FileFormat *format, uint32_t first)
{
    if (is_numbered(name, format->stem, format->suffix, first)) return true;
    return first == 0 && format->series && strcmp(name, format->series) == 0;
}

static bool belongs_to_run(const char *name, uint32_t first)
{
    if (is_numbered(name, "frame", "png", first)) return true;
    for (uint32_t k = 0; file_format(k); k++) {
        if (is_of_format(name, file_format(k), first)) return true;
    }
    return first == 0 && strcmp(name, RUN_RECORD_NAME) == 0;
}

bool run_files_include(const char *name)
{
    return belongs_to_run(name, 0);
}

bool run_files_replaced(const Options *options, const char *name)
{
    if (options->overwrite || strcmp(name, RUN_RECORD_NAME) == 0) return run_files_include(name);
    for (uint32_t k = 0; k < options->format_count; k++) {
        if (is_of_format(name, file_format(options->formats[k]), 0)) return true;
    }
    return !options->no_pictures && is_numbered(name, "frame", "png", 0);
}

static bool is_stale(int folder, const char *entry)
{
    char final[64];
    size_t length;
    if (!file_target_is_stale(folder, entry, &length)) return false;
    snprintf(final, sizeof final, "%.*s", (int)length, entry);
    return belongs_to_run(final, 0) || strncmp(final, "checkpoint_", 11) == 0;
}

void run_files_remove(const char *folder, uint32_t first)
{
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[PATH_MAX];
        if (strlen(entry->d_name) > 60) continue;
        if (!belongs_to_run(entry->d_name, first) && !is_stale(dirfd(entries), entry->d_name)) continue;
        frame_folder_path(folder, entry->d_name, path);
        unlink(path);
    }
    closedir(entries);
}
