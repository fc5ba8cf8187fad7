#include "neighbor/row_store.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <string.h>

// Entries of a page: enough that the atomic counter is rarely touched, few enough that what the last pages
// leave unused does not matter.
#define PAGE 65536u
// Rows with at most this many candidates are written straight into the page; the end of a page that is too
// short for them stays unused, 3 % at worst. Longer ones are written to a spare buffer first.
#define DIRECT_MAX 2048u
#define PADDING CANDIDATES_LANES

// Entries that rows of this total length take at most, however they fall on pages.
static uint64_t pool_needed(uint64_t entries, uint32_t workers)
{
    const uint64_t page_use = PAGE - DIRECT_MAX - 2 * PADDING;
    return (entries / page_use + 1 + workers) * PAGE;
}

static uint64_t pool_take(RowStore *store, uint64_t entries)
{
    return atomic_fetch_add_explicit(&store->taken, entries, memory_order_relaxed);
}

static bool page_take(RowPages *pages)
{
    uint64_t at = pool_take(pages->store, PAGE);
    if (at + PAGE > pages->store->pool_capacity) {
        pages->pool = NULL;
        return false;
    }
    pages->at = at;
    pages->end = at + PAGE;
    return true;
}

// Whether the page, or a new one, has room for this many entries.
static bool page_has(RowPages *pages, uint64_t room)
{
    return pages->pool && (pages->at + room <= pages->end || page_take(pages));
}

static bool buffer_reserve(RowBuffer *buffer, uint64_t wanted)
{
    if (wanted <= buffer->capacity) return true;
    memory_free(buffer->at);
    buffer->at = memory_allocate(wanted * sizeof *buffer->at);
    buffer->capacity = buffer->at ? wanted : 0;
    return buffer->at != NULL;
}

uint32_t *row_open(RowWriter *writer, uint64_t bound)
{
    RowPages *pages = &writer->pages;
    uint64_t room = bound + PADDING;
    if (bound <= DIRECT_MAX && page_has(pages, room)) return pages->target = pages->pool + pages->at;
    if (room > pages->spare.capacity && !buffer_reserve(&pages->spare, room + room / 4)) {
        writer->failed = true;
        return NULL;
    }
    return pages->target = pages->spare.at;
}

// Copies a row from the spare buffer into the pool; a long one gets a piece of its own.
static uint64_t row_place(RowPages *pages, uint32_t count)
{
    uint64_t room = (uint64_t)count + PADDING, at = 0;
    if (count <= DIRECT_MAX) {
        if (page_has(pages, room)) {
            at = pages->at;
            pages->at += count;
        }
    } else if (pages->pool) {
        room = round_up(room, PADDING);
        at = pool_take(pages->store, room);
        if (at + room > pages->store->pool_capacity) pages->pool = NULL;
    }
    if (pages->pool) memcpy(pages->pool + at, pages->spare.at, count * sizeof(uint32_t));
    return at;
}

void row_close(RowWriter *writer, uint32_t row, uint32_t count, uint64_t candidates)
{
    RowPages *pages = &writer->pages;
    RowStore *store = pages->store;
    const uint32_t *map = writer->names.map;
    if (map) {
        row = map[row];
        for (uint32_t k = 0; k < count && !writer->names.mapped; k++)
            pages->target[k] = map[pages->target[k]];
    }
    if (pages->target == pages->spare.at) {
        store->begin[row] = row_place(pages, count);
    } else {
        store->begin[row] = pages->at;
        pages->at += count;
    }
    store->count[row] = count;
    writer->sums.entries += count;
    writer->sums.neighbors += count;
    writer->sums.candidates += candidates;
    if (writer->sums.entries > store->most) writer->failed = pages->too_many = true;
}

void row_list_start(RowWriter *writer)
{
    writer->list.count = writer->names.list_end = 0;
    writer->names.mapped = false;
}

// Indices for places first..end-1: the caller's at once where no row has to be sorted by places.
static const uint32_t *list_index(RowWriter *writer, const uint32_t *index, uint32_t first, uint32_t end)
{
    if (index || !writer->names.in_order) return index;
    CHECK(first >= writer->names.list_end);
    writer->names.list_end = end;
    writer->names.mapped = true;
    return writer->names.map;
}

void row_list_append(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end)
{
    PointStreams named = *points;
    named.index = list_index(writer, points->index, begin, end);
    if (candidates_reserve(&writer->list, (uint64_t)writer->list.count + (end - begin)))
        writer->kernel->append(&writer->list, &named, begin, end);
    else
        writer->failed = true;
}

