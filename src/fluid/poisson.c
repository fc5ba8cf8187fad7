#include "fluid/poisson.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/exact_sum.h"
#include "fluid/grid_share.h"

#include <string.h>

// Cells of a block of rows, whatever the number of threads.
#define BLOCK_CELLS 4096u

// Cells along an edge of the bricks by which products are summed up.
#define BRICK GRID_SHARE_BRICK

// The coarsest level is solved by this many sweeps there and back.
#define COARSEST_SWEEPS 8

// --- memory ---

static size_t padded(size_t cells)
{
    return round_up(cells, 16); // whole cache lines
}

static void shape_level(PoissonLevel *level, const uint32_t n[3])
{
    memcpy(level->n, n, sizeof level->n);
    level->stride[0] = 1;
    level->stride[1] = (size_t)n[0] + 2;
    level->stride[2] = level->stride[1] * ((size_t)n[1] + 2);
    level->cells = level->stride[2] * ((size_t)n[2] + 2);
    for (int a = 0; a < 3; a++) level->lo[a] = 1, level->count[a] = n[a];
}

static uint32_t shape_levels(PoissonLevel *level, const uint32_t n[3])
{
    uint32_t m[3] = {n[0], n[1], n[2]}, levels = 0;
    for (;;) {
        shape_level(&level[levels++], m);
        if (levels == POISSON_LEVELS || (m[0] <= 2 && m[1] <= 2 && m[2] <= 2)) return levels;
        for (int axis = 0; axis < 3; axis++) m[axis] = (m[axis] + 1) / 2;
    }
}

static float *take(float **memory, size_t cells)
{
    float *block = *memory;
    *memory += padded(cells);
    return block;
}

static uint32_t row_grain(const PoissonLevel *level)
{
    return BLOCK_CELLS / (level->count[0] + 1) + 1;
}

void poisson_set_box(PoissonLevel *level, const uint32_t lo[3], const uint32_t hi[3])
{
    for (int a = 0; a < 3; a++) {
        uint32_t end = hi[a] < level->n[a] + 1 ? hi[a] : level->n[a] + 1;
        level->lo[a] = lo[a] > 1 ? lo[a] : 1;
        level->count[a] = end > level->lo[a] ? end - level->lo[a] : 0;
    }
}

static void set_whole(PoissonLevel *level)
{
    for (int a = 0; a < 3; a++) level->lo[a] = 1, level->count[a] = level->n[a];
}

// The cells of this process on a level that is divided, or is about to be gathered.
static void set_own(Poisson *poisson, uint32_t k)
{
    CellBox own = grid_share_box(poisson->share, poisson->share->links->rank, k);
    poisson_set_box(&poisson->level[k], own.lo, own.hi);
}

static bool is_divided(const Poisson *poisson, uint32_t k)
{
    return poisson->share && k < poisson->share->levels;
}

// Cells around the others are never written.
static void clear_streams(Poisson *poisson, float *first, size_t streams, uint32_t k)
{
    const PoissonLevel *level = &poisson->level[k];
    if (!is_divided(poisson, k)) {
        memset(first, 0, streams * padded(level->cells) * sizeof *first);
        return;
    }
    for (size_t s = 0; s < streams; s++)
        cell_box_clear(level, grid_share_box(poisson->share, poisson->share->links->rank, k),
                       GRID_SHARE_REACH, first + s * padded(level->cells), sizeof *first);
}

