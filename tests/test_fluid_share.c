// A fluid that several ranks share moves as one that nobody shares, bit for bit. Ranks are threads here;
// test_mpi.c has processes.
#include "fluid_helpers.h"
#include "thread_links.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/pressure_share.h"
#include "fluid/share_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 8, CASES = 8 };

// What the water is like, and how it is made.
typedef enum Case { DAM, FREE, SLOW, POURED, DRAINED, FEW, DENSE, FLOW } Case;
static const char *const names[CASES] = {"dam", "free", "slow", "poured", "drained", "few", "dense", "flow"};

static Fluid *poured(const FluidDef *def, Case which)
{
    TankDef tank = {.present = true, .size = {2, 2, 2}};
    EmitterDef emitter = {.disc = true,
                          .position = {1, 1, 1.6f},
                          .rotation = {180, 0, 0},
                          .radius = 0.4f,
                          .speed = 6,
                          .stop = INFINITY,
                          .volume = INFINITY};
    DrainDef drain = {.sphere = true, .position = {0.5f, 0.5f, 0.3f}, .radius = 0.4f, .stop = INFINITY};
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, &emitter, which == POURED, &drain, which == DRAINED, &fluid));
    return fluid;
}

static Fluid *make(Case which)
{
    FluidDef def = fluid_def_default();
    def.spacing = 0.1f;
    if (which == SLOW) def.global_pressure = false, def.warm_start = 0.5f, def.divergence_iterations = 1;
    def.pressure_flow = which == FLOW;
    if (which == FREE) def.gravity = vec3_make(0, 0, 0);
    if (which == POURED || which == DRAINED) return poured(&def, which);
    ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.4f}, .position = {1.5f, 0.6f, 0.2f}};
    ball.motion.kind = MOTION_OSCILLATION;
    ball.motion.amplitude = vec3_make(0.3f, 0, 0);
    ball.motion.period = 0.7f;
    return fluid_for_test(&def, which == FREE ? (Vec3){0} : vec3_make(3, 2, 2), &ball,
                          which == DAM || which == FLOW);
}

// Each kind of water has several blocks of the search, so that there is something to cut.
static void fill(Fluid *fluid, Case which)
{
    if (which == FEW) {
        fluid_fill_lattice(fluid, vec3_make(0.5f, 0.5f, 0.5f), 5, 1, 1, 0.1f, vec3_make(1, 0, 0));
    } else if (which == FREE) {
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 12, 14, 13, 0.2f, vec3_make(2, 0, 0));
        fluid_fill_lattice(fluid, vec3_make(1.3f, 0.3f, 0.1f), 11, 11, 11, 0.2f, vec3_make(-2, 0, 0.5f));
    } else {
        float jitter = which == DENSE ? 0.4f : 0.05f;
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 12, 19, 17, jitter, vec3_make(0.5f, 0, 0));
        if (which == DENSE) fluid_fill_lattice(fluid, vec3_make(0.6f, 0, 0.1f), 4, 17, 9, 0.1f, (Vec3){0});
    }
}

// What steps of a fluid alone have left.
typedef struct Run {
    Case which;
    uint64_t hash[STEPS];
    StepReport report[STEPS];
    StateBlocks state;
    uint64_t migrated, ghosts;
    uint32_t divide_least;            // cells of a pressure grid that ranks divide
    uint32_t axes_cut, idle, divided; // of divided grids: ranks without cells, steps
} Run;

static void assert_same_state(const StateBlocks *found, const StateBlocks *expected)
{
    assert_int_equal(found->count, expected->count);
    for (uint32_t k = 0; k < found->count; k++) {
        const StateBlock *a = &found->block[k], *b = &expected->block[k];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->count, b->count);
        if (a->count > 0 && memcmp(a->data, b->data, a->count * block_type_bytes(a->type)) != 0)
            fail_msg("%s differs", a->name);
    }
}

