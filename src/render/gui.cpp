// The only C++ of the program, for Dear ImGui. No exceptions, no RTTI, no standard library.
#include "render/gui.h"

#include "core/memory.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RECTS_MAX = 12 };
enum { KEY_SEEN, KEY_FRESH, KEY_LET_GO };

struct Gui {
    ImGuiContext *context;
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

// --- life ---

static void *allocate(size_t bytes, void *context)
{
    (void)context;
    return memory_allocate(bytes);
}

static void release(void *block, void *context)
{
    (void)context;
    memory_free(block);
}

static ImVec4 color_of(GuiColor c)
{
    return ImVec4(c.r, c.g, c.b, c.a);
}

static ImU32 packed(GuiColor c)
{
    return ImGui::ColorConvertFloat4ToU32(color_of(c));
}

// The program's theme: dark water, one accent.
static void set_style(float unit)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 6;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.PopupRounding = 4;
    style.ScrollbarRounding = 4;
    style.WindowBorderSize = 0;
    style.WindowPadding = ImVec2(10, 8);
    style.ItemSpacing = ImVec2(8, 4);
    style.ScaleAllSizes(unit);
    ImVec4 *c = style.Colors;
    c[ImGuiCol_WindowBg] = ImVec4(0.055f, 0.085f, 0.12f, 1);
    c[ImGuiCol_PopupBg] = ImVec4(0.07f, 0.10f, 0.14f, 0.98f);
    c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = ImVec4(0.08f, 0.13f, 0.18f, 1);
    c[ImGuiCol_FrameBg] = ImVec4(0.13f, 0.19f, 0.25f, 1);
    c[ImGuiCol_FrameBgHovered] = ImVec4(0.17f, 0.26f, 0.34f, 1);
    c[ImGuiCol_FrameBgActive] = ImVec4(0.20f, 0.32f, 0.42f, 1);
    c[ImGuiCol_CheckMark] = ImVec4(0.33f, 0.68f, 0.86f, 1);
    // Dark enough for the value that is written over it.
    c[ImGuiCol_SliderGrab] = ImVec4(0.15f, 0.42f, 0.60f, 1);
    c[ImGuiCol_SliderGrabActive] = ImVec4(0.22f, 0.52f, 0.72f, 1);
    c[ImGuiCol_Button] = ImVec4(0.15f, 0.26f, 0.35f, 1);
    c[ImGuiCol_ButtonHovered] = ImVec4(0.20f, 0.37f, 0.49f, 1);
    c[ImGuiCol_ButtonActive] = ImVec4(0.25f, 0.46f, 0.60f, 1);
    c[ImGuiCol_Header] = ImVec4(0.12f, 0.20f, 0.27f, 1);
    c[ImGuiCol_HeaderHovered] = ImVec4(0.17f, 0.29f, 0.39f, 1);
    c[ImGuiCol_HeaderActive] = ImVec4(0.20f, 0.35f, 0.46f, 1);
}

// ImGui's own font is a bitmap; DejaVu is on nearly every Linux machine.
static void load_font(float unit)
{
    static const char *const paths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf"};
    ImFontAtlas *atlas = ImGui::GetIO().Fonts;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        if (access(paths[k], R_OK) == 0 && atlas->AddFontFromFileTTF(paths[k], roundf(13.5f * unit))) return;
    }
    ImFontConfig config;
    config.SizePixels = 13 * unit;
    atlas->AddFontDefault(&config);
}

