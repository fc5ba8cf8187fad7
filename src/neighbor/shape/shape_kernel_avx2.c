// The loops of shape queries for one instruction set; the file's name decides the compiler flags.
#define SHAPE_KERNEL shape_kernel_avx2
#include "neighbor/shape/shape_kernel_body.h"
