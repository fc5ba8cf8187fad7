#include "surface/shape_loops.h"

const ShapeLoops *shape_loops(CpuLevel level)
{
    switch (level) {
    case CPU_AVX512:
        return &shape_loops_avx512;
    case CPU_AVX2:
        return &shape_loops_avx2;
    default:
        return &shape_loops_plain;
    }
}
