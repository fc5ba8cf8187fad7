#include "core/cpu.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "core/round.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"

#include <string.h>

// --- memory ---

void *share_room(const Share *share, ShareBuffer *buffer, size_t bytes)
{
    Result result = memory_reserve(&buffer->at, &buffer->capacity, 0, bytes, 1, "a shared fluid");
    if (!result_is_ok(&result)) share->links->fail(share->links->self, &result);
    return buffer->at;
}

static void free_whole(Share *share)
{
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) memory_free(share->whole.stream[s]);
    share->whole = (Particles){0};
}

void share_free(Share *share)
{
    if (!share) return;
    share_call(share, SHARE_END, 0.0);
    ShareBuffer *buffers[] = {&share->places, &share->packed, &share->received, &share->messages,
                              &share->lined,  &share->nears,  &share->boxes,    &share->border,
                              &share->pulls,  &share->lists,  &share->marks,    &share->sums};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) memory_free(buffers[k]->at);
    sort_buffers_free(&share->sort);
    cluster_tree_free(&share->tree);
    free_whole(share);
    memory_free(share);
}

// --- who has what ---

uint64_t share_cut(uint64_t particles, uint32_t block, uint32_t rank, uint32_t ranks)
{
    uint64_t points = (uint64_t)block * NEIGHBOR_CLUSTER, blocks = groups_of(particles, points);
    uint64_t cut = blocks * rank / ranks * points;
    return cut < particles ? cut : particles;
}

// More than a rank ever has of so many: blocks are not cut.
static uint64_t most_of(uint64_t particles, uint32_t ranks)
{
    uint64_t share = particles / ranks + 2 * (uint64_t)NEIGHBOR_CLUSTER * neighbor_cluster_block(UINT32_MAX);
    return share < particles ? share : particles;
}

static void reserve(Share *share, Particles *particles, uint64_t points)
{
    Result result = result_error(RESULT_FAILED, "more than %d particles on a rank (more ranks)", INT32_MAX);
    if (points < INT32_MAX) result = particles_reserve(particles, (uint32_t)points);
    if (!result_is_ok(&result)) share->links->fail(share->links->self, &result);
}

void share_reserve(Share *share, Particles *particles)
{
    uint64_t ghosts = (uint64_t)share->ghosts * NEIGHBOR_CLUSTER;
    uint64_t needed = most_of(share->particles, share->links->ranks) + ghosts + 2 * LANES;
    if (needed > particles->capacity) reserve(share, particles, needed + ghosts / 8);
}

// --- between rank 0 and the others ---

typedef struct Call {
    int64_t call;
    double until;
} Call;

void share_call(const Share *share, ShareCall call, double until)
{
    Call say = {call, until};
    if (share->links->rank == 0) share->links->spread(share->links->self, &say, sizeof say);
}

void fluid_serve(Fluid *fluid)
{
    const Links *links = fluid->share->links;
    for (Call heard = {0};;) {
        links->spread(links->self, &heard, sizeof heard);
        if (heard.call == SHARE_END) return;
        if (heard.call == SHARE_GATHER)
            share_gather(fluid->share, &fluid->particles);
        else
            (void)fluid_step(fluid, heard.until, NULL); // rank 0 tells what all know; the rest has ended all
    }
}

// --- all particles ---

// As many as there are, of four bytes each, from every rank to rank 0.
static void gather_stream(Share *share, const uint32_t *counts, const void *own, void *whole)
{
    const Links *links = share->links;
    if (links->rank > 0) {
        LinkMessage out = {0, (void *)(uintptr_t)own, 4 * (size_t)counts[links->rank]};
        links->exchange(links->self, &out, 1, NULL, 0);
        return;
    }
    LinkMessage *in = share_room(share, &share->messages, links->ranks * sizeof *in);
    char *at = whole;
    memcpy(at, own, 4 * (size_t)counts[0]);
    for (uint32_t r = 1; r < links->ranks; r++) {
        at += 4 * (size_t)counts[r - 1];
        in[r - 1] = (LinkMessage){r, at, 4 * (size_t)counts[r]};
    }
    links->exchange(links->self, NULL, 0, in, links->ranks - 1);
}

void share_gather(Share *share, const Particles *own)
{
    const Links *links = share->links;
    uint32_t *counts = share_room(share, &share->places, links->ranks * sizeof *counts);
    links->collect(links->self, &own->count, sizeof own->count, counts);
    if (links->rank == 0) {
        uint64_t all = 0;
        for (uint32_t r = 0; r < links->ranks; r++) all += counts[r];
        if (all > share->whole.capacity) {
            free_whole(share);
            share->whole.capacity = (uint32_t)all;
        }
        share->whole.count = (uint32_t)all;
    }
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        void **whole = &share->whole.stream[s];
        size_t bytes = (size_t)share->whole.capacity * 4;
        if (links->rank == 0 && !*whole && !(*whole = memory_allocate_zeroed(bytes))) {
            Result result = result_no_memory("all particles", bytes * PARTICLE_STREAM_COUNT);
            links->fail(links->self, &result);
        }
        gather_stream(share, counts, own->stream[s], *whole);
    }
    share->whole_is_new = true;
}

