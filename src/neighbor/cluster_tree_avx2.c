// The searches in cluster trees for one instruction set; the file's name decides the compiler flags.
#define CLUSTER_KERNEL cluster_kernel_avx2
#include "neighbor/cluster_tree_body.h"
