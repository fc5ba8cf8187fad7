// Lengths of strands that Newton steps on the linearized constraints do not find, of eight strands at once:
// ropes that are taut, whose constraints nearly depend on each other, and strands that are far from their
// lengths. Included by strand_lengths_body.h.
//
// The stationary point of sum |p - p0|^2 / 2 + sum lambda C, with what the tensions lambda add to its second
// derivative (Tournier et al. 2015, "Stable constrained dynamics"), so that a taut rope is stiff across, too.
// Segments are springs of a compliance that falls with each step. Particles and segments are eliminated in
// turn, from the root on.

// Steps at most; the springs' compliance over the mass of a particle, at first, its factor from step to step,
// and at last.
#define TAUT_STEPS 60
#define GIVE_FIRST 1.0
#define GIVE_FACTOR 0.1
#define GIVE_LAST 1e-10
// Of a segment: shorter ones turn as easily as such.
#define LENGTH_LEAST 0.1

#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

// Symmetric matrices: xx, xy, yy, xz, yz, zz.
static inline void multiply(const Row *m, const Row *v, Row *out)
{
    out[0] = m[0] * v[0] + m[1] * v[1] + m[3] * v[2];
    out[1] = m[1] * v[0] + m[2] * v[1] + m[4] * v[2];
    out[2] = m[3] * v[0] + m[4] * v[1] + m[5] * v[2];
}

// By L D L^T, which stays exact where one of the eigenvalues is large.
static inline void invert(const Row *m, Row *out)
{
    Row d0 = 1.0 / m[0], l10 = m[1] * d0, l20 = m[3] * d0;
    Row d1 = 1.0 / (m[2] - l10 * m[1]), below = m[4] - l20 * m[1], l21 = below * d1;
    Row d2 = 1.0 / (m[5] - l20 * m[3] - l21 * below), k20 = l10 * l21 - l20;
    out[5] = d2;
    out[4] = -l21 * d2;
    out[3] = k20 * d2;
    out[2] = d1 + l21 * l21 * d2;
    out[1] = -l10 * d1 - l21 * k20 * d2;
    out[0] = d0 + l10 * l10 * d1 + k20 * k20 * d2;
}

// Adds scale (1 - n n^T).
static inline void add_across(Row *m, const Row *n, const Row *scale)
{
    for (int row = 0, k = 0; row < 3; row++) {
        for (int column = 0; column <= row; column++, k++)
            m[k] += *scale * ((row == column ? 1.0 : 0.0) - n[row] * n[column]);
    }
}

// What segments in tension resist being turned with.
static void find_turning(StrandLengths *own)
{
    Row zero = {0}, least = LENGTH_LEAST * own->segment;
    for (uint32_t k = 0; k + 1 < own->count; k++) {
        Row length = own->row[k].excess + own->segment;
        Row tension = CHOOSE(own->tension[k] > 0.0, own->tension[k], zero);
        own->taut[k].turning = tension / CHOOSE(length > least, length, least);
    }
}

// A particle without what is eliminated before it: its matrix, and its right side.
static inline void start_particle(StrandLengths *own, uint32_t i, Row *matrix)
{
    Row zero = {0};
    for (int k = 0; k < 6; k++) matrix[k] = k == 0 || k == 2 || k == 5 ? zero + 1.0 : zero;
    for (uint32_t k = i > 0 ? i - 1 : 0; k <= i && k + 1 < own->count; k++) {
        Row scale = own->row[i].weight * own->taut[k].turning;
        add_across(matrix, own->row[k].direction, &scale);
    }
    for (int axis = 0; axis < 3; axis++)
        own->right[i][axis] = own->row[i].weight * (own->start[i][axis] - own->row[i].way[axis]);
}

// Particle i, then segment i, leave what they do to the next particle, whose matrix is `next`.
static inline void eliminate(StrandLengths *own, uint32_t i, double give, const Row *matrix, Row *next)
{
    TautRow *taut = &own->taut[i];
    const Row *n = own->row[i].direction;
    Row from_n[3], from_right[3], weight = own->row[i].weight, after = own->row[i + 1].weight;
    Row across = weight * after * taut->turning;
    invert(matrix, taut->inverse);
    multiply(taut->inverse, n, from_n);
    multiply(taut->inverse, own->right[i], from_right);
    Row along = DOT(n, from_n), pivot = 1.0 / (give + weight * along), right_along = DOT(n, from_right);
    taut->excess = (own->row[i].excess - weight * right_along) * pivot;
    for (int axis = 0; axis < 3; axis++) {
        Row lever = after * n[axis] - weight * across * (from_n[axis] - along * n[axis]);
        own->right[i + 1][axis] += across * (from_right[axis] - right_along * n[axis]) - lever * taut->excess;
        taut->lever[axis] = lever;
    }
    for (int row = 0, k = 0; row < 3; row++) {
        for (int column = 0; column <= row; column++, k++) {
            Row both = taut->inverse[k] - n[row] * from_n[column] - from_n[row] * n[column] +
                       along * n[row] * n[column];
            next[k] += pivot * taut->lever[row] * taut->lever[column] - across * across * both;
        }
    }
    for (int axis = 0; axis < 3; axis++) taut->lever[axis] *= pivot;
}

