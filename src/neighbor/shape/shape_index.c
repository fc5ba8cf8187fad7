#include "neighbor/shape/shape_index.h"

#include "core/cpu.h"
#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Cells at most: this many a point and a few.
#define CELLS_PER_POINT 8.0
#define CELLS_FREE 4096.0
// Ranges of places that one call of the kernel tests.
#define RANGES 64u

const ShapeKernel *shape_kernel(void)
{
    return CPU_VERSION(&shape_kernel, cpu_level());
}

// --- building ---

// The least and the largest of some numbers. False if one is not finite.
static bool find_range(const float *at, uint32_t count, float *lo, float *hi)
{
    float least[SHAPE_LANES], most[SHAPE_LANES];
    uint32_t bad[SHAPE_LANES] = {0}, whole = count - count % SHAPE_LANES;
    for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
        least[lane] = INFINITY;
        most[lane] = -INFINITY;
    }
    for (uint32_t k = 0; k < whole; k += SHAPE_LANES) { // side by side, for the compiler's vectors
        for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
            float here = at[k + lane];
            least[lane] = here < least[lane] ? here : least[lane];
            most[lane] = here > most[lane] ? here : most[lane];
            bad[lane] |= !(fabsf(here) <= FLT_MAX);
        }
    }
    bool finite = true;
    for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
        bool more = whole + lane < count;
        float here = more ? at[whole + lane] : least[lane];
        *lo = fminf(*lo, fminf(here, least[lane]));
        *hi = fmaxf(*hi, fmaxf(more ? here : most[lane], most[lane]));
        finite &= !bad[lane] && (!more || isfinite(here));
    }
    return finite;
}

static Result find_box(ShapeIndex *index, PointView points)
{
    const float *stream[3] = {points.x, points.y, points.z};
    for (int axis = 0; axis < 3; axis++) {
        float lo = INFINITY, hi = -INFINITY;
        index->lo[axis] = index->hi[axis] = 0.0f;
        if (points.count == 0 || (index->flat && axis == 2)) continue;
        if (!find_range(stream[axis], points.count, &lo, &hi)) {
            uint32_t k = 0;
            while (isfinite(stream[axis][k])) k++;
            return result_error(RESULT_FAILED, "point %u: a coordinate is not finite", k);
        }
        index->lo[axis] = lo;
        index->hi[axis] = hi;
    }
    return result_ok();
}

static double cells_of_edge(const ShapeIndex *index, double edge)
{
    double cells = 1.0;
    for (int axis = 0; axis < 3; axis++)
        cells *= floor(((double)index->hi[axis] - (double)index->lo[axis]) / edge) + 1.0;
    return cells;
}

static void choose_cells(ShapeIndex *index, float cell)
{
    double edge = cell, most = CELLS_PER_POINT * index->count + CELLS_FREE;
    while (cells_of_edge(index, edge) > most) edge *= 1.25;
    index->edge = (float)edge;
    index->inverse = (float)(1.0 / edge);
    for (int axis = 0; axis < 3; axis++)
        index->size[axis] = (uint32_t)(((double)index->hi[axis] - (double)index->lo[axis]) / edge) + 1;
}

// Number of the cell along an axis. Every operation keeps order: what lies between two places in space lies
// between their cells, whatever is rounded.
static inline uint32_t cell_along(const ShapeIndex *index, int axis, float at)
{
    float cell = (at - index->lo[axis]) * index->inverse, last = (float)(index->size[axis] - 1);
    cell = cell > 0.0f ? cell : 0.0f;
    return (uint32_t)(cell < last ? cell : last);
}

static inline uint32_t cell_number(const ShapeIndex *index, uint32_t y, uint32_t z)
{
    return (z * index->size[1] + y) * index->size[0];
}

static uint32_t cell_of_point(const ShapeIndex *index, PointView points, uint32_t k)
{
    uint32_t z = index->flat ? 0 : cell_along(index, 2, points.z[k]);
    return cell_number(index, cell_along(index, 1, points.y[k]), z) + cell_along(index, 0, points.x[k]);
}

