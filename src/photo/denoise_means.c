#include "photo/denoise_means.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "photo/number.h"
#include "photo/stop.h"

#include <string.h>

// Sizes in px: pixels are looked for up to REACH away, and compared by the squares of 2 PATCH + 1 around
// them.
enum {
    TILE = 64,
    REACH = 6,
    PATCH = 1,
    BORDER = REACH + PATCH,
    SIDE = TILE + 2 * BORDER, // of a tile with what is around it
    AREA = SIDE * SIDE
};

// The film's numbers, one kind after the other, so that rows of pixels are handled at once.
enum { RED, GREEN, BLUE, VARIANCE, ALBEDO, NORMAL = ALBEDO + 3, PLANES = NORMAL + 3 };

typedef struct Work {
    float plane[PLANES][AREA];
    float apart[AREA], across[AREA]; // distances of pixels, and their sums along rows
    float sum[3][TILE * TILE], weight[TILE * TILE];
} Work;

typedef struct Filter {
    const FilmMeans *means;
    uint32_t width, height, tiles_x;
    float unseen; // square of a difference
    Vec3 *out;
    Work *work; // of each worker
    const atomic_bool *stop;
} Filter;

// Pixels whose surroundings are further apart than this are not averaged, by about: in standard errors, in
// albedo, in length of the normal.
#define ERRORS 0.8f
#define ALBEDO_APART 0.1f
#define NORMAL_APART 0.2f

// What is not seen, of white.
#define UNSEEN 1e-3f

static void load_pixel(const FilmMeans *means, size_t from, Work *work, int to)
{
    const Vec3 triples[3] = {means->light[from], means->albedo[from], means->normal[from]};
    static const int first[3] = {RED, ALBEDO, NORMAL};
    for (int k = 0; k < 3; k++) {
        work->plane[first[k]][to] = triples[k].x;
        work->plane[first[k] + 1][to] = triples[k].y;
        work->plane[first[k] + 2][to] = triples[k].z;
    }
    work->plane[VARIANCE][to] = means->variance[from];
}

static int inside(int x, uint32_t size)
{
    return x < 0 ? 0 : x < (int)size ? x : (int)size - 1;
}

// Beyond the picture its edge goes on.
static void load_tile(const Filter *filter, int x0, int y0, Work *work)
{
    for (int y = 0; y < SIDE; y++) {
        size_t row = (size_t)inside(y0 + y - BORDER, filter->height) * filter->width;
        for (int x = 0; x < SIDE; x++)
            load_pixel(filter->means, row + (size_t)inside(x0 + x - BORDER, filter->width), work,
                       y * SIDE + x);
    }
}

// One pixel's variance is too uncertain: the mean of 3 x 3.
static void steady_variance(Work *work)
{
    float *out = work->apart;
    const float *from = work->plane[VARIANCE];
    memcpy(out, from, sizeof work->apart);
    for (int y = 1; y < SIDE - 1; y++) {
        for (int x = 1; x < SIDE - 1; x++) {
            const float *at = from + y * SIDE + x;
            float side = at[-1] + at[1] + at[-SIDE] + at[SIDE];
            float corner = at[-SIDE - 1] + at[-SIDE + 1] + at[SIDE - 1] + at[SIDE + 1];
            out[y * SIDE + x] = 0.25f * at[0] + 0.125f * side + 0.0625f * corner;
        }
    }
    memcpy(work->plane[VARIANCE], out, sizeof work->apart);
}

// Squares of differences to the pixels `shift` further, less what noise alone makes, in variances.
static void find_apart(Work *work, int shift, float unseen)
{
    for (int y = REACH; y < SIDE - REACH; y++) {
        int row = y * SIDE;
        for (int x = REACH; x < SIDE - REACH; x++) {
            int p = row + x, q = p + shift;
            float square = 0;
            for (int c = RED; c <= BLUE; c++) {
                float d = work->plane[c][p] - work->plane[c][q];
                square += d * d;
            }
            float own = work->plane[VARIANCE][p], other = work->plane[VARIANCE][q];
            float noise = own + number_min(own, other);
            work->apart[p] = (square * (1.0f / 3) - noise) / (unseen + ERRORS * ERRORS * (own + other));
        }
    }
}

