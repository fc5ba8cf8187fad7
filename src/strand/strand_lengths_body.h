// The loop of strand_lengths.h. Included by strand_lengths_*.c, which differ in their compiler flags alone;
// STRAND_LENGTHS names the function that each defines.
#include "strand/strand_lengths.h"

#include <string.h>

#define CHOOSE(mask, yes, no) ((Row)(((mask) & (RowMask)(yes)) | (~(mask) & (RowMask)(no))))
#define ROUNDED(row) __builtin_convertvector(__builtin_convertvector(row, RowFloats), Row) // to floats

#include "strand/strand_bend_body.h"

// Lanes without a strand repeat the first.
static void load_lines(const StrandBunch *bunch, StrandLengths *out)
{
    out->count = bunch->line[0].count;
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) {
        const StrandLine *line = &bunch->line[lane < bunch->count ? lane : 0];
        out->segment[lane] = line->segment;
        for (uint32_t i = 0; i < out->count; i++) {
            Vec3 x = line->x[i], way = line->way[i];
            bool held = i < line->held_first || i >= line->count - line->held_last;
            out->x[i][0][lane] = (double)x.x, out->way[i][0][lane] = (double)way.x;
            out->x[i][1][lane] = (double)x.y, out->way[i][1][lane] = (double)way.y;
            out->x[i][2][lane] = (double)x.z, out->way[i][2][lane] = (double)way.z;
            out->weight[i][lane] = held ? 0.0 : 1.0;
        }
    }
}

static void store_lines(const StrandLengths *lengths, const StrandBunch *bunch)
{
    for (uint32_t lane = 0; lane < bunch->count; lane++) {
        for (uint32_t i = 0; i < lengths->count; i++) {
            const Row *way = lengths->way[i];
            if (lengths->weight[i][lane] == 0.0) continue;
            bunch->line[lane].way[i] =
                vec3_make((float)way[0][lane], (float)way[1][lane], (float)way[2][lane]);
        }
    }
}

static inline void measure_segment(StrandLengths *own, uint32_t k, Row *worst)
{
    Row squared = {0}, length, zero = {0}, *n = own->direction[k];
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = (own->x[k + 1][axis] + own->way[k + 1][axis]) - (own->x[k][axis] + own->way[k][axis]);
        squared += n[axis] * n[axis];
    }
    double roots[STRANDS_AT_ONCE];
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) roots[lane] = sqrt(squared[lane]);
    for (uint32_t lane = 0; lane < STRANDS_AT_ONCE; lane++) length[lane] = roots[lane];
    Row inverse = 1.0 / length;
    for (int axis = 0; axis < 3; axis++)
        n[axis] = CHOOSE(length > 0.0, n[axis] * inverse, axis == 2 ? zero + 1.0 : zero);
    own->excess[k] = CHOOSE(own->weight[k] + own->weight[k + 1] > 0.0, length - own->segment, zero);
    Row wrong = CHOOSE(own->excess[k] < 0.0, -own->excess[k], own->excess[k]);
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
        Row both = own->weight[k] + own->weight[k + 1], one = own->weight[k] * 0.0 + 1.0;
        Row diagonal = CHOOSE(both > 0.0, both, one), excess = own->excess[k];
        if (k > 0) {
            const Row *before = own->direction[k - 1], *n = own->direction[k];
            Row cosine = before[0] * n[0] + before[1] * n[1] + before[2] * n[2];
            Row above = -own->weight[k] * cosine, share = above / last_diagonal;
            own->share[k - 1] = share;
            diagonal -= share * above;
            excess -= share * own->excess[k - 1];
        }
        own->excess[k] = excess;
        own->diagonal[k] = last_diagonal = diagonal;
    }
    // Divisions side by side, and none on the way back.
    for (uint32_t k = 0; k <= last; k++) own->excess[k] /= own->diagonal[k];
    for (uint32_t k = last; k-- > 0;) own->excess[k] -= own->share[k] * own->excess[k + 1];
}

// moves: all bits of the strands that do.
static inline void pull_particle(StrandLengths *own, uint32_t i, const RowMask *moves)
{
    for (int axis = 0; axis < 3; axis++) {
        Row *way = &own->way[i][axis], x = own->x[i][axis], at = x + *way;
        if (i + 1 < own->count) at += own->excess[i] * own->direction[i][axis];
        if (i > 0) at -= own->excess[i - 1] * own->direction[i - 1][axis];
        *way = CHOOSE(*moves & (own->weight[i] > 0.0), ROUNDED(at - x), *way);
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
    if (bits) memcpy(lengths->start, lengths->way, lengths->count * sizeof *lengths->way);
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
