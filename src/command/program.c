#include "command/program.h"

#include "command/command.h"
#include "command/interrupt.h"
#include "command/version.h"
#include "core/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_LEAST (128u * 1024u) // bytes

int program_finish(Result result)
{
    // What the user asked for on standard output must have arrived.
    if (result_is_ok(&result) && (fflush(stdout) != 0 || ferror(stdout)))
        result = result_error(RESULT_FAILED, "standard output: %s", strerror(errno));
    if (result_is_ok(&result)) return 0;
    fprintf(stderr, "pbf: %s\n", result.text);
    return interrupt_signal() ? 128 + interrupt_signal() : result_exit_status(&result);
}

// Less would end in a crash, in the program or in the libraries that it loads.
static Result check_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST) return result_ok();
    return result_error(RESULT_FAILED, "the stack may grow to %llu kB: %u are needed (ulimit -s)",
                        (unsigned long long)limit.rlim_cur / 1024, STACK_LEAST / 1024);
}

static Result run_command(int count, char **arguments)
{
    const Command *command;
    Options options;
    TRY(command_find(arguments[0], &command));
    TRY(check_stack());
    TRY(cpu_check_asked_level());
    TRY(options_parse(count - 1, arguments + 1, command->bit, &options));
    if (options.help) {
        help_print_command(command);
        return result_ok();
    }
    return command->run(&options);
}

void program_open_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        // Open the other way round: nobody takes what nobody reads for written.
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) _exit(1);
    }
}

void program_start(void)
{
    signal(SIGXFSZ, SIG_IGN); // a file size limit is a write error like a full disk
    interrupt_install();
}

int program_run(int argc, char **argv)
{
    if (argc < 2) {
        help_print_overview(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        version_print();
        return program_finish(result_ok());
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_print_overview(stdout);
        return program_finish(result_ok());
    }
    return program_finish(run_command(argc - 1, argv + 1));
}
