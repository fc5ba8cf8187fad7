// What the viewer is made of; shared by the files that open, draw and steer it.
#ifndef PBF_VIEWER_VIEWER_STATE_H
#define PBF_VIEWER_VIEWER_STATE_H

#include "render/cells.h"
#include "render/render.h"
#include "render/shared_range.h"
#include "render/split.h"
#include "render/view.h"
#include "render/window.h"
#include "viewer/clip.h"
#include "viewer/controls.h"
#include "viewer/layout.h"
#include "viewer/orbit.h"
#include "viewer/pace.h"
#include "viewer/recorder.h"
#include "viewer/scene_list.h"
#include "viewer/simulation.h"
#include "viewer/viewer.h"

enum { HISTORY = 90 }; // steps whose times the bars show

// A message that goes away by itself.
typedef struct Toast {
    char text[320];
    double until; // s of the clock
} Toast;

// How steps went, for the numbers on the screen.
typedef struct History {
    float phase_ms[HISTORY][PHASE_COUNT]; // the newest last
    uint32_t count;
    uint32_t alike; // of them, those with the present settings, which the means are of
    uint64_t step;  // of the last one
    uint64_t fluid; // Shot.fluid
} History;

// What a held mouse button does.
typedef enum Drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_WATER, DRAG_OBSTACLE } Drag;

typedef struct Viewer {
    ViewerDef def;
    Window *window;
    Renderer *renderer[2]; // the second one while two fluids are compared
    Split *split;          // likewise; NULL else
    uint32_t split_width, split_height;
    uint8_t *pixels; // of pictures that are written
    size_t pixel_capacity;
    Simulation *simulation;
    Recorder *recorder;
    SceneFacts facts;
    const Shot *shot;     // what is shown
    uint64_t shot_number; // counts them
    SceneList scenes;
    FileStamp stamp; // of the scene's file
    double stamp_checked;
    bool quit;
    bool drawn;           // the window shows what there is
    bool was_playing;     // at the last look
    bool shows_loading;   // other water is long in coming
    double loading_since; // s of the clock

    // the picture
    RenderDef look;      // but its size and camera
    RenderDef file_look; // what the scene's file says
    bool show_cells;     // of the search structure
    Cells cells[2];
    SharedRange range;        // of the colours of two sides
    uint64_t ranged;          // shot that it holds
    float range_lo, range_hi; // of both
    ClipPlane clip;
    float clip_share; // place of the plane, 0..1 of the bounds
    Clip cut;
    ViewRows thinned; // of what is cut, for a coarse picture
    Box3 bounds;      // of tank or first water, domain coordinates
    Orbit orbit;
    bool camera_moved;      // by the user; else the scene's camera rules
    uint32_t width, height; // of the window
    bool picture_stale, controls_stale;
    bool picture_has_legend;       // as recorded ones do
    bool picture_wanted;           // as a file
    uint32_t drawn_sides;          // that the picture shows
    bool compiled[2][STYLE_COUNT]; // for so many sides: the driver has seen the style
    int controls_due;              // times that the controls are to be drawn yet
    uint32_t recorded_frame;
    uint64_t recorded_fluid;
    Pace pace;
    double presented_at; // s of the clock

    // the mouse
    Drag drag;
    WindowButton drag_button;
    float mouse_x, mouse_y;
    bool hand;         // the left button acts on the water, not on the camera
    bool hand_pushes;  // away from the mouse instead of towards it
    float hand_depth;  // m along the line of sight, of what was grabbed
    uint32_t body;     // obstacle that is moved
    double blind;      // s, spent on drawing so far, in which clicks are not seen
    double clicked_at; // without the blind time
    float clicked_x, clicked_y;

    // the controls
    bool panel, hud, help;
    bool panel_covered;    // a comparison has put it away
    bool probing;          // a particle's numbers are shown,
    uint32_t probed;       // that of this id
    uint32_t sides[2];     // neighbor methods of a comparison
    uint32_t chosen;       // parameter that the keyboard changes
    uint32_t shown_chosen; // the one that was so in the last picture of the panel
    float spacing;         // m, as chosen for the next start
    float forced_spacing;  // m, instead of the file's; 0 for none
    Toast toast;
    uint64_t errors_seen;
    History history;
    char title[200];
    double titled_at;
} Viewer;