static void set_keys(void)
{
    ImGuiIO &io = ImGui::GetIO();
    static const int pairs[][2] = {
        {ImGuiKey_Tab, KEY_TAB},
        {ImGuiKey_LeftArrow, KEY_LEFT},
        {ImGuiKey_RightArrow, KEY_RIGHT},
        {ImGuiKey_UpArrow, KEY_UP},
        {ImGuiKey_DownArrow, KEY_DOWN},
        {ImGuiKey_PageUp, KEY_PAGE_UP},
        {ImGuiKey_PageDown, KEY_PAGE_DOWN},
        {ImGuiKey_Home, KEY_HOME},
        {ImGuiKey_End, KEY_END},
        {ImGuiKey_Delete, KEY_DELETE},
        {ImGuiKey_Backspace, KEY_BACKSPACE},
        {ImGuiKey_Enter, KEY_ENTER},
        {ImGuiKey_Escape, KEY_ESCAPE},
        {ImGuiKey_Space, ' '},
        {ImGuiKey_A, 'A'},
        {ImGuiKey_C, 'C'},
        {ImGuiKey_V, 'V'},
        {ImGuiKey_X, 'X'},
        {ImGuiKey_Y, 'Y'},
        {ImGuiKey_Z, 'Z'},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) io.KeyMap[pairs[k][0]] = pairs[k][1];
}

Gui *gui_open(float scale)
{
    Gui *gui = static_cast<Gui *>(memory_allocate_zeroed(sizeof *gui));
    if (!gui) return nullptr;
    gui->unit = scale;
    ImGui::SetAllocatorFunctions(allocate, release, nullptr);
    gui->context = ImGui::CreateContext();
    ImGui::SetCurrentContext(gui->context);
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr; // the panels' places are not worth a file in the user's folder
    io.LogFilename = nullptr;
    io.MousePos = ImVec2(-1, -1);
    set_style(scale);
    load_font(scale);
    set_keys();
    if (ImGui_ImplOpenGL3_Init("#version 330 core")) return gui;
    gui_close(gui);
    return nullptr;
}

void gui_close(Gui *gui)
{
    if (!gui) return;
    ImGui::SetCurrentContext(gui->context);
    if (ImGui::GetIO().BackendRendererUserData) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(gui->context);
    memory_free(gui);
}

// --- events ---

static bool over_panel(const Gui *gui, float x, float y)
{
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return true;
    for (int k = 0; k < gui->rect_count; k++) {
        if (x >= gui->rects[k].x && x < gui->rects[k].z && y >= gui->rects[k].y && y < gui->rects[k].w)
            return true;
    }
    return false;
}

static void take_mods(unsigned mods)
{
    ImGuiIO &io = ImGui::GetIO();
    io.KeyShift = (mods & MOD_SHIFT) != 0;
    io.KeyCtrl = (mods & MOD_CONTROL) != 0;
    io.KeyAlt = (mods & MOD_ALT) != 0;
}

bool gui_take_event(Gui *gui, const WindowEvent *event)
{
    ImGui::SetCurrentContext(gui->context);
    ImGuiIO &io = ImGui::GetIO();
    switch (event->kind) {
    case WINDOW_KEY:
        if (!event->down && gui->key_state[event->key] == KEY_FRESH) {
            gui->key_state[event->key] = KEY_LET_GO;
        } else {
            io.KeysDown[event->key] = event->down;
            if (event->down && !event->repeat) gui->key_state[event->key] = KEY_FRESH;
        }
        take_mods(event->mods);
        return io.WantTextInput && event->down;
    case WINDOW_TEXT:
        io.AddInputCharacter(event->codepoint);
        return io.WantTextInput;
    case WINDOW_BUTTON: {
        bool ours = over_panel(gui, event->x, event->y);
        take_mods(event->mods); // the event of Ctrl's own key may have come without it
        if (!event->down) {
            gui->released[event->button] = true;
        } else if (ours) {
            io.MousePos = ImVec2(event->x, event->y);
            io.MouseDown[event->button] = true;
            gui->released[event->button] = false;
            gui->pressed = true;
        }
        return ours;
    }
    case WINDOW_MOVE:
        gui->moved_to = ImVec2(event->x, event->y);
        gui->moved_since = true;
        return io.WantCaptureMouse;
    case WINDOW_SCROLL:
        if (!over_panel(gui, event->x, event->y)) return false;
        gui->wheel += event->scroll_y;
        return true;
    case WINDOW_DROP:
    case WINDOW_REDRAW:
        break;
    }
    return false;
}

