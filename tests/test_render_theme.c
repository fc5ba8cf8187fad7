// Colors of the controls can be read in every theme: contrasts by the formulas of WCAG 2.2.
#include "render/gui_theme.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double TEXT = 4.5, SHAPE = 3; // least contrast of text, and of what is not text

static double linear(float c)
{
    double v = (double)c;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double luminance(GuiColor c)
{
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static GuiColor over(GuiColor ground, GuiColor c)
{
    return (GuiColor){ground.r + c.a * (c.r - ground.r), ground.g + c.a * (c.g - ground.g),
                      ground.b + c.a * (c.b - ground.b), 1};
}

static double contrast(GuiColor a, GuiColor b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void black_on_white_is_21_to_1(void **state)
{
    (void)state;
    GuiColor black = {0, 0, 0, 1}, white = {1, 1, 1, 1}, gray = {119 / 255.f, 119 / 255.f, 119 / 255.f, 1};
    assert_true(fabs(contrast(black, white) - 21) < 1e-9);
    assert_true(fabs(contrast(gray, white) - 4.48) < 0.005); // WebAIM's example of what just fails
}

typedef struct Pair {
    const char *name;
    GuiTint on, ground; // ground: on the panels' own
    double least;
} Pair;

static void check(const Pair *pairs, size_t count, GuiColor below)
{
    for (size_t k = 0; k < count; k++) {
        for (int theme = 0; theme < THEME_COUNT; theme++) {
            GuiColor ground = over(below, gui_theme_color((GuiTheme)theme, TINT_GROUND));
            if (pairs[k].ground != TINT_GROUND)
                ground =
                    over(below.a > 0 ? below : ground, gui_theme_color((GuiTheme)theme, pairs[k].ground));
            GuiColor on = over(ground, gui_theme_color((GuiTheme)theme, pairs[k].on));
            if (contrast(on, ground) < pairs[k].least)
                fail_msg("%s, %s: %.2f to 1, should be %.1f", pairs[k].name,
                         gui_theme_names((uint32_t)theme, NULL), contrast(on, ground), pairs[k].least);
        }
    }
}

#define PAIR(on, ground, least)                                                                              \
    {                                                                                                        \
#on " on " #ground, TINT_##on, TINT_##ground, least                                                  \
    }

static void text_in_panels_can_be_read(void **state)
{
    (void)state;
    const Pair pairs[] = {
        PAIR(TEXT, GROUND, TEXT),
        PAIR(DIM, GROUND, TEXT),
        PAIR(STRONG, GROUND, TEXT),
        PAIR(TEXT, POPUP, TEXT),
        PAIR(STRONG, POPUP, TEXT),
        PAIR(STRONG, TITLE, TEXT),
        PAIR(STRONG, FIELD, TEXT),
        PAIR(STRONG, FIELD_HOVERED, TEXT),
        PAIR(STRONG, FIELD_HELD, TEXT),
        PAIR(STRONG, GRAB, TEXT),
        PAIR(STRONG, GRAB_HELD, TEXT),
        PAIR(STRONG, BUTTON, TEXT),
        PAIR(STRONG, BUTTON_HOVERED, TEXT),
        PAIR(STRONG, BUTTON_HELD, TEXT),
        PAIR(STRONG, HEADER, TEXT),
        PAIR(STRONG, HEADER_HOVERED, TEXT),
        PAIR(STRONG, HEADER_HELD, TEXT),
        PAIR(DIM, CHART_GROUND, TEXT),
        PAIR(DIM, FIELD, TEXT),
    };
    check(pairs, sizeof pairs / sizeof *pairs, (GuiColor){0});
}

static void shapes_in_panels_can_be_seen(void **state)
{
    (void)state;
    const Pair pairs[] = {
        PAIR(MARK, FIELD, SHAPE),         PAIR(OUTLINE, GROUND, SHAPE),  PAIR(NOW, GROUND, SHAPE),
        PAIR(CURVE, CHART_GROUND, SHAPE), PAIR(REORDER, GROUND, SHAPE),  PAIR(CONSTRUCTION, GROUND, SHAPE),
        PAIR(SEARCH, GROUND, SHAPE),      PAIR(CONTACTS, GROUND, SHAPE), PAIR(DENSITY, GROUND, SHAPE),
        PAIR(CORRECTION, GROUND, SHAPE),  PAIR(FORCES, GROUND, SHAPE),   PAIR(OTHER, GROUND, SHAPE),
    };
    check(pairs, sizeof pairs / sizeof *pairs, (GuiColor){0});
}

// Labels are translucent: behind them may be anything.
static void labels_can_be_read_over_any_picture(void **state)
{
    (void)state;
    const Pair pairs[] = {
        PAIR(LABEL_TEXT, LABEL_GROUND, TEXT), PAIR(LABEL_DIM, LABEL_GROUND, TEXT),
        PAIR(STATE_TEXT, PAUSED, TEXT),       PAIR(STATE_TEXT, GOOD, TEXT),
        PAIR(STATE_TEXT, BAD, TEXT),          PAIR(BAR_TEXT, BAR_GROUND, TEXT),
    };
    check(pairs, sizeof pairs / sizeof *pairs, (GuiColor){0, 0, 0, 1});
    check(pairs, sizeof pairs / sizeof *pairs, (GuiColor){1, 1, 1, 1});
}

static void themes_have_names(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < THEME_COUNT; k++) assert_true(strlen(gui_theme_names(k, NULL)) > 0);
    assert_null(gui_theme_names(THEME_COUNT, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(black_on_white_is_21_to_1),
        cmocka_unit_test(text_in_panels_can_be_read),
        cmocka_unit_test(shapes_in_panels_can_be_seen),
        cmocka_unit_test(labels_can_be_read_over_any_picture),
        cmocka_unit_test(themes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
