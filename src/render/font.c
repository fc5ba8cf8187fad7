#include "render/font.h"

#include "core/c_locale.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// Width, then strokes: "M x y" lifts the pen and moves it, "L x y" draws a line, "A cx cy rx ry from to"
// draws an arc (degrees) after a line from where the pen is, "U" lifts the pen.
typedef struct Glyph {
    float width;
    const char *strokes;
} Glyph;

#define BOWL "A 2.8 3.5 2.8 3.5 0 360 U "

static const Glyph GLYPHS[128] = {
    [' '] = {3.4f, ""},
    ['0'] = {6, "A 3 7 3 3 0 180 L 0 3 A 3 3 3 3 180 360 L 6 7"},
    ['1'] = {6, "M 1.2 8 L 3.6 10 L 3.6 0"},
    ['2'] = {6, "A 3 7.1 2.9 2.9 170 -35 L 0.2 0 L 6 0"},
    ['3'] = {6, "A 3 7.4 2.6 2.6 155 -90 A 3 2.4 3 2.4 90 -155"},
    ['4'] = {6, "M 4.5 0 L 4.5 10 L 0 3 L 6 3"},
    ['5'] = {6, "M 5.4 10 L 1 10 L 0.6 5.3 A 2.9 3.2 3.1 3.2 138 -150"},
    ['6'] = {6, "A 3 3.1 3 3.1 0 360 U A 5.6 3.1 5.6 6.9 180 98"},
    ['7'] = {6, "M 0 10 L 6 10 L 2 0"},
    ['8'] = {6, "A 3 7.5 2.6 2.5 0 360 U A 3 2.5 3 2.5 0 360"},
    ['9'] = {6, "A 3 6.9 3 3.1 0 360 U A 0.4 6.9 5.6 6.9 0 -82"},
    ['a'] = {5.6f, BOWL "M 5.6 7 L 5.6 0"},
    ['b'] = {5.6f, BOWL "M 0 10 L 0 0"},
    ['c'] = {5, "A 2.8 3.5 2.8 3.5 45 315"},
    ['d'] = {5.6f, BOWL "M 5.6 10 L 5.6 0"},
    ['e'] = {5.6f, "M 0.1 3.7 L 5.6 3.7 A 2.8 3.5 2.8 3.5 3 318"},
    ['f'] = {3.8f, "A 3.5 8.3 1.7 1.7 75 180 L 1.8 0 M 0 7 L 3.8 7"},
    ['g'] = {5.6f, BOWL "M 5.6 7 L 5.6 -0.2 A 2.8 -0.2 2.8 2.8 0 -150"},
    ['h'] = {5.2f, "M 0 10 L 0 0 M 0 4.4 A 2.6 4.4 2.6 2.6 180 0 L 5.2 0"},
    ['i'] = {0, "M 0 7 L 0 0 M 0 9.6 L 0 9.7"},
    ['j'] = {1.8f, "M 1.8 7 L 1.8 -1.2 A 0 -1.2 1.8 1.8 0 -85 M 1.8 9.6 L 1.8 9.7"},
    ['k'] = {4.8f, "M 0 10 L 0 0 M 4.6 7 L 0 2.8 M 1.7 4.35 L 4.8 0"},
    ['l'] = {0, "M 0 10 L 0 0"},
    ['m'] = {8.6f, "M 0 7 L 0 0 M 0 4.85 A 2.15 4.85 2.15 2.15 180 0 L 4.3 0 M 4.3 4.85 A 6.45 4.85 2.15 "
                   "2.15 180 0 L 8.6 0"},
    ['n'] = {5.2f, "M 0 7 L 0 0 M 0 4.4 A 2.6 4.4 2.6 2.6 180 0 L 5.2 0"},
    ['o'] = {5.6f, BOWL},
    ['p'] = {5.6f, BOWL "M 0 7 L 0 -3"},
    ['q'] = {5.6f, BOWL "M 5.6 7 L 5.6 -3"},
    ['r'] = {3.2f, "M 0 7 L 0 0 M 0 4 A 3 4 3 3 180 85"},
    ['s'] = {4.6f, "A 2.3 5.25 2.1 1.75 35 270 A 2.3 1.75 2.3 1.75 90 -145"},
    ['t'] = {4, "M 1.8 9.5 L 1.8 1.7 A 3.5 1.7 1.7 1.7 180 285 M 0 7 L 4 7"},
    ['u'] = {5.2f, "M 0 7 L 0 2.6 A 2.6 2.6 2.6 2.6 180 360 M 5.2 7 L 5.2 0"},
    ['v'] = {5.2f, "M 0 7 L 2.6 0 L 5.2 7"},
    ['w'] = {7.6f, "M 0 7 L 1.9 0 L 3.8 7 L 5.7 0 L 7.6 7"},
    ['x'] = {4.8f, "M 0 7 L 4.8 0 M 4.8 7 L 0 0"},
    ['y'] = {5.2f, "M 0 7 L 2.7 0 M 5.2 7 L 1.5 -3"},
    ['z'] = {4.8f, "M 0 7 L 4.8 7 L 0 0 L 4.8 0"},
    ['A'] = {7, "M 0 0 L 3.5 10 L 7 0 M 1.2 3.5 L 5.8 3.5"},
    ['B'] =
        {6,
         "M 0 0 L 0 10 L 3.2 10 A 3.2 7.6 2.4 2.4 90 -90 L 0 5.2 M 3.2 5.2 A 3.4 2.6 2.6 2.6 90 -90 L 0 0"},
    ['C'] = {7, "A 4 5 4 5 45 315"},
    ['D'] = {7, "M 0 0 L 0 10 L 2.5 10 A 2.5 5 4.5 5 90 -90 L 0 0"},
    ['E'] = {5.5f, "M 5.5 10 L 0 10 L 0 0 L 5.5 0 M 0 5.2 L 4.8 5.2"},
    ['F'] = {5.5f, "M 5.5 10 L 0 10 L 0 0 M 0 5.2 L 4.8 5.2"},
    ['G'] = {7.4f, "A 4 5 4 5 45 330 L 7.4 4.8 L 4.4 4.8"},
    ['H'] = {6.6f, "M 0 10 L 0 0 M 6.6 10 L 6.6 0 M 0 5.2 L 6.6 5.2"},
    ['I'] = {0, "M 0 10 L 0 0"},
    ['J'] = {4.6f, "M 4.6 10 L 4.6 2.4 A 2.3 2.4 2.3 2.4 0 -160"},
    ['K'] = {6, "M 0 10 L 0 0 M 6 10 L 0 4 M 2.2 6.2 L 6 0"},
    ['L'] = {5.2f, "M 0 10 L 0 0 L 5.2 0"},
    ['M'] = {8, "M 0 0 L 0 10 L 4 3 L 8 10 L 8 0"},
    ['N'] = {6.8f, "M 0 0 L 0 10 L 6.8 0 L 6.8 10"},
    ['O'] = {8, "A 4 5 4 5 0 360"},
    ['P'] = {6, "M 0 0 L 0 10 L 3.2 10 A 3.2 7.3 2.7 2.7 90 -90 L 0 4.6"},
    ['Q'] = {8, "A 4 5 4 5 0 360 M 5.2 2.4 L 8 -0.6"},
    ['R'] = {6, "M 0 0 L 0 10 L 3.2 10 A 3.2 7.3 2.7 2.7 90 -90 L 0 4.6 M 3 4.6 L 6 0"},
    ['S'] = {6, "A 3 7.5 2.8 2.5 35 270 A 3 2.5 3 2.5 90 -150"},
    ['T'] = {6.4f, "M 0 10 L 6.4 10 M 3.2 10 L 3.2 0"},
    ['U'] = {6.6f, "M 0 10 L 0 3.3 A 3.3 3.3 3.3 3.3 180 360 L 6.6 10"},
    ['V'] = {7, "M 0 10 L 3.5 0 L 7 10"},
    ['W'] = {10, "M 0 10 L 2.5 0 L 5 10 L 7.5 0 L 10 10"},
    ['X'] = {6.4f, "M 0 10 L 6.4 0 M 6.4 10 L 0 0"},
    ['Y'] = {6.6f, "M 0 10 L 3.3 5 L 6.6 10 M 3.3 5 L 3.3 0"},
    ['Z'] = {6.2f, "M 0 10 L 6.2 10 L 0 0 L 6.2 0"},
    ['.'] = {0.2f, "M 0.1 0 L 0.1 0.1"},
    [','] = {0.6f, "M 0.5 0.1 L 0 -1.7"},
    [':'] = {0.2f, "M 0.1 0.6 L 0.1 0.7 M 0.1 5.6 L 0.1 5.7"},
    [';'] = {0.6f, "M 0.5 0.4 L 0 -1.4 M 0.5 5.6 L 0.5 5.7"},
    ['-'] = {4.2f, "M 0 4 L 4.2 4"},
    ['+'] = {5, "M 0 4 L 5 4 M 2.5 6.5 L 2.5 1.5"},
    ['='] = {5, "M 0 5.4 L 5 5.4 M 0 2.6 L 5 2.6"},
    ['_'] = {5, "M 0 -1.5 L 5 -1.5"},
    ['/'] = {3.6f, "M 0 -1.2 L 3.6 10.6"},
    ['('] = {2, "A 5.2 4.6 5.2 8 138 222"},
    [')'] = {2, "A -3.2 4.6 5.2 8 42 -42"},
    ['['] = {2, "M 2 11 L 0 11 L 0 -1.6 L 2 -1.6"},
    [']'] = {2, "M 0 11 L 2 11 L 2 -1.6 L 0 -1.6"},
    ['%'] = {7.4f, "A 1.6 8 1.6 2 0 360 U A 5.8 2 1.6 2 0 360 M 6.2 10 L 1.2 0"},
    ['*'] = {4, "M 2 9.6 L 2 5.6 M 0.3 8.6 L 3.7 6.6 M 3.7 8.6 L 0.3 6.6"},
    ['<'] = {4.6f, "M 4.6 7 L 0 4 L 4.6 1"},
    ['>'] = {4.6f, "M 0 7 L 4.6 4 L 0 1"},
    ['\''] = {0, "M 0 10 L 0 7.8"},
    ['"'] = {2, "M 0 10 L 0 7.8 M 2 10 L 2 7.8"},
    ['!'] = {0.2f, "M 0.1 10 L 0.1 3 M 0.1 0 L 0.1 0.1"},
    ['?'] = {4.8f, "A 2.4 7.6 2.4 2.4 165 -60 L 2.4 3.6 L 2.4 2.8 M 2.4 0 L 2.4 0.1"},
    ['#'] = {6.4f, "M 1.4 0 L 2.6 10 M 3.8 0 L 5 10 M 0 6.6 L 6.4 6.6 M 0 3.4 L 6.4 3.4"},
};

