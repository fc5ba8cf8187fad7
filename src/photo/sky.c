#include "photo/sky.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/number.h"

#include <string.h>

static Vec3 direction_of(float u, float v) // of a place in the picture, 0..1
{
    float polar = v * PHOTO_PI, around = (u - 0.5f) * 2 * PHOTO_PI;
    return vec3_make(sinf(polar) * cosf(around), sinf(polar) * sinf(around), cosf(polar));
}

static void place_of(Vec3 direction, float *u, float *v)
{
    *u = number_turn(direction.y, direction.x) * (0.5f / PHOTO_PI) + 0.5f;
    *v = number_arccos(number_clamped(direction.z, -1, 1)) * (1 / PHOTO_PI);
}

// --- making ---

static Result allocate(uint32_t width, uint32_t height, Sky *sky)
{
    size_t pixels = (size_t)width * height;
    *sky = (Sky){.width = width, .height = height};
    sky->light = memory_allocate(pixels * sizeof(Vec3));
    sky->row = memory_allocate((height + 1) * sizeof(float));
    sky->column = memory_allocate((pixels + height) * sizeof(float));
    sky->row_guide = memory_allocate((SKY_GUIDE + 1) * sizeof(uint16_t));
    sky->column_guide = memory_allocate((size_t)height * (SKY_GUIDE + 1) * sizeof(uint16_t));
    if (sky->light && sky->row && sky->column && sky->row_guide && sky->column_guide) return result_ok();
    sky_free(sky);
    return result_no_memory("the sky", pixels * 2 * sizeof(Vec3));
}

void sky_free(Sky *sky)
{
    memory_free(sky->light);
    memory_free(sky->row);
    memory_free(sky->column);
    memory_free(sky->row_guide);
    memory_free(sky->column_guide);
    *sky = (Sky){0};
}

// Running sums of weights as shares of their total, which is returned.
static double accumulate(const double *weight, uint32_t count, float *share)
{
    double total = 0, sum = 0;
    for (uint32_t k = 0; k < count; k++) total += weight[k];
    share[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += weight[k];
        share[k + 1] = total > 0 ? (float)(sum / total) : (float)(k + 1) / (float)count;
    }
    share[count] = 1;
    return total;
}

// For each of SKY_GUIDE shares the interval of running shares that it lies in.
static void guide_through(const float *share, uint32_t count, uint16_t *guide)
{
    for (uint32_t g = 0, k = 0; g <= SKY_GUIDE; g++) {
        while (k + 1 < count && share[k + 1] <= (float)g / SKY_GUIDE) k++;
        guide[g] = (uint16_t)k;
    }
}

static Result weigh(Sky *sky)
{
    uint32_t width = sky->width, height = sky->height;
    double *row = memory_allocate((width + height) * sizeof *row), *pixel = row + height;
    if (!row) return result_no_memory("the sky", (width + height) * sizeof *row);
    double mean[3] = {0, 0, 0}, solid = 0;
    for (uint32_t j = 0; j < height; j++) {
        double area = sin((j + 0.5) / height * 3.14159265358979);
        for (uint32_t i = 0; i < width; i++) {
            Vec3 light = sky->light[(size_t)j * width + i];
            pixel[i] = (double)fmaxf(color_luminance(light), 0);
            mean[0] += area * (double)light.x;
            mean[1] += area * (double)light.y;
            mean[2] += area * (double)light.z;
            solid += area;
        }
        float *column = sky->column + (size_t)j * (width + 1);
        row[j] = area * accumulate(pixel, width, column);
        guide_through(column, width, sky->column_guide + (size_t)j * (SKY_GUIDE + 1));
    }
    accumulate(row, height, sky->row);
    guide_through(sky->row, height, sky->row_guide);
    sky->mean = vec3_make((float)(mean[0] / solid), (float)(mean[1] / solid), (float)(mean[2] / solid));
    memory_free(row);
    return result_ok();
}

typedef struct Painting {
    Sky *sky;
    SkyLight *light;
    const void *context;
} Painting;

static void paint_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Painting *painting = context;
    const Sky *sky = painting->sky;
    (void)worker;
    for (uint32_t j = begin; j < end; j++) {
        for (uint32_t i = 0; i < sky->width; i++) {
            Vec3 direction =
                direction_of(((float)i + 0.5f) / (float)sky->width, ((float)j + 0.5f) / (float)sky->height);
            sky->light[(size_t)j * sky->width + i] = painting->light(direction, painting->context);
        }
    }
}

