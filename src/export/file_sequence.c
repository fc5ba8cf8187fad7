#include "export/file_sequence.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "core/path.h"
#include "export/export.h"
#include "export/number_cursor.h"
#include "export/xml_tags.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// folder: what the name is relative to, with its slash; length 0: the current one.
static Result add_file(FileSequence *sequence, size_t *capacity, const char *folder, size_t folder_length,
                       XmlText name, double time)
{
    TRY(MEMORY_RESERVE(sequence->files, *capacity, sequence->count, sequence->count + 1u,
                       "the list of files"));
    if (name.length > 0 && *name.at == '/') folder_length = 0;
    char *path = memory_allocate(folder_length + name.length + 1);
    if (!path) return result_no_memory("the list of files", folder_length + name.length);
    memcpy(path, folder, folder_length);
    memcpy(path + folder_length, name.at, name.length);
    path[folder_length + name.length] = '\0';
    sequence->files[sequence->count++] = (SequenceFile){path, 0, time};
    return result_ok();
}

// --- indices ---

static Result read_pvd(const char *path, const char *bytes, size_t size, FileSequence *out, size_t *capacity)
{
    XmlCursor cursor = {bytes, bytes + size};
    XmlTag tag;
    XmlOutcome outcome;
    size_t folder = (size_t)(path_name(path) - path);
    while ((outcome = xml_next(&cursor, &tag)) == XML_TAG) {
        XmlText file = xml_attribute(&tag, "file"), step = xml_attribute(&tag, "timestep");
        if (!xml_is(tag.name, "DataSet") || tag.kind == XML_CLOSE || file.length == 0) continue;
        double time = step.length > 0 ? c_strtod(step.at, NULL) : out->count;
        TRY(add_file(out, capacity, path, folder, file, time));
    }
    return outcome == XML_END ? result_ok()
                              : result_error(RESULT_USAGE, "%s: a tag is malformed or not closed", path);
}

// The text behind "KEY": of a JSON object, from `at` on; NULL if there is none before `end`.
static const char *json_value(const char *at, const char *end, const char *key)
{
    char quoted[16];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *found = strstr(at, quoted);
    if (!found || found >= end) return NULL;
    found += strlen(quoted);
    found += strspn(found, " \t\r\n");
    if (*found != ':') return NULL;
    return found + 1 + strspn(found + 1, " \t\r\n");
}

// ParaView's index: a list of objects with "name" and "time".
static Result read_series(const char *path, const char *bytes, FileSequence *out, size_t *capacity)
{
    size_t folder = (size_t)(path_name(path) - path);
    const char *list = json_value(bytes, bytes + strlen(bytes), "files");
    if (!list || *list != '[') return result_error(RESULT_USAGE, "%s: lists no \"files\"", path);
    for (const char *object = list, *end; (object = strchr(object, '{')); object = end) {
        end = strchr(object, '}');
        if (!end) break;
        const char *name = json_value(object, end, "name"), *time = json_value(object, end, "time");
        const char *quote = name && *name == '"' ? strchr(name + 1, '"') : NULL;
        if (!quote || memchr(name, '\\', (size_t)(quote - name)))
            return result_error(RESULT_USAGE, "%s: file %u has no plain \"name\"", path, out->count);
        if (quote > end) end = strchr(quote, '}'); // a brace in the name
        TRY(add_file(out, capacity, path, folder, (XmlText){name + 1, (size_t)(quote - name - 1)},
                     time ? c_strtod(time, NULL) : out->count));
        if (!end) break;
    }
    return result_ok();
}

static Result add_index(FileSequence *out, size_t *capacity, const char *path)
{
    char *bytes;
    size_t size;
    TRY(cursor_read_file(path, NULL, &bytes, &size));
    Result result = path_has_ending(path, ".pvd") ? read_pvd(path, bytes, size, out, capacity)
                                                  : read_series(path, bytes, out, capacity);
    memory_free(bytes);
    return result;
}

// --- patterns and folders ---

