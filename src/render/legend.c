#include "render/legend.h"

#include "render/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void legend_number(char *text, size_t size, float value, float span)
{
    if (value != 0 && (fabsf(value) >= 1e6f || span < 1e-4f)) {
        snprintf(text, size, "%.3g", (double)value);
        return;
    }
    // Three digits over the whole scale.
    int decimals = span > 0 ? (int)ceilf(1.7f - log10f(span)) : 2;
    decimals = decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
    snprintf(text, size, "%.*f", decimals, (double)value);
    if (text[0] == '-' && strspn(text, "-0.") == strlen(text)) memmove(text, text + 1, strlen(text));
    // Zero needs no decimals.
    if (strspn(text, "0.") == strlen(text)) snprintf(text, size, "0");
}

void legend_count(char *text, size_t size, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int k = 0; k < length && at + 2 < size; k++) {
        if (k > 0 && (length - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = 0;
}

const char *legend_unit(FieldKey field, float *scale)
{
    const ParticleAttribute *attribute = particle_attribute(field);
    bool percent = !attribute->unit[0] && attribute->probe && attribute->probe_scale == 100;
    if (scale) *scale = percent ? 100 : 1;
    return percent ? "%" : attribute->unit;
}

static void title_of(char *text, size_t size, FieldKey field)
{
    const char *unit = legend_unit(field, NULL);
    snprintf(text, size, unit[0] ? "%s (%s)" : "%s", particle_attribute(field)->label, unit);
}

static float text_width(const char *text)
{
    return font_write(text, NULL, NULL);
}

// The legend's layout: sizes at 1280 x 720, in pixels; everything scales with the picture.
static const float MARGIN = 22, PADDING = 15, WIDTH = 270, BAR_HEIGHT = 11, UNIT = 0.98f;
static const Ink TEXT_INK = {0.12f, 0.16f, 0.21f, 1}, PANEL_INK = {1, 1, 1, 0.72f},
                 FAINT_INK = {0.30f, 0.36f, 0.42f, 1};

// Color bar, the range's numbers below it and its title above.
static Result add_scale(Overlay *overlay, const LegendInfo *info, float x0, float x1, float numbers,
                        float scale)
{
    char title[96], lo[32], middle[32], hi[32];
    float times, unit = UNIT * scale;
    legend_unit(info->field, &times);
    float least = times * info->lo, most = times * info->hi, span = most - least;
    title_of(title, sizeof title, info->field);
    legend_number(lo, sizeof lo, least, span);
    legend_number(middle, sizeof middle, 0.5f * (least + most), span);
    legend_number(hi, sizeof hi, most, span);
    float bar = numbers + 19 * scale, titles = bar + (BAR_HEIGHT + 10) * scale;
    TRY(overlay_add_text(overlay, x0, titles, unit, title, FAINT_INK));
    // A rim one pixel wide, so that the white end of the colors shows on the panel.
    TRY(overlay_add_box(overlay, roundf(x0) - 1, roundf(bar) - 1, roundf(x1) + 1,
                        roundf(bar + BAR_HEIGHT * scale) + 1, 2 * scale + 1,
                        (Ink){0.30f, 0.36f, 0.42f, 0.55f}));
    TRY(overlay_add_color_bar(overlay, roundf(x0), roundf(bar), roundf(x1), roundf(bar + BAR_HEIGHT * scale),
                              2 * scale));
    TRY(overlay_add_text(overlay, x0, numbers, unit, lo, FAINT_INK));
    TRY(overlay_add_text(overlay, 0.5f * (x0 + x1 - text_width(middle) * unit), numbers, unit, middle,
                         FAINT_INK));
    return overlay_add_text(overlay, x1 - text_width(hi) * unit, numbers, unit, hi, FAINT_INK);
}

Result legend_add(Overlay *overlay, const LegendInfo *info, uint32_t width, uint32_t height)
{
    float scale = fminf((float)height / 720, (float)width / 480);
    if (width < LEGEND_LEAST_WIDTH || height < LEGEND_LEAST_HEIGHT) return result_ok();
    char stamp[96], count[32];
    legend_count(count, sizeof count, info->particles);
    snprintf(stamp, sizeof stamp, "t = %.2f s", info->time);
    snprintf(count + strlen(count), sizeof count - strlen(count), " particle%s",
             info->particles == 1 ? "" : "s");
    float unit = UNIT * scale, left = MARGIN * scale, bottom = MARGIN * scale;
    float x0 = left + PADDING * scale, x1 = x0 + WIDTH * scale, numbers = bottom + PADDING * scale;
    float stamps = numbers + (info->has_field ? 51 + BAR_HEIGHT : 0) * scale;
    float top = stamps + (FONT_CAP_HEIGHT * UNIT + PADDING) * scale;
    TRY(overlay_add_box(overlay, left, bottom, x1 + PADDING * scale, top, 7 * scale, PANEL_INK));
    TRY(overlay_add_text(overlay, x0, stamps, unit, stamp, TEXT_INK));
    TRY(overlay_add_text(overlay, x1 - text_width(count) * unit, stamps, unit, count, TEXT_INK));
    return info->has_field ? add_scale(overlay, info, x0, x1, numbers, scale) : result_ok();
}
