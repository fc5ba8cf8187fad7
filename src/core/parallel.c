// A thread pool: a team of OpenMP threads for the life of the program, and one for each host (core/host.h)
// that asks for threads of its own, whose members wait for loops inside a single parallel region. OpenMP's
// own barriers spin and make a loop wait for every thread, so on a busy machine threads would cost more than
// they gain. Here an idle member spins for some microseconds and then sleeps, and a loop waits only for the
// members that have taken a block of it.
#include "core/parallel.h"

#include "core/clock.h"
#include "core/control_group.h"
#include "core/host.h"
#include "core/loop_times.h"
#include "core/memory.h"

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

// s that a thread spins, waiting for work or for the last block, before it sleeps: where sharing has paid so
// far, as long as what a step of few particles does between the loops that are shared. To be woken would cost
// as much as such a loop.
#define SPIN_SECONDS 30e-6
#define SPIN_SECONDS_PAID 200e-6

// Parts of a loop at most, as many as there are workers otherwise.
#define PARTS_MAX 16u

// Blocks that follow each other: a worker begins with those of its own part, which are the same in all loops
// over as many items, because it has their data in its cache. No two share a cache line.
typedef struct Part {
    atomic_uint next; // the next block to take
    uint32_t end;
    char apart[56];
} Part;

typedef struct Loop {
    ParallelBody *body;
    void *context;
    ParallelKind *kind;
    uint32_t count, grain, blocks;
    uint32_t begun;   // blocks done by the calling thread before sharing
    uint32_t sharers; // members, and the calling thread
    uint32_t parts;
    Host *host;       // of the calling thread
    atomic_uint done; // blocks, where workers take turns
    Part part[PARTS_MAX];
} Loop;

struct Team {
    pthread_mutex_t user; // held by the thread whose loop the members work on
    pthread_mutex_t lock; // of the conditions
    pthread_cond_t called, left;
    atomic_uint call; // counts loops
    _Atomic(Loop *) loop;
    atomic_uint inside; // members that may hold `loop`
    atomic_uint asleep; // members
    atomic_bool waited_for, ends;
    atomic_bool pays; // to share loops
    uint32_t members; // the calling thread not counted
    uint32_t asked;   // members that were last asked for
    bool spins;
    pthread_t keeper;
    uint32_t first_call; // the last call before the members came
    uint32_t forks;      // of the process when the members came
    LoopTimes times;
};

#define NEW_TEAM                                                                                             \
    {                                                                                                        \
        .user = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,                                \
        .called = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER                                 \
    }

static Team process_team = NEW_TEAM;
static atomic_uint worker_count; // of the process; 0: not chosen yet

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Returns how many items the block has.
static uint32_t run_block(Loop *loop, uint32_t block, uint32_t worker)
{
    uint32_t begin = block * loop->grain, rest = loop->count - begin;
    uint32_t items = rest < loop->grain ? rest : loop->grain;
    loop->body(begin, begin + items, worker, loop->context);
    return items;
}

// Divides the blocks that are left among so many workers.
static void part_among(Loop *loop, uint32_t sharers)
{
    uint32_t left = loop->blocks - loop->begun, parts = sharers < PARTS_MAX ? sharers : PARTS_MAX;
    loop->sharers = sharers;
    loop->parts = parts;
    for (uint32_t p = 0; p < parts; p++) {
        atomic_init(&loop->part[p].next, loop->begun + (uint32_t)((uint64_t)left * p / parts));
        loop->part[p].end = loop->begun + (uint32_t)((uint64_t)left * (p + 1) / parts);
    }
}

// Blocks go to the next free worker, of its own part first. With PARALLEL_TURNS workers take turns instead:
// the thread sanitizer sees races only between blocks of different workers. Returns how many items this
// worker has done.
#ifdef PARALLEL_TURNS
static uint32_t run_blocks(Loop *loop, uint32_t worker)
{
    uint32_t items = 0;
    for (uint32_t block = worker; block < loop->blocks; block += loop->sharers) {
        if (block >= loop->begun) items += run_block(loop, block, worker);
        atomic_fetch_add(&loop->done, 1);
    }
    return items;
}
static void await_turns(const Loop *loop)
{
    while (atomic_load(&loop->done) < loop->blocks) relax();
}
#else
static uint32_t run_blocks(Loop *loop, uint32_t worker)
{
    uint32_t items = 0;
    for (uint32_t p = 0; p < loop->parts; p++) {
        Part *part = &loop->part[(worker + p) % loop->parts];
        for (uint32_t block; (block = atomic_fetch_add(&part->next, 1)) < part->end;)
            items += run_block(loop, block, worker);
    }
    return items;
}
static void await_turns(const Loop *loop)
{
    (void)loop;
}
#endif

