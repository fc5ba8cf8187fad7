// Pixels of the caller as files: images and films.
#include "export/export.h"
#include "export/video.h"
#include "library/drawing.h"
#include "library/files.h"

#include <math.h>

#define PIXELS_MAX 16384u
#define FPS_MAX 1e6

struct pbf_film {
    pbf_context *context;
    Video *video; // NULL: finished
    uint32_t width, height;
    uint8_t *rgb;
};

static Result check_size(uint32_t width, uint32_t height)
{
    if (width >= 1 && height >= 1 && width <= PIXELS_MAX && height <= PIXELS_MAX) return result_ok();
    return result_error(RESULT_USAGE, "%u x %u pixels are out of range (1 to %u)", width, height, PIXELS_MAX);
}

static Result check_pixels(uint32_t width, uint32_t height, const void *rgba, size_t bytes, size_t *row_bytes)
{
    TRY(check_size(width, height));
    return rgba ? drawing_check_room(width, height, bytes, row_bytes) : missing("rgba");
}

// Leaves out the fourth byte of each pixel.
static void copy_in(const uint8_t *rgba, size_t row_bytes, uint32_t width, uint32_t height, uint8_t *rgb)
{
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *from = rgba + y * row_bytes;
        for (uint32_t x = 0; x < width; x++, from += 4, rgb += 3)
            rgb[0] = from[0], rgb[1] = from[1], rgb[2] = from[2];
    }
}

// --- images ---

static Result write_image(const char *path, uint32_t width, uint32_t height, const void *rgba, size_t bytes,
                          size_t row_bytes)
{
    TRY(files_check_path(path));
    TRY(check_pixels(width, height, rgba, bytes, &row_bytes));
    uint8_t *rgb = memory_allocate((size_t)width * height * 3);
    if (!rgb) return result_no_memory("an image", 3ull * width * height);
    copy_in(rgba, row_bytes, width, height, rgb);
    Result result = export_png(path, rgb, width, height);
    memory_free(rgb);
    return result;
}

pbf_result pbf_image_write(pbf_context *context, const char *path, uint32_t width, uint32_t height,
                           const void *rgba, size_t bytes, size_t row_bytes)
{
    RETURN_CALL(context, write_image(path, width, height, rgba, bytes, row_bytes));
}

// --- films ---

static void film_free(pbf_film *film)
{
    pbf_context *context = film->context;
    Host *before = call_begin(context);
    video_abandon(film->video);
    memory_free(film->rgb);
    memory_free(film);
    call_close(context, before);
}

static Result create(pbf_context *context, const char *path, uint32_t width, uint32_t height, double fps,
                     pbf_film **out)
{
    TRY(files_check_path(path));
    TRY(check_size(width, height));
    if (!(fps > 0 && fps <= FPS_MAX))
        return result_error(RESULT_USAGE, "fps: %g is out of range (above 0, up to %g)", fps, FPS_MAX);
    pbf_film *film = memory_allocate_zeroed(sizeof *film);
    if (!film) return result_no_memory("a film", sizeof *film);
    *film = (pbf_film){.context = context_hold(context), .width = width, .height = height};
    film->rgb = memory_allocate((size_t)width * height * 3);
    Result result = film->rgb ? video_open(path, width, height, fps, &film->video)
                              : result_no_memory("a film", 3ull * width * height);
    if (result_is_ok(&result))
        *out = film;
    else
        film_free(film);
    return result;
}

pbf_result pbf_film_create(pbf_context *context, const char *path, uint32_t width, uint32_t height,
                           double fps, pbf_film **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    RETURN_CALL(context, create(context, path, width, height, fps, out));
}

static Result add(pbf_film *film, const void *rgba, size_t bytes, size_t row_bytes)
{
    if (!film->video) return result_error(RESULT_USAGE, "the film is finished");
    TRY(check_pixels(film->width, film->height, rgba, bytes, &row_bytes));
    copy_in(rgba, row_bytes, film->width, film->height, film->rgb);
    return video_add(film->video, film->rgb);
}

pbf_result pbf_film_add(pbf_film *film, const void *rgba, size_t bytes, size_t row_bytes)
{
    if (!film) return call_refused(NULL, missing("film"));
    RETURN_CALL(film->context, add(film, rgba, bytes, row_bytes));
}

static Result finish(pbf_film *film)
{
    if (!film->video) return result_error(RESULT_USAGE, "the film is finished already");
    Result result = video_close(film->video);
    film->video = NULL;
    return result;
}

pbf_result pbf_film_finish(pbf_film *film)
{
    if (!film) return call_refused(NULL, missing("film"));
    RETURN_CALL(film->context, finish(film));
}

void pbf_film_destroy(pbf_film *film)
{
    if (film) film_free(film);
}
