#include "surface/shape_loops.h"

#define SHAPE_LOOPS shape_loops_avx512
#include "surface/shape_loops_body.h"
