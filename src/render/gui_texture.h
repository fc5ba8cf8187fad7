// Pictures among the controls. Needs a current OpenGL context.
#ifndef PBF_RENDER_GUI_TEXTURE_H
#define PBF_RENDER_GUI_TEXTURE_H

#include <stdint.h>

// A picture (RGB, the upper row first) for gui_picture; 0 if the driver has no room. Free with
// gui_texture_free.
uint32_t gui_texture_create(const uint8_t *rgb, uint32_t width, uint32_t height);
void gui_texture_free(uint32_t texture); // 0 is allowed

#endif