// The last run of digits in a file's name, before its suffix. False if it has none.
static bool find_number(const char *name, size_t *first, size_t *end)
{
    size_t stop = strlen(name) - (path_has_ending(name, ".gz") ? strlen(".gz") : 0);
    for (size_t k = stop; k-- > 0;) {
        if (name[k] != '.') continue;
        stop = k;
        break;
    }
    while (stop > 0 && !isdigit((unsigned char)name[stop - 1])) stop--;
    *end = *first = stop;
    while (*first > 0 && isdigit((unsigned char)name[*first - 1])) --*first;
    return *first < *end;
}

// Adds what a pattern of the shell names.
static Result add_matches(FileSequence *out, size_t *capacity, const char *pattern, const char *input)
{
    glob_t found;
    int status = glob(pattern, 0, NULL, &found);
    if (status == GLOB_NOSPACE) return result_no_memory("the list of files", 0);
    if (status != 0) return result_error(RESULT_USAGE, "%s: no such file", input);
    Result result = result_ok();
    for (size_t k = 0; k < found.gl_pathc && result_is_ok(&result); k++)
        result = add_file(out, capacity, "", 0, (XmlText){found.gl_pathv[k], strlen(found.gl_pathv[k])}, 0);
    globfree(&found);
    return result;
}

static bool is_pattern(const char *input)
{
    return strpbrk(input, "*?[") || path_number(input);
}

static Result add_pattern(FileSequence *out, size_t *capacity, const char *input)
{
    char pattern[PATH_MAX];
    const char *number = path_number(input);
    if (!number) return add_matches(out, capacity, input, input);
    int length = snprintf(pattern, sizeof pattern, "%.*s[0-9]*%s", (int)(number - input), input, number + 2);
    if (length < 0 || (size_t)length >= sizeof pattern)
        return result_error(RESULT_USAGE, "%.100s...: the pattern is too long", input);
    return add_matches(out, capacity, pattern, input);
}

static bool is_particle_file(const char *name)
{
    static const char *const suffixes[] = {".ply", ".vtk", ".vtp",     ".vtu", ".bgeo", ".bhclassic",
                                           ".csv", ".xyz", ".bgeo.gz", ".pbf", NULL};
    size_t first, end;
    for (const char *const *suffix = suffixes; *suffix; suffix++) {
        if (path_has_ending(name, *suffix)) return find_number(name, &first, &end);
    }
    return false;
}

