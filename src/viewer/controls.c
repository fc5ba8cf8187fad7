#include "viewer/controls.h"

#include "render/window_event.h"

#include <stddef.h>

static const struct {
    int key;
    unsigned mods;
    Action action;
} keys[] = {
    {' ', 0, ACTION_PLAY},
    {'N', 0, ACTION_STEP},
    {'.', 0, ACTION_STEP},
    {'N', MOD_SHIFT, ACTION_FRAME},
    {'R', 0, ACTION_RESET},
    {',', MOD_SHIFT, ACTION_SLOWER},
    {'<', 0, ACTION_SLOWER},
    {'.', MOD_SHIFT, ACTION_FASTER},
    {'<', MOD_SHIFT, ACTION_FASTER},
    {'V', 0, ACTION_STYLE},
    {'C', 0, ACTION_COLOR},
    {'C', MOD_SHIFT, ACTION_COLOR_BACK},
    {'M', 0, ACTION_AUTO_RANGE},
    {'B', 0, ACTION_COLOR_BAR},
    {'X', 0, ACTION_CLIP},
    {'X', MOD_SHIFT, ACTION_CLIP_AXIS},
    {'[', 0, ACTION_CLIP_BACK},
    {']', 0, ACTION_CLIP_ON},
    {'T', 0, ACTION_TANK},
    {'K', 0, ACTION_OBSTACLES},
    {'L', 0, ACTION_CELLS},
    {KEY_TAB, 0, ACTION_PANEL},
    {'U', 0, ACTION_HUD},
    {'Q', 0, ACTION_PROBE},
    {KEY_F1, 0, ACTION_HELP},
    {'H', 0, ACTION_HELP},
    {'/', MOD_SHIFT, ACTION_HELP},
    {'?', MOD_SHIFT, ACTION_HELP},
    {';', 0, ACTION_CHOOSE_PREVIOUS},
    {'\'', 0, ACTION_CHOOSE_NEXT},
    {'-', 0, ACTION_LESS},
    {'=', 0, ACTION_MORE},
    {'+', 0, ACTION_MORE},
    {'+', MOD_SHIFT, ACTION_MORE},
    {'=', MOD_SHIFT, ACTION_MORE},
    {KEY_ENTER, 0, ACTION_APPLY},
    {KEY_LEFT, 0, ACTION_ORBIT_LEFT},
    {KEY_RIGHT, 0, ACTION_ORBIT_RIGHT},
    {KEY_UP, 0, ACTION_ORBIT_UP},
    {KEY_DOWN, 0, ACTION_ORBIT_DOWN},
    {KEY_LEFT, MOD_SHIFT, ACTION_PAN_LEFT},
    {KEY_RIGHT, MOD_SHIFT, ACTION_PAN_RIGHT},
    {KEY_UP, MOD_SHIFT, ACTION_PAN_UP},
    {KEY_DOWN, MOD_SHIFT, ACTION_PAN_DOWN},
    {KEY_PAGE_UP, 0, ACTION_ZOOM_IN},
    {KEY_PAGE_DOWN, 0, ACTION_ZOOM_OUT},
    {KEY_HOME, 0, ACTION_HOME},
    {'F', 0, ACTION_FRAME_ALL},
    {'E', 0, ACTION_HAND},
    {'G', 0, ACTION_BALL},
    {'J', 0, ACTION_PUSH},
    {'J', MOD_SHIFT, ACTION_PULL},
    {'I', 0, ACTION_NEXT_OBSTACLE},
    {KEY_LEFT, MOD_CONTROL, ACTION_MOVE_LEFT},
    {KEY_RIGHT, MOD_CONTROL, ACTION_MOVE_RIGHT},
    {KEY_UP, MOD_CONTROL, ACTION_MOVE_AWAY},
    {KEY_DOWN, MOD_CONTROL, ACTION_MOVE_NEAR},
    {KEY_PAGE_UP, MOD_CONTROL, ACTION_MOVE_UP},
    {KEY_PAGE_DOWN, MOD_CONTROL, ACTION_MOVE_DOWN},
    {'S', 0, ACTION_COMPARE},
    {'S', MOD_SHIFT, ACTION_AGAINST},
    {'P', 0, ACTION_SCREENSHOT},
    {'O', 0, ACTION_RECORD},
    {'O', MOD_SHIFT, ACTION_FILM},
    {KEY_F11, 0, ACTION_FULLSCREEN},
    {KEY_ESCAPE, 0, ACTION_QUIT},
};

