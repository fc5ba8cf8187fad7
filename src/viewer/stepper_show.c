#include "viewer/stepper_show.h"

#include "core/clock.h"
#include "scene/lockstep_text.h"
#include "viewer/parameters.h"

#include <math.h>
#include <string.h>

// At most this part of the time goes into surfaces while steps could be taken instead.
static const double MESH_SHARE = 0.4;
// Likewise for measuring the sides of a comparison, which is not done more often than this (s).
static const double MEASURE_SHARE = 0.05, MEASURE_TIME = 0.25;

const SceneDef *stepper_scene(const Stepper *self)
{
    return &self->sides.side[0].scene->def;
}

void stepper_fail(Stepper *self, Result error)
{
    self->steps_due = self->frames_due = 0;
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->status.playing = false;
    pthread_mutex_unlock(&self->exchange->mutex);
    exchange_tell(self->exchange, error);
}

void stepper_renew_facts(Stepper *self, bool new_scene, bool same_file)
{
    const SceneDef *scene = stepper_scene(self);
    SceneFacts *facts = &self->exchange->facts;
    pthread_mutex_lock(&self->exchange->mutex);
    exchange_tell_scene(self->exchange, self->sides.side[0].scene);
    facts->number += new_scene;
    facts->revision++;
    memcpy(facts->name, scene->name, sizeof facts->name);
    memcpy(facts->description, scene->description, sizeof facts->description);
    memcpy(facts->path, scene->path, sizeof facts->path);
    memcpy(facts->scene, scene->source.path, sizeof facts->scene);
    facts->fluid = self->sides.side[0].fluid;
    facts->file_fluid = scene->fluid;
    facts->spacing_meant = scene->spacing_meant;
    if (scene->spacing_meant > 0) facts->file_fluid.spacing = scene->spacing_meant;
    facts->render = scene->output.render;
    facts->surface = scene->surface;
    facts->tank = scene->tank;
    facts->tank_corner = scene->tank_corner;
    facts->fps = scene->output.fps;
    facts->duration = scene->output.duration;
    if (new_scene) facts->file_renewed = same_file;
    facts->compared = sides_count(&self->sides) > 1 ? self->sides.compared : PARAMETER_NONE;
    pthread_mutex_unlock(&self->exchange->mutex);
}

// Measures the sides of a comparison, if there is time for it.
static Result measure_sides(Stepper *self)
{
    double started = clock_seconds();
    const Sides *sides = &self->sides;
    bool playing = exchange_status(self->exchange).playing;
    if (playing && self->measured == self->fluid_number && started < self->measure_due) return result_ok();
    bool parted = lockstep_parting(sides->lockstep)->parted;
    for (uint32_t side = 0; side < 2; side++) {
        FrameView view = fluid_view(sides_fluid(sides, side));
        if (side == 0 || parted)
            TRY(quantities_measure(self->quality, &view, sides->side[side].fluid.gravity,
                                   &self->totals[side]));
        else
            self->totals[side] = self->totals[0];
    }
    self->measured = self->fluid_number;
    self->measure_due = started + fmax((clock_seconds() - started) / MEASURE_SHARE, MEASURE_TIME);
    return result_ok();
}

static void tell_comparison(const Stepper *self, SimSnapshot *snapshot)
{
    const Sides *sides = &self->sides;
    for (int side = 0; side < 2; side++)
        memcpy(snapshot->name[side], sides->side[side].name, sizeof snapshot->name[side]);
    snapshot->text = (SplitText){.title = {snapshot->name[0], snapshot->name[1]}};
    lockstep_text(sides->lockstep, &sides->side[0].fluid, &sides->side[1].fluid,
                  (const FluidTotals *[2]){&self->totals[0], &self->totals[1]}, &snapshot->text);
}

bool stepper_is_between(const Stepper *self, double time, uint32_t frame)
{
    return time > frame / stepper_scene(self)->output.fps;
}

bool stepper_is_on_frame(const Stepper *self)
{
    return !stepper_is_between(self, sides_time(&self->sides), self->frame);
}

static void tell_timeline(const History *history, Timeline *timeline)
{
    uint32_t begin, end;
    history_range(history, &begin, &end);
    Moment *const *moments = history->moments;
    *timeline = (Timeline){.count = end - begin,
                           .bytes = history->bytes,
                           .undo = history_has_run(history, -1),
                           .redo = history_has_run(history, 1)};
    if (end == begin) return;
    timeline->begin = moments[begin]->time;
    timeline->end = moments[end - 1]->time;
    uint32_t stride = (end - begin + TIMELINE_MARKS - 1) / TIMELINE_MARKS;
    for (uint32_t k = begin; k < end; k += stride)
        timeline->marks[timeline->mark_count++] = (float)moments[k]->time;
}

Result stepper_fill(Stepper *self, SimSnapshot *snapshot)
{
    double started = clock_seconds();
    const Sides *sides = &self->sides;
    snapshot->sides = sides_count(sides);
    for (uint32_t side = 0; side < snapshot->sides; side++) {
        FrameView view = fluid_view(sides_fluid(sides, side));
        TRY(snapshot_take(&snapshot->side[side], &view, 2 * self->fluid_number + side));
        if (self->want_mesh) TRY(snapshot_add_mesh(&snapshot->side[side], &stepper_scene(self)->surface));
        memcpy(snapshot->method[side], sides->side[side].fluid.neighbor, sizeof snapshot->method[side]);
    }
    if (self->want_mesh) self->mesh_due = started + (clock_seconds() - started) / MESH_SHARE;
    if (snapshot->sides > 1) TRY(measure_sides(self));
    if (snapshot->sides > 1) tell_comparison(self, snapshot);
    snapshot->scene = self->exchange->facts.number;
    snapshot->fluid = self->fluid_number;
    snapshot->frame = self->frame;
    snapshot->on_frame = stepper_is_on_frame(self);
    tell_timeline(&self->history, &snapshot->timeline);
    return result_ok();
}

void stepper_show(Stepper *self)
{
    Result result = stepper_fill(self, self->exchange->spare);
    self->unshown = false;
    if (result_is_ok(&result)) {
        exchange_show(self->exchange);
        self->exchange->wake();
    } else {
        stepper_fail(self, result);
    }
    exchange_end_loading(self->exchange);
}
