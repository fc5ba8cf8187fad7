// Care for strands that iterations for all do not keep from passing through each other.
//
// Few strands in a step end it with their middle lines near to each other although they were further apart:
// their pairs are moved further. Nothing of it outlasts the step, so that hair does not become a mat.
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_pairs.h"

#include <string.h>

// Pairs need care that overlap by this much (of the thickness) more than they should, with middle lines that
// are less than NEAR of it apart along their normal.
#define OVERLAP 0.1f
#define NEAR 0.5f

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

static bool is_deep(const StrandContact *contact, float distance)
{
    return distance < -OVERLAP * contact->thickness && distance + contact->kept < NEAR * contact->thickness;
}

static void find_deep(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    for (uint32_t n = begin; n < end; n++) {
        const StrandContact *row = pairs->contacts + pairs->chunks[n].first;
        for (uint32_t c = 0; c < pairs->chunks[n].count; c++) {
            if (!is_deep(&row[c], strand_contact_distance(strands, &row[c]))) continue;
            strand_mark(&pairs->guard.cared[strands->strand_of[row[c].own]]);
            strand_mark(&pairs->guard.cared[strands->strand_of[row[c].other]]);
        }
    }
}

bool strand_guard_begin(Strands *strands)
{
    StrandPairs *pairs = strands->pairs;
    StrandGuard *guard = &pairs->guard;
    memset(guard->cared, 0, strands->strand_count);
    guard->count = 0;
    parallel_for(pairs->chunk_count, 4, find_deep, strands);
    if (!memchr(guard->cared, 1, strands->strand_count)) return false;
    for (uint32_t n = 0; n < pairs->chunk_count; n++) {
        uint32_t first = pairs->chunks[n].first, end = first + pairs->chunks[n].count;
        for (uint32_t c = first; c < end; c++) {
            const StrandContact *contact = &pairs->contacts[c];
            if (guard->cared[strands->strand_of[contact->own]] &&
                guard->cared[strands->strand_of[contact->other]])
                guard->contacts[guard->count++] = c;
        }
    }
    return true;
}

bool strand_guard_apply(Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    const StrandGuard *guard = &pairs->guard;
    bool deep = false;
    for (uint32_t n = 0; n < guard->count; n++) {
        const StrandContact *contact = &pairs->contacts[guard->contacts[n]];
        deep |= is_deep(contact, strand_contact_apply(strands, contact));
    }
    return deep;
}
