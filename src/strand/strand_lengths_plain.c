// The loop over strands for one instruction set; the file's name decides the compiler flags.
#define STRAND_LENGTHS strand_lengths_plain
#include "strand/strand_lengths_body.h"