void gui_begin(Gui *gui, uint32_t width, uint32_t height, float seconds)
{
    ImGui::SetCurrentContext(gui->context);
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2((float)width, (float)height);
    io.DeltaTime = seconds > 1e-4f ? seconds : 1e-4f;
    if (!gui->pressed) {
        if (gui->moved_since) io.MousePos = gui->moved_to;
        gui->moved_since = false;
        for (int button = 0; button < BUTTON_COUNT; button++) {
            if (gui->released[button]) io.MouseDown[button] = false;
        }
    }
    gui->pressed = false;
    io.MouseWheel = gui->wheel;
    gui->wheel = 0;
    gui->rect_count = gui->panel_count = 0;
    gui->settled = true;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    for (int key = 0; key < 512; key++) {
        if (gui->key_state[key] == KEY_LET_GO) io.KeysDown[key] = false;
        gui->key_state[key] = KEY_SEEN;
    }
}

void gui_draw(Gui *)
{
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// --- panels ---

bool gui_is_settled(const Gui *gui)
{
    return gui->settled;
}

static void place_movable(const Gui *gui, const GuiPanel *panel)
{
    ImVec2 at(floorf(panel->x - panel->anchor_x * panel->width), panel->y);
    bool astray = gui->seen_at.x != at.x || gui->seen_at.y != at.y, held = ImGui::IsMouseDown(BUTTON_LEFT);
    ImGui::SetNextWindowPos(at, astray && !gui->user_moved && !held ? ImGuiCond_Always : ImGuiCond_Appearing);
}

static void watch_movable(Gui *gui)
{
    ImVec2 at = ImGui::GetWindowPos();
    bool moved = gui->seen_at.x != at.x || gui->seen_at.y != at.y;
    if (ImGui::IsWindowAppearing())
        gui->user_moved = false;
    else if (moved && ImGui::IsMouseDragging(BUTTON_LEFT))
        gui->user_moved = true;
    gui->seen_at = at;
}

bool gui_panel_begin(Gui *gui, const GuiPanel *panel)
{
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoSavedSettings |
                             ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysAutoResize;
    if (panel->plain)
        flags |= ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize;
    gui->passive_panel = panel->passive;
    if (panel->passive) flags |= ImGuiWindowFlags_NoInputs;
    gui->movable_panel = !panel->plain;
    if (gui->movable_panel)
        place_movable(gui, panel);
    else
        ImGui::SetNextWindowPos(ImVec2(panel->x, panel->y), ImGuiCond_Always,
                                ImVec2(panel->anchor_x, panel->anchor_y));
    float width = panel->width > 0 ? panel->width : 0;
    ImGui::SetNextWindowSizeConstraints(
        ImVec2(width, panel->height_min),
        ImVec2(width > 0 ? width : FLT_MAX, panel->height_max > 0 ? panel->height_max : FLT_MAX));
    ImGui::SetNextWindowBgAlpha(panel->opacity);
    ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
    if (panel->dense) spacing.y = gui->unit;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, spacing);
    bool open = ImGui::Begin(panel->title, nullptr, flags);
    ImGui::PushItemWidth(width > 0 ? width * 0.5f : 160 * gui->unit);
    return open;
}

void gui_panel_end(Gui *gui)
{
    float down = ImGui::GetCursorPosY();
    if (gui->panel_count < RECTS_MAX) {
        if (down != gui->contents[gui->panel_count]) gui->settled = false;
        gui->contents[gui->panel_count++] = down;
    }
    ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    if (gui->movable_panel) watch_movable(gui);
    gui->in_panel = false;
    if (!gui->passive_panel && gui->rect_count < RECTS_MAX)
        gui->rects[gui->rect_count++] = ImVec4(at.x, at.y, at.x + size.x, at.y + size.y);
    ImGui::PopItemWidth();
    ImGui::PopStyleVar();
    ImGui::End();
}

