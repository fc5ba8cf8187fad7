// The ground that everything stands on: results, memory, loops, hashes.
#include "core/clock.h"
#include "core/cpu.h"
#include "core/hash.h"
#include "core/loop_times.h"
#include "core/mat3.h"
#include "core/memory.h"
#include "core/pair_figure.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/result.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// --- results ---

static void result_messages_are_one_printable_line(void **state)
{
    (void)state;
    Result result = result_error(RESULT_USAGE, "%s", "a\nb\tc\033[31md\x7f");
    assert_string_equal(result.text, "a?b?c?[31md?");
    assert_false(result_is_ok(&result));
    // U+009B begins a sequence as escape and bracket do; letters of two bytes stay.
    result = result_error(RESULT_USAGE, "%s",
                          "a\xc2\x9b"
                          "31m\xc2\x80\xc2\xa0\xc3\x9b\xc2");
    assert_string_equal(result.text, "a??31m??\xc2\xa0\xc3\x9b\xc2");
}

static void result_messages_that_are_too_long_are_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    Result result = result_error(RESULT_FAILED, "%s", text);
    assert_int_equal(strlen(result.text), sizeof result.text - 1);
}

static void result_codes_become_the_exit_statuses_of_the_contract(void **state)
{
    (void)state;
    Result ok = result_ok(), usage = result_error(RESULT_USAGE, "x"),
           failed = result_error(RESULT_FAILED, "x"), memory = result_no_memory("x", 1);
    assert_int_equal(result_exit_status(&ok), 0);
    assert_int_equal(result_exit_status(&usage), 2);
    assert_int_equal(result_exit_status(&failed), 1);
    assert_int_equal(result_exit_status(&memory), 1);
}

// --- memory ---

static void memory_blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    uint64_t count = memory_allocation_count(), bytes = memory_bytes_in_use();
    void *blocks[20];
    for (size_t k = 0; k < 20; k++) {
        blocks[k] = memory_allocate(k * 13);
        assert_non_null(blocks[k]);
        assert_int_equal((uintptr_t)blocks[k] % MEMORY_ALIGNMENT, 0);
    }
    assert_int_equal(memory_allocation_count(), count + 20);
    assert_true(memory_bytes_in_use() >= bytes + 13 * 190);
    for (size_t k = 0; k < 20; k++) memory_free(blocks[k]);
    memory_free(NULL);
    assert_int_equal(memory_bytes_in_use(), bytes);
}

static void memory_beyond_the_address_space_is_refused(void **state)
{
    (void)state;
    assert_null(memory_allocate(SIZE_MAX));
    assert_null(memory_allocate(SIZE_MAX - MEMORY_ALIGNMENT));
}

static void memory_reserve_keeps_contents_and_settles(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    uint64_t before = memory_allocation_count();
    for (uint32_t k = 0; k < 10000; k++) {
        Result result = memory_reserve((void **)&numbers, &capacity, k, k + 1, sizeof *numbers, "numbers");
        assert_true(result_is_ok(&result));
        numbers[k] = k * 2654435761u;
    }
    for (uint32_t k = 0; k < 10000; k++) assert_int_equal(numbers[k], k * 2654435761u);
    assert_true(memory_allocation_count() - before < 40);
    memory_free(numbers);
}

static void memory_reserve_that_fails_changes_nothing(void **state)
{
    (void)state;
    uint8_t *bytes = NULL;
    size_t capacity = 0;
    Result result = memory_reserve((void **)&bytes, &capacity, 0, 5, 1, "bytes");
    assert_true(result_is_ok(&result));
    memcpy(bytes, "abcd", 5);
    uint8_t *block = bytes;
    size_t had = capacity;
    result = memory_reserve((void **)&bytes, &capacity, 5, SIZE_MAX / 2, 16, "bytes");
    assert_int_equal(result.code, RESULT_NO_MEMORY);
    assert_ptr_equal(bytes, block);
    assert_int_equal(capacity, had);
    assert_string_equal((char *)bytes, "abcd");
    memory_free(bytes);
}

