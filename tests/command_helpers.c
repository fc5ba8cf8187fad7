#include "command_helpers.h"
#include "case_helpers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ARGUMENTS_MAX 160

ChildSetup child_setup;

typedef struct OutputPaths
{
    char out[64], err[64];
} OutputPaths;

// By the child: one that runs on must not write into what another one said.
static OutputPaths output_paths(pid_t child)
{
    OutputPaths paths;
    snprintf(paths.out, sizeof paths.out, "/tmp/pbf-test-out-%ld", (long)child);
    snprintf(paths.err, sizeof paths.err, "/tmp/pbf-test-err-%ld", (long)child);
    return paths;
}

static const char *binary(void)
{
    const char *path = getenv("PBF_BINARY");
    return path ? path : "build/release/pbf";
}

static int open_output(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

static bool draws(char *const *argv)
{
    static const char *const commands[] = {"render", "frames", "compare", "view"};
    bool found = false;
    for (size_t k = 0; argv[1] && k < sizeof commands / sizeof *commands; k++)
        found |= strcmp(argv[1], commands[k]) == 0;
    for (int k = 1; found && argv[k]; k++) found &= strcmp(argv[k], "--no-pictures") != 0;
    return found;
}

// Leak detection crashes in its own tracer, now and then, once Mesa's drivers were loaded and unloaded; to
// fill all that these allocate and free takes as long as a picture (the address sanitizer fills, too).
static void leave_drivers_alone(void)
{
    char options[1000];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s:detect_leaks=0", given ? given : "");
    setenv("ASAN_OPTIONS", options, 1);
    unsetenv("MALLOC_PERTURB_");
}

static void become_pbf(const char *arguments)
{
    char text[4000], *argv[ARGUMENTS_MAX] = {"pbf"};
    int count = 1;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *word = strtok(text, " "); word && count < ARGUMENTS_MAX - 1; word = strtok(NULL, " "))
        argv[count++] = strcmp(word, "''") == 0 ? "" : word;
    OutputPaths paths = output_paths(getpid());
    dup2(open_output(child_setup.out_path ? child_setup.out_path : paths.out), STDOUT_FILENO);
    dup2(open_output(paths.err), STDERR_FILENO);
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (child_setup.closed & 1u << fd) close(fd);
    }
    if (draws(argv)) leave_drivers_alone();
    if (child_setup.variable) setenv(child_setup.variable, child_setup.setting, 1);
    if (child_setup.file_bytes_max > 0) {
        struct rlimit limit = {(rlim_t)child_setup.file_bytes_max, (rlim_t)child_setup.file_bytes_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (child_setup.address_bytes_max > 0) {
        struct rlimit limit = {(rlim_t)child_setup.address_bytes_max, (rlim_t)child_setup.address_bytes_max};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (child_setup.stack_bytes_max > 0) {
        struct rlimit limit = {(rlim_t)child_setup.stack_bytes_max, (rlim_t)child_setup.stack_bytes_max};
        setrlimit(RLIMIT_STACK, &limit);
    }
    execv(binary(), argv);
    _exit(127);
}

pid_t child_start(const char *arguments)
{
    pid_t child = fork();
    if (child == 0) become_pbf(arguments);
    return child;
}

ChildRun child_finish(pid_t child)
{
    int status = 0;
    struct rusage usage = {0};
    OutputPaths paths = output_paths(child);
    wait4(child, &status, 0, &usage);
    ChildRun run = {
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = test_read_file(paths.out, NULL),
        .err = test_read_file(paths.err, NULL),
        .cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
        .rss_bytes = usage.ru_maxrss * 1024,
    };
    unlink(paths.out);
    unlink(paths.err);
    if (!run.out) run.out = strdup("");
    if (!run.err) run.err = strdup("");
    return run;
}

ChildRun child_run(const char *format, ...)
{
    char arguments[4000];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    return child_finish(child_start(arguments));
}

void child_free(ChildRun *run)
{
    free(run->out);
    free(run->err);
    *run = (ChildRun){0};
}

void child_assert_done(ChildRun run)
{
    if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
    child_free(&run);
}

void child_assert_failed(ChildRun run, int status, const char *words)
{
    const char *line = strstr(run.err, "pbf: ");
    if (run.status != status) fail_msg("status %d, not %d: %s", run.status, status, run.err);
    if (!line || strchr(line, '\n') != line + strlen(line) - 1) fail_msg("no single error line: %s", run.err);
    if (!strstr(run.err, words)) fail_msg("\"%s\" does not say \"%s\"", run.err, words);
    child_free(&run);
}

int child_assert_stopped(ChildRun run, int status)
{
    const char *said = strstr(run.err, "interrupted by SIG");
    int frames = 0;
    if (run.status != status || !said || sscanf(strchr(said, '('), "(%d of", &frames) != 1)
        fail_msg("status %d, not %d: %s", run.status, status, run.err);
    child_free(&run);
    return frames;
}

int child_wait_for_file(const char *path, double seconds)
{
    for (int k = 0; k < (int)(seconds / 0.02); k++) {
        if (access(path, F_OK) == 0) return 1;
        usleep(20000);
    }
    return 0;
}

int child_wait_for_text(const char *path, const char *text, double seconds)
{
    for (int k = 0; k < (int)(seconds / 0.001); k++) {
        char *all = test_read_file(path, NULL);
        bool found = all && strstr(all, text);
        free(all);
        if (found) return 1;
        usleep(1000);
    }
    return 0;
}

void shell_or_fail(const char *format, ...)
{
    char command[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    if (system(command) != 0) fail_msg("%s failed", command);
}
