// Strands against strands: pairs of edges that meet on their ways, found once a step, and kept apart.
//
// Contacts lie in the order of the places of their first edges, in chunks. Chunks make up slabs of space, so
// wide that contacts of every other one share no particle: those slabs are moved side by side.
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#include <string.h>

#define CHUNK 256u      // edges at most
#define SLAB_LAYERS 3   // of cells; see strand_sweep_sort
#define MARGIN 0.5f     // of the thickness, within which edges that do not touch are kept apart, too
#define CORRECTION 0.1f // of the thickness, that edges which overlap part in a step at most
#define CONTACTS_PER_EDGE 8u
#define LEVER 0.25f
#define OVERLAP 0.5f // of the thickness: more asks for another iteration
#define PAIRS 1024u  // that are looked at together
#define AHEAD 6u     // contacts

// Points at `along` and `beside` of two edges that are kept apart along `normal`, which points from the other
// edge to this one.
typedef struct StrandContact {
    uint32_t own, other; // first particles of the edges
    float along, beside;
    float apart;     // m, where the step begins, less what they are kept apart by
    float thickness; // m
    Vec3 normal;
    float pull[4]; // m that each particle moves by along the normal, of those that the edges are too near
} StrandContact;

// Edges at neighboring places. Their contacts lie together, wherever there was room: `count` from `first` on.
typedef struct ContactChunk {
    uint32_t begin, end, first, count;
    bool fresh;  // some edges have met others that they had not
    float depth; // how far they would overlap without contacts, as a share of the shorter segment
} ContactChunk;

typedef struct ContactSlab {
    uint32_t begin, end; // chunks
    float overlap;       // of their thickness, of the last time they were moved
} ContactSlab;

// Pairs of a worker on their way to strand_sweep_meet, and what has become of them.
typedef struct PairBatch {
    uint32_t own[PAIRS], other[PAIRS], count;
    SweepMeeting meetings[PAIRS];
    StrandContact contacts[CHUNK * CONTACTS_PER_EDGE]; // of a chunk, before they join the others
} PairBatch;

struct StrandPairs {
    StrandContact *contacts, *before; // of the last search, and of the one before it
    uint32_t contact_count;           // so far
    uint32_t *row;                    // of each edge: its first contact
    uint8_t *count;                   // of each edge, CONTACTS_PER_EDGE at most
    ContactChunk *chunks;
    ContactSlab *slabs;
    uint32_t chunk_count, slab_count;
    StrandSweep sweep;
    PairBatch *batches; // of each worker
    size_t batches_capacity;
    bool *struck; // of each strand: its way would have led through another
};

void strand_pairs_destroy(StrandPairs *pairs)
{
    if (!pairs) return;
    void *blocks[] = {pairs->contacts, pairs->before, pairs->row,     pairs->count,
                      pairs->chunks,   pairs->slabs,  pairs->batches, pairs->struck};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
    strand_sweep_free(&pairs->sweep);
    memory_free(pairs);
}

static Result allocate(StrandPairs *pairs, const Strands *strands)
{
    TRY(strand_sweep_create(&pairs->sweep, strands));
    size_t edges = pairs->sweep.count, rows = edges * CONTACTS_PER_EDGE, slabs = edges / CHUNK + 1;
    pairs->contacts = memory_allocate(rows * sizeof *pairs->contacts);
    pairs->before = memory_allocate(rows * sizeof *pairs->before);
    pairs->row = memory_allocate(strands->particle_count * sizeof *pairs->row);
    pairs->count = memory_allocate_zeroed(strands->particle_count);
    pairs->chunks = memory_allocate(2 * slabs * sizeof *pairs->chunks);
    pairs->slabs = memory_allocate(slabs * sizeof *pairs->slabs);
    pairs->struck = memory_allocate_zeroed(strands->strand_count);
    if (!pairs->contacts || !pairs->before || !pairs->row || !pairs->count || !pairs->chunks ||
        !pairs->slabs || !pairs->struck)
        return result_no_memory("contacts of strands", 2 * rows * sizeof(StrandContact));
    return result_ok();
}

Result strand_pairs_create(const Strands *strands, StrandPairs **out)
{
    *out = NULL;
    StrandPairs *pairs = memory_allocate_zeroed(sizeof *pairs);
    if (!pairs) return result_no_memory("strands", sizeof *pairs);
    Result result = allocate(pairs, strands);
    if (result_is_ok(&result))
        *out = pairs;
    else
        strand_pairs_destroy(pairs);
    return result;
}