static void memory_figures_of_the_system_are_plausible(void **state)
{
    (void)state;
    assert_true(memory_peak_rss() > 100000);
    assert_true(memory_available() > 1000000);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_group_has_what_its_limit_leaves_and_cached_files_are_free(void **state)
{
    (void)state;
    char folder[] = "/tmp/pbf-group-XXXXXX", command[100];
    assert_non_null(mkdtemp(folder));
    assert_true(memory_available_in_group(folder) == UINT64_MAX);         // no group at all
    write_text(folder, "memory.limit_in_bytes", "9223372036854771712\n"); // version 1 without a limit
    write_text(folder, "memory.usage_in_bytes", "5000000\n");
    assert_true(memory_available_in_group(folder) == UINT64_MAX);
    write_text(folder, "memory.limit_in_bytes", "100000000\n");
    write_text(folder, "memory.stat",
               "inactive_file 7\ntotal_inactive_file 1000000\ntotal_active_file 2000000\n");
    assert_int_equal(memory_available_in_group(folder), 98000000);
    write_text(folder, "memory.max", "max\n"); // version 2, but no limit: what version 1 says stands
    write_text(folder, "memory.current", "300\n");
    assert_int_equal(memory_available_in_group(folder), 98000000);
    write_text(folder, "memory.max", "1000\n");
    write_text(folder, "memory.stat", "anon 180\nfile 120\ninactive_file 20\nactive_file 80\n");
    assert_int_equal(memory_available_in_group(folder), 800);
    write_text(folder, "memory.current", "2000\n");
    assert_int_equal(memory_available_in_group(folder), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void cores_of_a_group_are_those_of_its_quota(void **state)
{
    (void)state;
    char folder[] = "/tmp/pbf-group-XXXXXX", command[100];
    assert_non_null(mkdtemp(folder));
    assert_true(parallel_thousandths_in_group(folder) == UINT64_MAX);
    write_text(folder, "cpu.cfs_quota_us", "-1\n"); // version 1 without a limit
    write_text(folder, "cpu.cfs_period_us", "100000\n");
    assert_true(parallel_thousandths_in_group(folder) == UINT64_MAX);
    write_text(folder, "cpu.cfs_quota_us", "150000\n");
    assert_int_equal(parallel_thousandths_in_group(folder), 1500);
    write_text(folder, "cpu.max", "25000 50000\n"); // version 2
    assert_int_equal(parallel_thousandths_in_group(folder), 500);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_true(parallel_cores() >= 1);
}

// --- loops ---

typedef struct Cover {
    uint32_t count, grain;
    uint8_t *visits;
    uint32_t bad_edges, bad_workers;
} Cover;

static void cover_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    Cover *cover = context;
    bool edges = begin % cover->grain == 0 && end > begin && end - begin <= cover->grain &&
                 (end == cover->count || end % cover->grain == 0);
    if (!edges) __atomic_fetch_add(&cover->bad_edges, 1, __ATOMIC_RELAXED);
    if (worker >= parallel_workers()) __atomic_fetch_add(&cover->bad_workers, 1, __ATOMIC_RELAXED);
    for (uint32_t i = begin; i < end; i++) cover->visits[i]++;
}

static void parallel_for_visits_every_index_once_in_blocks_that_depend_on_the_grain_alone(void **state)
{
    (void)state;
    static const uint32_t workers[] = {1, 2, 7}, counts[] = {0, 1, 63, 64, 65, 1000, 10007},
                          grains[] = {1, 64, 20000};
    for (int w = 0; w < 3; w++) {
        parallel_set_workers(workers[w]);
        assert_int_equal(parallel_workers(), workers[w]);
        for (int c = 0; c < 7; c++) {
            for (int g = 0; g < 3; g++) {
                Cover cover = {counts[c], grains[g], memory_allocate_zeroed(counts[c]), 0, 0};
                parallel_for(cover.count, cover.grain, cover_block, &cover);
                for (uint32_t i = 0; i < cover.count; i++) assert_int_equal(cover.visits[i], 1);
                assert_int_equal(cover.bad_edges, 0);
                assert_int_equal(cover.bad_workers, 0);
                memory_free(cover.visits);
            }
        }
    }
    parallel_set_workers(0);
    assert_true(parallel_workers() >= 1);
}

// The table has fewer places than there are loops: those that share one are told apart, and one whose thread
// lost its core in between is not taken for a long one.
static void loops_are_known_again(void **state)
{
    (void)state;
    static LoopTimes times;
    ParallelKind *kinds[3];
    for (uintptr_t k = 0; k < 3; k++) {
        kinds[k] = (ParallelKind *)(16 * (5 + k * LOOPS_KNOWN)); // never called
        loop_time_learn(loop_time(&times, kinds[k], 1000), 1e-6 * (double)(k + 1), 1);
    }
    for (int k = 0; k < 3; k++)
        assert_true(loop_time(&times, kinds[k], 1000)->item_seconds == 1e-6 * (double)(k + 1));
    assert_true(loop_time(&times, kinds[0], 3000)->item_seconds == 0); // another length
    LoopTime *time = loop_time(&times, kinds[0], 1000);
    loop_time_learn(time, 1, 1);
    assert_true(time->item_seconds < 1.2e-6);
    loop_time_learn(time, 0.5e-6, 1);
    assert_true(time->item_seconds == 0.5e-6);
}

// Loops of several lengths whose sharing was a loss are not tried more often than those of one.
static void losses_of_sharing_are_paid_off_together(void **state)
{
    (void)state;
    LoopTimes times = {0};
    const double lengths[] = {25e-6, 50e-6, 100e-6};
    for (int k = 0; k < 3; k++) {
        assert_true(loop_is_worth_sharing(&times, lengths[k]));
        loop_was_shared(&times, lengths[k], 1 + lengths[k]);
    }
    for (int k = 0; k < LOOP_LENGTHS; k++) times.debts[k].at -= 60;
    for (int k = 0; k < 3; k++) assert_false(loop_is_worth_sharing(&times, lengths[k]));
    for (int k = 0; k < LOOP_LENGTHS; k++) times.debts[k].at -= 120;
    for (int k = 0; k < 3; k++) assert_true(loop_is_worth_sharing(&times, lengths[k]));
}

// A core that is lost now and then, for 3 ms in a tenth of a second, costs less than sharing gains in
// between.
static void a_rare_loss_does_not_end_sharing_that_pays(void **state)
{
    (void)state;
    LoopTimes times = {0};
    const double alone = 60e-6;
    for (int k = 0; k < 1000; k++) loop_was_shared(&times, alone, 0.6 * alone);
    loop_was_shared(&times, alone, alone + 3e-3);
    assert_true(loop_is_worth_sharing(&times, alone));
    assert_false(loops_owe(&times));
    for (int k = 0; k < 3; k++) loop_was_shared(&times, alone, alone + 3e-3);
    assert_false(loop_is_worth_sharing(&times, alone));
    assert_true(loops_owe(&times));
}

static void *loop_alone(void *cover)
{
    Cover *own = cover;
    for (int round = 0; round < 200; round++) parallel_for(own->count, own->grain, cover_block, own);
    return NULL;
}

static void several_threads_may_run_loops_at_the_same_time(void **state)
{
    (void)state;
    enum { CALLERS = 3, COUNT = 5000 };
    Cover covers[CALLERS] = {0};
    pthread_t callers[CALLERS];
    parallel_set_workers(3);
    for (int k = 0; k < CALLERS; k++) {
        covers[k] = (Cover){.count = COUNT, .grain = 100, .visits = calloc(COUNT, 1)};
        assert_non_null(covers[k].visits);
        assert_int_equal(pthread_create(&callers[k], NULL, loop_alone, &covers[k]), 0);
    }
    for (int k = 0; k < CALLERS; k++) {
        pthread_join(callers[k], NULL);
        for (int i = 0; i < COUNT; i++) assert_int_equal(covers[k].visits[i], 200);
        free(covers[k].visits);
    }
    parallel_set_workers(0);
}

// --- hash ---

static void hash_changes_with_every_bit_and_with_the_order(void **state)
{
    (void)state;
    uint8_t bytes[37];
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (uint8_t)(k * 37);
    uint64_t original = hash_bytes(HASH_START, bytes, sizeof bytes);
    assert_int_equal(hash_bytes(HASH_START, bytes, sizeof bytes), original);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(hash_bytes(HASH_START, bytes, sizeof bytes), original);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    uint64_t words[2] = {1, 2}, swapped[2] = {2, 1};
    assert_int_not_equal(hash_bytes(HASH_START, words, 16), hash_bytes(HASH_START, swapped, 16));
    assert_int_not_equal(hash_bytes(HASH_START, bytes, 36), original);
}

static void hash_of_whole_words_does_not_depend_on_the_cut(void **state)
{
    (void)state;
    uint64_t words[9];
    for (uint64_t k = 0; k < 9; k++) words[k] = k * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t whole = hash_bytes(HASH_START, words, sizeof words);
    for (size_t cut = 0; cut <= 9; cut++) {
        uint64_t hash = hash_bytes(HASH_START, words, cut * 8);
        assert_int_equal(hash_bytes(hash, words + cut, (9 - cut) * 8), whole);
    }
}

// --- the rest ---

static void rotations_turn_the_axes_as_a_right_hand_does(void **state)
{
    (void)state;
    Vec3 y = mat3_apply(mat3_from_euler_degrees(vec3_make(0, 0, 90)), vec3_make(1, 0, 0));
    Vec3 z = mat3_apply(mat3_from_euler_degrees(vec3_make(90, 0, 0)), vec3_make(0, 1, 0));
    Vec3 x = mat3_apply(mat3_from_euler_degrees(vec3_make(0, 90, 0)), vec3_make(0, 0, 1));
    assert_true(vec3_length(vec3_sub(y, vec3_make(0, 1, 0))) < 1e-6f);
    assert_true(vec3_length(vec3_sub(z, vec3_make(0, 0, 1))) < 1e-6f);
    assert_true(vec3_length(vec3_sub(x, vec3_make(1, 0, 0))) < 1e-6f);
}

static void rotations_keep_lengths_and_are_undone_by_their_transpose(void **state)
{
    (void)state;
    Mat3 turn = mat3_from_euler_degrees(vec3_make(17, -63, 141));
    Vec3 v = vec3_make(1.5f, -2, 0.25f), turned = mat3_apply(turn, v);
    assert_float_equal(vec3_length(turned), vec3_length(v), 1e-5);
    assert_true(vec3_length(vec3_sub(mat3_apply_transposed(turn, turned), v)) < 1e-5f);
    assert_true(vec3_length(vec3_sub(turned, v)) > 0.5f);
}

static void the_instruction_set_can_be_lowered_but_not_raised_beyond_the_processor(void **state)
{
    (void)state;
    cpu_set_level(CPU_AVX512);
    CpuLevel best = cpu_level();
    cpu_set_level(CPU_PLAIN);
    assert_int_equal(cpu_level(), CPU_PLAIN);
    assert_string_equal(cpu_level_name(CPU_PLAIN), "plain");
    cpu_set_level(best);
    assert_int_equal(cpu_level(), best);
}

static void the_clock_never_goes_back(void **state)
{
    (void)state;
    double last = clock_seconds();
    for (int k = 0; k < 1000; k++) {
        double now = clock_seconds();
        assert_true(now >= last);
        last = now;
    }
}

// --- progress ---

// What progress_show says of a run that has gone on for `elapsed` seconds, on a standard error that is no
// terminal.
static void shown(double elapsed, double done, char *out, size_t size)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    Progress progress = progress_begin(false);
    progress.started -= elapsed;
    progress.last_shown -= elapsed;
    progress_show(&progress, done, "step %d", 7);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    size_t length = fread(out, 1, size - 1, file);
    out[length] = '\0';
    fclose(file);
}

static void progress_tells_the_time_that_is_left(void **state)
{
    (void)state;
    char line[200];
    // Nearly done, so that a minute in which the machine does something else makes no difference.
    shown(299700, 0.999, line, sizeof line);
    assert_string_equal(line, "step 7, left 5:00\n");
    shown(3596400, 0.999, line, sizeof line);
    assert_string_equal(line, "step 7, left 1:00:00\n");
    shown(0, 1, line, sizeof line);
    assert_non_null(strstr(line, "step 7, took 0:"));
    shown(-1000, 0.5, line, sizeof line); // the last line is not old
    assert_string_equal(line, "");
}

static void progress_of_next_to_nothing_is_still_a_time(void **state)
{
    (void)state;
    char line[200];
    shown(10, 1e-12, line, sizeof line);
    assert_string_equal(line, "step 7, left 999:59:59\n");
    shown(10, 1e-310, line, sizeof line);
    assert_string_equal(line, "step 7, left 999:59:59\n");
}

// --- figures of pairs ---

// Uniform in (0, 1), by a generator of its own.
static double random_share(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

// Times of a machine on which now and then something else runs for long.
static double busy_time(uint64_t *seed)
{
    double time = 1 + 0.1 * random_share(seed);
    return random_share(seed) < 0.2 ? time * (1 + 5 * random_share(seed)) : time;
}

static PairFigure figure_of(uint64_t *seed, uint32_t count, double factor)
{
    double pairs[PAIRS_MAX][2];
    for (uint32_t k = 0; k < count; k++) {
        pairs[k][0] = busy_time(seed);
        pairs[k][1] = factor * busy_time(seed);
    }
    return pair_figure((const double(*)[2])pairs, count);
}

static void equal_times_do_not_differ_and_unequal_ones_do_on_a_busy_machine(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint32_t wrong = 0, right = 0;
    for (int run = 0; run < 4000; run++) {
        PairFigure same = figure_of(&seed, 100, 1), other = figure_of(&seed, 100, 1.2);
        wrong += pair_figure_differs(&same);
        right += pair_figure_differs(&other) && other.change > 0.15 && other.change < 0.25;
    }
    assert_int_equal(wrong, 0);
    assert_in_range(right, 3990, 4000);
    // 33 heads or fewer in 100 throws of a coin: 0.0009 for both tails; 34 or fewer: 0.0018.
    double ranks[PAIRS_MAX][2];
    for (uint32_t k = 0; k < PAIRS_MAX; k++) ranks[k][0] = 1, ranks[k][1] = 2 + k;
    PairFigure figure = pair_figure((const double(*)[2])ranks, PAIRS_MAX);
    assert_true(fabs(figure.low - (35 * (1 - PAIRS_BIAS) - 1)) < 1e-9);
    assert_true(fabs(figure.high - (68 * (1 + PAIRS_BIAS) - 1)) < 1e-9);
    PairFigure few = figure_of(&seed, PAIRS_MIN - 1, 2);
    assert_false(pair_figure_is_known(&few));
}

static void a_figure_is_told_in_words(void **state)
{
    (void)state;
    char text[64];
    PairFigure figure = {.pairs = 9};
    pair_figure_text(&figure, "time", text, sizeof text);
    assert_string_equal(text, "measuring");
    figure = (PairFigure){.pairs = 100, .change = -0.123, .low = -0.14, .high = -0.101};
    pair_figure_text(&figure, "time", text, sizeof text);
    assert_string_equal(text, "12.3 % less time");
    pair_figure_bounds(&figure, text, sizeof text);
    assert_string_equal(text, "10.1 to 14.0 % less, 100 pairs of steps");
    figure.high = 0.02;
    pair_figure_text(&figure, "time", text, sizeof text);
    assert_string_equal(text, "no difference");
    pair_figure_bounds(&figure, text, sizeof text);
    assert_string_equal(text, "-14.0 to +2.0 %, 100 pairs of steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_do_not_differ_and_unequal_ones_do_on_a_busy_machine),
        cmocka_unit_test(a_figure_is_told_in_words),
        cmocka_unit_test(result_messages_are_one_printable_line),
        cmocka_unit_test(result_messages_that_are_too_long_are_cut),
        cmocka_unit_test(result_codes_become_the_exit_statuses_of_the_contract),
        cmocka_unit_test(memory_blocks_are_aligned_and_counted),
        cmocka_unit_test(memory_beyond_the_address_space_is_refused),
        cmocka_unit_test(memory_reserve_keeps_contents_and_settles),
        cmocka_unit_test(memory_reserve_that_fails_changes_nothing),
        cmocka_unit_test(memory_figures_of_the_system_are_plausible),
        cmocka_unit_test(a_group_has_what_its_limit_leaves_and_cached_files_are_free),
        cmocka_unit_test(cores_of_a_group_are_those_of_its_quota),
        cmocka_unit_test(parallel_for_visits_every_index_once_in_blocks_that_depend_on_the_grain_alone),
        cmocka_unit_test(loops_are_known_again),
        cmocka_unit_test(losses_of_sharing_are_paid_off_together),
        cmocka_unit_test(a_rare_loss_does_not_end_sharing_that_pays),
        cmocka_unit_test(several_threads_may_run_loops_at_the_same_time),
        cmocka_unit_test(hash_changes_with_every_bit_and_with_the_order),
        cmocka_unit_test(hash_of_whole_words_does_not_depend_on_the_cut),
        cmocka_unit_test(rotations_turn_the_axes_as_a_right_hand_does),
        cmocka_unit_test(rotations_keep_lengths_and_are_undone_by_their_transpose),
        cmocka_unit_test(the_instruction_set_can_be_lowered_but_not_raised_beyond_the_processor),
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(progress_tells_the_time_that_is_left),
        cmocka_unit_test(progress_of_next_to_nothing_is_still_a_time),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
