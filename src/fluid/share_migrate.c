// Particles go to the ranks whose part of the order they belong to.
#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/share_run.h"

#include <string.h>

#define GRAIN 4096u
// Numbers that are summed up at once where cuts are looked for: more take longer than another sum.
#define CUT_NUMBERS 512u
// The streams of a prediction, its positions, and the tension that it used.
enum { STREAMS_MAX = PARTICLE_STREAM_COUNT + 6 };

void share_join_cells(const Share *share, PointCell *lo, PointCell *hi)
{
    double most[6];
    for (int a = 0; a < 3; a++) most[a] = -(double)lo->at[a], most[3 + a] = (double)hi->at[a];
    share->links->most(share->links->self, most, 6);
    for (int a = 0; a < 3; a++) lo->at[a] = (int32_t)-most[a], hi->at[a] = (int32_t)most[3 + a];
}

// --- where to cut ---

// How many of the sorted keys are less.
static uint32_t place_of(const uint64_t *keys, uint32_t count, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The cuts between parts, while they are looked for. Of each: the particles before it, the greatest key of
// which fewer than that many are less, numbers of particles (of each as many as `tries`, two at least).
typedef struct Cuts {
    uint32_t count;
    uint32_t bits, tries; // of keys that are found at once, and values of them but 0
    int64_t *before;
    uint64_t *key;
    int64_t *number;
} Cuts;

static Cuts cuts_start(Share *share)
{
    const Links *links = share->links;
    Cuts cuts = {.count = links->ranks - 1, .bits = 1, .tries = 1};
    while (cuts.count * (2 * cuts.tries + 1) <= CUT_NUMBERS && cuts.bits < 4)
        cuts.bits++, cuts.tries = 2 * cuts.tries + 1;
    size_t each = sizeof *cuts.before + sizeof *cuts.key + (cuts.tries + 1) * sizeof *cuts.number;
    cuts.before = share_room(share, &share->places, cuts.count * each + sizeof *cuts.before);
    cuts.key = (uint64_t *)(cuts.before + cuts.count);
    cuts.number = (int64_t *)(cuts.key + cuts.count);
    for (uint32_t c = 0; c < cuts.count; c++) {
        cuts.before[c] = (int64_t)share_cut(share->particles, share->block, c + 1, links->ranks);
        cuts.key[c] = 0;
    }
    return cuts;
}

// Some bits after the other, for all cuts at once.
static void find_keys(const Share *share, const Cuts *cuts, const uint64_t *keys, uint32_t count)
{
    const Links *links = share->links;
    double bits = 1.0; // that any key needs
    while (count > 0 && bits < 64.0 && keys[count - 1] >> (unsigned)bits) bits++;
    links->most(links->self, &bits, 1);
    for (unsigned known = 64 - (unsigned)bits; known < 64; known += cuts->bits) {
        unsigned now = 64 - known < cuts->bits ? 64 - known : cuts->bits, bit = 64 - known - now;
        uint32_t tries = (1u << now) - 1;
        for (uint32_t c = 0; c < cuts->count; c++)
            for (uint32_t t = 0; t < tries; t++)
                cuts->number[c * tries + t] = place_of(keys, count, cuts->key[c] | (uint64_t)(t + 1) << bit);
        links->sum(links->self, cuts->number, (size_t)cuts->count * tries);
        for (uint32_t c = 0; c < cuts->count; c++) {
            uint64_t most = 0;
            while (most < tries && cuts->number[c * tries + most] < cuts->before[c]) most++;
            cuts->key[c] |= most << bit;
        }
    }
}

// Of the particles with a cut's key, those of lower ranks, and then the first ones, come before it.
static void find_places(const Share *share, const Cuts *cuts, const uint64_t *keys, uint32_t count,
                        uint32_t *place)
{
    const Links *links = share->links;
    int64_t *less = cuts->number, *lower = cuts->number + cuts->count;
    for (uint32_t c = 0; c < cuts->count; c++) {
        less[c] = place_of(keys, count, cuts->key[c]);
        lower[c] = place_of(keys, count, cuts->key[c] + 1) - less[c];
    }
    links->sum(links->self, less, cuts->count);
    links->sum_below(links->self, lower, cuts->count);
    for (uint32_t c = 0; c < cuts->count; c++) {
        uint32_t own = place_of(keys, count, cuts->key[c]),
                 equal = place_of(keys, count, cuts->key[c] + 1) - own;
        int64_t wanted = cuts->before[c] - less[c] - lower[c];
        if (wanted < 0) wanted = 0;
        place[c + 1] = own + (wanted < equal ? (uint32_t)wanted : equal);
    }
}

// --- who sends what ---

// A rank's particles go in one message: their keys, then stream after stream.
typedef struct Migration {
    Share *share;
    float *stream[STREAMS_MAX];
    uint32_t streams;
    const uint64_t *keys; // sorted
    uint32_t *place;      // of the own particles, where each rank's begin; one more than ranks
    uint32_t *gets;       // from each
    const uint32_t *order;
    const float *from;
    float *to;
} Migration;

static size_t bytes_each(const Migration *m)
{
    return sizeof *m->keys + m->streams * sizeof(float);
}

static uint32_t goes_to(const Migration *m, uint32_t rank)
{
    return m->place[rank + 1] - m->place[rank];
}

static void pack(const Migration *m, uint32_t rank, char *at)
{
    uint32_t count = goes_to(m, rank), first = m->place[rank];
    memcpy(at, m->keys + first, count * sizeof *m->keys);
    at += count * sizeof *m->keys;
    for (uint32_t s = 0; s < m->streams; s++, at += count * sizeof(float))
        memcpy(at, m->stream[s] + first, count * sizeof(float));
}

// Sends and receives; what other ranks send lies in `received` in the order of ranks.
static void exchange(const Migration *m)
{
    Share *share = m->share;
    const Links *links = share->links;
    size_t sends = 0, gets = 0;
    for (uint32_t r = 0; r < links->ranks; r++) {
        if (r == links->rank) continue;
        sends += goes_to(m, r);
        gets += m->gets[r];
    }
    share->count.migrated = sends;
    char *out_at = share_room(share, &share->packed, sends * bytes_each(m) + 1);
    char *in_at = share_room(share, &share->received, gets * bytes_each(m) + 1);
    LinkMessage *out = share_room(share, &share->messages, 2 * (size_t)links->ranks * sizeof *out);
    LinkMessage *in = out + links->ranks;
    uint32_t outs = 0, ins = 0;
    for (uint32_t r = 0; r < links->ranks; r++) {
        if (r == links->rank) continue;
        size_t sent = goes_to(m, r) * bytes_each(m), got = m->gets[r] * bytes_each(m);
        if (sent > 0) pack(m, r, out_at), out[outs++] = (LinkMessage){r, out_at, sent};
        if (got > 0) in[ins++] = (LinkMessage){r, in_at, got};
        out_at += sent, in_at += got;
    }
    links->exchange(links->self, out, outs, in, ins);
    share->count.single = outs;
}

// --- one order of all that came ---

static void gather(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Migration *m = context;
    for (uint32_t k = begin; k < end; k++) memcpy(m->to + k, m->from + m->order[k], sizeof(float));
}

// Puts what the ranks send after each other: keys (stream UINT32_MAX), or a stream.
static void line_up(const Migration *m, uint32_t stream, void *to)
{
    const Links *links = m->share->links;
    const char *received = m->share->received.at;
    char *at = to;
    bool keys = stream == UINT32_MAX;
    size_t each = keys ? sizeof *m->keys : sizeof(float);
    for (uint32_t r = 0; r < links->ranks; r++) {
        size_t count = m->gets[r];
        const void *from = received + (keys ? 0 : count * (sizeof *m->keys + stream * sizeof(float)));
        if (r == links->rank && keys) from = m->keys + m->place[r];
        if (r == links->rank && !keys) from = m->stream[stream] + m->place[r];
        if (count > 0) memcpy(at, from, count * each);
        at += count * each;
        if (r != links->rank) received += count * bytes_each(m);
    }
}

static void sort_all(Migration *m, uint32_t count)
{
    Share *share = m->share;
    Result result = sort_buffers_reserve(&share->sort, count);
    if (!result_is_ok(&result)) share->links->fail(share->links->self, &result);
    line_up(m, UINT32_MAX, share->sort.keys[0]);
    sort_order(&share->sort, count, &m->order);
    float *lined = share_room(share, &share->lined, (count + 1) * sizeof *lined);
    for (uint32_t s = 0; s < m->streams; s++) {
        line_up(m, s, lined);
        m->from = lined, m->to = m->stream[s];
        parallel_for(count, GRAIN, gather, m);
        // As where streams are leased: vectors reach behind the last.
        for (uint32_t i = count; i % LANES != 0; i++) m->to[i] = 0.0f;
    }
}

static void add_streams3(Migration *m, Streams3 add)
{
    m->stream[m->streams++] = add.x;
    m->stream[m->streams++] = add.y;
    m->stream[m->streams++] = add.z;
}

// What the prediction used of the tension, in its order, with room for `after` particles.
static void copy_pull(Share *share, Prediction *prediction, uint32_t after)
{
    uint32_t count = prediction->count, room = round_up(after > count ? after : count, LANES);
    PredictionPull pull = prediction->pull;
    Streams3 to = streams3_at(share_room(share, &share->pulls, (3 * (size_t)room + 1) * sizeof(float)), room);
    Migration copy = {.order = pull.order};
    const float *const from[] = {pull.at.x, pull.at.y, pull.at.z};
    float *const into[] = {to.x, to.y, to.z};
    for (int a = 0; a < 3; a++) {
        copy.from = from[a], copy.to = into[a];
        parallel_for(count, GRAIN, gather, &copy);
    }
    prediction->pull = (PredictionPull){to, NULL};
}

static void list_streams(Prediction *prediction, Migration *m)
{
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++)
        if (prediction->stream[s]) m->stream[m->streams++] = prediction->stream[s];
    add_streams3(m, prediction->at);
    if (prediction->pull.at.x) add_streams3(m, prediction->pull.at);
}