// A name with {} for its number: what all files of a sequence share.
static void name_sequence(const char *name, char out[NAME_MAX + 3])
{
    size_t first, end;
    find_number(name, &first, &end);
    snprintf(out, NAME_MAX + 3, "%.*s{}%.200s", (int)first, name, name + end);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef char SequenceName[NAME_MAX + 3];

// Is it a file of a run that shows something else than particles?
static bool shows_other_things(const char *name)
{
    for (uint32_t k = 0; file_format(k); k++) {
        const FileFormat *format = file_format(k);
        size_t stem = strlen(format->stem);
        if (format->kind != GEOMETRY_PARTICLES && strncmp(name, format->stem, stem) == 0 &&
            name[stem] == '_' && path_has_ending(name, format->suffix))
            return true;
    }
    return false;
}

// Lists the sequences in a folder by name, without meshes and what else is not particles.
static Result list_sequences(const char *folder, SequenceName **names, uint32_t *count)
{
    size_t capacity = 0;
    *names = NULL, *count = 0;
    DIR *entries = opendir(folder);
    if (!entries) return result_error(RESULT_USAGE, "%s: the folder cannot be read", folder);
    Result result = result_ok();
    for (struct dirent *entry; result_is_ok(&result) && (entry = readdir(entries));) {
        if (!is_particle_file(entry->d_name) || shows_other_things(entry->d_name)) continue;
        result = MEMORY_RESERVE(*names, capacity, *count, *count + 1u, "the list of files");
        if (result_is_ok(&result)) name_sequence(entry->d_name, (*names)[(*count)++]);
    }
    closedir(entries);
    if (!result_is_ok(&result) || *count == 0) return result;
    qsort(*names, *count, sizeof **names, compare_texts);
    uint32_t kept = 1;
    for (uint32_t k = 1; k < *count; k++) {
        if (strcmp((*names)[k], (*names)[kept - 1]) != 0)
            memcpy((*names)[kept++], (*names)[k], sizeof **names);
    }
    *count = kept;
    return result_ok();
}

// The sequence of a folder that is meant: its only one, or the particles of a run of this program, which show
// the same in all of their formats.
static const char *choose_sequence(SequenceName *names, uint32_t count)
{
    if (count == 1) return names[0];
    for (uint32_t k = 0; k < count; k++) {
        if (strncmp(names[k], "particles_{}", strlen("particles_{}")) == 0) return names[k];
    }
    return NULL;
}

// The text as a pattern that nothing else matches. False if it is too long.
static bool escape_pattern(const char *text, char pattern[PATH_MAX])
{
    size_t length = 0;
    for (; *text && length + 2 < PATH_MAX; text++) {
        if (strchr("*?[\\", *text)) pattern[length++] = '\\';
        pattern[length++] = *text;
    }
    pattern[length] = '\0';
    return !*text;
}

static Result add_folder(FileSequence *out, size_t *capacity, const char *folder)
{
    SequenceName *names;
    uint32_t count;
    char path[PATH_MAX], pattern[PATH_MAX];
    Result result = list_sequences(folder, &names, &count);
    const char *name = result_is_ok(&result) && count > 0 ? choose_sequence(names, count) : NULL;
    if (result_is_ok(&result) && count == 0)
        result = result_error(RESULT_USAGE, "%s: holds no numbered files of particles", folder);
    else if (result_is_ok(&result) && !name)
        result = result_error(RESULT_USAGE,
                              "%.100s: holds several sequences, as %.60s and %.60s (name one: '%.60s/%.60s')",
                              folder, names[0], names[1], folder, names[0]);
    if (name && (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
                 !escape_pattern(path, pattern)))
        result = result_error(RESULT_USAGE, "%.100s...: the path is too long", folder);
    if (result_is_ok(&result)) result = add_pattern(out, capacity, pattern);
    memory_free(names);
    return result;
}

// --- all of it ---

static int compare_files(const void *a, const void *b)
{
    return strverscmp(((const SequenceFile *)a)->path, ((const SequenceFile *)b)->path);
}

// Takes the numbers of the names if they grow; else the places in the sequence.
static void number_files(FileSequence *sequence)
{
    bool growing = true;
    for (uint32_t k = 0; k < sequence->count; k++) {
        const char *name = path_name(sequence->files[k].path);
        size_t first, end;
        growing = growing && find_number(name, &first, &end);
        sequence->files[k].number = growing ? strtoull(name + first, NULL, 10) : 0;
        growing = growing && (k == 0 || sequence->files[k].number > sequence->files[k - 1].number);
    }
    for (uint32_t k = 0; k < sequence->count && !growing; k++) sequence->files[k].number = k;
}

static Result add_input(FileSequence *out, size_t *capacity, const char *input)
{
    struct stat status;
    bool exists = stat(input, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return add_folder(out, capacity, input);
    if (exists && (path_has_ending(input, ".pvd") || path_has_ending(input, ".series"))) {
        out->timed = true;
        return add_index(out, capacity, input);
    }
    if (!exists && is_pattern(input)) return add_pattern(out, capacity, input);
    return add_file(out, capacity, "", 0, (XmlText){input, strlen(input)},
                    0); // errors name it when it is read
}

Result file_sequence_find(char *const *inputs, uint32_t count, FileSequence *out)
{
    size_t capacity = 0;
    *out = (FileSequence){0};
    struct stat status;
    for (uint32_t k = 0; k < count; k++) {
        TRY(add_input(out, &capacity, inputs[k]));
        if (out->timed && count > 1)
            return result_error(RESULT_USAGE, "%s: is an index (alone, it says all files and times)",
                                inputs[k]);
    }
    if (out->count == 0) return result_error(RESULT_USAGE, "%s: lists no files", inputs[0]);
    bool index = out->timed, pattern = stat(inputs[0], &status) != 0 && is_pattern(inputs[0]);
    bool folder = stat(inputs[0], &status) == 0 && S_ISDIR(status.st_mode);
    out->alone = count == 1 && !index && !pattern && !folder;
    if (!index) qsort(out->files, out->count, sizeof *out->files, compare_files);
    number_files(out);
    return result_ok();
}

void file_sequence_free(FileSequence *sequence)
{
    for (uint32_t k = 0; k < sequence->count; k++) memory_free(sequence->files[k].path);
    memory_free(sequence->files);
    *sequence = (FileSequence){0};
}