static bool is_called(Team *team, uint32_t seen)
{
    return atomic_load(&team->call) != seen;
}

static bool is_left(Team *team, uint32_t none)
{
    (void)none;
    return atomic_load(&team->inside) == 0;
}

static bool spin_for(bool (*is_there)(Team *, uint32_t), Team *team, uint32_t seen)
{
    if (is_there(team, seen)) return true;
    if (!team->spins) return false;
    double until = clock_seconds() + (atomic_load(&team->pays) ? SPIN_SECONDS_PAID : SPIN_SECONDS);
    do {
        // To read the clock takes longer than to look.
        for (int k = 0; k < 16; k++) {
            relax();
            if (is_there(team, seen)) return true;
        }
    } while (clock_seconds() < until);
    return false;
}

static void sleep_until_called(Team *team, uint32_t seen)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (!is_called(team, seen)) pthread_cond_wait(&team->called, &team->lock);
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

static void wake_members(Team *team)
{
    atomic_fetch_add(&team->call, 1);
    if (atomic_load(&team->asleep) == 0) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->called);
    pthread_mutex_unlock(&team->lock);
}

static void leave(Team *team)
{
    if (atomic_fetch_sub(&team->inside, 1) != 1 || !atomic_load(&team->waited_for)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->left);
    pthread_mutex_unlock(&team->lock);
}

static void work(Team *team, uint32_t worker)
{
    for (uint32_t seen = team->first_call;;) {
        if (!spin_for(is_called, team, seen)) sleep_until_called(team, seen);
        if (atomic_load(&team->ends)) return;
        seen = atomic_load(&team->call);
        // Entering comes before looking: a member finds the loop, or that it is over.
        atomic_fetch_add(&team->inside, 1);
        Loop *loop = atomic_load(&team->loop);
        if (loop) {
            host_enter(loop->host);
            run_blocks(loop, worker);
        }
        leave(team);
    }
}

static void *keep_team(void *context)
{
    Team *team = context;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(team->members)
    {
        work(team, (uint32_t)omp_get_thread_num() + 1);
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

static void end_team(Team *team)
{
    if (team->members == 0) return;
    atomic_store(&team->ends, true);
    wake_members(team);
    pthread_join(team->keeper, NULL);
    atomic_store(&team->ends, false);
    team->members = 0;
}

// The team blocks all signals: they are for the program's own threads.
static bool start_keeper(Team *team)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&team->keeper, NULL, keep_team, team) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void fit_team(Team *team, uint32_t members)
{
    if (members == team->asked) return;
    end_team(team);
    team->asked = members;
    while (members > 0 && !has_room(members + 1)) members /= 2;
    team->spins = members < parallel_cores();
    team->members = members;
    team->first_call = atomic_load(&team->call);
    if (members > 0 && !start_keeper(team)) team->members = 0;
}

// Returns when no member holds the loop any more.
static void part_from_members(Team *team)
{
    atomic_store(&team->loop, NULL);
    if (spin_for(is_left, team, 0)) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->waited_for, true);
    while (!is_left(team, 0)) pthread_cond_wait(&team->left, &team->lock);
    atomic_store(&team->waited_for, false);
    pthread_mutex_unlock(&team->lock);
}

// alone: s that the calling thread would take.
static void share(Team *team, Loop *loop, LoopTime *time, double alone)
{
    double begun = clock_seconds();
    part_among(loop, team->members + 1);
    atomic_store(&team->loop, loop);
    wake_members(team);
    uint32_t items = run_blocks(loop, 0);
    loop_time_learn(time, clock_seconds() - begun, items);
    await_turns(loop);
    part_from_members(team);
    loop->begun = loop->blocks;
    loop_was_shared(&team->times, alone, clock_seconds() - begun);
    atomic_store(&team->pays, !loops_owe(&team->times));
}

