#include "render/split.h"

#include "core/memory.h"
#include "render/font.h"
#include "render/framebuffer.h"
#include "render/gl_program.h"
#include "render/overlay.h"
#include "render/show.h"

#include <math.h>

struct Split {
    Framebuffer sheet;
    Show show;
    Overlay *overlay;
};

// The captions' layout: sizes at 1280 x 720, in pixels; everything scales with the sheet.
static const float STRIP = 240, MARGIN = 36, MIDDLE = 256, TITLE_Y = 205, ROW_Y = 178, ROW_PITCH = 18.5f,
                   VALUES = 232, BARS = 248, BAR_HEIGHT = 8;
static const float READABLE = 0.45f; // scale below which there are no captions
static const Ink PAGE = {0.955f, 0.962f, 0.970f, 1}, TEXT = {0.12f, 0.16f, 0.21f, 1},
                 FAINT = {0.36f, 0.42f, 0.48f, 1}, LINE = {0.12f, 0.16f, 0.21f, 0.25f};
static const Ink MOOD[] = {[SPLIT_BAD] = {0.75f, 0.24f, 0.13f, 1},
                           [SPLIT_GOOD] = {0.10f, 0.48f, 0.26f, 1},
                           [SPLIT_PLAIN] = {0.12f, 0.16f, 0.21f, 1}};
static const Ink BAR[SPLIT_GROUPS] = {
    {0.16f, 0.45f, 0.72f, 1}, {0.13f, 0.60f, 0.56f, 1}, {0.55f, 0.58f, 0.64f, 1}, {0.60f, 0.42f, 0.70f, 1}};

static float scale_of(uint32_t width, uint32_t height)
{
    return fminf((float)width / 1280, (float)height / 720);
}

bool split_has_captions(uint32_t width, uint32_t height)
{
    return scale_of(width, height) >= READABLE;
}

const char *split_view_name(SplitView view)
{
    static const char *const names[SPLIT_VIEW_COUNT] = {"beside each other", "wipe", "difference"};
    return names[view];
}

void split_picture_size(SplitView view, uint32_t width, uint32_t height, uint32_t *picture_width,
                        uint32_t *picture_height)
{
    *picture_width = view == SPLIT_BESIDE ? width / 2 : width;
    *picture_height = height;
    if (split_has_captions(width, height)) *picture_height -= (uint32_t)(STRIP * scale_of(width, height));
}

static Result create_parts(Split *split, uint32_t width, uint32_t height)
{
    TRY(framebuffer_create(&split->sheet, width, height, GL_RGBA8, 0, false));
    return overlay_create(&split->overlay);
}

Result split_create(uint32_t width, uint32_t height, Split **out)
{
    *out = NULL;
    if (width < 2 || height < 2)
        return result_error(RESULT_USAGE, "--size: %ux%u has no room for two pictures (2x2 or more)", width,
                            height);
    Split *split = memory_allocate_zeroed(sizeof *split);
    if (!split) return result_no_memory("the sheet", sizeof *split);
    gl_begin();
    Result result = create_parts(split, width, height);
    gl_end();
    if (result_is_ok(&result))
        *out = split;
    else
        split_destroy(split);
    return result;
}

void split_destroy(Split *split)
{
    if (!split) return;
    overlay_destroy(split->overlay);
    framebuffer_destroy(&split->sheet);
    show_destroy(&split->show);
    memory_free(split);
}

// A caption's place on the sheet: it starts at x and grows by scale.
typedef struct Place {
    const CaptionPen *pen;
    float x, width, scale;
} Place;

// align: 0 starts at x, 0.5 is centered there, 1 ends there. Text wider than `room` (px at scale 1) shrinks.
static Result write_text(const Place *place, float x, float y, float unit, float room, float align,
                         const char *text, Ink ink)
{
    const CaptionPen *pen = place->pen;
    float capitals = unit * FONT_CAP_HEIGHT * place->scale;
    float width = pen->width(capitals, text, pen->context) / place->scale;
    if (width > room) {
        capitals *= room / width;
        width = room;
    }
    return pen->write(place->x + (x - align * width) * place->scale, y * place->scale, capitals, text, ink,
                      pen->context);
}

static Result add_bar(const Place *place, float y, double share, Ink ink)
{
    float length = (float)share * (place->width - BARS) * place->scale;
    float x = place->x + BARS * place->scale, height = BAR_HEIGHT * place->scale;
    if (!(length > 0)) return result_ok();
    return place->pen->fill(x, y * place->scale, x + fmaxf(length, 1), y * place->scale + height,
                            1.5f * place->scale, ink, place->pen->context);
}

static Result add_caption(const Place *place, const SplitText *text, int side)
{
    double largest[SPLIT_GROUPS] = {0};
    for (uint32_t k = 0; k < text->row_count; k++) {
        const SplitRow *row = &text->rows[k];
        largest[row->group] = fmax(largest[row->group], fmax(row->amount[0], row->amount[1]));
    }
    TRY(write_text(place, 0, TITLE_Y, 1.35f, place->width, 0, text->title[side], TEXT));
    for (uint32_t k = 0; k < text->row_count; k++) {
        const SplitRow *row = &text->rows[k];
        float y = ROW_Y - (float)k * ROW_PITCH;
        double all = row->group == SPLIT_QUALITY ? fmax(row->amount[0], row->amount[1]) : largest[row->group];
        TRY(write_text(place, 0, y, 1, VALUES / 2, 0, row->name, FAINT));
        TRY(write_text(place, VALUES, y, 1, VALUES / 2, 1, row->value[side], TEXT));
        TRY(add_bar(place, y + 1, all > 0 ? row->amount[side] / all : 0, BAR[row->group]));
    }
    return result_ok();
}

