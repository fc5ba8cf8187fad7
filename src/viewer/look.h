// How the water looks: style, colors, cuts.
#ifndef PBF_VIEWER_LOOK_H
#define PBF_VIEWER_LOOK_H

#include "render/render.h"
#include "viewer/clip.h"
#include "viewer/playback.h"

typedef struct Look {
    Screen *screen;
    Playback *playback;
    RenderDef def;     // but its size and camera
    RenderDef of_file; // what the scene's file says
    bool cells;        // of the search structure are shown
    ClipPlane clip;
    float clip_share; // place of the plane, 0..1 of the bounds
} Look;

// Another scene's colors; what else the user has chosen stays.
void look_start(Look *look, const RenderDef *of_scene);

// The scene's file was read again: what was changed there is shown, all else stays as the user has it.
void look_follow_file(Look *look, const RenderDef *now);

void look_set_style(Look *look, RenderStyle style);
void look_set_field(Look *look, FieldKey field);
void look_set_range(Look *look, float lo, float hi); // of the colors, fixed; nothing if it is none

// A range that follows the frames stops where it is (lo to hi), or becomes what the scene's file has for the
// field.
void look_toggle_range(Look *look, float lo, float hi);

bool look_has_color_bar(const Look *look);

void look_toggle_clip(Look *look);
void look_turn_clip(Look *look);            // along the next axis
void look_move_clip(Look *look, int steps); // back or on
double look_clip_place(const Look *look);   // m, in the scene's coordinates

#endif
