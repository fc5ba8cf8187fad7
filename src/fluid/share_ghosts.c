// Copies of the clusters of other ranks that come near those of this one.
#include "core/lanes.h"
#include "core/round.h"
#include "fluid/share_run.h"

#include <math.h>
#include <string.h>

// A box around so many clusters at most is as wide as so many radii: in spray each cluster has a box of its
// own, since what is near one around all of them would be half of the water.
#define BORDER_RADII 7.0f
// Streams that go in one message at most.
#define STREAMS_MAX 13u

// --- boxes ---

static float gap(float lo, float hi, float other_lo, float other_hi)
{
    return fmaxf(fmaxf(other_lo - hi, lo - other_hi), 0.0f);
}

// As clusters are compared: rounding keeps order.
bool share_near(const PointBox *a, const PointBox *b, float radius)
{
    float x = gap(a->lo[0], a->hi[0], b->lo[0], b->hi[0]), y = gap(a->lo[1], a->hi[1], b->lo[1], b->hi[1]),
          z = gap(a->lo[2], a->hi[2], b->lo[2], b->hi[2]);
    return x * x + y * y + z * z <= radius * radius;
}

static void build_tree(Share *share, const Streams3 *at, uint32_t count)
{
    share->tree.clusters = 0;
    if (count == 0) return;
    Result result = cluster_tree_build(&share->tree, at->x, at->y, at->z, count, count);
    if (!result_is_ok(&result)) share->links->fail(share->links->self, &result);
}

// --- ranks that are near ---

static void find_near_ranks(Share *share, float radius)
{
    const Links *links = share->links;
    PointBox own = cluster_tree_box(&share->tree, 0, share->tree.clusters);
    PointBox *boxes = share_room(share, &share->boxes, links->ranks * sizeof *boxes);
    links->collect(links->self, &own, sizeof own, boxes);
    share->near = share_room(share, &share->nears, links->ranks * sizeof *share->near);
    share->near_count = 0;
    for (uint32_t r = 0; r < links->ranks; r++)
        if (r != links->rank && share_near(&own, &boxes[r], radius))
            share->near[share->near_count++] = (NearRank){.rank = r};
}

// Exchanges what each near rank gets; `out` and `in` are where it lies, one after the other, of so many
// bytes.
typedef size_t NearBytes(const NearRank *near, size_t each);

static size_t bytes_sent(const NearRank *near, size_t each)
{
    return near->sends * each;
}

static size_t bytes_got(const NearRank *near, size_t each)
{
    return near->gets * each;
}

static size_t all_bytes(const Share *share, NearBytes *bytes, size_t each)
{
    size_t sum = 0;
    for (uint32_t k = 0; k < share->near_count; k++) sum += bytes(&share->near[k], each);
    return sum;
}

static void exchange_near(Share *share, char *out, char *in, size_t each)
{
    const Links *links = share->links;
    LinkMessage *outs = share_room(share, &share->messages, 2 * (size_t)links->ranks * sizeof *outs);
    LinkMessage *ins = outs + links->ranks;
    for (uint32_t k = 0; k < share->near_count; k++) {
        const NearRank *near = &share->near[k];
        outs[k] = (LinkMessage){near->rank, out, bytes_sent(near, each)};
        ins[k] = (LinkMessage){near->rank, in, bytes_got(near, each)};
        out += outs[k].bytes, in += ins[k].bytes;
    }
    links->exchange(links->self, outs, share->near_count, ins, share->near_count);
}

// How much each rank sends becomes what the other gets.
static void deal_counts(Share *share)
{
    const Links *links = share->links;
    uint32_t *sends = share_room(share, &share->places, 2 * (size_t)links->ranks * sizeof *sends);
    uint32_t *gets = sends + links->ranks;
    memset(sends, 0, links->ranks * sizeof *sends);
    for (uint32_t k = 0; k < share->near_count; k++) sends[share->near[k].rank] = share->near[k].sends;
    links->deal(links->self, sends, gets);
    for (uint32_t k = 0; k < share->near_count; k++) share->near[k].gets = gets[share->near[k].rank];
}

// --- what they need ---

static bool is_wide(const PointBox *box, float radius)
{
    bool wide = false;
    for (int a = 0; a < 3; a++) wide = wide || box->hi[a] - box->lo[a] > BORDER_RADII * radius;
    return wide;
}

