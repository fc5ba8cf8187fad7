#include "viewer/hud.h"

#include "core/memory.h"
#include "render/colormap.h"
#include "render/gl_functions.h"
#include "render/legend.h"
#include "viewer/actions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const float BAR_TOP = 2.2f; // means of the steps shown

static const GuiTint phase_tints[PHASE_COUNT] = {
    [PHASE_REORDER] = TINT_REORDER, [PHASE_CONSTRUCTION] = TINT_CONSTRUCTION,
    [PHASE_SEARCH] = TINT_SEARCH,   [PHASE_CONTACTS] = TINT_CONTACTS,
    [PHASE_DENSITY] = TINT_DENSITY, [PHASE_CORRECTION] = TINT_CORRECTION,
    [PHASE_FORCES] = TINT_FORCES,   [PHASE_OTHER] = TINT_OTHER,
};

static const char *counted(uint64_t count, char out[32])
{
    legend_count(out, 32, count);
    return out;
}

static void row(Gui *gui, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void row(Gui *gui, const char *name, const char *format, ...)
{
    static const float widths[] = {12, 30};
    char text[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *texts[] = {name, text};
    gui_columns(gui, texts, widths, 2);
}

// ms of a step in a phase, of the last steps.
static float mean_ms(const StepHistory *history, int phase, uint32_t steps)
{
    float sum = 0;
    for (uint32_t k = HISTORY - steps; k < HISTORY; k++) sum += history->phase_ms[k][phase];
    return sum / (float)steps;
}

static float largest_ms(const StepHistory *history)
{
    float largest = 0;
    for (uint32_t k = HISTORY - history->count; k < HISTORY; k++) {
        float total = 0;
        for (int phase = 0; phase < PHASE_COUNT; phase++) total += history->phase_ms[k][phase];
        largest = fmaxf(largest, total);
    }
    return largest;
}

static void phases(const Viewer *viewer, bool with_numbers)
{
    Gui *gui = viewer->controls.gui;
    const StepHistory *history = &viewer->playback.history;
    if (history->count == 0) return;
    float all = 0, mean = 0, mean_of[PHASE_COUNT];
    GuiColor colors[PHASE_COUNT];
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        colors[phase] = gui_color(gui, phase_tints[phase]);
        mean_of[phase] = mean_ms(history, phase, history->alike > 0 ? history->alike : history->count);
        mean += mean_of[phase];
        all += mean_ms(history, phase, history->count);
    }
    gui_gap(gui);
    gui_text(gui, TONE_DIM, "%.1f ms a step, by phase", (double)mean);
    // A single slow step is clipped so that it does not flatten all others.
    float top = fmaxf(fminf(1.05f * largest_ms(history), BAR_TOP * all), 1e-3f);
    gui_stacked_bars(gui, history->phase_ms[0], HISTORY, PHASE_COUNT, colors, top,
                     LAYOUT_BARS_HEIGHT * screen_unit(&viewer->screen));
    for (int phase = 0; phase < PHASE_COUNT && with_numbers; phase++) {
        static const float widths[] = {12, 9};
        char number[24];
        snprintf(number, sizeof number, "%.2f", (double)mean_of[phase]);
        const char *texts[] = {step_phase_name((StepPhase)phase), number};
        gui_swatch(gui, colors[phase]);
        gui_columns(gui, texts, widths, 2);
    }
}

// The present pace; the last one means nothing while the water is paused.
static void pace_rows(Gui *gui, const SimulationStatus *status, double pictures)
{
    char limit[40] = "", drawn[40] = "";
    if (!status->playing || status->rate.steps == 0) {
        row(gui, "pace", status->playing ? "being measured" : "paused");
        return;
    }
    if (pictures > 0) snprintf(drawn, sizeof drawn, ", %.*f pictures/s", pictures < 9.95, pictures);
    row(gui, "pace", "%.1f steps/s%s", status->rate.steps, drawn);
    if (!isfinite(status->speed))
        snprintf(limit, sizeof limit, ", no limit");
    else if (status->speed < 1)
        snprintf(limit, sizeof limit, ", limit 1/%.0f", 1 / status->speed);
    else if (status->speed > 1)
        snprintf(limit, sizeof limit, ", limit %.0f", status->speed);
    row(gui, "speed", "%.*f x real time%s", status->rate.time < 0.0995 ? 3 : 2, status->rate.time, limit);
}

// Results of the last step.
static void step_rows(Gui *gui, const FrameView *view)
{
    const StepReport *report = &view->report;
    if (report->neighbor.candidates > 0) // a stored state does not know
        row(gui, "neighbors", "%.1f of %.1f tested", (double)report->neighbor.neighbors / view->count,
            (double)report->neighbor.candidates / view->count);
    row(gui, "density", "%.2f %% off, at most %.1f %%", 100 * report->density_error_mean,
        100 * report->density_error_max);
    row(gui, "fastest", "%.2f m/s", report->speed_max);
}

static void all_rows(Gui *gui, const Viewer *viewer, const SimulationStatus *status)
{
    char text[32];
    const FrameView *view = &viewer->playback.snapshot->side[0].view;
    const StepReport *report = &view->report;
    row(gui, "particles", "%s", counted(view->count, text));
    row(gui, "time", "%.3f s, frame %u", view->time, viewer->playback.snapshot->frame);
    if (report->step > 0) row(gui, "step", "%s of %.2f ms", counted(report->step, text), 1e3 * report->dt);
    pace_rows(gui, status, viewer->picture.pacing.rate);
    if (report->step > 0) step_rows(gui, view);
    if (view->diffuse) row(gui, "whitewater", "%s", counted(view->diffuse->count, text));
    for (int kind = 0; kind < DIFFUSE_CLASS_COUNT && view->diffuse; kind++)
        row(gui, diffuse_class_name((DiffuseClass)kind), "%s", counted(view->diffuse->of_class[kind], text));
    if (viewer->playback.snapshot->side[0].has_mesh)
        row(gui, "surface", "%s triangles, %.0f ms",
            counted(viewer->playback.snapshot->side[0].mesh.triangle_count, text),
            viewer->playback.snapshot->side[0].mesh_ms);
    row(gui, "memory", "%.0f MB", 1e-6 * (double)memory_bytes_in_use());
    const char *driver = gl_description();
    row(gui, "drawn by", "%.*s", (int)strcspn(driver, "(,"), driver);
}

static void short_rows(Gui *gui, const Viewer *viewer, const SimulationStatus *status)
{
    char text[32];
    const FrameView *view = &viewer->playback.snapshot->side[0].view;
    gui_text(gui, TONE_PLAIN, "%s particles", counted(view->count, text));
    gui_text(gui, TONE_PLAIN, "%.3f s, frame %u", view->time, viewer->playback.snapshot->frame);
    if (status->playing && status->rate.steps > 0)
        gui_text(gui, TONE_PLAIN, "%.1f steps/s", status->rate.steps);
    else
        gui_text(gui, TONE_PLAIN, status->playing ? "being measured" : "paused");
}

void hud_draw(const Viewer *viewer)
{
    Layout layout = controls_layout(&viewer->controls);
    if (layout.hud == HUD_NONE) return;
    Gui *gui = viewer->controls.gui;
    float unit = screen_unit(&viewer->screen);
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    GuiPanel panel = {.title = "numbers",
                      .x = LAYOUT_MARGIN * unit,
                      .y = LAYOUT_MARGIN * unit,
                      .width = layout.hud_width * unit,
                      .plain = true,
                      .passive = true,
                      .opacity = 0.82f};
    if (layout.left > 0) {
        panel.x = panel.y = 0;
        panel.width = layout.left * unit;
        panel.height_min = (float)viewer->screen.height - layout.bottom * unit;
        panel.opacity = 1;
    }
    if (gui_panel_begin(gui, &panel)) {
        gui_text(gui, TONE_STRONG, "%s", viewer->playback.facts.name);
        (layout.hud == HUD_SHORT ? short_rows : all_rows)(gui, viewer, &status);
        if (layout.hud >= HUD_BARS) phases(viewer, layout.hud == HUD_ALL);
    }
    gui_panel_end(gui);
}

// --- color bar ---

static GuiColor bar_color(const Picture *picture, float t)
{
    float rgb[3];
    const RenderDef *def = &picture->look->def;
    bool difference = look_shows_difference(picture->look);
    colormap_color(difference ? COLORMAP_WATER : render_color_map(def), t, rgb);
    return (GuiColor){rgb[0], rgb[1], rgb[2], 1};
}

// "density error (%)"; more digits than a share needs are not shown.
static void bar_title(const Picture *picture, char *text, size_t size)
{
    float below, above;
    const ParticleAttribute *attribute = particle_attribute(picture->look->def.color_by);
    const char *units = legend_unit(picture->look->def.color_by, NULL);
    picture_beyond(picture, &below, &above);
    if (look_shows_difference(picture->look))
        snprintf(text, size, "distance between the sides (m)");
    else
        snprintf(text, size, units[0] ? "%s (%s)" : "%s", attribute->label, units);
    if (below >= 0.001f)
        snprintf(text + strlen(text), size - strlen(text), ", %.1f %% below", 100 * (double)below);
    if (above >= 0.001f)
        snprintf(text + strlen(text), size - strlen(text), ", %.1f %% above", 100 * (double)above);
}

static void bar_numbers(Gui *gui, const Picture *picture, float x0, float y, float width)
{
    float lo, hi, scale;
    char text[32];
    legend_unit(picture->look->def.color_by, &scale);
    if (look_shows_difference(picture->look)) scale = 1;
    picture_range(picture, &lo, &hi);
    for (int k = 0; k < 3; k++) {
        float at = 0.5f * (float)k;
        legend_number(text, sizeof text, scale * (lo + at * (hi - lo)), scale * (hi - lo));
        gui_draw_text(gui, x0 + at * width, y, at, gui_color(gui, TINT_BAR_TEXT), text);
    }
}

void hud_draw_color_bar(const Controls *controls)
{
    enum { STRIPS = 96 };
    Gui *gui = controls->gui;
    const Picture *picture = controls->picture;
    float unit = screen_unit(picture->screen), below, above;
    float x0 = picture_frame(picture, 0).x + 2 * LAYOUT_MARGIN * unit,
          width = controls_layout(controls).bar * unit, line = gui_line_height(gui);
    float bottom = picture_frame(picture, 0).height - LAYOUT_MARGIN * unit;
    float top = bottom - layout_bar_height(line / unit) * unit + 8 * unit;
    if (width == 0) return;
    char text[96];
    bar_title(picture, text, sizeof text);
    float room = fmaxf(width, gui_text_width(gui, text));
    gui_draw_box(gui, x0 - 12 * unit, top - 8 * unit, x0 + room + 12 * unit, bottom, 6 * unit,
                 gui_color(gui, TINT_BAR_GROUND));
    gui_draw_text(gui, x0, top, 0, gui_color(gui, TINT_BAR_TEXT), text);
    float bar = top + line + 5 * unit, step = width / STRIPS;
    for (int k = 0; k < STRIPS; k++)
        gui_draw_box(gui, x0 + step * (float)k, bar, x0 + step * (float)(k + 1), bar + 10 * unit, 0,
                     bar_color(picture, ((float)k + 0.5f) / STRIPS));
    // Ends that go on where there are values beyond.
    picture_beyond(picture, &below, &above);
    if (below > 0)
        gui_draw_box(gui, x0 - 8 * unit, bar + 2 * unit, x0 - 2 * unit, bar + 8 * unit, 3 * unit,
                     bar_color(picture, 0));
    if (above > 0)
        gui_draw_box(gui, x0 + width + 2 * unit, bar + 2 * unit, x0 + width + 8 * unit, bar + 8 * unit,
                     3 * unit, bar_color(picture, 1));
    bar_numbers(gui, picture, x0, bar + 13 * unit, width);
}

// --- help ---

// Does the line, or its group, have the text, in small or large letters?
static bool is_found(const Action *line, const char *group, const char *text)
{
    return strcasestr(line->text, text) || strcasestr(line->keys, text) || strcasestr(group, text);
}

// A line of the help; a click does what its first key does.
static void help_line(Viewer *viewer, const Action *line, const char *const *texts, const float *widths,
                      uint32_t count)
{
    Gui *gui = viewer->controls.gui;
    if (!line->bound[0].key)
        gui_columns(gui, texts, widths, count);
    else if (gui_row(gui, texts, widths, count))
        action_run(line, viewer, line->bound[0].argument);
}

// The lines of the help in a window of this width, px: smaller text first, then fewer columns.
static void help_lines(Viewer *viewer, Gui *gui, float room)
{
    enum { GROUP, KEYS, TEXT, STATE, COLUMNS };
    static const float widths[COLUMNS] = {9, 34, 38, 18}, SMALL = 0.8f, SMALLEST = 0.6f;
    uint32_t first = GROUP, end = COLUMNS;
    gui_scale_text(gui, 1); // it keeps what the last picture has set
    float digits = widths[KEYS] + widths[TEXT], digit = gui_digit_width(gui);
    if (room < SMALL * digit * (digits + widths[GROUP] + widths[STATE])) end = STATE;
    if (room < SMALL * digit * (digits + widths[GROUP])) first = KEYS;
    digits += (first == GROUP ? widths[GROUP] : 0) + (end == COLUMNS ? widths[STATE] : 0);
    gui_scale_text(gui, fmaxf(fminf(room / (digits * digit), 1), SMALLEST));
    char state[120];
    const char *group = "", *told = "";
    for (uint32_t k = 0; action_at(k); k++) {
        const Action *line = action_at(k);
        if (line->group) group = line->group;
        if (!line->text || !is_found(line, group, viewer->controls.searched)) continue;
        action_state(line, viewer, state, sizeof state);
        const char *texts[COLUMNS] = {group == told ? "" : group, line->keys, line->text, state};
        help_line(viewer, line, texts + first, widths + first, end - first);
        told = group;
    }
}

void hud_draw_help(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Screen *screen = &viewer->screen;
    GuiPanel panel = {.title = "help",
                      .outlined = true,
                      .x = 0.5f * (float)screen->width,
                      .y = 0.5f * (float)screen->height,
                      .height_max = (float)screen->height,
                      .anchor_x = 0.5f,
                      .anchor_y = 0.5f,
                      .plain = true,
                      .dense = true,
                      .opacity = 1};
    if (gui_panel_begin(gui, &panel)) {
        gui_scale_text(gui, 1);
        gui_input(gui, "##search", "search; a click on a line does it", viewer->controls.searched,
                  sizeof viewer->controls.searched);
        help_lines(viewer, gui, (float)screen->width - 3 * LAYOUT_MARGIN * screen_unit(screen));
    }
    gui_panel_end(gui);
}