static Result add_middle(const Place *place, const SplitText *text)
{
    float middle = 0.5f * place->width, room = place->width - 16;
    TRY(write_text(place, middle, TITLE_Y - 4, 1.9f, room, 0.5f, text->headline, TEXT));
    for (int k = 0; k < 3; k++)
        TRY(write_text(place, middle, TITLE_Y - 30 - 19 * (float)k, k == 0 ? 1 : 0.9f, room, 0.5f,
                       text->subjects[k], FAINT));
    TRY(write_text(place, middle, TITLE_Y - 102, 1.35f, room, 0.5f, text->verdict, MOOD[text->mood]));
    for (int k = 0; k < SPLIT_NOTES_MAX; k++)
        TRY(write_text(place, middle, TITLE_Y - 126 - 19 * (float)k, 0.9f, room, 0.5f, text->notes[k],
                       FAINT));
    return result_ok();
}

Result split_captions(const SplitText *text, uint32_t width, uint32_t height, const CaptionPen *pen)
{
    float scale = scale_of(width, height), middle = MIDDLE * scale;
    float block = 0.5f * ((float)width - middle) - 2 * MARGIN * scale;
    Place left = {pen, MARGIN * scale, block / scale, scale};
    Place right = {pen, 0.5f * ((float)width + middle) + MARGIN * scale, block / scale, scale};
    Place between = {pen, 0.5f * ((float)width - middle), MIDDLE, scale};
    TRY(add_caption(&left, text, 0));
    TRY(add_caption(&right, text, 1));
    return add_middle(&between, text);
}

// --- the pen of sheets that are kept: strokes need no font, and are the same everywhere ---

static float stroke_width(float capitals, const char *text, void *context)
{
    (void)context;
    return font_write(text, NULL, NULL) * capitals / FONT_CAP_HEIGHT;
}

static Result stroke_text(float x, float y, float capitals, const char *text, Ink ink, void *context)
{
    return overlay_add_text(context, x, y, capitals / FONT_CAP_HEIGHT, text, ink);
}

static Result fill_box(float x0, float y0, float x1, float y1, float corner, Ink ink, void *context)
{
    return overlay_add_box(context, x0, y0, x1, y1, corner, ink);
}

// Shows both pictures; *line becomes the place of the line between them, px.
static Result show_pictures(const Framebuffer *sheet, SplitView view, Renderer *left, Renderer *right,
                            uint32_t width, uint32_t height, float *line)
{
    uint32_t bottom = sheet->height - height;
    TRY(renderer_show(left, sheet->name, 0, bottom, width, height));
    if (view == SPLIT_DIFFERENCE) return result_ok();
    if (view == SPLIT_BESIDE) {
        *line = 0.5f * (float)sheet->width;
        return renderer_show(right, sheet->name, sheet->width - width, bottom, width, height);
    }
    TRY(renderer_show_from(right, *line, sheet->name, 0, bottom, width, height));
    *line *= (float)width;
    return result_ok();
}

static Result draw_sheet(Split *split, SplitView view, float at, Renderer *left, Renderer *right,
                         const SplitText *text)
{
    const Framebuffer *sheet = &split->sheet;
    uint32_t width, height;
    split_picture_size(view, sheet->width, sheet->height, &width, &height);
    uint32_t bottom = sheet->height - height;
    framebuffer_bind(sheet);
    glClearColor(PAGE.r, PAGE.g, PAGE.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    TRY(show_pictures(sheet, view, left, right, width, height, &at));
    gl_begin();
    glDisable(GL_DEPTH_TEST);
    framebuffer_bind(sheet);
    float scale = scale_of(sheet->width, sheet->height), line = fmaxf(1, roundf(1.5f * scale));
    if (view != SPLIT_DIFFERENCE)
        TRY(overlay_add_box(split->overlay, at - 0.5f * line, (float)bottom, at + 0.5f * line,
                            (float)sheet->height, 0, LINE));
    CaptionPen pen = {stroke_width, stroke_text, fill_box, split->overlay};
    if (text && split_has_captions(sheet->width, sheet->height))
        TRY(split_captions(text, sheet->width, sheet->height, &pen));
    return overlay_draw(split->overlay, sheet->width, sheet->height, 0);
}

Result split_draw(Split *split, SplitView view, float line, Renderer *left, Renderer *right,
                  const SplitText *text)
{
    gl_begin();
    Result result = draw_sheet(split, view, line, left, right, text);
    gl_end();
    return result;
}

Result split_show(Split *split, unsigned target, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    return show_draw(&split->show, &split->sheet, 0, target, x, y, width, height);
}

Result split_read(Split *split, uint8_t *rgb)
{
    return framebuffer_read(&split->sheet, rgb);
}
