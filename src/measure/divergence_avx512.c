// The loop of the divergence for one instruction set; the file's name decides the compiler flags.
#define DIVERGENCE_LOOP divergence_loop_avx512
#include "measure/divergence_body.h"
