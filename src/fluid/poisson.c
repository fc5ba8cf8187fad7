#include "fluid/poisson.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <string.h>

// Cells of a block of rows, whatever the number of threads.
#define BLOCK_CELLS 4096u

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
    return level->n[0] < BLOCK_CELLS ? BLOCK_CELLS / level->n[0] : 1;
}

Result poisson_reserve(Poisson *poisson, const uint32_t n[3])
{
    enum { STREAMS = 9, FINEST = 4 };
    PoissonLevel level[POISSON_LEVELS] = {0};
    uint32_t levels = shape_levels(level, n);
    size_t floats = FINEST * padded(level[0].cells);
    for (uint32_t k = 0; k < levels; k++) floats += STREAMS * padded(level[k].cells);
    TRY(MEMORY_RESERVE(poisson->memory, poisson->capacity, 0, floats, "pressure grid"));
    TRY(MEMORY_RESERVE(poisson->sums, poisson->sums_capacity, 0, (size_t)n[1] * n[2] + 1, "pressure grid"));
    if (poisson->levels == levels && memcmp(poisson->level[0].n, n, sizeof level[0].n) == 0 &&
        poisson->phi == poisson->memory)
        return result_ok();
    // Cells around the others are never written.
    memset(poisson->memory, 0, floats * sizeof *poisson->memory);
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
    return result_ok();
}

void poisson_free(Poisson *poisson)
{
    memory_free(poisson->memory);
    memory_free(poisson->sums);
    *poisson = (Poisson){0};
}

void poisson_for_rows(const PoissonLevel *level, PoissonRows *body, void *context)
{
    parallel_for(level->n[1] * level->n[2], row_grain(level), body, context);
}

// --- sums ---

typedef struct Job {
    Poisson *poisson;
    PoissonLevel *level, *coarse;
    const float *a, *b;
    float *out;
    float factor;
    uint32_t color;
} Job;

static void sum_products(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *level = job->level;
    double sum = 0.0;
    for (uint32_t row = begin; row < end; row++) {
        const float *a = job->a + poisson_row(level, row), *b = job->b + poisson_row(level, row);
        for (uint32_t x = 0; x < level->n[0]; x++) sum += (double)a[x] * (double)b[x];
    }
    job->poisson->sums[begin / row_grain(level)] = sum;
}

static double dot(Poisson *poisson, const float *a, const float *b)
{
    PoissonLevel *level = &poisson->level[0];
    Job job = {.poisson = poisson, .level = level, .a = a, .b = b};
    poisson_for_rows(level, sum_products, &job);
    double sum = 0.0;
    uint32_t rows = level->n[1] * level->n[2], grain = row_grain(level);
    for (uint32_t k = 0; k < (rows + grain - 1) / grain; k++) sum += poisson->sums[k];
    return sum;
}

// out = a + factor * b; out may be one of them.
static void add_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(job->level, row);
        for (size_t k = first; k < first + job->level->n[0]; k++)
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
        for (size_t k = first; k < first + level->n[0]; k++)
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
        for (size_t k = first; k < first + level->n[0]; k++) {
            float sum = sum_of_coefficients(level, k);
            level->sum[k] = sum;
            level->inverse[k] = sum > 0.0f ? 1.0f / sum : 0.0f;
        }
    }
}

