// How the water looks: style, colors, cuts.
#ifndef PBF_VIEWER_LOOK_H
#define PBF_VIEWER_LOOK_H

#include "render/render.h"
#include "viewer/clip.h"
#include "viewer/playback.h"

typedef struct Look {
    Screen *screen;
    Playback *playback;
    RenderDef def;     // size and camera are not used
    RenderDef of_file; // what the scene's file says
    bool cells;        // of the search structure are shown
    ClipPlane clip;
    float clip_share; // place of the plane, 0..1 of the bounds
} Look;

// Takes another scene's colors; the user's other choices stay.
void look_start(Look *look, const RenderDef *of_scene);

// The scene's file was read again: takes what was changed there and keeps the user's other choices.
void look_follow_file(Look *look, const RenderDef *now);

void look_set_style(Look *look, RenderStyle style);
void look_set_field(Look *look, FieldKey field);
void look_set_range(Look *look, float lo,
                    float hi); // of the colors, fixed; ignored with a message unless lo < hi

// Switches between a range that follows the frames and a fixed one: the scene file's for this field, else lo
// to hi.
void look_toggle_range(Look *look, float lo, float hi);

bool look_has_color_bar(const Look *look);

void look_toggle_clip(Look *look);
void look_turn_clip(Look *look);            // along the next axis
void look_move_clip(Look *look, int steps); // backward or forward
double look_clip_place(const Look *look);   // m, in the scene's coordinates

#endif