static void assert_same_report(const StepReport *a, const StepReport *b)
{
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_memory_equal(&a->dt, &b->dt, sizeof a->dt);
    assert_int_equal(a->particles, b->particles);
    assert_memory_equal(&a->density_error_mean, &b->density_error_mean, sizeof a->density_error_mean);
    assert_memory_equal(&a->density_error_max, &b->density_error_max, sizeof a->density_error_max);
    assert_memory_equal(&a->speed_max, &b->speed_max, sizeof a->speed_max);
    assert_int_equal(a->neighbor.neighbors, b->neighbor.neighbors);
    assert_int_equal(a->neighbor.candidates, b->neighbor.candidates);
    assert_int_equal(a->neighbor.evaluated, b->neighbor.evaluated);
    assert_int_equal(a->neighbor.shared, b->neighbor.shared);
}

static void run_alone(Run *run)
{
    Fluid *fluid = make(run->which);
    StateBlocks state = {0};
    fill(fluid, run->which);
    for (int k = 0; k < STEPS; k++) {
        ASSERT_OK(fluid_step(fluid, 10.0, &run->report[k]));
        run->hash[k] = fluid_state_hash(fluid);
    }
    fluid_store(fluid, &state);
    ASSERT_OK(blocks_clone(&state, &run->state));
    fluid_destroy(fluid);
}

// States are looked at after some of the steps: looking must not matter.
static void lead(Fluid *fluid, Run *run)
{
    StateBlocks state = {0};
    for (int k = 0; k < STEPS; k++) {
        StepReport report;
        ASSERT_OK(fluid_step(fluid, 10.0, &report));
        assert_same_report(&report, &run->report[k]);
        if (k % 3 == 2 && fluid_state_hash(fluid) != run->hash[k])
            fail_msg("%s: states differ after step %d", names[run->which], k + 1);
        const PressureGrid *grid = &fluid->pressure;
        if (grid->share) {
            const GridShare *cells = pressure_share_cells(grid);
            uint32_t boxes = cells->parts[0] * cells->parts[1] * cells->parts[2];
            for (int a = 0; a < 3; a++) run->axes_cut |= (cells->parts[a] > 1 ? 1u : 0u) << a;
            run->idle += boxes < cells->links->ranks;
            run->divided++;
        }
        run->migrated += fluid_share_count(fluid).migrated;
        run->ghosts += fluid_share_count(fluid).ghosts;
    }
    fluid_store(fluid, &state);
    assert_same_state(&state, &run->state);
}

static void take_part(const Links *links, void *context)
{
    Run *run = context;
    Fluid *fluid = make(run->which);
    fluid->pressure.divide_least = run->divide_least;
    if (links->rank == 0) fill(fluid, run->which);
    fluid_share(fluid, links);
    if (links->rank == 0)
        lead(fluid, run);
    else
        fluid_serve(fluid);
    fluid_destroy(fluid);
}

static void any_number_of_ranks_gives_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {1, 2, 3, 4, 7};
    for (int which = 0; which < CASES; which++) {
        Run *run = calloc(1, sizeof *run);
        assert_non_null(run);
        run->which = (Case)which;
        run_alone(run);
        for (size_t k = test_is_sanitized() ? 2 : test_is_quick(); k < sizeof ranks / sizeof *ranks;
             k += test_is_quick() ? 3 : 1)
            thread_links_run(ranks[k], take_part, run);
        if (run->divided > 0) fail_msg("%s: a small grid is divided", names[which]);
        if (which != FEW && (run->migrated == 0 || run->ghosts == 0)) // a cut that moves sends particles on
            fail_msg("%s: %d migrated, %d ghosts", names[which], (int)run->migrated, (int)run->ghosts);
        blocks_free(&run->state);
        free(run);
    }
}

