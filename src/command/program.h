// The program from its arguments to its exit status.
#ifndef PBF_COMMAND_PROGRAM_H
#define PBF_COMMAND_PROGRAM_H

#include "core/result.h"

// Opens the standard streams that are closed, so that no file takes the number of one and gets what is said
// on it; writing to them fails as it did. Once, before all else.
void program_open_streams(void);

// Prepares signals; once, before the program runs.
void program_start(void);

// Runs the command that the arguments name. Returns the exit status.
int program_run(int argc, char **argv);

// Says what is wrong, if anything is, on standard error. Returns the exit status.
int program_finish(Result result);

#endif
