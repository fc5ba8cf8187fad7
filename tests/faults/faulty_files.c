// A library for LD_PRELOAD that lets one call on files go wrong, below everything that pbf does with them:
// calls that open, write, flush, rename, link, remove, close or make folders below a folder are counted, and
// the nth one fails, is lost or is the last thing that happens before the power goes.
//
// PBF_FAULT_FOLDER   files and folders below it count
// PBF_FAULT_PROGRAM  the program whose calls count, as "pbf" or "ffmpeg"
// PBF_FAULT_AT       n, from 1; 0 counts only
// PBF_FAULT_MODE     fail: the call does nothing and says EIO
//                    gone: so does every later one, as on a disk that was pulled out
//                    lose: the call does nothing and says that it did
//                    power: what was not flushed is cut to half, names that were not flushed are the old ones
//                    again, and the process is gone
// PBF_FAULT_REPORT   file that gets "COUNT CALL PATH" of the call that went wrong, or of the last one
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOSE_MAX 256

// A file whose bytes, or a name that, a power cut would take back.
typedef struct Loose {
    bool used, renamed;
    off_t safe;               // of bytes that are loose: those before are not
    char path[PATH_MAX];      // as it is called now
    char before[PATH_MAX];    // of a rename: the name before
    char saved[PATH_MAX + 8]; // of a rename: what had that name, "" for nothing
} Loose;

static struct Layer {
    bool active, done;
    char folder[PATH_MAX], mode[8];
    long at, count;
    Loose loose[LOOSE_MAX];
} layer;

#define REAL(type, name, ...)                                                                                \
    static type (*real)(__VA_ARGS__);                                                                        \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void start(void)
{
    const char *folder = getenv("PBF_FAULT_FOLDER"), *program = getenv("PBF_FAULT_PROGRAM");
    const char *at = getenv("PBF_FAULT_AT"), *mode = getenv("PBF_FAULT_MODE");
    layer.active = folder && program && at && mode && strcmp(program, program_invocation_short_name) == 0;
    if (!layer.active) return;
    snprintf(layer.folder, sizeof layer.folder, "%s", folder);
    snprintf(layer.mode, sizeof layer.mode, "%s", mode);
    layer.at = atol(at);
}

static bool is_mode(const char *mode)
{
    return strcmp(layer.mode, mode) == 0;
}

