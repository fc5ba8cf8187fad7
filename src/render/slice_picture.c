#include "render/slice_picture.h"

#include "render/chart_page.h"
#include "render/colormap.h"
#include "render/font.h"

#include <math.h>
#include <string.h>

enum { WANTED = 1400, MARGIN = 20, TITLE = 40, SCALE = 130, BAR = 22, HEIGHT_MIN = 260, PIXELS_MAX = 16 };
static const float INK[3] = {0.08f, 0.13f, 0.24f};
#define TEXT_SIZE 1.25f // px a unit of the font

// The picture while it is drawn.
typedef struct Page {
    const Slice *slice;
    uint32_t width, height, pixels; // pixels a cell
    int left, top;                  // px, of the grid
    uint32_t bytes;                 // a pixel
    uint8_t *rgb;
    const uint8_t *colors; // COLORMAP_SIZE of three bytes; NULL: computed for each pixel
} Page;

static void color_at(const Page *page, float t, float rgb[3])
{
    if (!page->colors) {
        colormap_srgb(t, rgb);
        return;
    }
    const uint8_t *at = page->colors + 3 * lrintf(fminf(fmaxf(t, 0.0f), 1.0f) * (COLORMAP_SIZE - 1));
    for (int k = 0; k < 3; k++) rgb[k] = (float)at[k] / 255.0f;
}

static uint32_t pixels_a_cell(const Slice *slice)
{
    uint32_t longest = slice->columns > slice->rows ? slice->columns : slice->rows, pixels = WANTED / longest;
    return pixels < 1 ? 1 : pixels > PIXELS_MAX ? PIXELS_MAX : pixels;
}

void slice_picture_size(const Slice *slice, uint32_t *width, uint32_t *height)
{
    uint32_t pixels = pixels_a_cell(slice), inner = (slice->rows - 1) * pixels;
    *width = (slice->columns - 1) * pixels + 2 * MARGIN + SCALE;
    *height = (inner > HEIGHT_MIN ? inner : HEIGHT_MIN) + TITLE + MARGIN;
}

static void blend(Page *page, int x, int y, const float color[3], float part)
{
    if (x < 0 || y < 0 || x >= (int)page->width || y >= (int)page->height || !(part > 0.0f)) return;
    uint8_t *at = page->rgb + page->bytes * ((size_t)y * page->width + (size_t)x);
    for (int k = 0; k < 3; k++) {
        float mixed = (float)at[k] + fminf(part, 1.0f) * (255.0f * color[k] - (float)at[k]);
        at[k] = (uint8_t)lrintf(mixed);
    }
}

// How far t lies from a multiple of `tick`, in pixels over which it changes by `slope` each.
static float line_part(float t, float tick, float slope, float half_width)
{
    float away = fabsf(t - tick * roundf(t / tick)) / fmaxf(slope, 1e-20f);
    return fminf(fmaxf(half_width + 0.5f - away, 0.0f), 1.0f);
}

// How much a field changes from a pixel to the next.
static float slope_at(const Page *page, const float *field, float column, float row)
{
    float step = 0.5f / (float)page->pixels;
    float dx = slice_sample(page->slice, field, column + step, row) -
               slice_sample(page->slice, field, column - step, row);
    float dy = slice_sample(page->slice, field, column, row + step) -
               slice_sample(page->slice, field, column, row - step);
    return sqrtf(dx * dx + dy * dy);
}

// Returns how much of what is behind the slice the pixel covers.
static float draw_pixel(Page *page, const SlicePictureDef *def, int x, int y)
{
    const Slice *slice = page->slice;
    float column = ((float)(x - page->left) + 0.5f) / (float)page->pixels;
    float row = (float)(slice->rows - 1) - ((float)(y - page->top) + 0.5f) / (float)page->pixels;
    float fraction = slice_sample(slice, slice->fraction, column, row);
    if (fraction <= 0.0f) return 0.0f;
    float across = slope_at(page, slice->fraction, column, row);
    float water = fminf(fmaxf((fraction - 0.5f) / fmaxf(across, 1e-6f) + 0.5f, 0.0f), 1.0f);
    if (water > 0.0f) {
        float value = slice_sample(slice, slice->value, column, row), range = slice->most - slice->least;
        float color[3];
        color_at(page, range > 0.0f ? (value - slice->least) / range : 0.5f, color);
        blend(page, x, y, color, water);
        if (def->tick > 0.0) {
            float slope = slope_at(page, slice->value, column, row);
            blend(page, x, y, INK, 0.55f * water * line_part(value, (float)def->tick, slope, 0.2f));
        }
    }
    float away = fabsf(fraction - 0.5f) / fmaxf(across, 1e-6f);
    float border = fminf(fmaxf(1.5f - away, 0.0f), 1.0f);
    blend(page, x, y, INK, border);
    return fmaxf(water, border);
}

