// How the water looks: style, colors, cuts.
#ifndef PBF_VIEWER_LOOK_H
#define PBF_VIEWER_LOOK_H

#include "render/render.h"
#include "render/split.h"
#include "viewer/filter.h"
#include "viewer/playback.h"

typedef struct Look {
    Screen *screen;
    Playback *playback;
    RenderDef def;     // size and camera are not used
    RenderDef of_file; // what the scene's file says
    bool cells;        // of the search structure are shown
    bool arrows;       // of velocities
    bool around;       // of the picked particle: its neighbors, and the cells that its search looks into
    bool picked;
    uint32_t picked_id;
    ClipPlane clip;
    Filter filter;
    SplitView split;  // how two sides are shown
    float wipe;       // share of the width at which a wipe's line is
    float clip_share; // place of the plane, 0..1 of the bounds
    uint32_t slice;   // of the water in that plane: cut_slice_name
} Look;

// Takes another scene's colors; the user's other choices stay.
void look_start(Look *look, const RenderDef *of_scene);

// The scene's file was read again: takes what was changed there and keeps the user's other choices.
void look_follow_file(Look *look, const RenderDef *now);

void look_set_style(Look *look, RenderStyle style);
void look_set_field(Look *look, FieldKey field);
void look_set_color_map(Look *look, ColorMap map);
void look_set_range(Look *look, float lo,
                    float hi); // of the colors, fixed; ignored with a message unless lo < hi

// Switches between a range that follows the frames and a fixed one: the scene file's for this field, else lo
// to hi.
void look_toggle_range(Look *look, float lo, float hi);

void look_set_split(Look *look, SplitView view);
void look_set_wipe(Look *look, float share);
bool look_shows_difference(const Look *look); // of two sides, instead of them

bool look_has_color_bar(const Look *look);

// Shows only particles whose color is between two values: those of the colors' range at first. Off with
// another field.
void look_toggle_filter(Look *look, float lo, float hi);
void look_set_filter(Look *look, float lo, float hi);

void look_toggle_clip(Look *look);
void look_turn_clip(Look *look);            // along the next axis
void look_move_clip(Look *look, int steps); // backward or forward
double look_clip_place(const Look *look);   // m, in the scene's coordinates

void look_set_slice(Look *look, uint32_t slice); // cuts the water open for one
void look_next_slice(Look *look);

#endif