static const Control lines[] = {
    {"time", "Space", "play, pause", ACTION_PLAY},
    {NULL, "N or .", "one step", ACTION_STEP},
    {NULL, "Shift+N", "on to the next frame", ACTION_FRAME},
    {NULL, "R", "start over", ACTION_COUNT},
    {NULL, "<  >", "slower, faster", ACTION_SLOWER},
    {"water", "V", "style", ACTION_STYLE},
    {NULL, "C, Shift+C", "colour by the next, previous field", ACTION_COLOR},
    {NULL, "M", "colour range follows the frame", ACTION_AUTO_RANGE},
    {NULL, "B", "colour bar", ACTION_COLOR_BAR},
    {NULL, "X, Shift+X", "cut open, turn the cut", ACTION_CLIP},
    {NULL, "[  ]", "move the cut", ACTION_CLIP_ON},
    {NULL, "click, Q", "numbers of that particle, of the one ahead", ACTION_PROBE},
    {NULL, "T", "tank", ACTION_TANK},
    {NULL, "K", "obstacles", ACTION_OBSTACLES},
    {NULL, "L", "cells of the neighbor search", ACTION_CELLS},
    {"settings", "Tab", "panel", ACTION_PANEL},
    {NULL, ";  '", "previous, next setting", ACTION_CHOOSE_NEXT},
    {NULL, "-  =", "less, more of it", ACTION_MORE},
    {NULL, "Ctrl+click", "type a slider's number", ACTION_COUNT},
    {NULL, "Enter", "restart with the chosen spacing", ACTION_APPLY},
    {NULL, "U", "numbers", ACTION_HUD},
    {"hand", "E", "the left button acts on the water", ACTION_HAND},
    {NULL, "drag, Ctrl+drag", "pull, push water (with E)", ACTION_COUNT},
    {NULL, "Shift+drag, double click", "move an obstacle, drop a ball (with E)", ACTION_COUNT},
    {NULL, "G, J, Shift+J", "drop a ball, push, pull ahead", ACTION_COUNT},
    {NULL, "I", "next obstacle", ACTION_NEXT_OBSTACLE},
    {NULL, "Ctrl+arrows, Page Up, Down", "move it", ACTION_COUNT},
    {"compare", "S", "two neighbor searches side by side", ACTION_COMPARE},
    {NULL, "Shift+S", "the next search on the right", ACTION_AGAINST},
    {"camera", "drag (right with E), arrows", "orbit", ACTION_COUNT},
    {NULL, "middle or Shift+drag, Shift+arrows", "pan", ACTION_COUNT},
    {NULL, "wheel, Page Up, Page Down", "zoom", ACTION_COUNT},
    {NULL, "double click", "look at that place", ACTION_COUNT},
    {NULL, "F, Home", "frame everything, the scene's camera", ACTION_COUNT},
    {"files", "1 to 9, 0", "scenes of the folder", ACTION_SCENE},
    {NULL, "drop a file", "open that scene", ACTION_COUNT},
    {NULL, "P", "picture as PNG", ACTION_SCREENSHOT},
    {NULL, "O", "record every frame as PNG", ACTION_RECORD},
    {NULL, "Shift+O", "record a film", ACTION_FILM},
    {"window", "F1, H or ?", "this help", ACTION_COUNT},
    {NULL, "F11, Esc", "full screen; close the help, leave", ACTION_COUNT},
};

const Control *control_line(uint32_t k)
{
    return k < sizeof lines / sizeof *lines ? &lines[k] : NULL;
}

bool control_of_key(int key, unsigned mods, Action *out, uint32_t *digit)
{
    *digit = 0;
    if (key >= '0' && key <= '9' && mods == 0) {
        *digit = key == '0' ? 10 : (uint32_t)(key - '0');
        *out = ACTION_SCENE;
        return true;
    }
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (keys[k].key != key || keys[k].mods != mods) continue;
        *out = keys[k].action;
        return true;
    }
    return false;
}
