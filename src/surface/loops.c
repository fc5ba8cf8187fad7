// Chooses the variants of the hot loops, which loops_plain.c, loops_avx2.c and loops_avx512.c compile.
#include "surface/field_sum.h"
#include "surface/shape_loops.h"

FieldSum *field_sum(CpuLevel level)
{
    if (level == CPU_AVX512) return field_sum_avx512;
    return level == CPU_AVX2 ? field_sum_avx2 : field_sum_plain;
}

const ShapeLoops *shape_loops(CpuLevel level)
{
    if (level == CPU_AVX512) return &shape_loops_avx512;
    return level == CPU_AVX2 ? &shape_loops_avx2 : &shape_loops_plain;
}