// Grids of these waters are small; here ranks divide them all the same.
static void ranks_that_divide_the_pressure_give_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {2, 3, 5, 8};
    uint32_t cut = 0, idle = 0;
    for (int which = 0; which < CASES; which++) {
        for (uint32_t least = 16; least <= 64 && which != SLOW; least *= test_is_quick() ? 16 : 4) {
            Run *run = calloc(1, sizeof *run);
            assert_non_null(run);
            run->which = (Case)which, run->divide_least = which == FEW ? 2 : least;
            run_alone(run);
            for (size_t k = test_is_sanitized() ? 3 : 0; k < sizeof ranks / sizeof *ranks;
                 k += test_is_quick() ? 3 : 1)
                thread_links_run(ranks[k], take_part, run);
            if (run->divided == 0) fail_msg("%s: no grid is divided", names[which]);
            cut |= run->axes_cut, idle += run->idle;
            blocks_free(&run->state);
            free(run);
        }
    }
    assert_int_equal(cut, 7);
    assert_true(idle > 0);
}

// --- a stored state ---

enum { STEPS_BEFORE = 3 };

// What rank 0 goes on with, and what every rank then knows beside its particles.
typedef struct Resumed {
    Run run;
    StateBlocks half; // after STEPS_BEFORE
    double begin, time, depth, speed_max;
    uint32_t next_id;
    uint64_t step;
    bool knows[THREAD_RANKS_MAX];
} Resumed;

static void go_on(const Links *links, void *context)
{
    Resumed *resumed = context;
    Fluid *fluid = make(DAM);
    if (links->rank == 0) ASSERT_OK(fluid_restore(fluid, &resumed->half));
    fluid_share(fluid, links);
    resumed->knows[links->rank] = fluid->step_begin == resumed->begin && fluid->time == resumed->time &&
                                  fluid->depth == resumed->depth && fluid->speed_max == resumed->speed_max &&
                                  fluid->next_id == resumed->next_id && fluid->report.step == resumed->step;
    if (links->rank > 0) {
        fluid_serve(fluid);
    } else {
        for (int k = STEPS_BEFORE; k < STEPS; k++) ASSERT_OK(fluid_step(fluid, 10.0, NULL));
        assert_true(fluid_state_hash(fluid) == resumed->run.hash[STEPS - 1]);
    }
    fluid_destroy(fluid);
}

static void ranks_go_on_with_a_state_that_rank_0_has_read(void **state)
{
    (void)state;
    Resumed resumed = {.run = {.which = DAM}};
    StateBlocks blocks = {0};
    run_alone(&resumed.run);
    Fluid *fluid = make(DAM);
    fill(fluid, DAM);
    for (int k = 0; k < STEPS_BEFORE; k++) ASSERT_OK(fluid_step(fluid, 10.0, NULL));
    fluid_store(fluid, &blocks);
    ASSERT_OK(blocks_clone(&blocks, &resumed.half));
    resumed.begin = fluid->step_begin, resumed.time = fluid->time, resumed.depth = fluid->depth;
    resumed.speed_max = fluid->speed_max, resumed.next_id = fluid->next_id;
    resumed.step = fluid->report.step;
    fluid_destroy(fluid);
    for (uint32_t ranks = 1; ranks <= 3; ranks++) {
        thread_links_run(ranks, go_on, &resumed);
        for (uint32_t r = 0; r < ranks; r++) assert_true(resumed.knows[r]);
    }
    blocks_free(&resumed.half);
    blocks_free(&resumed.run.state);
}

// --- errors ---

enum { WENT_ON, LEFT, NOT_REACHED, RETURNED };

static __attribute__((noreturn)) void leave(void *self, const Result *result)
{
    (void)self;
    _exit(result->code == RESULT_NO_MEMORY ? LEFT : RETURNED);
}

