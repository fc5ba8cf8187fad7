// pbf-mpi on processes: files equal those of pbf, byte for byte. Skipped where it is not built, as without
// OpenMPI and with sanitizers (test_fluid_share.c has the same water shared among threads), and where mpirun
// cannot start processes.
#include "case_helpers.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char alone[PATH_MAX], shared[PATH_MAX + 8]; // the programs

// Root may run it here, without ssh; what shared memory between processes is not allowed in containers is
// left out; who waits gives way to others. mpirun takes twice odls_base_sigkill_timeout, 2 s, to end a run
// that has failed; it would wait forever for a lock in shared memory of a process that died while it started.
#define SETTINGS                                                                                             \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "                                             \
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 "                          \
    "OMPI_MCA_plm=isolated PMIX_MCA_gds=hash "
#define MPIRUN "timeout -k 5 900 mpirun -q --oversubscribe --bind-to none "

static bool look(void)
{
    const char *binary = getenv("PBF_BINARY");
    if (!realpath(binary ? binary : "build/release/pbf", alone)) return false;
    snprintf(shared, sizeof shared, "%s-mpi", alone);
    if (access(shared, X_OK) != 0)
        print_message("%s was not built: it needs OpenMPI, and no sanitizer\n", shared);
    else if (test_shell("env " SETTINGS MPIRUN "-n 2 true") != 0)
        print_message("mpirun starts no processes: %s\n", test_shell_output);
    else
        return true;
    return false;
}

// Words of a command line; the last four stay valid.
static const char *words_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *words_of(const char *format, ...)
{
    static char rooms[4][PATH_MAX + 4000];
    static int next;
    char *words = rooms[next++ % 4];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof rooms[0], format, list);
    va_end(list);
    return words;
}

static bool is_there(void)
{
    static int known = -1;
    if (known < 0) known = look();
    return known;
}

// One process of pbf (0 ranks), or so many of pbf-mpi, in a folder of its own below the test's; its exit
// status.
static int run_in(const char *sub, int ranks, int threads, const char *arguments)
{
    char mpirun[400] = "";
    if (ranks > 0) snprintf(mpirun, sizeof mpirun, "env " SETTINGS MPIRUN "-n %d ", ranks);
    return test_shell(words_of("mkdir -p %s/%s && cd %s/%s && export OMP_NUM_THREADS=%d && %s%s %s", folder,
                               sub, folder, sub, threads, mpirun, ranks > 0 ? shared : alone, arguments));
}

static void assert_runs(const char *sub, int ranks, int threads, const char *arguments)
{
    if (run_in(sub, ranks, threads, arguments) != 0)
        fail_msg("%d ranks, %s: %s", ranks, arguments, test_shell_output);
}

static void assert_same_folders(const char *sub, const char *other)
{
    SHELL(words_of("diff -r -x run.yaml %s/%s/out %s/%s/out", folder, sub, folder, other));
}

// --- what is sent ---

// The next run of pbf-mpi counts what its ranks send.
static void count_what_is_sent(void)
{
    setenv("PBF_MPI_COUNTS", test_path(folder, "counts.csv"), 1);
}

