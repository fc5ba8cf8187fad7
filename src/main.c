// pbf: position based fluids.
#include "command/program.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOWEST_PRIORITY 19

// Stands before the C library's where Mesa, which the program loads, looks for it: its thread that keeps
// compiled shaders asks for the lowest priority. A program is gone when its last thread is, and that one
// gives the memory back: with a two-hundredth of a busy core, a render of many particles that was stopped
// took up to a minute to vanish.
__attribute__((visibility("default"))) int setpriority(__priority_which_t which, id_t who, int priority)
{
    return priority == LOWEST_PRIORITY ? 0 : (int)syscall(SYS_setpriority, which, who, priority);
}

int main(int argc, char **argv)
{
    program_open_streams();
    program_start();
    return program_run(argc, argv);
}
