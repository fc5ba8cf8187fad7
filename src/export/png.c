#include "export/export.h"

#include "core/memory.h"
#include "export/file_writer.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

// Level 1 with the left neighbor as filter: 30 ms of a 1280 x 720 frame, libpng's defaults take 85 for a
// seventh less.
#define PNG_LEVEL 1
#define PNG_BUFFER_BYTES ((size_t)1 << 18) // fewer, longer IDAT chunks

typedef struct PngSink {
    FileWriter file;
    char reason[120];
    size_t refused; // bytes that there was no memory for, 0: none
    jmp_buf failed;
} PngSink;

static void on_error(png_structp png, png_const_charp message)
{
    PngSink *sink = png_get_error_ptr(png);
    snprintf(sink->reason, sizeof sink->reason, "%s", message);
    longjmp(sink->failed, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

// The file remembers its own errors, so that libpng need not be unwound for a full disk.
static void on_write(png_structp png, png_bytep data, png_size_t bytes)
{
    PngSink *sink = png_get_io_ptr(png);
    file_writer_write(&sink->file, data, bytes);
}

static void on_flush(png_structp png)
{
    (void)png;
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t bytes)
{
    PngSink *sink = png_get_mem_ptr(png);
    void *block = memory_allocate(bytes);
    if (!block) sink->refused = bytes;
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    memory_free(block);
}

// This function has no variable of its own that changes after setjmp.
static bool encode(PngSink *sink, png_structp png, png_infop info, const uint8_t *pixels, uint32_t width,
                   uint32_t height, bool alpha)
{
    if (setjmp(sink->failed)) return false;
    png_set_write_fn(png, sink, on_write, on_flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, PNG_LEVEL);
    png_set_compression_buffer_size(png, PNG_BUFFER_BYTES);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(png, info, width, height, 8, alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * width * (alpha ? 4 : 3));
    png_write_end(png, info);
    return true;
}

static Result write_picture(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height,
                            bool alpha)
{
    PngSink sink = {.reason = ""};
    TRY(file_writer_open(path, &sink.file));
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &sink, on_error, on_warning, &sink,
                                                on_allocate, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool encoded = info && encode(&sink, png, info, pixels, width, height, alpha);
    png_destroy_write_struct(&png, &info);
    if (encoded) return file_writer_commit(&sink.file);
    file_writer_discard(&sink.file);
    if (sink.refused > 0) return result_no_memory("the file of a picture", sink.refused);
    return result_error(RESULT_FAILED, "%s: cannot encode the picture: %s", path, sink.reason);
}

Result export_png(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
    return write_picture(path, rgb, width, height, false);
}

Result export_png_rgba(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    return write_picture(path, rgba, width, height, true);
}

Result export_png_read(const char *path, uint32_t width, uint32_t height, uint8_t *rgb)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return result_error(RESULT_FAILED, "%s: cannot read the picture: %s", path, image.message);
    Result result = result_ok();
    image.format = PNG_FORMAT_RGB;
    if (image.width != width || image.height != height)
        result = result_error(RESULT_FAILED, "%s: the picture is %ux%u, not %ux%u", path, image.width,
                              image.height, width, height);
    else if (!png_image_finish_read(&image, NULL, rgb, (png_int_32)(3 * width), NULL))
        result = result_error(RESULT_FAILED, "%s: cannot read the picture: %s", path, image.message);
    png_image_free(&image);
    return result;
}
