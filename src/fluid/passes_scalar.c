// The passes over lists, one pair at a time; the file's name keeps the compiler from making vectors of them.
#define LANES_SCALAR
#include "fluid/passes_table.h"

#define FLUID_PASSES fluid_passes_scalar
#include "fluid/pairs_lists.h"
#include "fluid/passes_body.h"