Result poisson_reserve(Poisson *poisson, const uint32_t n[3], GridShare *share)
{
    enum { STREAMS = 9, FINEST = 4 };
    PoissonLevel level[POISSON_LEVELS] = {0};
    uint32_t levels = shape_levels(level, n);
    size_t floats = FINEST * padded(level[0].cells);
    for (uint32_t k = 0; k < levels; k++) floats += STREAMS * padded(level[k].cells);
    TRY(MEMORY_RESERVE(poisson->memory, poisson->capacity, 0, floats, "pressure grid"));
    if (poisson->levels == levels && memcmp(poisson->level[0].n, n, sizeof level[0].n) == 0 &&
        poisson->phi == poisson->memory && poisson->share == share)
        return result_ok();
    float *memory = poisson->memory;
    poisson->phi = take(&memory, level[0].cells);
    poisson->residual = take(&memory, level[0].cells);
    poisson->direction = take(&memory, level[0].cells);
    poisson->image = take(&memory, level[0].cells);
    for (uint32_t k = 0; k < levels; k++) {
        float **stream[STREAMS] = {&level[k].face[0], &level[k].face[1], &level[k].face[2],
                                   &level[k].air,     &level[k].sum,     &level[k].inverse,
                                   &level[k].x,       &level[k].b,       &level[k].r};
        for (uint32_t s = 0; s < STREAMS; s++) *stream[s] = take(&memory, level[k].cells);
    }
    memcpy(poisson->level, level, sizeof level);
    poisson->levels = levels;
    poisson->share = share;
    clear_streams(poisson, poisson->phi, FINEST, 0);
    for (uint32_t k = 0; k < levels; k++) {
        clear_streams(poisson, level[k].face[0], STREAMS, k);
        if (is_divided(poisson, k)) set_own(poisson, k);
    }
    return result_ok();
}

void poisson_free(Poisson *poisson)
{
    memory_free(poisson->memory);
    *poisson = (Poisson){0};
}

void poisson_for_rows(const PoissonLevel *level, PoissonRows *body, void *context)
{
    if (level->count[0] == 0) return;
    parallel_for(level->count[1] * level->count[2], row_grain(level), body, context);
}

// --- sums ---

typedef struct Job {
    Poisson *poisson;
    ExactSum *sum;
    PoissonLevel *level, *coarse;
    const float *a, *b;
    float *out;
    float factor;
    uint32_t color;
} Job;

// The sum of the products of a brick's cells. Bricks lie at multiples of their edge, so that those of a
// process are never cut.
static double sum_brick(const Job *job, const uint32_t at[3])
{
    const PoissonLevel *level = job->level;
    double lane[BRICK] = {0};
    uint32_t end[3];
    for (int a = 0; a < 3; a++) {
        uint32_t last = level->lo[a] + level->count[a];
        end[a] = at[a] + BRICK < last ? at[a] + BRICK : last;
    }
    for (uint32_t z = at[2]; z < end[2]; z++)
        for (uint32_t y = at[1]; y < end[1]; y++) {
            size_t k = at[0] + y * level->stride[1] + z * level->stride[2];
            for (uint32_t x = 0; x < end[0] - at[0]; x++)
                lane[x] += (double)job->a[k + x] * (double)job->b[k + x];
        }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void sum_products(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *level = job->level;
    uint32_t across = groups_of(level->count[1], BRICK);
    ExactSum sum = {0};
    for (uint32_t row = begin; row < end; row++)
        for (uint32_t x = 0; x < level->count[0]; x += BRICK) {
            const uint32_t at[3] = {level->lo[0] + x, level->lo[1] + row % across * BRICK,
                                    level->lo[2] + row / across * BRICK};
            exact_sum_add(&sum, sum_brick(job, at));
        }
    exact_sum_join(job->sum, &sum);
}

static double dot(Poisson *poisson, const float *a, const float *b)
{
    PoissonLevel *level = &poisson->level[0];
    ExactSum sum = {0};
    Job job = {.level = level, .a = a, .b = b, .sum = &sum};
    uint32_t rows = groups_of(level->count[1], BRICK) * groups_of(level->count[2], BRICK);
    uint32_t grain = BLOCK_CELLS / BRICK / BRICK / (level->count[0] + 1) + 1;
    if (level->count[0] > 0) parallel_for(rows, grain, sum_products, &job);
    if (poisson->share) poisson->share->links->sum(poisson->share->links->self, sum.limb, EXACT_SUM_LIMBS);
    return exact_sum_total(&sum);
}

// out = a + factor * b; out may be one of them.
static void add_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(job->level, row);
        for (size_t k = first; k < first + job->level->count[0]; k++)
            job->out[k] = job->a[k] + job->factor * job->b[k];
    }
}

