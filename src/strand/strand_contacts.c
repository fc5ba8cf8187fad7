// Strands against strands: pairs of edges that meet on their ways, found once a step, and kept apart.
//
// Contacts lie in the order of the places of their first edges, in chunks. Chunks make up slabs of space, so
// wide that contacts of every other one share no particle: those slabs are moved side by side.
#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_pairs.h"

#define CHUNK 256u    // edges at most
#define SLAB_LAYERS 3 // of cells; see strand_sweep_sort
#define CONTACTS_PER_EDGE 8u

// Pairs of a worker on their way to strand_sweep_meet, and what has become of them.
struct PairBatch {
    uint32_t own[SWEEP_PAIRS], other[SWEEP_PAIRS], count;
    SweepMeeting meetings[SWEEP_PAIRS];
};

void strand_pairs_destroy(StrandPairs *pairs)
{
    if (!pairs) return;
    void *blocks[] = {pairs->contacts, pairs->count,   pairs->chunks,
                      pairs->slabs,    pairs->batches, pairs->cared};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
    strand_sweep_free(&pairs->sweep);
    memory_free(pairs);
}

static Result allocate(StrandPairs *pairs, const Strands *strands)
{
    TRY(strand_sweep_create(&pairs->sweep, strands));
    size_t edges = pairs->sweep.count, rows = edges * CONTACTS_PER_EDGE, slabs = edges / CHUNK + 1;
    pairs->contacts = memory_allocate(rows * sizeof *pairs->contacts);
    pairs->count = memory_allocate_zeroed(strands->particle_count);
    pairs->chunks = memory_allocate(2 * slabs * sizeof *pairs->chunks);
    pairs->slabs = memory_allocate(slabs * sizeof *pairs->slabs);
    pairs->cared = memory_allocate_zeroed(strands->strand_count);
    if (!pairs->contacts || !pairs->count || !pairs->chunks || !pairs->slabs || !pairs->cared)
        return result_no_memory("contacts of strands", rows * sizeof *pairs->contacts);
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
        pairs->chunks[pairs->chunk_count++] = (ContactChunk){from, to, from * CONTACTS_PER_EDGE, 0, 0.0f};
    }
    slab->end = pairs->chunk_count;
}

static void cut_slabs(StrandPairs *pairs)
{
    const ShapeIndex *index = &pairs->sweep.index;
    pairs->chunk_count = pairs->slab_count = 0;
    uint32_t begin = 0, first = 0, layers = index->size[2], count = pairs->sweep.count;
    for (uint32_t layer = 1; layer <= layers; layer++) {
        uint32_t end = shape_index_layer(index, layer);
        bool enough = layer - first >= SLAB_LAYERS && end - begin >= CHUNK;
        if (layer < layers && !enough) continue;
        if (begin < end || layer == layers) add_slab(pairs, begin, layer == layers ? count : end);
        begin = end;
        first = layer;
    }
}

// --- finding ---

// What iterations need of a meeting.
static StrandContact make_contact(const Strands *strands, const SweepMeeting *meeting)
{
    const StrandSweep *sweep = &strands->pairs->sweep;
    uint32_t own = sweep->edge_at[meeting->own], other = sweep->edge_at[meeting->other];
    const float *pull = meeting->pull;
    return (StrandContact){.own = own,
                           .other = other,
                           .along = meeting->along,
                           .beside = meeting->beside,
                           .normal = meeting->normal,
                           .apart = meeting->apart,
                           .pull = {pull[0], pull[1], pull[2], pull[3]},
                           .kept = meeting->kept,
                           .thickness = meeting->thickness,
                           .strand_own = strands->strand_of[own],
                           .strand_other = strands->strand_of[other]};
}

// A search in a chunk.
typedef struct ContactSearch {
    const Strands *strands;
    StrandPairs *pairs;
    ContactChunk *chunk;
    PairBatch *batch;
    uint32_t worker;
} ContactSearch;

