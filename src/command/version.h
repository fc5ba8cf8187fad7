// pbf --version.
#ifndef PBF_COMMAND_VERSION_H
#define PBF_COMMAND_VERSION_H

// Prints the program's version, and what would draw its pictures without a window: the first thing to know of
// a machine whose pictures are slow.
void version_print(void);

#endif
