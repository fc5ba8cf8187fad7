// The loop of strand_lengths.h. Included by strand_lengths_*.c, which differ in their compiler flags alone;
// STRAND_LENGTHS names the function that each defines.
#include "strand/strand_lengths.h"

#include <string.h>

#define CHOOSE(mask, yes, no) ((Row)(((mask) & (RowMask)(yes)) | (~(mask) & (RowMask)(no))))
#define ROUNDED(row) __builtin_convertvector(__builtin_convertvector(row, RowFloats), Row) // to floats

// All of a bunch are held alike.
static inline bool is_held(const StrandBunch *bunch, uint32_t i)
{
    const StrandLine *line = &bunch->line[0];
    return i < line->held_first || i >= line->count - line->held_last;
}

#include "strand/strand_bend_body.h"

static inline void widen(const float *from, Row *out)
{
    RowFloats row;
    memcpy(&row, from, sizeof row);
    *out = __builtin_convertvector(row, Row);
}

// Lanes without a strand repeat the first.
static void load_lines(const StrandBunch *bunch, StrandLengths *out)
{
    const StrandLine *line[STRANDS_AT_ONCE];
    Row zero = {0};
    out->count = bunch->line[0].count;
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) {
        line[lane] = &bunch->line[lane < bunch->count ? lane : 0];
        out->segment[lane] = line[lane]->segment;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        float x[3][STRANDS_AT_ONCE], way[3][STRANDS_AT_ONCE];
        for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) {
            const Vec3 *at = &line[lane]->x[i], *by = &line[lane]->way[i];
            x[0][lane] = at->x, x[1][lane] = at->y, x[2][lane] = at->z;
            way[0][lane] = by->x, way[1][lane] = by->y, way[2][lane] = by->z;
        }
        for (int axis = 0; axis < 3; axis++) {
            widen(x[axis], &out->row[i].x[axis]);
            widen(way[axis], &out->row[i].way[axis]);
        }
        out->row[i].weight = is_held(bunch, i) ? zero : zero + 1.0;
    }
}

static void store_lines(const StrandLengths *lengths, const StrandBunch *bunch)
{
    for (uint32_t lane = 0; lane < bunch->count; lane++) {
        for (uint32_t i = 0; i < lengths->count; i++) {
            const Row *way = lengths->row[i].way;
            if (lengths->row[i].weight[lane] == 0.0) continue;
            bunch->line[lane].way[i] =
                vec3_make((float)way[0][lane], (float)way[1][lane], (float)way[2][lane]);
        }
    }
}

static inline void measure_segment(StrandLengths *own, uint32_t k, Row *worst)
{
    Row squared = {0}, length, zero = {0}, *n = own->row[k].direction;
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = (own->row[k + 1].x[axis] + own->row[k + 1].way[axis]) -
                  (own->row[k].x[axis] + own->row[k].way[axis]);
        squared += n[axis] * n[axis];
    }
    double roots[STRANDS_AT_ONCE];
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) roots[lane] = sqrt(squared[lane]);
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) length[lane] = roots[lane];
    Row inverse = 1.0 / length;
    for (int axis = 0; axis < 3; axis++)
        n[axis] = CHOOSE(length > 0.0, n[axis] * inverse, axis == 2 ? zero + 1.0 : zero);
    own->row[k].excess =
        CHOOSE(own->row[k].weight + own->row[k + 1].weight > 0.0, length - own->segment, zero);
    Row wrong = CHOOSE(own->row[k].excess < 0.0, -own->row[k].excess, own->row[k].excess);
    *worst = CHOOSE(wrong > *worst, wrong, *worst);
}

// Returns the bits of the strands that are wrong by more than `enough` of a segment.
static uint32_t measure_segments(StrandLengths *own, double enough)
{
    Row worst = {0};
    uint32_t bits = 0;
    for (uint32_t k = 0; k + 1 < own->count; k++) measure_segment(own, k, &worst);
    worst /= own->segment;
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++)
        bits |= (uint32_t) !(worst[lane] <= enough) << lane;
    return bits;
}

// What each segment has to be pulled by takes the place of its excess: a tridiagonal system.
static void solve_segments(StrandLengths *own)
{
    uint32_t last = own->count - 2;
    Row last_diagonal = {0};
    for (uint32_t k = 0; k <= last; k++) {
        Row both = own->row[k].weight + own->row[k + 1].weight, one = own->row[k].weight * 0.0 + 1.0;
        Row diagonal = CHOOSE(both > 0.0, both, one), excess = own->row[k].excess;
        if (k > 0) {
            const Row *before = own->row[k - 1].direction, *n = own->row[k].direction;
            Row cosine = before[0] * n[0] + before[1] * n[1] + before[2] * n[2];
            Row above = -own->row[k].weight * cosine, share = above / last_diagonal;
            own->row[k - 1].share = share;
            diagonal -= share * above;
            excess -= share * own->row[k - 1].excess;
        }
        own->row[k].excess = excess;
        own->row[k].diagonal = last_diagonal = diagonal;
    }
    // Divisions side by side, and none on the way back.
    for (uint32_t k = 0; k <= last; k++) own->row[k].excess /= own->row[k].diagonal;
    for (uint32_t k = last; k-- > 0;) own->row[k].excess -= own->row[k].share * own->row[k + 1].excess;
}

// moves: all bits of the strands that do.
static inline void pull_particle(StrandLengths *own, uint32_t i, const RowMask *moves)
{
    for (int axis = 0; axis < 3; axis++) {
        Row *way = &own->row[i].way[axis], x = own->row[i].x[axis], at = x + *way;
        if (i + 1 < own->count) at += own->row[i].excess * own->row[i].direction[axis];
        if (i > 0) at -= own->row[i - 1].excess * own->row[i - 1].direction[axis];
        *way = CHOOSE(*moves & (own->row[i].weight > 0.0), ROUNDED(at - x), *way);
    }
}

static void set_rows(RowMask *rows, uint32_t bits)
{
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) (*rows)[lane] = bits >> lane & 1u ? -1 : 0;
}

#include "strand/strand_taut_body.h"

uint32_t STRAND_LENGTHS(const StrandBunch *bunch, uint32_t steps, double enough, StrandLengths *lengths)
{
    bool bends = false;
    for (uint32_t lane = 0; lane < bunch->count; lane++) bends |= bunch->bend[lane] > 0.0;
    load_lines(bunch, lengths);
    if (bends && lengths->count > 2) bend(lengths, bunch);
    uint32_t bits = measure_segments(lengths, enough), first = bits;
    for (uint32_t i = 0; bits && i < lengths->count; i++)
        memcpy(lengths->start[i], lengths->row[i].way, sizeof lengths->start[i]);
    for (uint32_t step = 0; bits && step < steps; step++) {
        RowMask moves;
        set_rows(&moves, bits);
        solve_segments(lengths);
        for (uint32_t i = 0; i < lengths->count; i++) pull_particle(lengths, i, &moves);
        bits = measure_segments(lengths, enough);
    }
    if (bits) bits = find_taut(lengths, &bunch->line[0], bits, enough);
    if (first || bends) store_lines(lengths, bunch);
    return bits & ((1u << bunch->count) - 1u);
}