uint32_t share_border(const ClusterTree *tree, uint32_t first, uint32_t end, float radius,
                      PointBox boxes[SHARE_BORDER])
{
    boxes[0] = cluster_tree_box(tree, first, end);
    if (!is_wide(&boxes[0], radius)) return 1;
    for (uint32_t c = first; c < end; c++) boxes[c - first] = cluster_tree_box(tree, c, c + 1);
    return end - first;
}

// The boxes of this rank's clusters that come near each other one's box, and theirs in turn: in `border`.
static const PointBox *exchange_borders(Share *share, float radius)
{
    const ClusterTree *tree = &share->tree;
    const PointBox *ranks = share->boxes.at;
    size_t groups = groups_of(tree->clusters, SHARE_BORDER), count = 0;
    PointBox *boxes = share_room(share, &share->border, (groups * SHARE_BORDER + 1) * sizeof *boxes);
    for (uint32_t c = 0; c < tree->clusters; c += SHARE_BORDER) {
        uint32_t end = c + SHARE_BORDER < tree->clusters ? c + SHARE_BORDER : tree->clusters;
        count += share_border(tree, c, end, radius, boxes + count);
    }
    PointBox *out = share_room(share, &share->packed, (share->near_count * count + 1) * sizeof *out);
    uint32_t sends = 0;
    for (uint32_t k = 0; k < share->near_count; k++) {
        NearRank *near = &share->near[k];
        near->sends = 0;
        for (size_t b = 0; b < count; b++)
            if (share_near(&boxes[b], &ranks[near->rank], radius)) out[sends++] = boxes[b], near->sends++;
        share->count.single += near->sends > 0;
    }
    share->count.boxes = sends;
    deal_counts(share);
    char *in = share_room(share, &share->border, all_bytes(share, bytes_got, sizeof *out) + 1);
    exchange_near(share, (char *)out, in, sizeof *out);
    return (const PointBox *)(void *)in;
}

// Marks the clusters near a box.
static void mark_near(const ClusterTree *tree, const PointBox *box, float radius, uint32_t *room, bool *marks)
{
    const ClusterKernel *kernel = cluster_kernel();
    uint32_t *nodes = room, *found = room + tree->nodes[0];
    uint32_t node_count = kernel->near_nodes(tree, box, radius * radius, nodes);
    uint32_t count = kernel->near_clusters(tree, box, radius * radius, nodes, node_count, found);
    for (uint32_t k = 0; k < count; k++) marks[found[k]] = true;
}

static void list_clusters(Share *share, const PointBox *border, float radius)
{
    const ClusterTree *tree = &share->tree;
    size_t most = share->near_count * (size_t)tree->clusters;
    uint32_t *list = share_room(share, &share->lists, (most + 1) * sizeof *list);
    bool *marks = share_room(share, &share->marks, tree->clusters + 1);
    uint32_t nodes = tree->clusters ? tree->nodes[0] : 0;
    uint32_t *room = share_room(share, &share->packed, (size_t)nodes * (1 + TREE_FAN) * sizeof *room + 1);
    for (uint32_t k = 0; k < share->near_count; k++) {
        NearRank *near = &share->near[k];
        memset(marks, 0, tree->clusters);
        for (uint32_t b = 0; b < near->gets; b++) mark_near(tree, border++, radius, room, marks);
        near->send = list;
        for (uint32_t c = 0; c < tree->clusters; c++)
            if (marks[c]) *list++ = c;
        near->sends = (uint32_t)(list - near->send);
        share->count.partners += near->sends > 0;
    }
}

// --- numbers of particles ---

