// The loops over contacts of strands for one instruction set; the file's name decides the compiler flags.
#define STRAND_APART strand_apart_avx2
#include "strand/strand_apart_body.h"
