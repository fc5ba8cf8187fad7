#include "command/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void on_signal(int number)
{
    received = number;
}

static void catch_once(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)}, old;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void interrupt_install(void)
{
    catch_once(SIGINT);
    catch_once(SIGTERM);
}

int interrupt_signal(void)
{
    return received;
}