// What a rank does whose nth allocation in a step fails.
static int end_of_step(const Links *links, uint64_t nth)
{
    Links own = *links;
    own.fail = leave;
    parallel_set_workers(1); // a copy of the process has no other threads
    Fluid *fluid = make(DAM);
    fill(fluid, DAM);
    fluid_share(fluid, &own);
    ASSERT_OK(fluid_settle(fluid));
    memory_fail_at(nth);
    Result result = fluid_step(fluid, 10.0, NULL);
    bool reached = memory_fail_at(0);
    return !result_is_ok(&result) ? RETURNED : reached ? WENT_ON : NOT_REACHED;
}

// In a copy of this process for each allocation.
static void leave_steps(const Links *links, void *context)
{
    uint32_t *ends = context;
    for (uint64_t nth = 1; ends[NOT_REACHED] == 0; nth++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) _exit(end_of_step(links, nth));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= RETURNED);
        ends[WEXITSTATUS(status)]++;
    }
}

// The others would wait for a rank that leaves a step: an error ends all, and none comes back from a step.
static void what_one_rank_meets_ends_all(void **state)
{
    (void)state;
    uint32_t ends[4] = {0};
    thread_links_run(1, leave_steps, ends);
    print_message("%u allocations that ended all, %u that did not matter\n", ends[LEFT], ends[WENT_ON]);
    assert_int_equal(ends[RETURNED], 0);
    assert_true(ends[LEFT] > 10);
}

// --- boxes ---

static int coordinate(uint64_t *random, int most)
{
    return (int)(fluid_test_random(random) * (most + 1));
}

// The least distance squared between points of two boxes; their sides and those points have whole numbers.
static int least_distance(int lo[2][3], int hi[2][3])
{
    int sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        int least = INT32_MAX;
        for (int a = lo[0][axis]; a <= hi[0][axis]; a++)
            for (int b = lo[1][axis]; b <= hi[1][axis]; b++)
                least = (a - b) * (a - b) < least ? (a - b) * (a - b) : least;
        sum += least;
    }
    return sum;
}

static void boxes_are_near_up_to_the_radius(void **state)
{
    (void)state;
    uint64_t random = 3;
    uint32_t near = 0, at_radius = 0;
    for (int n = 0; n < 20000; n++) {
        PointBox box[2];
        int lo[2][3], hi[2][3], radius = 1 + coordinate(&random, 5);
        for (int k = 0; k < 2; k++)
            for (int a = 0; a < 3; a++) {
                lo[k][a] = coordinate(&random, 9) - 5, hi[k][a] = lo[k][a] + coordinate(&random, 4);
                box[k].lo[a] = (float)lo[k][a], box[k].hi[a] = (float)hi[k][a];
            }
        int least = least_distance(lo, hi);
        assert_int_equal(share_near(&box[0], &box[1], (float)radius), least <= radius * radius);
        near += least <= radius * radius, at_radius += least == radius * radius;
    }
    assert_true(near > 2000 && near < 18000 && at_radius > 500);
}

// --- sums ---

#define SUMMED_MAX 20000u

// Numbers of particles whose sums depend on the order in which they are added.
typedef struct Summed {
    double number[SUMMED_MAX][2], total[THREAD_RANKS_MAX][2];
    uint32_t particles, block;
} Summed;

typedef struct SummedPart {
    const Summed *all;
    uint64_t first;
} SummedPart;

static void add_numbers(uint32_t begin, uint32_t end, double *sums, const void *context)
{
    const SummedPart *part = context;
    for (uint64_t i = part->first + begin; i < part->first + end; i++)
        for (int p = 0; p < 2; p++) sums[p] += part->all->number[i][p];
}

static void sum_part(const Links *links, void *context)
{
    Summed *all = context;
    Share share = {.links = links, .particles = all->particles, .block = all->block};
    share.first = share_cut(all->particles, all->block, links->rank, links->ranks);
    uint64_t end = share_cut(all->particles, all->block, links->rank + 1, links->ranks);
    SummedPart part = {all, share.first};
    double sums[SUMMED_MAX / SHARE_SUM + 2][2] = {{0}};
    for (uint64_t i = share.first; i < end; i++) {
        uint32_t at = (uint32_t)(i - share.first);
        add_numbers(at, at + 1, sums[i / SHARE_SUM - share.first / SHARE_SUM], &part);
    }
    share_sum(&share, (uint32_t)(end - share.first), sums[0], 2, add_numbers, &part, all->total[links->rank]);
    memory_free(share.places.at);
    memory_free(share.received.at);
}