// What the ranks of that run have counted. The grid of the pressure is large enough to be divided, or is not.
static void assert_counts(int ranks, bool divided)
{
    enum { MARKS = 16, SUMS, GIVEN, BORDER, COLUMNS };
    char line[600];
    unsetenv("PBF_MPI_COUNTS");
    FILE *file = fopen(test_path(folder, "counts.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line,
                        "rank,steps,particles,ghosts,migrated,boxes,clusters,near,messages_counted,messages,"
                        "bytes,collectives,collective_bytes,seconds,waited,waited_for_all,marks,sums,given,"
                        "border\n");
    for (int rank = 0; rank < ranks; rank++) {
        double n[COLUMNS];
        assert_non_null(fgets(line, sizeof line, file));
        char *at = line;
        for (int k = 0; k < COLUMNS; k++, at++) n[k] = strtod(at, &at);
        double steps = n[1], formula = n[6] * 16 * (17 + 4 * 2) + n[5] * 24 + n[4] * 72 + n[MARKS] +
                                       n[SUMS] * 8 + n[GIVEN] * 24 + n[BORDER] * 4;
        assert_true(n[0] == rank && steps > 0 && n[6] > 0 && n[8] == n[9]);
        assert_true((n[BORDER] > 0) == divided && (n[GIVEN] > 0) == divided);
        // Cuts that go through a block of sums send three numbers more.
        assert_true(n[10] >= formula && n[10] <= formula + 24 * steps && fmod(n[10] - formula, 24) == 0);
    }
    fclose(file);
}

static void files_are_those_of_one_process(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int ranks[3];
        bool divided;
    } runs[] = {
        {"run dam_break --spacing 0.25 --frames 3 --export ply,vtk --log out/log.csv --log-every step",
         {3, 5, 0},
         false},
        {"run fountain --spacing 0.15 --frames 4 --export ply", {2, 0, 0}, false},
        {"run mixer --spacing 0.25 --frames 3 --export mesh_ply", {3, 0, 0}, false},
        {"run dam_break --spacing 0.08 --frames 2 --export ply", {4, 0, 0}, true},
    };
    if (!is_there()) skip();
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const char *more = " --out out --checkpoint-every 2 --quiet";
        char arguments[300], one[40], other[40];
        snprintf(arguments, sizeof arguments, "%s%s", runs[k].arguments, more);
        snprintf(one, sizeof one, "one_%zu", k);
        assert_runs(one, 0, 1, arguments);
        for (int n = 0; n < 3 && runs[k].ranks[n] > 0; n++) {
            snprintf(other, sizeof other, "run_%zu_%d", k, n);
            if (runs[k].divided) count_what_is_sent();
            assert_runs(other, runs[k].ranks[n], 1 + n % 2, arguments);
            assert_same_folders(one, other);
            if (runs[k].divided) assert_counts(runs[k].ranks[n], true);
        }
    }
}

static void a_run_goes_on_with_another_number_of_processes(void **state)
{
    (void)state;
    if (!is_there()) skip();
    const char *more = "--spacing 0.3 --out out --export ply --checkpoint-every 2 --quiet";
    assert_runs("whole", 0, 1, words_of("run dam_break --frames 5 %s", more));
    assert_runs("part", 3, 1, words_of("run dam_break --frames 3 %s", more));
    SHELL(words_of("cp -r %s/part %s/alone", folder, folder));
    assert_runs("part", 4, 1, "run --resume out --frames 5 --quiet");
    assert_runs("alone", 0, 1, "run --resume out --frames 5 --quiet");
    for (int k = 0; k < 2; k++)
        SHELL(words_of("cmp %s/whole/out/particles_0004.ply %s/%s/out/particles_0004.ply", folder, folder,
                       k ? "alone" : "part"));
}

// Exactly one line of pbf's, which begins with these words.
static void assert_says(const char *words)
{
    const char *line = strstr(test_shell_output, "pbf: ");
    if (!line || strncmp(line + 5, words, strlen(words)) != 0 || strstr(line + 5, "pbf: "))
        fail_msg("\"%s\" is not one line \"pbf: %s ...\"", test_shell_output, words);
}

static void what_processes_cannot_share_is_refused(void **state)
{
    (void)state;
    if (!is_there()) skip();
    static const struct {
        const char *says, *arguments;
        int ranks;
    } calls[] = {
        {"strands: ", "run kelp --frames 1 --out out --quiet", 2},
        {"--log: ", "run ../forces.yaml --frames 1 --log log.csv --quiet", 2},
        {"view: ", "view dam_break", 1},
        {"no_such_scene: ", "run no_such_scene --out out", 2},
    };
    SHELL(words_of("mkdir -p %s && printf '%%s\\n' 'spacing: 0.3' 'tank: {size: [4, 4, 4]}' "
                   "'water: [{box: {min: [0, 0, 0], max: [2, 2, 2]}}]' "
                   "'probes: [{name: walls, force: {obstacle: tank}}]' > %s/forces.yaml",
                   folder, folder));
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        assert_int_equal(run_in("refused", calls[k].ranks, 1, calls[k].arguments), 2);
        assert_says(calls[k].says);
    }
}

// Whether a file of strings that end in zeros, as /proc has them, has this one.
static bool has_string(pid_t pid, const char *name, const char *word)
{
    static char text[100000];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        if (strcmp(text + at, word) == 0) return true;
    return false;
}

// A rank of the run with this folder among its arguments; 0: there is none.
static pid_t process_of(const char *out, int rank)
{
    pid_t found = 0;
    char variable[64];
    snprintf(variable, sizeof variable, "OMPI_COMM_WORLD_RANK=%d", rank);
    DIR *entries = opendir("/proc");
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && has_string(pid, "cmdline", shared) && has_string(pid, "cmdline", out) &&
            has_string(pid, "environ", variable))
            found = pid;
    }
    if (entries) closedir(entries);
    return found;
}

