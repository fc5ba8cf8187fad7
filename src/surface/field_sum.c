#include "surface/field_sum.h"

FieldSum *field_sum(CpuLevel level)
{
    switch (level) {
    case CPU_AVX512:
        return field_sum_avx512;
    case CPU_AVX2:
        return field_sum_avx2;
    default:
        return field_sum_plain;
    }
}
