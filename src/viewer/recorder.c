#include "viewer/recorder.h"

#include "core/memory.h"
#include "export/export.h"
#include "export/video.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_BYTES 64 // of a scene

Result recorder_create(const char *folder, Recorder **out)
{
    Recorder *self = memory_allocate_zeroed(sizeof *self);
    *out = self;
    if (!self) return result_no_memory("recording", sizeof *self);
    snprintf(self->folder, sizeof self->folder, "%s", folder);
    return result_ok();
}

void recorder_destroy(Recorder *recorder)
{
    if (!recorder) return;
    recorder_end(recorder);
    memory_free(recorder);
}

static Result make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) return result_ok();
    int reason = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return result_ok();
    return result_error(RESULT_FAILED, "%s: cannot make the folder: %s", path, strerror(reason));
}

// A scene may have any name; its files stay in the folder.
static char file_letter(char c)
{
    return c == '/' || (unsigned char)c < ' ' ? '_' : c;
}

// The first path of the pattern (with one number) that does not exist.
static Result free_path(const Recorder *self, const char *name, const char *pattern, char path[PATH_MAX])
{
    char tail[64], safe[NAME_BYTES];
    struct stat status;
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof safe; length++) safe[length] = file_letter(name[length]);
    safe[length] = '\0';
    TRY(make_folder(self->folder));
    for (int number = 1; number < 10000; number++) {
        snprintf(tail, sizeof tail, pattern, number);
        if (snprintf(path, PATH_MAX, "%s/%s%s", self->folder, safe, tail) >= PATH_MAX) break;
        if (stat(path, &status) != 0) return result_ok();
    }
    return result_error(RESULT_FAILED, "%s: no free name is left", self->folder);
}

Result recorder_picture(Recorder *recorder, const uint8_t *rgb, uint32_t width, uint32_t height,
                        const char *name)
{
    TRY(free_path(recorder, name, "_%04d.png", recorder->picture));
    return export_png(recorder->picture, rgb, width, height);
}

Result recorder_start(Recorder *recorder, RecordKind kind, const char *name, uint32_t width, uint32_t height,
                      double fps)
{
    CHECK(recorder->kind == RECORD_NONE && kind != RECORD_NONE);
    TRY(free_path(recorder, name, kind == RECORD_FILM ? "_%02d.mp4" : "_%02d", recorder->path));
    if (kind == RECORD_FILM)
        TRY(video_open(recorder->path, width, height, fps, &recorder->video));
    else
        TRY(make_folder(recorder->path));
    recorder->kind = kind;
    recorder->width = width;
    recorder->height = height;
    recorder->frames = 0;
    return result_ok();
}

Result recorder_add(Recorder *recorder, const uint8_t *rgb)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/frame_%04u.png", recorder->path, recorder->frames);
    if (recorder->kind == RECORD_FILM)
        TRY(video_add(recorder->video, rgb));
    else
        TRY(export_png(path, rgb, recorder->width, recorder->height));
    recorder->frames++;
    return result_ok();
}

Result recorder_end(Recorder *recorder)
{
    Video *video = recorder->video;
    recorder->kind = RECORD_NONE;
    recorder->video = NULL;
    if (video && recorder->frames > 0) return video_close(video);
    video_abandon(video);
    return result_ok();
}
