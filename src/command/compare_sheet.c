#include "command/compare.h"

#include "command/library_call.h"
#include "core/memory.h"
#include "export/frame_folder.h"

struct CompareSheet {
    const Options *options;
    pbf_sheet *sheet;
    pbf_film *film;         // NULL: none
    uint32_t width, height; // pixels
    uint8_t *pixels;        // four bytes each
    size_t bytes;
    uint32_t count; // frames so far
};

static Result open_all(CompareSheet *sheet, pbf_scene *const scenes[2], const SideName names[2], double fps)
{
    const Options *options = sheet->options;
    TRY(library_result(options, pbf_sheet_create(scenes[0], scenes[1], names[0].text, names[1].text,
                                                 options->show_cells, &sheet->sheet)));
    TRY(library_result(options, pbf_sheet_size(sheet->sheet, &sheet->width, &sheet->height)));
    sheet->bytes = (size_t)sheet->width * sheet->height * 4;
    sheet->pixels = memory_allocate(sheet->bytes);
    if (!sheet->pixels) return result_no_memory("a picture", sheet->bytes);
    if (!options->video) return result_ok();
    return library_result(
        options, pbf_film_create(NULL, options->video, sheet->width, sheet->height, fps, &sheet->film));
}

static void release(CompareSheet *sheet)
{
    pbf_film_destroy(sheet->film);
    pbf_sheet_destroy(sheet->sheet);
    memory_free(sheet->pixels);
    memory_free(sheet);
}

Result compare_sheet_open(const Options *options, pbf_scene *const scenes[2], const SideName names[2],
                          double fps, CompareSheet **out)
{
    CompareSheet *sheet = memory_allocate_zeroed(sizeof *sheet);
    if (!sheet) return result_no_memory("the sheets", sizeof *sheet);
    sheet->options = options;
    Result result = open_all(sheet, scenes, names, fps);
    if (result_is_ok(&result))
        *out = sheet;
    else
        release(sheet);
    return result;
}

Result compare_sheet_add(CompareSheet *sheet, uint32_t frame, const pbf_pair *pair)
{
    const Options *options = sheet->options;
    char path[PATH_MAX];
    TRY(library_result(options, pbf_sheet_draw(sheet->sheet, pair, sheet->pixels, sheet->bytes, 0)));
    if (options->out) {
        frame_folder_picture(options->out, frame, path);
        TRY(library_result(options, pbf_image_write(NULL, path, sheet->width, sheet->height, sheet->pixels,
                                                    sheet->bytes, 0)));
    }
    if (sheet->film) TRY(library_result(options, pbf_film_add(sheet->film, sheet->pixels, sheet->bytes, 0)));
    sheet->count++;
    return result_ok();
}

Result compare_sheet_close(CompareSheet *sheet)
{
    if (!sheet) return result_ok();
    Result result = result_ok();
    if (sheet->film && sheet->count > 0)
        result = library_result(sheet->options, pbf_film_finish(sheet->film));
    release(sheet);
    return result;
}