static void add_scaled(Poisson *poisson, float *out, const float *a, double factor, const float *b)
{
    Job job = {.level = &poisson->level[0], .a = a, .b = b, .factor = (float)factor, .out = out};
    poisson_for_rows(job.level, add_rows, &job);
}

// --- the equation ---

// What the cells beside k add to its equation.
static inline float beside(const PoissonLevel *level, const float *x, size_t k)
{
    size_t sy = level->stride[1], sz = level->stride[2];
    return level->face[0][k] * x[k - 1] + level->face[0][k + 1] * x[k + 1] + level->face[1][k] * x[k - sy] +
           level->face[1][k + sy] * x[k + sy] + level->face[2][k] * x[k - sz] +
           level->face[2][k + sz] * x[k + sz];
}

static inline float sum_of_coefficients(const PoissonLevel *level, size_t k)
{
    return level->air[k] + level->face[0][k] + level->face[0][k + 1] + level->face[1][k] +
           level->face[1][k + level->stride[1]] + level->face[2][k] + level->face[2][k + level->stride[2]];
}

// out = A a
static void apply_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *level = job->level;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            job->out[k] = level->sum[k] * job->a[k] - beside(level, job->a, k);
    }
}

static void apply(PoissonLevel *level, const float *a, float *out)
{
    Job job = {.level = level, .a = a, .out = out};
    poisson_for_rows(level, apply_rows, &job);
}

static void sum_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    PoissonLevel *level = job->level;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            float sum = sum_of_coefficients(level, k);
            level->sum[k] = sum;
            level->inverse[k] = sum > 0.0f ? 1.0f / sum : 0.0f;
        }
    }
}

// A coarse cell is 2 x 2 x 2 fine ones; its cells are twice as far apart, so that of what four fine faces
// carry half is left. Beyond an odd number of fine cells lie those around them, which are 0.
static void coarsen_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *fine = job->level;
    PoissonLevel *coarse = job->coarse;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(coarse, row);
        uint32_t y = 2 * (row % coarse->count[1] + coarse->lo[1]) - 1;
        uint32_t z = 2 * (row / coarse->count[1] + coarse->lo[2]) - 1;
        for (uint32_t x = 0; x < coarse->count[0]; x++) {
            float face[3] = {0.0f, 0.0f, 0.0f}, air = 0.0f;
            for (uint32_t part = 0; part < 8; part++) {
                uint32_t at[3] = {2 * (coarse->lo[0] + x) - 1 + (part & 1), y + (part >> 1 & 1),
                                  z + (part >> 2)};
                size_t k = at[0] + at[1] * fine->stride[1] + at[2] * fine->stride[2];
                air += 0.5f * fine->air[k];
                for (uint32_t axis = 0; axis < 3; axis++)
                    if (!(part >> axis & 1)) face[axis] += 0.5f * fine->face[axis][k];
            }
            coarse->air[first + x] = air;
            for (uint32_t axis = 0; axis < 3; axis++) coarse->face[axis][first + x] = face[axis];
        }
    }
}

// --- the V-cycle ---

// Gauss-Seidel over the cells of one color of a chess board.
static void relax_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    PoissonLevel *level = job->level;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        uint32_t y = row % level->count[1] + level->lo[1], z = row / level->count[1] + level->lo[2];
        for (size_t x = (level->lo[0] + y + z + 1 + job->color) & 1; x < level->count[0]; x += 2) {
            size_t k = first + x;
            level->x[k] = level->inverse[k] * (level->b[k] + beside(level, level->x, k));
        }
    }
}

// What cells beside this process's have changed to; color: only those of one color, 2: all.
static void exchange_border(Poisson *poisson, uint32_t k, float *stream, uint32_t color)
{
    if (is_divided(poisson, k))
        grid_share_border(poisson->share, &poisson->level[k], k, &stream, 1, 1, (GridBorder)color);
}

