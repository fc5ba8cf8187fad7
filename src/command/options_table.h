// Every option once: what it is called, what its value may be and where it goes, what it means to which
// commands. Parsing, help, the manual page and the shells' completion go by this table.
#ifndef PBF_COMMAND_OPTIONS_TABLE_H
#define PBF_COMMAND_OPTIONS_TABLE_H

#include "command/options.h"
#include "core/param.h"

// What an option says something about, and so where it is remembered.
typedef enum OptionScope {
    OPTION_OF_CALL,    // this call alone: never stored
    OPTION_OF_SCENE,   // keys of the scene, which is stored itself
    OPTION_OF_EXTENT,  // how many frames there are, and what is made beside them: frames stay the same
    OPTION_OF_RUN,     // the run
    OPTION_OF_PICTURE, // how pictures look
} OptionScope;

// What an option is to some commands.
typedef struct OptionUse {
    unsigned commands;    // COMMAND_... bits; 0 ends the list
    const char *argument; // what help calls the value; NULL for a switch, which has none
    const char *help;     // one line
} OptionUse;

typedef struct OptionRow {
    const char *name; // "--spacing"
    char letter;      // of "-q"; 0: none
    OptionScope scope;
    ParamRow value;     // member of Options, limits, names; the key is not used
    const char *suffix; // which a file's name must end in, as in ".mp4"; NULL: any
    // Puts the value into *options; NULL where `value` says all of it. text has to outlive the options.
    // Errors: RESULT_USAGE "what is wrong (what is allowed)".
    Result (*read)(const ParamRow *value, const char *text, Options *options);
    OptionUse uses[5];
} OptionRow;

// The rows in the order of help. NULL past the end.
const OptionRow *option_row(uint32_t k);

// What the row is to any of the commands; NULL if they do not take it.
const OptionUse *option_use(const OptionRow *row, unsigned commands);

// The row of that name, "--quiet" or "-q"; NULL if there is none.
const OptionRow *option_find(const char *name);

// Options as they are where the command line says nothing.
extern const Options options_default;

// One line of help: what the use says, with the names to choose from and the default. Returns text.
const char *option_help(const OptionRow *row, const OptionUse *use, char *text, size_t size);

#endif