static void look_at_batch(const ContactSearch *search)
{
    PairBatch *batch = search->batch;
    ContactChunk *chunk = search->chunk;
    StrandContact *contacts = search->pairs->contacts + chunk->first;
    const StrandSweep *sweep = &search->pairs->sweep;
    uint32_t count =
        strand_sweep_meet(sweep, batch->own, batch->other, batch->count, STRAND_MARGIN, batch->meetings);
    batch->count = 0;
    for (uint32_t n = 0; n < count; n++) {
        const SweepMeeting *meeting = &batch->meetings[n];
        uint8_t *of_edge = &search->pairs->count[sweep->edge_at[meeting->own]];
        if (*of_edge == CONTACTS_PER_EDGE || !(meeting->weight > 0.0f)) continue;
        ++*of_edge;
        contacts[chunk->count++] = make_contact(search->strands, meeting);
        chunk->depth = larger(chunk->depth, meeting->depth);
    }
}

static void find_of_edge(const ContactSearch *search, const SweepCell *cell, uint32_t place)
{
    PairBatch *batch = search->batch;
    uint32_t count;
    const uint32_t *found = strand_sweep_find(&search->pairs->sweep, cell, place, search->worker, &count);
    while (count > 0) {
        uint32_t room = SWEEP_PAIRS - batch->count, some = count < room ? count : room;
        for (uint32_t n = 0; n < some; n++) {
            batch->own[batch->count + n] = place;
            batch->other[batch->count + n] = found[n];
        }
        found += some;
        count -= some;
        batch->count += some;
        if (batch->count == SWEEP_PAIRS) look_at_batch(search);
    }
}

static void find_in_chunks(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    for (uint32_t n = begin; n < end; n++) {
        ContactSearch search = {strands, pairs, &pairs->chunks[n], &pairs->batches[worker], worker};
        SweepCell cell = {.end = 0};
        search.batch->count = 0;
        for (uint32_t place = search.chunk->begin; place < search.chunk->end; place++) {
            pairs->count[pairs->sweep.edge_at[place]] = 0;
            if (place >= cell.end) strand_sweep_cell(&pairs->sweep, place, true, worker, &cell);
            find_of_edge(&search, &cell, place);
        }
        look_at_batch(&search);
    }
}

Result strand_pairs_find(Strands *strands)
{
    StrandPairs *pairs = strands->pairs;
    TRY(strand_pairs_reserve(pairs));
    TRY(strand_sweep_sort(&pairs->sweep, strands, 1.0f + STRAND_MARGIN));
    cut_slabs(pairs);
    parallel_for(pairs->chunk_count, 1, find_in_chunks, strands);
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

const StrandApart *strand_apart(void)
{
    return CPU_VERSION(&strand_apart, cpu_level());
}

typedef struct SlabJob {
    Strands *strands;
    uint32_t first; // 0 or 1: every other slab
    bool deep;      // any needs care
} SlabJob;

static void apply_in_slabs(uint32_t begin, uint32_t end, SlabJob *job)
{
    StrandPairs *pairs = job->strands->pairs;
    for (uint32_t k = begin; k < end; k++) {
        const ContactSlab *slab = &pairs->slabs[2 * k + job->first];
        for (uint32_t n = slab->begin; n < slab->end; n++) {
            const StrandContact *row = pairs->contacts + pairs->chunks[n].first;
            if (strand_apart()->apart(job->strands, row, pairs->chunks[n].count)) strand_mark(&job->deep);
        }
    }
}

static void apply_all(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    apply_in_slabs(begin, end, context);
}

// A body of its own: parallel_for learns of each how long it takes, and few contacts take less than all.
static void apply_cared(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    apply_in_slabs(begin, end, context);
}

bool strand_pairs_apply(Strands *strands, bool cared)
{
    SlabJob job = {.strands = strands};
    ParallelBody *body = cared ? apply_cared : apply_all;
    for (; job.first < 2; job.first++)
        parallel_for((strands->pairs->slab_count + 1 - job.first) / 2, 1, body, &job);
    return job.deep;
}