// What each particle moves by takes the place of its right side, and new tensions that of the old.
static void solve_taut(StrandLengths *own, double give)
{
    Row matrix[6], next[6];
    find_turning(own);
    start_particle(own, 0, matrix);
    for (uint32_t i = 0; i + 1 < own->count; i++) {
        start_particle(own, i + 1, next);
        eliminate(own, i, give, matrix, next);
        memcpy(matrix, next, sizeof matrix);
    }
    uint32_t last = own->count - 1;
    Row inverse[6], moved[3];
    invert(matrix, inverse);
    multiply(inverse, own->right[last], moved);
    memcpy(own->right[last], moved, sizeof moved);
    for (uint32_t i = last; i-- > 0;) {
        const TautRow *taut = &own->taut[i];
        const Row *n = own->row[i].direction;
        Row *right = own->right[i], along = DOT(n, moved);
        Row across = own->row[i].weight * own->row[i + 1].weight * taut->turning;
        own->tension[i] = taut->excess + DOT(taut->lever, moved);
        for (int axis = 0; axis < 3; axis++)
            right[axis] +=
                across * (moved[axis] - along * n[axis]) + own->row[i].weight * own->tension[i] * n[axis];
        multiply(taut->inverse, right, moved);
        memcpy(right, moved, sizeof moved);
    }
}

static void move_taut(StrandLengths *own, uint32_t bits)
{
    RowMask moves;
    set_rows(&moves, bits);
    for (uint32_t i = 0; i < own->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            Row *way = &own->row[i].way[axis], moved = ROUNDED(*way + own->right[i][axis]);
            *way = CHOOSE(moves & (own->row[i].weight > 0.0), moved, *way);
        }
    }
}

// Puts each segment to the end of the one before, in its direction. A strand that nothing holds keeps its
// center.
static void lay_out(StrandLengths *own, uint32_t bits, bool held)
{
    Row shift[3] = {{0}};
    RowMask which;
    set_rows(&which, bits);
    for (uint32_t i = 1; i < own->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            Row end = own->row[i - 1].x[axis] + own->row[i - 1].way[axis] +
                      own->segment * own->row[i - 1].direction[axis];
            Row *way = &own->row[i].way[axis], moved = ROUNDED(end - own->row[i].x[axis]);
            moved = CHOOSE(which & (own->row[i].weight > 0.0), moved, *way);
            shift[axis] += *way - moved;
            *way = moved;
        }
    }
    for (uint32_t i = 0; i < own->count && !held; i++) {
        for (int axis = 0; axis < 3; axis++)
            own->row[i].way[axis] = ROUNDED(own->row[i].way[axis] + shift[axis] / (double)own->count);
    }
}

// From `start` on. bits: of the strands to move. Returns those that are not right even so.
static uint32_t find_taut(StrandLengths *own, const StrandLine *line, uint32_t bits, double enough)
{
    double give = GIVE_FIRST;
    RowMask moves;
    Row zero = {0};
    set_rows(&moves, bits);
    for (uint32_t i = 0; i < own->count; i++) {
        for (int axis = 0; axis < 3; axis++)
            own->row[i].way[axis] = CHOOSE(moves, own->start[i][axis], own->row[i].way[axis]);
    }
    for (uint32_t k = 0; k + 1 < own->count; k++) own->tension[k] = zero;
    measure_segments(own, enough);
    for (uint32_t step = 0; bits && step < TAUT_STEPS; step++) {
        solve_taut(own, give);
        move_taut(own, bits);
        bits &= measure_segments(own, enough);
        give = give * GIVE_FACTOR > GIVE_LAST ? give * GIVE_FACTOR : GIVE_LAST;
    }
    if (!bits || line->held_last > 0) return bits;
    lay_out(own, bits, line->held_first > 0);
    return 0;
}
