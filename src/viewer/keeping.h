// What the user keeps of the window: particles, meshes, measurements, the scene, cameras. Files get the next
// free number.
#ifndef PBF_VIEWER_KEEPING_H
#define PBF_VIEWER_KEEPING_H

#include "viewer/recorder.h"

enum { CAMERAS_MAX = 9 };

typedef struct Keeping {
    Screen *screen;
    const Playback *playback;
    Picture *picture;
    Look *look;
    Camera *camera;
    Recording *recording;
    uint32_t format; // keeping_format_names
    CameraDef cameras[CAMERAS_MAX];
    uint32_t camera_count, camera_shown;
} Keeping;

// The formats of --export that hold one state; NULL past the end.
const char *keeping_format_names(uint32_t k, const void *context);

// Writes the state that is shown in the chosen format, the left one of two.
void keeping_export(Keeping *keeping);

void keeping_measurements(Keeping *keeping); // as --log does
void keeping_scene(Keeping *keeping);        // with all changed settings, camera and colors, as YAML

// Cameras: the present one is kept, or taken back if it is one of them; the next one is shown.
void keeping_keep_camera(Keeping *keeping);
void keeping_next_camera(Keeping *keeping);

#endif
