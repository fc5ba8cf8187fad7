#include "viewer/captions.h"

#include <string.h>

// The sheet that the pen writes on: x from its left, and y from its lower edge in the window.
typedef struct Paper {
    Gui *gui;
    float left, bottom;
} Paper;

// The controls' font has raised digits of its own. out: as long as the text, and one more.
static void raise_digits(const char *text, char *out)
{
    for (; *text; text++) {
        if (text[0] == '^' && (text[1] == '2' || text[1] == '3')) {
            *out++ = '\xc2'; // UTF-8
            *out++ = *++text == '2' ? '\xb2' : '\xb3';
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

enum { TEXT_MAX = 120 }; // longer than all of SplitText's

static float text_width(float capitals, const char *text, void *context)
{
    const Paper *paper = context;
    char raised[TEXT_MAX];
    CHECK(strlen(text) < TEXT_MAX);
    raise_digits(text, raised);
    return gui_caption_width(paper->gui, capitals, raised);
}

static GuiColor color_of(Ink ink)
{
    return (GuiColor){ink.r, ink.g, ink.b, ink.alpha};
}

static Result write_text(float x, float y, float capitals, const char *text, Ink ink, void *context)
{
    const Paper *paper = context;
    char raised[TEXT_MAX];
    CHECK(strlen(text) < TEXT_MAX);
    raise_digits(text, raised);
    gui_draw_caption(paper->gui, paper->left + x, paper->bottom - y, capitals, color_of(ink), raised);
    return result_ok();
}

static Result fill_box(float x0, float y0, float x1, float y1, float corner, Ink ink, void *context)
{
    const Paper *paper = context;
    gui_draw_box(paper->gui, paper->left + x0, paper->bottom - y1, paper->left + x1, paper->bottom - y0,
                 corner, color_of(ink));
    return result_ok();
}

void captions_draw(const Viewer *viewer)
{
    const Picture *picture = &viewer->picture;
    const ScreenArea *free = &viewer->screen.free;
    bool wanted = playback_is_split(&viewer->playback) && picture_is_there(picture) && !picture->has_captions;
    if (!wanted || !split_has_captions(free->width, free->height)) return;
    Paper paper = {viewer->controls.gui, (float)free->x, (float)(free->y + free->height)};
    CaptionPen pen = {text_width, write_text, fill_box, &paper};
    split_captions(&viewer->playback.snapshot->text, free->width, free->height, &pen);
}
