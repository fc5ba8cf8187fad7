// The commands of the program, each in a file of its own. main and help go by the table in command.c.
#ifndef PBF_COMMAND_COMMAND_H
#define PBF_COMMAND_COMMAND_H

#include "command/options.h"

typedef struct Command {
    const char *name;
    unsigned bit;         // COMMAND_...
    const char *usage;    // what follows the name
    const char *summary;  // one line
    const char *details;  // further lines of `pbf help NAME`, "" for none
    const char *examples; // command lines, each with a newline
    Result (*run)(const Options *options);
} Command;

// Commands in the order of help. NULL past the end.
const Command *command_at(uint32_t k);

// Finds a command by name. Error: RESULT_USAGE with the nearest name.
Result command_find(const char *name, const Command **out);

// Run the commands, which command.c and README.md describe. Errors: RESULT_USAGE for a wrong call or scene,
// RESULT_FAILED and RESULT_NO_MEMORY while running.
Result command_view(const Options *options);
Result command_render(const Options *options);
Result command_run(const Options *options);
Result command_compare(const Options *options);
Result command_bench(const Options *options);
Result command_check(const Options *options);
Result command_mesh(const Options *options);
Result command_slice(const Options *options);
Result command_foam(const Options *options);
Result command_frames(const Options *options);
Result command_scenes(const Options *options);
Result command_help(const Options *options);

// Prints the few lines that a call without a command gets.
void help_print_overview(FILE *to);

// Prints what a command does and takes, on standard output.
void help_print_command(const Command *command);

#endif
