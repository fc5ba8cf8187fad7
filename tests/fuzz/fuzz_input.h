// The bytes of a fuzzer's input as a file, for readers that take a path.
#ifndef PBF_TESTS_FUZZ_INPUT_H
#define PBF_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry; every target defines it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Replaces the contents of a file in memory and returns its path, the same for every call.
const char *fuzz_input_path(const uint8_t *data, size_t size);

// What `pbf mesh` does with a file of particles; large ones are read only.
void fuzz_particle_file(const uint8_t *data, size_t size);

#endif
