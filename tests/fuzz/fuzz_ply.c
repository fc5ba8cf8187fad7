// Particles from PLY files, and the surface of a few of them.
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_particle_file("input.ply", data, size);
    return 0;
}
