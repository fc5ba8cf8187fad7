#include "render/gui_state.h"

#include "core/memory.h"

#include <backends/imgui_impl_opengl3.h>

#include <math.h>
#include <unistd.h>

enum { KEY_SEEN, KEY_FRESH, KEY_LET_GO };

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

static void set_shapes(float unit)
{
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
}

static void set_colors(const Gui *gui)
{
    static const struct {
        ImGuiCol of;
        GuiTint tint;
    } rows[] = {
        {ImGuiCol_Text, TINT_STRONG},
        {ImGuiCol_TextDisabled, TINT_DIM},
        {ImGuiCol_WindowBg, TINT_GROUND},
        {ImGuiCol_PopupBg, TINT_POPUP},
        {ImGuiCol_TitleBg, TINT_TITLE},
        {ImGuiCol_TitleBgActive, TINT_TITLE},
        {ImGuiCol_Border, TINT_OUTLINE},
        {ImGuiCol_FrameBg, TINT_FIELD},
        {ImGuiCol_FrameBgHovered, TINT_FIELD_HOVERED},
        {ImGuiCol_FrameBgActive, TINT_FIELD_HELD},
        {ImGuiCol_CheckMark, TINT_MARK},
        {ImGuiCol_SliderGrab, TINT_GRAB},
        {ImGuiCol_SliderGrabActive, TINT_GRAB_HELD},
        {ImGuiCol_Button, TINT_BUTTON},
        {ImGuiCol_ButtonHovered, TINT_BUTTON_HOVERED},
        {ImGuiCol_ButtonActive, TINT_BUTTON_HELD},
        {ImGuiCol_Header, TINT_HEADER},
        {ImGuiCol_HeaderHovered, TINT_HEADER_HOVERED},
        {ImGuiCol_HeaderActive, TINT_HEADER_HELD},
    };
    if (gui->theme == THEME_LIGHT)
        ImGui::StyleColorsLight();
    else
        ImGui::StyleColorsDark();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        ImGui::GetStyle().Colors[rows[k].of] = tint_of(gui, rows[k].tint);
}

GuiColor gui_color(const Gui *gui, GuiTint tint)
{
    return gui_theme_color(gui->theme, tint);
}

void gui_set_theme(Gui *gui, GuiTheme theme)
{
    if (gui->theme == theme) return;
    gui->theme = theme;
    ImGui::SetCurrentContext(gui->context);
    set_colors(gui);
}

// Captions have any size, made from a large one.
static const float CAPTION_SIZE = 24;
static const float CAPITALS = 0.729f; // of the size, in DejaVu

// ImGui's own font is a bitmap; DejaVu is on nearly every Linux machine.
static void load_font(float unit)
{
    static const char *const paths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf"};
    ImFontAtlas *atlas = ImGui::GetIO().Fonts;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        if (access(paths[k], R_OK) != 0 || !atlas->AddFontFromFileTTF(paths[k], roundf(13.5f * unit)))
            continue;
        atlas->AddFontFromFileTTF(paths[k], roundf(CAPTION_SIZE * unit));
        return;
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
    set_shapes(scale);
    set_colors(gui);
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

float gui_caption_width(Gui *gui, float capitals, const char *text)
{
    (void)gui;
    return ImGui::GetIO().Fonts->Fonts.back()->CalcTextSizeA(capitals / CAPITALS, FLT_MAX, 0, text).x;
}

void gui_draw_caption(Gui *gui, float x, float baseline, float capitals, GuiColor color, const char *text)
{
    const ImFont *font = ImGui::GetIO().Fonts->Fonts.back();
    float size = capitals / CAPITALS;
    draw_list(gui)->AddText(font, size, ImVec2(x, baseline - font->Ascent * size / font->FontSize),
                            packed(color), text);
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