static bool is_inside(const char *path)
{
    size_t length = strlen(layer.folder);
    return layer.active && strncmp(path, layer.folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

// The path of an open file; false if it does not count.
static bool path_of(int fd, char path[PATH_MAX])
{
    char link[40];
    if (!layer.active) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return is_inside(path);
}

static void report(const char *call, const char *path)
{
    const char *to = getenv("PBF_FAULT_REPORT");
    FILE *file = to ? fopen(to, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld %s %s\n", layer.count, call, path);
    fclose(file);
}

// --- what a power cut takes back ---

static Loose *find_loose(const char *path, bool renamed)
{
    for (int k = 0; k < LOOSE_MAX; k++) {
        Loose *loose = &layer.loose[k];
        if (loose->used && loose->renamed == renamed && strcmp(loose->path, path) == 0) return loose;
    }
    return NULL;
}

static Loose *add_loose(const char *path, bool renamed)
{
    Loose *loose = find_loose(path, renamed);
    for (int k = 0; k < LOOSE_MAX && !loose; k++) {
        if (!layer.loose[k].used) loose = &layer.loose[k];
    }
    if (!loose) abort();
    *loose = (Loose){.used = true, .renamed = renamed};
    snprintf(loose->path, sizeof loose->path, "%s", path);
    return loose;
}

static void forget(Loose *loose)
{
    if (loose->renamed && *loose->saved) unlink(loose->saved);
    loose->used = false;
}

// Flushing a file makes its bytes safe, flushing a folder the names in it.
static void flushed(const char *path)
{
    size_t length = strlen(path);
    Loose *bytes = find_loose(path, false);
    if (bytes) forget(bytes);
    for (int k = 0; k < LOOSE_MAX; k++) {
        Loose *name = &layer.loose[k];
        if (name->used && name->renamed && strncmp(name->path, path, length) == 0 &&
            strrchr(name->path, '/') == name->path + length)
            forget(name);
    }
}

// Before `from` becomes `to`.
static void note_rename(const char *from, const char *to)
{
    Loose *bytes = find_loose(from, false);
    if (bytes) snprintf(bytes->path, sizeof bytes->path, "%s", to);
    Loose *name = add_loose(to, true);
    snprintf(name->before, sizeof name->before, "%s", from);
    snprintf(name->saved, sizeof name->saved, "%s.saved", to);
    if (link(to, name->saved) != 0) *name->saved = '\0';
}

static void cut_power(void)
{
    layer.active = false;
    for (int k = 0; k < LOOSE_MAX; k++) {
        struct stat info;
        Loose *loose = &layer.loose[k];
        if (loose->used && !loose->renamed && stat(loose->path, &info) == 0 &&
            truncate(loose->path, loose->safe + (info.st_size - loose->safe) / 2) != 0)
            abort();
    }
    for (int k = LOOSE_MAX; k-- > 0;) {
        Loose *loose = &layer.loose[k];
        if (!loose->used || !loose->renamed) continue;
        if (rename(loose->path, loose->before) != 0) abort();
        if (*loose->saved && rename(loose->saved, loose->path) != 0) abort();
    }
    kill(getpid(), SIGKILL);
}

// --- counting ---

typedef enum Outcome { GOES_WELL, FAILS, IS_LOST } Outcome;

static Outcome next_outcome(const char *call, const char *path)
{
    layer.count++;
    if (layer.at == 0) report(call, path);
    if (layer.count == layer.at) report(call, path);
    if (layer.done && is_mode("gone")) {
        errno = EIO;
        return FAILS;
    }
    if (layer.count != layer.at) return GOES_WELL;
    layer.done = true;
    if (is_mode("power")) cut_power();
    errno = EIO;
    return is_mode("lose") ? IS_LOST : FAILS;
}

// --- the calls ---

static int open_counted(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...))
{
    bool counts = is_inside(path);
    if (counts && next_outcome("open", path) != GOES_WELL) {
        errno = EIO; // a file that is not open cannot be lost
        return -1;
    }
    int fd = real(path, flags, mode);
    if (counts && is_mode("power") && fd >= 0 && (flags & (O_CREAT | O_TRUNC))) add_loose(path, false);
    return fd;
}

#define MODE_OF(flags)                                                                                       \
    mode_t mode = 0;                                                                                         \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                   \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode = va_arg(list, mode_t);                                                                         \
        va_end(list);                                                                                        \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    REAL(int, "open", const char *, int, ...);
    return open_counted(path, flags, mode, real);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    REAL(int, "open64", const char *, int, ...);
    return open_counted(path, flags, mode, real);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    char path[PATH_MAX];
    Outcome outcome = GOES_WELL;
    if (path_of(fd, path)) {
        struct stat info;
        outcome = next_outcome("write", path);
        if (is_mode("power") && !find_loose(path, false) && fstat(fd, &info) == 0)
            add_loose(path, false)->safe = info.st_size;
    }
    return outcome == GOES_WELL ? real(fd, data, bytes) : outcome == IS_LOST ? (ssize_t)bytes : -1;
}

int fsync(int fd)
{
    REAL(int, "fsync", int);
    char path[PATH_MAX];
    bool counts = path_of(fd, path);
    Outcome outcome = counts ? next_outcome("fsync", path) : GOES_WELL;
    if (counts && outcome == GOES_WELL) flushed(path);
    return outcome == GOES_WELL ? real(fd) : outcome == IS_LOST ? 0 : -1;
}

int close(int fd)
{
    REAL(int, "close", int);
    char path[PATH_MAX];
    Outcome outcome = path_of(fd, path) ? next_outcome("close", path) : GOES_WELL;
    int status = real(fd);
    if (outcome == FAILS) errno = EIO; // the file is closed all the same
    return outcome == FAILS ? -1 : status;
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    bool counts = is_inside(to);
    Outcome outcome = counts ? next_outcome("rename", to) : GOES_WELL;
    if (counts && is_mode("power") && outcome == GOES_WELL) note_rename(from, to);
    return outcome == GOES_WELL ? real(from, to) : outcome == IS_LOST ? 0 : -1;
}

int link(const char *from, const char *to)
{
    REAL(int, "link", const char *, const char *);
    Outcome outcome = is_inside(to) && !strstr(to, ".saved") ? next_outcome("link", to) : GOES_WELL;
    return outcome == GOES_WELL ? real(from, to) : outcome == IS_LOST ? 0 : -1;
}

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    bool counts = is_inside(path) && !strstr(path, ".saved");
    Outcome outcome = counts ? next_outcome("unlink", path) : GOES_WELL;
    Loose *bytes = counts && outcome == GOES_WELL ? find_loose(path, false) : NULL;
    if (bytes) forget(bytes);
    return outcome == GOES_WELL ? real(path) : outcome == IS_LOST ? 0 : -1;
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    Outcome outcome = is_inside(path) ? next_outcome("mkdir", path) : GOES_WELL;
    return outcome == GOES_WELL ? real(path, mode) : outcome == IS_LOST ? 0 : -1;
}