static void relax(Poisson *poisson, uint32_t k, bool back)
{
    for (uint32_t half = 0; half < 2; half++) {
        Job job = {.level = &poisson->level[k], .color = back ? 1 - half : half};
        poisson_for_rows(job.level, relax_rows, &job);
        // The last colors of all are not read by others any more.
        if (!back || half == 0) exchange_border(poisson, k, job.level->x, job.color);
    }
}

// r = b - A x where x is part of the equation.
static void residual_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    PoissonLevel *level = job->level;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            level->r[k] = level->b[k] + beside(level, level->x, k) - level->sum[k] * level->x[k];
    }
}

static void restrict_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *fine = job->level;
    PoissonLevel *coarse = job->coarse;
    size_t sy = fine->stride[1], sz = fine->stride[2];
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(coarse, row);
        uint32_t y = row % coarse->count[1] + coarse->lo[1], z = row / coarse->count[1] + coarse->lo[2];
        const float *r = fine->r + (2 * coarse->lo[0] - 1) + (2 * y - 1) * sy + (2 * z - 1) * sz;
        for (uint32_t x = 0; x < coarse->count[0]; x++, r += 2) {
            coarse->b[first + x] =
                ((r[0] + r[1]) + (r[sy] + r[sy + 1])) + ((r[sz] + r[sz + 1]) + (r[sz + sy] + r[sz + sy + 1]));
            coarse->x[first + x] = 0.0f;
        }
    }
}

static void prolong_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    PoissonLevel *fine = job->level;
    const PoissonLevel *coarse = job->coarse;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(fine, row);
        uint32_t y = row % fine->count[1] + fine->lo[1], z = row / fine->count[1] + fine->lo[2];
        const float *add = coarse->x + (fine->lo[0] + 1) / 2 + (y + 1) / 2 * coarse->stride[1] +
                           (z + 1) / 2 * coarse->stride[2];
        for (uint32_t x = 0; x < fine->count[0]; x++)
            fine->x[first + x] += fine->inverse[first + x] > 0.0f ? add[x / 2] : 0.0f;
    }
}

// x = 0, where other processes' cells are seen, too.
static void clear_x(Poisson *poisson, uint32_t k)
{
    PoissonLevel *level = &poisson->level[k];
    if (!is_divided(poisson, k)) {
        memset(level->x, 0, level->cells * sizeof *level->x);
        return;
    }
    cell_box_clear(level, grid_share_box(poisson->share, poisson->share->links->rank, k), 1, level->x,
                   sizeof *level->x);
}

// The right side of the next level, which all processes have whole from the first on that is not divided.
static void coarsen_residual(Poisson *poisson, uint32_t k)
{
    Job job = {.poisson = poisson, .level = &poisson->level[k], .coarse = &poisson->level[k + 1]};
    bool gathers = is_divided(poisson, k) && !is_divided(poisson, k + 1);
    if (gathers) set_own(poisson, k + 1);
    poisson_for_rows(job.level, residual_rows, &job);
    poisson_for_rows(job.coarse, restrict_rows, &job);
    if (gathers) {
        grid_share_gather(poisson->share, job.coarse, k + 1, &job.coarse->b, 1);
        set_whole(job.coarse);
    }
    if (poisson->share) clear_x(poisson, k + 1);
}

// Solves A x = b of level k roughly, from x = 0.
static void v_cycle(Poisson *poisson, uint32_t k)
{
    if (k + 1 == poisson->levels) {
        for (int sweep = 0; sweep < COARSEST_SWEEPS; sweep++)
            relax(poisson, k, false), relax(poisson, k, true);
        return;
    }
    Job job = {.poisson = poisson, .level = &poisson->level[k], .coarse = &poisson->level[k + 1]};
    relax(poisson, k, false);
    coarsen_residual(poisson, k);
    v_cycle(poisson, k + 1);
    poisson_for_rows(job.level, prolong_rows, &job);
    exchange_border(poisson, k, job.level->x, 0);
    relax(poisson, k, true);
}

// --- conjugate gradients ---

