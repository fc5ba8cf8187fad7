// Recording of the window's pictures: single ones, and every frame.
#ifndef PBF_VIEWER_RECORDING_H
#define PBF_VIEWER_RECORDING_H

#include "viewer/picture.h"
#include "viewer/recorder.h"

typedef struct Recording {
    Screen *screen;
    const Playback *playback;
    Picture *picture;
    Recorder *recorder;
    bool picture_wanted;
    uint32_t frame; // the last one that was recorded,
    uint64_t fluid; // of this fluid
} Recording;

// Starts to record every frame, or ends it.
void recording_toggle(Recording *recording, RecordKind kind);

// Writes what is due: the frame that is shown, and a picture that was asked for.
void recording_write(Recording *recording);

#endif
