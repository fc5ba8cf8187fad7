#include "thread_links.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// On its way.
typedef struct Letter {
    struct Letter *next;
    size_t bytes;
    char data[];
} Letter;

static struct {
    uint32_t ranks;
    pthread_barrier_t barrier;
    const void *posted[THREAD_RANKS_MAX];
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    Letter *mail[THREAD_RANKS_MAX][THREAD_RANKS_MAX]; // from, to; oldest first
    atomic_uint_least64_t bytes, messages;
    ThreadRank *body;
    void *context;
} team;

typedef struct Member {
    Links links;
    pthread_t thread;
} Member;

static void meet(void)
{
    pthread_barrier_wait(&team.barrier);
}

// Everybody sees what everybody has posted, until the next call of meet().
static uint32_t post(void *self, const void *mine)
{
    uint32_t rank = ((const Member *)self)->links.rank;
    team.posted[rank] = mine;
    meet();
    return rank;
}

static void *copy_of(size_t bytes)
{
    void *copy = calloc(1, bytes + 1);
    if (!copy) abort();
    return copy;
}

static void sum_ranks(void *self, int64_t *numbers, size_t count, bool below)
{
    int64_t *sums = copy_of(count * sizeof *sums);
    uint32_t rank = post(self, numbers), end = below ? rank : team.ranks;
    for (uint32_t r = 0; r < end; r++)
        for (size_t k = 0; k < count; k++) sums[k] += ((const int64_t *)team.posted[r])[k];
    meet();
    if (count > 0) memcpy(numbers, sums, count * sizeof *sums);
    free(sums);
}

static void sum(void *self, int64_t *numbers, size_t count)
{
    sum_ranks(self, numbers, count, false);
}

static void sum_below(void *self, int64_t *numbers, size_t count)
{
    sum_ranks(self, numbers, count, true);
}

static void most(void *self, double *numbers, size_t count)
{
    double *largest = copy_of(count * sizeof *largest);
    post(self, numbers);
    for (uint32_t r = 0; r < team.ranks; r++) {
        const double *theirs = team.posted[r];
        for (size_t k = 0; k < count; k++)
            if (r == 0 || theirs[k] > largest[k]) largest[k] = theirs[k];
    }
    meet();
    memcpy(numbers, largest, count * sizeof *largest);
    free(largest);
}

static void spread(void *self, void *data, size_t bytes)
{
    if (post(self, data) > 0) memcpy(data, team.posted[0], bytes);
    meet();
}

static void collect_parts(void *self, const void *mine, const size_t *bytes, void *all)
{
    char *at = all;
    post(self, mine);
    for (uint32_t r = 0; r < team.ranks; at += bytes[r], r++)
        if (bytes[r] > 0) memcpy(at, team.posted[r], bytes[r]);
    meet();
}

static void collect(void *self, const void *mine, size_t bytes, void *all)
{
    size_t each[THREAD_RANKS_MAX];
    for (uint32_t r = 0; r < team.ranks; r++) each[r] = bytes;
    collect_parts(self, mine, each, all);
}

static void deal(void *self, const uint32_t *mine, uint32_t *theirs)
{
    uint32_t rank = post(self, mine);
    for (uint32_t r = 0; r < team.ranks; r++) theirs[r] = ((const uint32_t *)team.posted[r])[rank];
    meet();
}

static void drop_in(uint32_t from, const LinkMessage *message)
{
    Letter *letter = copy_of(sizeof *letter + message->bytes), **end = &team.mail[from][message->rank];
    letter->bytes = message->bytes;
    memcpy(letter->data, message->data, message->bytes);
    pthread_mutex_lock(&team.lock);
    while (*end) end = &(*end)->next;
    *end = letter;
    pthread_cond_broadcast(&team.arrived);
    pthread_mutex_unlock(&team.lock);
    atomic_fetch_add(&team.bytes, message->bytes);
    atomic_fetch_add(&team.messages, 1);
}

static void take_out(uint32_t to, const LinkMessage *message)
{
    Letter **first = &team.mail[message->rank][to];
    pthread_mutex_lock(&team.lock);
    while (!*first) pthread_cond_wait(&team.arrived, &team.lock);
    Letter *letter = *first;
    *first = letter->next;
    pthread_mutex_unlock(&team.lock);
    if (letter->bytes != message->bytes) {
        fprintf(stderr, "rank %u got %zu bytes from %u and waited for %zu\n", to, letter->bytes,
                message->rank, message->bytes);
        abort();
    }
    memcpy(message->data, letter->data, letter->bytes);
    free(letter);
}

static void exchange(void *self, const LinkMessage *out, uint32_t outs, const LinkMessage *in, uint32_t ins)
{
    uint32_t rank = ((const Member *)self)->links.rank;
    for (uint32_t k = 0; k < outs; k++)
        if (out[k].bytes > 0) drop_in(rank, &out[k]);
    for (uint32_t k = 0; k < ins; k++)
        if (in[k].bytes > 0) take_out(rank, &in[k]);
}

static __attribute__((noreturn)) void fail(void *self, const Result *result)
{
    fprintf(stderr, "rank %u: %s\n", ((const Member *)self)->links.rank, result->text);
    abort();
}

static void *run(void *member)
{
    team.body(&((const Member *)member)->links, team.context);
    return NULL;
}

void thread_links_run(uint32_t ranks, ThreadRank *body, void *context)
{
    Member members[THREAD_RANKS_MAX];
    team.ranks = ranks, team.body = body, team.context = context;
    team.bytes = team.messages = 0;
    pthread_barrier_init(&team.barrier, NULL, ranks);
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.arrived, NULL);
    for (uint32_t r = 0; r < ranks; r++)
        members[r].links = (Links){.self = &members[r],
                                   .rank = r,
                                   .ranks = ranks,
                                   .sum = sum,
                                   .most = most,
                                   .sum_below = sum_below,
                                   .spread = spread,
                                   .collect = collect,
                                   .collect_parts = collect_parts,
                                   .deal = deal,
                                   .exchange = exchange,
                                   .fail = fail};
    for (uint32_t r = 1; r < ranks; r++)
        if (pthread_create(&members[r].thread, NULL, run, &members[r]) != 0) abort();
    run(&members[0]);
    for (uint32_t r = 1; r < ranks; r++) pthread_join(members[r].thread, NULL);
    pthread_barrier_destroy(&team.barrier);
    pthread_mutex_destroy(&team.lock);
    pthread_cond_destroy(&team.arrived);
}

uint64_t thread_links_bytes(void)
{
    return atomic_load(&team.bytes);
}

uint64_t thread_links_messages(void)
{
    return atomic_load(&team.messages);
}
