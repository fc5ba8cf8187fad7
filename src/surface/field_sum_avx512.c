#include "surface/field_sum.h"

#define FIELD_SUM field_sum_avx512
#include "surface/field_sum_body.h"
