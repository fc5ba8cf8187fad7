#include "surface/shape_loops.h"

#define SHAPE_LOOPS shape_loops_plain
#include "surface/shape_loops_body.h"
