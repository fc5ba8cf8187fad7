// The parts of a viewer, from the ground up: each knows only those listed before it, and belongs to the file
// of its name.
#ifndef PBF_VIEWER_VIEWER_STATE_H
#define PBF_VIEWER_VIEWER_STATE_H

#include "viewer/camera.h"
#include "viewer/controls.h"
#include "viewer/editor.h"
#include "viewer/hand.h"
#include "viewer/keeping.h"
#include "viewer/look.h"
#include "viewer/picture.h"
#include "viewer/playback.h"
#include "viewer/plots.h"
#include "viewer/preferences.h"
#include "viewer/probe.h"
#include "viewer/question.h"
#include "viewer/recorder.h"
#include "viewer/scene_files.h"
#include "viewer/scene_pictures.h"
#include "viewer/screen.h"
#include "viewer/settings.h"

// The hint of a first run.
typedef struct FirstRun {
    bool shown;
    double until; // s of the clock; 0: not begun
} FirstRun;

typedef struct Viewer {
    Screen screen;
    Playback playback;
    SceneFiles files;
    ScenePictures pictures;
    Question question;
    Settings settings;
    Look look;
    Camera camera;
    Picture picture;
    Hand hand;
    Editor editor;
    Probe probe;
    Recording recording;
    Keeping keeping;
    Controls controls;
    Plots plots;
    Preferences preferences;
    FirstRun first_run;
    bool quit; // the user wants to leave
} Viewer;

#endif