void row_list_append_near(RowWriter *writer, const PointStreams *points, const PlaceRange *ranges,
                          uint32_t count, const PointBox *box)
{
    PointStreams named = *points;
    uint64_t most = writer->list.count;
    for (uint32_t k = 0; k < count; k++) {
        if (ranges[k].begin == ranges[k].end) continue;
        most += ranges[k].end - ranges[k].begin;
        named.index = list_index(writer, points->index, ranges[k].begin, ranges[k].end);
    }
    if (candidates_reserve(&writer->list, most))
        writer->kernel->append_near(&writer->list, &named, ranges, count, box, writer->radius_squared);
    else
        writer->failed = true;
}

uint32_t *row_scratch(RowWriter *writer, uint64_t count)
{
    if (count > writer->scratch.capacity && !buffer_reserve(&writer->scratch, count + count / 4))
        writer->failed = true;
    return writer->scratch.at;
}

static bool ascends(const uint32_t *row, uint32_t count)
{
    uint32_t descents = 0;
    for (uint32_t k = 1; k < count; k++) descents += row[k - 1] > row[k];
    return descents == 0;
}

// Writes the neighbors of the point at `place`, which is at position `own` of the list.
static inline uint32_t filter_list(const RowWriter *writer, const PointStreams *points, uint32_t place,
                                   uint32_t own, uint32_t *out)
{
    return writer->kernel->filter(&writer->list, points->x[place], points->y[place], points->z[place], own,
                                  writer->radius_squared, out);
}

// Filters a list that is in order, or whose indices are the caller's.
static void filter_as_listed(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end,
                             uint32_t own)
{
    const Candidates *list = &writer->list;
    for (uint32_t place = begin; place < end; place++, own++) {
        uint32_t *out = row_open(writer, list->count);
        if (!out) return;
        uint32_t count = filter_list(writer, points, place, own, out);
        row_close(writer, points->index ? points->index[place] : place, count, list->count - 1);
    }
}

// Filters any other list. Candidates out of order matter only if they are neighbors; then the list is sorted
// once for all rows.
static void filter_sorted(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end,
                          uint32_t own)
{
    Candidates *list = &writer->list;
    bool moved = false;
    for (uint32_t place = begin, at = own; place < end; place++, at++) {
        uint32_t row = points->index ? points->index[place] : place;
        uint32_t *out = row_open(writer, list->count);
        if (!out) return;
        if (moved) at = candidates_position(list, row, at < list->count ? at : 0);
        uint32_t count = filter_list(writer, points, place, at, out);
        if (!moved && !ascends(out, count)) {
            candidates_sort(list);
            moved = true;
            at = candidates_position(list, row, 0);
            count = filter_list(writer, points, place, at, out);
        }
        row_close(writer, row, count, list->count - 1);
    }
}

void rows_filter(RowWriter *writer, const PointStreams *points, uint32_t begin, uint32_t end, uint32_t own)
{
    if (writer->failed) return;
    writer->kernel->close(&writer->list);
    if (writer->names.mapped || writer->kernel->ascends(&writer->list))
        filter_as_listed(writer, points, begin, end, own);
    else
        filter_sorted(writer, points, begin, end, own);
}

static void writers_free(RowStore *store)
{
    for (uint32_t k = 0; k < store->writer_count; k++) {
        memory_free(store->writers[k].pages.spare.at);
        memory_free(store->writers[k].scratch.at);
        candidates_free(&store->writers[k].list);
    }
    memory_free(store->writers);
    store->writers = NULL;
    store->writer_count = 0;
}

static Result writers_prepare(RowStore *store, uint32_t workers)
{
    if (workers <= store->writer_count) return result_ok();
    writers_free(store);
    store->writers = memory_allocate_zeroed(workers * sizeof(RowWriter));
    if (!store->writers) return result_no_memory("neighbor search", workers * sizeof(RowWriter));
    store->writer_count = workers;
    return result_ok();
}

Result row_store_prepare(RowStore *store, uint32_t rows, float radius)
{
    // Offsets are read in whole vectors, too.
    size_t padded = (size_t)rows + PADDING;
    TRY(MEMORY_RESERVE(store->begin, store->begin_capacity, 0, padded, "neighbor lists"));
    TRY(MEMORY_RESERVE(store->count, store->count_capacity, 0, padded, "neighbor lists"));
    TRY(writers_prepare(store, parallel_workers()));
    if (store->most == 0) store->most = memory_available() / sizeof(uint32_t);
    for (uint32_t k = 0; k < store->writer_count; k++) {
        RowWriter *writer = &store->writers[k];
        writer->pages.store = store;
        writer->radius_squared = radius * radius;
        writer->kernel = candidate_kernel();
        if (!buffer_reserve(&writer->pages.spare, DIRECT_MAX + PADDING))
            return result_no_memory("neighbor search", sizeof(uint32_t) * (DIRECT_MAX + PADDING));
    }
    return result_ok();
}

