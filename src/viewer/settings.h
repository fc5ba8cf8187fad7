// The settings of the running water and of a comparison, which panel and keyboard change.
#ifndef PBF_VIEWER_SETTINGS_H
#define PBF_VIEWER_SETTINGS_H

#include "viewer/playback.h"
#include "viewer/question.h"

typedef struct Settings {
    Screen *screen;
    Playback *playback;
    Question *question;
    bool sides_are_given; // by the command line: they cannot be chosen
    uint32_t compared;    // parameter that a comparison is about,
    float right;          // and its value on the right side
    uint32_t chosen;      // parameter that the keyboard changes
    float spacing;        // m, as chosen for the next start
} Settings;

// Another scene: its spacing, and what a comparison of it begins with.
void settings_start(Settings *settings);

float settings_value(const Settings *settings, uint32_t parameter);
void settings_set(Settings *settings, uint32_t parameter, float value);

// Does the setting differ from what the scene says? It is put back, or all are.
bool settings_is_changed(const Settings *settings, uint32_t parameter);
uint32_t settings_changed_count(const Settings *settings);
void settings_put_back(Settings *settings, uint32_t parameter);
void settings_put_all_back(Settings *settings);

// The setting that the keyboard changes: the previous or next one, and less or more of it (-1 or 1).
void settings_choose(Settings *settings, int direction);
void settings_step(Settings *settings, int direction);

// --- comparison ---

bool settings_comparing(const Settings *settings);
void settings_compare(Settings *settings);
void settings_compare_end(Settings *settings);
void settings_choose_compared(Settings *settings, uint32_t parameter);
void settings_choose_right(Settings *settings, float value);

// Chooses the next value for the right side; false if the command line says what is compared.
bool settings_next_side(Settings *settings);

#endif
