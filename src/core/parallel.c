// A thread pool: one team of OpenMP threads for the life of the program, whose members wait for loops inside
// a single parallel region. OpenMP's own barriers spin and make a loop wait for every thread, so on a busy
// machine threads would cost more than they gain. Here an idle member spins for some microseconds and then
// sleeps, and a loop waits only for the members that have taken a block of it.
#include "core/parallel.h"

#include "core/clock.h"
#include "core/control_group.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#define WORKERS_MAX 1024

// s that a thread spins, waiting for work or for the last block, before it sleeps.
#define SPIN_SECONDS 30e-6

// s: a loop that the calling thread can finish in less is not shared. On a machine with other programs a
// member can lose its core in the middle of a block, which costs more than a short loop takes: the limit
// grows with every loop that sharing made longer, and shrinks with time.
#define SHARED_SECONDS_LEAST 20e-6
#define SHARED_SECONDS_MOST 5e-3
#define SHARED_GROWTH 2.0
#define SHARED_DECAY 0.995

typedef struct Loop {
    ParallelBody *body;
    void *context;
    uint32_t count, grain, blocks;
    uint32_t begun;   // blocks done by the calling thread before sharing
    atomic_uint next; // the next block to take
    atomic_uint done; // blocks, where workers take turns
} Loop;

