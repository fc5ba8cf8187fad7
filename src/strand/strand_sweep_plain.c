// The loops over edges of strands for one instruction set; the file's name decides the compiler flags.
#define SWEEP_KERNEL sweep_kernel_plain
#include "strand/strand_sweep_body.h"
