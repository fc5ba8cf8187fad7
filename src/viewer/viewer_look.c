// How the water looks: style, colours, cuts.
#include "viewer/viewer_state.h"

#include <math.h>

static const float CLIP_STEP = 0.02f;

void viewer_set_style(Viewer *viewer, RenderStyle style)
{
    viewer->look.style = style;
    simulation_want_mesh(viewer->simulation, render_style_needs_mesh(style));
    viewer_say(viewer, "style %s", render_style_name(style));
    viewer_redraw(viewer);
}

void viewer_set_field(Viewer *viewer, FieldKey field)
{
    // The scene's range is its field's; others have none, and the old one was the old field's.
    bool of_scene = field == viewer->file_look.color_by;
    viewer->look.color_by = field;
    viewer->look.auto_range = !of_scene || viewer->file_look.auto_range;
    viewer->look.range_lo = viewer->file_look.range_lo;
    viewer->look.range_hi = viewer->file_look.range_hi;
    viewer_say(viewer, "colour by %s", field_name(field));
    viewer_redraw(viewer);
}

double viewer_clip_place(const Viewer *viewer)
{
    Vec3 corner = viewer->shot->side[0].view.origin;
    int axis = viewer->clip.axis;
    return (double)viewer->clip.place + (double)(axis == 0 ? corner.x : axis == 1 ? corner.y : corner.z);
}

void viewer_set_range(Viewer *viewer, float lo, float hi)
{
    if (!isfinite(lo) || !isfinite(hi) || lo >= hi) {
        viewer_say(viewer, "a colour range goes from a number to a larger one");
        return;
    }
    viewer->look.auto_range = false;
    viewer->look.range_lo = lo;
    viewer->look.range_hi = hi;
    viewer_say(viewer, "colours from %.4g to %.4g", (double)lo, (double)hi);
    viewer_redraw(viewer);
}

void viewer_toggle_range(Viewer *viewer)
{
    float lo = viewer->file_look.range_lo, hi = viewer->file_look.range_hi;
    bool of_scene = viewer->look.color_by == viewer->file_look.color_by && !viewer->file_look.auto_range;
    if (!viewer->look.auto_range) {
        viewer->look.auto_range = true;
        viewer_say(viewer, "colour range of the frame on");
        viewer_redraw(viewer);
        return;
    }
    if (!of_scene) renderer_range(viewer->renderer[0], &lo, &hi);
    viewer_set_range(viewer, lo, hi);
}

static void place_clip(Viewer *viewer)
{
    ClipPlane *clip = &viewer->clip;
    Box3 box = viewer->bounds;
    float lo = clip->axis == 0 ? box.lo.x : clip->axis == 1 ? box.lo.y : box.lo.z;
    float hi = clip->axis == 0 ? box.hi.x : clip->axis == 1 ? box.hi.y : box.hi.z;
    clip->place = lo + viewer->clip_share * (hi - lo);
    viewer_say(viewer, clip->on ? "cut open at %c = %.2f m" : "not cut", 'x' + clip->axis,
               viewer_clip_place(viewer));
    viewer_redraw(viewer);
}

void viewer_act_on_clip(Viewer *viewer, Action action)
{
    ClipPlane *clip = &viewer->clip;
    if (action == ACTION_CLIP) clip->on = !clip->on;
    if (action != ACTION_CLIP) clip->on = true;
    if (action == ACTION_CLIP_AXIS) clip->axis = (clip->axis + 1) % 3;
    if (action == ACTION_CLIP_BACK) viewer->clip_share = fmaxf(viewer->clip_share - CLIP_STEP, 0);
    if (action == ACTION_CLIP_ON) viewer->clip_share = fminf(viewer->clip_share + CLIP_STEP, 1);
    place_clip(viewer);
}
