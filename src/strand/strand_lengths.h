// Lengths of eight strands at once, the same for every instruction set and for strands one by one.
#ifndef PBF_STRAND_STRAND_LENGTHS_H
#define PBF_STRAND_STRAND_LENGTHS_H

#include "strand/strand_state.h"

#define STRANDS_AT_ONCE 8u

// Strands of as many particles each, STRANDS_AT_ONCE at most.
typedef struct StrandBunch {
    StrandLine line[STRANDS_AT_ONCE];
    uint32_t strand[STRANDS_AT_ONCE];
    uint32_t count;
} StrandBunch;

// Newton steps towards segments of their length: the linearized constraints of a strand, solved at once,
// until its worst is right to `enough` of its length or there were `steps`. Returns the bits of those that
// are not right even so.
typedef uint32_t StrandLengthsKernel(const StrandBunch *bunch, uint32_t steps, double enough);

StrandLengthsKernel strand_lengths_plain, strand_lengths_avx2, strand_lengths_avx512;

#endif
