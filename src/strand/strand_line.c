// The solvers of a single strand.
#include "strand/strand_state.h"

#define PARTICLES_MAX (STRAND_SEGMENTS_MAX + 1)

static double component(Vec3 v, int axis)
{
    return (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static double place(const StrandLine *line, uint32_t i, int axis)
{
    return component(line->x[i], axis) + component(line->way[i], axis);
}

static void set_place(const StrandLine *line, uint32_t i, const double at[3])
{
    Vec3 x = line->x[i];
    line->way[i] =
        vec3_make((float)(at[0] - (double)x.x), (float)(at[1] - (double)x.y), (float)(at[2] - (double)x.z));
}

static bool is_held(const StrandLine *line, uint32_t i)
{
    return i < line->held_first || i >= line->count - line->held_last;
}

// A symmetric matrix of five bands, row by row: the diagonal and the two below it.
typedef struct FiveBands {
    double diagonal[PARTICLES_MAX], below[PARTICLES_MAX], below_that[PARTICLES_MAX];
} FiveBands;

// Identity + share * B^T B, where (B x)_j = x_j - (x_j-1 + x_j+1) / 2, with the rows and columns of held
// particles left to the right side.
static void fill_bands(const StrandLine *line, double share, FiveBands *out)
{
    uint32_t n = line->count;
    for (uint32_t i = 0; i < n; i++) {
        bool inner = i > 0 && i + 1 < n;
        out->diagonal[i] =
            1.0 + share * ((inner ? 1.0 : 0.0) + (i > 1 ? 0.25 : 0.0) + (i + 2 < n ? 0.25 : 0.0));
        out->below[i] = i == 0 ? 0.0 : -0.5 * share * ((inner ? 1.0 : 0.0) + (i > 1 ? 1.0 : 0.0));
        out->below_that[i] = i > 1 ? 0.25 * share : 0.0;
    }
}

static void move_held(const StrandLine *line, FiveBands *bands, double right[PARTICLES_MAX][3])
{
    uint32_t n = line->count;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_held(line, i)) continue;
        double *of[4] = {&bands->below_that[i], &bands->below[i], i + 1 < n ? &bands->below[i + 1] : NULL,
                         i + 2 < n ? &bands->below_that[i + 2] : NULL};
        const int64_t offset[4] = {-2, -1, 1, 2};
        for (int k = 0; k < 4; k++) {
            int64_t j = (int64_t)i + offset[k];
            if (j < 0 || !of[k]) continue;
            for (int axis = 0; axis < 3; axis++) right[j][axis] -= *of[k] * place(line, i, axis);
            *of[k] = 0.0;
        }
        bands->diagonal[i] = 1.0;
        for (int axis = 0; axis < 3; axis++) right[i][axis] = place(line, i, axis);
    }
}

// L D L^T, then both substitutions in place.
static void solve_bands(FiveBands *bands, uint32_t n, double right[PARTICLES_MAX][3])
{
    for (uint32_t i = 0; i < n; i++) {
        double far = i > 1 ? bands->below_that[i] / bands->diagonal[i - 2] : 0.0;
        double near = bands->below[i];
        if (i > 1) near -= bands->below_that[i] * bands->below[i - 1];
        double scaled = i > 0 ? near / bands->diagonal[i - 1] : 0.0;
        bands->diagonal[i] -= near * scaled + (i > 1 ? bands->below_that[i] * far : 0.0);
        bands->below[i] = scaled; // of L from here on
        bands->below_that[i] = far;
        for (int axis = 0; axis < 3; axis++) {
            if (i > 0) right[i][axis] -= scaled * right[i - 1][axis];
            if (i > 1) right[i][axis] -= far * right[i - 2][axis];
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (int axis = 0; axis < 3; axis++) {
            right[i][axis] /= bands->diagonal[i];
            if (i + 1 < n) right[i][axis] -= bands->below[i + 1] * right[i + 1][axis];
            if (i + 2 < n) right[i][axis] -= bands->below_that[i + 2] * right[i + 2][axis];
        }
    }
}

// The energy of a bent rod, EI / 2 times the integral of the squared curvature, with the curvature at a
// particle as 2 / l^2 times its distance from the middle of its neighbors.
void strand_bend(StrandLine line, double stiffness, double mass, double dt)
{
    FiveBands bands;
    double right[PARTICLES_MAX][3];
    if (line.count < 3 || stiffness == 0.0) return;
    double l = line.segment;
    fill_bands(&line, 4.0 * stiffness / (l * l * l) * dt * dt / mass, &bands);
    for (uint32_t i = 0; i < line.count; i++) {
        for (int axis = 0; axis < 3; axis++) right[i][axis] = place(&line, i, axis);
    }
    move_held(&line, &bands, right);
    solve_bands(&bands, line.count, right);
    for (uint32_t i = 0; i < line.count; i++) {
        if (!is_held(&line, i)) set_place(&line, i, right[i]);
    }
}
