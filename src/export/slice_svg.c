#include "export/file_writer.h"
#include "export/slice_file.h"

#include <math.h>

enum { WIDTH = 960, MARGIN = 24, TITLE = 34, LEGEND = 110, FOOT = 44 }; // px
#define HEIGHT_MAX 4000.0

// From grid cells to px.
typedef struct Page {
    double scale, height; // px a cell, of the drawing
} Page;

static Page make_page(const Slice *slice)
{
    Page page;
    page.scale = (WIDTH - 2 * MARGIN - LEGEND) / (slice->columns - 1.0);
    if (page.scale * (slice->rows - 1.0) > HEIGHT_MAX) page.scale = HEIGHT_MAX / (slice->rows - 1.0);
    page.height = page.scale * (slice->rows - 1.0);
    return page;
}

static void put_lines(FileWriter *file, const Page *page, const Isolines *lines)
{
    for (uint32_t k = 0; k < lines->count; k++) {
        bool closed = isoline_is_closed(lines, k);
        uint32_t begin = lines->first[k], end = lines->first[k + 1] - closed;
        for (uint32_t i = begin; i < end; i++) {
            double x = MARGIN + page->scale * (double)lines->point[i][0];
            double y = TITLE + page->height - page->scale * (double)lines->point[i][1];
            file_writer_print(file, "%c%.2f %.2f", i == begin ? 'M' : 'L', x, y);
        }
        if (closed) file_writer_print(file, "Z");
        file_writer_print(file, "\n");
    }
}

static void put_legend(FileWriter *file, const SliceDrawing *drawing)
{
    double x = WIDTH - LEGEND, y = TITLE + 10;
    for (uint32_t k = drawing->contour_count; k-- > 0; y += 18) {
        const SliceContour *contour = &drawing->contours[k];
        file_writer_print(file,
                          "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke=\"#%02x%02x%02x\""
                          " stroke-width=\"3\"/><text x=\"%.0f\" y=\"%.0f\">%.4g</text>\n",
                          x, y, x + 26, y, contour->rgb[0], contour->rgb[1], contour->rgb[2], x + 34, y + 4,
                          (double)contour->level);
    }
}

// A bar about a fifth of the page long.
static void put_bar(FileWriter *file, const Slice *slice, const Page *page)
{
    double pixels = page->scale / (double)slice->cell, wanted = 0.2 * WIDTH / pixels;
    double meters = pow(10.0, floor(log10(wanted)));
    if (meters * 5.0 <= wanted)
        meters *= 5.0;
    else if (meters * 2.0 <= wanted)
        meters *= 2.0;
    double y = TITLE + page->height + 20;
    file_writer_print(file,
                      "<path d=\"M%d %.1fv6h%.2fv-6\" fill=\"none\" stroke=\"#333\"/>"
                      "<text x=\"%.1f\" y=\"%.1f\">%g m</text>\n",
                      MARGIN, y, meters * pixels, MARGIN + meters * pixels + 8, y + 7, meters);
}

Result export_slice_svg(const char *path, const SliceDrawing *drawing)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    Page page = make_page(drawing->slice);
    file_writer_print(&file,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\""
                      "sans-serif\" font-size=\"12\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
                      "fill=\"#fff\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n",
                      WIDTH, TITLE + page.height + FOOT, MARGIN, drawing->title);
    file_writer_print(&file,
                      "<path id=\"water\" fill=\"#e4eef8\" fill-rule=\"evenodd\" stroke=\"none\" d=\"\n");
    put_lines(&file, &page, &drawing->border);
    file_writer_print(&file, "\"/>\n");
    for (uint32_t k = 0; k < drawing->contour_count; k++) {
        const SliceContour *contour = &drawing->contours[k];
        file_writer_print(&file, "<path fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-width=\"1.4\" d=\"\n",
                          contour->rgb[0], contour->rgb[1], contour->rgb[2]);
        put_lines(&file, &page, &contour->lines);
        file_writer_print(&file, "\"/>\n");
    }
    file_writer_print(&file,
                      "<path id=\"border\" fill=\"none\" stroke=\"#14213d\" stroke-width=\"1.6\" d=\"\n");
    put_lines(&file, &page, &drawing->border);
    file_writer_print(&file, "\"/>\n");
    put_legend(&file, drawing);
    put_bar(&file, drawing->slice, &page);
    file_writer_print(&file, "</svg>\n");
    return file_writer_commit(&file);
}
