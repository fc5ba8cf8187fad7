#include "viewer/recorder.h"

#include "core/clock.h"
#include "core/memory.h"
#include "export/export.h"
#include "export/video.h"

#include <errno.h>
#include <math.h>
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

Result recorder_path(const Recorder *recorder, const char *name, const char *pattern, char path[PATH_MAX])
{
    char tail[64], safe[NAME_BYTES];
    struct stat status;
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof safe; length++) safe[length] = file_letter(name[length]);
    safe[length] = '\0';
    TRY(make_folder(recorder->folder));
    for (int number = 1; number < 10000; number++) {
        snprintf(tail, sizeof tail, pattern, number);
        if (snprintf(path, PATH_MAX, "%s/%s%s", recorder->folder, safe, tail) >= PATH_MAX) break;
        if (stat(path, &status) != 0) return result_ok();
    }
    return result_error(RESULT_FAILED, "%s: no free name is left", recorder->folder);
}

Result recorder_picture(Recorder *recorder, const uint8_t *pixels, uint32_t width, uint32_t height,
                        bool alpha, const char *name)
{
    TRY(recorder_path(recorder, name, "_%04d.png", recorder->picture));
    return (alpha ? export_png_rgba : export_png)(recorder->picture, pixels, width, height);
}

Result recorder_start(Recorder *recorder, RecordKind kind, const char *name, uint32_t width, uint32_t height,
                      double fps)
{
    CHECK(recorder->kind == RECORD_NONE && kind != RECORD_NONE);
    TRY(recorder_path(recorder, name, kind == RECORD_FILM ? "_%02d.mp4" : "_%02d", recorder->path));
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

// --- recording of the window ---

static void start(Recording *recording, RecordKind kind)
{
    const Screen *screen = recording->screen;
    const SceneFacts *facts = &recording->playback->facts;
    if (screen->width < 2 || screen->height < 2) return;
    Result result =
        recorder_start(recording->recorder, kind, facts->name, screen->width, screen->height, facts->fps);
    if (result_is_ok(&result)) {
        simulation_wait_at_frames(recording->playback->simulation, true);
        recording->fluid = 0; // whatever an earlier recording had
        screen_say(recording->screen, "recording every frame: %s", recording->recorder->path);
    }
    screen_say_error(recording->screen, &result);
}

static void end(Recording *recording)
{
    Result result = recorder_end(recording->recorder);
    simulation_wait_at_frames(recording->playback->simulation, false);
    uint32_t frames = recording->recorder->frames;
    if (result_is_ok(&result) && frames == 0)
        screen_say(recording->screen, "nothing was recorded");
    else if (result_is_ok(&result))
        screen_say(recording->screen, "recorded %u frame%s: %s", frames, frames == 1 ? "" : "s",
                   recording->recorder->path);
    screen_say_error(recording->screen, &result);
}

void recording_toggle(Recording *recording, RecordKind kind)
{
    if (recording->recorder->kind != RECORD_NONE)
        end(recording);
    else
        start(recording, kind);
}

// Can a picture be drawn now? Otherwise it is waited for.
static Result need_whole(Recording *recording, uint32_t width, uint32_t height, bool *ready)
{
    TRY(picture_is_whole(recording->picture, width, height, ready));
    recording->waits |= !*ready;
    return result_ok();
}

// Records the snapshot if it is a frame that was not recorded yet.
static Result record_frame(Recording *recording)
{
    uint32_t width = recording->recorder->width, height = recording->recorder->height;
    const SimSnapshot *snapshot = recording->playback->snapshot;
    const Screen *screen = recording->screen;
    Picture *picture = recording->picture;
    if (recording->recorder->kind == RECORD_NONE || !snapshot->on_frame) return result_ok();
    if (picture_lacks_mesh(picture)) return result_ok();
    if (snapshot->frame == recording->frame && snapshot->fluid == recording->fluid) return result_ok();
    bool whole;
    TRY(need_whole(recording, width, height, &whole));
    if (!whole) return result_ok();
    recording->frame = snapshot->frame;
    recording->fluid = snapshot->fluid;
    const uint8_t *rgb;
    double started = clock_seconds();
    TRY(picture_draw_full(picture, width, height, &rgb));
    if (width == screen->free.width && height == screen->free.height) {
        frame_pacing_count_odd(&picture->pacing, 1, started, clock_seconds());
        picture_keep(picture, picture->look->def.legend);
    }
    return recorder_add(recording->recorder, rgb);
}

static void take_picture(Recording *recording)
{
    const uint8_t *pixels;
    Screen *screen = recording->screen;
    const uint32_t *size = recording->picture_size;
    uint32_t width = size[0] ? size[0] : screen->width, height = size[1] ? size[1] : screen->height;
    bool alpha = recording->cut_out, whole = true;
    if (width < 2 || height < 2) {
        recording->picture_wanted = false;
        return;
    }
    Result result = alpha ? result_ok() : need_whole(recording, width, height, &whole);
    bool enough = whole || (recording->hurried && picture_samples(recording->picture) > 0);
    if (result_is_ok(&result) && !enough) {
        if (!recording->told)
            screen_say(screen, "a photograph is written when it is done; P again: as it is");
        recording->told = true;
        return;
    }
    recording->picture_wanted = recording->hurried = recording->told = recording->waits = false;
    if (result_is_ok(&result))
        result =
            (alpha ? picture_draw_cutout : picture_draw_full)(recording->picture, width, height, &pixels);
    if (result_is_ok(&result))
        result = recorder_picture(recording->recorder, pixels, width, height, alpha,
                                  recording->playback->facts.name);
    screen_say_error(screen, &result);
    if (result_is_ok(&result)) screen_say(screen, "picture: %s", recording->recorder->picture);
}

void recording_take_picture(Recording *recording, bool cut_out)
{
    recording->hurried = recording->picture_wanted && recording->waits;
    recording->picture_wanted = true;
    recording->cut_out = cut_out;
}

void recording_set_size(Recording *recording, float width, float height)
{
    static const float MOST = 16384; // of the renderer
    recording->picture_size[0] = (uint32_t)fminf(fmaxf(width, 0), MOST);
    recording->picture_size[1] = (uint32_t)fminf(fmaxf(height, 0), MOST);
    if (recording->picture_size[0] > 0)
        screen_say(recording->screen, "pictures of %u x %u", recording->picture_size[0],
                   recording->picture_size[1]);
    else
        screen_say(recording->screen, "pictures as the window");
}

void recording_write(Recording *recording)
{
    recording->waits = false;
    Result result = record_frame(recording);
    if (!result_is_ok(&result)) {
        screen_say_error(recording->screen, &result);
        recorder_end(recording->recorder);
        simulation_wait_at_frames(recording->playback->simulation, false);
    }
    // Waits for the surface, which may still be in the making.
    bool ready = !recording->waits && !picture_lacks_mesh(recording->picture);
    if (recording->picture_wanted && ready) take_picture(recording);
}