static void run_alone(Loop *loop, uint32_t blocks, LoopTime *time)
{
    double begun = clock_seconds();
    uint32_t items = 0;
    for (; loop->begun < blocks; loop->begun++) items += run_block(loop, loop->begun, 0);
    loop_time_learn(time, clock_seconds() - begun, items);
}

// Shares a loop that is worth it. Of one that is not known yet the first block says how long the rest takes.
static void share_if_long(Team *team, Loop *loop)
{
    LoopTime *time = loop_time(&team->times, loop->kind, loop->count);
    // Items that are blocks of their own are heavy.
    bool few = loop->grain == 1 || loop->blocks < 3;
    if (time->item_seconds == 0.0 && !few) run_alone(loop, 1, time);
    double alone = time->item_seconds * (loop->count - loop->begun * loop->grain);
    if (time->item_seconds == 0.0) alone = INFINITY;
    if (loop_is_worth_sharing(&team->times, alone))
        share(team, loop, time, alone);
    else
        run_alone(loop, loop->blocks, time);
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
    atomic_store(&worker_count, workers < WORKERS_MAX ? workers : WORKERS_MAX);
}

uint32_t parallel_workers(void)
{
    const Host *host = host_now();
    if (host && host->workers > 0) return host->workers < WORKERS_MAX ? host->workers : WORKERS_MAX;
    if (atomic_load(&worker_count) == 0) parallel_set_workers(0);
    return atomic_load(&worker_count);
}

// --- teams of hosts ---

static atomic_uint forks; // that this process came out of; its parent's threads are not here

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

// The team for the calling thread's loops; NULL where memory is short, and loops run alone.
static Team *team_now(const Loop *loop)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    Team *team = &process_team;
    if (loop->host && loop->host->workers > 0) {
        if (!loop->host->team) {
            loop->host->team = memory_allocate(sizeof *team);
            if (!loop->host->team) return NULL;
            *loop->host->team = (Team)NEW_TEAM;
            loop->host->team->forks = atomic_load(&forks);
        }
        team = loop->host->team;
    }
    if (team->forks != atomic_load(&forks)) {
        *team = (Team)NEW_TEAM;
        team->forks = atomic_load(&forks);
    }
    return team;
}

void parallel_end_team(Host *host)
{
    if (!host->team) return;
    if (host->team->forks == atomic_load(&forks)) end_team(host->team);
    memory_free(host->team);
    host->team = NULL;
}

// --- loops ---

static void run_task(uint32_t worker, void *job)
{
    Loop *loop = job;
    Host *before = host_enter(loop->host);
    if (worker < loop->sharers) run_blocks(loop, worker);
    host_enter(before);
}

static void share_with_team(Loop *loop)
{
    Team *team = team_now(loop);
    if (!team || pthread_mutex_trylock(&team->user) != 0) return;
    fit_team(team, parallel_workers() - 1);
    if (team->members > 0) share_if_long(team, loop);
    pthread_mutex_unlock(&team->user);
}

void parallel_for_kind(uint32_t count, uint32_t grain, ParallelBody *body, void *context, ParallelKind *kind)
{
    if (count == 0) return;
    Loop loop = {.body = body,
                 .context = context,
                 .kind = kind,
                 .count = count,
                 .grain = grain,
                 .blocks = (count - 1) / grain + 1,
                 .host = host_now()};
    if (loop.blocks > 1 && parallel_workers() > 1) {
        if (loop.host && loop.host->run) {
            part_among(&loop, parallel_workers());
            loop.host->run(run_task, loop.sharers, &loop, loop.host->user);
            loop.begun = loop.blocks;
        } else {
            share_with_team(&loop);
        }
    }
    for (uint32_t block = loop.begun; block < loop.blocks; block++) run_block(&loop, block, 0);
}

void parallel_for(uint32_t count, uint32_t grain, ParallelBody *body, void *context)
{
    parallel_for_kind(count, grain, body, context, (ParallelKind *)body);
}