void row_store_start(RowStore *store, const uint32_t *map, bool in_order)
{
    atomic_store_explicit(&store->taken, 0, memory_order_relaxed);
    for (uint32_t k = 0; k < store->writer_count; k++) {
        RowWriter *writer = &store->writers[k];
        writer->pages.pool = store->pool;
        writer->pages.at = writer->pages.end = 0;
        writer->failed = writer->pages.too_many = false;
        writer->names = (RowNames){.map = map, .in_order = in_order};
        writer->sums = (RowSums){0};
    }
}

// Chance decides which worker gets the largest row, so all of them get room for it.
static Result writers_equalize(RowStore *store)
{
    size_t spare = 0, list = 0, scratch = 0;
    for (uint32_t k = 0; k < store->writer_count; k++) {
        const RowWriter *writer = &store->writers[k];
        if (writer->pages.spare.capacity > spare) spare = writer->pages.spare.capacity;
        if (writer->list.capacity > list) list = writer->list.capacity;
        if (writer->scratch.capacity > scratch) scratch = writer->scratch.capacity;
    }
    for (uint32_t k = 0; k < store->writer_count; k++) {
        RowWriter *writer = &store->writers[k];
        bool enough = buffer_reserve(&writer->pages.spare, spare);
        enough &= candidates_resize(&writer->list, list);
        enough &= buffer_reserve(&writer->scratch, scratch);
        if (!enough)
            return result_no_memory("neighbor search",
                                    (spare + scratch) * sizeof(uint32_t) + list * CANDIDATE_BYTES);
    }
    return result_ok();
}

// Coincident points are all neighbors of each other, and their lists outgrow any memory: refused before the
// machine runs out of it.
static Result refuse(uint64_t neighbors, bool counted, uint64_t available)
{
    return result_error(
        RESULT_NO_MEMORY,
        "neighbor lists: %s%llu neighbors need %.1f GB of memory, %.1f GB are free (points this "
        "close to each other cannot be searched with this radius)",
        counted ? "" : "more than ", (unsigned long long)neighbors,
        (double)neighbors * sizeof(uint32_t) / 1e9, (double)available / 1e9);
}

// Rows take this many entries at most, with an eighth of room for later runs.
static uint64_t pool_wanted(const RowStore *store, uint64_t entries)
{
    return pool_needed(entries + entries / 8, store->writer_count);
}

static bool pool_make(RowStore *store, uint64_t capacity)
{
    store->pool = memory_allocate((capacity + PADDING) * sizeof(uint32_t));
    store->pool_capacity = store->pool ? capacity : 0;
    return store->pool != NULL;
}

void row_store_expect(RowStore *store, uint32_t share)
{
    uint64_t entries = 0;
    for (uint32_t k = 0; k < store->writer_count; k++) {
        if (store->writers[k].failed) return;
        entries += store->writers[k].sums.entries;
    }
    uint64_t capacity = pool_wanted(store, entries * share);
    if (!store->pool && capacity < store->most) pool_make(store, capacity);
}

Result row_store_finish(RowStore *store, bool *again)
{
    *again = false;
    uint64_t entries = 0;
    for (uint32_t k = 0; k < store->writer_count; k++) {
        const RowWriter *writer = &store->writers[k];
        if (writer->pages.too_many) return refuse(store->most, false, memory_available());
        if (writer->failed)
            return result_error(RESULT_NO_MEMORY, "out of memory: neighbor search (candidates of one point)");
        entries += writer->sums.entries;
    }
    TRY(writers_equalize(store));
    uint64_t needed = pool_needed(entries, store->writer_count);
    if (needed <= store->pool_capacity) return result_ok();
    uint64_t capacity = pool_wanted(store, entries);
    memory_free(store->pool);
    store->pool = NULL;
    store->pool_capacity = 0;
    uint64_t available = memory_available();
    if (entries > available / sizeof(uint32_t)) return refuse(entries, true, available);
    if (!pool_make(store, capacity))
        return result_no_memory("neighbor lists", (capacity + PADDING) * sizeof(uint32_t));
    *again = true;
    return result_ok();
}

uint64_t row_store_bytes(const RowStore *store)
{
    return store->begin_capacity * sizeof(uint64_t) + store->count_capacity * sizeof(uint32_t) +
           store->pool_capacity * sizeof(uint32_t);
}

void row_store_free(RowStore *store)
{
    writers_free(store);
    memory_free(store->begin);
    memory_free(store->count);
    memory_free(store->pool);
    *store = (RowStore){0};
}
