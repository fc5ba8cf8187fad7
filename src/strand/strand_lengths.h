// Bending and lengths of eight strands at once, the same for every instruction set and for strands one by
// one.
#ifndef PBF_STRAND_STRAND_LENGTHS_H
#define PBF_STRAND_STRAND_LENGTHS_H

#include "strand/strand_state.h"

#define STRANDS_AT_ONCE 8u

// Strands of as many particles each that are held alike, STRANDS_AT_ONCE at most.
typedef struct StrandBunch {
    StrandLine line[STRANDS_AT_ONCE];
    double bend[STRANDS_AT_ONCE]; // 4 EI / l^3 dt^2 over the mass of a particle; 0: does not bend
    uint32_t strand[STRANDS_AT_ONCE];
    uint32_t count;
} StrandBunch;

// The compiler's own vectors, of a double for each strand, with the same arithmetic everywhere.
typedef double Row __attribute__((vector_size(8 * STRANDS_AT_ONCE)));
typedef int64_t RowMask __attribute__((vector_size(8 * STRANDS_AT_ONCE)));
typedef float RowFloats __attribute__((vector_size(4 * STRANDS_AT_ONCE)));

// What is left of a particle and the segment behind it once they are eliminated (strand_taut_body.h).
typedef struct TautRow {
    Row inverse[6], lever[3], excess, turning;
} TautRow;

// In rows: loads from arrays would wait for stores to other arrays whose addresses end alike. A particle and
// the segment behind it: its direction and by how much (m) it is too long, 0 where both its ends are held.
// All particles of a strand weigh the same: 1, or 0 where they are held.
typedef struct LengthRow {
    Row x[3], way[3], weight;
    Row direction[3], excess, diagonal, share;
} LengthRow;

// Strands side by side, too many for a stack.
struct StrandLengths {
    LengthRow row[STRAND_SEGMENTS_MAX + 1];
    Row bands[3][STRAND_SEGMENTS_MAX + 1], right[STRAND_SEGMENTS_MAX + 1][3]; // of bending
    Row start[STRAND_SEGMENTS_MAX + 1][3], tension[STRAND_SEGMENTS_MAX];      // of taut strands
    TautRow taut[STRAND_SEGMENTS_MAX];
    Row segment; // m
    uint32_t count;
};

// Moves particles to where springs against curvature take them. Then Newton steps towards segments of their
// length: the linearized constraints of a strand, solved at once,
// until its worst is right to `enough` of its length or there were `steps`; then those of strand_taut_body.h.
// Returns the bits of those that are not right even so.
typedef uint32_t StrandLengthsKernel(const StrandBunch *bunch, uint32_t steps, double enough,
                                     StrandLengths *scratch);

StrandLengthsKernel strand_lengths_plain, strand_lengths_avx2, strand_lengths_avx512;

#endif