static const Glyph UNKNOWN = {5, "M 0 0 L 0 10 L 5 10 L 5 0 L 0 0"};
static const float LETTER_SPACE = 2.3f;

// Position of a glyph, and of the pen in it.
typedef struct Pen {
    float x, y, scale;
    bool down;
    float at_x, at_y;
    FontStroke *stroke;
    void *context;
} Pen;

static void draw_to(Pen *pen, float x, float y)
{
    x = pen->x + x * pen->scale;
    y = pen->y + y * pen->scale;
    if (pen->down && (x != pen->at_x || y != pen->at_y))
        pen->stroke(pen->at_x, pen->at_y, x, y, pen->context);
    pen->down = true;
    pen->at_x = x;
    pen->at_y = y;
}

static void draw_arc(Pen *pen, const float number[6])
{
    float sweep = number[5] - number[4];
    int pieces = (int)ceilf(fabsf(sweep) / 15);
    for (int k = 0; k <= pieces; k++) {
        float angle = (number[4] + sweep * (float)k / (float)pieces) * (3.14159265f / 180);
        draw_to(pen, number[0] + number[2] * cosf(angle), number[1] + number[3] * sinf(angle));
    }
}

static void draw_glyph(const char *strokes, Pen pen)
{
    for (const char *at = strokes; *at;) {
        char command = *at++;
        if (command == ' ') continue;
        int wanted = command == 'A' ? 6 : command == 'U' ? 0 : 2;
        float number[6];
        for (int k = 0; k < wanted; k++) {
            char *end;
            number[k] = (float)c_strtod(at, &end);
            at = end;
        }
        if (command == 'M' || command == 'U') pen.down = false;
        if (command == 'A') draw_arc(&pen, number);
        if (command == 'M' || command == 'L') draw_to(&pen, number[0], number[1]);
    }
}

float font_write(const char *text, FontStroke *stroke, void *context)
{
    Pen pen = {.scale = 1, .stroke = stroke, .context = context};
    for (; *text; text++) {
        bool raised = *text == '^' && text[1];
        if (raised) text++;
        unsigned char code = (unsigned char)*text;
        const Glyph *glyph = code < 128 && GLYPHS[code].strokes ? &GLYPHS[code] : &UNKNOWN;
        pen.scale = raised ? 0.62f : 1;
        pen.y = raised ? 5.2f : 0;
        if (stroke) draw_glyph(glyph->strokes, pen);
        pen.x += (glyph->width + LETTER_SPACE) * pen.scale;
    }
    return fmaxf(pen.x - LETTER_SPACE * pen.scale, 0);
}