static void coarsen(Poisson *poisson, uint32_t k)
{
    Job job = {.level = &poisson->level[k], .coarse = &poisson->level[k + 1]};
    PoissonLevel *coarse = job.coarse;
    bool divided = is_divided(poisson, k), gathers = divided && !is_divided(poisson, k + 1);
    if (gathers) set_own(poisson, k + 1);
    poisson_for_rows(coarse, coarsen_rows, &job);
    float *streams[] = {coarse->face[0], coarse->face[1], coarse->face[2], coarse->air};
    if (gathers) {
        grid_share_gather(poisson->share, coarse, k + 1, streams, 4);
        set_whole(coarse);
    } else if (divided) {
        grid_share_border(poisson->share, coarse, k + 1, streams, 3, 1, GRID_FACES);
    }
}

static void prepare_levels(Poisson *poisson)
{
    for (uint32_t k = 0; k < poisson->levels; k++) {
        Job job = {.level = &poisson->level[k]};
        poisson_for_rows(job.level, sum_rows, &job);
        if (k + 1 < poisson->levels) coarsen(poisson, k);
    }
}

// The mean of b where nothing has a free surface, else 0.
static float mean_to_take(const Poisson *poisson)
{
    const PoissonLevel *level = &poisson->level[0];
    enum { AIR, CELLS, NUMBERS = 2 };
    int64_t sum[NUMBERS] = {0};
    for (uint32_t row = 0; row < level->count[1] * level->count[2] && level->count[0] > 0; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            sum[AIR] |= level->air[k] > 0.0f;
            sum[CELLS] += level->inverse[k] > 0.0f;
        }
    }
    if (poisson->share) poisson->share->links->sum(poisson->share->links->self, sum, NUMBERS);
    if (sum[AIR] > 0 || sum[CELLS] == 0) return 0.0f;
    ExactSum b = {0};
    for (uint32_t row = 0; row < level->count[1] * level->count[2] && level->count[0] > 0; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++)
            if (level->inverse[k] > 0.0f) exact_sum_add(&b, (double)level->b[k]);
    }
    if (poisson->share) poisson->share->links->sum(poisson->share->links->self, b.limb, EXACT_SUM_LIMBS);
    return (float)(exact_sum_total(&b) / (double)sum[CELLS]);
}

// Clears what the last solution left, and takes the mean from b where nothing has a free surface.
static void start_residual(Poisson *poisson)
{
    PoissonLevel *level = &poisson->level[0];
    float mean = mean_to_take(poisson);
    for (uint32_t row = 0; row < level->count[1] * level->count[2] && level->count[0] > 0; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->count[0]; k++) {
            poisson->phi[k] = 0.0f;
            poisson->direction[k] = 0.0f;
            poisson->residual[k] = level->inverse[k] > 0.0f ? level->b[k] - mean : 0.0f;
        }
    }
}

void poisson_solve(Poisson *poisson, double tolerance, uint32_t rounds)
{
    PoissonLevel *level = &poisson->level[0];
    prepare_levels(poisson);
    start_residual(poisson);
    double before = 0.0, enough = tolerance * tolerance * dot(poisson, poisson->residual, poisson->residual);
    for (uint32_t round = 0; round < rounds; round++) {
        add_scaled(poisson, level->b, poisson->residual, 0.0, poisson->residual);
        clear_x(poisson, 0);
        v_cycle(poisson, 0);
        double now = dot(poisson, poisson->residual, level->x);
        add_scaled(poisson, poisson->direction, level->x, round ? now / before : 0.0, poisson->direction);
        before = now;
        exchange_border(poisson, 0, poisson->direction, GRID_FACES);
        apply(level, poisson->direction, poisson->image);
        double bend = dot(poisson, poisson->direction, poisson->image);
        if (!(bend > 0.0)) return;
        add_scaled(poisson, poisson->phi, poisson->phi, now / bend, poisson->direction);
        add_scaled(poisson, poisson->residual, poisson->residual, -now / bend, poisson->image);
        if (dot(poisson, poisson->residual, poisson->residual) <= enough) return;
    }
}
