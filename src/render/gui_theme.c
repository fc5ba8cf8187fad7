#include "render/gui_theme.h"

static const uint32_t tints[TINT_COUNT][THEME_COUNT] = {
#define TINT_ROW(name, dark, light) [TINT_##name] = {[THEME_DARK] = dark, [THEME_LIGHT] = light},
    GUI_TINTS(TINT_ROW)
#undef TINT_ROW
};

const char *gui_theme_names(uint32_t k, const void *context)
{
    (void)context;
    static const char *const names[THEME_COUNT] = {[THEME_DARK] = "dark", [THEME_LIGHT] = "light"};
    return k < THEME_COUNT ? names[k] : 0;
}

GuiColor gui_theme_color(GuiTheme theme, GuiTint tint)
{
    uint32_t rgba = tints[tint][theme];
    return (GuiColor){(float)(rgba >> 24) / 255, (float)(rgba >> 16 & 255) / 255,
                      (float)(rgba >> 8 & 255) / 255, (float)(rgba & 255) / 255};
}
