#include "viewer/settings.h"

#include "viewer/parameters.h"

#include <math.h>
#include <string.h>

// More particles than this are not searched by testing all pairs without a question; s a pair.
static const uint32_t BRUTE_FORCE_MAX = 20000;
static const double BRUTE_FORCE_TIME = 1e-9;

// The right side that a comparison of a setting begins with.
static void choose_right(Settings *settings)
{
    uint32_t k = settings->compared;
    float left = settings_value(settings, k);
    if (k != parameter_of_methods()) {
        settings->right = parameter_next(k, left, 1);
        if (settings->right == left) settings->right = parameter_next(k, left, -1);
        return;
    }
    bool base = strcmp(settings->playback->facts.fluid.neighbor, "uniform_grid") == 0;
    settings->right = (float)parameter_method(base ? "aabb_grid" : "uniform_grid");
}

void settings_start(Settings *settings)
{
    const SceneFacts *facts = &settings->playback->facts;
    settings->spacing = facts->spacing_meant > 0 ? facts->spacing_meant : facts->fluid.spacing;
    if (settings_comparing(settings)) return;
    settings->compared = parameter_of_methods();
    choose_right(settings);
}

float settings_value(const Settings *settings, uint32_t parameter)
{
    if (parameter == parameter_of_spacing()) return settings->spacing;
    return parameter_get(&settings->playback->facts.fluid, parameter);
}

static void set(void *context, uint32_t parameter, float value)
{
    char text[100];
    Settings *settings = context;
    SceneFacts *facts = &settings->playback->facts;
    parameter_text(parameter, value, text, sizeof text);
    parameter_set(&facts->fluid, parameter, value);
    simulation_set(settings->playback->simulation, parameter, value);
    if (parameter == settings->compared && !settings_comparing(settings)) choose_right(settings);
    screen_say(settings->screen, parameter == facts->compared ? "left side: %s" : "%s", text);
}

// A search that tests every pair may take minutes for a step.
static bool is_slow(const Settings *settings, uint32_t parameter, float value)
{
    return parameter == parameter_of_methods() && value == (float)parameter_method("brute_force") &&
           settings->playback->snapshot->side[0].view.count > BRUTE_FORCE_MAX;
}

// Does it at once, or after a question if it would take very long.
static void set_with_care(Settings *settings, QuestionAction *act, uint32_t parameter, float value)
{
    double pairs = pow(settings->playback->snapshot->side[0].view.count, 2);
    if (is_slow(settings, parameter, value))
        question_ask(settings->question, act, settings, parameter, value,
                     "brute_force tests %.2g pairs in a step, which takes about %.2g s. Use it?", pairs,
                     pairs * BRUTE_FORCE_TIME);
    else
        act(settings, parameter, value);
}

void settings_set(Settings *settings, uint32_t parameter, float value)
{
    char text[100];
    if (parameter == parameter_of_spacing()) {
        settings->spacing = value;
        parameter_text(parameter, value, text, sizeof text);
        screen_say(settings->screen, "%s: Enter restarts with it", text);
        return;
    }
    set_with_care(settings, set, parameter, value);
}

bool settings_is_changed(const Settings *settings, uint32_t parameter)
{
    return settings_value(settings, parameter) !=
           parameter_get(&settings->playback->facts.file_fluid, parameter);
}

uint32_t settings_changed_count(const Settings *settings)
{
    uint32_t count = 0;
    for (uint32_t k = 0; parameter_at(k); k++) count += settings_is_changed(settings, k);
    return count;
}

void settings_put_back(Settings *settings, uint32_t parameter)
{
    if (settings_is_changed(settings, parameter))
        settings_set(settings, parameter, parameter_get(&settings->playback->facts.file_fluid, parameter));
    else
        screen_say(settings->screen, "%s is as in the scene", parameter_at(parameter)->label);
}

void settings_put_all_back(Settings *settings)
{
    uint32_t count = settings_changed_count(settings);
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (settings_is_changed(settings, k)) settings_put_back(settings, k);
    }
    screen_say(settings->screen, "%u setting%s put back", count, count == 1 ? "" : "s");
}

void settings_choose(Settings *settings, int direction)
{
    char text[100];
    uint32_t count = 0;
    while (parameter_at(count)) count++;
    settings->chosen = (settings->chosen + (direction > 0 ? 1 : count - 1)) % count;
    parameter_text(settings->chosen, settings_value(settings, settings->chosen), text, sizeof text);
    screen_say(settings->screen, "setting: %s", text);
}

void settings_step(Settings *settings, int direction)
{
    uint32_t k = settings->chosen;
    settings_set(settings, k, parameter_next(k, settings_value(settings, k), direction));
}

// --- comparison ---

bool settings_comparing(const Settings *settings)
{
    return simulation_status(settings->playback->simulation).comparing;
}

static void compare_with(void *context, uint32_t parameter, float right)
{
    char text[100];
    Settings *settings = context;
    settings->sides_are_given = false;
    settings->compared = parameter;
    settings->right = right;
    parameter_text(parameter, right, text, sizeof text);
    simulation_compare(settings->playback->simulation, parameter, NAN, right);
    screen_say(settings->screen, "comparing from here with %s", text);
}

void settings_compare(Settings *settings)
{
    if (!settings->sides_are_given) {
        set_with_care(settings, compare_with, settings->compared, settings->right);
        return;
    }
    simulation_compare_sides(settings->playback->simulation);
    screen_say(settings->screen, "comparing the sides of the command line");
}

void settings_compare_end(Settings *settings)
{
    simulation_compare_end(settings->playback->simulation);
    screen_say(settings->screen, "the left side goes on");
}

void settings_choose_compared(Settings *settings, uint32_t parameter)
{
    if (parameter == parameter_of_spacing()) {
        screen_say(settings->screen, "water of another spacing cannot begin with the present state");
        return;
    }
    settings->sides_are_given = false;
    settings->compared = parameter;
    choose_right(settings);
    if (settings_comparing(settings)) settings_compare(settings);
}

void settings_choose_right(Settings *settings, float value)
{
    if (settings_comparing(settings))
        set_with_care(settings, compare_with, settings->compared, value);
    else
        settings->right = value;
}

bool settings_next_side(Settings *settings)
{
    uint32_t k = settings->compared;
    float left = settings_value(settings, k), right = settings->right;
    if (settings->sides_are_given) {
        screen_say(settings->screen, "the command line says what is compared");
        return false;
    }
    do {
        float next = parameter_next(k, right, 1);
        // Numbers begin again at the low end of their slider.
        right = next == right ? parameter_at(k)->slider->lo : next;
    } while (right == left || is_slow(settings, k, right));
    settings->right = right;
    return true;
}