static void check_sums(Summed *all, uint32_t ranks)
{
    double expected[2] = {0};
    for (uint32_t first = 0; first < all->particles; first += SHARE_SUM) {
        uint32_t left = all->particles - first;
        double sums[2] = {0};
        add_numbers(0, left < SHARE_SUM ? left : SHARE_SUM, sums, &(SummedPart){all, first});
        for (int p = 0; p < 2; p++) expected[p] += sums[p];
    }
    memset(all->total, 0, sizeof all->total);
    thread_links_run(ranks, sum_part, all);
    for (uint32_t r = 0; r < ranks; r++)
        if (memcmp(all->total[r], expected, sizeof expected) != 0)
            fail_msg("%u particles in blocks of %u clusters: rank %u of %u has another sum", all->particles,
                     all->block, r, ranks);
}

// Wherever ranks are cut: within the blocks that are summed up, between them, or several times in one.
static void sums_have_the_same_bits_on_any_number_of_ranks(void **state)
{
    (void)state;
    static const uint32_t particles[] = {0, 1, 64, 1000, 4095, 4096, 4097, 8192, 13000, SUMMED_MAX};
    static const uint32_t blocks[] = {16, 256, 1024, 1040}; // clusters
    Summed *all = calloc(1, sizeof *all);
    assert_non_null(all);
    uint64_t seed = 5;
    for (uint32_t i = 0; i < SUMMED_MAX; i++)
        for (int p = 0; p < 2; p++)
            all->number[i][p] = (fluid_test_random(&seed) - 0.5) * pow(10.0, 6.0 * fluid_test_random(&seed));
    for (size_t n = 0; n < sizeof particles / sizeof *particles; n++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (uint32_t ranks = 1; ranks <= 8; ranks += (uint32_t)test_stride(3)) {
                all->particles = particles[n], all->block = blocks[b];
                check_sums(all, ranks);
            }
    free(all);
}

// What each rank has, and what all are told.
typedef struct Firsts {
    uint32_t number[THREAD_RANKS_MAX], found[THREAD_RANKS_MAX];
} Firsts;

static void find_first(const Links *links, void *context)
{
    Firsts *firsts = context;
    Share share = {.links = links};
    firsts->found[links->rank] = share_first(&share, firsts->number[links->rank]);
}

static void the_lowest_rank_that_has_a_number_tells_it_to_all(void **state)
{
    (void)state;
    enum { RANKS = 3 };
    static const uint32_t cases[][RANKS + 1] = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
                                                {UINT32_MAX, 7, 5, 7},
                                                {9, UINT32_MAX, 4, 9},
                                                {UINT32_MAX, UINT32_MAX, 6, 6},
                                                {0, 8, UINT32_MAX, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Firsts firsts = {0};
        memcpy(firsts.number, cases[k], RANKS * sizeof *firsts.number);
        thread_links_run(RANKS, find_first, &firsts);
        for (int r = 0; r < RANKS; r++) assert_int_equal(firsts.found[r], cases[k][RANKS]);
    }
}

// --- what is sent ---

// Bytes of a step as README.md counts them.
static uint64_t bytes_of_step(const ShareCount *count, const FluidDef *def)
{
    enum { STATE = 10, PLACE = 3 }; // streams that move with particles
    uint32_t pull = def->pressure_flow && def->surface_tension > 0.0f ? 3 : 0;
    uint64_t floats = PLACE + def->iterations * (PLACE + 1u) + PLACE + 3 + 1 + 7;
    return count->migrated * (8 + 4 * (STATE + PLACE + pull)) + count->boxes * sizeof(PointBox) +
           count->clusters * NEIGHBOR_CLUSTER * 4 * floats + count->marks + count->sums * 8 +
           count->given * 24 + count->border * 4;
}

typedef struct Traffic {
    uint32_t divide_least;
    ShareCount count[THREAD_RANKS_MAX];
    uint64_t sent, expected; // bytes, without what ranks tell by themselves
    uint64_t messages;
} Traffic;

static void count_step(const Links *links, void *context)
{
    Traffic *traffic = context;
    Fluid *fluid = make(FLOW);
    fluid->pressure.divide_least = traffic->divide_least;
    if (links->rank == 0) fill(fluid, FLOW);
    fluid_share(fluid, links);
    if (links->rank == 0) {
        ASSERT_OK(fluid_step(fluid, 10.0, NULL));
        uint64_t before = thread_links_bytes(), messages = thread_links_messages();
        ASSERT_OK(fluid_step(fluid, 10.0, NULL));
        traffic->sent = thread_links_bytes() - before;
        traffic->messages = thread_links_messages() - messages;
        // A cut through a block of sums passes three numbers on.
        const Share *share = fluid->share;
        for (uint32_t r = 1; r < links->ranks; r++) {
            uint64_t cut = share_cut(share->particles, share->block, r, links->ranks);
            if (cut % SHARE_SUM != 0 && cut < share->particles) traffic->expected += 3 * sizeof(double);
        }
    } else {
        fluid_serve(fluid);
    }
    traffic->count[links->rank] = fluid_share_count(fluid);
    fluid_destroy(fluid);
}

static void a_step_sends_what_the_formula_says(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t ranks = 2 + k % 3;
        Traffic traffic = {.divide_least = k < 3 ? 0 : 32};
        thread_links_run(ranks, count_step, &traffic);
        uint64_t messages = 0, border = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            const ShareCount *count = &traffic.count[r];
            traffic.expected += bytes_of_step(count, &def);
            messages += count->single + count->exchanges * count->partners + count->grid_messages;
            border += count->border;
            assert_int_equal(count->exchanges, 2 * def.iterations + 3);
        }
        assert_int_equal(traffic.messages, messages);
        assert_int_equal(border > 0, traffic.divide_least > 0);
        assert_true(traffic.count[0].clusters > 0);
        assert_int_equal(traffic.sent, traffic.expected);
    }
}

