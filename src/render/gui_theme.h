// Colors of the controls, in one table: a row for each use, a column for each theme.
#ifndef PBF_RENDER_GUI_THEME_H
#define PBF_RENDER_GUI_THEME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A color with components in 0..1, sRGB.
typedef struct GuiColor {
    float r, g, b, a;
} GuiColor;

typedef enum GuiTheme { THEME_DARK, THEME_LIGHT, THEME_COUNT } GuiTheme;

// "dark", "light"; NULL past the end.
const char *gui_theme_names(uint32_t k, const void *context);

// What each color is for, dark, light; 0xRRGGBBAA.
#define GUI_TINTS(X)                                                                                         \
    /* panels, and what is around a picture that does not fill the window */                                 \
    X(GROUND, 0x0e161fff, 0xf3f5f7ff)                                                                        \
    X(POPUP, 0x121a24fa, 0xfffffffa)                                                                         \
    X(TITLE, 0x14212eff, 0xdfe5eaff)                                                                         \
    X(OUTLINE, 0x5d7d94ff, 0x6b7c89ff)                                                                       \
    X(EDGE, 0x121a21ff, 0xd5dbe0ff)                                                                          \
    /* text in panels */                                                                                     \
    X(TEXT, 0xe6f0f7ff, 0x1b2733ff)                                                                          \
    X(DIM, 0x94a8baff, 0x50606eff)                                                                           \
    X(STRONG, 0xffffffff, 0x0a121aff)                                                                        \
    /* fields, buttons and sections with text on them: at rest, under the mouse, held */                     \
    X(FIELD, 0x213040ff, 0xdde4eaff)                                                                         \
    X(FIELD_HOVERED, 0x2b4257ff, 0xcbd8e2ff)                                                                 \
    X(FIELD_HELD, 0x33526bff, 0xb7cad8ff)                                                                    \
    X(GRAB, 0x266b99ff, 0x8fbbd8ff)                                                                          \
    X(GRAB_HELD, 0x3079aaff, 0x6ea6c9ff)                                                                     \
    X(BUTTON, 0x264259ff, 0xc9dae6ff)                                                                        \
    X(BUTTON_HOVERED, 0x335e7dff, 0xb0cbddff)                                                                \
    X(BUTTON_HELD, 0x407599ff, 0x95bad1ff)                                                                   \
    X(HEADER, 0x1f3345ff, 0xd3dfe8ff)                                                                        \
    X(HEADER_HOVERED, 0x2b4a63ff, 0xbfd2dfff)                                                                \
    X(HEADER_HELD, 0x335975ff, 0xabc4d5ff)                                                                   \
    X(MARK, 0x54addbff, 0x12699aff)                                                                          \
    /* bars of time and of steps, plots */                                                                   \
    X(CHART_GROUND, 0xffffff0e, 0x0000000c)                                                                  \
    X(GRID, 0xffffff12, 0x00000016)                                                                          \
    X(TRACK, 0xffffff1a, 0x00000024)                                                                         \
    X(REMEMBERED, 0x5aa5d796, 0x2272a8a0)                                                                    \
    X(NOW, 0xfab93cff, 0xb86a00ff)                                                                           \
    X(CURVE, 0x5cc4deff, 0x0f6f92ff)                                                                         \
    /* phases of a step */                                                                                   \
    X(REORDER, 0x8c99adff, 0x66707dff)                                                                       \
    X(CONSTRUCTION, 0xf5b359ff, 0xb97518ff)                                                                  \
    X(SEARCH, 0xed785cff, 0xc8452fff)                                                                        \
    X(CONTACTS, 0xb88cdbff, 0x8a5fb0ff)                                                                      \
    X(DENSITY, 0x428fdbff, 0x2a6db0ff)                                                                       \
    X(CORRECTION, 0x5cc4deff, 0x1b8599ff)                                                                    \
    X(FORCES, 0x73cc85ff, 0x3c8c49ff)                                                                        \
    X(OTHER, 0xbfc4ccff, 0x7d828aff)                                                                         \
    /* labels over the picture; states and errors have grounds of their own */                               \
    X(LABEL_GROUND, 0x0d141cdd, 0xf7fafcea)                                                                  \
    X(LABEL_TEXT, 0xffffffff, 0x101a24ff)                                                                    \
    X(LABEL_DIM, 0xa8baccff, 0x4d5d6bff)                                                                     \
    X(STATE_TEXT, 0xffffffff, 0xffffffff)                                                                    \
    X(PAUSED, 0x8f5908f0, 0x8f5908f0)                                                                        \
    X(GOOD, 0x1a6b3deb, 0x1a6b3deb)                                                                          \
    X(BAD, 0xb82121f0, 0xb82121f0)                                                                           \
    /* on the picture, which has the same colors in every theme */                                           \
    X(BAR_GROUND, 0xffffffc7, 0xffffffc7)                                                                    \
    X(BAR_TEXT, 0x1f2936ff, 0x1f2936ff)                                                                      \
    X(QUALITY_ON_DARK, 0xffffffa0, 0xffffffa0)                                                               \
    X(QUALITY, 0x1f29368c, 0x1f29368c)                                                                       \
    X(PICKED, 0xfab833ff, 0xfab833ff)                                                                        \
    X(NEIGHBOR, 0xed4d40ff, 0xed4d40ff)                                                                      \
    X(HAND, 0xfaa81aff, 0xfaa81aff)                                                                          \
    X(HAND_FAINT, 0xfaa81a8c, 0xfaa81a8c)                                                                    \
    X(THING, 0x334d73bf, 0x334d73bf)                                                                         \
    X(THING_CHOSEN, 0xfaa81aff, 0xfaa81aff)                                                                  \
    X(AXIS_X, 0xe04040ff, 0xe04040ff)                                                                        \
    X(AXIS_Y, 0x40ad40ff, 0x40ad40ff)                                                                        \
    X(AXIS_Z, 0x4073f2ff, 0x4073f2ff)                                                                        \
    X(AXIS_SIGHT, 0xffffffff, 0xffffffff)

typedef enum GuiTint {
#define TINT_ROW(name, dark, light) TINT_##name,
    GUI_TINTS(TINT_ROW)
#undef TINT_ROW
        TINT_COUNT
} GuiTint;

GuiColor gui_theme_color(GuiTheme theme, GuiTint tint);

#ifdef __cplusplus
}
#endif

#endif