// --- text and scale ---

typedef struct Pen {
    Page *page;
    float x, y; // of the line's start, px
} Pen;

static void put_stroke(float x0, float y0, float x1, float y1, void *context)
{
    const Pen *pen = context;
    float ax = pen->x + TEXT_SIZE * x0, ay = pen->y - TEXT_SIZE * y0, bx = pen->x + TEXT_SIZE * x1,
          by = pen->y - TEXT_SIZE * y1;
    float dx = bx - ax, dy = by - ay, squared = fmaxf(dx * dx + dy * dy, 1e-6f);
    for (int y = (int)floorf(fminf(ay, by)) - 2; y <= (int)fmaxf(ay, by) + 2; y++) {
        for (int x = (int)floorf(fminf(ax, bx)) - 2; x <= (int)fmaxf(ax, bx) + 2; x++) {
            float px = (float)x + 0.5f - ax, py = (float)y + 0.5f - ay;
            float t = fminf(fmaxf((px * dx + py * dy) / squared, 0.0f), 1.0f);
            blend(pen->page, x, y, INK, 1.15f - hypotf(px - t * dx, py - t * dy));
        }
    }
}

static void write_text(Page *page, float x, float y, const char *text)
{
    Pen pen = {page, x, y};
    font_write(text, put_stroke, &pen);
}

static void draw_scale(Page *page, const SlicePictureDef *def)
{
    const Slice *slice = page->slice;
    int left = (int)page->width - SCALE, top = TITLE, length = (int)page->height - TITLE - MARGIN;
    for (int y = 0; y < length; y++) {
        float color[3];
        colormap_srgb(1.0f - (float)y / (float)(length - 1), color);
        for (int x = 0; x < BAR; x++) blend(page, left + x, top + y, color, 1.0f);
    }
    double range = (double)slice->most - slice->least, tick = range > 0.0 ? chart_tick(range, 6.0) : 0.0;
    if (!(tick > 0.0)) return;
    if (def->tick > 0.0) tick = def->tick * ceil(tick / def->tick - 1e-9); // numbers stand at contours
    for (double value = ceil(slice->least / tick) * tick; value <= slice->most; value += tick) {
        char text[40];
        int y = top + (int)lround((length - 1) * (slice->most - value) / range);
        for (int x = BAR; x < BAR + 6; x++) blend(page, left + x, y, INK, 1.0f);
        chart_number(text, sizeof text, value, tick);
        write_text(page, (float)(left + BAR + 12), (float)y + 6.0f, text);
    }
}

void slice_picture_draw(const SlicePictureDef *def, uint8_t *rgb)
{
    Page page = {.slice = def->slice,
                 .pixels = pixels_a_cell(def->slice),
                 .left = MARGIN,
                 .top = TITLE,
                 .bytes = 3,
                 .rgb = rgb};
    slice_picture_size(def->slice, &page.width, &page.height);
    memset(rgb, 255, (size_t)page.width * page.height * 3);
    int right = MARGIN + (int)((def->slice->columns - 1) * page.pixels);
    int bottom = TITLE + (int)((def->slice->rows - 1) * page.pixels);
    for (int y = TITLE; y < bottom; y++) {
        for (int x = MARGIN; x < right; x++) draw_pixel(&page, def, x, y);
    }
    write_text(&page, MARGIN, 27.0f, def->title);
    draw_scale(&page, def);
}

// On a background in the color of the water's border.
void slice_sheet_draw(const SlicePictureDef *def, uint32_t pixels, uint8_t *rgba)
{
    const Slice *slice = def->slice;
    uint8_t colors[COLORMAP_SIZE * 3];
    colormap_table(def->colors, colors);
    Page page = {.slice = slice,
                 .colors = colors,
                 .width = (slice->columns - 1) * pixels,
                 .height = (slice->rows - 1) * pixels,
                 .pixels = pixels,
                 .bytes = 4,
                 .rgb = rgba};
    for (uint32_t y = 0; y < page.height; y++) {
        for (uint32_t x = 0; x < page.width; x++) {
            uint8_t *at = rgba + 4 * ((size_t)y * page.width + x);
            for (int k = 0; k < 3; k++) at[k] = (uint8_t)lrintf(255.0f * INK[k]);
            at[3] = (uint8_t)lrintf(255.0f * draw_pixel(&page, def, (int)x, (int)y));
        }
    }
}