// A coarse cell is 2 x 2 x 2 fine ones; its cells are twice as far apart, so that of what four fine faces
// carry half is left.
static void coarsen_rows(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const PoissonLevel *fine = job->level;
    PoissonLevel *coarse = job->coarse;
    for (uint32_t row = begin; row < end; row++) {
        size_t first = poisson_row(coarse, row);
        uint32_t y = 2 * (row % coarse->n[1]) + 1, z = 2 * (row / coarse->n[1]) + 1;
        for (uint32_t x = 0; x < coarse->n[0]; x++) {
            float face[3] = {0.0f, 0.0f, 0.0f}, air = 0.0f;
            for (uint32_t part = 0; part < 8; part++) {
                uint32_t at[3] = {2 * x + 1 + (part & 1), y + (part >> 1 & 1), z + (part >> 2)};
                if (at[0] > fine->n[0] || at[1] > fine->n[1] || at[2] > fine->n[2]) continue;
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
        for (size_t x = (row % level->n[1] + row / level->n[1] + job->color) & 1; x < level->n[0]; x += 2) {
            size_t k = first + x;
            level->x[k] = level->inverse[k] * (level->b[k] + beside(level, level->x, k));
        }
    }
}

static void relax(PoissonLevel *level, bool back)
{
    for (uint32_t half = 0; half < 2; half++) {
        Job job = {.level = level, .color = back ? 1 - half : half};
        poisson_for_rows(level, relax_rows, &job);
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
        for (size_t k = first; k < first + level->n[0]; k++)
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
        const float *r =
            fine->r + 1 + (2 * (row % coarse->n[1]) + 1) * sy + (2 * (row / coarse->n[1]) + 1) * sz;
        for (uint32_t x = 0; x < coarse->n[0]; x++, r += 2) {
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
        const float *add = coarse->x + 1 + (row % fine->n[1] / 2 + 1) * coarse->stride[1] +
                           (row / fine->n[1] / 2 + 1) * coarse->stride[2];
        for (uint32_t x = 0; x < fine->n[0]; x++)
            fine->x[first + x] += fine->inverse[first + x] > 0.0f ? add[x / 2] : 0.0f;
    }
}

// Solves A x = b of level k roughly, from x = 0.
static void v_cycle(Poisson *poisson, uint32_t k)
{
    PoissonLevel *level = &poisson->level[k];
    if (k + 1 == poisson->levels) {
        for (int sweep = 0; sweep < COARSEST_SWEEPS; sweep++) relax(level, false), relax(level, true);
        return;
    }
    Job job = {.poisson = poisson, .level = level, .coarse = &poisson->level[k + 1]};
    relax(level, false);
    poisson_for_rows(level, residual_rows, &job);
    poisson_for_rows(job.coarse, restrict_rows, &job);
    v_cycle(poisson, k + 1);
    poisson_for_rows(level, prolong_rows, &job);
    relax(level, true);
}

// --- conjugate gradients ---

static void prepare_levels(Poisson *poisson)
{
    for (uint32_t k = 0; k < poisson->levels; k++) {
        Job job = {.level = &poisson->level[k], .coarse = &poisson->level[k + 1]};
        poisson_for_rows(job.level, sum_rows, &job);
        if (k + 1 < poisson->levels) poisson_for_rows(job.coarse, coarsen_rows, &job);
    }
}

typedef struct Balance {
    double air, b;
    uint64_t cells;
} Balance;

static Balance balance(const PoissonLevel *level)
{
    Balance sum = {0};
    for (uint32_t row = 0; row < level->n[1] * level->n[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->n[0]; k++) {
            sum.air += (double)level->air[k];
            if (level->inverse[k] <= 0.0f) continue;
            sum.b += (double)level->b[k];
            sum.cells++;
        }
    }
    return sum;
}

// Clears what the last solution left, and takes the mean from b where nothing has a free surface.
static void start_residual(Poisson *poisson)
{
    PoissonLevel *level = &poisson->level[0];
    Balance all = balance(level);
    float mean = all.air > 0.0 || all.cells == 0 ? 0.0f : (float)(all.b / (double)all.cells);
    for (uint32_t row = 0; row < level->n[1] * level->n[2]; row++) {
        size_t first = poisson_row(level, row);
        for (size_t k = first; k < first + level->n[0]; k++) {
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
        memcpy(level->b, poisson->residual, level->cells * sizeof *level->b);
        memset(level->x, 0, level->cells * sizeof *level->x);
        v_cycle(poisson, 0);
        double now = dot(poisson, poisson->residual, level->x);
        add_scaled(poisson, poisson->direction, level->x, round ? now / before : 0.0, poisson->direction);
        before = now;
        apply(level, poisson->direction, poisson->image);
        double bend = dot(poisson, poisson->direction, poisson->image);
        if (!(bend > 0.0)) return;
        add_scaled(poisson, poisson->phi, poisson->phi, now / bend, poisson->direction);
        add_scaled(poisson, poisson->residual, poisson->residual, -now / bend, poisson->image);
        if (dot(poisson, poisson->residual, poisson->residual) <= enough) return;
    }
}
