// What the controls are made of; shared by gui.cpp (life, events, free drawing) and gui_panels.cpp (panels
// and what is in them), the only C++ of the program, for Dear ImGui. No exceptions, no RTTI, no standard
// library.
#ifndef PBF_RENDER_GUI_STATE_H
#define PBF_RENDER_GUI_STATE_H

#include "render/gui.h"

#include <imgui.h>

enum { RECTS_MAX = 12 };

struct Gui {
    ImGuiContext *context;
    GuiTheme theme;
    float unit;  // px of a common px
    float wheel; // since the last picture

    // Places of the panels that take the mouse. ImGui itself knows only after the next picture what a mouse
    // that has just moved is over, and a quick click would go to the wrong one.
    ImVec4 rects[RECTS_MAX];
    int rect_count;
    bool passive_panel;

    // Height of the panels' contents in this picture and the last. ImGui fits a panel to its contents
    // one picture late.
    float contents[RECTS_MAX];
    int panel_count;
    bool settled;

    // ImGui reads the mouse once a picture: a press waits for its picture, and later events are held back
    // until then.
    bool pressed, moved_since;
    bool released[BUTTON_COUNT];
    ImVec2 moved_to;

    // Likewise for keys: one released before it was read counts as down until then.
    unsigned char key_state[512];

    // Last place of the movable panel: until the user moves it, it follows its place, even after a window so
    // small that ImGui has pushed it aside.
    ImVec2 seen_at;
    bool movable_panel, user_moved;

    // The number being typed, and into which slider (0: none). It takes effect when complete: on the way to
    // -20 nobody means -2.
    float typed_value;
    ImGuiID typed_into;

    bool over_panels, in_panel; // where free drawing goes; else behind them
};

static inline ImVec4 color_of(GuiColor c)
{
    return ImVec4(c.r, c.g, c.b, c.a);
}

static inline ImVec4 tint_of(const Gui *gui, GuiTint tint)
{
    return color_of(gui_color(gui, tint));
}

static inline ImU32 packed(GuiColor c)
{
    return ImGui::ColorConvertFloat4ToU32(color_of(c));
}

#endif
