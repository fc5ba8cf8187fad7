// Care for strands that iterations for all do not keep from passing through each other.
//
// Few strands in a step end it with their middle lines near to each other although they were further apart:
// their pairs are moved further. Nothing of it outlasts the step, so that hair does not become a mat.
#include "core/parallel.h"
#include "strand/strand_pairs.h"

#include <string.h>

static void care_for(const Strands *strands, const StrandContact *contact)
{
    if (!strand_contact_is_deep(contact, strand_contact_distance(strands, contact))) return;
    strand_mark(&strands->pairs->cared[contact->strand_own]);
    strand_mark(&strands->pairs->cared[contact->strand_other]);
}

static void find_deep(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Strands *strands = context;
    const StrandPairs *pairs = strands->pairs;
    for (uint32_t n = begin; n < end; n++) {
        const StrandContact *row = pairs->contacts + pairs->chunks[n].first;
        for (uint32_t c = 0, count = pairs->chunks[n].count; c < count; c += STRAND_AT_ONCE) {
            uint32_t bits = strand_apart()->overlapping(strands, row + c, count - c);
            for (; bits; bits &= bits - 1) care_for(strands, &row[c + (uint32_t)__builtin_ctz(bits)]);
        }
    }
}

// Contacts of strands in care come first in their chunk; the others are not needed any more.
static void bring_cared(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    const bool *cared = pairs->cared;
    for (uint32_t n = begin; n < end; n++) {
        StrandContact *row = pairs->contacts + pairs->chunks[n].first;
        uint32_t count = 0;
        for (uint32_t c = 0; c < pairs->chunks[n].count; c++) {
            if (cared[row[c].strand_own] && cared[row[c].strand_other]) row[count++] = row[c];
        }
        pairs->chunks[n].count = count;
    }
}

bool strand_guard_begin(Strands *strands)
{
    StrandPairs *pairs = strands->pairs;
    memset(pairs->cared, 0, strands->strand_count);
    parallel_for(pairs->chunk_count, 4, find_deep, strands);
    if (!memchr(pairs->cared, 1, strands->strand_count)) return false;
    parallel_for(pairs->chunk_count, 4, bring_cared, strands);
    return true;
}