bool gui_section(Gui *, const char *label, bool open, bool opens)
{
    if (opens) ImGui::SetNextItemOpen(true);
    return ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

static void show_tip(const char *tip)
{
    if (!tip || !ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 24);
    ImGui::TextUnformatted(tip);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// The control that the keyboard acts on has a brighter frame.
static void begin_control(const Gui *gui, bool chosen)
{
    if (!chosen) return;
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, gui->unit);
    ImGui::PushStyleColor(ImGuiCol_Border, ImVec4(0.33f, 0.68f, 0.86f, 0.9f));
}

static void end_control(bool chosen, const char *tip)
{
    if (chosen) {
        ImGui::PopStyleColor();
        ImGui::PopStyleVar();
    }
    show_tip(tip);
}

// The slider's new value; an incomplete number leaves it as it was.
static float slid_value(Gui *gui, const char *label, float before, float now)
{
    ImGuiID slider = ImGui::GetID(label);
    if (ImGui::IsItemActive() && ImGui::GetIO().WantTextInput) {
        if (now == before) return before;
        gui->typed_value = now;
        gui->typed_into = slider;
        return before;
    }
    if (!ImGui::IsItemDeactivated() || gui->typed_into != slider) return now;
    gui->typed_into = 0;
    bool given_up = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
    return given_up ? before : now != before ? now : gui->typed_value;
}

bool gui_slider(Gui *gui, const char *label, float *value, const GuiRange *range, bool chosen,
                const char *tip)
{
    begin_control(gui, chosen);
    ImGuiSliderFlags flags = range->logarithmic ? ImGuiSliderFlags_Logarithmic : 0;
    float before = *value;
    bool typed = ImGui::GetIO().WantTextInput; // as it is meant
    ImGui::SliderFloat(label, value, fminf(range->lo, before), fmaxf(range->hi, before), range->format,
                       flags);
    *value = slid_value(gui, label, before, *value);
    *value = *value >= range->least ? fminf(*value, range->most) : range->least; // not a number, too
    if (!typed && *value != before && range->step > 0 && !range->logarithmic)
        *value = roundf(*value / range->step) * range->step;
    end_control(chosen, tip);
    return *value != before; // a mouse that rests between two steps changes nothing
}

bool gui_choice(Gui *gui, const char *label, uint32_t *value, GuiNames *names, const void *context,
                bool chosen, const char *tip)
{
    bool changed = false;
    begin_control(gui, chosen);
    const char *now = names(*value, context);
    bool open = ImGui::BeginCombo(label, now ? now : "");
    end_control(chosen, tip);
    if (!open) return false;
    for (uint32_t k = 0; names(k, context); k++) {
        if (!ImGui::Selectable(names(k, context), k == *value)) continue;
        changed = k != *value;
        *value = k;
    }
    ImGui::EndCombo();
    return changed;
}

bool gui_numbers(Gui *, const char *label, float *values, uint32_t count, const char *tip)
{
    bool changed = ImGui::InputScalarN(label, ImGuiDataType_Float, values, (int)count, nullptr, nullptr,
                                       "%.4g", ImGuiInputTextFlags_EnterReturnsTrue);
    show_tip(tip);
    return changed;
}

bool gui_text_field(Gui *, const char *label, char *text, size_t size, const char *tip)
{
    bool changed = ImGui::InputText(label, text, size, ImGuiInputTextFlags_EnterReturnsTrue);
    show_tip(tip);
    return changed;
}

bool gui_range(Gui *gui, const char *label, float *lo, float *hi, const char *tip)
{
    float ends[2] = {*lo, *hi};
    bool changed = gui_numbers(gui, label, ends, 2, tip);
    *lo = ends[0];
    *hi = ends[1];
    return changed;
}

bool gui_clicked_right(Gui *)
{
    return ImGui::IsItemClicked(ImGuiMouseButton_Right);
}

bool gui_check(Gui *, const char *label, bool *value)
{
    return ImGui::Checkbox(label, value);
}

bool gui_button(Gui *, const char *label, const char *tip)
{
    bool clicked = ImGui::Button(label);
    show_tip(tip);
    return clicked;
}

void gui_same_line(Gui *)
{
    ImGui::SameLine();
}

void gui_same_line_for(Gui *, const char *label)
{
    ImGuiStyle &style = ImGui::GetStyle();
    float edge = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    // A check box is as wide as it is high, and more than a button's frame.
    float width = ImGui::CalcTextSize(label).x + ImGui::GetFrameHeight() + style.ItemInnerSpacing.x;
    if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= edge) ImGui::SameLine();
}

