// A picture on a rectangle in space, over the water.
#ifndef PBF_RENDER_SHEET_H
#define PBF_RENDER_SHEET_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdint.h>

typedef struct SheetDef {
    Vec3 corner, across, down; // m, domain coordinates: the first pixel's corner, the edges from there
    uint32_t width, height;    // px
    const uint8_t *rgba;       // 4 bytes a pixel, sRGB, top row first
} SheetDef;

typedef struct Sheet Sheet;
struct LineScene; // render/line_set.h

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result sheet_create(Sheet **out);
void sheet_destroy(Sheet *sheet); // NULL is allowed

// Replaces the picture, which is copied.
Result sheet_load(Sheet *sheet, const SheetDef *def);

// Draws it onto the bound picture.
Result sheet_draw(const Sheet *sheet, const struct LineScene *scene);

#endif