void share_migrate(Share *share, Particles *particles, Prediction *prediction)
{
    const Links *links = share->links;
    Migration m = {.share = share, .keys = particles->sort.keys[0]};
    int64_t all = prediction->count;
    links->sum(links->self, &all, 1);
    share->particles = (uint64_t)all;
    share->block = neighbor_cluster_block(groups_of(share->particles, NEIGHBOR_CLUSTER));
    share->first = share_cut(share->particles, share->block, links->rank, links->ranks);
    uint64_t last = share_cut(share->particles, share->block, links->rank + 1, links->ranks);
    uint32_t count = (uint32_t)(last - share->first);
    if (prediction->pull.at.x) copy_pull(share, prediction, count);
    list_streams(prediction, &m);
    Cuts cuts = cuts_start(share);
    find_keys(share, &cuts, m.keys, prediction->count);
    uint32_t *places = share_room(share, &share->marks, (3 * (size_t)links->ranks + 2) * sizeof *places);
    m.place = places, m.gets = places + links->ranks + 1;
    uint32_t *sends = m.gets + links->ranks;
    m.place[0] = 0, m.place[links->ranks] = prediction->count;
    find_places(share, &cuts, m.keys, prediction->count, m.place);
    for (uint32_t r = 0; r < links->ranks; r++) sends[r] = goes_to(&m, r);
    links->deal(links->self, sends, m.gets);
    exchange(&m);
    prediction->count = count;
    sort_all(&m, count);
    share->count.particles = count;
    share->whole_is_new = false;
}
