#include "photo/radiance.h"

#include "core/memory.h"
#include "core/regular_file.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH_MAX = 16384, HEIGHT_MAX = 8192 };

static Result wrong(const char *path, const char *what)
{
    return result_error(RESULT_USAGE, "%s: %s", path, what);
}

static Result read_header(FILE *file, const char *path, RadiancePicture *out)
{
    char line[512];
    bool rgbe = false;
    if (!fgets(line, sizeof line, file) || strncmp(line, "#?", 2) != 0)
        return wrong(path, "is not a Radiance picture (.hdr, which begins with #?RADIANCE)");
    while (fgets(line, sizeof line, file) && line[0] != '\n') {
        if (strncmp(line, "FORMAT=", 7) == 0) rgbe = strncmp(line + 7, "32-bit_rle_rgbe", 15) == 0;
    }
    if (!rgbe) return wrong(path, "holds no 32-bit_rle_rgbe picture");
    if (!fgets(line, sizeof line, file) || sscanf(line, "-Y %u +X %u", &out->height, &out->width) != 2)
        return wrong(path, "is not in the usual order of rows (-Y HEIGHT +X WIDTH)");
    if (out->width < 1 || out->height < 1 || out->width > WIDTH_MAX || out->height > HEIGHT_MAX)
        return wrong(path, "is too large or empty (1x1 to 16384x8192)");
    return result_ok();
}

// One component of a row, in runs: a count above 128 repeats the next byte, others are that many bytes.
static bool read_runs(FILE *file, uint8_t *row, uint32_t width, int component)
{
    for (uint32_t x = 0; x < width;) {
        int count = fgetc(file), value = 0;
        bool run = count > 128;
        if (run) count -= 128;
        if (count <= 0 || x + (uint32_t)count > width) return false;
        if (run && (value = fgetc(file)) == EOF) return false;
        for (int k = 0; k < count; k++, x++) {
            if (!run && (value = fgetc(file)) == EOF) return false;
            row[4 * x + (uint32_t)component] = (uint8_t)value;
        }
    }
    return true;
}

static bool read_row(FILE *file, uint8_t *row, uint32_t width)
{
    uint8_t head[4];
    if (fread(head, 1, 4, file) != 4) return false;
    bool packed = head[0] == 2 && head[1] == 2 && ((uint32_t)head[2] << 8 | head[3]) == width;
    if (!packed) {
        memcpy(row, head, 4);
        return fread(row + 4, 4, width - 1, file) == width - 1;
    }
    for (int component = 0; component < 4; component++) {
        if (!read_runs(file, row, width, component)) return false;
    }
    return true;
}

static Vec3 light_of(const uint8_t *rgbe)
{
    if (rgbe[3] == 0) return vec3_make(0, 0, 0);
    float scale = ldexpf(1, (int)rgbe[3] - 136);
    return vec3_make((float)rgbe[0] * scale, (float)rgbe[1] * scale, (float)rgbe[2] * scale);
}

static Result read_rows(FILE *file, const char *path, RadiancePicture *out)
{
    size_t bytes = (size_t)out->width * out->height * sizeof *out->light;
    out->light = memory_allocate(bytes);
    uint8_t *row = memory_allocate((size_t)out->width * 4);
    Result result = out->light && row ? result_ok() : result_no_memory("the sky's picture", bytes);
    for (uint32_t y = 0; y < out->height && result_is_ok(&result); y++) {
        if (!read_row(file, row, out->width)) result = wrong(path, "ends early or is damaged");
        for (uint32_t x = 0; x < out->width && result_is_ok(&result); x++)
            out->light[(size_t)y * out->width + x] = light_of(row + 4 * (size_t)x);
    }
    memory_free(row);
    return result;
}

static Result open_picture(const char *path, FILE **file, RadiancePicture *out)
{
    *out = (RadiancePicture){0};
    TRY(regular_file_open_stream(path, path, file));
    Result result = read_header(*file, path, out);
    if (!result_is_ok(&result)) fclose(*file);
    return result;
}

Result radiance_check(const char *path)
{
    RadiancePicture picture;
    FILE *file;
    TRY(open_picture(path, &file, &picture));
    fclose(file);
    return result_ok();
}

Result radiance_read(const char *path, RadiancePicture *out)
{
    FILE *file;
    TRY(open_picture(path, &file, out));
    Result result = read_rows(file, path, out);
    fclose(file);
    if (result_is_ok(&result)) return result;
    memory_free(out->light);
    out->light = NULL;
    return result;
}
