#include "viewer/look.h"

#include "viewer/cut_slice.h"

#include <math.h>

static const float CLIP_STEP = 0.02f;

void look_start(Look *look, const RenderDef *of_scene)
{
    RenderDef def = *of_scene;
    def.style = look->def.style;
    def.legend = look->def.legend;
    def.hide_tank = look->def.hide_tank;
    def.hide_obstacles = look->def.hide_obstacles;
    def.width = look->def.width;
    def.height = look->def.height;
    def.photo.round = 1; // the window shows a photograph sample by sample
    look->def = def;
    look->of_file = *of_scene;
    look->clip.on = look->filter.on = look->picked = false;
}

static bool same_colors(const RenderDef *a, const RenderDef *b)
{
    return a->color_by == b->color_by && a->color_map == b->color_map && a->auto_range == b->auto_range &&
           a->range_lo == b->range_lo && a->range_hi == b->range_hi;
}

static void use_style(Look *look, RenderStyle style)
{
    look->def.style = style;
    simulation_want_mesh(look->playback->simulation, render_style_needs_mesh(style));
}

void look_follow_file(Look *look, const RenderDef *now)
{
    RenderDef *def = &look->def;
    if (!same_colors(&look->of_file, now)) {
        def->color_by = now->color_by;
        def->color_map = now->color_map;
        def->auto_range = now->auto_range;
        def->range_lo = now->range_lo;
        def->range_hi = now->range_hi;
    }
    if (look->of_file.style != now->style) use_style(look, now->style);
    look->of_file = *now;
}

void look_set_style(Look *look, RenderStyle style)
{
    Result able = style == STYLE_PHOTO ? photo_check(&look->def.look) : result_ok();
    if (!result_is_ok(&able)) {
        screen_say(look->screen, "%s", able.text);
        return;
    }
    use_style(look, style);
    screen_say(look->screen, "style %s", render_style_name(style));
    screen_redraw(look->screen);
}

void look_set_field(Look *look, FieldKey field)
{
    // The scene's range belongs to the scene's field; other fields follow the frame.
    bool of_scene = field == look->of_file.color_by;
    look->def.color_by = field;
    look->filter.on = false;
    look->def.auto_range = !of_scene || look->of_file.auto_range;
    look->def.range_lo = look->of_file.range_lo;
    look->def.range_hi = look->of_file.range_hi;
    screen_say(look->screen, "color by %s", field_name(field));
    screen_redraw(look->screen);
}

void look_set_color_map(Look *look, ColorMap map)
{
    look->def.color_map = map;
    screen_say(look->screen, "colors: %s", colormap_name(map));
    screen_redraw(look->screen);
}

void look_set_range(Look *look, float lo, float hi)
{
    if (!isfinite(lo) || !isfinite(hi) || lo >= hi) {
        screen_say(look->screen, "the low end of a color range must be below the high end");
        return;
    }
    look->def.auto_range = false;
    look->def.range_lo = lo;
    look->def.range_hi = hi;
    screen_say(look->screen, "colors from %.4g to %.4g", (double)lo, (double)hi);
    screen_redraw(look->screen);
}

void look_toggle_range(Look *look, float lo, float hi)
{
    const RenderDef *file = &look->of_file;
    bool of_scene = look->def.color_by == file->color_by && !file->auto_range;
    if (!look->def.auto_range) {
        look->def.auto_range = true;
        screen_say(look->screen, "color range of the frame on");
        screen_redraw(look->screen);
        return;
    }
    look_set_range(look, of_scene ? file->range_lo : lo, of_scene ? file->range_hi : hi);
}

void look_set_filter(Look *look, float lo, float hi)
{
    if (!isfinite(lo) || !isfinite(hi) || lo > hi) {
        screen_say(look->screen, "the low end of what is shown must not be above the high end");
        return;
    }
    look->filter = (Filter){true, look->def.color_by, lo, hi};
    screen_say(look->screen, "only %s from %.4g to %.4g", field_name(look->filter.field), (double)lo,
               (double)hi);
    screen_redraw(look->screen);
}

void look_toggle_filter(Look *look, float lo, float hi)
{
    if (!look->filter.on) {
        look_set_filter(look, lo, hi);
        return;
    }
    look->filter.on = false;
    screen_say(look->screen, "all particles");
    screen_redraw(look->screen);
}

void look_set_split(Look *look, SplitView view)
{
    look->split = view;
    screen_say(look->screen, "two sides: %s", split_view_name(view));
    screen_redraw(look->screen);
}

void look_set_wipe(Look *look, float share)
{
    look->wipe = fminf(fmaxf(share, 0), 1);
    screen_redraw(look->screen);
}

bool look_shows_difference(const Look *look)
{
    return look->split == SPLIT_DIFFERENCE && playback_is_split(look->playback);
}

bool look_has_color_bar(const Look *look)
{
    return look->def.legend && (look->def.style == STYLE_PARTICLES || look_shows_difference(look));
}

// --- cuts ---

double look_clip_place(const Look *look)
{
    Vec3 corner = look->playback->snapshot->side[0].view.origin;
    return (double)look->clip.place + (double)clip_along(&look->clip, corner);
}

static void place_clip(Look *look)
{
    ClipPlane *clip = &look->clip;
    Box3 box = look->playback->bounds;
    float lo = clip_along(clip, box.lo), hi = clip_along(clip, box.hi);
    clip->place = lo + look->clip_share * (hi - lo);
    screen_say(look->screen, clip->on ? "cut open at %c = %.2f m" : "not cut", 'x' + clip->axis,
               look_clip_place(look));
    screen_redraw(look->screen);
}

void look_toggle_clip(Look *look)
{
    look->clip.on = !look->clip.on;
    place_clip(look);
}

void look_turn_clip(Look *look)
{
    look->clip.on = true;
    look->clip.axis = (look->clip.axis + 1) % 3;
    place_clip(look);
}

void look_move_clip(Look *look, int steps)
{
    look->clip.on = true;
    look->clip_share = fminf(fmaxf(look->clip_share + CLIP_STEP * (float)steps, 0), 1);
    place_clip(look);
}

void look_set_slice(Look *look, uint32_t slice)
{
    look->slice = slice;
    if (slice > 0 && !look->clip.on) look_toggle_clip(look);
    screen_say(look->screen, slice > 0 ? "slice in the cut: %s" : "no slice in the cut",
               cut_slice_name(slice, NULL));
    screen_redraw(look->screen);
}

void look_next_slice(Look *look)
{
    look_set_slice(look, cut_slice_name(look->slice + 1, NULL) ? look->slice + 1 : 0);
}
