#include "render/gui_state.h"

#include <imgui_internal.h>

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, panel->outlined ? gui->unit : 0);
    bool open = ImGui::Begin(panel->title, nullptr, flags);
    // A click on a panel brings that to the front.
    if (panel->outlined) ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    ImGui::PopStyleVar();
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
    ImGui::PushStyleColor(ImGuiCol_Border, tint_of(gui, TINT_MARK));
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

bool gui_picture(Gui *gui, const char *name, uint32_t texture, float width, float height)
{
    ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + width, at.y + height);
    bool clicked = ImGui::InvisibleButton(name, ImVec2(width, height + 1.3f * ImGui::GetFontSize()));
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, end, ImGui::GetColorU32(ImGuiCol_FrameBg));
    if (texture) list->AddImage((ImTextureID)(intptr_t)texture, at, end);
    if (ImGui::IsItemHovered())
        list->AddRect(at, end, ImGui::GetColorU32(ImGuiCol_CheckMark), 0, 0, 2 * gui->unit);
    list->AddText(ImVec2(at.x, end.y), ImGui::GetColorU32(ImGuiCol_Text), name);
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

static ImVec4 tone_color(const Gui *gui, GuiTone tone)
{
    static const GuiTint tints[TONE_COUNT] = {TINT_TEXT, TINT_DIM, TINT_STRONG};
    return tint_of(gui, tints[tone]);
}

void gui_text(Gui *gui, GuiTone tone, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(gui, tone));
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
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(gui, TONE_PLAIN));
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
    list->AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height),
                        packed(gui_color(gui, TINT_CHART_GROUND)), 3 * gui->unit);
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
                        ImVec2(corner.x + width, middle + 3 * gui->unit), packed(gui_color(gui, TINT_TRACK)),
                        3 * gui->unit);
    for (uint32_t k = 0; k < mark_count; k++) {
        float x = place((double)marks[k]);
        list->AddLine(ImVec2(x, middle - 3 * gui->unit), ImVec2(x, middle + 3 * gui->unit),
                      packed(gui_color(gui, TINT_REMEMBERED)));
    }
    float x = place(*now);
    list->AddRectFilled(ImVec2(x - 2 * gui->unit, corner.y), ImVec2(x + 2 * gui->unit, corner.y + height),
                        packed(gui_color(gui, TINT_NOW)), 2 * gui->unit);
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