const Particles *share_whole(Share *share, const Particles *own)
{
    if (!share->whole_is_new) {
        share_call(share, SHARE_GATHER, 0.0);
        share_gather(share, own);
    }
    return &share->whole;
}

// --- the start ---

Result fluid_can_share(const Fluid *fluid)
{
    const FluidDef *def = &fluid->def;
    TankDef tank = obstacles_tank(fluid->obstacles);
    const struct {
        bool there;
        const char *key;
    } not_yet[] = {
        {fluid->strands, "strands"},
        {fluid->follower.self || fluid_has_potentials(fluid), "whitewater"},
        {ghosts_wanted(&tank), "tank.periodic"},
        {def->micropolar > 0.0f, "solver.micropolar"},
        {def->angular_momentum > 0.0f, "solver.angular_momentum"},
        {def->vorticity_confinement > 0.0f, "solver.vorticity_confinement"},
        {fluid->stretch.search, "solver.velocity_kernels"},
        {fluid_viscosity_bytes(def) > 0, "fluid.viscosity"},
        {fluid->shifts || fluid->force_count > 0, "body_shifts"},
        {fluid->measures_loads, "loads"},
        {!neighbor_method_is_clustered(def->neighbor), "solver.neighbor"},
    };
    Lead lead;
    bool led = false;
    for (uint32_t k = 0; k < obstacles_count(fluid->obstacles); k++)
        led = led || fluid_obstacle_lead(fluid, k, &lead);
    if (led)
        return result_error(RESULT_USAGE, "leads: processes cannot share water with bodies that are led yet");
    for (size_t k = 0; k < sizeof not_yet / sizeof *not_yet; k++) {
        if (not_yet[k].there)
            return result_error(RESULT_USAGE, "%s: processes cannot share such water yet (run pbf)",
                                not_yet[k].key);
    }
    return result_ok();
}

// What a step goes by beside the particles and the definition.
typedef struct Singles {
    uint64_t particles;
    double step_begin, time, speed_max, depth;
    StepReport report;
    uint32_t next_id;
    int32_t cpu;
} Singles;

static void spread_singles(Fluid *fluid)
{
    Share *share = fluid->share;
    const Links *links = share->links;
    Singles now = {.particles = fluid->particles.count,
                   .step_begin = fluid->step_begin,
                   .time = fluid->time,
                   .speed_max = fluid->speed_max,
                   .depth = fluid->depth,
                   .report = fluid->report,
                   .next_id = fluid->next_id,
                   .cpu = (int32_t)cpu_level()};
    links->spread(links->self, &now, sizeof now);
    share->particles = now.particles;
    fluid->step_begin = now.step_begin;
    fluid->time = now.time;
    fluid->speed_max = now.speed_max;
    fluid->depth = now.depth;
    fluid->report = now.report;
    fluid->next_id = now.next_id;
    Result result = result_ok();
    if (now.cpu != (int32_t)cpu_level())
        result = result_error(RESULT_USAGE,
                              "rank %u computes with %s, rank 0 does not: states would differ "
                              "(PBF_SIMD with the same level for all)",
                              links->rank, cpu_instructions());
    if (result_is_ok(&result)) result = obstacles_move(fluid->obstacles, now.step_begin, now.time);
    if (!result_is_ok(&result)) links->fail(links->self, &result);
}

// Runs of rank 0's particles, in their order, to all ranks.
static void scatter(Share *share, Particles *own)
{
    const Links *links = share->links;
    uint64_t begin = share->particles * links->rank / links->ranks,
             end = share->particles * (links->rank + 1) / links->ranks;
    share_reserve(share, own);
    LinkMessage *out = share_room(share, &share->messages, links->ranks * sizeof *out);
    for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) {
        if (links->rank > 0) {
            LinkMessage in = {0, own->stream[s], (size_t)(end - begin) * 4};
            links->exchange(links->self, NULL, 0, &in, 1);
            continue;
        }
        for (uint32_t r = 1; r < links->ranks; r++) {
            uint64_t first = share->particles * r / links->ranks,
                     last = share->particles * (r + 1) / links->ranks;
            char *at = (char *)share->whole.stream[s] + 4 * first;
            out[r - 1] = (LinkMessage){r, at, (size_t)(last - first) * 4};
        }
        if (end > 0) memcpy(own->stream[s], share->whole.stream[s], (size_t)end * 4);
        links->exchange(links->self, out, links->ranks - 1, NULL, 0);
    }
    own->count = (uint32_t)(end - begin);
}

