#include "export/frame_folder.h"

#include "core/regular_file.h"
#include "export/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static Result make_one(const char *path, bool *made)
{
    struct stat status;
    *made = mkdir(path, 0777) == 0;
    if (*made) return result_ok();
    int reason = errno;
    if (stat(path, &status) != 0) {
        if (reason == EEXIST)
            return result_error(RESULT_USAGE, "%s: is a link to nothing, not a folder", path);
        return file_refused(path, "cannot make the folder", reason);
    }
    if (S_ISDIR(status.st_mode)) return result_ok();
    return result_error(RESULT_USAGE, "%s: is %s, not a folder", path,
                        S_ISREG(status.st_mode) ? "a file" : file_kind_name(status.st_mode));
}

// Makes a folder and those above it. made: by the length of a path, whether it is new. An error leaves path
// cut behind the folder that could not be made.
static Result make_parts(char *path, bool made[PATH_MAX])
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(make_one(path, &made[slash - path]));
        *slash = '/';
    }
    return make_one(path, &made[strlen(path)]);
}

static void remove_parts(char *path, const bool made[PATH_MAX])
{
    for (size_t length = strlen(path); length > 0; length--) {
        path[length] = '\0';
        if (made[length]) rmdir(path);
    }
}

Result frame_folder_make(const char *path)
{
    char part[PATH_MAX];
    bool made[PATH_MAX] = {false};
    if (strlen(path) >= sizeof part - FRAME_NAME_BYTES)
        return result_error(RESULT_USAGE, "folder: the path is too long (at most %d bytes)",
                            PATH_MAX - FRAME_NAME_BYTES - 1);
    strcpy(part, path);
    Result result = make_parts(part, made);
    if (result_is_ok(&result)) result = file_folder_probe(path);
    if (!result_is_ok(&result)) remove_parts(part, made);
    return result;
}

Result frame_folder_lock(const char *folder, int *lock)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is not an error.
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return result_ok();
    frame_folder_unlock(*lock);
    *lock = -1;
    return result_error(RESULT_FAILED, "%.200s: another run writes into it (wait for it, or another folder)",
                        folder);
}

void frame_folder_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

void frame_folder_path(const char *folder, const char *name, char path[PATH_MAX])
{
    size_t length = strlen(folder);
    snprintf(path, PATH_MAX, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

void frame_folder_picture(const char *folder, uint32_t frame, char path[PATH_MAX])
{
    char name[FRAME_NAME_BYTES];
    snprintf(name, sizeof name, "frame_%04u.png", frame);
    frame_folder_path(folder, name, path);
}