static Result finish(Sky *sky)
{
    Result result = weigh(sky);
    if (!result_is_ok(&result)) sky_free(sky);
    return result;
}

Result sky_make(uint32_t width, uint32_t height, SkyLight *light, const void *context, Sky *out)
{
    TRY(allocate(width, height, out));
    parallel_for(height, 8, paint_rows, &(Painting){out, light, context});
    return finish(out);
}

Result sky_of_picture(const Vec3 *picture, uint32_t width, uint32_t height, float turn, float strength,
                      Sky *out)
{
    TRY(allocate(width, height, out));
    uint32_t shift =
        (uint32_t)lroundf((float)width * (turn / (2 * PHOTO_PI) - floorf(turn / (2 * PHOTO_PI))));
    for (uint32_t j = 0; j < height; j++) {
        for (uint32_t i = 0; i < width; i++)
            out->light[(size_t)j * width + (i + shift) % width] =
                vec3_scale(picture[(size_t)j * width + i], strength);
    }
    return finish(out);
}

// --- looking and drawing ---

static Vec3 light_at(const Sky *sky, float u, float v)
{
    float x = u * (float)sky->width - 0.5f, y = v * (float)sky->height - 0.5f;
    int i = number_floor(x), j = number_floor(y);
    int width = (int)sky->width, last = (int)sky->height - 1;
    int i0 = i < 0 ? width - 1 : i, i1 = i + 1 < width ? i + 1 : 0;
    const Vec3 *above = sky->light + (size_t)(j < 0 ? 0 : j) * sky->width;
    const Vec3 *below = sky->light + (size_t)(j + 1 > last ? last : j + 1) * sky->width;
    float right = x - (float)i;
    return color_mix(color_mix(above[i0], above[i1], right), color_mix(below[i0], below[i1], right),
                     y - (float)j);
}

Vec3 sky_light(const Sky *sky, Vec3 direction)
{
    float u, v;
    place_of(direction, &u, &v);
    return light_at(sky, u, v);
}

// The interval of running shares that u lies in; *u becomes the place within, 0..1.
static uint32_t find(const float *share, const uint16_t *guide, float *u)
{
    uint32_t g = (uint32_t)(*u * SKY_GUIDE);
    if (g >= SKY_GUIDE) g = SKY_GUIDE - 1; // u = 1
    uint32_t lo = guide[g], hi = guide[g + 1] + 1u;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (share[middle] <= *u)
            lo = middle;
        else
            hi = middle;
    }
    float span = share[lo + 1] - share[lo];
    *u = span > 0 ? number_min((*u - share[lo]) / span, 1) : 0.5f;
    return lo;
}

static float density_of(const Sky *sky, uint32_t i, uint32_t j, float sine)
{
    const float *column = sky->column + (size_t)j * (sky->width + 1);
    float share = (sky->row[j + 1] - sky->row[j]) * (column[i + 1] - column[i]);
    float area = 2 * PHOTO_PI * PHOTO_PI * number_max(sine, 1e-4f); // of the whole picture, seen at this row
    return share * (float)sky->width * (float)sky->height / area;
}

Vec3 sky_draw(const Sky *sky, float u, float v, Vec3 *light, float *density)
{
    uint32_t j = find(sky->row, sky->row_guide, &v);
    uint32_t i =
        find(sky->column + (size_t)j * (sky->width + 1), sky->column_guide + (size_t)j * (SKY_GUIDE + 1), &u);
    u = ((float)i + u) / (float)sky->width;
    v = ((float)j + v) / (float)sky->height;
    Vec3 direction = direction_of(u, v);
    float sine = sqrtf(number_max(1 - direction.z * direction.z, 0));
    *density = density_of(sky, i, j, sine);
    *light = light_at(sky, u, v);
    return direction;
}

float sky_density(const Sky *sky, Vec3 direction, Vec3 *light)
{
    float u, v;
    place_of(direction, &u, &v);
    *light = light_at(sky, u, v);
    uint32_t i = (uint32_t)(u * (float)sky->width), j = (uint32_t)(v * (float)sky->height);
    if (i >= sky->width) i = sky->width - 1;
    if (j >= sky->height) j = sky->height - 1;
    return density_of(sky, i, j, sqrtf(number_max(1 - direction.z * direction.z, 0)));
}
