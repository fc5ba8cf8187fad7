// Particles go to the ranks whose part of the order they belong to: each rank gets its slice of what one
// process sorts. Ranks are threads.
#include "fluid_helpers.h"
#include "thread_links.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "fluid/share_run.h"
#include "neighbor/neighbor.h"

#include <stdlib.h>
#include <string.h>

// Four blocks of the search that ranks are cut between, and one particle in a fifth.
enum { ALL = 4 * 4096 + 1 };

// Particles in the order of ranks, as they were and as one process puts them.
typedef struct Crowd {
    uint32_t count, ranks;
    uint32_t begin[THREAD_RANKS_MAX + 1]; // of each rank's
    uint64_t key[ALL];
    uint32_t sorted[ALL];
    uint32_t got; // by all ranks
} Crowd;

static const Crowd *compared;

static int by_key(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    uint64_t p = compared->key[i], q = compared->key[j];
    return p != q ? (p < q ? -1 : 1) : i < j ? -1 : 1; // equal ones stay in the order of ranks
}

static int by_value(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

typedef struct Own {
    uint32_t id[ALL + LANES], order[ALL];
    float at[3][ALL + LANES], pull[3][ALL];
} Own;

static float place_of(uint32_t i, int axis)
{
    return (float)(3 * i + (uint32_t)axis);
}

static void describe(const Crowd *crowd, uint32_t rank, Own *own, Particles *particles)
{
    uint32_t begin = crowd->begin[rank], count = crowd->begin[rank + 1] - begin;
    // Nothing but its particles' keys may count.
    ASSERT_OK(sort_buffers_reserve(&particles->sort, count + 2));
    memset(particles->sort.keys[0], 0, (count + 2) * sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
        particles->sort.keys[0][i] = crowd->key[begin + i];
        own->id[i] = begin + i;
        own->order[i] = count - 1 - i;
        for (int a = 0; a < 3; a++) {
            own->at[a][i] = place_of(begin + i, a);
            own->pull[a][count - 1 - i] = -place_of(begin + i, a);
        }
    }
}

static void check_slice(const Crowd *crowd, const Share *share, const Prediction *got)
{
    const Links *links = share->links;
    uint64_t first = share_cut(crowd->count, share->block, links->rank, links->ranks);
    assert_int_equal(share->first, first);
    for (uint32_t k = 0; k < got->count; k++) {
        uint32_t i = crowd->sorted[first + k];
        if (got->id[k] != i)
            fail_msg("rank %u of %u has %u instead of %u of %u as its %u-th", links->rank, links->ranks,
                     got->id[k], i, crowd->count, k);
        assert_true(got->at.x[k] == place_of(i, 0) && got->pull.at.x[k] == -place_of(i, 0));
        assert_true(got->at.y[k] == place_of(i, 1) && got->pull.at.y[k] == -place_of(i, 1));
        assert_true(got->at.z[k] == place_of(i, 2) && got->pull.at.z[k] == -place_of(i, 2));
    }
}

static void free_room(Share *share, Particles *particles)
{
    const ShareBuffer rooms[] = {share->places, share->packed, share->received, share->messages,
                                 share->lined,  share->pulls,  share->marks};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) memory_free(rooms[k].at);
    sort_buffers_free(&share->sort);
    sort_buffers_free(&particles->sort);
}

static void migrate(const Links *links, void *context)
{
    Crowd *crowd = context;
    Own *own = calloc(1, sizeof *own);
    assert_non_null(own);
    Share share = {.links = links};
    Particles particles = {0};
    describe(crowd, links->rank, own, &particles);
    Prediction prediction = {.count = crowd->begin[links->rank + 1] - crowd->begin[links->rank],
                             .id = own->id,
                             .at = {own->at[0], own->at[1], own->at[2]},
                             .pull = {{own->pull[0], own->pull[1], own->pull[2]}, own->order}};
    share_migrate(&share, &particles, &prediction);
    check_slice(crowd, &share, &prediction);
    __atomic_fetch_add(&crowd->got, prediction.count, __ATOMIC_RELAXED);
    free_room(&share, &particles);
    free(own);
}

static void assert_slices(Crowd *crowd)
{
    for (uint32_t r = 0; r < crowd->ranks; r++)
        qsort(crowd->key + crowd->begin[r], crowd->begin[r + 1] - crowd->begin[r], sizeof *crowd->key,
              by_value);
    for (uint32_t i = 0; i < crowd->count; i++) crowd->sorted[i] = i;
    compared = crowd;
    qsort(crowd->sorted, crowd->count, sizeof *crowd->sorted, by_key);
    crowd->got = 0;
    thread_links_run(crowd->ranks, migrate, crowd);
    assert_int_equal(crowd->got, crowd->count);
}

// As many to each rank, or none to all but a middle one.
static void deal_out(Crowd *crowd, uint32_t count, uint32_t ranks, bool evenly)
{
    crowd->count = count, crowd->ranks = ranks;
    for (uint32_t r = 0; r <= ranks; r++)
        crowd->begin[r] = evenly ? (uint32_t)((uint64_t)count * r / ranks) : r > ranks / 2 ? count : 0;
}

static Crowd *new_crowd(void)
{
    Crowd *crowd = calloc(1, sizeof *crowd);
    assert_non_null(crowd);
    return crowd;
}

static void ranks_get_their_slices_of_one_order(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 5, 2000, ALL}, ranks[] = {2, 3, 7, 16};
    Crowd *crowd = new_crowd();
    uint64_t seed = 11;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (unsigned bits = 0; bits <= 64; bits += 16) {
                deal_out(crowd, counts[c], ranks[r], bits != 16);
                double most = bits < 64 ? (double)(UINT64_C(1) << bits) : 0x1p63 * 1.999;
                for (uint32_t i = 0; i < counts[c]; i++)
                    crowd->key[i] = (uint64_t)(fluid_test_random(&seed) * most);
                assert_slices(crowd);
            }
    free(crowd);
}

// The last two of all are far ahead, on ranks that have none or one beside them.
static void a_rank_with_a_particle_or_two_may_have_the_last_ones(void **state)
{
    (void)state;
    Crowd *crowd = new_crowd();
    for (uint32_t beside = 0; beside <= 1; beside++)
        for (unsigned bit = 8; bit < 64; bit += 11) {
            deal_out(crowd, ALL, 16, false);
            for (uint32_t r = 1; r <= 2; r++) crowd->begin[r] = (r - 1) * (1 + beside);
            for (uint32_t r = 3; r <= 16; r++) crowd->begin[r] = r < 9 ? 2 * (1 + beside) : ALL;
            for (uint32_t i = 0; i < ALL; i++) crowd->key[i] = i % 199;
            for (uint32_t r = 1; r <= 2; r++) crowd->key[crowd->begin[r]] = (UINT64_C(1) << bit) + r;
            assert_slices(crowd);
        }
    free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_get_their_slices_of_one_order),
        cmocka_unit_test(a_rank_with_a_particle_or_two_may_have_the_last_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