Result strand_pairs_reserve(StrandPairs *pairs)
{
    if (!pairs) return result_ok();
    TRY(MEMORY_RESERVE(pairs->batches, pairs->batches_capacity, 0, parallel_workers(),
                       "contacts of strands"));
    return strand_sweep_reserve(&pairs->sweep);
}

// --- chunks and slabs ---

static void add_slab(StrandPairs *pairs, uint32_t begin, uint32_t end)
{
    ContactSlab *slab = &pairs->slabs[pairs->slab_count++];
    slab->begin = pairs->chunk_count;
    for (uint32_t from = begin; from < end; from += CHUNK) {
        uint32_t to = end - from < CHUNK ? end : from + CHUNK;
        pairs->chunks[pairs->chunk_count++] = (ContactChunk){.begin = from, .end = to};
    }
    slab->end = pairs->chunk_count;
}

// whole: a single slab, for contacts that were found with other ways, whose edges may have parted since.
static void cut_slabs(StrandPairs *pairs, bool whole)
{
    const ShapeIndex *index = &pairs->sweep.index;
    pairs->chunk_count = pairs->slab_count = 0;
    uint32_t begin = 0, first = 0, layers = index->size[2], count = pairs->sweep.count;
    for (uint32_t layer = 1; layer <= layers; layer++) {
        uint32_t end = shape_index_layer(index, layer);
        bool enough = !whole && layer - first >= SLAB_LAYERS && end - begin >= CHUNK;
        if (layer < layers && !enough) continue;
        if (begin < end || layer == layers) add_slab(pairs, begin, layer == layers ? count : end);
        begin = end;
        first = layer;
    }
}

// --- finding ---

// How far (m) the edges are apart along the normal after these ways, less what they should be.
static float distance_after(const StrandContact *contact, const Vec3 own[2], const Vec3 other[2])
{
    float first = vec3_dot(contact->normal, own[0]), second = vec3_dot(contact->normal, own[1]);
    float third = vec3_dot(contact->normal, other[0]), fourth = vec3_dot(contact->normal, other[1]);
    return contact->apart + (first + contact->along * (second - first)) -
           (third + contact->beside * (fourth - third));
}

// What iterations need of a meeting. False if nothing of it can move.
static bool prepare_contact(const StrandSweep *sweep, const SweepMeeting *meeting, StrandContact *out)
{
    const SweepEdge *own = &sweep->edges_at[meeting->own], *other = &sweep->edges_at[meeting->other];
    const Vec3 from[4] = {own->from[0], own->from[1], other->from[0], other->from[1]};
    const float weight[4] = {own->inverse_mass[0], own->inverse_mass[1], other->inverse_mass[0],
                             other->inverse_mass[1]};
    const float share[4] = {1.0f - meeting->along, meeting->along, meeting->beside - 1.0f, -meeting->beside};
    float sum = 0.0f, largest = 0.0f, thickness = own->radius + other->radius;
    Vec3 gap = vec3_make(meeting->gap[0], meeting->gap[1], meeting->gap[2]);
    *out = (StrandContact){.own = sweep->edge_at[meeting->own],
                           .other = sweep->edge_at[meeting->other],
                           .along = meeting->along,
                           .beside = meeting->beside,
                           .thickness = thickness,
                           .apart = -smaller(meeting->start + CORRECTION * thickness, thickness),
                           .normal = vec3_scale(gap, 1.0f / meeting->distance)};
    for (int n = 0; n < 4; n++) {
        out->apart += share[n] * vec3_dot(out->normal, vec3_sub(from[n], from[0]));
        largest = larger(largest, weight[n]);
        out->pull[n] = share[n] * weight[n];
        sum += out->pull[n] * share[n];
    }
    // Beside a held particle the free end of an edge would be thrown far as by a lever.
    sum = larger(sum, LEVER * largest);
    for (int n = 0; n < 4; n++) out->pull[n] = sum > 0.0f ? out->pull[n] / sum : 0.0f;
    return sum > 0.0f;
}