// A mark on what rank 0 has gathered stays until the next step.
static void look_twice(const Links *links, void *context)
{
    (void)context;
    const float mark = -77.0f;
    Fluid *fluid = make(DAM);
    if (links->rank == 0) fill(fluid, DAM);
    fluid_share(fluid, links);
    if (links->rank == 0) {
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(fluid_step(fluid, 10.0, NULL));
            FrameView view = fluid_view(fluid);
            uint32_t last = view.count - 1;
            assert_true(view.x[last] > 0.0f);
            ((float *)(uintptr_t)view.x)[last] = mark;
            assert_true(fluid_view(fluid).x[last] == mark);
        }
    } else {
        fluid_serve(fluid);
    }
    fluid_destroy(fluid);
}

static void particles_are_gathered_once_a_step(void **state)
{
    (void)state;
    thread_links_run(3, look_twice, NULL);
}

// --- borders ---

// Sixteen clusters, of which the k-th lies at k times `apart`, go by one box, or by their own where that were
// wide.
static void assert_boxes(float apart, uint32_t expected)
{
    enum { POINTS = SHARE_BORDER * NEIGHBOR_CLUSTER };
    const float radius = 0.1f;
    float x[POINTS + LANES], y[POINTS + LANES], z[POINTS + LANES];
    PointBox boxes[SHARE_BORDER];
    ClusterTree tree = {0};
    for (uint32_t i = 0; i < POINTS + LANES; i++) {
        uint32_t c = i / NEIGHBOR_CLUSTER, k = i % NEIGHBOR_CLUSTER;
        x[i] = 0.01f * (float)(k & 1), y[i] = 0.01f * (float)(k >> 1), z[i] = apart * (float)c;
    }
    ASSERT_OK(cluster_tree_build(&tree, x, y, z, POINTS, POINTS));
    assert_int_equal(share_border(&tree, 0, SHARE_BORDER, radius, boxes), expected);
    for (uint32_t b = 0; b < expected; b++) {
        assert_true(boxes[b].lo[2] == apart * (float)b);
        assert_true(boxes[b].hi[2] == apart * (float)(expected == 1 ? SHARE_BORDER - 1 : b));
    }
    cluster_tree_free(&tree);
}