void gui_gap(Gui *gui)
{
    ImGui::Dummy(ImVec2(0, 3 * gui->unit));
}

static ImVec4 tone_color(GuiTone tone)
{
    static const ImVec4 tones[TONE_COUNT] = {ImVec4(0.90f, 0.94f, 0.97f, 1), ImVec4(0.58f, 0.66f, 0.73f, 1),
                                             ImVec4(1, 1, 1, 1)};
    return tones[tone];
}

void gui_text(Gui *, GuiTone tone, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(tone));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void gui_paragraph(Gui *, const char *text)
{
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
}

void gui_scale_text(Gui *, float scale)
{
    ImGui::SetWindowFontScale(scale);
}

float gui_digit_width(Gui *)
{
    return ImGui::CalcTextSize("0").x;
}

void gui_columns(Gui *gui, const char *const *texts, const float *widths, uint32_t count)
{
    float digit = gui_digit_width(gui), x = ImGui::GetCursorPosX();
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(TONE_PLAIN));
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0) ImGui::SameLine(x);
        ImGui::TextUnformatted(texts[k]);
        x += widths[k] * digit;
    }
    ImGui::PopStyleColor();
}

bool gui_row(Gui *gui, const char *const *texts, const float *widths, uint32_t count)
{
    float x = ImGui::GetCursorPosX(), digits = 0;
    for (uint32_t k = 0; k < count; k++) digits += widths[k];
    ImGui::PushID(texts[0]);
    ImGui::PushID(count > 1 ? texts[1] : "");
    bool clicked =
        ImGui::Selectable("##row", false, 0, ImVec2(digits * gui_digit_width(gui), ImGui::GetFontSize()));
    ImGui::PopID();
    ImGui::PopID();
    ImGui::SameLine(x);
    gui_columns(gui, texts, widths, count);
    return clicked;
}

void gui_input(Gui *, const char *name, const char *hint, char *text, size_t size)
{
    ImGui::SetNextItemWidth(ImGui::CalcTextSize(hint).x + 2 * ImGui::GetFontSize());
    ImGui::InputTextWithHint(name, hint, text, size);
}

void gui_stacked_bars(Gui *gui, const float *values, uint32_t bars, uint32_t parts, const GuiColor *colors,
                      float top, float height)
{
    ImVec2 corner = ImGui::GetCursorScreenPos();
    float width = ImGui::GetContentRegionAvail().x, step = width / (float)(bars > 0 ? bars : 1);
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), IM_COL32(255, 255, 255, 14),
                        3 * gui->unit);
    for (uint32_t bar = 0; bar < bars; bar++) {
        float x = corner.x + step * (float)bar, y = corner.y + height;
        for (uint32_t part = 0; part < parts; part++) {
            float up = fminf(values[bar * parts + part] / top * height, y - corner.y);
            if (up < 0.3f) continue;
            list->AddRectFilled(ImVec2(x, y - up), ImVec2(x + fmaxf(step - 1, 1), y), packed(colors[part]));
            y -= up;
        }
    }
    ImGui::Dummy(ImVec2(width, height));
}