// A search in a chunk.
typedef struct ContactSearch {
    const Strands *strands;
    StrandPairs *pairs;
    ContactChunk *chunk;
    PairBatch *batch;
    uint32_t worker;
    bool again; // of strands that a contact has struck
} ContactSearch;

// Adds a contact, or puts it in the place of an earlier one of the same edges, which comes last then. Returns
// whether it is a new one.
static bool add_contact(const ContactSearch *search, const StrandContact *contact)
{
    StrandPairs *pairs = search->pairs;
    uint32_t k = contact->own, n = 0;
    if (pairs->count[k] == 0) pairs->row[k] = search->chunk->count;
    StrandContact *row = search->batch->contacts + pairs->row[k];
    while (n < pairs->count[k] && row[n].other != contact->other) n++;
    if (n == CONTACTS_PER_EDGE) return false;
    row[n] = *contact;
    if (n < pairs->count[k]) return false;
    pairs->count[k]++;
    search->chunk->count++;
    return true;
}

static void look_at_batch(const ContactSearch *search)
{
    PairBatch *batch = search->batch;
    ContactChunk *chunk = search->chunk;
    const StrandSweep *sweep = &search->pairs->sweep;
    uint32_t count =
        strand_sweep_meet(sweep, batch->own, batch->other, batch->count, MARGIN, batch->meetings);
    batch->count = 0;
    for (uint32_t n = 0; n < count; n++) {
        const SweepMeeting *meeting = &batch->meetings[n];
        const SweepEdge *own = &sweep->edges_at[meeting->own], *other = &sweep->edges_at[meeting->other];
        StrandContact contact;
        if (!prepare_contact(sweep, meeting, &contact) || !add_contact(search, &contact)) continue;
        float apart = distance_after(&contact, own->way, other->way);
        chunk->fresh = true;
        chunk->depth = larger(chunk->depth, -apart / smaller(own->segment, other->segment));
    }
}

static void find_of_edge(const ContactSearch *search, const SweepCell *cell, uint32_t place)
{
    const Strands *strands = search->strands;
    StrandPairs *pairs = search->pairs;
    PairBatch *batch = search->batch;
    const uint32_t *edge_at = pairs->sweep.edge_at;
    uint32_t count;
    const uint32_t *found = strand_sweep_find(&pairs->sweep, cell, place, search->worker, &count);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t other = edge_at[found[n]];
        // The other one looks for this.
        if (search->again && other < edge_at[place] && pairs->struck[strands->strand_of[other]]) continue;
        batch->own[batch->count] = place;
        batch->other[batch->count++] = found[n];
        if (batch->count == PAIRS) look_at_batch(search);
    }
    if (search->again) look_at_batch(search);
}

// What an earlier search of the step has found.
static void keep_contacts(const ContactSearch *search, uint32_t k)
{
    StrandPairs *pairs = search->pairs;
    uint32_t end = search->chunk->count;
    memcpy(search->batch->contacts + end, pairs->before + pairs->row[k],
           pairs->count[k] * sizeof *pairs->contacts);
    pairs->row[k] = end;
    search->chunk->count += pairs->count[k];
}

// Where they lie does not matter, what lies together does.
static void store_contacts(const ContactSearch *search)
{
    StrandPairs *pairs = search->pairs;
    ContactChunk *chunk = search->chunk;
    const StrandContact *from = search->batch->contacts;
    chunk->first = __atomic_fetch_add(&pairs->contact_count, chunk->count, __ATOMIC_RELAXED);
    memcpy(pairs->contacts + chunk->first, from, chunk->count * sizeof *from);
    for (uint32_t n = 0; n < chunk->count; n++) {
        if (n == 0 || from[n].own != from[n - 1].own) pairs->row[from[n].own] = chunk->first + n;
    }
}

typedef struct ContactJob {
    Strands *strands;
    bool again;
} ContactJob;

static void find_in_chunks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const ContactJob *job = context;
    StrandPairs *pairs = job->strands->pairs;
    for (uint32_t n = begin; n < end; n++) {
        ContactSearch search = {job->strands, pairs,     &pairs->chunks[n], &pairs->batches[worker],
                                worker,       job->again};
        SweepCell cell = {.end = 0};
        search.batch->count = 0;
        for (uint32_t place = search.chunk->begin; place < search.chunk->end; place++) {
            uint32_t k = pairs->sweep.edge_at[place];
            if (job->again)
                keep_contacts(&search, k);
            else
                pairs->count[k] = 0;
            if (job->again && !pairs->struck[job->strands->strand_of[k]]) continue;
            if (place >= cell.end) strand_sweep_cell(&pairs->sweep, place, !job->again, worker, &cell);
            find_of_edge(&search, &cell, place);
        }
        look_at_batch(&search);
        store_contacts(&search);
    }
}

