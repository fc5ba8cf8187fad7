#define CEILING_FLOPS ceiling_flops_avx2
#include "ceiling_body.h"
