#include "command/interrupt.h"

#include "export/file_writer.h"
#include "library/pbf.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGXCPU, "SIGXCPU"},
    {SIGPIPE, "SIGPIPE"}, {SIGUSR1, "SIGUSR1"}, // batch systems announce the end with it
};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

static volatile sig_atomic_t received, is_watched;

static void on_signal(int number)
{
    bool first = received == 0;
    received = number;
    // Whatever is still said raises a broken pipe again.
    if (is_watched && (first || number == SIGPIPE)) {
        pbf_stop(1);
        return;
    }
    file_targets_remove();
    signal(number, SIG_DFL);
    raise(number);
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < SIGNAL_COUNT; k++) {
        if (sigaction(signals[k].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[k].number, &action, NULL);
    }
}

int interrupt_signal(void)
{
    is_watched = 1;
    return received;
}

const char *interrupt_name(int number)
{
    for (size_t k = 0; k < SIGNAL_COUNT; k++) {
        if (signals[k].number == number) return signals[k].name;
    }
    return "a signal";
}