// Packs the clusters that near ranks get, sends, and puts what comes behind the own particles.
static void copy_streams(Share *share, const float *const *stream, uint32_t streams)
{
    enum { CLUSTER_BYTES = NEIGHBOR_CLUSTER * sizeof(float) };
    const size_t each = (size_t)streams * CLUSTER_BYTES;
    char *out = share_room(share, &share->packed, all_bytes(share, bytes_sent, each) + 1);
    char *in = share_room(share, &share->received, all_bytes(share, bytes_got, each) + 1), *at = out;
    for (uint32_t k = 0; k < share->near_count; k++) {
        const NearRank *near = &share->near[k];
        for (uint32_t s = 0; s < streams; s++)
            for (uint32_t c = 0; c < near->sends; c++, at += CLUSTER_BYTES)
                memcpy(at, stream[s] + (size_t)near->send[c] * NEIGHBOR_CLUSTER, CLUSTER_BYTES);
    }
    exchange_near(share, out, in, each);
    share->count.exchanges++;
    for (uint32_t k = 0; k < share->near_count; k++) {
        const NearRank *near = &share->near[k];
        size_t bytes = bytes_got(near, CLUSTER_BYTES);
        for (uint32_t s = 0; s < streams && bytes > 0; s++, in += bytes)
            memcpy((float *)(uintptr_t)stream[s] + near->particle, in, bytes);
    }
}

// Behind the own particles, in the order of ranks.
static void place_ghosts(Share *share, uint32_t count)
{
    uint32_t particle = (uint32_t)round_up(count, LANES);
    share->ghosts = share->lower = 0;
    for (uint32_t k = 0; k < share->near_count; k++) {
        NearRank *near = &share->near[k];
        near->particle = particle + share->ghosts * NEIGHBOR_CLUSTER;
        share->ghosts += near->gets;
        if (near->rank < share->links->rank) share->lower += near->gets;
    }
}

uint32_t share_find_ghosts(Share *share, float radius, Streams3 *at, uint32_t count, ShareGrow *grow,
                           void *context)
{
    share->count.exchanges = share->count.partners = 0;
    build_tree(share, at, count);
    find_near_ranks(share, radius);
    list_clusters(share, exchange_borders(share, radius), radius);
    deal_counts(share);
    place_ghosts(share, count);
    uint32_t end = (uint32_t)round_up(count, LANES) + share->ghosts * NEIGHBOR_CLUSTER;
    grow(context, (uint32_t)round_up(end, LANES));
    // What is left of the last cluster is out of reach, as everywhere; slots between it and the ghosts are,
    // and of that.
    particles_pad(*at, count);
    for (uint32_t i = (uint32_t)round_up(count, NEIGHBOR_CLUSTER); i % LANES != 0; i++)
        at->x[i] = -NEIGHBOR_FAR;
    const float *const places[] = {at->x, at->y, at->z};
    copy_streams(share, places, 3);
    share->sent_x = at->x, share->sent_v = NULL;
    share->count.near = share->near_count;
    share->count.clusters = all_bytes(share, bytes_sent, 1);
    share->count.ghosts = (uint64_t)share->ghosts * NEIGHBOR_CLUSTER;
    if (share->ghosts == 0) return count;
    // The last cluster of all may be short.
    uint32_t last = end;
    while (at->x[last - 1] >= NEIGHBOR_FAR) last--;
    particles_pad(*at, end);
    return last;
}

// --- what passes read ---

void share_moved(Share *share)
{
    share->sent_x = NULL;
}

// Streams of neighbors that a pass reads beside their positions.
static uint32_t streams_of(const PassView *view, Pass *pass, const float *out[STREAMS_MAX])
{
    const FluidPasses *passes = fluid_passes(cpu_level(), true);
    uint32_t n = 0;
    if (pass == passes->correction) out[n++] = view->lambda;
    if (pass == passes->projection) out[n++] = view->kappa;
    if (pass == passes->curl) out[n++] = view->volume;
    if (pass != passes->forces) return n;
    const float *const all[] = {view->density,  view->curl_x,   view->curl_y,  view->curl_z,
                                view->normal_x, view->normal_y, view->normal_z};
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static bool reads_velocity(Pass *pass)
{
    const FluidPasses *passes = fluid_passes(cpu_level(), true);
    return pass == passes->divergence || pass == passes->curl || pass == passes->forces;
}

void share_refresh(Share *share, const PassView *view, Pass *pass)
{
    const float *streams[STREAMS_MAX];
    uint32_t n = streams_of(view, pass, streams);
    if (view->x != share->sent_x) {
        streams[n++] = view->x, streams[n++] = view->y, streams[n++] = view->z;
        share->sent_x = view->x;
    }
    if (reads_velocity(pass) && view->vx != share->sent_v) {
        streams[n++] = view->vx, streams[n++] = view->vy, streams[n++] = view->vz;
        share->sent_v = view->vx;
    }
    if (n > 0) copy_streams(share, streams, n);
}
