// Runs the program as a child, as a user's shell would.
#ifndef PBF_TESTS_COMMAND_HELPERS_H
#define PBF_TESTS_COMMAND_HELPERS_H

#include <sys/types.h>

typedef struct ChildRun {
    int status; // exit status, 128 + number if a signal ended it
    char *out, *err;
    double cpu_seconds; // of all threads
    long rss_bytes;     // most that was resident
} ChildRun;

// What is different about the next runs; all zero for nothing.
typedef struct ChildSetup {
    long file_bytes_max;            // size limit of a file, 0 for none
    long address_bytes_max;         // as ulimit -v, 0 for none
    long stack_bytes_max;           // as ulimit -s, 0 for none
    const char *variable, *setting; // environment
    const char *out_path;           // standard output goes here
    unsigned closed;                // standard streams: 1 << STDERR_FILENO, ...
} ChildSetup;
extern ChildSetup child_setup;

// Runs pbf (PBF_BINARY, or build/release/pbf) with printf-style arguments that are split at blanks; '' is an
// empty argument. Free with child_free.
ChildRun child_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
void child_free(ChildRun *run);

// Fails the test unless the run ended well; frees it.
void child_assert_done(ChildRun run);

// Fails the test unless the run ended with this status, and its messages with one line "pbf: ..."; these have
// to say the words. Frees it.
void child_assert_failed(ChildRun run, int status, const char *words);

// The same in two halves.
pid_t child_start(const char *arguments);
ChildRun child_finish(pid_t child);

// Fails the test unless a signal stopped the run before its last frame; how many were complete. Frees it.
int child_assert_stopped(ChildRun run, int status);

// Waits at most some seconds until a file exists.
int child_wait_for_file(const char *path, double seconds);

// Waits at most some seconds until a file holds a text.
int child_wait_for_text(const char *path, const char *text, double seconds);

// Runs a line of the shell; the test fails if it does.
void shell_or_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
