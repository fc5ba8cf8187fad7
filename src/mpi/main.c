// pbf-mpi: pbf whose water several processes simulate together (`mpirun -n 4 pbf-mpi run SCENE ...`). Rank 0
// is the program as it is alone; the others wait for what it wants done with its water.
#include "command/library_call.h"
#include "command/program.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "export/file_writer.h"
#include "fluid/share.h"
#include "library/inside.h"
#include "mpi/mpi_links.h"
#include "scene/scene.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Links *links;

// How to go on when a rank dies, as one line: what a rank that mpirun ends says.
static char last_words[PATH_MAX + 200] =
    "pbf: a rank has died or mpirun was stopped before the run (the same command starts it again)\n";
static const char *command;

// --- what is simulated ---

// What rank 0 tells the others; no bytes: that there is nothing to do any more.
typedef struct Order {
    size_t bytes;     // of the scene
    uint32_t threads; // of each rank; 0: as many as its cores
    char last_words[sizeof last_words];
} Order;

static void choose_last_words(const Options *options)
{
    static const char dead[] = "pbf: a rank has died or mpirun was stopped";
    if (options->out && options->checkpoint_every > 0)
        snprintf(last_words, sizeof last_words,
                 "%s (pbf-mpi %s --resume %s goes on from its last checkpoint)\n", dead, command,
                 options->out);
    else
        snprintf(last_words, sizeof last_words,
                 "%s (--checkpoint-every N leaves what --resume goes on from)\n", dead);
}

// What --log measures, rank 0 does on all particles, which it gathers; but what bodies take is not told.
static Result check_log(const SceneDef *scene, const Options *options)
{
    for (uint32_t p = 0; options->log && p < scene->probe_count; p++)
        if (scene->probes[p].kind == PROBE_FORCE)
            return result_error(RESULT_USAGE,
                                "--log: processes cannot share what forces on bodies are yet (run pbf)");
    return result_ok();
}

static Result share_sim(pbf_sim *sim, const Options *options)
{
    static Order order;
    order = (Order){.threads = options->threads};
    char *source;
    TRY(check_log(sim_scene(sim), options));
    Fluid *fluid = sim_fluid(sim);
    TRY(fluid_can_share(fluid));
    TRY(scene_source_pack(&sim_scene(sim)->source, &source, &order.bytes));
    choose_last_words(options);
    memcpy(order.last_words, last_words, sizeof last_words);
    links->spread(links->self, &order, sizeof order);
    links->spread(links->self, source, order.bytes);
    memory_free(source);
    fluid_share(fluid, links);
    return result_ok();
}

// The scene of rank 0's fluid, without its water.
static Result build(const void *source, size_t bytes, SceneDef *def, Fluid **fluid)
{
    SceneSource scene;
    TRY(scene_source_unpack(source, bytes, &scene));
    scene.may_be_dry = true;
    Result result = scene_read_source(&scene, def);
    scene_source_free(&scene);
    return result_is_ok(&result) ? scene_build_empty(def, fluid) : result;
}

static void serve(void)
{
    for (;;) {
        static Order order;
        Fluid *fluid = NULL;
        links->spread(links->self, &order, sizeof order);
        if (order.bytes == 0) return;
        memcpy(last_words, order.last_words, sizeof last_words);
        parallel_set_workers(order.threads);
        SceneDef *def = memory_allocate_zeroed(sizeof *def);
        char *source = memory_allocate(order.bytes);
        Result result = result_no_memory("the scene", order.bytes);
        if (source && def) {
            links->spread(links->self, source, order.bytes);
            result = build(source, order.bytes, def, &fluid);
        }
        if (!result_is_ok(&result)) links->fail(links->self, &result);
        fluid_share(fluid, links);
        fluid_serve(fluid);
        fluid_destroy(fluid);
        scene_free(def);
        memory_free(def);
        memory_free(source);
    }
}

// --- signals ---

// mpirun ends all ranks so when one has died, or when it is told to end itself, and kills what is left a
// second later: the others cannot help with a last checkpoint. One of them says how to go on.
static void on_end(int number)
{
    if (mpi_links_speaks()) (void)!write(STDERR_FILENO, last_words, strlen(last_words));
    file_targets_remove();
    _exit(128 + number);
}

static void watch_end(void)
{
    struct sigaction end = {.sa_handler = on_end};
    sigaction(SIGTERM, &end, NULL);
}

static void watch_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (links->rank == 0) return;
    // What ends a run in order is rank 0's to hear.
    const int others[] = {SIGINT, SIGHUP, SIGUSR1, SIGXCPU};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) sigaction(others[k], &ignore, NULL);
}

// --- the program ---

static int run_first(int argc, char **argv)
{
    static const char *const shared[] = {"run",       "render", "help",   "check", "scenes",
                                         "--version", "-V",     "--help", "-h"};
    bool known = argc < 2;
    for (size_t k = 0; k < sizeof shared / sizeof *shared && !known; k++)
        known = strcmp(argv[1], shared[k]) == 0;
    if (!known) {
        Result result = result_error(RESULT_USAGE, "%s: is not a command of pbf-mpi (run, render)", argv[1]);
        return program_finish(result);
    }
    library_share_sims(share_sim);
    return program_run(argc, argv);
}

int main(int argc, char **argv)
{
    static Order end;
    int status = 0;
    command = argc > 1 ? argv[1] : "";
    program_open_streams();
    mpi_links_prepare();
    watch_end();
    links = mpi_links_start(&argc, &argv);
    program_start();
    watch_end(); // instead of what else hears it
    watch_signals();
    if (links->rank == 0) {
        status = run_first(argc, argv);
        links->spread(links->self, &end, sizeof end);
    } else {
        serve();
    }
    (void)mpi_links_speaks(); // whatever there was to say has been said
    mpi_links_end();
    return status;
}