// Counts, sums up, and moves every point to its place; first[c + 1] runs from the cell's start to its end.
static void sort_points(ShapeIndex *index, PointView points, uint32_t cells)
{
    memset(index->first, 0, ((size_t)cells + 2) * sizeof *index->first);
    uint32_t *next = index->first + 1, sum = 0;
    for (uint32_t k = 0; k < points.count; k++) next[index->cell_of[k] = cell_of_point(index, points, k)]++;
    for (uint32_t c = 0; c < cells; c++) {
        uint32_t here = next[c];
        next[c] = sum;
        sum += here;
    }
    for (uint32_t k = 0; k < points.count; k++) {
        uint32_t place = next[index->cell_of[k]]++;
        index->index[place] = k;
        index->x[place] = points.x[k];
        index->y[place] = points.y[k];
        if (!index->flat) index->z[place] = points.z[k];
    }
}

// In all but `first`, which depends on the cells.
static Result reserve_points(ShapeIndex *index, size_t n)
{
    TRY(MEMORY_RESERVE(index->x, index->x_capacity, 0, n, "shape index"));
    TRY(MEMORY_RESERVE(index->y, index->y_capacity, 0, n, "shape index"));
    TRY(MEMORY_RESERVE(index->z, index->z_capacity, 0, index->flat ? 0 : n, "shape index"));
    TRY(MEMORY_RESERVE(index->index, index->index_capacity, 0, n, "shape index"));
    return MEMORY_RESERVE(index->cell_of, index->of_capacity, 0, n, "shape index");
}

Result shape_index_reserve(ShapeIndex *index, uint32_t points, uint32_t dimensions)
{
    size_t cells = (size_t)(CELLS_PER_POINT * points + CELLS_FREE);
    index->flat = dimensions == 2;
    TRY(reserve_points(index, points));
    return MEMORY_RESERVE(index->first, index->first_capacity, 0, cells + 2, "shape index");
}

Result shape_index_build(ShapeIndex *index, PointView points, uint32_t dimensions, float cell)
{
    CHECK((dimensions == 2 || dimensions == 3) && cell > 0.0f && isfinite(cell));
    index->flat = dimensions == 2;
    index->count = points.count;
    TRY(find_box(index, points));
    choose_cells(index, cell);
    size_t cells = (size_t)index->size[0] * index->size[1] * index->size[2];
    TRY(reserve_points(index, points.count));
    TRY(MEMORY_RESERVE(index->first, index->first_capacity, 0, cells + 2, "shape index"));
    sort_points(index, points, (uint32_t)cells);
    return result_ok();
}

void shape_index_free(ShapeIndex *index)
{
    memory_free(index->x);
    memory_free(index->y);
    memory_free(index->z);
    memory_free(index->index);
    memory_free(index->first);
    memory_free(index->cell_of);
    *index = (ShapeIndex){0};
}

uint64_t shape_index_bytes(const ShapeIndex *index)
{
    return (index->x_capacity + index->y_capacity + index->z_capacity) * sizeof(float) +
           (index->index_capacity + index->first_capacity + index->of_capacity) * sizeof(uint32_t);
}

// --- queries ---

// Ranges of places on their way to the kernel.
typedef struct Walk {
    const ShapeIndex *index;
    const ShapeQuery *query;
    const ShapeKernel *kernel;
    ShapePoints points;
    uint32_t lo[3], hi[3]; // cells, both included
    PlaceRange range[RANGES];
    uint32_t ranges, found;
    uint32_t *out;
    uint64_t tested;
} Walk;

static void flush(Walk *walk)
{
    if (walk->ranges == 0) return;
    walk->found +=
        walk->kernel->filter(walk->query, &walk->points, walk->range, walk->ranges, walk->out + walk->found);
    walk->ranges = 0;
}