static struct Team {
    pthread_mutex_t user; // held by the thread whose loop the members work on
    pthread_mutex_t lock; // of the conditions
    pthread_cond_t called, left;
    atomic_uint call; // counts loops
    _Atomic(Loop *) loop;
    atomic_uint inside; // members that may hold `loop`
    atomic_uint asleep; // members
    atomic_bool waited_for, ends;
    uint32_t members; // the calling thread not counted
    bool spins;
    pthread_t keeper;
} team = {.user = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

static uint32_t worker_count;

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_block(Loop *loop, uint32_t block, uint32_t worker)
{
    uint32_t begin = block * loop->grain, rest = loop->count - begin;
    loop->body(begin, rest < loop->grain ? loop->count : begin + loop->grain, worker, loop->context);
}

// Blocks go to the next free worker. With PARALLEL_TURNS workers take turns instead: the thread sanitizer
// sees races only between blocks of different workers.
#ifdef PARALLEL_TURNS
static void run_blocks(Loop *loop, uint32_t worker)
{
    for (uint32_t block = worker; block < loop->blocks; block += team.members + 1) {
        if (block >= loop->begun) run_block(loop, block, worker);
        atomic_fetch_add(&loop->done, 1);
    }
}
static void await_turns(const Loop *loop)
{
    while (atomic_load(&loop->done) < loop->blocks) relax();
}
#else
static void run_blocks(Loop *loop, uint32_t worker)
{
    for (uint32_t block; (block = atomic_fetch_add(&loop->next, 1)) < loop->blocks;)
        run_block(loop, block, worker);
}
static void await_turns(const Loop *loop)
{
    (void)loop;
}
#endif

static bool is_called(const void *seen)
{
    return atomic_load(&team.call) != *(const uint32_t *)seen;
}

static bool is_left(const void *none)
{
    (void)none;
    return atomic_load(&team.inside) == 0;
}

static bool spin_for(bool (*is_there)(const void *), const void *context)
{
    if (is_there(context)) return true;
    if (!team.spins) return false;
    double until = clock_seconds() + SPIN_SECONDS;
    do {
        for (int k = 0; k < 16; k++) relax();
        if (is_there(context)) return true;
    } while (clock_seconds() < until);
    return false;
}

static void sleep_until_called(uint32_t seen)
{
    pthread_mutex_lock(&team.lock);
    atomic_fetch_add(&team.asleep, 1);
    while (!is_called(&seen)) pthread_cond_wait(&team.called, &team.lock);
    atomic_fetch_sub(&team.asleep, 1);
    pthread_mutex_unlock(&team.lock);
}

static void wake_members(void)
{
    atomic_fetch_add(&team.call, 1);
    if (atomic_load(&team.asleep) == 0) return;
    pthread_mutex_lock(&team.lock);
    pthread_cond_broadcast(&team.called);
    pthread_mutex_unlock(&team.lock);
}

static void leave(void)
{
    if (atomic_fetch_sub(&team.inside, 1) != 1 || !atomic_load(&team.waited_for)) return;
    pthread_mutex_lock(&team.lock);
    pthread_cond_signal(&team.left);
    pthread_mutex_unlock(&team.lock);
}

static void work(uint32_t worker, uint32_t seen)
{
    for (;;) {
        if (!spin_for(is_called, &seen)) sleep_until_called(seen);
        if (atomic_load(&team.ends)) return;
        seen = atomic_load(&team.call);
        // Entering comes before looking: a member finds the loop, or that it is over.
        atomic_fetch_add(&team.inside, 1);
        Loop *loop = atomic_load(&team.loop);
        if (loop) run_blocks(loop, worker);
        leave();
    }
}

static void *keep_team(void *seen)
{
    uint32_t first = *(uint32_t *)seen;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(team.members)
    {
        work((uint32_t)omp_get_thread_num() + 1, first);
    }
    return NULL;
}

// OpenMP aborts the program if it cannot allocate a thread's stack.
static bool has_room(uint32_t threads)
{
    size_t stack = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_destroy(&attributes);
    void *place = mmap(NULL, threads * (stack + 65536), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return false;
    munmap(place, threads * (stack + 65536));
    return true;
}

static void end_team(void)
{
    if (team.members == 0) return;
    atomic_store(&team.ends, true);
    wake_members();
    pthread_join(team.keeper, NULL);
    atomic_store(&team.ends, false);
    team.members = 0;
}

// The team blocks all signals: they are for the program's own threads.
static bool start_keeper(uint32_t *seen)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&team.keeper, NULL, keep_team, seen) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void fit_team(uint32_t members)
{
    static uint32_t seen, asked;
    if (members == asked) return;
    end_team();
    asked = members;
    while (members > 0 && !has_room(members + 1)) members /= 2;
    team.spins = members < parallel_cores();
    team.members = members;
    seen = atomic_load(&team.call);
    if (members > 0 && !start_keeper(&seen)) team.members = 0;
}

static void share(Loop *loop)
{
    atomic_store(&team.loop, loop);
    wake_members();
    run_blocks(loop, 0);
    await_turns(loop);
    atomic_store(&team.loop, NULL);
    if (spin_for(is_left, NULL)) return;
    pthread_mutex_lock(&team.lock);
    atomic_store(&team.waited_for, true);
    while (!is_left(NULL)) pthread_cond_wait(&team.left, &team.lock);
    atomic_store(&team.waited_for, false);
    pthread_mutex_unlock(&team.lock);
}

static double shared_seconds = SHARED_SECONDS_LEAST;

// Runs the first block alone to time the loop, and shares the rest unless it is too short.
static void share_if_long(Loop *loop)
{
    // Items that are blocks of their own are heavy.
    if (loop->grain == 1 || loop->blocks < 3) {
        share(loop);
        loop->begun = loop->blocks;
        return;
    }
    double begun = clock_seconds();
    run_block(loop, 0, 0);
    double now = clock_seconds(), alone = (now - begun) * (loop->blocks - 1);
    loop->begun = 1;
    atomic_init(&loop->next, 1);
    shared_seconds = fmax(SHARED_SECONDS_LEAST, shared_seconds * SHARED_DECAY);
    if (alone < shared_seconds) return;
    share(loop);
    loop->begun = loop->blocks;
    if (clock_seconds() - now > alone)
        shared_seconds = fmin(SHARED_SECONDS_MOST, shared_seconds * SHARED_GROWTH);
}

uint64_t parallel_thousandths_in_group(const char *folder)
{
    uint64_t quota, period = 0;
    if (control_group_number(folder, "cpu.max", &quota)) {
        char path[CONTROL_GROUP_PATH + 16];
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        FILE *file = fopen(path, "r");
        bool found = file && fscanf(file, "%*u %" SCNu64, &period) == 1;
        if (file) fclose(file);
        return found && period > 0 ? quota * 1000 / period : UINT64_MAX;
    }
    // Version 1 writes -1 for "unlimited".
    bool found = control_group_number(folder, "cpu.cfs_quota_us", &quota) && quota < INT64_MAX &&
                 control_group_number(folder, "cpu.cfs_period_us", &period) && period > 0;
    return found ? quota * 1000 / period : UINT64_MAX;
}

uint32_t parallel_cores(void)
{
    uint64_t cores = (uint64_t)omp_get_num_procs();
    uint64_t thousandths = control_groups_least("cpu", parallel_thousandths_in_group);
    if (thousandths < 1000 * cores) cores = (thousandths + 999) / 1000;
    return cores > 0 ? (uint32_t)cores : 1;
}

void parallel_set_workers(uint32_t workers)
{
    if (workers == 0) workers = parallel_cores();
    worker_count = workers < WORKERS_MAX ? workers : WORKERS_MAX;
}

uint32_t parallel_workers(void)
{
    if (worker_count == 0) parallel_set_workers(0);
    return worker_count;
}

void parallel_for(uint32_t count, uint32_t grain, ParallelBody *body, void *context)
{
    if (count == 0) return;
    Loop loop = {
        .body = body, .context = context, .count = count, .grain = grain, .blocks = (count - 1) / grain + 1};
    bool shared = loop.blocks > 1 && parallel_workers() > 1 && pthread_mutex_trylock(&team.user) == 0;
    if (shared) {
        fit_team(parallel_workers() - 1);
        if (team.members > 0) share_if_long(&loop);
        pthread_mutex_unlock(&team.user);
    }
    for (uint32_t block = loop.begun; block < loop.blocks; block++) run_block(&loop, block, 0);
}