static void sum_rows(Work *work)
{
    for (int y = REACH; y < SIDE - REACH; y++) {
        for (int x = BORDER; x < SIDE - BORDER; x++) {
            const float *at = work->apart + y * SIDE + x;
            float sum = 0;
            for (int k = -PATCH; k <= PATCH; k++) sum += at[k];
            work->across[y * SIDE + x] = sum;
        }
    }
}

static float guides_apart(const Work *work, int p, int q)
{
    float albedo = 0, normal = 0;
    for (int c = 0; c < 3; c++) {
        float a = work->plane[ALBEDO + c][p] - work->plane[ALBEDO + c][q];
        float n = work->plane[NORMAL + c][p] - work->plane[NORMAL + c][q];
        albedo += a * a;
        normal += n * n;
    }
    return albedo / (ALBEDO_APART * ALBEDO_APART) + normal / (NORMAL_APART * NORMAL_APART);
}

static void add_shifted(Work *work, int shift)
{
    const float share = 1.0f / ((2 * PATCH + 1) * (2 * PATCH + 1));
    for (int y = 0; y < TILE; y++) {
        for (int x = 0; x < TILE; x++) {
            int p = (y + BORDER) * SIDE + x + BORDER, q = p + shift, k = y * TILE + x;
            float sum = 0;
            for (int j = -PATCH; j <= PATCH; j++) sum += work->across[p + j * SIDE];
            float apart = number_max(sum * share, 0) + guides_apart(work, p, q);
            float weight = number_max(1 - 0.125f * apart, 0); // to the eighth: about e^-apart
            weight *= weight, weight *= weight, weight *= weight;
            for (int c = 0; c < 3; c++) work->sum[c][k] += weight * work->plane[RED + c][q];
            work->weight[k] += weight;
        }
    }
}

static void filter_tile(const Filter *filter, int x0, int y0, Work *work)
{
    load_tile(filter, x0, y0, work);
    steady_variance(work);
    memset(work->sum, 0, sizeof work->sum);
    memset(work->weight, 0, sizeof work->weight);
    for (int j = -REACH; j <= REACH; j++) {
        for (int i = -REACH; i <= REACH; i++) {
            int shift = j * SIDE + i;
            find_apart(work, shift, filter->unseen);
            sum_rows(work);
            add_shifted(work, shift);
        }
    }
    for (int y = 0; y < TILE && y0 + y < (int)filter->height; y++) {
        for (int x = 0; x < TILE && x0 + x < (int)filter->width; x++) {
            int k = y * TILE + x;
            float over = 1 / work->weight[k];
            filter->out[(size_t)(y0 + y) * filter->width + (size_t)(x0 + x)] =
                vec3_make(over * work->sum[0][k], over * work->sum[1][k], over * work->sum[2][k]);
        }
    }
}

static void filter_tiles(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Filter *filter = context;
    if (is_stopped(filter->stop)) return;
    for (uint32_t tile = begin; tile < end; tile++)
        filter_tile(filter, (int)(tile % filter->tiles_x * TILE), (int)(tile / filter->tiles_x * TILE),
                    &filter->work[worker]);
}

Result denoise_means(const FilmMeans *means, uint32_t width, uint32_t height, float white,
                     const atomic_bool *stop)
{
    uint32_t tiles_x = groups_of(width, TILE), tiles_y = groups_of(height, TILE);
    size_t bytes = (size_t)width * height * sizeof(Vec3), work_bytes = parallel_workers() * sizeof(Work);
    Filter filter = {.means = means,
                     .width = width,
                     .height = height,
                     .tiles_x = tiles_x,
                     .unseen = UNSEEN * UNSEEN * white * white,
                     .out = memory_allocate(bytes),
                     .work = memory_allocate(work_bytes),
                     .stop = stop};
    bool room = filter.out && filter.work;
    if (room) {
        parallel_for(tiles_x * tiles_y, 1, filter_tiles, &filter);
        memcpy(means->light, filter.out, bytes);
    }
    memory_free(filter.out);
    memory_free(filter.work);
    return room ? stop_check(stop) : result_no_memory("the denoiser", bytes + work_bytes);
}