// Returns whether any strand is.
static bool any_struck(const Strands *strands)
{
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        if (strands->pairs->struck[k]) return true;
    }
    return false;
}

Result strand_pairs_find(Strands *strands, bool again, bool *fresh)
{
    StrandPairs *pairs = strands->pairs;
    ContactJob job = {.strands = strands, .again = again};
    *fresh = false;
    if (again && !any_struck(strands)) return result_ok();
    TRY(strand_pairs_reserve(pairs));
    TRY(strand_sweep_sort(&pairs->sweep, strands, 1.0f + MARGIN));
    StrandContact *before = pairs->contacts;
    pairs->contacts = pairs->before;
    pairs->contact_count = 0;
    pairs->before = before;
    cut_slabs(pairs, again);
    parallel_for(pairs->chunk_count, 1, find_in_chunks, &job);
    for (uint32_t n = 0; n < pairs->chunk_count; n++) *fresh |= pairs->chunks[n].fresh;
    memset(pairs->struck, 0, strands->strand_count * sizeof *pairs->struck);
    return result_ok();
}

float strand_pairs_depth(const Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    float worst = 0.0f;
    for (uint32_t n = 0; n < pairs->chunk_count; n++) worst = larger(worst, pairs->chunks[n].depth);
    return worst;
}

// --- keeping apart ---

// Slabs side by side may move particles of one strand.
static void mark(bool *strand)
{
    __atomic_store_n(strand, true, __ATOMIC_RELAXED);
}

// Returns by which part of their thickness they overlapped.
static float apply_contact(Strands *strands, const StrandContact *contact)
{
    float distance = distance_after(contact, &strands->way[contact->own], &strands->way[contact->other]);
    if (distance >= 0.0f) return 0.0f;
    Vec3 *ways[4] = {&strands->way[contact->own], &strands->way[contact->own + 1],
                     &strands->way[contact->other], &strands->way[contact->other + 1]};
    for (int n = 0; n < 4; n++)
        *ways[n] = vec3_add(*ways[n], vec3_scale(contact->normal, -distance * contact->pull[n]));
    uint32_t both[2] = {strands->strand_of[contact->own], strands->strand_of[contact->other]};
    for (int n = 0; n < 2; n++) {
        mark(&strands->restless[both[n]]);
        if (distance < -contact->thickness) mark(&strands->pairs->struck[both[n]]);
    }
    return -distance / contact->thickness;
}

// They lie anywhere.
static void fetch(const Strands *strands, const StrandContact *contact)
{
    __builtin_prefetch(&strands->way[contact->own]);
    __builtin_prefetch(&strands->way[contact->other]);
}

typedef struct SlabJob {
    Strands *strands;
    uint32_t first; // 0 or 1: every other slab
} SlabJob;

static void apply_in_slabs(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SlabJob *job = context;
    StrandPairs *pairs = job->strands->pairs;
    for (uint32_t k = begin; k < end; k++) {
        ContactSlab *slab = &pairs->slabs[2 * k + job->first];
        slab->overlap = 0.0f;
        for (uint32_t n = slab->begin; n < slab->end; n++) {
            const StrandContact *row = pairs->contacts + pairs->chunks[n].first;
            uint32_t count = pairs->chunks[n].count;
            for (uint32_t c = 0; c < count; c++) {
                if (c + AHEAD < count) fetch(job->strands, &row[c + AHEAD]);
                slab->overlap = larger(slab->overlap, apply_contact(job->strands, &row[c]));
            }
        }
    }
}

bool strand_pairs_apply(Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    float worst = 0.0f;
    for (uint32_t first = 0; first < 2; first++) {
        SlabJob job = {strands, first};
        parallel_for((pairs->slab_count + 1 - first) / 2, 1, apply_in_slabs, &job);
    }
    for (uint32_t k = 0; k < pairs->slab_count; k++) worst = larger(worst, pairs->slabs[k].overlap);
    return worst > OVERLAP;
}