void fluid_share(Fluid *fluid, const Links *links)
{
    CHECK(!fluid->share);
    Share *share = memory_allocate_zeroed(sizeof *share);
    if (!share) {
        Result result = result_no_memory("a shared fluid", sizeof *share);
        links->fail(links->self, &result);
    }
    share->links = links;
    Result settled = links->rank == 0 ? fluid_settle(fluid) : result_ok();
    if (!result_is_ok(&settled)) links->fail(links->self, &settled);
    fluid->settled = true;
    fluid->share = share;
    spread_singles(fluid);
    if (links->rank == 0) {
        // What the fluid holds becomes the copy of all particles.
        Particles *p = &fluid->particles;
        share->whole.count = p->count, share->whole.capacity = p->capacity;
        for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) {
            share->whole.stream[s] = p->stream[s];
            p->stream[s] = NULL;
        }
        share->whole_is_new = true;
        particles_free(p);
    }
    scatter(share, &fluid->particles);
}

void share_count_pressure(Share *share, PressureTraffic traffic)
{
    ShareCount *count = &share->count;
    count->grid_messages = traffic.messages;
    count->marks = traffic.marks, count->sums = traffic.sums;
    count->given = traffic.given, count->border = traffic.border;
}

void share_stepped(const Share *share, bool over)
{
    const Links *links = share->links;
    if (links->stepped) links->stepped(links->self, over ? &share->count : NULL);
}

ShareCount fluid_share_count(const Fluid *fluid)
{
    return fluid->share->count;
}

// --- sums ---

static bool is_any(const Share *share, bool here)
{
    int64_t ranks = here;
    share->links->sum(share->links->self, &ranks, 1);
    return ranks > 0;
}

uint32_t share_first(const Share *share, uint32_t number)
{
    const Links *links = share->links;
    int64_t lower = number != UINT32_MAX, first = 0;
    if (!is_any(share, lower)) return UINT32_MAX;
    links->sum_below(links->self, &lower, 1);
    if (lower == 0 && number != UINT32_MAX) first = number;
    links->sum(links->self, &first, 1);
    return (uint32_t)first;
}

// Blocks that a rank has particles of, and those of them that it has the last particle of.
static uint32_t blocks_of(const Share *share, uint32_t rank, uint32_t *ended)
{
    uint32_t ranks = share->links->ranks;
    uint64_t first = share_cut(share->particles, share->block, rank, ranks),
             last = share_cut(share->particles, share->block, rank + 1, ranks);
    *ended = 0;
    if (first == last) return 0;
    uint32_t blocks = (uint32_t)(groups_of(last, SHARE_SUM) - first / SHARE_SUM);
    *ended = blocks - (last % SHARE_SUM != 0 && last < share->particles);
    return blocks;
}

// Gets what lower ranks have of a block that is cut, and gives upper ones what they go on from.
static void pass_on(Share *share, uint32_t count, double *sums, uint32_t parts, ShareSums *again,
                    const void *context)
{
    const Links *links = share->links;
    uint64_t first = share->first, last = first + count;
    uint32_t ended, blocks = blocks_of(share, links->rank, &ended);
    double before[4] = {0};
    size_t bytes = parts * sizeof *before;
    bool gets = first % SHARE_SUM != 0 && first < share->particles;
    bool gives = last % SHARE_SUM != 0 && last < share->particles;
    bool waits = gets && blocks < 2; // all that it has is part of the block that lower ranks began
    LinkMessage in = {links->rank - 1, before, bytes};
    LinkMessage out = {links->rank + 1, blocks ? sums + (blocks - 1) * (size_t)parts : before, bytes};
    CHECK(parts * sizeof(double) <= sizeof before);
    share->count.single += gives;
    links->exchange(links->self, &out, gives && !waits, &in, gets);
    if (gets && count > 0) {
        uint64_t end = SHARE_SUM - first % SHARE_SUM;
        again(0, end < count ? (uint32_t)end : count, before, context);
        memcpy(sums, before, bytes);
    }
    if (gives && waits) links->exchange(links->self, &out, 1, NULL, 0);
}

void share_sum(Share *share, uint32_t count, double *sums, uint32_t parts, ShareSums *again,
               const void *context, double *total)
{
    const Links *links = share->links;
    size_t *bytes = share_room(share, &share->places, links->ranks * sizeof *bytes), all = 0;
    pass_on(share, count, sums, parts, again, context);
    for (uint32_t r = 0; r < links->ranks; r++) {
        uint32_t ended;
        blocks_of(share, r, &ended);
        bytes[r] = ended * (size_t)parts * sizeof *sums;
        all += bytes[r];
    }
    double *every = share_room(share, &share->received, all + sizeof *every);
    links->collect_parts(links->self, sums, bytes, every);
    for (uint32_t p = 0; p < parts; p++) total[p] = 0.0;
    for (size_t k = 0; k < all / sizeof *every; k++) total[k % parts] += every[k];
}