// Puts a message on the screen, and on standard error.
void viewer_say(Viewer *viewer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for an error; does nothing if there is none.
void viewer_say_error(Viewer *viewer, const Result *result);

// --- viewer_draw.c ---

// What there is to see before the first picture: its background, and the scene's name. Drivers take their
// time over shaders.
Result viewer_greet(Viewer *viewer, const char *scene);

// Draws the picture if it has to be drawn anew and it is time, then the controls. *drawn tells whether the
// window shows something new.
Result viewer_draw(Viewer *viewer, bool *drawn);

// Picture and controls are out of date.
void viewer_redraw(Viewer *viewer);

// Does the window show what there is, be it an older state? Else nobody can aim at anything, and where a new
// renderer's camera stands is not known yet.
bool viewer_has_picture(const Viewer *viewer);

// How long the loop may sleep, s.
double viewer_patience(const Viewer *viewer);

// Draws the picture in its full quality at a size; *rgb belongs to the viewer until the next call.
Result viewer_draw_full(Viewer *viewer, uint32_t width, uint32_t height, const uint8_t **rgb);

// The part of the window that a side's picture covers, px from the upper left corner.
typedef struct Frame {
    float x, y, width, height;
} Frame;
Frame viewer_frame(const Viewer *viewer, int side);

// A renderer for each side of the shot.
Result viewer_make_renderers(Viewer *viewer);

// Another scene is shown: what was learned from the last one goes.
Result viewer_renew_renderers(Viewer *viewer);

void viewer_close_renderers(Viewer *viewer);

// --- viewer_input.c ---

void viewer_take_event(Viewer *viewer, const WindowEvent *event);

// --- hand.c: the user in the water ---

// A drag of water, or of an obstacle, begins at a place of the window (px); false if there is none.
bool hand_grab(Viewer *viewer, float px, float py, bool obstacle, bool pushes);
void hand_move(Viewer *viewer, float px, float py, float dx, float dy);
void hand_release(Viewer *viewer);
void hand_drop(Viewer *viewer, float px, float py); // a ball of water over the place
void hand_act(Viewer *viewer, Action action);       // the same by keys, where the camera looks
int viewer_picture_place(const Viewer *viewer, float px, float py, float *x, float *y); // see viewer_input.c

// --- probe.c: the numbers of one particle ---

void probe_at(Viewer *viewer, float px, float py); // of that at a place of the window (px), or none
void probe_ahead(Viewer *viewer);  // of that in the middle of the picture; none if there are some
void viewer_probe(Viewer *viewer); // draws them

// --- viewer_actions.c ---

void viewer_take_picture(Viewer *viewer);

void viewer_act(Viewer *viewer, Action action, uint32_t digit);

// What the help shows beside a control, "" if it has no state.
void viewer_action_state(Viewer *viewer, Action action, char *out, size_t size);

void viewer_set_parameter(Viewer *viewer, uint32_t parameter, float value);
void viewer_compare(Viewer *viewer, bool on);
void viewer_choose_sides(Viewer *viewer); // what a comparison begins with
void viewer_choose_side(Viewer *viewer, int side, uint32_t method);
void viewer_load(Viewer *viewer, const char *path, bool renewed);
void viewer_restart_with_spacing(Viewer *viewer);

// --- viewer_look.c ---

void viewer_set_style(Viewer *viewer, RenderStyle style);
void viewer_set_field(Viewer *viewer, FieldKey field);
void viewer_set_range(Viewer *viewer, float lo, float hi); // of the colours, fixed; nothing if it is none

// A range that follows the frames stops where it is, or becomes what the scene's file has for the field.
void viewer_toggle_range(Viewer *viewer);

void viewer_act_on_clip(Viewer *viewer, Action action);
double viewer_clip_place(const Viewer *viewer); // m, in the scene's coordinates

// --- viewer_camera.c ---

// The orbit that shows what is shown now, from which the user moves on; there has to be a picture.
void viewer_begin_camera(Viewer *viewer);

// The camera for pictures.
CameraDef viewer_camera(const Viewer *viewer);

// Carries out one of the camera's actions.
void viewer_move_camera(Viewer *viewer, Action action);

// --- panel.c, hud.c, badges.c ---

// What of the controls is shown in a window of the present size.
Layout viewer_layout(const Viewer *viewer);

void viewer_panel(Viewer *viewer);
void viewer_hud(Viewer *viewer);
void viewer_help(Viewer *viewer);
void viewer_badges(Viewer *viewer);
void viewer_label(Viewer *viewer, float y,
                  const char *text);   // in the window's middle, at a share of its height
void viewer_color_bar(Viewer *viewer); // of the last picture
bool viewer_has_color_bar(const Viewer *viewer);

#endif