bool gui_timeline(Gui *gui, double *now, double begin, double end, const float *marks, uint32_t mark_count,
                  float height)
{
    ImVec2 corner = ImGui::GetCursorScreenPos();
    float width = fmaxf(ImGui::GetContentRegionAvail().x, 1), middle = corner.y + 0.5f * height;
    double span = end > begin ? end - begin : 1;
    ImDrawList *list = ImGui::GetWindowDrawList();
    ImGui::InvisibleButton("time", ImVec2(width, height));
    bool held = ImGui::IsItemActive();
    auto place = [&](double time) { return corner.x + width * (float)((time - begin) / span); };
    list->AddRectFilled(ImVec2(corner.x, middle - 3 * gui->unit),
                        ImVec2(corner.x + width, middle + 3 * gui->unit), IM_COL32(255, 255, 255, 26),
                        3 * gui->unit);
    for (uint32_t k = 0; k < mark_count; k++) {
        float x = place((double)marks[k]);
        list->AddLine(ImVec2(x, middle - 3 * gui->unit), ImVec2(x, middle + 3 * gui->unit),
                      IM_COL32(90, 165, 215, 150));
    }
    float x = place(*now);
    list->AddRectFilled(ImVec2(x - 2 * gui->unit, corner.y), ImVec2(x + 2 * gui->unit, corner.y + height),
                        IM_COL32(250, 185, 60, 255), 2 * gui->unit);
    if (!held) return false;
    float share = (ImGui::GetIO().MousePos.x - corner.x) / width;
    double wanted = begin + span * (double)fminf(fmaxf(share, 0), 1);
    bool moved = wanted != *now;
    *now = wanted;
    return moved;
}

void gui_swatch(Gui *gui, GuiColor color)
{
    float side = ImGui::GetFontSize() * 0.65f, down = ImGui::GetFontSize() * 0.22f;
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(at.x, at.y + down), ImVec2(at.x + side, at.y + down + side), packed(color), 2 * gui->unit);
    ImGui::Dummy(ImVec2(side, side));
    ImGui::SameLine();
}

// --- free drawing ---

float gui_text_width(Gui *, const char *text)
{
    return ImGui::CalcTextSize(text).x;
}

void gui_draw_over_panels(Gui *gui, bool over)
{
    gui->over_panels = over;
}

GuiCanvas gui_canvas(Gui *gui, const char *name, float width, float height)
{
    ImVec2 corner = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
    width = fmaxf(width > 0 ? width : ImGui::GetContentRegionAvail().x, 1);
    ImGui::InvisibleButton(name, ImVec2(width, height));
    gui->in_panel = true;
    return GuiCanvas{corner.x, corner.y, corner.x + width,       corner.y + height,
                     mouse.x,  mouse.y,  ImGui::IsItemHovered(), ImGui::IsItemActive()};
}

static ImDrawList *draw_list(const Gui *gui)
{
    if (gui->in_panel) return ImGui::GetWindowDrawList();
    return gui->over_panels ? ImGui::GetForegroundDrawList() : ImGui::GetBackgroundDrawList();
}

void gui_draw_text(Gui *gui, float x, float y, float anchor_x, GuiColor color, const char *text)
{
    ImVec2 at(floorf(x - anchor_x * gui_text_width(gui, text)), floorf(y));
    draw_list(gui)->AddText(at, packed(color), text);
}

void gui_draw_box(Gui *gui, float x0, float y0, float x1, float y1, float corner, GuiColor color)
{
    draw_list(gui)->AddRectFilled(ImVec2(x0, y0), ImVec2(x1, y1), packed(color), corner);
}

void gui_draw_lines(Gui *gui, const float (*points)[2], uint32_t count, float width, GuiColor color)
{
    for (uint32_t k = 1; k < count; k++) {
        ImVec2 from(points[k - 1][0], points[k - 1][1]), to(points[k][0], points[k][1]);
        if (isfinite(from.x + from.y + to.x + to.y)) draw_list(gui)->AddLine(from, to, packed(color), width);
    }
}

float gui_line_height(Gui *)
{
    return ImGui::GetFontSize();
}