// Adds cells from..to of a row.
static inline void add_row(Walk *walk, uint32_t row, uint32_t from, uint32_t to)
{
    uint32_t begin = walk->index->first[row + from], end = walk->index->first[row + to + 1];
    walk->range[walk->ranges] = (PlaceRange){begin, end};
    walk->ranges += begin < end;
    walk->tested += end - begin;
    if (walk->ranges == RANGES) flush(walk);
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

// The box of a cone around its pivot, as parts of its length: how far it reaches against and along each axis.
// Without branches, which no processor would predict.
static void cone_box(const ShapeQuery *query, float back[3], float ahead[3])
{
    const float axis[3] = {query->axis.x, query->axis.y, query->axis.z};
    float c = query->cosine, s = query->sine;
    for (int k = 0; k < 3; k++) {
        float along = axis[k] * c, aside = sqrtf(larger(0.0f, 1.0f - axis[k] * axis[k])) * s;
        // All of it where this axis is inside the cone.
        ahead[k] = larger((float)(axis[k] >= c), aside + along);
        back[k] = larger((float)(-axis[k] >= c), aside - along);
    }
}

// The box of the shape around its pivot, wider than rounding needs.
static void shape_box(const ShapeQuery *query, bool ball, float lo[3], float hi[3])
{
    const float axis[3] = {query->axis.x, query->axis.y, query->axis.z};
    float back[3] = {1.0f, 1.0f, 1.0f}, ahead[3] = {1.0f, 1.0f, 1.0f};
    float a = query->reach, margin = 1e-3f * a;
    if (!ball && query->kind == SHAPE_CONE) cone_box(query, back, ahead);
    if (!ball && query->kind == SHAPE_ELLIPSOID) {
        float ratio = query->across / a, round = ratio * ratio;
        for (int k = 0; k < 3; k++)
            back[k] = ahead[k] = sqrtf(round + (1.0f - round) * axis[k] * axis[k]) * 1.001f;
    }
    for (int k = 0; k < 3; k++) {
        lo[k] = -a * back[k] - margin;
        hi[k] = a * ahead[k] + margin;
    }
}

// False if the box of cells misses the grid.
static bool choose_box(Walk *walk, bool ball)
{
    const ShapeIndex *index = walk->index;
    const float at[3] = {walk->query->at.x, walk->query->at.y, walk->query->at.z};
    float lo[3], hi[3];
    shape_box(walk->query, ball, lo, hi);
    for (int axis = 0; axis < (walk->points.flat ? 2 : 3); axis++) {
        float from = at[axis] + lo[axis], to = at[axis] + hi[axis];
        if (to < index->lo[axis] || from > index->hi[axis]) return false;
        walk->lo[axis] = cell_along(index, axis, from);
        walk->hi[axis] = cell_along(index, axis, to);
    }
    return true;
}

static void walk_rows(Walk *walk)
{
    for (uint32_t z = walk->lo[2]; z <= walk->hi[2]; z++) {
        for (uint32_t y = walk->lo[1]; y <= walk->hi[1]; y++)
            add_row(walk, cell_number(walk->index, y, z), walk->lo[0], walk->hi[0]);
    }
    flush(walk);
}

// Sixteen rows that are cut at once.
typedef struct RowBatch {
    ShapeRows rows;
    uint32_t number[SHAPE_LANES]; // of each row's first cell
    uint32_t count;
    float slack;  // what rounding can move a cell by, m
    float offset; // of the pivot from the grid's corner along x, m
} RowBatch;

static void cut_batch(Walk *walk, RowBatch *batch)
{
    float from[SHAPE_LANES], to[SHAPE_LANES], last = (float)walk->hi[0], start = (float)walk->lo[0];
    uint32_t bits = walk->kernel->cut(walk->query, &batch->rows, from, to) & ((1u << batch->count) - 1u);
    for (; bits; bits &= bits - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(bits);
        float first = (from[k] + batch->offset - batch->slack) * walk->index->inverse;
        float end = (to[k] + batch->offset + batch->slack) * walk->index->inverse;
        if (first > last + 1.0f || end < start) continue;
        uint32_t first_cell = first > start ? (uint32_t)first : walk->lo[0];
        uint32_t end_cell = end < last ? (uint32_t)end : walk->hi[0];
        if (first_cell <= end_cell) add_row(walk, batch->number[k], first_cell, end_cell);
    }
    batch->count = 0;
}

static void start_batch(const Walk *walk, RowBatch *batch)
{
    const ShapeIndex *index = walk->index;
    const float at[3] = {walk->query->at.x, walk->query->at.y, walk->query->at.z};
    float largest = walk->query->reach;
    for (int axis = 0; axis < 3; axis++)
        largest =
            fmaxf(largest, fmaxf(fabsf(at[axis]), fmaxf(fabsf(index->lo[axis]), fabsf(index->hi[axis]))));
    memset(batch, 0, sizeof *batch);
    batch->slack = 8.0f * FLT_EPSILON * largest + 1e-4f * index->edge;
    batch->offset = at[0] - index->lo[0];
    batch->rows.half_y = 0.5f * index->edge + batch->slack;
    batch->rows.half_z = index->flat ? 0.0f : batch->rows.half_y;
}

static void walk_cut_rows(Walk *walk)
{
    const ShapeIndex *index = walk->index;
    RowBatch batch;
    start_batch(walk, &batch);
    float y_start = index->lo[1] - walk->query->at.y, z_start = index->lo[2] - walk->query->at.z;
    for (uint32_t z = walk->lo[2]; z <= walk->hi[2]; z++) {
        float z_center = index->flat ? 0.0f : ((float)z + 0.5f) * index->edge + z_start;
        for (uint32_t y = walk->lo[1]; y <= walk->hi[1]; y++) {
            batch.rows.y[batch.count] = ((float)y + 0.5f) * index->edge + y_start;
            batch.rows.z[batch.count] = z_center;
            batch.number[batch.count++] = cell_number(index, y, z);
            if (batch.count == SHAPE_LANES) cut_batch(walk, &batch);
        }
    }
    if (batch.count > 0) cut_batch(walk, &batch);
    flush(walk);
}

uint32_t shape_index_find(const ShapeIndex *index, const ShapeQuery *query, ShapeRowChoice rows,
                          uint32_t *out, uint64_t *tested)
{
    if (index->count == 0) return 0;
    Walk walk;
    walk.index = index;
    walk.query = query;
    walk.kernel = shape_kernel();
    walk.points = (ShapePoints){{index->x, index->y, index->z, index->index}, index->flat};
    walk.lo[2] = walk.hi[2] = walk.ranges = walk.found = 0;
    walk.tested = 0;
    walk.out = out;
    if (!choose_box(&walk, rows == SHAPE_ROWS_BALL)) return 0;
    if (rows == SHAPE_ROWS_CUT)
        walk_cut_rows(&walk);
    else
        walk_rows(&walk);
    if (tested) *tested += walk.tested;
    return walk.found;
}

// Adds the range of cells lo..hi of a row, unless it is empty. Returns how many there are then.
static uint32_t list_row(const ShapeIndex *index, uint32_t row, uint32_t lo, uint32_t hi, PlaceRange *rows,
                         uint32_t count)
{
    rows[count] = (PlaceRange){index->first[row + lo], index->first[row + hi + 1]};
    return count + (rows[count].begin < rows[count].end);
}

uint32_t shape_index_rows(const ShapeIndex *index, Vec3 at, float radius, PlaceRange rows[SHAPE_ROWS_MAX])
{
    CHECK(radius <= index->edge * 1.0001f);
    float wider = radius + 1e-3f * radius;
    const float middle[3] = {at.x, at.y, at.z};
    uint32_t lo[3] = {0}, hi[3] = {0}, count = 0;
    if (index->count == 0) return 0;
    for (int axis = 0; axis < (index->flat ? 2 : 3); axis++) {
        float from = middle[axis] - wider, to = middle[axis] + wider;
        if (to < index->lo[axis] || from > index->hi[axis]) return 0;
        lo[axis] = cell_along(index, axis, from);
        hi[axis] = cell_along(index, axis, to);
    }
    for (uint32_t z = lo[2]; z <= hi[2]; z++) {
        for (uint32_t y = lo[1]; y <= hi[1]; y++)
            count = list_row(index, cell_number(index, y, z), lo[0], hi[0], rows, count);
    }
    return count;
}

uint32_t shape_index_near_rows(const ShapeIndex *index, uint32_t place, bool behind,
                               PlaceRange rows[SHAPE_ROWS_MAX], uint32_t *end)
{
    const float at[3] = {index->x[place], index->y[place], index->flat ? 0.0f : index->z[place]};
    uint32_t cell[3] = {0}, lo[3] = {0}, hi[3] = {0}, count = 0;
    for (int axis = 0; axis < (index->flat ? 2 : 3); axis++) {
        cell[axis] = cell_along(index, axis, at[axis]);
        lo[axis] = cell[axis] - (cell[axis] > 0);
        hi[axis] = cell[axis] + (cell[axis] + 1 < index->size[axis]);
    }
    uint32_t own = cell_number(index, cell[1], cell[2]);
    *end = index->first[own + cell[0] + 1];
    for (uint32_t z = behind ? cell[2] : lo[2]; z <= hi[2]; z++) {
        for (uint32_t y = lo[1]; y <= hi[1]; y++) {
            uint32_t row = cell_number(index, y, z);
            if (!behind || row >= own) count = list_row(index, row, lo[0], hi[0], rows, count);
        }
    }
    return count;
}
