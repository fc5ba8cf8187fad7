#define CEILING_FLOPS ceiling_flops_plain
#include "ceiling_body.h"
