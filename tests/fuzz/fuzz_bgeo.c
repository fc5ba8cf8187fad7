// Particles from Houdini's classic format, and the surface of a few of them.
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_particle_file("input.bgeo", data, size);
    return 0;
}
