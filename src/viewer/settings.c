#include "viewer/settings.h"

#include "neighbor/neighbor.h"
#include "viewer/parameters.h"

#include <string.h>

// What a comparison begins with.
static void choose_sides(Settings *settings)
{
    // States over clusters and over lists differ by rounding; a user expects to see them identical.
    const char *now = settings->playback->facts.fluid.neighbor;
    const char *left = neighbor_method_is_clustered(now) ? "uniform_grid" : now;
    const char *right = strcmp(left, "uniform_grid") == 0 ? "aabb_grid" : "uniform_grid";
    settings->sides[0] = parameter_method(left);
    settings->sides[1] = parameter_method(right);
}

void settings_start(Settings *settings)
{
    settings->spacing = settings->playback->facts.fluid.spacing;
    if (!settings_comparing(settings)) choose_sides(settings);
}

// The method of the panel is that of the left side, or what a later comparison begins with.
static void follow_method(Settings *settings)
{
    if (settings_comparing(settings))
        settings->sides[0] = parameter_method(settings->playback->facts.fluid.neighbor);
    else
        choose_sides(settings);
}

float settings_value(const Settings *settings, uint32_t parameter)
{
    if (parameter == parameter_of_spacing()) return settings->spacing;
    return parameter_get(&settings->playback->facts.fluid, parameter);
}

void settings_set(Settings *settings, uint32_t parameter, float value)
{
    char text[100];
    SceneFacts *facts = &settings->playback->facts;
    parameter_text(parameter, value, text, sizeof text);
    if (parameter == parameter_of_spacing()) {
        settings->spacing = value;
        screen_say(settings->screen, "%s: Enter restarts with it", text);
        return;
    }
    parameter_set(&facts->fluid, parameter, value);
    simulation_set(settings->playback->simulation, parameter, value);
    if (parameter == parameter_of_methods()) follow_method(settings);
    screen_say(settings->screen, parameter == facts->compared ? "left side: %s" : "%s", text);
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

void settings_compare(Settings *settings)
{
    const char *left = neighbor_method_name(settings->sides[0]),
               *right = neighbor_method_name(settings->sides[1]);
    if (settings->sides_are_given) {
        simulation_compare_sides(settings->playback->simulation);
        screen_say(settings->screen, "comparing the sides of the command line");
    } else {
        simulation_compare_methods(settings->playback->simulation, left, right);
        screen_say(settings->screen, "comparing %s with %s", left, right);
    }
}

void settings_compare_end(Settings *settings)
{
    simulation_compare_end(settings->playback->simulation);
    screen_say(settings->screen, "one fluid again");
}

void settings_choose_side(Settings *settings, int side, uint32_t method)
{
    settings->sides[side] = method;
    if (settings_comparing(settings)) settings_compare(settings);
}

bool settings_next_side(Settings *settings)
{
    if (settings->sides_are_given) {
        screen_say(settings->screen, "the command line says what is compared");
        return false;
    }
    do {
        settings->sides[1] = (uint32_t)parameter_next(parameter_of_methods(), (float)settings->sides[1], 1);
    } while (settings->sides[1] == settings->sides[0]);
    return true;
}