// Kills a rank of the run in a folder, from another process, once it has written a file.
static pid_t kill_later(const char *out, int rank, const char *file)
{
    pid_t killer = fork();
    if (killer != 0) return killer;
    for (int tries = 0; tries < 30000 && access(file, F_OK) != 0; tries++) usleep(10000);
    pid_t victim = process_of(out, rank);
    if (victim > 0) kill(victim, SIGKILL);
    _exit(victim > 0 ? 0 : 1);
}

static bool hears_end(pid_t pid)
{
    static char text[10000];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = pid > 0 ? fopen(path, "r") : NULL;
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *caught = strstr(text, "SigCgt:");
    return caught && strtoull(caught + 7, NULL, 16) >> (SIGTERM - 1) & 1;
}

// Makes a file, from another process, as soon as rank 0 hears that all are to end; or after a minute.
static pid_t tell_when_it_hears(const char *out, const char *path)
{
    pid_t teller = fork();
    if (teller != 0) return teller;
    for (int tries = 0; tries < 6000 && !hears_end(process_of(out, 0)); tries++) usleep(10000);
    FILE *file = fopen(path, "w");
    _exit(file && fclose(file) == 0 ? 0 : 1);
}

// Busy machines take long to come to the line that a rank is to say before mpirun kills it.
#define PATIENT "OMPI_MCA_odls_base_sigkill_timeout=4 "

static void a_process_that_dies_ends_the_run_with_one_line(void **state)
{
    (void)state;
    if (!is_there()) skip();
    const char *arguments =
        "run dam_break --spacing 0.25 --frames 12 --export ply --checkpoint-every 1 --quiet";
    char out[600];
    assert_runs("whole", 0, 1, words_of("%s --out out", arguments));
    SHELL(words_of("mkdir -p %s/dead", folder));
    snprintf(out, sizeof out, "%s/dead/out", folder);
    for (int rank = 0; rank < 2; rank++) {
        pid_t killer = kill_later(out, rank, words_of("%s/checkpoint_%04d.pbf", out, 2 + 3 * rank));
        int status =
                test_shell(words_of("env OMP_NUM_THREADS=1 " SETTINGS PATIENT MPIRUN "-n 3 %s %s --out %s",
                                    shared, arguments, out)),
            killed;
        assert_int_equal(waitpid(killer, &killed, 0), killer);
        if (killed != 0) skip(); // the run was over before
        assert_true(status != 0);
        assert_says(words_of("a rank has died or mpirun was stopped (pbf-mpi run --resume %s goes on", out));
    }
    assert_runs("dead", 2, 1, "run --resume out --quiet");
    SHELL(words_of("cmp %s/whole/out/particles_0011.ply %s/dead/out/particles_0011.ply", folder, folder));
}

// Rank 1 never comes to MPI, for which rank 0 waits, and dies.
static void a_process_that_dies_while_mpi_starts_is_told(void **state)
{
    (void)state;
    if (!is_there()) skip();
    char out[600], path[600];
    snprintf(out, sizeof out, "%s/none/out", folder);
    snprintf(path, sizeof path, "%s/none/now", folder);
    SHELL(words_of("mkdir -p %s/none", folder));
    pid_t teller = tell_when_it_hears(out, path);
    int status = test_shell(words_of("env OMP_NUM_THREADS=1 " SETTINGS PATIENT MPIRUN
                                     "-n 1 %s run dam_break --spacing 0.25 --export ply --out %s --quiet : "
                                     "-n 1 sh -c 'until test -e %s; do sleep 0.1; done; kill -9 $$'",
                                     shared, out, path)),
        told;
    assert_int_equal(waitpid(teller, &told, 0), teller);
    assert_int_equal(told, 0);
    assert_true(status != 0);
    assert_says("a rank has died or mpirun was stopped before the run (the same command starts it again)");
}

// Runs whose grid is divided are counted where their files are compared.
static void processes_send_what_the_formula_says(void **state)
{
    (void)state;
    if (!is_there()) skip();
    count_what_is_sent();
    assert_runs("counted", 3, 1, "run dam_break --spacing 0.25 --frames 3 --export ply --out out --quiet");
    assert_counts(3, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_those_of_one_process, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_run_goes_on_with_another_number_of_processes, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_processes_cannot_share_is_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_process_that_dies_ends_the_run_with_one_line, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_process_that_dies_while_mpi_starts_is_told, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(processes_send_what_the_formula_says, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
