// How often and how finely the window draws moving water, against a clock that is made up.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "render/gl_functions.h"
#include "viewer/frame_pacing.h"

// A window over water that moves for ten seconds.
typedef struct Window {
    double step;    // s between states
    double picture; // s that a whole one takes; a coarser one the square of its scale of that
    double refresh; // s between the pictures of the display, which is waited for; 0: it is not
} Window;

typedef struct Seen {
    double rate;  // pictures a second
    double share; // of the time, that went into them
} Seen;

static Seen watch(FramePacing *pacing, Window window)
{
    double now = 0, busy = 0, shown = -1;
    int pictures = 0;
    while (now < 10) {
        double state = floor(now / window.step); // the newest one
        if (state <= shown || now < frame_pacing_due(pacing)) {
            now += 0.0005;
            continue;
        }
        shown = state;
        double drawn = now + window.picture * (double)(pacing->scale * pacing->scale), presented = drawn;
        if (window.refresh > 0) presented = ceil(drawn / window.refresh) * window.refresh;
        frame_pacing_count(pacing, pacing->scale, now, drawn);
        pacing->controls = presented - drawn;
        busy += presented - now;
        now = presented;
        pictures++;
    }
    return (Seen){pictures / now, busy / now};
}

static void a_graphics_card_shows_every_state_or_every_picture_of_the_display(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, false);
    Seen seen = watch(&pacing, (Window){.step = 0.005, .picture = 0.004, .refresh = 1.0 / 60});
    assert_true(seen.rate > 58 && seen.rate < 61);
    frame_pacing_start(&pacing, false);
    seen = watch(&pacing, (Window){.step = 0.025, .picture = 0.004, .refresh = 1.0 / 60});
    assert_true(seen.rate > 29 && seen.rate <= 40); // of 40 states, on beats of the display
    frame_pacing_start(&pacing, false);
    seen = watch(&pacing, (Window){.step = 0.025, .picture = 0.004});
    assert_true(seen.rate > 38 && seen.rate < 41);
}

static void a_display_that_does_not_wait_gets_no_thousands_of_pictures(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, false);
    assert_true(watch(&pacing, (Window){.step = 0.0005, .picture = 0.0002}).rate < 260);
}

static void where_the_processor_draws_the_water_keeps_most_of_its_cores(void **state)
{
    (void)state;
    const double pictures[] = {0.01, 0.1, 1};
    for (int k = 0; k < 3; k++) {
        FramePacing pacing;
        frame_pacing_start(&pacing, true);
        Seen seen = watch(&pacing, (Window){.step = 0.01, .picture = pictures[k]});
        assert_true(seen.share > 0.05 && seen.share < 0.27); // with the first one, which is whole
        assert_true(seen.rate > 3.8);
    }
}

// On a busy machine a coarse picture takes long, too: 0.2 s and more of one that would take 3.2.
static void water_is_seen_to_move_where_pictures_are_slow_and_still_has_half_of_the_time(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    Seen seen = watch(&pacing, (Window){.step = 0.01, .picture = 1.6});
    assert_true(seen.rate > 3.6 && seen.share < 0.45);
    frame_pacing_start(&pacing, true);
    seen = watch(&pacing, (Window){.step = 0.01, .picture = 3.2});
    assert_true(seen.rate > 2 && seen.share < 0.55);
}

static void the_user_divides_the_time_between_pictures_and_steps(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    pacing.share = 0.5f;
    Seen seen = watch(&pacing, (Window){.step = 0.001, .picture = 0.04});
    assert_true(fabs(seen.share - 0.5) < 0.02 && seen.rate > 12);
    frame_pacing_start(&pacing, true);
    pacing.share = 0.05f; // there is a least number of pictures all the same
    seen = watch(&pacing, (Window){.step = 0.001, .picture = 0.04});
    assert_true(fabs(seen.rate - 4) < 0.2);
}

static void time_that_the_water_leaves_goes_into_pictures(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    double busy = watch(&pacing, (Window){.step = 0.01, .picture = 0.04}).rate;
    frame_pacing_start(&pacing, true);
    pacing.idle = 0.85;
    Seen seen = watch(&pacing, (Window){.step = 0.01, .picture = 0.04});
    assert_true(seen.rate > 4 * busy && seen.share < pacing.idle);
    assert_true(seen.rate > 12);
}

static void one_slow_picture_keeps_the_coarse_ones_after_it_away_for_a_moment_only(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    pacing.scale = 1; // until now they were quick
    frame_pacing_count(&pacing, 1, 0, 2);
    assert_true(pacing.scale < 0.5f);
    assert_true(frame_pacing_due(&pacing) > 2 && frame_pacing_due(&pacing) < 3);
    frame_pacing_count(&pacing, pacing.scale, 3, 3.04);
    frame_pacing_count(&pacing, 1, 10, 11); // sharp, while it was paused
    assert_true(frame_pacing_due(&pacing) < 11.5);
}

static void a_first_picture_is_coarse_and_what_compiling_took_makes_the_next_no_coarser(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    float first = pacing.scale;
    assert_true(first <= 0.5f);
    frame_pacing_count_odd(&pacing, first, 0, 2);
    assert_true(pacing.scale == first && pacing.shown_scale == first);
    assert_true(frame_pacing_due(&pacing) < 2.5);
    pacing.acted = 1;
    assert_true(frame_pacing_can_sharpen(&pacing, 2));
    frame_pacing_start(&pacing, false);
    assert_true(pacing.scale == 1);
}

