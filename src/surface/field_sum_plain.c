#include "surface/field_sum.h"

#define FIELD_SUM field_sum_plain
#include "surface/field_sum_body.h"
