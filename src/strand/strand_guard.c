// Care for strands that iterations for all do not keep from passing through each other.
//
// Few strands in a step end it with their middle lines near to each other although they were further apart:
// their pairs are moved further. Nothing of it outlasts the step, so that hair does not become a mat.
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_pairs.h"

#include <string.h>

#define BATCH 64u // contacts that are moved together

Result strand_guard_create(StrandGuard *guard, size_t contacts, size_t strands)
{
    guard->contacts = memory_allocate(contacts * sizeof *guard->contacts);
    guard->cared = memory_allocate_zeroed(strands);
    if (!guard->contacts || !guard->cared)
        return result_no_memory("contacts of strands", contacts * sizeof *guard->contacts);
    return result_ok();
}

void strand_guard_free(StrandGuard *guard)
{
    memory_free(guard->contacts);
    memory_free(guard->cared);
    *guard = (StrandGuard){0};
}

static void care_for(const Strands *strands, const StrandContact *contact)
{
    if (!strand_contact_is_deep(contact, strand_contact_distance(strands, contact))) return;
    strand_mark(&strands->pairs->guard.cared[contact->strand_own]);
    strand_mark(&strands->pairs->guard.cared[contact->strand_other]);
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

static void list_cared(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    const bool *cared = pairs->guard.cared;
    for (uint32_t n = begin; n < end; n++) {
        ContactChunk *chunk = &pairs->chunks[n];
        uint32_t *list = pairs->guard.contacts + chunk->first;
        chunk->cared = 0;
        for (uint32_t c = chunk->first; c < chunk->first + chunk->count; c++) {
            const StrandContact *contact = &pairs->contacts[c];
            list[chunk->cared] = c;
            chunk->cared += cared[contact->strand_own] && cared[contact->strand_other];
        }
    }
}

bool strand_guard_begin(Strands *strands)
{
    StrandPairs *pairs = strands->pairs;
    memset(pairs->guard.cared, 0, strands->strand_count);
    parallel_for(pairs->chunk_count, 4, find_deep, strands);
    if (!memchr(pairs->guard.cared, 1, strands->strand_count)) return false;
    parallel_for(pairs->chunk_count, 4, list_cared, strands);
    return true;
}

bool strand_guard_apply(Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    StrandContact batch[BATCH];
    uint32_t count = 0;
    bool deep = false;
    for (uint32_t n = 0; n < pairs->chunk_count; n++) {
        const uint32_t *list = pairs->guard.contacts + pairs->chunks[n].first;
        for (uint32_t c = 0; c < pairs->chunks[n].cared; c++) {
            batch[count++] = pairs->contacts[list[c]];
            if (count < BATCH) continue;
            deep |= strand_apart()->apart(strands, batch, count);
            count = 0;
        }
    }
    return strand_apart()->apart(strands, batch, count) || deep;
}
