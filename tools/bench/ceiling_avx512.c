#define CEILING_FLOPS ceiling_flops_avx512
#include "ceiling_body.h"
