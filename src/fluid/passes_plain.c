// The passes over lists for one instruction set; the file's name decides the compiler flags.
#include "fluid/passes_table.h"

#define FLUID_PASSES fluid_passes_plain
#include "fluid/pairs_lists.h"
#include "fluid/passes_body.h"
