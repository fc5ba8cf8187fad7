#include "render/chart_page.h"

#include "render/font.h"
#include "render/framebuffer.h"
#include "render/gl_program.h"

#include <math.h>
#include <stdio.h>

Result chart_page_draw(uint32_t width, uint32_t height, ChartInk *ink, const void *chart, uint8_t *rgb)
{
    Framebuffer picture;
    Overlay *overlay = NULL;
    TRY(framebuffer_create(&picture, width, height, GL_RGBA8, 0, false));
    gl_begin();
    glDisable(GL_DEPTH_TEST);
    framebuffer_bind(&picture);
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    Result result = overlay_create(&overlay);
    if (result_is_ok(&result)) result = ink(overlay, chart);
    if (result_is_ok(&result)) result = overlay_draw(overlay, width, height, 0);
    if (result_is_ok(&result)) result = framebuffer_read(&picture, rgb);
    overlay_destroy(overlay);
    framebuffer_destroy(&picture);
    gl_end();
    return result;
}

Result chart_write(Overlay *overlay, float x, float y, float unit, float align, const char *text, Ink ink)
{
    return overlay_add_text(overlay, x - align * font_write(text, NULL, NULL) * unit, y, unit, text, ink);
}

double chart_tick(double span, double parts)
{
    double rough = span / parts, power = pow(10, floor(log10(rough)));
    return power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
}

void chart_number(char *text, size_t size, double value, double tick)
{
    int decimals = (int)fmax(0, ceil(-log10(tick) - 1e-9));
    snprintf(text, size, "%.*f", decimals, fabs(value) < 0.5 * tick ? 0 : value);
}