static void clusters_of_spray_go_by_their_own_boxes(void **state)
{
    (void)state;
    assert_boxes(0.01f, 1);
    assert_boxes(0.3f, SHARE_BORDER);
}

// --- cuts ---

static void cuts_are_blocks_of_the_search_and_leave_nothing_out(void **state)
{
    (void)state;
    static const uint64_t particles[] = {0, 1, 63, 4096, 100001, 6000000000u};
    for (size_t k = 0; k < sizeof particles / sizeof *particles; k++) {
        uint64_t n = particles[k], before = 0;
        uint32_t block = neighbor_cluster_block((n + 3) / 4);
        for (uint32_t r = 0; r <= 4096; r++) {
            uint64_t cut = share_cut(n, block, r, 4096);
            assert_true(cut >= before && (cut % (4 * (uint64_t)block) == 0 || cut == n));
            before = cut;
        }
        assert_int_equal(share_cut(n, block, 0, 4096), 0);
        assert_int_equal(before, n);
    }
}

// --- what cannot be shared ---

static void refuse(const FluidDef *def, const char *key)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(1, 1, 1), NULL, 0);
    Result result = fluid_can_share(fluid);
    assert_int_equal(result.code, RESULT_USAGE);
    if (strncmp(result.text, key, strlen(key)) != 0)
        fail_msg("\"%s\" does not begin with %s", result.text, key);
    fluid_destroy(fluid);
}

static void what_ranks_cannot_share_is_refused_by_its_key(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default(), other = def;
    other.micropolar = 0.1f, refuse(&other, "solver.micropolar:"), other = def;
    other.angular_momentum = 0.1f, refuse(&other, "solver.angular_momentum:"), other = def;
    other.vorticity_confinement = 0.1f, refuse(&other, "solver.vorticity_confinement:"), other = def;
    other.velocity_kernels = 0.01f, refuse(&other, "solver.velocity_kernels:"), other = def;
    other.viscosity = 1.0f, refuse(&other, "fluid.viscosity:"), other = def;
    strcpy(other.neighbor, "octree"), refuse(&other, "solver.neighbor:");
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 1), NULL, 0);
    ASSERT_OK(fluid_can_share(fluid));
    fluid_measure_loads(fluid, true);
    assert_int_equal(fluid_can_share(fluid).code, RESULT_USAGE);
    fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
        cmocka_unit_test(ranks_that_divide_the_pressure_give_the_same_bits),
        cmocka_unit_test(ranks_go_on_with_a_state_that_rank_0_has_read),
        cmocka_unit_test(what_one_rank_meets_ends_all),
        cmocka_unit_test(boxes_are_near_up_to_the_radius),
        cmocka_unit_test(sums_have_the_same_bits_on_any_number_of_ranks),
        cmocka_unit_test(the_lowest_rank_that_has_a_number_tells_it_to_all),
        cmocka_unit_test(a_step_sends_what_the_formula_says),
        cmocka_unit_test(particles_are_gathered_once_a_step),
        cmocka_unit_test(clusters_of_spray_go_by_their_own_boxes),
        cmocka_unit_test(cuts_are_blocks_of_the_search_and_leave_nothing_out),
        cmocka_unit_test(what_ranks_cannot_share_is_refused_by_its_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
