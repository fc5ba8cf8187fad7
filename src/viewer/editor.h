// A scene edited by hand: its things are chosen, moved, turned and scaled in the picture, added and taken
// away. The water stands at its start meanwhile. Every change is one of the scene's text, which the
// simulation reads as it would read the file; one that it refuses is taken back.
#ifndef PBF_VIEWER_EDITOR_H
#define PBF_VIEWER_EDITOR_H

#include "scene/scene_item.h"
#include "viewer/handles.h"
#include "viewer/picture.h"

typedef struct Editor {
    Screen *screen;
    Playback *playback;
    const Picture *picture;
    const Camera *camera;
    bool on;
    SharedScene *scene; // that the draft was taken from, held
    SceneSource draft;  // its text, perhaps ahead of what the simulation has read
    bool ahead;
    SceneItem *items; // of the draft
    uint32_t count;
    uint32_t chosen; // number of one; past the last: none
    HandleDrag drag;
    SceneItem dragged; // the chosen one, as far as it has been dragged
    Handle hovered;
    char mesh[1024]; // file of the next mesh
    uint64_t kept;   // SceneFacts.number of the scene that was saved last
} Editor;

// Begins, with the water at its start, or ends.
void editor_toggle(Editor *editor);
void editor_free(Editor *editor);

// Takes the simulation's scene when that has changed; ends when the water moves.
void editor_follow(Editor *editor);

// Has the scene been edited since it was saved?
bool editor_is_unsaved(const Editor *editor);

// --- mouse, px of the window ---

bool editor_grab(Editor *editor, float px, float py); // a handle of the chosen thing; false if there is none
void editor_drag(Editor *editor, float px, float py, bool snap); // snap: to multiples of the spacing
void editor_release(Editor *editor);
void editor_hover(Editor *editor, float px, float py);
void editor_choose_at(Editor *editor, float px, float py); // the first thing there, or none

// --- the chosen thing ---

const SceneItem *editor_item(const Editor *editor); // NULL: none
void editor_choose_next(Editor *editor);

// Writes a changed copy of the chosen thing.
void editor_set(Editor *editor, const SceneItem *changed);

// By so many steps (a spacing each) to the right, away and up as the camera sees it, along the scene's axes.
void editor_nudge(Editor *editor, int right, int away, int up);

void editor_repeat(Editor *editor); // a copy of it
void editor_remove(Editor *editor);
void editor_place_camera(Editor *editor); // the scene's camera becomes the window's

// Kinds of things that can be added; NULL past the end.
const char *editor_kind(uint32_t k);
void editor_add(Editor *editor, uint32_t k);

// --- what is seen of it ---

View editor_view(const Editor *editor);              // the picture's view, in the scene's coordinates
const SceneItem *editor_shown(const Editor *editor); // the chosen thing, as far as it has been dragged
// The handles of it; false if there are none, or they are behind the eye.
bool editor_handles(const Editor *editor, const View *view, Handles *handles);

#endif
