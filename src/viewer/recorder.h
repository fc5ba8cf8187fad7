// Writes pictures to files: single ones, and every frame as PNG files or as a film. Never overwrites a file.
#ifndef PBF_VIEWER_RECORDER_H
#define PBF_VIEWER_RECORDER_H

#include "core/result.h"
#include "viewer/picture.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum RecordKind { RECORD_NONE, RECORD_PNG, RECORD_FILM } RecordKind;

// To be read by others, and changed by these functions alone.
typedef struct Recorder {
    char folder[PATH_MAX];
    char path[PATH_MAX];    // of the last recording
    char picture[PATH_MAX]; // of the last single picture
    RecordKind kind;        // what is being recorded
    uint32_t width, height; // of its frames
    uint32_t frames;        // so far
    struct Video *video;
} Recorder;

// folder: where files go, made when it is needed. Errors: RESULT_NO_MEMORY.
Result recorder_create(const char *folder, Recorder **out);
void recorder_destroy(Recorder *recorder); // completes a film; NULL is allowed

// The first path of the pattern (with one number) behind the name that does not exist; makes the folder.
// Errors: RESULT_FAILED.
Result recorder_path(const Recorder *recorder, const char *name, const char *pattern, char path[PATH_MAX]);

// Writes a picture (pixels as for export_png, or export_png_rgba) as NAME_0001.png or with the next free
// number.
Result recorder_picture(Recorder *recorder, const uint8_t *pixels, uint32_t width, uint32_t height,
                        bool alpha, const char *name);

// Starts to record: NAME_01/frame_0000.png, ... or NAME_01.mp4. Errors also: RESULT_FAILED (no ffmpeg).
Result recorder_start(Recorder *recorder, RecordKind kind, const char *name, uint32_t width, uint32_t height,
                      double fps);
// Adds a picture of the size given at the start.
Result recorder_add(Recorder *recorder, const uint8_t *rgb);
Result recorder_end(Recorder *recorder);

// --- recording of the window: single pictures, and every frame ---

typedef struct Recording {
    Screen *screen;
    const Playback *playback;
    Picture *picture;
    Recorder *recorder;
    bool picture_wanted, cut_out; // without its background
    bool hurried, told;           // a photograph is wanted as far as it has come; one is waited for
    bool waits;                   // for the samples of a photograph: what is shown stays meanwhile
    uint32_t picture_size[2];     // px of single pictures; 0: the window's
    uint32_t frame;               // the last one that was recorded,
    uint64_t fluid;               // of this fluid
} Recording;

// Starts to record every frame, or ends it.
void recording_toggle(Recording *recording, RecordKind kind);

// Asks for a picture of what is shown, in its size. A photograph is written when it has all its samples, or
// as it is if it is asked for once more.
void recording_take_picture(Recording *recording, bool cut_out);
void recording_set_size(Recording *recording, float width, float height);

// Writes what is due: the frame that is shown, and a picture that was asked for.
void recording_write(Recording *recording);

#endif
