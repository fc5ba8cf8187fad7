// The table of options: name, allowed values, where the value goes, and the meaning to each command. Parsing,
// help, the manual page and the shell's completion go by it.
#ifndef PBF_COMMAND_OPTIONS_TABLE_H
#define PBF_COMMAND_OPTIONS_TABLE_H

#include "command/options.h"
#include "core/param.h"

// Subject of an option, which decides where it is remembered.
typedef enum OptionScope {
    OPTION_OF_CALL,    // this call alone: never stored
    OPTION_OF_SCENE,   // keys of the scene, which is stored itself
    OPTION_OF_EXTENT,  // number of frames, and what is made beside them: frames stay the same
    OPTION_OF_RUN,     // the run
    OPTION_OF_PICTURE, // how pictures look
} OptionScope;

// Meaning of an option to some commands.
typedef struct OptionUse {
    unsigned commands;        // COMMAND_... bits; 0 ends the list
    const char *argument;     // the value's name in help; NULL for a switch, which has none
    const char *help;         // one line
    const char *takes;        // patterns (fnmatch) of the scene keys or names that are taken; NULL: all
    double (*standard)(void); // the default, for help; NULL: that of options_default, if it is more than 0
    const char *needs;        // an option without which this one has no effect; NULL: none
} OptionUse;

typedef struct OptionRow {
    const char *name; // "--spacing"
    char letter;      // of "-q"; 0: none
    OptionScope scope;
    ParamRow value;     // member of Options, limits, names; the key is not used
    const char *suffix; // required ending of a file's name, as in ".mp4"; NULL: any
    // Puts the value into *options; NULL where `value` says it all. text has to outlive the options.
    // Errors: RESULT_USAGE "what is wrong (what is allowed)".
    Result (*read)(const ParamRow *value, const char *text, Options *options);
    OptionUse uses[8];
} OptionRow;

// Rows in the order of help. NULL past the end.
const OptionRow *option_row(uint32_t k);

// The row's use by any of the commands; NULL if they do not take it.
const OptionUse *option_use(const OptionRow *row, unsigned commands);

// Does a use take a name, a scene key, or a section with all of its keys?
bool option_takes(const OptionUse *use, const char *name);

// The row of that name, "--quiet" or "-q"; NULL if there is none.
const OptionRow *option_find(const char *name);

// The name of a number of Options.formats: "mesh_ply".
const char *option_format_name(uint32_t format);

// Values of options that are not given.
extern const Options options_default;

// Writes one line of help: that of the use, with the names to choose from or the default. Returns text.
const char *option_help(const OptionRow *row, const OptionUse *use, char *text, size_t size);

#endif
