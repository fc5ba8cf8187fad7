#include "scene/scene_library.h"

#include "core/memory.h"
#include "core/nearest.h"
#include "core/path.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".yaml"

typedef struct Entry {
    char name[NAME_MAX + 1]; // without the suffix
    char path[PATH_MAX];
} Entry;

typedef struct Entries {
    Entry *rows;
    size_t capacity;
    uint32_t count;
} Entries;

// Where scenes are, as seen from the folder of the program or of the shared library.
static const char *const places[] = {"scenes", "../scenes", "../../scenes", "../share/pbf/scenes",
                                     "../../share/pbf/scenes"};

// The file that this code is in, the program or the shared library; then the program.
static bool code_file(size_t k, char path[PATH_MAX])
{
    Dl_info info;
    ssize_t length = k == 1 ? readlink("/proc/self/exe", path, PATH_MAX - 1) : 0;
    if (k == 0 && dladdr((const void *)places, &info) != 0 && info.dli_fname)
        length = snprintf(path, PATH_MAX, "%s", info.dli_fname);
    if (length <= 0 || length >= PATH_MAX) return false;
    path[length] = '\0';
    return strchr(path, '/') != NULL;
}

// Path of a folder of scenes; false if it is not there.
static bool find_place(size_t file, size_t k, char folder[PATH_MAX])
{
    char code[PATH_MAX], path[PATH_MAX + 32];
    if (!code_file(file, code)) return false;
    *strrchr(code, '/') = '\0';
    snprintf(path, sizeof path, "%s/%s", code, places[k]);
    return realpath(path, folder) != NULL;
}

static bool is_listed(const Entries *entries, const char *name)
{
    for (uint32_t k = 0; k < entries->count; k++) {
        if (strcmp(entries->rows[k].name, name) == 0) return true;
    }
    return false;
}

static Result add_entry(const char *folder, const char *file, Entries *entries)
{
    if (!path_has_ending(file, SUFFIX)) return result_ok();
    TRY(MEMORY_RESERVE(entries->rows, entries->capacity, entries->count, entries->count + 1u,
                       "the list of scenes"));
    Entry *entry = &entries->rows[entries->count];
    snprintf(entry->name, sizeof entry->name, "%.*s", path_stem(file), file);
    if (is_listed(entries, entry->name)) return result_ok();
    int used = snprintf(entry->path, sizeof entry->path, "%s/%s", folder, file);
    if (used < (int)sizeof entry->path) entries->count++;
    return result_ok();
}

// Adds the scenes of a folder whose names are not listed yet.
static Result add_folder(const char *folder, Entries *entries)
{
    DIR *files = opendir(folder);
    if (!files) return result_ok();
    Result result = result_ok();
    for (struct dirent *file; result_is_ok(&result) && (file = readdir(files));)
        result = add_entry(folder, file->d_name, entries);
    closedir(files);
    return result;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->name, ((const Entry *)b)->name);
}

// The scenes that are found by name, sorted. Free rows with memory_free, also after an error.
static Result read_library(Entries *entries)
{
    char folder[PATH_MAX];
    *entries = (Entries){0};
    for (size_t k = 0; k < 2 * (sizeof places / sizeof *places); k++) {
        if (find_place(k % 2, k / 2, folder)) TRY(add_folder(folder, entries));
    }
    if (entries->count > 0) qsort(entries->rows, entries->count, sizeof *entries->rows, compare_entries);
    return result_ok();
}

static const char *entry_names(uint32_t k, const void *context)
{
    const Entries *entries = context;
    return k < entries->count ? entries->rows[k].name : NULL;
}

// The path's last part without its suffix.
static void stem_of(const char *path, char stem[NAME_MAX + 1])
{
    const char *file = path_name(path);
    snprintf(stem, NAME_MAX + 1, "%.*s", path_stem(file), file);
}

// Suggests a scene of the folder that was named, or else one that is found by name.
static Result suggest(const char *path, const Entries *library)
{
    char stem[NAME_MAX + 1], folder[PATH_MAX];
    const char *reason = strerror(ENOENT);
    int front = (int)(path_name(path) - path);
    Entries here = {0};
    stem_of(path, stem);
    snprintf(folder, sizeof folder, "%.*s", front, path);
    TRY(add_folder(front ? folder : ".", &here));
    const char *near = nearest_name(stem, entry_names, &here);
    Result result =
        near ? result_error(RESULT_USAGE, "%.200s: cannot be opened: %s (did you mean %.*s%.100s" SUFFIX "?)",
                            path, reason, front < 200 ? front : 0, path, near)
             : result_ok();
    memory_free(here.rows);
    if (near) return result;
    near = nearest_name(stem, entry_names, library);
    if (near)
        return result_error(RESULT_USAGE,
                            "%.200s: cannot be opened: %s (did you mean %.100s? pbf scenes "
                            "lists all that are found by name)",
                            path, reason, near);
    return result_error(RESULT_USAGE,
                        "%.200s: cannot be opened: %s (pbf scenes lists those that are found by name)", path,
                        reason);
}

// The scene of that name; NULL if there is none.
static const Entry *find_entry(const char *name, const Entries *library)
{
    char stem[NAME_MAX + 1], exact[NAME_MAX + 8];
    stem_of(name, stem);
    snprintf(exact, sizeof exact, "%s" SUFFIX, stem);
    bool plain = strcmp(name, stem) == 0 || strcmp(name, exact) == 0;
    for (uint32_t k = 0; k < library->count && plain; k++) {
        if (strcmp(stem, library->rows[k].name) == 0) return &library->rows[k];
    }
    return NULL;
}

Result scene_library_find(const char *name, char path[PATH_MAX])
{
    struct stat info;
    snprintf(path, PATH_MAX, "%s", name);
    bool there = stat(name, &info) == 0, folder = there && S_ISDIR(info.st_mode);
    // What is there, or fails in another way, is for the reader to judge. A folder may be that of a run.
    if (!*name || (there && !folder) || (!there && errno != ENOENT)) return result_ok();
    Entries library;
    Result result = read_library(&library);
    const Entry *entry = result_is_ok(&result) ? find_entry(name, &library) : NULL;
    if (entry)
        strcpy(path, entry->path);
    else if (result_is_ok(&result) && !folder)
        result = suggest(name, &library);
    memory_free(library.rows);
    return result;
}

Result scene_library_list(SceneLibraryTake *take, void *context)
{
    Entries library;
    Result result = read_library(&library);
    for (uint32_t k = 0; result_is_ok(&result) && k < library.count; k++)
        result = take(library.rows[k].name, library.rows[k].path, context);
    memory_free(library.rows);
    return result;
}
