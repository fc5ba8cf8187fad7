// How the processes that share a fluid reach each other: what src/mpi does with MPI. Processes are numbered
// by rank, from 0. All of them make the same calls in the same order; none returns before the others have
// come to it as far as it needs them. What breaks on the way ends all processes: calls cannot fail.
#ifndef PBF_FLUID_LINKS_H
#define PBF_FLUID_LINKS_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

// Bytes to a rank, or from it.
typedef struct LinkMessage {
    uint32_t rank;
    void *data;
    size_t bytes;
} LinkMessage;

struct ShareCount; // share.h

typedef struct Links {
    void *self;
    uint32_t rank, ranks;
    // The sum, and the largest, of all ranks' numbers, one by one, in their place.
    void (*sum)(void *self, int64_t *numbers, size_t count);
    void (*most)(void *self, double *numbers, size_t count);
    // Of the numbers of all lower ranks: rank 0 gets zeros.
    void (*sum_below)(void *self, int64_t *numbers, size_t count);
    // Rank 0's bytes to all.
    void (*spread)(void *self, void *data, size_t bytes);
    // As many bytes from each, by rank, to all.
    void (*collect)(void *self, const void *mine, size_t bytes, void *all);
    // The same of bytes[r] from rank r, which all know.
    void (*collect_parts)(void *self, const void *mine, const size_t *bytes, void *all);
    // A number for each rank, and from each.
    void (*deal)(void *self, const uint32_t *mine, uint32_t *theirs);
    // Sends and receives; every message that is sent is received by its rank, with as many bytes. Those
    // without bytes are left out on both sides.
    void (*exchange)(void *self, const LinkMessage *out, uint32_t outs, const LinkMessage *in, uint32_t ins);
    // Told by each rank as a step begins (NULL), and what it has had and sent when the step is over. May be
    // NULL.
    void (*stepped)(void *self, const struct ShareCount *count);
    // Ends all processes, with this error's line and exit status.
    void (*fail)(void *self, const Result *result) __attribute__((noreturn));
} Links;

#endif