static void pictures_are_counted_while_the_water_moves(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    frame_pacing_start_count(&pacing, 100); // it stood before
    for (int k = 0; k <= 8; k++) frame_pacing_count(&pacing, pacing.scale, 100 + 0.25 * k, 100.25 + 0.25 * k);
    assert_true(fabs(pacing.rate - 4) < 0.01);
    frame_pacing_start_count(&pacing, 200);
    assert_true(pacing.rate == 0);
    for (int k = 0; k <= 8; k++) frame_pacing_count_odd(&pacing, 1, 200 + 0.5 * k, 200.5 + 0.5 * k);
    assert_true(fabs(pacing.rate - 2) < 0.01);
}

static void a_picture_is_coarse_only_while_it_takes_too_long(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    double now = 0;
    for (int k = 0; k < 10; k++, now += 1) {
        double takes = 0.16 * (double)(pacing.scale * pacing.scale);
        frame_pacing_count(&pacing, pacing.scale, now, now + takes);
    }
    assert_true(fabsf(pacing.scale - 0.5f) < 0.01f); // a quarter of its pixels take 40 ms
    for (int k = 0; k < 10; k++, now += 1) frame_pacing_count(&pacing, pacing.scale, now, now + 0.03);
    assert_true(pacing.scale < 1); // that is what the coarse one takes
    for (int k = 0; k < 10; k++, now += 1) {
        double takes = 0.03 * (double)(pacing.scale * pacing.scale);
        frame_pacing_count(&pacing, pacing.scale, now, now + takes);
    }
    assert_true(pacing.scale == 1);
    // The first picture of a window takes longer than all others.
    frame_pacing_start(&pacing, false);
    frame_pacing_count(&pacing, pacing.scale, 0, 0.065);
    assert_true(pacing.scale > 0.75f && pacing.scale < 1);
    frame_pacing_count(&pacing, pacing.scale, 1, 1.004);
    assert_true(pacing.scale == 1);
}

static void who_steers_is_answered_at_once_and_sees_it_sharp_afterwards(void **state)
{
    (void)state;
    FramePacing pacing;
    frame_pacing_start(&pacing, true);
    frame_pacing_count(&pacing, pacing.scale, 10, 10.4);
    frame_pacing_count(&pacing, pacing.scale, 11, 11.04);
    assert_true(pacing.shown_scale < 1);
    pacing.acted = 11.1;
    assert_true(frame_pacing_due(&pacing) > 11.2);
    assert_true(frame_pacing_is_asked(&pacing));
    assert_false(frame_pacing_can_sharpen(&pacing, 11.2));
    frame_pacing_count(&pacing, pacing.scale, 11.12, 11.16);
    assert_false(frame_pacing_is_asked(&pacing)); // it has been answered
    assert_true(frame_pacing_can_sharpen(&pacing, 12));
    assert_true(frame_pacing_patience(&pacing, false, 11.2) <= 0.1);
    frame_pacing_count(&pacing, 1, 12, 12.4);
    assert_false(frame_pacing_can_sharpen(&pacing, 13));
}

static void drivers_that_draw_on_the_processor_are_known(void **state)
{
    (void)state;
    assert_true(gl_is_software("llvmpipe (LLVM 15.0.6, 256 bits)"));
    assert_true(gl_is_software("softpipe"));
    assert_true(gl_is_software("Software Rasterizer"));
    assert_true(gl_is_software("Google SwiftShader"));
    assert_true(gl_is_software("GDI Generic"));
    assert_true(gl_is_software("Apple Software Renderer"));
    assert_true(gl_is_software("D3D12 (Microsoft Basic Render Driver)")); // WSL without a card
    assert_false(gl_is_software("D3D12 (NVIDIA GeForce RTX 3060)"));
    assert_false(gl_is_software("NVIDIA GeForce RTX 3060/PCIe/SSE2"));
    assert_false(gl_is_software("AMD Radeon RX 6600 (navi23, LLVM 15.0.6, DRM 3.49, 6.1.0)"));
    assert_false(gl_is_software("Mesa Intel(R) UHD Graphics 620 (KBL GT2)"));
    assert_false(gl_is_software(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graphics_card_shows_every_state_or_every_picture_of_the_display),
        cmocka_unit_test(a_display_that_does_not_wait_gets_no_thousands_of_pictures),
        cmocka_unit_test(where_the_processor_draws_the_water_keeps_most_of_its_cores),
        cmocka_unit_test(water_is_seen_to_move_where_pictures_are_slow_and_still_has_half_of_the_time),
        cmocka_unit_test(the_user_divides_the_time_between_pictures_and_steps),
        cmocka_unit_test(time_that_the_water_leaves_goes_into_pictures),
        cmocka_unit_test(one_slow_picture_keeps_the_coarse_ones_after_it_away_for_a_moment_only),
        cmocka_unit_test(a_first_picture_is_coarse_and_what_compiling_took_makes_the_next_no_coarser),
        cmocka_unit_test(pictures_are_counted_while_the_water_moves),
        cmocka_unit_test(a_picture_is_coarse_only_while_it_takes_too_long),
        cmocka_unit_test(who_steers_is_answered_at_once_and_sees_it_sharp_afterwards),
        cmocka_unit_test(drivers_that_draw_on_the_processor_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
