// Every option once: what it is called, which commands take it, what help says of it and how its value is
// read.
#ifndef PBF_COMMAND_OPTIONS_TABLE_H
#define PBF_COMMAND_OPTIONS_TABLE_H

#include "command/options.h"

typedef struct OptionRow {
    const char *name;     // "--spacing"
    const char *argument; // what help calls the value; NULL for a switch, which has none
    const char *help;     // one line
    unsigned commands;    // COMMAND_... bits of those that take it
    // Puts the value into *options. where: the name, for messages. text: NULL for a switch; has to outlive
    // the options. Error: RESULT_USAGE "WHERE: ...".
    Result (*parse)(const char *where, const char *text, Options *options);
} OptionRow;

// The rows in the order of help. NULL past the end.
const OptionRow *option_row(uint32_t k);

// Does parse cut its text in place? What was written is not to be had afterwards.
bool option_cuts_text(const OptionRow *row);

#endif
