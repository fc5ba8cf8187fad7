#include "viewer/recording.h"

#include "core/clock.h"

static void start(Recording *recording, RecordKind kind)
{
    const Screen *screen = recording->screen;
    const SceneFacts *facts = &recording->playback->facts;
    if (screen->width < 2 || screen->height < 2) return;
    Result result =
        recorder_start(recording->recorder, kind, facts->name, screen->width, screen->height, facts->fps);
    if (result_is_ok(&result)) {
        simulation_wait_at_frames(recording->playback->simulation, true);
        recording->fluid = 0; // whatever an earlier recording had
        screen_say(recording->screen, "recording every frame: %s", recording->recorder->path);
    }
    screen_say_error(recording->screen, &result);
}

static void end(Recording *recording)
{
    Result result = recorder_end(recording->recorder);
    simulation_wait_at_frames(recording->playback->simulation, false);
    uint32_t frames = recording->recorder->frames;
    if (result_is_ok(&result) && frames == 0)
        screen_say(recording->screen, "nothing was recorded");
    else if (result_is_ok(&result))
        screen_say(recording->screen, "recorded %u frame%s: %s", frames, frames == 1 ? "" : "s",
                   recording->recorder->path);
    screen_say_error(recording->screen, &result);
}

void recording_toggle(Recording *recording, RecordKind kind)
{
    if (recording->recorder->kind != RECORD_NONE)
        end(recording);
    else
        start(recording, kind);
}

// Records the snapshot if it is a frame that was not recorded yet.
static Result record_frame(Recording *recording)
{
    uint32_t width = recording->recorder->width, height = recording->recorder->height;
    const SimSnapshot *snapshot = recording->playback->snapshot;
    const Screen *screen = recording->screen;
    Picture *picture = recording->picture;
    if (recording->recorder->kind == RECORD_NONE || !snapshot->on_frame) return result_ok();
    if (picture_lacks_mesh(picture)) return result_ok();
    if (snapshot->frame == recording->frame && snapshot->fluid == recording->fluid) return result_ok();
    recording->frame = snapshot->frame;
    recording->fluid = snapshot->fluid;
    const uint8_t *rgb;
    double started = clock_seconds();
    TRY(picture_draw_full(picture, width, height, &rgb));
    if (width == screen->width && height == screen->height) {
        frame_pacing_count_odd(&picture->pacing, 1, started, clock_seconds());
        picture_keep(picture, picture->look->def.legend);
    }
    return recorder_add(recording->recorder, rgb);
}

static void take_picture(Recording *recording)
{
    const uint8_t *rgb;
    Screen *screen = recording->screen;
    recording->picture_wanted = false;
    if (screen->width < 2 || screen->height < 2) return;
    Result result = picture_draw_full(recording->picture, screen->width, screen->height, &rgb);
    if (result_is_ok(&result))
        result = recorder_picture(recording->recorder, rgb, screen->width, screen->height,
                                  recording->playback->facts.name);
    screen_say_error(screen, &result);
    if (result_is_ok(&result)) screen_say(screen, "picture: %s", recording->recorder->picture);
}

void recording_write(Recording *recording)
{
    Result result = record_frame(recording);
    if (!result_is_ok(&result)) {
        screen_say_error(recording->screen, &result);
        recorder_end(recording->recorder);
        simulation_wait_at_frames(recording->playback->simulation, false);
    }
    // Waits for the surface, which may still be in the making.
    if (recording->picture_wanted && !picture_lacks_mesh(recording->picture)) take_picture(recording);
}
